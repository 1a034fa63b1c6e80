"""Laplace and Gaussian profiles against quadrature of the two densities, and the laws of every profile."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from mpmath import mp, mpf

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import (
    Adjacency,
    GaussianProfile,
    LaplaceProfile,
    PrivacyProfile,
    WishartProfile,
    l1_sensitivity,
)
from dpmatrix.privacy.profiles import gaussian

DIGITS = 50
REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE


def as_mpf(number):
    return mpf(number.numerator) / number.denominator


def contains(enclosure, value):
    """Whether a ball meets the quadrature value, given the digits that the quadrature has."""
    return enclosure.overlaps(arb(mpmath.nstr(value, DIGITS + 5)) * (1 + arb(0, 10.0**-40)))


def hockey_stick(first, second, epsilon, points):
    """Integrate the positive part of first - e^epsilon second, split at the points and at the changes of sign."""

    def excess(t):
        return first(t) - mpmath.exp(epsilon) * second(t)

    cuts = [points[0]]
    for left, right in pairwise(points):
        grid = mpmath.linspace(left, right, 61)
        for one, other in pairwise(grid):
            if excess(one) * excess(other) < 0:
                cuts.append(mpmath.findroot(excess, (one, other), solver="anderson", tol=1e-60, verify=False))
        cuts.append(right)
    pieces = pairwise(cuts)
    return mpmath.fsum(mp.quad(excess, [one, other]) for one, other in pieces if excess((one + other) / 2) > 0)


def random_fractions(generator, count, lower, upper):
    return [Fraction(int(value * 1000), 1000) for value in generator.uniform(lower, upper, count)]


@pytest.mark.parametrize("seed", range(6))
def test_gaussian_profile_contains_quadrature_of_the_densities(seed):
    generator = np.random.default_rng(seed)
    (change,), (deviation,), (epsilon,) = (random_fractions(generator, 1, *b) for b in ((0.2, 3), (0.5, 2), (0, 2)))
    with mp.workdps(DIGITS + 15):
        shift, scale = as_mpf(change), as_mpf(deviation)
        expected = hockey_stick(
            lambda t: mpmath.npdf(t, shift, scale), lambda t: mpmath.npdf(t, 0, scale), as_mpf(epsilon), [-40, 0, 5, 40]
        )
        for bits in (53, 150):
            with precision(bits):
                assert contains(GaussianProfile(change, deviation).delta(epsilon), expected)
        assert not contains(GaussianProfile(change, deviation * Fraction(3, 4)).delta(epsilon), expected)


@pytest.mark.parametrize("seed", range(6))
def test_laplace_profile_contains_quadrature_of_the_densities(seed):
    generator = np.random.default_rng(100 + seed)
    change, scale = random_fractions(generator, 2, 0.3, 3)
    epsilon = change / scale * Fraction(int(generator.integers(0, 90)), 100)
    with mp.workdps(DIGITS + 15):
        shift, width = as_mpf(change), as_mpf(scale)

        def density(t):
            return mpmath.exp(-abs(t) / width) / (2 * width)

        tail = 150 * width
        expected = hockey_stick(lambda t: density(t - shift), density, as_mpf(epsilon), [-tail, 0, shift, shift + tail])
        assert contains(LaplaceProfile(change, scale).delta(epsilon), expected)
        assert not contains(LaplaceProfile(change, scale * Fraction(3, 4)).delta(epsilon), expected)


def two_coordinate_laplace(first, second, epsilon):
    """Divergence for shifts in two coordinates at scale one, by nested quadrature over the strip where it varies."""

    def law(shift):
        """Clip a coordinate to [0, shift], where its likelihood ratio varies: nodes of both laws."""
        atom, far = mpf(1) / 2, mpmath.exp(-shift) / 2
        return (mpf(0), atom, far), (shift, far, atom)

    def inner(ahead, behind):
        """Sum over the second coordinate of the positive part of behind * Q - e^epsilon * ahead * P."""
        total = mpf(0)
        for _, at_zero, at_shift in law(second):
            total += max(behind * at_shift - mpmath.exp(epsilon) * ahead * at_zero, 0)

        def excess(y):
            return (behind * mpmath.exp(-(second - y)) - mpmath.exp(epsilon) * ahead * mpmath.exp(-y)) / 2

        root = (second + epsilon + mpmath.log(ahead / behind)) / 2
        start = min(max(root, 0), second)
        return total + (mp.quad(excess, [start, second]) if start < second else 0)

    total = mpmath.fsum(inner(at_zero, at_shift) for _, at_zero, at_shift in law(first))
    kinks = [(first + epsilon - second) / 2, (first + epsilon + second) / 2]
    points = [mpf(0), *sorted(k for k in kinks if 0 < k < first), first]
    return total + mp.quad(lambda y: inner(mpmath.exp(-y) / 2, mpmath.exp(-(first - y)) / 2), points)


@pytest.mark.parametrize(
    ("first", "second", "epsilon"), [(1, 1, 0), (1, 1, 1), (0.25, 2, 0.5), (2, 0.25, 2), (3, 1, 0.1), (1, 1, 1.9)]
)
def test_a_shift_spread_over_two_coordinates_is_no_worse(first, second, epsilon):
    with mp.workdps(25):
        spread = two_coordinate_laplace(mpf(first), mpf(second), mpf(epsilon))
        whole = LaplaceProfile(Fraction(first) + Fraction(second), 1).delta(epsilon)
        single = LaplaceProfile(max(first, second), 1).delta(epsilon)
        value = arb(mpmath.nstr(spread, 20))
        assert value < whole + 1e-15
        assert value > single - 1e-15
        assert value > 0
        # The quadrature itself is sound: with next to no second shift it returns the scalar profile.
        almost = two_coordinate_laplace(mpf(first), mpf(10) ** -15, mpf(epsilon))
        assert abs(arb(mpmath.nstr(almost, 20)) - LaplaceProfile(first, 1).delta(epsilon)) < 1e-13


def test_laplace_level_is_exact():
    profile = LaplaceProfile(Fraction(1, 3), Fraction(1, 7))
    level = Fraction(7, 3)
    assert profile.delta(level).is_zero()
    assert profile.delta(level + 1).is_zero()
    assert 0 < profile.delta(level - Fraction(1, 10**30)) < 1e-29
    assert profile.pure_epsilon().contains(arb(fmpq(7, 3)))


def test_a_smaller_coordinate_sensitivity_widens_the_laplace_profile():
    with precision(64):
        gram = LaplaceProfile(l1_sensitivity(3, REPLACE), 4, coordinate_sensitivity=1).delta(Fraction(1, 10))
        assert gram.contains(LaplaceProfile(1, 4).delta(Fraction(1, 10)).mid())
        assert gram.contains(LaplaceProfile(l1_sensitivity(3, REPLACE), 4).delta(Fraction(1, 10)).mid())
        assert gram.upper() < LaplaceProfile(5, 4).delta(Fraction(1, 10))


def test_no_change_is_perfectly_private():
    assert GaussianProfile(0, 1).delta(0).is_zero()
    assert LaplaceProfile(0, 1).delta(0).is_zero()


def test_tiny_deltas_keep_their_relative_accuracy():
    for profile, epsilon in ((GaussianProfile(1, 1), 43), (GaussianProfile(1, 20), 3)):
        value = profile.delta(epsilon)
        assert 0 < value < arb(10) ** -390
        assert value.rad() <= value.abs_lower() * arb(2) ** -40
        with mp.workprec(4000):
            mu, e = as_mpf(Fraction(profile.sensitivity) / profile.standard_deviation), mpf(epsilon)
            tail = mpmath.erfc((e / mu - mu / 2) / mpmath.sqrt(2))
            other = mpmath.exp(e) * mpmath.erfc((e / mu + mu / 2) / mpmath.sqrt(2))
            assert contains(value, (tail - other) / 2)
    level = Fraction(3, 2)
    near = LaplaceProfile(3, 2).delta(level - Fraction(1, 10**400))
    assert near.rel_accuracy_bits() >= 40
    assert abs(near * arb(10) ** 400 - arb(0.5)) < 1e-10


@pytest.mark.parametrize("shift", [Fraction(1), Fraction(1, 9)])
def test_gaussian_tails_agree_where_the_algorithm_changes(shift, monkeypatch):
    """Far out a common factor is taken out of both tails; forced early, it changes nothing."""
    plain = GaussianProfile(shift, 1).delta(30)
    monkeypatch.setattr(gaussian, "FAR", 1)
    assert GaussianProfile(shift, 1).delta(30).overlaps(plain)
    monkeypatch.undo()
    beyond_erfc = GaussianProfile(1, 2**200).delta(1)
    assert beyond_erfc > 0
    assert beyond_erfc.rel_accuracy_bits() >= 40


@pytest.mark.parametrize(
    "parameters",
    [
        (2, 3),
        (Fraction(2), Fraction(3)),
        (fmpq(2), fmpq(3)),
        (2.0, 3.0),
        (arb(2), arb(3)),
        (np.float64(2), np.int64(3)),
    ],
)
def test_every_kind_of_number_gives_the_same_answer(parameters):
    assert GaussianProfile(*parameters).delta(Fraction(1, 2)).overlaps(GaussianProfile(2, 3).delta(0.5))
    assert LaplaceProfile(*parameters).delta(Fraction(1, 2)).overlaps(LaplaceProfile(2, 3).delta(arb(0.5)))


PROFILES = {
    "laplace": lambda scale: LaplaceProfile(2, scale),
    "gaussian": lambda scale: GaussianProfile(2, scale),
    "wishart-least": lambda scale: WishartProfile(3, 4, scale),
    "wishart-one": lambda scale: WishartProfile(3, Fraction(13, 2), scale, adjacency=ADD_REMOVE),
    "wishart-two": lambda scale: WishartProfile(3, 6, scale),
}


@pytest.mark.parametrize("name", PROFILES)
def test_boxes_enclose_their_points(name):
    family, generator = PROFILES[name], np.random.default_rng(4)
    box = family(arb(2, 0.25)).delta(arb(0.5, 0.125))
    assert isinstance(family(1), PrivacyProfile)
    assert box.is_finite()
    assert box.rad() < 0.25
    for scale, epsilon in zip(generator.uniform(1.75, 2.25, 20), generator.uniform(0.375, 0.625, 20), strict=True):
        assert box.contains(family(scale).delta(epsilon).mid())
    assert not box.contains(family(0.5).delta(0).mid()) or name == "wishart-least"


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_fall_with_epsilon_and_with_noise(name):
    family = PROFILES[name]
    previous = family(1).delta(0)
    for step in range(1, 12):
        current = family(1).delta(Fraction(step, 4))
        assert current.lower() <= previous.upper()
        previous = current
    assert family(4).delta(1).upper() <= family(1).delta(1).upper()
    for epsilon in (0, 1, 5):
        assert family(1).delta(epsilon).lower() > -1e-9
        assert family(1).delta(epsilon).upper() <= 1


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize(
    "epsilon", [-1, Fraction(-1, 10**9), float("nan"), float("inf"), 1j, None, arb("nan"), arb(0, 1), arb("inf")]
)
def test_a_bad_epsilon_is_refused(name, epsilon):
    with pytest.raises(InvalidParameterError, match="epsilon"):
        PROFILES[name](1).delta(epsilon)


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 1j, None, arb(1, 1), arb("nan")])
def test_a_bad_scale_is_refused(name, scale):
    with pytest.raises(InvalidParameterError, match=r"scale|standard_deviation"):
        PROFILES[name](scale)


@pytest.mark.parametrize("sensitivity", [-1, float("nan"), float("inf"), 1j, None, arb(0, 1)])
def test_a_bad_sensitivity_is_refused(sensitivity):
    for profile in (LaplaceProfile, GaussianProfile):
        with pytest.raises(InvalidParameterError, match="sensitivity"):
            profile(sensitivity, 1)
    with pytest.raises(InvalidParameterError, match="coordinate_sensitivity"):
        LaplaceProfile(1, 1, coordinate_sensitivity=2)
