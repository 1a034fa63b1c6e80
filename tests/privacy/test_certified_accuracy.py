"""What a certified enclosure promises: its accuracy at any working precision, and when it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flint import arb, ctx, fmpq

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.privacy.profiles.enclosure import MOST_PRECISION, certified


def of_radius(exponent: float) -> Callable[[], arb]:
    """Enclose 3 with relative radius about 2^exponent, and ever more narrowly from the second time on."""
    left = [arb(2) ** arb(exponent)]

    def compute() -> arb:
        relative = left.pop() if left else arb(2) ** -ctx.prec
        return arb(3, (3 * relative).mid())

    return compute


@pytest.mark.parametrize(
    ("working", "bits"), [(10, 40), (30, 40), (52, 40), (53, 40), (54, 41), (60, 47), (100, 87), (1000, 987)]
)
def test_a_certified_ball_has_the_accuracy_that_is_promised(working: int, bits: int) -> None:
    """A ball that is wider by less than a bit is computed again; one that is narrower by as much is returned."""
    with precision(working):
        for excess in (0.5, 1.1, 5, 30, bits + 3):
            found = certified(of_radius(excess - bits), "three")
            assert found.contains(3)
            assert found.rad() < arb(2) ** -bits * 3
        enough = certified(of_radius(-bits - 0.5), "three")
        assert enough.rad() > arb(2) ** (-bits - 1) * 3, "the first ball"


def test_a_ball_of_just_the_accuracy_is_narrow_enough() -> None:
    """Its lower end is 2^40 times its radius."""
    with precision(100):
        ball = arb(0, 1).rad() * (2**40 + 1) + arb(0, 1)
    assert ball.abs_lower() == ball.rad() * 2**40
    assert certified(lambda: ball, "a number").contains(ball)


def test_accuracy_that_only_the_most_precision_reaches_is_found() -> None:
    """From 115 bits the search comes by doubling to exactly `MOST_PRECISION`."""
    asked = []

    def compute() -> arb:
        asked.append(ctx.prec)
        return arb(3) if ctx.prec == MOST_PRECISION else arb(3, 1)

    with precision(115):
        assert certified(compute, "three").is_exact()
        assert ctx.prec == 115
    assert max(asked) == MOST_PRECISION


@pytest.mark.parametrize("wide", [arb(3, 1), arb(0, 1), arb("nan"), arb("inf"), arb(1e-30, 1e-29)])
def test_what_never_becomes_narrow_is_refused(wide: arb) -> None:
    with pytest.raises(UndecidedError, match="a number did not reach 40 bits of accuracy at 1048576 bits of precision"):
        certified(lambda: wide, "a number")


def test_zero_is_a_value_only_where_it_is_allowed() -> None:
    assert certified(lambda: arb(0), "zero", zero_allowed=True) == 0
    with pytest.raises(UndecidedError):
        certified(lambda: arb(0), "zero")


@pytest.mark.parametrize("value", [fmpq(1, 10), fmpq(-1, 10), fmpq(1, 10**300)])
def test_no_other_value_is_refused(value: fmpq) -> None:
    assert (certified(lambda: arb(value), "a number") - value).contains(0)
