"""Entries of float balls are taken with their radii, and of what is beyond the floats nothing is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dpmatrix.randomness.float_balls import FloatBalls


def test_entries_keep_their_radii() -> None:
    balls = FloatBalls(np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3]))
    taken = balls.taken(np.array([2, 0]))
    assert (taken.center.tolist(), taken.radius.tolist()) == ([3, 1], [0.3, 0.1])
    other = balls.with_entries([1], FloatBalls(np.array([7.0]), np.array([0.7])))
    assert (other.center.tolist(), other.radius.tolist()) == ([1, 7, 3], [0.1, 0.7, 0.3])
    assert (balls.center.tolist(), balls.radius.tolist()) == ([1, 2, 3], [0.1, 0.2, 0.3])
    turned = -balls
    assert (turned.center.tolist(), turned.radius.tolist()) == ([-1, -2, -3], [0.1, 0.2, 0.3])
    shaped = balls.reshaped(3, 1)
    assert (shaped.center.tolist(), shaped.radius.tolist()) == ([[1], [2], [3]], [[0.1], [0.2], [0.3]])
    assert shaped.transposed.radius.tolist() == [[0.1, 0.2, 0.3]]


def test_quotients_beyond_the_floats_keep_their_denominator() -> None:
    found = FloatBalls.of_quotients([3 * 10**400, 6], 3, (2,))
    assert np.isinf(found.radius).tolist() == [True, False]
    assert found.center[1] == 2.0


@pytest.mark.parametrize(
    "act",
    [
        lambda: FloatBalls.exactly([np.inf]) + FloatBalls.exactly([-np.inf]),
        lambda: FloatBalls.exactly([np.inf]) * FloatBalls.exactly([0.0]),
        lambda: FloatBalls.exactly([np.inf]) / FloatBalls.exactly([np.inf]),
        lambda: FloatBalls.exactly([[np.inf]]) @ FloatBalls.exactly([[0.0]]),
        lambda: FloatBalls.exactly([[np.inf], [0.0]]).gram(),
        lambda: FloatBalls.exactly([np.inf, -np.inf]).total(),
        lambda: FloatBalls.exactly([np.inf, -np.inf]).totals(np.array([0])),
        lambda: FloatBalls.exactly([np.inf]).square_root(),
        lambda: FloatBalls.exactly([1e300]) * FloatBalls.exactly([1e300]),
    ],
    ids=["sum", "product", "quotient", "matrices", "gram", "total", "totals", "root", "overflow"],
)
def test_of_infinite_numbers_nothing_is_known_and_nobody_is_warned(act: Callable[[], FloatBalls]) -> None:
    """Pytest turns a warning into an error."""
    assert not np.isfinite(act().radius).all()
