"""Many small positive definite matrices at once, in floating point with proved errors.

A batch of n matrices of shape (d, k) is a list of its k columns, each a `FloatBalls` of shape (n, d).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpmatrix.randomness.float_balls import FloatBalls

Columns = Sequence[FloatBalls]


def columns_of(rows: FloatBalls, count: int) -> list[FloatBalls]:
    """Split rows of shape (n k, d), k at a time, into the k columns of n matrices."""
    center, radius = (part.reshape(-1, count, rows.shape[1]) for part in (rows.center, rows.radius))
    return [FloatBalls(center[:, place], radius[:, place]) for place in range(count)]


def _products(left: FloatBalls, right: FloatBalls) -> FloatBalls:
    ones = FloatBalls.exactly(np.ones((left.shape[1], 1)))
    return ((left * right) @ ones).reshaped(left.shape[0])


def _factors(columns: Columns) -> tuple[list[FloatBalls], list[list[FloatBalls]]]:
    """Factor ``Y'Y = L D L'``: D, and the rows of L below its unit diagonal."""
    diagonal: list[FloatBalls] = []
    lower: list[list[FloatBalls]] = []
    for row, column in enumerate(columns):
        # The products L_row,j D_j come first; dividing by D_j gives the row of L.
        scaled: list[FloatBalls] = []
        for j in range(row):
            value = _products(column, columns[j])
            for m in range(j):
                value = value - scaled[m] * lower[j][m]
            scaled.append(value)
        lower.append([value / diagonal[j] for j, value in enumerate(scaled)])
        pivot = _products(column, column)
        for value, entry in zip(scaled, lower[row], strict=True):
            pivot = pivot - value * entry
        diagonal.append(pivot)
    return diagonal, lower


def pivots(columns: Columns) -> list[FloatBalls]:
    """Enclose the pivots of Y'Y, whose product is its determinant; each of shape (n,)."""
    return _factors(columns)[0]


def trace_of_solution(columns: Columns, image: Columns) -> FloatBalls:
    """Enclose ``tr (Y'Y)^{-1} Y'M``, M given by its columns; shape (n,).

    With ``Y'Y = L D L'`` it is the trace of ``D^{-1} L^{-1} (Y'M) L'^{-1}``.
    """
    diagonal, lower = _factors(columns)
    count = len(columns)
    forms = [[_products(left, right) for right in image] for left in columns]
    for i in range(count):
        for m in range(i):
            forms[i] = [value - lower[i][m] * above for value, above in zip(forms[i], forms[m], strict=True)]
    total = FloatBalls.exactly(np.zeros(columns[0].shape[0]))
    for i in range(count):
        row = forms[i]
        for j in range(i + 1):
            for m in range(j):
                row[j] = row[j] - row[m] * lower[j][m]
        total = total + row[i] / diagonal[i]
    return total
