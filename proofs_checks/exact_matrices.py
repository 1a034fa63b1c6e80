"""Rational matrices of a wanted kind, to try statements at: shared by the evidence, no evidence by itself."""

from __future__ import annotations

import random
from collections.abc import Sequence

from flint import fmpq, fmpq_mat

from dpmatrix.exact import Exact, rational


def diagonal(values: Sequence[Exact]) -> fmpq_mat:
    size = len(values)
    return fmpq_mat(size, size, [rational(values[i]) if i == j else 0 for i in range(size) for j in range(size)])


def scalars(*values: Exact) -> tuple[fmpq_mat, ...]:
    """Matrices of one entry each."""
    return tuple(fmpq_mat([[rational(value)]]) for value in values)


def line(*vector: int) -> fmpq_mat:
    """Projection of rank 1 onto a vector."""
    length = sum(x * x for x in vector)
    return fmpq_mat([[fmpq(a * b, length) for b in vector] for a in vector])


def correlated(*values: Exact) -> fmpq_mat:
    """Give a unit diagonal with the given upper triangle, row by row."""
    size = next(p for p in range(1, len(values) + 2) if p * (p - 1) // 2 == len(values))
    rest = iter(values)
    matrix = diagonal([1] * size)
    for i in range(size):
        for j in range(i + 1, size):
            matrix[i, j] = matrix[j, i] = rational(next(rest))
    return matrix


def conjugated(values: Sequence[Exact], frame: fmpq_mat) -> fmpq_mat:
    """Matrix with the given eigenvalues and, in the columns of an orthogonal frame, eigenvectors."""
    return frame * diagonal(values) * frame.transpose()


def cayley(matrix: fmpq_mat) -> fmpq_mat:
    """Cayley transform of a matrix minus its transpose: rational and orthogonal, a rotation."""
    skew, unit = matrix - matrix.transpose(), diagonal([1] * matrix.nrows())
    return (unit - skew) * (unit + skew).inv()


def rotation(draws: random.Random, order: int, scale: int) -> fmpq_mat:
    """Draw a rational rotation, near the identity for a large scale."""
    return cayley(fmpq_mat(order, order, [fmpq(draws.randint(-9, 9), scale) for _ in range(order * order)]))
