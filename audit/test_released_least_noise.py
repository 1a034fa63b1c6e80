"""The least noise for a guarantee: held against closed forms of the loss, and against the profile that it was found by.

Nothing is statistical. The controls are the answers made smaller by a hundredth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    PrivacyGuarantee,
    PrivacyProfile,
    SketchProfile,
    WishartProfile,
    calibrate_discrete_gaussian,
    calibrate_discrete_laplace,
    calibrate_gaussian,
    calibrate_laplace,
    calibrate_score,
    calibrate_sketch,
    calibrate_wishart,
    calibrate_wishart_degrees,
    meets,
)
from dpmatrix.privacy.profiles import DiscreteGaussianProfile

ADDED = Adjacency.ADD_REMOVE_ONE
PURE = PrivacyGuarantee(1, 0, ADDED)
USUAL = PrivacyGuarantee(1, Fraction(1, 10**6), ADDED)


def test_noise_that_never_keeps_a_pure_guarantee_is_refused_for_one() -> None:
    calls: list[Callable[[], object]] = [
        lambda: calibrate_gaussian(1, PURE),
        lambda: calibrate_wishart(2, 3, PURE),
        lambda: calibrate_wishart_degrees(2, PURE),
        lambda: calibrate_discrete_gaussian(1, PURE),
        lambda: calibrate_sketch(5, PURE),
    ]
    for call in calls:
        with pytest.raises(InvalidParameterError, match="delta"):
            call()
    for call in (
        lambda: calibrate_laplace(0, USUAL),
        lambda: calibrate_discrete_laplace(0, USUAL),
        lambda: calibrate_discrete_gaussian(0, USUAL),
        lambda: calibrate_discrete_gaussian(-4, USUAL),
        lambda: calibrate_score(0, USUAL),
    ):
        with pytest.raises(InvalidParameterError, match=r"(sensitivity|score_range): "):
            call()


def deltas(call: str, scale: mpf) -> mpf:
    """Return the loss at epsilon = 1 of noise for a change by 3, or of a score of range 3, at a scale; closed forms."""
    if call == "laplace":
        return 1 - mpmath.exp((1 - 3 / scale) / 2)
    if call == "gaussian":
        shift = 3 / scale
        return mpmath.ncdf(shift / 2 - 1 / shift) - mpmath.e * mpmath.ncdf(-shift / 2 - 1 / shift)
    if call in {"discrete-laplace", "discrete-gaussian"}:
        law = [
            mpmath.exp(-mpf(abs(k)) / scale if call == "discrete-laplace" else -mpf(k * k) / (2 * scale))
            for k in range(-400, 401)
        ]
        parts = (law[k] - mpmath.e * law[k - 3] for k in range(3, 801))
        return (mpmath.fsum(law[:3]) + mpmath.fsum(part for part in parts if part > 0)) / mpmath.fsum(law)
    # A matrix of one number and three degrees: what is added is a chi-square of three, times the scale.
    shift = mpf(1) / (2 * scale)
    beyond = shift / (1 - mpmath.exp(-2 * (shift - 1)))
    above = shift / (1 - mpmath.exp(-2 * (shift + 1)))

    def upper(point: mpf) -> mpf:
        return mpmath.gammainc(mpf(3) / 2, max(point, 0), regularized=True)

    present = upper(beyond - shift) - mpmath.e * upper(beyond) if shift > 1 else mpf(0)
    absent = 1 - upper(above) - mpmath.e * (1 - upper(above - shift))
    return max(present, absent)


FOUND: dict[str, Callable[[PrivacyGuarantee], Fraction]] = {
    "laplace": lambda promise: calibrate_laplace(3, promise),
    "gaussian": lambda promise: calibrate_gaussian(3, promise),
    "discrete-laplace": lambda promise: calibrate_discrete_laplace(3, promise),
    "discrete-gaussian": lambda promise: calibrate_discrete_gaussian(9, promise),
    "wishart": lambda promise: calibrate_wishart(1, 3, promise),
}


@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**6)], ids=["large", "small"])
@pytest.mark.parametrize("name", FOUND)
def test_the_noise_that_is_found_keeps_its_guarantee_and_a_little_less_does_not(name: str, delta: Fraction) -> None:
    found = FOUND[name](PrivacyGuarantee(1, delta, ADDED))
    with mpmath.workdps(30):
        bound, scale = mpf(delta.numerator) / delta.denominator, mpf(found.numerator) / found.denominator
        assert deltas(name, scale) <= bound
        assert deltas(name, scale * (mpf("0.98") if name == "discrete-gaussian" else mpf("0.99"))) > bound, "control"


ASKED: dict[str, tuple[Callable[[PrivacyGuarantee], Fraction], Callable[[Fraction, Adjacency], PrivacyProfile]]] = {
    "wishart": (
        lambda promise: calibrate_wishart(3, 8, promise, Fraction(5, 2)),
        lambda scale, relation: WishartProfile(3, 8, scale, Fraction(5, 2), relation),
    ),
    "wishart-unit": (
        lambda promise: calibrate_wishart(2, 3, promise),
        lambda scale, relation: WishartProfile(2, 3, scale, 1, relation),
    ),
    "sketch": (
        lambda promise: calibrate_sketch(10, promise, 3),
        lambda floor, relation: SketchProfile(10, floor, 3, relation),
    ),
    "sketch-unit": (
        lambda promise: calibrate_sketch(4, promise),
        lambda floor, relation: SketchProfile(4, floor, 1, relation),
    ),
    "score": (
        lambda promise: 1 / calibrate_score(Fraction(5, 2), promise),
        lambda scale, _: BoundedRangeProfile(Fraction(5, 2) / scale),
    ),
    "vector": (
        lambda promise: Fraction(math.isqrt(int(calibrate_discrete_gaussian(10**8, promise, 30)))) + 1,
        lambda scale, _: DiscreteGaussianProfile(10**8, scale**2, 30),
    ),
}


@pytest.mark.parametrize("adjacency", Adjacency, ids=lambda relation: relation.value)
@pytest.mark.parametrize("name", ASKED)
def test_what_is_found_is_enough_by_its_own_profile_and_a_hundredth_less_is_not(
    name: str, adjacency: Adjacency
) -> None:
    promise = PrivacyGuarantee(1, Fraction(1, 10**4), adjacency)
    found, profile = ASKED[name]
    assert meets(profile(found(promise), adjacency), promise)
    assert not meets(profile(found(promise) * Fraction(99, 100), adjacency), promise), "control"


@pytest.mark.parametrize("adjacency", Adjacency, ids=lambda relation: relation.value)
def test_the_least_degrees_of_freedom_are_enough_and_one_less_is_not(adjacency: Adjacency) -> None:
    for delta, options in ((Fraction(1, 50), {}), (Fraction(1, 50), {"scale": 2, "squared_norm": 3})):
        promise = PrivacyGuarantee(2, delta, adjacency)
        found = calibrate_wishart_degrees(2, promise, **options)
        assert meets(WishartProfile(2, found, **{"scale": 1, **options}, adjacency=adjacency), promise)
        assert not meets(WishartProfile(2, found - 1, **{"scale": 1, **options}, adjacency=adjacency), promise), (
            "control"
        )
    # The least that there is where everything is enough.
    assert calibrate_wishart_degrees(2, PrivacyGuarantee(1, Fraction(99, 100), adjacency)) == 3


def test_noise_for_a_pure_guarantee_is_the_change_over_epsilon() -> None:
    promise = PrivacyGuarantee(Fraction(2, 3), 0, ADDED)
    assert calibrate_laplace(Fraction(3, 7), promise) == Fraction(9, 14)
    assert calibrate_discrete_laplace(5, promise) == Fraction(15, 2)
    assert calibrate_score(Fraction(3, 2), promise) == Fraction(4, 9)
