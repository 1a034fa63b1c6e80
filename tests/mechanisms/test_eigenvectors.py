"""A matrix is scaled to entries of modulus one at most before its eigenvectors are computed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import Release
from dpmatrix.mechanisms.eigenvectors import principal_components, scaled_matrix
from dpmatrix.privacy.adjacency import Adjacency


def released(matrix: list[list[int]]) -> Release:
    return Release(
        integers=np.array(matrix, dtype=object),
        grid=Fraction(1, 4),
        guarantee=None,
        mechanism="none",
        adjacency=Adjacency.REPLACE_ONE,
        entropy="none",
    )


@pytest.mark.parametrize("unit", [1, -1, 3, -(10**400)])
@pytest.mark.parametrize("matrix", [[[1]], [[1, 0], [0, -1]], [[0, -1], [-1, 0]], [[-2, 1, 0], [1, 1, 2], [0, 2, -1]]])
def test_the_largest_entry_becomes_one(unit: int, matrix: list[list[int]]) -> None:
    largest = max(abs(entry) for row in matrix for entry in row)
    found = scaled_matrix(released([[unit * entry for entry in row] for row in matrix]))
    assert found.tolist() == [[(1 if unit > 0 else -1) * entry / largest for entry in row] for row in matrix]


def test_zero_stays_zero_and_any_frame_is_an_answer() -> None:
    zero = released([[0] * 3] * 3)
    assert scaled_matrix(zero).tolist() == [[0.0] * 3] * 3
    for rank in (1, 2, 3):
        frame = principal_components(zero, rank).value
        assert np.array_equal(frame.T @ frame, np.eye(rank))


@pytest.mark.parametrize("matrix", [[[1, 2]], [[1], [2]], [[0, 1], [-1, 0]]])
def test_other_matrices_are_refused(matrix: list[list[int]]) -> None:
    with pytest.raises(InvalidParameterError, match="not a symmetric matrix; take its symmetric part"):
        scaled_matrix(released(matrix))
