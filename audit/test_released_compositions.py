"""What several releases give away together, as an account adds it up: never less than the truth, and hardly more.

The account is of the privacy loss: a discrete pair of laws is at least as easy to tell apart as the neighbours of a
profile, and dp-accounting convolves it. The pair is held against closed forms at ratios above one and below it, and
releases with Gaussian noise against the one release that they amount to. Nothing is statistical. The controls are
profiles that promise a little more than is so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from attrs import frozen
from flint import arb
from mpmath import mpf

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real, ball
from dpmatrix.privacy import (
    GaussianProfile,
    LaplaceProfile,
    PrivacyProfile,
    compose,
    privacy_loss,
)
from dpmatrix.privacy.loss_envelope import LossEnvelope, loss_envelope

EPSILONS = (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(5))


@frozen
class Scaled:
    """A profile as if it were a little better than it is."""

    base: PrivacyProfile
    factor: Fraction

    def delta(self, epsilon: Real) -> arb:
        """Return less than the truth."""
        return self.base.delta(epsilon) * ball(self.factor)


@frozen
class Doubtful:
    """A profile whose answers are known to a hundredth only: what is believed is the upper end."""

    base: PrivacyProfile

    def delta(self, epsilon: Real) -> arb:
        """Return an interval above the truth and below it."""
        found = self.base.delta(epsilon)
        return found.union(found * ball(Fraction(98, 100)))


def number(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


def gaussian(square: mpf, epsilon: mpf) -> mpf:
    """Return the loss of Gaussian noise, at an epsilon of either sign, for a change of known square in deviations."""
    shift = mpmath.sqrt(square)
    return mpmath.ncdf(shift / 2 - epsilon / shift) - mpmath.exp(epsilon) * mpmath.ncdf(-shift / 2 - epsilon / shift)


def laplace(level: mpf, epsilon: mpf) -> mpf:
    """Return the loss of Laplace noise, at an epsilon of either sign."""
    if epsilon < 0:
        return 1 - mpmath.exp(epsilon) * (1 - laplace(level, -epsilon))
    return max(mpf(0), 1 - mpmath.exp((epsilon - level) / 2))


def told_apart(envelope: LossEnvelope, epsilon: mpf) -> mpf:
    """Return the loss of the discrete pair: what is infinite, and of each finite loss what is above epsilon."""
    parts = (
        mpf(mass) * (1 - mpmath.exp(epsilon - envelope.spacing * place))
        for place, mass in envelope.masses.items()
        if envelope.spacing * place > epsilon
    )
    return envelope.infinity + mpmath.fsum(parts)


PAIRS: dict[str, tuple[PrivacyProfile, Callable[[mpf], mpf]]] = {
    "gaussian": (GaussianProfile(2, 3), lambda epsilon: gaussian(mpf(4) / 9, epsilon)),
    "loud": (GaussianProfile(2, 1), lambda epsilon: gaussian(mpf(4), epsilon)),
    "laplace": (LaplaceProfile(3, 2), lambda epsilon: laplace(mpf(3) / 2, epsilon)),
    "doubtful": (Doubtful(GaussianProfile(2, 3)), lambda epsilon: gaussian(mpf(4) / 9, epsilon)),
}


@pytest.mark.parametrize(
    ("spacing", "tail"), [(Fraction(1, 4), Fraction(1, 10**9)), (Fraction(1, 8), Fraction(1, 10**4))]
)
@pytest.mark.parametrize("name", PAIRS)
def test_the_discrete_pair_is_no_harder_to_tell_apart(name: str, spacing: Fraction, tail: Fraction) -> None:
    profile, truth = PAIRS[name]
    found = loss_envelope(profile, spacing, tail)
    lower = loss_envelope(Scaled(profile, Fraction(97, 100)), spacing, tail)
    assert found.spacing == spacing
    with mpmath.workdps(30):
        places = [number(spacing) * k / 3 for k in range(-24, 25)] + [mpf(2), mpf(5), mpf(9), mpf(40), mpf(-20)]
        assert all(truth(place) <= told_apart(found, place) for place in places)
        assert all(told_apart(found, place) <= truth(place) + number(spacing) ** 2 + number(tail) for place in places)
        assert any(told_apart(lower, place) < truth(place) for place in places), "control"
        # What is left of one is the mass of the other law at a loss of minus infinity.
        assert mpmath.fsum(found.masses.values()) + found.infinity >= 1 - mpf(10) ** -12
        assert 0 <= found.infinity <= truth(mpf(64)) + number(tail) + mpf(10) ** -12


@pytest.mark.parametrize(("times", "deviation"), [(1, 1), (3, 2), (100, 12)])
def test_releases_with_gaussian_noise_lose_what_one_of_them_does(times: int, deviation: int) -> None:
    loss = privacy_loss(GaussianProfile(1, deviation), Fraction(1, 128)).repeated(times)
    lower = privacy_loss(Scaled(GaussianProfile(1, deviation), Fraction(98, 100)), Fraction(1, 128)).repeated(times)
    with mpmath.workdps(30):
        exact = {epsilon: gaussian(mpf(times) / deviation**2, number(epsilon)) for epsilon in EPSILONS}
        for epsilon, delta in exact.items():
            assert delta <= loss.delta(epsilon) <= delta * mpf("1.02") + 2 * loss.rounding + mpf(10) ** -13
        assert any(lower.delta(epsilon) < delta for epsilon, delta in exact.items()), "control"
        for promised in (Fraction(1, 10), Fraction(1, 10**5)):
            found = loss.epsilon(promised)
            assert gaussian(mpf(times) / deviation**2, mpf(found)) <= number(promised)
            assert gaussian(mpf(times) / deviation**2, mpf(found) * mpf("0.98")) > number(promised)
            assert loss.delta(found) <= promised
    assert loss.delta(10**30) <= loss.rounding + 2e-15 * times
    assert 0 <= loss.rounding < 1e-7
    assert loss.epsilon(0) == math.inf


def test_different_releases_add_up_in_any_order() -> None:
    releases: list[tuple[PrivacyProfile, int]] = [(GaussianProfile(1, 3), 4), (GaussianProfile(2, 3), 2)]
    together = compose(releases, Fraction(1, 64))
    reversed_ = compose(releases[::-1], Fraction(1, 64))
    one, two = (privacy_loss(profile, Fraction(1, 64)).repeated(times) for profile, times in releases)
    with mpmath.workdps(30):
        for epsilon in EPSILONS:
            exact = gaussian(mpf(4) / 9 + mpf(8) / 9, number(epsilon))
            for loss in (together, reversed_, one.composed(two)):
                assert exact <= loss.delta(epsilon) <= exact * mpf("1.03") + 2 * loss.rounding
        assert one.delta(1) < exact_of(mpf(12) / 9), "control"
    assert together.rounding > one.rounding + two.rounding > 0
    assert together.size == one.size + two.size
    assert together.norm == min(one.norm, two.norm)


def exact_of(square: mpf) -> mpf:
    return gaussian(square, mpf(1))


def test_what_floats_may_lose_is_counted_for_every_transform() -> None:
    """Of N numbers p a transform loses at most 2^-48 log2(N) |p|, and a sum over N of them sqrt(N) times that."""
    one = privacy_loss(GaussianProfile(1, 2), Fraction(1, 64))
    assert one.rounding == 0
    places = one.delta(0), one.size, one.norm
    assert places[1] >= 2 * 64 * 2
    assert 0 < places[2] < 1
    for times in (2, 7, 60):
        many = one.repeated(times)
        length = times * one.size
        assert many.size >= length
        least = math.sqrt(length) * (times + 2) * 2.0**-48 * math.log2(2 * length) * one.norm
        assert least <= many.rounding <= 2 * least
        assert many.delta(50) >= many.rounding
        assert many.repeated(3).rounding > 3 * many.rounding
        twice = many.composed(many)
        assert (
            2 * many.rounding + math.sqrt(2 * length) * 4 * 2.0**-48 * math.log2(4 * length) * one.norm
            <= twice.rounding
        )
    assert one.repeated(1) is one


def test_what_is_no_account_is_refused() -> None:
    profile = GaussianProfile(1, 2)
    loss, other = privacy_loss(profile, Fraction(1, 8)), privacy_loss(profile, Fraction(1, 16))
    calls: list[tuple[str, Callable[[], object]]] = [
        ("spacing", lambda: loss.composed(other)),
        ("times", lambda: loss.repeated(0)),
        ("times", lambda: loss.repeated(True)),
        ("epsilon", lambda: loss.delta(-1)),
        ("epsilon", lambda: loss.delta(math.inf)),
        ("delta", lambda: loss.epsilon(1)),
        ("delta", lambda: loss.epsilon(-Fraction(1, 10**9))),
        ("releases", lambda: compose([])),
        *(
            ("spacing", lambda wrong=wrong: loss_envelope(profile, wrong, Fraction(1, 9)))
            for wrong in (0, -1, 3, Fraction(1, 3), Fraction(2, 3))
        ),
        *(("tail", lambda wrong=wrong: loss_envelope(profile, 1, wrong)) for wrong in (0, 1, -1, 2)),
        ("profile", lambda: privacy_loss(LaplaceProfile(10**6, 1), Fraction(1))),
    ]
    for name, call in calls:
        with pytest.raises(InvalidParameterError, match=f"{name}: "):
            call()
