"""The Loewner order, decided rigorously: exactly for rational matrices, three-valued for matrices of balls."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.claims import Truth
from dpmatrix.errors import InvalidParameterError

Symmetric: TypeAlias = fmpq_mat | arb_mat
Number = TypeVar("Number", fmpq, arb)


def positive_semidefinite(matrix: Symmetric) -> Truth:
    """Decide whether a symmetric matrix is positive semidefinite.

    An LDL' elimination that always pivots on the largest diagonal entry. A rational matrix gets an exact answer. For
    balls the answer is TRUE or FALSE only if it is the same for every symmetric matrix in the enclosure, and a
    matrix of balls that touches a singular one stays undecided unless some two by two minor is certainly negative.

    Parameters
    ----------
    matrix
        Square matrix, symmetric for rationals; of a matrix of balls the lower triangle is read.

    Raises
    ------
    InvalidParameterError
        If the matrix is not square, or rational and not symmetric.
    """
    if matrix.nrows() != matrix.ncols():
        raise InvalidParameterError("matrix", "it is not square", "pass a symmetric matrix")
    if isinstance(matrix, fmpq_mat):
        if matrix != matrix.transpose():
            raise InvalidParameterError("matrix", "it is not symmetric", "pass a symmetric matrix")
        return _decide([list(line) for line in matrix.tolist()])
    return _decide([list(line) for line in matrix.tolist()])


def precedes(small: Symmetric, large: Symmetric) -> Truth:
    """Decide ``small <= large`` in the Loewner order; see `positive_semidefinite`."""
    return positive_semidefinite(large - small)


def _decide(rest: list[list[Number]]) -> Truth:
    """Eliminate pivots that are certainly positive; the Schur complement decides what is left."""
    places = list(range(len(rest)))
    while places:
        if any(rest[i][i] < 0 for i in places):
            return Truth.FALSE
        certain = [i for i in places if rest[i][i] > 0]
        if not certain:
            return _without_pivot(rest, places)
        pivot = max(certain, key=lambda i: float(rest[i][i]))
        places.remove(pivot)
        for i in places:
            factor = _entry(rest, i, pivot) / rest[pivot][pivot]
            for j in places:
                if j <= i:
                    rest[i][j] = rest[i][j] - factor * _entry(rest, j, pivot)
    return Truth.TRUE


def _entry(rest: list[list[Number]], i: int, j: int) -> Number:
    return rest[i][j] if i >= j else rest[j][i]


def _without_pivot(rest: list[list[Number]], places: list[int]) -> Truth:
    """Decide a matrix whose diagonal holds nothing that is certainly positive or certainly negative."""
    entries = [rest[i][j] for i in places for j in places if j <= i]
    if all(entry == 0 for entry in entries):
        return Truth.TRUE
    for i in places:
        for j in places:
            if j < i and rest[i][i] * rest[j][j] - rest[i][j] * rest[i][j] < 0:
                return Truth.FALSE
    return Truth.UNDECIDED
