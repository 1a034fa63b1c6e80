"""Sketch profiles against quadrature of the two laws, simulated sketches and extreme parameters."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from mpmath import mpf
from scipy.stats import chi2

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import Adjacency, PrivacyProfile, SketchProfile

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
DRAWS = 200_000


def as_mpf(number):
    return mpf(number.numerator) / number.denominator


def random_point(generator):
    rows, floor = int(generator.integers(1, 13)), Fraction(int(generator.integers(400, 3000)), 1000)
    norm, epsilon = Fraction(int(generator.integers(500, 1500)), 1000), Fraction(int(generator.integers(0, 2500)), 1000)
    return rows, floor, norm, epsilon


def divergences(integrate, rows, spread, epsilon):
    """Integrate both positive parts, for the root of half the sum of squares, whose density is an entire function."""
    weight, factor = mpmath.exp(epsilon), 2 / mpmath.gamma(mpf(rows) / 2)

    def narrow(u):
        return factor * u ** (rows - 1) * mpmath.exp(-u * u)

    root = mpmath.sqrt(spread)

    def wide(u):
        return narrow(u / root) / root

    def crossing(first, second):
        """Find where first = second by bisection: the ratio is monotone, so there is one crossing at most."""
        lower, upper = mpf(10) ** -30, mpf(60) * root
        if (first(lower) > second(lower)) == (first(upper) > second(upper)):
            return None
        below = first(lower) > second(lower)
        for _ in range(225):
            middle = (lower + upper) / 2
            lower, upper = (middle, upper) if (first(middle) > second(middle)) == below else (lower, middle)
        return lower

    end = 13 * root + mpmath.sqrt(rows)
    shrinking = crossing(narrow, lambda u: weight * wide(u))
    growing = crossing(wide, lambda u: weight * narrow(u))
    inside = mpf(0)
    if shrinking is not None:
        inside = integrate(lambda u: narrow(u) - weight * wide(u), [0, shrinking])
    pieces = [growing + (end - growing) * mpf(i) / 3 for i in range(4)]
    return inside, integrate(lambda u: wide(u) - weight * narrow(u), pieces)


@pytest.mark.parametrize("seed", range(10))
def test_two_hundred_random_sketches_contain_quadrature(seed, integrate, agrees):
    generator, missed = np.random.default_rng(100 + seed), 0
    for _ in range(20):
        rows, floor, norm, epsilon = random_point(generator)
        expected = max(divergences(integrate, rows, as_mpf(1 + norm**2 / floor**2), as_mpf(epsilon)))
        assert agrees(SketchProfile(rows, floor, norm).delta(epsilon), expected)
        assert SketchProfile(rows, floor, norm, REPLACE).delta(epsilon).upper() > arb(mpmath.nstr(expected, 30))
        missed += not agrees(SketchProfile(rows, floor * Fraction(101, 100), norm).delta(epsilon), expected)
    assert missed == 20  # control: a floor that is 1 % off is seen every time


def test_quadrature_is_what_the_chi_square_distribution_gives(integrate):
    rows, spread, epsilon = 5, 1.8, 0.3
    cut = 2 * spread / (spread - 1) * (rows / 2 * np.log(spread) + epsilon)
    growing = chi2.sf(cut / spread, rows) - np.exp(epsilon) * chi2.sf(cut, rows)
    assert float(divergences(integrate, rows, mpf(spread), mpf(epsilon))[1]) == pytest.approx(growing, rel=1e-12)


def sketch_bounds(first, second, rows, epsilon, seed, interval):
    """Interval for the divergence of the sketches of two data sets, from whole matrices and their densities."""
    generator, ends = np.random.default_rng(seed), []
    covariances = [first.T @ first, second.T @ second]
    for data in (first, second):
        released = np.einsum("rin,nd->rid", generator.standard_normal((DRAWS, rows, len(data))), data)
        one, other = (
            -np.einsum("rid,de,rie->r", released, np.linalg.inv(covariance), released) / 2
            - rows / 2 * np.linalg.slogdet(covariance)[1]
            for covariance in covariances
        )
        ends.append(interval(int(np.count_nonzero(one > other + epsilon)), DRAWS))
    (low, high), (low_other, high_other) = ends
    return low - np.exp(epsilon) * high_other, high - np.exp(epsilon) * low_other


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize(("rows", "epsilon"), [(2, 0.0), (4, 0.25)])
def test_simulated_sketches_agree(rows, epsilon, forward, probability_interval):
    """Two intervals of error 1e-10 each; the control differs by more than both can span."""
    floor, record = Fraction(3, 2), np.array([[0.6, 0.8]])
    data = 1.5 * np.eye(2)
    pair = (data, np.vstack([data, record]))
    low, high = sketch_bounds(*(pair if forward else pair[::-1]), rows, epsilon, 7, probability_interval)
    profile = SketchProfile(rows, floor)
    assert low <= float(profile.delta(epsilon))
    if not forward:
        assert float(profile.delta(epsilon)) <= high  # the wider law tells more, so that direction attains delta
        assert float(SketchProfile(rows, Fraction(6, 5)).delta(epsilon)) > high
        assert float(SketchProfile(rows, 2).delta(epsilon)) < low


def test_simulated_replacement_stays_below_the_bound_and_above_one_record(probability_interval):
    data, rows, epsilon = np.eye(2), 6, 0.2
    pair = [np.vstack([data, [record]]) for record in ((1.0, 0.0), (0.0, 1.0))]
    low, high = sketch_bounds(*pair, rows, epsilon, 9, probability_interval)
    bound = SketchProfile(rows, 1, adjacency=REPLACE).delta(epsilon)
    assert low <= float(bound.upper())
    assert high >= float(SketchProfile(rows, 1).delta(epsilon))
    # Control: data twice as large would hide more than these data do.
    assert low > float(SketchProfile(rows, 2, adjacency=REPLACE).delta(epsilon).upper())


def test_data_that_are_larger_than_the_floor_hide_more(probability_interval):
    data, record = np.diag([1.5, 3.0]), np.array([[0.0, 1.0]])
    _, high = sketch_bounds(np.vstack([data, record]), data, 4, 0.1, 11, probability_interval)
    assert high < float(SketchProfile(4, Fraction(3, 2)).delta(0.1))


@pytest.mark.parametrize(
    ("rows", "floor", "epsilon"),
    [(3, 1, 1000), (3, 2**60, 0), (3, 2**60, Fraction(1, 2**60)), (1, Fraction(1, 2**60), 5), (10**6, 10**3, 2)],
)
def test_extreme_parameters_keep_relative_accuracy(rows, floor, epsilon):
    value = SketchProfile(rows, floor).delta(epsilon)
    assert 0 < value < 1.001
    assert value.rad() <= value.abs_lower() * arb(2) ** -40
    with precision(400):
        sharper = SketchProfile(rows, floor).delta(epsilon)
    assert sharper.overlaps(value)
    assert sharper.rel_accuracy_bits() > 350


def test_a_tiny_delta_agrees_with_thousands_of_bits():
    """At r = 2 the sum of squares is exponential: delta = (1 - 1/(1+l)) times a power, in closed form."""
    value = SketchProfile(2, 1).delta(600)
    with mpmath.mp.workdps(500):
        spread = mpf(2)
        cut = spread / (spread - 1) * (mpmath.log(spread) + 600)
        exact = mpmath.exp(-cut / spread) - mpmath.exp(600 - cut)
        assert value.overlaps(arb(mpmath.nstr(exact, 40)) * (1 + arb(0, 1e-35)))
    assert value < arb(10) ** -250
    assert SketchProfile(2, 1).delta(1000) < arb(10) ** -400


def test_an_epsilon_beyond_the_greatest_loss_leaves_one_direction():
    """Above r log(1 + l) / 2 the shrinking direction is an exact zero, and delta is the growing one, not zero."""
    assert 0 < SketchProfile(1, 100).delta(1) < arb(10) ** -2000


def test_boxes_enclose_their_points():
    generator = np.random.default_rng(3)
    for relation in Adjacency:
        box = SketchProfile(4, arb(2, 0.25), arb(1, 0.125), relation).delta(arb(0.5, 0.125))
        draws = (generator.uniform(*ends, 25) for ends in ((1.75, 2.25), (0.875, 1.125), (0.375, 0.625)))
        for floor, norm, epsilon in zip(*draws, strict=True):
            assert box.contains(SketchProfile(4, floor, norm, relation).delta(epsilon))
        assert not box.contains(SketchProfile(4, 1).delta(0.5))


def test_kinds_of_number():
    expected = SketchProfile(4, 2, 1).delta(Fraction(1, 2))
    kinds = [np.float64, Fraction, fmpq, arb, np.int64]
    for kind in kinds:
        assert SketchProfile(np.int64(4), kind(2), kind(1)).delta(np.float64(0.5)).overlaps(expected)
    assert isinstance(SketchProfile(4, 2), PrivacyProfile)
    assert SketchProfile(4, 2).is_exact
    assert not SketchProfile(4, 2, adjacency=REPLACE).is_exact
    assert not SketchProfile(4, arb(2, 0.5)).is_exact


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, 1), "rows"),
        ((True, 1), "rows"),
        ((2.0, 1), "rows"),
        ((2, 0), "floor"),
        ((2, -1), "floor"),
        ((2, float("nan")), "floor"),
        ((2, arb(1, 1)), "floor"),
        ((2, "1"), "floor"),
        ((2, 1, 0), "norm_bound"),
        ((2, 1, float("inf")), "norm_bound"),
        ((2, 1, 1, "replace"), "adjacency"),
    ],
)
def test_bad_parameters_are_refused(arguments, name):
    with pytest.raises(InvalidParameterError) as caught:
        SketchProfile(*arguments)
    assert caught.value.parameter == name


@pytest.mark.parametrize("epsilon", [-1, float("nan"), arb(0, 1), None, 1j])
def test_a_bad_epsilon_is_refused(epsilon):
    with pytest.raises(InvalidParameterError, match="epsilon"):
        SketchProfile(2, 1).delta(epsilon)
