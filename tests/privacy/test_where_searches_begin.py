"""What each calibration hands to the search: a profile at a scale, the guarantee, the tolerance, and where to begin."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from dpmatrix.exact import fraction, rational
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
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
    least_noise,
)

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
PROMISE = PrivacyGuarantee(1, Fraction(1, 1000), REPLACE)
SIZE, SCALE, TOLERANCE = Fraction(12), Fraction(3, 2), Fraction(1, 7)

SEARCHES = {
    "laplace": (lambda t: calibrate_laplace(SIZE, PROMISE, t), lambda: LaplaceProfile(12, SCALE), 8),
    "gaussian": (lambda t: calibrate_gaussian(SIZE, PROMISE, t), lambda: GaussianProfile(12, SCALE), 8),
    "wishart": (
        lambda t: calibrate_wishart(3, 7, PROMISE, SIZE, t),
        lambda: WishartProfile(3, 7, SCALE, 12, REPLACE),
        8,
    ),
    "discrete laplace": (
        lambda t: calibrate_discrete_laplace(12, PROMISE, t),
        lambda: DiscreteLaplaceProfile(12, SCALE),
        8,
    ),
    "discrete gaussian": (
        lambda t: calibrate_discrete_gaussian(81, PROMISE, 3, t),
        lambda: DiscreteGaussianProfile(81, SCALE**2, 3),
        8,
    ),
    "sketch": (
        lambda t: calibrate_sketch(5, PROMISE, SIZE, t),
        lambda: SketchProfile(5, SCALE, 12, REPLACE),
        8,
    ),
    "score": (lambda t: calibrate_score(SIZE, PROMISE, t), lambda: BoundedRangeProfile(8), 8),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_the_search_is_for_the_profile_of_the_noise_and_begins_near_the_sensitivity(name, monkeypatch) -> None:
    """A power of two within a factor of two of 12, or of the root of 81."""
    calibration, profile, unit = SEARCHES[name]
    handed = []

    def search(family, guarantee, tolerance, unit):
        handed.append((family(SCALE), guarantee, tolerance, unit))
        return Fraction(5)

    monkeypatch.setattr(least_noise, "calibrate", search)
    answer = calibration(TOLERANCE)
    assert answer == {"discrete gaussian": 25, "score": Fraction(1, 5)}.get(name, 5)
    ((found, guarantee, tolerance, begin),) = handed
    assert (guarantee, tolerance, begin) == (PROMISE, TOLERANCE, unit)
    for epsilon in (Fraction(0), Fraction(1, 3)):
        ends, expected = found.delta(epsilon), profile().delta(epsilon)
        assert abs(ends.lower() - expected.lower()) < 1e-12
        assert abs(ends.upper() - expected.upper()) < 1e-12


@pytest.mark.parametrize(("size", "unit"), [(Fraction(1, 12), Fraction(1, 8)), (Fraction(5, 3), 2), (1, 1)])
def test_the_search_begins_at_a_power_of_two_near_any_sensitivity(size, unit, monkeypatch) -> None:
    begun = []
    monkeypatch.setattr(least_noise, "calibrate", lambda *handed: begun.append(handed[-1]) or Fraction(1))
    calibrate_gaussian(size, PROMISE)
    assert begun == [unit]


def test_records_of_unit_length_and_one_coordinate_are_meant_where_nothing_is_said() -> None:
    assert calibrate_wishart(2, 5, PROMISE) == calibrate_wishart(2, 5, PROMISE, 1)
    assert calibrate_sketch(3, PROMISE) == calibrate_sketch(3, PROMISE, 1)
    assert calibrate_discrete_gaussian(9, PROMISE) == calibrate_discrete_gaussian(9, PROMISE, 1)
    assert calibrate_wishart_degrees(2, PROMISE) == calibrate_wishart_degrees(2, PROMISE, 1, 1)
    assert calibrate_wishart_degrees(2, PROMISE, Fraction(1, 2)) > calibrate_wishart_degrees(2, PROMISE)


@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_degrees_of_freedom_are_sought_from_the_dimension_plus_one(dimension: int) -> None:
    """At d + 1 delta is 1 - exp(-1 / 2c) at every epsilon."""
    scale = Fraction(10)
    delta = rational(Fraction(489, 10_000))
    assert 1 - (-arb(1) / 20).exp() < arb(delta)
    enough = PrivacyGuarantee(1, fraction(delta), ADD_REMOVE)
    assert calibrate_wishart_degrees(dimension, enough, scale) == dimension + 1
    # A guarantee that d degrees of freedom would meet as well.
    weak = PrivacyGuarantee(1, Fraction(9, 10), ADD_REMOVE)
    assert WishartProfile(dimension, dimension, scale, 1, ADD_REMOVE).delta(1) < 0.9
    assert calibrate_wishart_degrees(dimension, weak, scale) == dimension + 1
    assert calibrate_wishart_degrees(dimension, PrivacyGuarantee(1, Fraction(1, 50), ADD_REMOVE), scale) > dimension + 1


@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(5)])
def test_pure_noise_is_the_sensitivity_over_epsilon(epsilon: Fraction) -> None:
    pure = PrivacyGuarantee(epsilon, 0, REPLACE)
    assert calibrate_laplace(SIZE, pure) == 12 / epsilon
    assert calibrate_discrete_laplace(12, pure) == 12 / epsilon
    assert calibrate_score(SIZE, pure) == epsilon / 12
    wide = arb(12, 0.5)
    assert abs(calibrate_laplace(wide, pure) * epsilon - Fraction(25, 2)) < Fraction(1, 10**6)
    assert abs(epsilon / calibrate_score(wide, pure) - Fraction(25, 2)) < Fraction(1, 10**6)
