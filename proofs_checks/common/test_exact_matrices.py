"""The matrices that evidence is tried at are of the kind that their names say."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat

from proofs_checks.exact_matrices import cayley, conjugated, correlated, diagonal, line, rotation, scalars


def test_diagonal_and_scalars_hold_the_values_exactly() -> None:
    assert diagonal([Fraction(1, 3), 2]) == fmpq_mat([[fmpq(1, 3), 0], [0, 2]])
    assert diagonal([]) == fmpq_mat(0, 0)
    assert scalars(Fraction(1, 3), 2) == (fmpq_mat([[fmpq(1, 3)]]), fmpq_mat([[2]]))


@pytest.mark.parametrize("vector", [(1, 2), (3, -1, 4), (0, 0, 5, 7)])
def test_a_line_is_a_projection_of_rank_one_that_keeps_its_vector(vector) -> None:
    projection, column = line(*vector), fmpq_mat([[x] for x in vector])
    assert projection * projection == projection == projection.transpose()
    assert projection.rank() == 1
    assert projection * column == column


def test_correlations_are_read_row_by_row() -> None:
    assert correlated() == fmpq_mat([[1]])
    assert correlated(Fraction(1, 2), 2, 3) == fmpq_mat([[1, fmpq(1, 2), 2], [fmpq(1, 2), 1, 3], [2, 3, 1]])
    with pytest.raises(StopIteration):
        correlated(1, 2)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("scale", [1, 5, 900])
def test_rotations_are_orthogonal_of_determinant_one_and_follow_their_draws(order, scale) -> None:
    turned = rotation(random.Random(7), order, scale)
    unit = diagonal([1] * order)
    assert turned * turned.transpose() == unit
    assert turned.det() == 1
    assert turned == rotation(random.Random(7), order, scale)
    if order > 1:
        assert turned not in (unit, rotation(random.Random(8), order, scale))
        assert max(abs(x) for x in (turned - unit).entries()) < fmpq(200, scale)


def test_the_cayley_transform_of_a_symmetric_matrix_is_the_identity() -> None:
    assert cayley(fmpq_mat([[1, 2], [2, 5]])) == diagonal([1, 1])
    assert cayley(fmpq_mat([[0, 1], [0, 0]])) == fmpq_mat([[0, -1], [1, 0]])


def test_a_conjugated_matrix_has_the_given_spectrum() -> None:
    frame = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])
    matrix = conjugated((5, Fraction(1, 2)), frame)
    first = fmpq_mat([[fmpq(3, 5)], [fmpq(4, 5)]])
    assert matrix * first == 5 * first
    assert matrix[0, 0] + matrix[1, 1] == fmpq(11, 2)
