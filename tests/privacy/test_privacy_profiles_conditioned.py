"""Bounds for conditioned mechanisms against truncated laws, integrated and simulated."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from mpmath import mpf

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import ConditionedProfile, DiscreteLaplaceProfile, GaussianProfile, LaplaceProfile, PrivacyProfile

DRAWS = 400_000


def as_mpf(number):
    return mpf(number.numerator) / number.denominator


def as_ball(number):
    return arb(mpmath.nstr(number, 50))


def truncated_gaussians(integrate, change, epsilon, left, right):
    """Divergence of N(change, 1) from N(0, 1), both conditioned on [left, right], and the smaller acceptance."""

    def shifted(t):
        return mpmath.npdf(t, change, 1)

    accepted = [integrate(shifted, [left, (left + right) / 2, right])]
    accepted.append(integrate(mpmath.npdf, [left, (left + right) / 2, right]))
    weight = mpmath.exp(epsilon) / accepted[1]

    def excess(t):
        return shifted(t) / accepted[0] - weight * mpmath.npdf(t)

    # The ratio increases with t, so the positive part is to the right of one point.
    lower, upper = left, right
    if excess(right) <= 0:
        return mpf(0), min(accepted)
    if excess(left) > 0:
        upper = left
    for _ in range(0 if upper == left else 215):
        middle = (lower + upper) / 2
        lower, upper = (lower, middle) if excess(middle) > 0 else (middle, upper)
    return integrate(excess, [upper, right]), min(accepted)


def test_two_hundred_random_truncated_gaussians_are_within_the_bounds(integrate):
    generator, informative = np.random.default_rng(8), 0
    for _ in range(200):
        change, epsilon = (Fraction(int(generator.integers(*ends)), 1000) for ends in ((100, 2000), (0, 3000)))
        left, right = mpf(generator.uniform(-4, -0.5)), mpf(generator.uniform(0.5, 5))
        value, accepted = truncated_gaussians(integrate, as_mpf(change), as_mpf(epsilon), left, right)
        acceptance = Fraction(int(accepted * 10**15), 10**15)
        enclosure = ConditionedProfile(GaussianProfile(change, 1), acceptance).delta(epsilon)
        assert enclosure.contains(as_ball(value))
        informative += bool(enclosure.upper() < 1) and value > 0
    assert informative > 60


def test_the_bound_is_the_profile_before_at_a_smaller_epsilon(agrees):
    """Two hundred points of the upper end against the formula in 50 digits."""
    generator = np.random.default_rng(9)
    for _ in range(200):
        acceptance = Fraction(int(generator.integers(300, 1000)), 1000)
        epsilon, change = (Fraction(int(generator.integers(*ends)), 1000) for ends in ((0, 3000), (100, 5000)))
        upper = ConditionedProfile(LaplaceProfile(change, 1), acceptance).delta(epsilon).upper()
        p, before = as_mpf(acceptance), as_mpf(epsilon) + mpmath.log(as_mpf(acceptance))
        exact = mpf(1)
        if before >= 0:
            exact = min(mpf(1), max(mpf(0), 1 - mpmath.exp((before - as_mpf(change)) / 2)) / p)
        assert upper >= as_ball(exact) * (1 - arb(10) ** -30)
        assert upper <= as_ball(exact) * (1 + arb(10) ** -8) + arb(10) ** -14  # a ball's own ends are outward


def test_conditioning_can_reveal_more_than_the_base():
    """Control: without the division by p the bound would be false. Laplace noise outside [0, 1], epsilon = 1/2."""
    accepted = (1 + arb(-1).exp()) / 2
    revealed = (arb(0.5) - arb(0.5).exp() * arb(-1).exp() / 2) / accepted
    base = LaplaceProfile(1, 1)
    assert revealed > base.delta(Fraction(1, 2))
    enclosure = ConditionedProfile(base, accepted).delta(Fraction(1, 2))
    assert enclosure.contains(revealed)
    assert enclosure.upper() < 1


def test_simulated_rejection_agrees(probability_interval):
    """Two intervals of error 1e-10 each; the base profile alone fails the same comparison."""
    generator, epsilon = np.random.default_rng(10), 0.5
    ends = []
    for shift in (0.0, 1.0):
        draws = shift + generator.laplace(size=2 * DRAWS)
        kept = draws[(draws < 0) | (draws > 1)]
        ends.append(probability_interval(int(np.count_nonzero(kept < 0)), len(kept)))
    (low, _), (_, high_other) = ends
    least = low - np.exp(epsilon) * high_other
    assert float(ConditionedProfile(LaplaceProfile(1, 1), Fraction(683, 1000)).delta(epsilon).upper()) >= least
    assert float(LaplaceProfile(1, 1).delta(epsilon)) < least


def test_acceptance_one_changes_nothing():
    base = GaussianProfile(1, 2)
    assert ConditionedProfile(base, 1).delta(0.3).overlaps(base.delta(0.3))
    assert ConditionedProfile(base, 1).delta(0.3).rel_accuracy_bits() >= 40


def test_epsilon_below_the_logarithm_is_trivial():
    enclosure = ConditionedProfile(GaussianProfile(1, 2), Fraction(1, 2)).delta(Fraction(69, 100))
    assert enclosure.contains(0)
    assert enclosure.contains(1)
    assert ConditionedProfile(GaussianProfile(1, 2), Fraction(1, 2)).delta(Fraction(70, 100)).upper() < 1


def test_extreme_parameters():
    tiny = ConditionedProfile(GaussianProfile(1, 1), Fraction(1, 2)).delta(45)
    assert tiny.contains(0)
    assert 0 < tiny.upper() < arb(10) ** -400
    assert ConditionedProfile(LaplaceProfile(1, 1), Fraction(1, 2)).delta(2).is_zero()
    assert not ConditionedProfile(LaplaceProfile(1, 1), Fraction(1, 2)).delta(Fraction(8, 5)).is_zero()
    rare = ConditionedProfile(GaussianProfile(1, 1), Fraction(1, 10**300)).delta(1000)
    assert 0 < rare.upper() < arb(10) ** -20
    almost = ConditionedProfile(GaussianProfile(1, 1), 1 - Fraction(1, 2**200)).delta(1)
    assert almost.contains(GaussianProfile(1, 1).delta(1).mid())
    assert almost.upper() < GaussianProfile(1, 1).delta(1) * (1 + arb(10) ** -8)
    assert ConditionedProfile(DiscreteLaplaceProfile(1, 2**60), Fraction(1, 2)).delta(1).is_zero()


def test_a_ball_of_acceptances_is_taken_at_its_lower_end():
    base = GaussianProfile(1, 1)
    box, corner = ConditionedProfile(base, arb(0.75, 0.125)), ConditionedProfile(base, Fraction(623, 1000))
    assert box.delta(1).upper() >= ConditionedProfile(base, Fraction(5, 8)).delta(1).upper()
    assert box.delta(1).upper() <= corner.delta(1).upper()
    assert box.delta(arb(1, 0.25)).upper() > box.delta(1).upper()


@pytest.mark.parametrize("kind", [float, Fraction, lambda number: fmpq(int(2 * number), 2), arb, np.float64])
def test_kinds_of_number(kind):
    profile = ConditionedProfile(GaussianProfile(1, 1), kind(0.5))
    assert isinstance(profile, PrivacyProfile)
    assert profile.delta(kind(1)).overlaps(ConditionedProfile(GaussianProfile(1, 1), Fraction(1, 2)).delta(1))


@pytest.mark.parametrize("acceptance", [0, -1, 2, 1 + 2**-52, float("nan"), 1j, None, "1", arb(1, 0.125), arb(0, 1)])
def test_a_bad_acceptance_is_refused(acceptance):
    with pytest.raises(InvalidParameterError, match="acceptance"):
        ConditionedProfile(GaussianProfile(1, 1), acceptance)


@pytest.mark.parametrize("base", [None, 0.5, "gaussian"])
def test_a_bad_base_is_refused(base):
    with pytest.raises(InvalidParameterError, match="base"):
        ConditionedProfile(base, Fraction(1, 2))


@pytest.mark.parametrize("epsilon", [-1, float("nan"), arb(0, 1), None, 1j])
def test_a_bad_epsilon_is_refused(epsilon):
    for acceptance in (1, Fraction(1, 2)):
        with pytest.raises(InvalidParameterError, match="epsilon"):
            ConditionedProfile(GaussianProfile(1, 1), acceptance).delta(epsilon)
