"""Divergences of translates by the mass of their events; where no ball narrows, little precision is tried."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import mpmath
import pytest
from flint import arb, fmpq
from mpmath import mpf

from dpmatrix.exact import rational
from dpmatrix.privacy import Adjacency, Direction, DiscreteGaussianProfile, WishartProfile, support_failure
from dpmatrix.privacy.profiles import enclosure, wishart
from dpmatrix.privacy.profiles.chi_square import absent_against_present, outside_support, present_against_absent
from dpmatrix.privacy.profiles.discrete_gaussian import discrete_gaussian_hockey_stick

EPSILONS = [Fraction(0), Fraction(1, 20), Fraction(1, 10), Fraction(2)]
SHIFTS = [Fraction(1, 10), Fraction(1), Fraction(3, 2)]
DEGREES = [Fraction(1, 2), Fraction(1), Fraction(9, 5), Fraction(2), Fraction(11, 5), Fraction(3), Fraction(8)]


@pytest.fixture(autouse=True)
def little_precision(monkeypatch):
    monkeypatch.setattr(enclosure, "MOST_PRECISION", 1 << 10)
    with mpmath.workdps(40):
        yield


def real(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


def is_number(found: arb, expected: mpf) -> bool:
    """Whether a ball of the promised accuracy holds a number, to thirty digits."""
    value = arb(mpmath.nstr(expected, 32))
    return bool((found - value).contains(0) or abs(found - value) < abs(value) * arb(10) ** -15) and (
        found.rad() <= found.abs_lower() * arb(2) ** -40
    )


def mass(low: mpf, high: mpf, half: mpf) -> mpf:
    """Mass of Gamma(half) between two points; below zero there is none."""
    return mpmath.gammainc(half, max(low, 0), max(high, 0), regularized=True)


def divergence(epsilon: Fraction, shift: Fraction, degrees: Fraction, *, present: bool) -> mpf:
    """Take the event on which the log-ratio, x + p log((t - x)/t) on t > x, exceeds epsilon, or is below -epsilon."""
    e, x, half = real(epsilon), real(shift), real(degrees) / 2
    p, far = half - 1, mpf(10) ** 6

    def threshold(level: mpf) -> mpf:
        return x / (1 - mpmath.exp((level - x) / p))

    if present and p > 0:
        event = (threshold(e), far) if e < x else (x, x)
    elif present:
        event = (x, threshold(e)) if p < 0 and e > x else (x, far) if e < x or p < 0 else (x, x)
    else:
        event = (mpf(0), threshold(-e)) if p > 0 else (mpf(0), x)
    moved, still = mass(event[0] - x, event[1] - x, half), mass(*event, half)
    return moved - mpmath.exp(e) * still if present else still - mpmath.exp(e) * moved


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_translates_of_gamma_variables(epsilon, shift, degrees) -> None:
    point = rational(epsilon), rational(shift), rational(degrees)
    for present, function in ((True, present_against_absent), (False, absent_against_present)):
        expected = divergence(epsilon, shift, degrees, present=present)
        if expected == 0:
            assert function(*point).is_zero()
        else:
            assert is_number(function(*point), expected)
        assert function(point[0], fmpq(0), point[2]).is_zero()


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("shift", SHIFTS)
def test_the_mass_below_a_translate(shift, degrees) -> None:
    assert is_number(outside_support(rational(shift), rational(degrees)), mass(mpf(0), real(shift), real(degrees) / 2))
    assert outside_support(fmpq(0), rational(degrees)).is_zero()


@pytest.mark.parametrize("degrees", [Fraction(13, 4), Fraction(4), Fraction(5), Fraction(7)])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2)])
@pytest.mark.parametrize("norm", [Fraction(1), Fraction(3)])
def test_one_record_of_wishart_noise(norm, scale, degrees) -> None:
    """For d = 3 there are m - 2 degrees of freedom, and the shift is r / 2c."""
    profile = WishartProfile(3, degrees, scale, norm, Adjacency.ADD_REMOVE_ONE)
    shift = norm / (2 * scale)
    for epsilon in (Fraction(0), Fraction(1, 5)):
        values = [divergence(epsilon, shift, degrees - 2, present=present) for present in (True, False)]
        for direction, value in zip(
            (Direction.PRESENT_AGAINST_ABSENT, Direction.ABSENT_AGAINST_PRESENT), values, strict=True
        ):
            found = profile.hockey_stick(epsilon, direction)
            assert is_number(found, value) if value else found.is_zero()
        assert is_number(profile.delta(epsilon), max(values))
    failure = mass(mpf(0), real(shift), real(degrees - 2) / 2)
    assert is_number(profile.support_failure(), failure)
    assert is_number(support_failure(3, degrees, scale, norm), failure)


@pytest.mark.parametrize("degrees", [Fraction(3, 2), Fraction(19, 10), Fraction(21, 10), Fraction(5, 2), Fraction(4)])
def test_epsilon_is_split_up_to_the_largest_loss_of_a_record_that_vanishes(degrees, monkeypatch) -> None:
    """That is the shift for more than two degrees of freedom, and nothing below two."""
    splits = []

    def bound(whole, largest, *_divergences) -> arb:
        splits.append((whole, largest))
        return arb(1)

    monkeypatch.setattr(wishart, "replacement_bound", bound)
    for scale, shift in ((Fraction(1), Fraction(1, 2)), (Fraction(1, 6), Fraction(3))):
        splits.clear()
        assert WishartProfile(2, degrees + 1, scale).delta(2).contains(1)
        assert splits == [(2, rational(min(shift, Fraction(2)) if degrees > 2 else Fraction(2)))]


@pytest.mark.parametrize("shift", [1, 2, 5])
@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(1), Fraction(9, 2)])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 4), Fraction(1), Fraction(3)])
def test_discrete_gaussian_noise_by_its_best_half_line(epsilon, variance, shift) -> None:
    """The largest difference over all half-lines to the left, of masses that are added up."""
    weight = mpmath.exp(real(epsilon))
    terms = [mpmath.exp(-(mpf(k) ** 2) / (2 * real(variance))) for k in range(-60, 61)]
    below = list(accumulate(terms))
    expected = max((below[last] - weight * below[last - shift]) / below[-1] for last in range(20, 80))
    assert is_number(discrete_gaussian_hockey_stick(rational(epsilon), shift, rational(variance)), expected)
    assert is_number(DiscreteGaussianProfile(shift**2, variance).delta(epsilon), expected)
    assert discrete_gaussian_hockey_stick(rational(epsilon), 0, rational(variance)).is_zero()
    assert DiscreteGaussianProfile(0, variance).delta(epsilon).is_zero()
