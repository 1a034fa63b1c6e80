"""Which noise is taken: the searches for the least of it, and the question whether a noise is enough.

A profile may leave it open whether a guarantee is kept, at a precision that is not enough or by an interval with the
promised delta inside, and it may find no value at all. Whatever is not certain is not taken, neither by a search nor by
a mechanism whose noise is printed. Nothing is statistical. The controls are profiles that decide the same questions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from attrs import frozen
from flint import arb
from mpmath import mpf

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import Real
from dpmatrix.mechanisms import AnalyzeGauss, ModSulq, OnlinePerturbedLeader, PrivateSubspaceRecovery, Sulq
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    PrivacyGuarantee,
    PrivacyProfile,
    SketchProfile,
    WishartProfile,
    calibrate,
    calibrate_discrete_gaussian,
    calibrate_discrete_laplace,
    calibrate_gaussian,
    calibrate_integer,
    calibrate_laplace,
    calibrate_score,
    calibrate_sketch,
    calibrate_wishart,
    calibrate_wishart_degrees,
    meets,
)
from dpmatrix.privacy.profiles import DiscreteGaussianProfile

ADDED = Adjacency.ADD_REMOVE_ONE
HALF, PURE = PrivacyGuarantee(1, Fraction(1, 2), ADDED), PrivacyGuarantee(1, 0, ADDED)
USUAL = PrivacyGuarantee(1, Fraction(1, 10**6), ADDED)


@frozen
class Known:
    """A profile whose delta is the same at every epsilon, or is not found where it is None."""

    value: arb | None

    def delta(self, epsilon: Real) -> arb:
        """Return the value."""
        if self.value is None:
            raise UndecidedError(f"nothing is known at {epsilon}")
        return self.value


@pytest.mark.parametrize(
    ("value", "half", "pure"),
    [
        (arb(0), True, True),
        (arb(0, 1e-30), True, False),
        (arb(0.25, 0.125), True, False),
        (arb(0.5, 1e-9), False, False),
        (arb(0.25, 0.5), False, False),
        (arb(0.75), False, False),
        (arb("nan"), False, False),
        (arb("+inf"), False, False),
        (None, False, False),
    ],
)
def test_only_a_loss_that_is_certainly_small_enough_is_enough(value: arb | None, half: bool, pure: bool) -> None:
    assert meets(Known(value), HALF) is half
    assert meets(Known(value), PURE) is pure


PRINTED: dict[str, Callable[[], Any]] = {
    "analyze-gauss": lambda: AnalyzeGauss(1, ADDED, delta=Fraction(1, 4), calibration="printed").noise_variance(3),
    "mod-sulq": lambda: ModSulq(1, ADDED, delta=Fraction(1, 4), calibration="printed").noise_variance(3),
    "sulq": lambda: Sulq(1, ADDED, delta=Fraction(1, 4), calibration="printed").noise_variance(3),
    "leader": lambda: OnlinePerturbedLeader(
        1, ADDED, delta=Fraction(1, 4), steps=2, calibration="printed"
    ).noise_variance(3),
}


@pytest.mark.parametrize("left_open", [None, arb(0.25, 0.125), arb("nan")], ids=["nothing", "interval", "nan"])
@pytest.mark.parametrize("name", PRINTED)
def test_a_printed_noise_of_which_nothing_is_certain_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, left_open: arb | None
) -> None:
    assert PRINTED[name]() > 0, "control"
    monkeypatch.setattr(DiscreteGaussianProfile, "delta", lambda _, epsilon: Known(left_open).delta(epsilon))
    with pytest.raises(InvalidParameterError, match="not certified"):
        PRINTED[name]()


def test_a_printed_noise_for_a_projector_of_which_nothing_is_certain_publishes_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism = PrivateSubspaceRecovery(1, ADDED, rank=1, delta=Fraction(1, 4), calibration="printed")
    assert mechanism.noise_variance(Fraction(5), 3) is not None, "control"
    monkeypatch.setattr(DiscreteGaussianProfile, "delta", lambda _, epsilon: Known(None).delta(epsilon))
    assert mechanism.noise_variance(Fraction(5), 3) is None


def counted(family: Callable[[Any], arb | None]) -> Callable[[Any], Known]:
    """Return a family of profiles that is not asked ten thousand times."""
    left = iter(range(10_000))

    def at(scale: Any) -> Known:
        assert next(left, None) is not None, "the search does not end"
        return Known(family(scale))

    return at


@pytest.mark.parametrize("threshold", [Fraction(1, 3**40), Fraction(5, 7), Fraction(1), Fraction(2), Fraction(3**30)])
@pytest.mark.parametrize("tolerance", [Fraction(1, 128), Fraction(3), Fraction(1, 10**6)])
@pytest.mark.parametrize("unit", [Fraction(1), Fraction(2**20), Fraction(1, 3)])
def test_a_search_ends_at_a_scale_that_was_enough_and_close_to_one_that_was_not(
    threshold: Fraction, tolerance: Fraction, unit: Fraction
) -> None:
    family = counted(lambda scale: arb(0) if scale >= threshold else None)
    found = calibrate(family, HALF, tolerance, unit)
    assert threshold <= found < threshold * (1 + tolerance) * (1 + Fraction(1, 10**9)) or found == threshold
    assert found <= threshold * 2
    assert ((found / unit).denominator & ((found / unit).denominator - 1)) == 0


def test_a_search_that_has_no_end_is_refused() -> None:
    for everywhere in (arb(0), arb(1), None):
        with pytest.raises(InvalidParameterError, match="guarantee"):
            calibrate(counted(lambda _, value=everywhere: value), HALF)  # type: ignore[misc]
    for end in (Fraction(2) ** exponent for exponent in (-4095, 4095)):
        assert calibrate(counted(lambda scale, end=end: arb(0 if scale >= end else 1)), HALF) == end  # type: ignore[misc]
    for wrong in (0, -1):
        with pytest.raises(InvalidParameterError, match="tolerance: "):
            calibrate(counted(lambda s: arb(0 if s >= 1 else 1)), HALF, tolerance=wrong)
        with pytest.raises(InvalidParameterError, match="unit: "):
            calibrate(counted(lambda s: arb(0 if s >= 1 else 1)), HALF, unit=wrong)


@pytest.mark.parametrize("threshold", [-9, 3, 4, 5, 6, 7, 8, 63, 64, 65, 1000, 12344, 12345])
def test_the_least_integer_that_is_enough(threshold: int) -> None:
    asked: list[int] = []

    def family(value: int) -> arb | None:
        asked.append(value)
        return arb(0) if value >= threshold else None

    assert calibrate_integer(counted(family), PURE, 3, 12345) == max(3, threshold)
    assert 3 <= min(asked) <= max(asked) <= 12345
    assert calibrate_integer(counted(family), PURE, 3) == max(3, threshold)
    for least, largest in ((3, 12345), (5, 4), (4, 4)):
        with pytest.raises(InvalidParameterError, match="guarantee" if largest >= least else "largest"):
            calibrate_integer(counted(lambda _: None), PURE, least, largest)
    assert calibrate_integer(counted(lambda value: arb(0) if value >= 4 else None), PURE, 4, 4) == 4


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
        with pytest.raises(InvalidParameterError):
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
