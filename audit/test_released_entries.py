"""Arrays of float balls keep every number at its place, and what is beyond the floats is not known.

A centre without its radius, or a radius at the place of another, would let noise be rounded where more than one answer
is left. Each kind of input is held against fractions, and infinite numbers leave nothing known, without a warning.
Nothing is statistical.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.randomness.float_balls import FloatBalls

U = Fraction(1, 2**53)
TINY = Fraction(1, 2**1022)


def test_entries_keep_their_radii_at_every_place() -> None:
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
    assert (shaped.transposed.center.tolist(), shaped.transposed.radius.tolist()) == ([[1, 2, 3]], [[0.1, 0.2, 0.3]])
    assert (shaped.shape, shaped.transposed.shape) == ((3, 1), (1, 3))


def test_a_radius_for_each_centre_or_none() -> None:
    for radius in (np.zeros(2), np.zeros((3, 1)), np.zeros(())):
        with pytest.raises(ValueError, match="radii of shape"):
            FloatBalls(np.zeros(3), radius)


def test_balls_are_told_apart_as_objects() -> None:
    """Two arrays have no one answer to whether they are equal."""
    balls, same = FloatBalls.exactly([1.0, 2.0]), FloatBalls.exactly([1.0, 2.0])
    assert balls == balls
    assert balls != same
    assert len({balls, same}) == 2


def test_numbers_are_taken_row_by_row_as_floats() -> None:
    numbers = range(6)
    for found in (
        FloatBalls.enclosing([arb(number) for number in numbers], (2, 3)),
        FloatBalls.of_rationals([fmpq(number) for number in numbers], (2, 3)),
        FloatBalls.of_quotients([2 * number for number in numbers], 2, (2, 3)),
        FloatBalls.exactly([[0, 1, 2], [3, 4, 5]]),
        FloatBalls.exactly([0, 1, 2, 3, 4, 5]).reshaped(2, 3),
    ):
        assert found.center.tolist() == [[0, 1, 2], [3, 4, 5]]
        assert found.center.dtype == found.radius.dtype == np.float64
        assert found.shape == found.radius.shape == (2, 3)
        assert found.transposed.center.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert FloatBalls.exactly([1, 2]).radius.tolist() == [0.0, 0.0]
    nothing = FloatBalls.unknown((2, 3))
    assert nothing.center.tolist() == [[0.0] * 3] * 2
    assert nothing.radius.tolist() == [[np.inf] * 3] * 2
    for empty in (
        FloatBalls.enclosing([], (0,)),
        FloatBalls.of_rationals([], (0,)),
        FloatBalls.of_quotients([], 3, (0,)),
    ):
        assert empty.center.dtype == empty.radius.dtype == np.float64


RATIONALS = [
    Fraction(1, 3),
    Fraction(-(10**30), 7),
    Fraction(0),
    Fraction(5),
    Fraction(1, 10**400),
    Fraction(2**80 + 1),
]


@pytest.mark.parametrize("factor", [1, 6, 2**200])
def test_rationals_are_enclosed_by_one_rounding_whether_or_not_they_are_reduced(factor: int) -> None:
    shape = (len(RATIONALS),)
    found = [FloatBalls.of_rationals([fmpq(value.numerator, value.denominator) for value in RATIONALS], shape)]
    common = 21 * 10**400 * factor
    found.append(FloatBalls.of_quotients([int(value * common) for value in RATIONALS], common, shape))
    for balls in found:
        for value, center, radius in zip(RATIONALS, balls.center.tolist(), balls.radius.tolist(), strict=True):
            assert Fraction(center) == Fraction(value.numerator / value.denominator)
            assert abs(Fraction(center) - value) <= Fraction(radius)
            assert Fraction(radius) <= 2 * U * abs(value) + 4 * TINY
            assert Fraction(radius) >= U * abs(Fraction(center))


def test_of_rationals_beyond_the_floats_nothing_is_known() -> None:
    for found in (
        FloatBalls.of_rationals([fmpq(10**400), fmpq(2), fmpq(-(10**400), 3)], (3,)),
        FloatBalls.of_quotients([3 * 10**400, 6, -(10**400)], 3, (3,)),
        FloatBalls.of_quotients([10**400, 10, 3 * 10**400], 5, (3, 1)).reshaped(3),
    ):
        assert np.isinf(found.radius).tolist() == [True, False, True]
        assert found.center[1] == 2.0


def test_balls_are_enclosed_with_their_radius_and_the_distance_of_their_float() -> None:
    with precision(128):
        balls = [arb(1) / 3, arb(1, 0.25), -arb(2).sqrt(), arb(0, 1), arb(10) ** -400, arb(2) ** 70 + 1, -arb(7, 2)]
        found = FloatBalls.enclosing(balls, (7,))
        for ball, center, radius in zip(balls, found.center.tolist(), found.radius.tolist(), strict=True):
            assert center == float(ball.mid())
            far = (ball - arb(center)).abs_upper()
            assert far <= arb(radius) <= far * (1 + arb(2) ** -40) + arb(2) ** -1000
        beyond = FloatBalls.enclosing([arb("inf"), arb(1), arb("nan"), arb(10) ** 400, arb(0, arb("inf"))], (5,))
        assert np.isinf(beyond.radius).tolist() == [True, False, True, True, True]
        assert beyond.center[1] == 1.0


@pytest.mark.parametrize(
    "act",
    [
        lambda: FloatBalls.exactly([np.inf]) + FloatBalls.exactly([-np.inf]),
        lambda: FloatBalls.exactly([np.inf]) * FloatBalls.exactly([0.0]),
        lambda: FloatBalls.exactly([np.inf]) / FloatBalls.exactly([np.inf]),
        lambda: FloatBalls.exactly([[np.inf]]) @ FloatBalls.exactly([[0.0]]),
        lambda: FloatBalls.exactly([[np.inf, np.inf], [np.inf, -np.inf]]).gram(),
        lambda: FloatBalls.exactly([np.inf, -np.inf]).total(),
        lambda: FloatBalls.exactly([np.inf, -np.inf]).totals(np.array([0])),
        lambda: FloatBalls.exactly([np.inf]).square_root(),
        lambda: FloatBalls.exactly([1e300]) * FloatBalls.exactly([1e300]),
        lambda: FloatBalls.unknown((1, 1)) @ FloatBalls.exactly([[0.0]]),
        lambda: FloatBalls.exactly([[0.0]]) @ FloatBalls.unknown((1, 1)),
        lambda: FloatBalls.unknown((1,)) + FloatBalls.exactly([0.0]),
        lambda: FloatBalls.exactly([0.0]) - FloatBalls.unknown((1,)),
        lambda: FloatBalls.exactly([0.0]) * FloatBalls.unknown((1,)),
    ],
    ids=[
        *("sum", "product", "quotient", "matrices", "gram", "total", "totals", "root", "overflow"),
        *("unknown-matrix", "by-an-unknown-matrix", "unknown-term", "less-unknown", "times-unknown"),
    ],
)
def test_of_infinite_or_unknown_numbers_nothing_is_known_and_nobody_is_warned(act: Callable[[], FloatBalls]) -> None:
    """A warning is an error here."""
    assert not np.isfinite(act().radius).any()


@pytest.mark.parametrize(("rows", "terms"), [(1, 1), (5, 2), (70, 70), (130, 130), (3, 300), (200, 100)])
def test_products_of_small_integers_have_the_exact_centre(rows: int, terms: int) -> None:
    """Rows that begin with zeros are left out of some products of a Gram matrix, of which the sum does not change."""
    values = np.random.default_rng(6).integers(-9, 10, (rows, terms))
    for given in (values, np.tril(values), np.tril(values, -3), np.triu(values), 0 * values):
        exact = given @ given.T
        found = FloatBalls.exactly(given).gram()
        assert found.shape == (rows, rows)
        assert (found.center == exact).all()
        assert ((FloatBalls.exactly(given) @ FloatBalls.exactly(given).transposed).center == exact).all()


def test_the_length_of_a_row_is_bounded_where_each_square_is_lost_that_is_added() -> None:
    """One, and 4999 squares that are rounded down when they are added to it: the length is greater than that of one."""
    row = np.full((1, 5000), 2.0**-27)
    row[0, 0] = 1.0
    square = 1 + 4999 * Fraction(1, 2**54)
    norm = Fraction(isqrt(square.numerator * 4**200 // square.denominator), 2**200)
    roundings = 70 + 72 + 1
    assert norm > 1
    least = roundings * U * (1 + Fraction(1, 2**19)) * norm**2
    assert least <= Fraction(FloatBalls.exactly(row).gram().radius[0, 0])


def test_roundings_of_a_long_product_with_cancellation_are_held() -> None:
    generator = np.random.default_rng(5)
    half = generator.standard_normal(5000) * 1e8
    left, right = np.concatenate([half, half])[None], np.concatenate([np.ones(5000), -np.ones(5000)])[:, None]
    found = FloatBalls.exactly(left) @ FloatBalls.exactly(right)
    assert abs(Fraction(found.center[0, 0])) <= Fraction(found.radius[0, 0]) < Fraction(1, 10)
