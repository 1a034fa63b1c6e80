"""Wishart profiles against quadrature of the densities, of scalars and of matrices."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from mpmath import mp, mpf
from scipy.special import gamma, roots_genlaguerre

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import Adjacency, Direction, WishartProfile, support_failure

DIGITS = 50
REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
PRESENT, ABSENT = Direction.PRESENT_AGAINST_ABSENT, Direction.ABSENT_AGAINST_PRESENT


def as_mpf(number):
    number = Fraction(number)
    return mpf(number.numerator) / number.denominator


def contains(enclosure, value, digits=40):
    return enclosure.overlaps(arb(mpmath.nstr(value, DIGITS + 5)) * (1 + arb(0, 10.0**-digits)))


def scalar_density(t, degrees, scale):
    """Wishart density of Definition 2 for a 1 x 1 matrix."""
    if t <= 0:
        return mpf(0)
    half = degrees / 2
    return t ** (half - 1) * mpmath.exp(-t / (2 * scale)) / ((2 * scale) ** half * mpmath.gamma(half))


def scalar_divergence(degrees, scale, shift, epsilon, direction):
    """Integrate the positive part of the difference of densities, its single change of sign found by bisection."""

    def excess(t):
        present, absent = scalar_density(t - shift, degrees, scale), scalar_density(t, degrees, scale)
        one, other = (present, absent) if direction is PRESENT else (absent, present)
        return one - mpmath.exp(epsilon) * other

    end = shift + scale * 700
    lower, upper = shift * (1 + mpf(10) ** -60), end
    if direction is PRESENT:
        if excess(upper) <= 0:
            return mpf(0)
        positive_above = True
    else:
        if excess(lower) <= 0:
            return mp.quad(excess, [0, shift])
        positive_above = False
    for _ in range(400):
        middle = (lower + upper) / 2
        if (excess(middle) > 0) == positive_above:
            upper = middle
        else:
            lower = middle
    pieces = [upper, 2 * upper, 4 * upper, end] if direction is PRESENT else [0, shift, (shift + lower) / 2, lower]
    return mp.quad(excess, sorted(piece for piece in pieces if piece <= end))


CASES = [
    (1, 3, Fraction(1, 2), Fraction(1), Fraction(1, 4)),
    (1, 4, Fraction(2), Fraction(3), Fraction(1, 10)),
    (1, Fraction(7, 2), Fraction(1), Fraction(1), Fraction(0)),
    (3, 9, Fraction(1, 4), Fraction(1), Fraction(1)),
    (2, Fraction(61, 7), Fraction(3, 10), Fraction(2), Fraction(3, 2)),
    (5, 6, Fraction(1, 2), Fraction(1), Fraction(1, 2)),
]


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("dimension", "degrees", "scale", "squared_norm", "epsilon"), CASES)
def test_one_record_contains_quadrature_of_the_scalar_densities(
    dimension, degrees, scale, squared_norm, epsilon, direction
):
    """For d = 1 these are the densities of the release itself; otherwise those of the sufficient scalar."""
    with mp.workdps(DIGITS + 15):
        expected = scalar_divergence(
            as_mpf(degrees - dimension + 1), as_mpf(scale), as_mpf(squared_norm), as_mpf(epsilon), direction
        )
        assert expected > 0
        for bits in (53, 160):
            with precision(bits):
                profile = WishartProfile(dimension, degrees, scale, squared_norm, ADD_REMOVE)
                assert contains(profile.hockey_stick(epsilon, direction), expected)
        quieter = WishartProfile(dimension, degrees, scale * Fraction(3, 4), squared_norm, ADD_REMOVE)
        assert not contains(quieter.hockey_stick(epsilon, direction), expected)


def matrix_mass_above(entry, degrees, scale):
    """Pr(W - entry * e_1 e_1' > 0) for 2 x 2 Wishart noise, integrating Definition 2 over matrices.

    The matrix is [[entry + a, b], [b, f]] with b = z sqrt(a f), |z| < 1. For odd degrees the integrand is a
    polynomial in a, f, z times sqrt(a f) exp(-(a + f) / 2c), so Gauss quadrature has no error but rounding.
    """
    nodes, weights = roots_genlaguerre(12, 0.5)
    angles, angle_weights = np.polynomial.legendre.leggauss(12)
    a, f, z = np.meshgrid(2 * scale * nodes, 2 * scale * nodes, angles, indexing="ij")
    product = np.einsum("i,j,k->ijk", weights, weights, angle_weights) * (2 * scale) ** 3
    determinant = (entry + a) * f - z**2 * a * f
    integral = (product * determinant ** ((degrees - 3) / 2)).sum() * np.exp(-entry / (2 * scale))
    return integral / ((2 * scale) ** degrees * np.sqrt(np.pi) * gamma(degrees / 2) * gamma((degrees - 1) / 2))


@pytest.mark.parametrize("degrees", [3, 5, 9])
def test_support_failure_of_two_by_two_matrices_by_integration_over_matrices(degrees):
    assert matrix_mass_above(0.0, degrees, 0.5) == pytest.approx(1, rel=1e-12)
    failure = 1 - matrix_mass_above(1.0, degrees, 0.5)
    assert failure == pytest.approx(float(support_failure(2, degrees, Fraction(1, 2))), rel=1e-10)
    assert failure != pytest.approx(float(support_failure(2, degrees, Fraction(3, 8))), rel=1e-1)


def test_support_failure_of_the_printed_mechanism_is_one_minus_exp_of_minus_a_third_of_epsilon():
    for records in (1, 10, 12345):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(7, 2)):
            scale = Fraction(3, 2) / (records * epsilon)
            for dimension in (1, 2, 10):
                exact = 1 - (-arb(fmpq(epsilon.numerator, 3 * epsilon.denominator))).exp()
                assert support_failure(dimension, dimension + 1, scale, Fraction(1, records)).overlaps(exact)
                profile = WishartProfile(dimension, dimension + 1, scale, Fraction(1, records))
                assert profile.support_failure().overlaps(exact)
                for level in (0, epsilon, 10 * epsilon):
                    assert profile.delta(level).overlaps(exact)
    assert 0.283 < support_failure(4, 5, Fraction(3, 2)) < 0.284


def test_support_failure_below_the_profile_domain():
    value = support_failure(3, Fraction(5, 2), 1)  # chi-square with half a degree of freedom
    with mp.workdps(DIGITS):
        assert contains(value, mpmath.gammainc(mpf(1) / 4, 0, mpf(1) / 2, regularized=True))


def test_replacing_encloses_one_record_and_meets_it_where_it_is_exact():
    for dimension, degrees in ((2, 5), (3, 40), (4, Fraction(11, 2))):
        for epsilon in (0, Fraction(1, 10), 1, 4):
            one = WishartProfile(dimension, degrees, 1, adjacency=ADD_REMOVE)
            two = WishartProfile(dimension, degrees, 1, adjacency=REPLACE)
            assert one.is_exact
            assert not two.is_exact
            assert two.delta(epsilon).contains(one.delta(epsilon).mid())
            assert two.delta(epsilon).upper() > one.delta(epsilon)
    for dimension, degrees in ((1, 5), (1, 2), (6, 7)):
        one, two = (WishartProfile(dimension, degrees, 1, adjacency=relation) for relation in Adjacency)
        assert one.is_exact
        assert two.is_exact
        assert one.delta(1).overlaps(two.delta(1))
        assert two.delta(1).rel_accuracy_bits() >= 40


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3)])
@pytest.mark.parametrize(("degrees", "scale"), [(6, Fraction(1)), (30, Fraction(1, 4))])
def test_replacing_finds_the_best_chain(degrees, scale, epsilon):
    """Both chains on a fine grid of splits, written out with the two directions of one record."""
    one = WishartProfile(3, degrees, scale, adjacency=ADD_REMOVE)
    chains = []
    for step in range(201):
        part = epsilon * step / 200
        rest = epsilon - part
        vanish, appear = one.hockey_stick(part, PRESENT), one.hockey_stick(rest, ABSENT)
        chains.append(float(vanish) + math.exp(part) * float(appear))
        chains.append(float(appear) + math.exp(rest) * float(vanish))
    upper = float(WishartProfile(3, degrees, scale).delta(epsilon).upper())
    assert 0.99 * min(1, *chains) <= upper <= 1.01 * min(1, *chains)


def test_replacing_tends_to_one_record():
    assert WishartProfile(3, 6, 1).delta(30).rad() < 1e-6


def test_directions_and_exact_zero():
    profile = WishartProfile(2, 5, Fraction(1, 2), adjacency=ADD_REMOVE)  # r / 2c = 1
    assert profile.hockey_stick(1, PRESENT).is_zero()
    assert 0 < profile.hockey_stick(1 - Fraction(1, 10**50), PRESENT) < arb(10) ** -60
    for epsilon in (0, Fraction(1, 2), 3):
        larger = profile.hockey_stick(epsilon, ABSENT).max(profile.hockey_stick(epsilon, PRESENT))
        assert profile.delta(epsilon).overlaps(larger)
    total_variation = [profile.hockey_stick(0, direction) for direction in Direction]
    assert total_variation[0].overlaps(total_variation[1])


@pytest.mark.parametrize("direction", Direction)
def test_boxes_of_either_direction_enclose_their_corners(direction):
    box = WishartProfile(2, arb(6, 1), arb(0.5, 0.125), arb(1, 0.25), ADD_REMOVE)
    whole = box.hockey_stick(arb(0.25, 0.125), direction)
    for degrees in (5, 7):
        for scale in (0.375, 0.625):
            for squared_norm in (0.75, 1.25):
                for epsilon in (0.125, 0.375):
                    corner = WishartProfile(2, degrees, scale, squared_norm, ADD_REMOVE)
                    assert whole.contains(corner.hockey_stick(epsilon, direction).mid())


@pytest.mark.parametrize("degrees", [200, 20001, 2000001])
def test_large_degrees_and_tiny_deltas_keep_their_relative_accuracy(degrees):
    profile = WishartProfile(10, degrees, 1, adjacency=ADD_REMOVE)
    value = profile.delta(1)
    assert 0 < value < 1e-20
    assert value.rad() <= value.abs_lower() * arb(2) ** -40
    with precision(1000):
        sharper = profile.delta(1)
    assert sharper.overlaps(value)
    assert sharper.rel_accuracy_bits() > 900


def test_tiny_delta_against_a_series_in_exact_terms():
    """At k = 4, Gamma(2) has the lower tail 1 - (1 + z) e^-z, evaluated here with thousands of bits."""
    epsilon, shift = 400, Fraction(1, 1000)
    value = WishartProfile(1, 4, 1 / (2 * shift), adjacency=ADD_REMOVE).delta(epsilon)
    with mp.workprec(8000):
        x, e = as_mpf(shift), mpf(epsilon)
        far = x / (1 - mpmath.exp(-(x + e)))
        near = far - x

        def tail(z):
            return 1 - (1 + z) * mpmath.exp(-z)

        assert contains(value, tail(far) - mpmath.exp(e) * tail(near))


def test_non_integer_degrees_lie_between_integers():
    low, middle, high = (
        WishartProfile(3, degrees, 1, adjacency=ADD_REMOVE).delta(Fraction(1, 2)) for degrees in (6, 6.5, 7)
    )
    assert high < middle < low


@pytest.mark.parametrize(
    ("dimension", "degrees", "match"),
    [
        (3, 2, "degrees_of_freedom"),
        (3, Fraction(199, 100), "degrees_of_freedom"),
        (3, arb(2, 0.1), "degrees_of_freedom"),
        (3, float("nan"), "degrees_of_freedom"),
        (3, 1j, "degrees_of_freedom"),
        (0, 5, "dimension"),
        (2.0, 5, "dimension"),
    ],
)
def test_bad_shapes_are_refused(dimension, degrees, match):
    with pytest.raises(InvalidParameterError, match=match):
        WishartProfile(dimension, degrees, 1)


def test_other_bad_parameters_are_refused():
    for squared_norm in (0, -1, float("inf"), None):
        with pytest.raises(InvalidParameterError, match="squared_norm"):
            WishartProfile(2, 3, 1, squared_norm)
    with pytest.raises(InvalidParameterError, match="adjacency"):
        WishartProfile(2, 3, 1, 1, "replace-one")
    with pytest.raises(InvalidParameterError, match="degrees_of_freedom"):
        support_failure(3, 2, 1)
    for dimension in (0, True, Fraction(2)):
        with pytest.raises(InvalidParameterError, match="dimension"):
            WishartProfile(dimension, 3, 1)
    with pytest.raises(InvalidParameterError, match="direction"):
        WishartProfile(2, 3, 1).hockey_stick(1, "present")


def positive_part(epsilon, shift, degrees, *, present):
    """Integrate the positive part of one density less e^epsilon times the other, from the definition."""
    with mpmath.workdps(30):
        half, x, factor = mpmath.mpf(degrees) / 2, mpmath.mpf(shift), mpmath.exp(mpmath.mpf(epsilon))

        def absent(t):
            return t ** (half - 1) * mpmath.exp(-t) / mpmath.gamma(half) if t > 0 else mpmath.mpf(0)

        def excess(t):
            first, second = absent(t - x), absent(t)
            return max(mpmath.mpf(0), first - factor * second if present else second - factor * first)

        # Nodes gather at the poles, 0 and x.
        below = [x * (mpmath.mpf(i) / 100) ** 4 for i in range(101)]
        return mpmath.quad(excess, below + [x + (mpmath.mpf(i) / 200) ** 6 * 40 for i in range(1, 201)])


@pytest.mark.parametrize(("epsilon", "shift", "degrees"), [(0.5, 1, 1), (2, 1, 1), (2, 0.25, 1.5), (0, 1, 0.5)])
def test_few_degrees_of_freedom_agree_with_quadrature(epsilon, shift, degrees):
    # Below two degrees of freedom the densities have poles, and the loss is unbounded.
    for present, direction in ((True, Direction.PRESENT_AGAINST_ABSENT), (False, Direction.ABSENT_AGAINST_PRESENT)):
        profile = WishartProfile(3, degrees + 2, 0.5 / shift, adjacency=ADD_REMOVE)
        found = profile.hockey_stick(epsilon, direction)
        expected = float(positive_part(epsilon, shift, degrees, present=present))
        assert abs(float(found) - expected) < 1e-7
        # Control: one tenth of a degree more is another number.
        other = WishartProfile(3, degrees + 2.1, 0.5 / shift, adjacency=ADD_REMOVE).hockey_stick(epsilon, direction)
        assert abs(float(other) - expected) > 1e-5


def test_few_degrees_of_freedom_are_monotone():
    profiles = [WishartProfile(2, 2, scale, adjacency=ADD_REMOVE).delta(1) for scale in (1, 0.5, 0.25, 0.125)]
    assert all(first < second for first, second in pairwise(profiles))
    assert WishartProfile(2, 2, 1).delta(1) > 0.5
