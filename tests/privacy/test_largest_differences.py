"""Pairs of records that attain a sensitivity: unit records, in closed form and in floats, and refused records."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import (
    Adjacency,
    Entries,
    frobenius_distance,
    l1_distance,
    l1_sensitivity,
    largest_l1_difference,
    largest_orthogonal_difference,
    nuclear_distance,
    spectral_distance,
)

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
FULL, UPPER = Entries.FULL, Entries.UPPER_TRIANGLE
DISTANCES = [l1_distance, frobenius_distance, nuclear_distance, spectral_distance]


def squared_norm(record) -> arb:
    return sum((entry * entry for entry in record), arb(0))


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("entries", Entries)
@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 7, 10])
def test_a_pair_of_unit_records_attains_the_sensitivity(dimension, entries, adjacency) -> None:
    pair = largest_l1_difference(dimension, adjacency, entries)
    found, claimed = l1_distance(pair.first, pair.second, entries), l1_sensitivity(dimension, adjacency, entries)
    assert abs(found - claimed) < 1e-12
    assert len(pair.first) == len(pair.second) == dimension
    assert abs(squared_norm(pair.first) - 1) < 1e-14
    replaced = adjacency is REPLACE and dimension > 1
    assert abs(squared_norm(pair.second) - int(replaced)) < 1e-14


@pytest.mark.parametrize(("entries", "base"), [(FULL, 5), (UPPER, 7)])
def test_a_pair_is_the_angle_of_its_closed_form(entries, base) -> None:
    """Blocks of three and two coordinates."""
    angle = math.atan2(2 * math.sqrt(6), base) / 2
    pair = largest_l1_difference(5, REPLACE, entries)
    first = [math.cos(angle) / math.sqrt(3)] * 3 + [math.sin(angle) / math.sqrt(2)] * 2
    second = [-math.sin(angle) / math.sqrt(3)] * 3 + [math.cos(angle) / math.sqrt(2)] * 2
    assert [float(entry) for entry in pair.first] == pytest.approx(first, rel=1e-14)
    assert [float(entry) for entry in pair.second] == pytest.approx(second, rel=1e-14)
    assert pair.closed_form == (
        "v = (cos a/sqrt(3) x 3, sin a/sqrt(2) x 2), w = (-sin a/sqrt(3) x 3, cos a/sqrt(2) x 2), "
        f"tan 2a = 2 sqrt(6)/{base}"
    )


@pytest.mark.parametrize(
    ("dimension", "adjacency", "first", "second", "closed_form"),
    [
        (3, REPLACE, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], "v = e_1, w = e_2"),
        (2, REPLACE, [1.0, 0.0], [0.0, 1.0], "v = e_1, w = e_2"),
        (1, REPLACE, [1.0], [0.0], "v = e_1, w = 0"),
        (2, ADD_REMOVE, [1.0, 0.0], [0.0, 0.0], "v = e_1, w = 0"),
    ],
)
def test_unit_vectors_are_floats_as_they_are(dimension, adjacency, first, second, closed_form) -> None:
    pair = largest_orthogonal_difference(dimension, adjacency)
    assert repr(pair.floats()) == repr((first, second)), "no zero has a sign"
    assert pair.closed_form == closed_form


@pytest.mark.parametrize("dimension", [2, 3, 6, 11, 12])
@pytest.mark.parametrize("entries", Entries)
def test_floats_are_the_coordinates_rounded_towards_zero(dimension, entries) -> None:
    with precision(200):
        sharp = largest_l1_difference(dimension, REPLACE, entries)
        for floats, exact in zip(sharp.floats(), (sharp.first, sharp.second), strict=True):
            for number, coordinate in zip(floats, exact, strict=True):
                assert abs(arb(number)) <= abs(coordinate)
                assert abs(arb(math.nextafter(number, 2 * number))) > abs(coordinate)
                assert (number < 0) == (coordinate < 0)


@pytest.mark.parametrize("first", [[Fraction(1, 3), -2, 0.5], [0, 0, 0], [1, 1, 1]])
@pytest.mark.parametrize("second", [[Fraction(1, 3), -2, 0.5], [Fraction(-7, 2), 1, 1], [0, 3, 0]])
def test_norms_of_a_difference_from_its_entries_and_its_two_eigenvalues(first, second) -> None:
    """The trace t and half the squared norm less t^2 give the eigenvalues, as the rank is at most two."""
    v, w = ([Fraction(entry) for entry in record] for record in (first, second))
    matrix = [[v[i] * v[j] - w[i] * w[j] for j in range(3)] for i in range(3)]
    squared = sum(entry**2 for row in matrix for entry in row)
    trace = sum(matrix[i][i] for i in range(3))
    root = math.sqrt(2 * squared - trace**2)
    upper, lower = (float(trace) + root) / 2, (float(trace) - root) / 2
    found = [float(distance(first, second)) for distance in DISTANCES]
    expected = [
        float(sum(abs(entry) for row in matrix for entry in row)),
        math.sqrt(squared),
        abs(upper) + abs(lower),
        max(abs(upper), abs(lower)),
    ]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-6)
    triangle = float(sum(abs(matrix[i][j]) for i in range(3) for j in range(i, 3)))
    assert float(l1_distance(first, second, UPPER)) == pytest.approx(triangle, rel=1e-12)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ([], [], "second"),
        ([1], [1, 2], "second"),
        ([1, 2], [1], "second"),
        ([float("nan")], [1], "first"),
        ([1, 2], [1, 1j], "second"),
        ([arb("inf")], [0], "first"),
        ([fmpq(1)], ["1"], "second"),
    ],
)
def test_the_record_that_is_refused_is_named(distance, first, second, name) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        distance(first, second)
    assert caught.value.parameter == name
