"""Composition: never below the truth, hardly above it, and the same as other accounts of the same mechanisms."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from operator import mul

import pytest
from attrs import evolve, frozen
from flint import arb
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpmatrix.errors import InvalidParameterError, MissingExtraError
from dpmatrix.exact import Real, ball
from dpmatrix.privacy import (
    Adjacency,
    GaussianProfile,
    LaplaceProfile,
    PrivacyProfile,
    SketchProfile,
    WishartProfile,
    compose,
    composition,
    privacy_loss,
)
from dpmatrix.privacy import (
    loss_envelope as envelopes,
)

library = pytest.importorskip(
    "dp_accounting.pld.privacy_loss_distribution", reason="dp-accounting is an extra of its own"
)

EPSILONS = (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(5))


@frozen
class FinitePair:
    """The profile of two laws on a few outcomes, both orders."""

    first: tuple[Fraction, ...]
    second: tuple[Fraction, ...]

    def delta(self, epsilon: Real) -> arb:
        """Return the larger divergence of the two."""
        factor = ball(epsilon).exp()
        return divergence(self.first, self.second, factor).max(divergence(self.second, self.first, factor))

    def swapped(self) -> FinitePair:
        """Return the pair in the other order."""
        return FinitePair(self.second, self.first)


def divergence(first, second, factor: arb) -> arb:
    gaps = (ball(one) - factor * ball(other) for one, other in zip(first, second, strict=True))
    return sum((gap.max(arb(0)) for gap in gaps), arb(0))


def together(*laws) -> tuple[Fraction, ...]:
    return tuple(math.prod(choice) for choice in product(*laws))


@frozen
class Scaled:
    """A profile as if it were a little better than it is: the control."""

    base: PrivacyProfile
    factor: Fraction

    def delta(self, epsilon: Real) -> arb:
        """Return less than the truth."""
        return self.base.delta(epsilon) * ball(self.factor)


def gaussian(times: int, deviation: Fraction, epsilon: Fraction) -> arb:
    """Return the exact delta of so many Gaussian releases: one, of a change sqrt(n) times as large."""
    return GaussianProfile(arb(times).sqrt(), deviation).delta(epsilon)


def shortfalls(profile: PrivacyProfile, times: int, deviation: Fraction) -> list[Fraction]:
    """List the epsilons at which the composed bound lies below the exact delta of Gaussian noise."""
    composed = privacy_loss(profile).repeated(times)
    return [epsilon for epsilon in EPSILONS if not arb(composed.delta(epsilon)) >= gaussian(times, deviation, epsilon)]


GAUSSIANS = [(1, Fraction(1)), (2, Fraction(1)), (10, Fraction(7, 2)), (100, Fraction(10)), (100, Fraction(40))]


@pytest.mark.parametrize(("times", "deviation"), GAUSSIANS)
def test_gaussian_noise_is_never_accounted_below_the_truth_and_within_a_percent(times, deviation) -> None:
    profile = GaussianProfile(1, deviation)
    assert not shortfalls(profile, times, deviation)
    composed = privacy_loss(profile).repeated(times)
    for epsilon in EPSILONS:
        exact = gaussian(times, deviation, epsilon)
        assert arb(composed.delta(epsilon)) <= exact * ball(Fraction(101, 100)) + 2 * arb(composed.rounding) + 1e-14


@pytest.mark.parametrize("times", [1, 4, 100])
def test_an_optimistic_profile_is_caught(times) -> None:
    """Control: a percent less than the truth for one release shows after any number."""
    deviation = Fraction(math.isqrt(times))
    loss = Scaled(GaussianProfile(1, deviation), Fraction(99, 100))
    assert shortfalls(loss, times, deviation)


def test_losses_rounded_down_are_caught(monkeypatch) -> None:
    """Control: an envelope whose losses are one spacing too small falls below the truth."""
    true = composition.loss_envelope

    def optimistic(*arguments):
        found = true(*arguments)
        return evolve(found, masses={key - 1: mass for key, mass in found.masses.items()})

    monkeypatch.setattr(composition, "loss_envelope", optimistic)
    assert len(shortfalls(GaussianProfile(1, 10), 100, Fraction(10))) == len(EPSILONS)


def test_the_other_account_of_gaussian_and_laplace_noise_agrees() -> None:
    for times in (1, 3, 30):
        ours = privacy_loss(GaussianProfile(1, 5)).repeated(times)
        theirs = [
            library.from_gaussian_mechanism(
                5, value_discretization_interval=1 / 512, pessimistic_estimate=pessimistic
            ).self_compose(times)
            for pessimistic in (False, True)
        ]
        check_agreement(ours, *theirs)
        ours = privacy_loss(LaplaceProfile(1, 3)).repeated(times)
        theirs = [
            library.from_laplace_mechanism(
                3, value_discretization_interval=1 / 512, pessimistic_estimate=pessimistic
            ).self_compose(times)
            for pessimistic in (False, True)
        ]
        check_agreement(ours, *theirs)


def check_agreement(ours, optimistic, pessimistic) -> None:
    for epsilon in (0.0, 0.125, 0.5, 1.0, 2.0):
        found = ours.delta(epsilon)
        # The floats of the other account are off by as much as ours may be.
        assert found >= optimistic.get_delta_for_epsilon(epsilon) - 1e-14
        assert found == pytest.approx(pessimistic.get_delta_for_epsilon(epsilon), rel=0.01, abs=1e-9)
    for delta in (0.1, 1e-3, 1e-6):
        assert ours.epsilon(delta) == pytest.approx(pessimistic.get_epsilon_for_delta(delta), rel=0.01, abs=1e-6)


@pytest.mark.parametrize("times", [1, 2, 7])
def test_randomised_response_by_enumeration(times) -> None:
    """A pair with losses on the grid is its own envelope: all that is added is rounding."""
    loss = arb(1).exp()
    truth, lie = loss / (1 + loss), 1 / (1 + loss)

    class Response:
        def delta(self, epsilon: Real) -> arb:
            return (truth - ball(epsilon).exp() * lie).max(arb(0)) if ball(epsilon) < 1 else arb(0)

    composed = privacy_loss(Response(), Fraction(1, 4)).repeated(times)
    for epsilon in EPSILONS:
        factor = ball(epsilon).exp()
        exact = arb(0)
        for lies in range(times + 1):
            here = truth ** (times - lies) * lie**lies
            there = lie ** (times - lies) * truth**lies
            exact += math.comb(times, lies) * (here - factor * there).max(arb(0))
        assert arb(composed.delta(epsilon)) >= exact.lower()
        assert arb(composed.delta(epsilon)) <= exact + 1e-11


def laws(size: int):
    return (
        st.lists(st.integers(0, 9), min_size=size, max_size=size)
        .filter(any)
        .map(lambda counts: tuple(Fraction(count, sum(counts)) for count in counts))
    )


@settings(max_examples=25, deadline=None)
@given(laws(3), laws(3), laws(2), laws(2))
def test_any_two_pairs_in_any_order_are_dominated(first, second, third, fourth) -> None:
    """Also where the two orders differ, and where one law leaves the support of the other."""
    # Laws that never give the same outcome leave nothing to compose.
    assume(any(map(mul, first, second)))
    assume(any(map(mul, third, fourth)))
    one, other = FinitePair(first, second), FinitePair(third, fourth)
    bound = compose([(one, 2), (other, 1)], Fraction(1, 8))
    for pair in (other, other.swapped()):
        here = together(one.first, one.first, pair.first)
        there = together(one.second, one.second, pair.second)
        for epsilon in EPSILONS:
            factor = ball(epsilon).exp()
            assert arb(bound.delta(epsilon)) >= divergence(here, there, factor).lower()
            assert arb(bound.delta(epsilon)) >= divergence(there, here, factor).lower()


def test_different_gaussians_add_their_squared_changes() -> None:
    bound = compose([(GaussianProfile(1, 2), 3), (GaussianProfile(1, 1), 1), (GaussianProfile(1, 4), 4)])
    total = GaussianProfile((arb(3) / 4 + 1 + arb(1) / 4).sqrt(), 1)
    for epsilon in EPSILONS:
        exact = total.delta(epsilon)
        assert exact <= arb(bound.delta(epsilon))
        assert arb(bound.delta(epsilon)) <= exact * ball(Fraction(101, 100))


def test_order_does_not_matter_and_grouping_hardly() -> None:
    first, second = privacy_loss(GaussianProfile(1, 2)), privacy_loss(LaplaceProfile(1, 2))
    assert first.composed(second).delta(1) == pytest.approx(second.composed(first).delta(1), rel=1e-9)
    assert first.composed(first).delta(1) == pytest.approx(first.repeated(2).delta(1), rel=1e-9)
    assert first.repeated(1) is first


@pytest.mark.parametrize(
    "profile",
    [
        WishartProfile(3, 40, 1, 1, Adjacency.ADD_REMOVE_ONE),
        WishartProfile(3, 4, 2),
        SketchProfile(5, 10),
    ],
    ids=lambda profile: type(profile).__name__,
)
def test_profiles_of_the_documents_compose(profile) -> None:
    """One release is its profile; more are no better, and no worse than basic composition allows."""
    single = privacy_loss(profile, Fraction(1, 32))
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(2)):
        exact = profile.delta(epsilon)
        assert exact <= arb(single.delta(epsilon))
        assert arb(single.delta(epsilon)) <= exact + ball(Fraction(1, 1000))
        twice = single.repeated(2)
        assert single.delta(epsilon) <= twice.delta(epsilon)
        assert twice.delta(2 * epsilon) <= 2 * single.delta(epsilon) + twice.rounding + 2 * composition.TRUNCATION


def test_epsilon_and_delta_are_inverse() -> None:
    composed = privacy_loss(GaussianProfile(1, 5)).repeated(20)
    for delta in (Fraction(1, 10**8), Fraction(1, 1000), Fraction(1, 4)):
        epsilon = composed.epsilon(delta)
        assert Fraction(composed.delta(epsilon)) <= delta
        if epsilon > 0:
            assert Fraction(composed.delta(epsilon * (1 - 1e-6))) > delta
    assert composed.epsilon(Fraction(9, 10)) == 0
    assert composed.epsilon(0) == math.inf
    pure = privacy_loss(LaplaceProfile(1, 2))
    assert 0.5 <= pure.epsilon(0) <= 0.5 + 1e-11
    assert pure.delta(Fraction(1, 2)) == 0


def test_masses_add_up_to_at_least_one_and_hardly_more() -> None:
    for profile in (GaussianProfile(1, 1), LaplaceProfile(3, 1), WishartProfile(2, 3, 1)):
        found = envelopes.loss_envelope(profile, Fraction(1, 16), Fraction(1, 10**9))
        total = sum(map(Fraction, found.masses.values())) + Fraction(found.infinity)
        assert 1 <= total <= 1 + Fraction(1, 10**12)
        assert all(mass > 0 for mass in found.masses.values())


@pytest.mark.parametrize("spacing", [0, -1, Fraction(1, 3), 0.1, math.nan, 2.0**-40])
def test_a_spacing_that_is_no_power_of_two_or_too_small_is_refused(spacing) -> None:
    with pytest.raises(InvalidParameterError):
        privacy_loss(GaussianProfile(1, 1), spacing)


@pytest.mark.parametrize("tail", [0, -1, 1, math.inf])
def test_a_tail_that_is_no_probability_is_refused(tail) -> None:
    with pytest.raises(InvalidParameterError, match="tail"):
        privacy_loss(GaussianProfile(1, 1), Fraction(1, 16), tail)


def test_wrong_use_is_refused() -> None:
    loss = privacy_loss(LaplaceProfile(1, 1), Fraction(1, 8))
    with pytest.raises(InvalidParameterError, match="times"):
        loss.repeated(0)
    with pytest.raises(InvalidParameterError, match="spacing"):
        loss.composed(privacy_loss(LaplaceProfile(1, 1), Fraction(1, 4)))
    with pytest.raises(InvalidParameterError, match="epsilon"):
        loss.delta(-1)
    with pytest.raises(InvalidParameterError, match="delta"):
        loss.epsilon(1)
    with pytest.raises(InvalidParameterError, match="releases"):
        compose([])
    for hopeless in (LaplaceProfile(1000, 1), GaussianProfile(1000, 1)):
        with pytest.raises(InvalidParameterError, match="profile"):
            privacy_loss(hopeless, Fraction(1, 4))


def test_an_epsilon_beyond_all_floats_has_the_delta_of_the_infinite_loss() -> None:
    noise = WishartProfile(2, 3, 1)
    composed = privacy_loss(noise, Fraction(1, 16)).repeated(3)
    never = noise.support_failure()
    exact = 1 - (1 - never) ** 3
    assert exact <= arb(composed.delta(10**400))
    assert arb(composed.delta(10**400)) <= exact + 1e-10


def test_a_missing_library_is_named(monkeypatch) -> None:
    def missing(name: str):
        raise ImportError(name)

    monkeypatch.setattr(composition, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"dpmatrix\[accounting\]"):
        privacy_loss(LaplaceProfile(1, 1))
