"""Bounded-range profiles against all mechanisms of the class that can be built, and against simulation."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from mpmath import mpf

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import BoundedRangeProfile, PrivacyProfile

DRAWS = 400_000


def as_mpf(number):
    return mpf(number.numerator) / number.denominator


def two_point_law(top, width):
    """Laws P, Q on two outputs with log-ratios top and top - width: solve the two linear equations for Q."""
    high, low = mpmath.exp(top), mpmath.exp(top - width)
    first = (1 - low) / (high - low)
    return (first * high, (1 - first) * low), (first, 1 - first)


def plain_divergence(one, other, epsilon):
    weight = mpmath.exp(epsilon)
    return mpmath.fsum(max(p - weight * q, 0) for p, q in zip(one, other, strict=True))


def largest_over_tops(width, epsilon):
    """Search the top loss by ternary sections, from the definition alone."""
    lower, upper = epsilon, width
    for _ in range(90):
        left, right = (2 * lower + upper) / 3, (lower + 2 * upper) / 3
        values = [plain_divergence(*two_point_law(top, width), epsilon) for top in (left, right)]
        lower, upper = (lower, right) if values[0] > values[1] else (left, upper)
    return plain_divergence(*two_point_law((lower + upper) / 2, width), epsilon)


@pytest.mark.parametrize("seed", range(4))
def test_two_hundred_random_ranges_contain_the_largest_two_point_law(seed, fifty_digits):
    generator, missed = np.random.default_rng(seed), 0
    for _ in range(50):
        width = Fraction(int(generator.integers(50, 6000)), 1000)
        epsilon = width * int(generator.integers(0, 95)) / 100
        # A maximum found to 1e-16 in its place is found to 1e-30 in its value.
        found = largest_over_tops(as_mpf(width), as_mpf(epsilon))
        ball = arb(mpmath.nstr(found, 50)) * (1 + arb(0, 1e-24))
        with precision(120):
            assert BoundedRangeProfile(width).delta(epsilon).overlaps(ball)
            missed += not BoundedRangeProfile(width * Fraction(99, 100)).delta(epsilon).overlaps(ball)
    assert missed == 50  # control


def test_no_exponential_mechanism_of_the_range_is_above_it(fifty_digits):
    """Random scores of many outputs, changed by random amounts within the range; the best of them come near."""
    generator, nearest = np.random.default_rng(5), 0.0
    for _ in range(200):
        width, size = mpf(generator.uniform(0.1, 4)), int(generator.integers(2, 9))
        epsilon = width * mpf(generator.uniform(0, 0.9))
        score = [mpf(x) for x in generator.normal(scale=2, size=size)]
        moves = generator.random(size).round(int(generator.integers(0, 4))).tolist()
        changed = [before + width * move for before, move in zip(score, moves, strict=True)]
        weights = [[mpmath.exp(value) for value in values] for values in (score, changed)]
        laws = [[weight / mpmath.fsum(law) for weight in law] for law in weights]
        bound = BoundedRangeProfile(arb(mpmath.nstr(width, 60))).delta(arb(mpmath.nstr(epsilon, 60)).mid()).upper()
        for pair in (laws, laws[::-1]):
            value = plain_divergence(*pair, epsilon)
            assert arb(mpmath.nstr(value, 50)) <= bound * (1 + arb(10) ** -12)
            nearest = max(nearest, float(value) / float(bound))
    assert nearest > 0.9  # the bound is not far above everything


def test_pairs_that_break_the_range_break_the_bound(fifty_digits):
    """Control: the profile of a range a tenth too small is exceeded."""
    width, epsilon = mpf(2), mpf("0.5")
    value = plain_divergence(*two_point_law((width + epsilon) / 2, width), epsilon)
    assert arb(mpmath.nstr(value, 40)) > BoundedRangeProfile(Fraction(9, 5)).delta(Fraction(1, 2))


@pytest.mark.parametrize(("width", "epsilon"), [(1.0, 0.0), (2.0, 0.5)])
def test_a_simulated_exponential_mechanism_agrees(width, epsilon, probability_interval):
    """Scores 0 and h against a prior, drawn as the largest of scores plus Gumbel noise; two intervals of 1e-10."""
    generator, top = np.random.default_rng(17), (width + epsilon) / 2
    chance = (1 - np.exp(top - width)) / (np.exp(top) - np.exp(top - width))
    prior = np.log([chance, 1 - chance])
    outputs = [
        np.argmax(prior + np.array([shift, 0.0]) + generator.gumbel(size=(DRAWS, 2)), axis=1) for shift in (width, 0)
    ]
    (low, high), (low_other, high_other) = (
        probability_interval(int(np.count_nonzero(draws == 0)), DRAWS) for draws in outputs
    )
    lower, upper = low - np.exp(epsilon) * high_other, high - np.exp(epsilon) * low_other
    assert lower <= float(BoundedRangeProfile(width).delta(epsilon)) <= upper
    assert float(BoundedRangeProfile(width * 0.9).delta(epsilon)) < lower
    assert float(BoundedRangeProfile(width * 1.1).delta(epsilon)) > upper


def test_exact_zeros_and_total_variation(agrees):
    assert BoundedRangeProfile(0).delta(0).is_zero()
    assert BoundedRangeProfile(Fraction(2, 3)).delta(Fraction(2, 3)).is_zero()
    assert BoundedRangeProfile(1).delta(5).is_zero()
    assert agrees(BoundedRangeProfile(3).delta(0), mpmath.tanh(mpf(3) / 4))


def test_extreme_parameters(agrees):
    tiny = Fraction(1, 10**200)
    near = BoundedRangeProfile(1).delta(1 - tiny)  # about (tiny/2)^2 / (1 - 1/e)
    assert 0 < near < arb(10) ** -400
    assert near.rad() <= near.abs_lower() * arb(2) ** -40
    assert agrees(near * arb(10) ** 400, 1 / (4 * (1 - mpmath.exp(-1))))
    assert BoundedRangeProfile(tiny).delta(0).overlaps(arb(fmpq(1, 4 * 10**200)) * (1 + arb(0, 1e-30)))
    assert BoundedRangeProfile(2**60).delta(0).overlaps(arb(1))
    assert BoundedRangeProfile(2**60).delta(2**60 - 1).rel_accuracy_bits() >= 40


def test_boxes_enclose_their_points():
    generator = np.random.default_rng(3)
    box = BoundedRangeProfile(arb(2, 0.25)).delta(arb(0.5, 0.125))
    for width, epsilon in zip(generator.uniform(1.75, 2.25, 50), generator.uniform(0.375, 0.625, 50), strict=True):
        assert box.contains(BoundedRangeProfile(width).delta(epsilon))
    assert not box.contains(BoundedRangeProfile(3).delta(0.5))
    assert BoundedRangeProfile(arb(0.5, 0.125)).delta(arb(0.5, 0.125)).contains(0)


@pytest.mark.parametrize("kind", [float, Fraction, fmpq, arb, np.float64, np.int64])
def test_kinds_of_number(kind):
    assert isinstance(BoundedRangeProfile(kind(2)), PrivacyProfile)
    assert BoundedRangeProfile(kind(2)).delta(kind(1)).overlaps(BoundedRangeProfile(2).delta(1))


@pytest.mark.parametrize("width", [-1, float("nan"), float("inf"), 1j, None, "1", arb(0, 1)])
def test_a_bad_range_is_refused(width):
    with pytest.raises(InvalidParameterError, match="range"):
        BoundedRangeProfile(width)


@pytest.mark.parametrize("epsilon", [-1, float("nan"), arb(0, 1), None, 1j])
def test_a_bad_epsilon_is_refused(epsilon):
    with pytest.raises(InvalidParameterError, match="epsilon"):
        BoundedRangeProfile(2).delta(epsilon)
