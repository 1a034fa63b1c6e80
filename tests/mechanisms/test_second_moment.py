"""The second-moment matrix is exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.second_moment import (
    exact_symmetric,
    is_positive_definite,
    is_positive_semidefinite,
    second_moment,
)

wild = st.floats(allow_nan=False, allow_infinity=False)
rows_of_two = st.lists(st.lists(wild, min_size=2, max_size=2), min_size=0, max_size=5)


def fractions_of(matrix):
    return [Fraction(int(entry.p), int(entry.q)) for entry in matrix.entries()]


@settings(max_examples=200, deadline=None)
@given(rows_of_two, st.integers(1, 1000))
def test_second_moment_equals_the_sum_of_fractions(rows, divisor):
    records = np.array(rows, dtype=float).reshape(-1, 2)
    expected = [
        sum((Fraction(row[i]) * Fraction(row[j]) for row in rows), Fraction(0)) / divisor
        for i in range(2)
        for j in range(2)
    ]
    assert fractions_of(second_moment(records, divisor)) == expected


def test_second_moment_over_several_blocks():
    records = np.random.default_rng(1).standard_normal((9000, 2))
    total = sum(Fraction(x) * Fraction(y) for x, y in records.tolist())
    assert fractions_of(second_moment(records, 7))[1] == total / 7


@pytest.mark.parametrize(
    ("entries", "definite", "semidefinite"),
    [
        ([[1, 0], [0, 1]], True, True),
        ([[1, 1], [1, 1]], False, True),
        ([[0, 0], [0, 0]], False, True),
        ([[1, 2], [2, 1]], False, False),
        ([[-1, 0], [0, -1]], False, False),
        ([[fmpq(1), fmpq(1)], [fmpq(1), fmpq(1) + fmpq(1, 10**40)]], True, True),
        ([[fmpq(1), fmpq(1)], [fmpq(1), fmpq(1) - fmpq(1, 10**40)]], False, False),
        ([[0, 0, 0], [0, 1, 0], [0, 0, -1]], False, False),
    ],
)
def test_definiteness_is_decided_exactly(entries, definite, semidefinite):
    matrix = fmpq_mat(entries)
    assert is_positive_definite(matrix) is definite
    assert is_positive_semidefinite(matrix) is semidefinite


@pytest.mark.parametrize(
    "matrix", [[[1.0]], [[1.0, 2.0], [3.0, 1.0]], [[np.nan, 0], [0, 1.0]], [[1j, 0], [0, 1]], [["a", "b"], ["b", "a"]]]
)
def test_outputs_must_be_real_symmetric_matrices(matrix):
    with pytest.raises(InvalidParameterError, match="output"):
        exact_symmetric(matrix, 2)
