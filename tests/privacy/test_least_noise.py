"""Minimal noise: every answer keeps its guarantee, and one per cent less (or one less) does not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import pytest
from attrs import frozen
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
    PrivacyProfile,
    SketchProfile,
    WishartProfile,
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

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
TINY = Fraction(1, 10**300)
PROMISES = [
    PrivacyGuarantee(epsilon, delta, ADD_REMOVE)
    for epsilon in (Fraction(1, 100), Fraction(1), Fraction(20))
    for delta in (Fraction(1, 10), Fraction(1, 10**6), TINY)
]
PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), ADD_REMOVE)
PURE = PrivacyGuarantee(1, 0, ADD_REMOVE)


class Noise(NamedTuple):
    """A calibration, the profile at its answer, and how an answer with one per cent less noise is made."""

    calibration: Callable[[PrivacyGuarantee], Fraction]
    profile: Callable[[Fraction, PrivacyGuarantee], PrivacyProfile]
    less: Callable[[Fraction], Fraction] = lambda scale: scale * Fraction(99, 100)


NOISES = {
    "laplace": Noise(lambda g: calibrate_laplace(3, g), lambda scale, _: LaplaceProfile(3, scale)),
    "gaussian": Noise(lambda g: calibrate_gaussian(3, g), lambda scale, _: GaussianProfile(3, scale)),
    "wishart": Noise(lambda g: calibrate_wishart(3, 8, g), lambda c, g: WishartProfile(3, 8, c, 1, g.adjacency)),
    "discrete Laplace": Noise(
        lambda g: calibrate_discrete_laplace(5, g), lambda scale, _: DiscreteLaplaceProfile(5, scale)
    ),
    # The sensitivity in one coordinate, 20, is at least epsilon, so that more variance is better.
    "discrete Gaussian": Noise(
        lambda g: calibrate_discrete_gaussian(400, g),
        lambda variance, _: DiscreteGaussianProfile(400, variance),
        lambda variance: variance * Fraction(99, 100) ** 2,
    ),
    "discrete Gaussian vector": Noise(
        lambda g: calibrate_discrete_gaussian(10**4, g, 30),
        lambda variance, _: DiscreteGaussianProfile(10**4, variance, 30),
        lambda variance: variance * Fraction(99, 100) ** 2,
    ),
    "sketch": Noise(lambda g: calibrate_sketch(10, g), lambda floor, g: SketchProfile(10, floor, 1, g.adjacency)),
    "score": Noise(
        lambda g: calibrate_score(2, g),
        lambda weight, _: BoundedRangeProfile(2 * weight),
        lambda weight: weight * Fraction(101, 100),
    ),
}


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: f"{promise.epsilon} {float(promise.delta):.0e}")
@pytest.mark.parametrize("name", NOISES)
def test_the_answer_meets_the_guarantee_and_one_per_cent_less_does_not(name, promise):
    noise = NOISES[name]
    answer = noise.calibration(promise)
    assert isinstance(answer, Fraction)
    assert answer > 0
    assert meets(noise.profile(answer, promise), promise)
    assert not meets(noise.profile(noise.less(answer), promise), promise)


@pytest.mark.parametrize("promise", [PROMISE, PrivacyGuarantee(20, TINY, ADD_REMOVE)], ids=["usual", "tiny"])
@pytest.mark.parametrize("name", ["wishart", "sketch"])
def test_replacement_is_met_with_the_upper_end(name, promise):
    replacement = PrivacyGuarantee(promise.epsilon, promise.delta, REPLACE)
    noise = NOISES[name]
    answer = noise.calibration(replacement)
    assert answer >= noise.calibration(promise)
    assert meets(noise.profile(answer, replacement), replacement)
    assert not meets(noise.profile(noise.less(answer), replacement), replacement)


@pytest.mark.parametrize("name", NOISES)
def test_exact_profiles_certainly_break_the_guarantee_below(name):
    """Control: it is delta that is above, not the accuracy that is lacking; a bound on vectors may fail alone."""
    noise = NOISES[name]
    below = noise.profile(noise.less(noise.calibration(PROMISE)), PROMISE).delta(PROMISE.epsilon)
    delta = arb(fmpq(1, 10**6))
    assert below.upper() > delta
    assert below.lower() > delta or name == "discrete Gaussian vector"


@pytest.mark.parametrize(
    "promise",
    [p for p in PROMISES if p.epsilon >= 1 or p.delta > TINY],
    ids=lambda p: f"{p.epsilon} {float(p.delta):.0e}",
)
def test_the_least_degrees_of_freedom(promise):
    degrees = calibrate_wishart_degrees(3, promise)
    assert isinstance(degrees, int)
    assert degrees >= 4
    assert meets(WishartProfile(3, degrees, 1, 1, ADD_REMOVE), promise)
    assert degrees == 4 or not meets(WishartProfile(3, degrees - 1, 1, 1, ADD_REMOVE), promise)
    assert degrees > 4 or promise.delta > Fraction(1, 100)


def test_the_least_degrees_of_freedom_for_a_replacement():
    replacement = PrivacyGuarantee(1, Fraction(1, 10**3), REPLACE)
    degrees = calibrate_wishart_degrees(2, replacement, squared_norm=Fraction(1, 2))
    assert meets(WishartProfile(2, degrees, 1, Fraction(1, 2)), replacement)
    assert not meets(WishartProfile(2, degrees - 1, 1, Fraction(1, 2)), replacement)


def test_pure_guarantees_are_met_exactly():
    assert calibrate_discrete_laplace(5, PrivacyGuarantee(Fraction(2, 3), 0, ADD_REMOVE)) == Fraction(15, 2)
    assert meets(DiscreteLaplaceProfile(5, 5), PURE)
    assert not meets(DiscreteLaplaceProfile(5, 5 - Fraction(1, 10**30)), PURE)
    assert calibrate_score(Fraction(3, 2), PURE) == Fraction(2, 3)
    assert meets(BoundedRangeProfile(1), PURE)
    assert calibrate_laplace(Fraction(3, 7), PrivacyGuarantee(Fraction(1, 3), 0, ADD_REMOVE)) == Fraction(9, 7)


def test_closed_forms():
    """Bounded range at epsilon = 0 is tanh(h/4); one shift of discrete Laplace noise has delta linear in e^epsilon."""
    step, delta = Fraction(1, 10**9), arb(fmpq(1, 10))
    promise = PrivacyGuarantee(Fraction(1, 10**30), Fraction(1, 10), ADD_REMOVE)
    weight = calibrate_score(1, promise, step)
    exact = 4 * delta.atanh()
    assert exact * (1 - arb(10) ** -8) < arb(fmpq(weight.numerator, weight.denominator)) < exact * (1 + arb(10) ** -20)
    one = calibrate_discrete_laplace(1, PrivacyGuarantee(1, Fraction(1, 10), ADD_REMOVE), step)
    scale = -1 / ((1 - delta) / (arb(1).exp() + delta)).log()  # 1 - q (1 + e) / (1 + q) = delta solved for q
    assert not (arb(fmpq(one.numerator, one.denominator)) < -1 / (((1 - delta) / (arb(1).exp() + delta)).log()))
    assert arb(fmpq(one.numerator, one.denominator)) < scale * (1 + arb(10) ** -8)


def test_tolerances_are_kept():
    for name, coarse in (("sketch", calibrate_sketch), ("discrete", calibrate_discrete_gaussian)):
        close = coarse(9, PROMISE, tolerance=Fraction(1, 10**6))
        far = coarse(9, PROMISE, tolerance=Fraction(1, 2))
        assert close <= far <= close * Fraction(9, 4), name


@pytest.mark.parametrize("size", [Fraction(1, 2**500), 2**70])
def test_the_answer_scales_with_the_sensitivity(size):
    assert calibrate_sketch(7, PROMISE, size) == size * calibrate_sketch(7, PROMISE)
    assert calibrate_score(size, PROMISE) == calibrate_score(1, PROMISE) / size


def test_large_integer_sensitivities_approach_the_continuous_noise():
    size = 2**40
    for discrete, continuous in (
        (calibrate_discrete_laplace(size, PROMISE), calibrate_laplace(size, PROMISE)),
        (calibrate_discrete_gaussian(size**2, PROMISE), calibrate_gaussian(size, PROMISE) ** 2),
    ):
        assert Fraction(98, 100) < discrete / continuous < Fraction(102, 100)


def test_an_irrational_range_is_taken_at_its_upper_end():
    width = arb(2).sqrt()
    weight = calibrate_score(width, PROMISE)
    assert meets(
        BoundedRangeProfile(width * arb(fmpq(weight.numerator, weight.denominator)) * (1 - arb(10) ** -9)), PROMISE
    )
    floor = calibrate_sketch(5, PROMISE, width)
    assert meets(SketchProfile(5, floor, width), PROMISE)


# The least integer.


@frozen
class Step:
    """A profile that is zero from a threshold on and one below it."""

    value: int
    threshold: int

    def delta(self, epsilon):  # noqa: ARG002 - the threshold is the same for each
        """Return 0 or 1."""
        return arb(0 if self.value >= self.threshold else 1)


@pytest.mark.parametrize("threshold", [-5, 3, 4, 5, 6, 7, 63, 64, 65, 1000, 12345])
def test_the_least_integer_of_a_step(threshold):
    found = calibrate_integer(lambda value: Step(value, threshold), PURE, 3, 12345)
    assert found == max(3, threshold)


def test_the_search_never_leaves_its_bounds():
    seen = []

    def family(value):
        seen.append(value)
        return Step(value, 100)

    with pytest.raises(InvalidParameterError, match="guarantee"):
        calibrate_integer(family, PURE, 3, 99)
    assert min(seen) == 3
    assert max(seen) == 99
    assert calibrate_integer(family, PURE, 100, 100) == 100
    with pytest.raises(InvalidParameterError, match="guarantee"):
        calibrate_integer(family, PURE, 99, 99)
    with pytest.raises(InvalidParameterError, match="largest"):
        calibrate_integer(family, PURE, 4, 3)


# Errors.


@pytest.mark.parametrize(
    "call",
    [
        lambda: calibrate_gaussian(1, PURE),
        lambda: calibrate_wishart(2, 3, PURE),
        lambda: calibrate_wishart_degrees(2, PURE),
        lambda: calibrate_discrete_gaussian(1, PURE),
        lambda: calibrate_sketch(2, PURE),
    ],
)
def test_noise_without_pure_privacy_says_so(call):
    with pytest.raises(InvalidParameterError, match="delta"):
        call()


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, None])
def test_bad_integer_sensitivities_are_refused(bad):
    for promise in (PROMISE, PURE):
        with pytest.raises(InvalidParameterError, match="sensitivity"):
            calibrate_discrete_laplace(bad, promise)
    with pytest.raises(InvalidParameterError, match="squared_sensitivity"):
        calibrate_discrete_gaussian(bad, PROMISE)


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), 1j, None, arb(0, 1)])
def test_bad_real_sensitivities_are_refused(bad):
    for promise in (PROMISE, PURE):
        with pytest.raises(InvalidParameterError, match="sensitivity"):
            calibrate_laplace(bad, promise)
        with pytest.raises(InvalidParameterError, match="score_range"):
            calibrate_score(bad, promise)
    with pytest.raises(InvalidParameterError, match="norm_bound"):
        calibrate_sketch(3, PROMISE, bad)
    with pytest.raises(InvalidParameterError, match="squared_norm"):
        calibrate_wishart(2, 4, PROMISE, bad)
    with pytest.raises(InvalidParameterError, match="scale"):
        calibrate_wishart_degrees(2, PROMISE, bad)


def test_other_bad_parameters_are_refused():
    with pytest.raises(InvalidParameterError, match="rows"):
        calibrate_sketch(0, PROMISE)
    with pytest.raises(InvalidParameterError, match="dimension"):
        calibrate_wishart_degrees(0, PROMISE)
    with pytest.raises(InvalidParameterError, match="squared_sensitivity"):
        calibrate_discrete_gaussian(2, PROMISE)
    with pytest.raises(InvalidParameterError, match="coordinates"):
        calibrate_discrete_gaussian(2, PROMISE, 0)
    for tolerance in (0, -1, float("nan")):
        with pytest.raises(InvalidParameterError, match="tolerance"):
            calibrate_sketch(3, PROMISE, tolerance=tolerance)
