"""The Loewner order between exact symmetric matrices, and Gram matrices of row streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.spectra import nonnegative_spectrum


def precedes_margin(small: fmpq_mat, large: fmpq_mat) -> arb:
    """Non-negative exactly when ``small`` precedes ``large`` in the Loewner order."""
    return nonnegative_spectrum(large - small)


def precedes(small: fmpq_mat, large: fmpq_mat) -> bool:
    """Whether ``large - small`` is positive semidefinite, decided exactly."""
    return bool(precedes_margin(small, large) >= 0)


def scaled(factor: Exact, matrix: fmpq_mat) -> fmpq_mat:
    """``factor * matrix``."""
    return rational(factor) * matrix


def are_symmetric(matrices: Iterable[fmpq_mat], order: int) -> bool:
    """Whether all are symmetric of that order; `precedes` says nothing of other matrices."""
    return all((each.nrows(), each.ncols()) == (order, order) and each == each.transpose() for each in matrices)


def gram(matrix: fmpq_mat) -> fmpq_mat:
    """``A'A``."""
    return matrix.transpose() * matrix


def zeros(rows: int, columns: int) -> fmpq_mat:
    """Zero matrix."""
    return fmpq_mat(rows, columns, [0] * (rows * columns))


def row(matrix: fmpq_mat, number: int) -> fmpq_mat:
    """Row ``number``, counted from 1, as a 1 x d matrix."""
    return fmpq_mat([matrix.tolist()[number - 1]])


def between(matrix: fmpq_mat, first: int, last: int) -> fmpq_mat:
    """Gram matrix of the rows ``first`` to ``last``, counted from 1: zero when there are none."""
    total = zeros(matrix.ncols(), matrix.ncols())
    for number in range(max(first, 1), min(last, matrix.nrows()) + 1):
        total += gram(row(matrix, number))
    return total


def squared_norm(vector: fmpq_mat) -> fmpq:
    """Sum of the squared entries."""
    return sum((entry * entry for entry in vector.entries()), fmpq(0))


def flag(holds: bool) -> arb:
    """0 for true, -1 for false: the margin of an assertion that has no distance."""
    return arb(0 if holds else -1)


def least(margins: Sequence[arb]) -> arb:
    """Least of some margins."""
    smallest = margins[0]
    for margin in margins[1:]:
        smallest = smallest.min(margin)
    return smallest
