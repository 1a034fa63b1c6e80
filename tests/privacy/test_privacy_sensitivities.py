"""Sensitivities against blind optimisation, and the norms of single differences against numerical linear algebra."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy.optimize import minimize

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import (
    Adjacency,
    Entries,
    frobenius_distance,
    frobenius_sensitivity,
    l1_distance,
    l1_sensitivity,
    largest_l1_difference,
    largest_orthogonal_difference,
    nuclear_distance,
    nuclear_sensitivity,
    spectral_distance,
    spectral_sensitivity,
)

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE


def difference(v, w):
    return np.outer(v, v) - np.outer(w, w)


NORMS = {
    "l1": (lambda m: np.abs(m).sum(), l1_sensitivity),
    "l1-upper": (
        lambda m: np.abs(m[np.triu_indices(len(m))]).sum(),
        lambda d, adjacency: l1_sensitivity(d, adjacency, Entries.UPPER_TRIANGLE),
    ),
    "frobenius": (lambda m: np.sqrt((m**2).sum()), frobenius_sensitivity),
    "frobenius-upper": (lambda m: np.sqrt((m[np.triu_indices(len(m))] ** 2).sum()), frobenius_sensitivity),
    "nuclear": (lambda m: np.linalg.norm(m, "nuc"), nuclear_sensitivity),
    "spectral": (lambda m: np.linalg.norm(m, 2), spectral_sensitivity),
}


def into_ball(x):
    return x / max(1.0, float(np.linalg.norm(x)))


def best_found(norm, dimension, adjacency, generator):
    """Largest norm that a local search from many starts finds, records projected into the unit ball."""

    def loss(x):
        w = into_ball(x[dimension:]) if adjacency is REPLACE else np.zeros(dimension)
        return -norm(difference(into_ball(x[:dimension]), w))

    best = 0.0
    for _ in range(12):
        found = minimize(loss, generator.normal(size=2 * dimension), method="Powell", options={"maxiter": 4000})
        best = max(best, -float(found.fun))
    return best


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
def test_blind_optimisation_finds_the_formula_and_no_more(name, adjacency, dimension):
    norm, sensitivity = NORMS[name]
    claimed = float(sensitivity(dimension, adjacency))
    found = best_found(norm, dimension, adjacency, np.random.default_rng(7))
    assert found <= claimed * (1 + 1e-12)
    assert found >= claimed * (1 - 1e-3)


@pytest.mark.parametrize("dimension", [5, 6, 9])
@pytest.mark.parametrize("entries", Entries)
def test_random_records_and_local_moves_around_the_pair_stay_below(dimension, entries):
    generator = np.random.default_rng(3)
    norm = NORMS["l1" if entries is Entries.FULL else "l1-upper"][0]
    claimed = float(l1_sensitivity(dimension, REPLACE, entries))
    v, w = (np.array(record) for record in largest_l1_difference(dimension, REPLACE, entries).floats())
    assert norm(difference(v, w)) == pytest.approx(claimed, rel=1e-12)
    for size in (1e-6, 1e-3, 1e-1, 10.0):
        for _ in range(500):
            moved = [into_ball(record + size * generator.normal(size=dimension)) for record in (v, w)]
            assert norm(difference(*moved)) <= claimed * (1 + 1e-12)


@pytest.mark.parametrize(
    ("dimension", "entries", "squared"),
    [
        (1, Entries.FULL, Fraction(1)),
        (1, Entries.UPPER_TRIANGLE, Fraction(1)),
        (2, Entries.FULL, Fraction(8)),
        (3, Entries.FULL, Fraction(17)),
        (10, Entries.FULL, Fraction(200)),
        (2, Entries.UPPER_TRIANGLE, Fraction(5)),
        (3, Entries.UPPER_TRIANGLE, Fraction(33, 4)),
        (10, Entries.UPPER_TRIANGLE, Fraction(61)),
    ],
)
def test_golden_replace_one_values(dimension, entries, squared):
    with precision(200):
        value = l1_sensitivity(dimension, REPLACE, entries) ** 2
        assert abs(value - arb(squared.numerator) / squared.denominator) < arb(2) ** -180


def test_golden_add_remove_values():
    assert l1_sensitivity(7, ADD_REMOVE) == 7
    assert l1_sensitivity(7, ADD_REMOVE, Entries.UPPER_TRIANGLE) == 4
    assert nuclear_sensitivity(7, ADD_REMOVE) == 1
    assert nuclear_sensitivity(7, REPLACE) == 2
    assert nuclear_sensitivity(1, REPLACE) == 1


@pytest.mark.parametrize(
    "sensitivity", [l1_sensitivity, frobenius_sensitivity, nuclear_sensitivity, spectral_sensitivity]
)
def test_sensitivities_scale_with_the_squared_norm_bound(sensitivity):
    for adjacency in Adjacency:
        whole = sensitivity(5, adjacency, norm_bound=Fraction(3, 2))
        assert whole.overlaps(sensitivity(5, adjacency) * arb(9) / 4)
        assert sensitivity(5, adjacency, norm_bound=0) == 0
        widened = sensitivity(5, adjacency, norm_bound=arb(1.5, 0.25))
        assert widened.contains(whole.mid())


@pytest.mark.parametrize("bits", [64, 512])
def test_the_working_precision_decides_the_radius(bits):
    with precision(bits):
        assert l1_sensitivity(9, REPLACE).rel_accuracy_bits() >= bits - 8


def test_distances_match_numerical_linear_algebra():
    generator = np.random.default_rng(5)
    for dimension in (1, 2, 3, 6):
        for _ in range(20):
            v, w = generator.normal(size=(2, dimension))
            matrix = difference(v, w)
            tolerance = {"rel": 1e-9, "abs": 1e-12}
            assert float(nuclear_distance(v, w)) == pytest.approx(NORMS["nuclear"][0](matrix), **tolerance)
            assert float(spectral_distance(v, w)) == pytest.approx(NORMS["spectral"][0](matrix), **tolerance)
            assert float(frobenius_distance(v, w)) == pytest.approx(NORMS["frobenius"][0](matrix), **tolerance)
            assert float(l1_distance(v, w)) == pytest.approx(NORMS["l1"][0](matrix), **tolerance)
            upper = l1_distance(v, w, Entries.UPPER_TRIANGLE)
            assert float(upper) == pytest.approx(NORMS["l1-upper"][0](matrix), **tolerance)


def test_equal_records_have_distance_zero():
    record = [Fraction(1, 3), Fraction(2, 3)]
    for distance in (l1_distance, frobenius_distance, nuclear_distance, spectral_distance):
        assert distance(record, record).contains(0)
        assert distance(record, record).is_finite()


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_unit_vectors_attain_the_unitarily_invariant_norms(dimension, adjacency):
    pair = largest_orthogonal_difference(dimension, adjacency)
    assert frobenius_distance(pair.first, pair.second).overlaps(frobenius_sensitivity(dimension, adjacency))
    assert nuclear_distance(pair.first, pair.second) == nuclear_sensitivity(dimension, adjacency)
    assert spectral_distance(pair.first, pair.second) == spectral_sensitivity(dimension, adjacency)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("entries", Entries)
def test_floats_of_a_pair_stay_in_the_unit_ball_and_lose_little(adjacency, entries):
    for dimension in range(1, 40):
        pair = largest_l1_difference(dimension, adjacency, entries)
        for record, exact in zip(pair.floats(), (pair.first, pair.second), strict=True):
            assert sum(Fraction(entry) ** 2 for entry in record) <= 1
            assert all(abs(arb(entry) - ideal) < 1e-15 for entry, ideal in zip(record, exact, strict=True))


def test_closed_forms_name_the_blocks_and_the_angle():
    assert largest_l1_difference(3, REPLACE).closed_form.endswith("tan 2a = 2 sqrt(2)/3")
    assert largest_l1_difference(3, REPLACE, Entries.UPPER_TRIANGLE).closed_form.endswith("tan 2a = 2 sqrt(2)/5")
    assert largest_l1_difference(3, ADD_REMOVE).closed_form == "v = (1, ..., 1)/sqrt(3), w = 0"


@pytest.mark.parametrize("dimension", [0, -1, 1.0, 2.5, True, None, "3", float("nan")])
def test_a_dimension_that_is_no_positive_integer_is_refused(dimension):
    for function in (l1_sensitivity, frobenius_sensitivity, nuclear_sensitivity, spectral_sensitivity):
        for adjacency in Adjacency:
            with pytest.raises(InvalidParameterError, match="dimension"):
                function(dimension, adjacency)
    for function in (largest_l1_difference, largest_orthogonal_difference):
        with pytest.raises(InvalidParameterError, match="dimension"):
            function(dimension, REPLACE)


@pytest.mark.parametrize("bound", [-1, float("nan"), float("inf"), 1j, None, arb("nan"), arb(0, 1)])
def test_a_norm_bound_outside_its_domain_is_refused(bound):
    with pytest.raises(InvalidParameterError, match="norm_bound"):
        l1_sensitivity(3, REPLACE, norm_bound=bound)


def test_unknown_options_are_refused():
    for function in (l1_sensitivity, frobenius_sensitivity, nuclear_sensitivity, spectral_sensitivity):
        with pytest.raises(InvalidParameterError, match="adjacency"):
            function(3, "replace-one")
    with pytest.raises(InvalidParameterError, match="entries"):
        l1_sensitivity(3, REPLACE, "full")
    with pytest.raises(InvalidParameterError, match="entries"):
        l1_distance([1], [0], "full")
    for function in (largest_l1_difference, largest_orthogonal_difference):
        with pytest.raises(InvalidParameterError, match="adjacency"):
            function(3, "replace-one")


@pytest.mark.parametrize(
    ("first", "second"), [([], []), ([1], [1, 2]), ([float("nan")], [1]), ([1], [1j]), ([arb("inf")], [0])]
)
def test_bad_records_are_refused(first, second):
    with pytest.raises(InvalidParameterError):
        nuclear_distance(first, second)
