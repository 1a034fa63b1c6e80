"""Both tails of the gamma distribution against mpmath, and their series against exact sums."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail, positive_series, upper_tail

DIGITS = 60
SHAPES = [Fraction(1, 2), 1, Fraction(7, 2), 30, 64, Fraction(201, 2), 700]
SHARES = [Fraction(1, 20), Fraction(2, 3), Fraction(99, 100), 1, Fraction(11, 10), Fraction(5, 2)]


def ball(value: Fraction | int) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def real(value: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("bits", [80, 160])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("shape", SHAPES)
def test_both_tails_are_narrow_and_hold_the_value(shape, share, bits) -> None:
    point = shape * share
    with mpmath.workdps(DIGITS):
        below = mpmath.gammainc(real(shape), 0, real(point), regularized=True)
        above = mpmath.gammainc(real(shape), real(point), regularized=True)
        assert abs(below + above - 1) < 1e-40
        exact = [arb(mpmath.nstr(value, DIGITS)) * (1 + arb(0, 1e-35)) for value in (below, above)]
    with precision(bits):
        found = lower_tail(ball(point), ball(shape)), upper_tail(ball(point), ball(shape))
    for tail, value in zip(found, exact, strict=True):
        assert tail.overlaps(value)
        assert tail.rel_accuracy_bits() > bits // 2


@pytest.mark.parametrize("negligible", [Fraction(2), Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**4)])
@pytest.mark.parametrize(("point", "shape"), [(1, 1), (Fraction(3, 2), 2), (60, 64), (69, 70), (99, 100)])
def test_a_series_that_is_cut_early_holds_its_sum_and_no_more_than_its_rest(point, shape, negligible) -> None:
    """The lower end is the sum of what was taken, the upper end adds the geometric series."""
    term = total = Fraction(1)
    index = 0
    while term > negligible:
        index += 1
        term *= Fraction(point) / (shape + index)
        total += term
    ratio = Fraction(point) / (shape + index + 1)
    found = positive_series(ball(point), ball(shape), ball(negligible))
    for end, expected in ((found.lower(), total), (found.upper(), total + term * ratio / (1 - ratio))):
        assert abs(end - ball(expected)) < ball(expected) * arb(2) ** -20, "a radius has few bits"
    with mpmath.workdps(DIGITS):
        exact = mpmath.hyp1f1(1, shape + 1, real(point))
        assert found.contains(arb(mpmath.nstr(exact, DIGITS)))
