"""Phi X for one small X: as it is without rounding, and the integers nearest to it."""

from __future__ import annotations

import mpmath
from flint import fmpq_mat

from dpmatrix.claims.formulas import real, real_matrix


def raw(*rows) -> fmpq_mat:
    return fmpq_mat([list(row) for row in rows])


DATA = raw((1, 2), (3, -1), (2, 2), (0, 1))
"""Squared column norms 14 and 10."""


def normals(seed: int, rows: int = 3) -> list[list[int]]:
    """Whole numbers stand for the normal variates: the statements are about any."""
    return [[(seed * (3 * i + 5 * j + 1) + i * j) % 7 - 3 for j in range(4)] for i in range(rows)]


def ideal(values: list[list[int]]) -> mpmath.matrix:
    """Phi X with Phi = Z/sqrt(n) and columns scaled by sqrt(n)/|x|."""
    product = mpmath.matrix(values) / 2 * real_matrix(DATA)
    scale = [2 / mpmath.sqrt(14), 2 / mpmath.sqrt(10)]
    return mpmath.matrix([[product[i, j] * scale[j] for j in (0, 1)] for i in range(product.rows)])


def rounding(values: list[list[int]], released: list[list[int]], grid) -> mpmath.mpf:
    output = ideal(values)
    least = mpmath.mpf(1)
    for i, row in enumerate(released):
        for j, integer in enumerate(row):
            least = min(least, mpmath.mpf(1) / 2 - abs(output[i, j] / real(grid) - integer))
    return least


def nearest(values: list[list[int]], grid) -> list[list[int]]:
    output = ideal(values)
    return [[int(mpmath.nint(output[i, j] / real(grid))) for j in (0, 1)] for i in range(output.rows)]
