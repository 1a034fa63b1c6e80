"""Exact comparison of Euclidean norms with a bound, and clipping to it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dpmatrix.mechanisms.exact_products import IntegerArray, digits

FloatArray: TypeAlias = npt.NDArray[np.float64]

LARGEST_NORM_BOUND = Fraction(2) ** 400
_DIGITS_BELOW_BOUND = 80
_COLUMNS = 4096


def squared_norm(record: FloatArray) -> Fraction:
    """Return the exact squared Euclidean norm of one record, shape (d,)."""
    ratios = [entry.as_integer_ratio() for entry in record.tolist()]
    common = max(denominator for _, denominator in ratios)
    # Denominators are powers of two, so the largest is a multiple of all.
    total = sum((numerator * (common // denominator)) ** 2 for numerator, denominator in ratios)
    return Fraction(total, common**2)


def rows_over_norm(records: FloatArray, norm_bound: Fraction) -> npt.NDArray[np.intp]:
    """List the rows whose exact Euclidean norm exceeds the bound.

    Three filters, the later ones for the rows that the earlier ones leave open:

    1. A float sum of squares: its relative error is below ``(d + 1) 2**-52``, underflow adds less than
       ``d 2**-1073``, and it overflows only far above the bound.
    2. The sum of squares of the coordinates truncated to 80 binary digits below the bound, exactly: a row that lost
       nothing is decided, and another one's squared norm is larger by less than ``d 2**83`` units.
    3. `squared_norm`.

    Parameters
    ----------
    records
        Shape (n, d), finite.
    norm_bound
        Between ``1 / LARGEST_NORM_BOUND`` and `LARGEST_NORM_BOUND`.
    """
    dimension = records.shape[1]
    squares = _float_squares(records)
    over = squares > _certain(norm_bound, dimension, 1)
    doubtful = np.flatnonzero(~over & ~(squares <= _certain(norm_bound, dimension, -1)))
    if len(doubtful):
        over[doubtful] = _over_exactly(records[doubtful], norm_bound)
    return np.flatnonzero(over)


def _float_squares(records: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.asarray(np.einsum("ij,ij->i", records, records), dtype=np.float64)


def _certain(norm_bound: Fraction, dimension: int, side: int) -> float:
    return float(norm_bound**2) * (1 + side * (dimension + 8) * 2.0**-50)


def _over_exactly(rows: FloatArray, norm_bound: Fraction) -> npt.NDArray[np.bool_]:
    # The rows are barely longer than the bound at most, so a coordinate is below 2**(exponent + 1).
    exponent = norm_bound.numerator.bit_length() - norm_bound.denominator.bit_length() + 1
    lowest = exponent - _DIGITS_BELOW_BOUND
    limbs, rest = digits(rows, lowest)
    least = np.zeros(len(rows), dtype=object)
    for start in range(0, rows.shape[1], _COLUMNS):
        for exponent, term in _squares(limbs, np.s_[:, start : start + _COLUMNS]).items():
            least = least + (term.astype(object) << (exponent - 2 * lowest))
    limit = norm_bound**2 / Fraction(4) ** lowest
    slack = rows.shape[1] * 2 ** (_DIGITS_BELOW_BOUND + 3)
    exact = ~rest.any(axis=1)
    over = np.array([bool(value > limit) for value in least], dtype=np.bool_)
    for row in np.flatnonzero(~over & ~exact):
        if least[row] + slack > limit:
            over[row] = squared_norm(rows[row]) > norm_bound**2
    return over


def _squares(limbs: Mapping[int, FloatArray], part: tuple[slice, slice]) -> dict[int, IntegerArray]:
    """Sum the products of digits with digits, by the exponent of their unit."""
    sums: dict[int, IntegerArray] = {}
    for position, limb in limbs.items():
        for other in (other for other in limbs if other <= position):
            # Terms below 2**40, 4096 of them: exact in binary64. Five pairs at most share an exponent.
            term = np.einsum("ij,ij->i", limb[part], limbs[other][part]).astype(np.int64)
            term = term if other == position else 2 * term
            sums[position + other] = sums[position + other] + term if position + other in sums else term
    return sums


def clip_records(rows: FloatArray, norm_bound: Fraction) -> FloatArray:
    """Shrink records, shape (m, d), along their directions until every exact norm is at most the bound.

    The result for a record depends on this record alone, to the last bit, so neighbouring data sets stay neighbours:
    every floating-point operation is elementwise or a maximum, since a library may order the terms of its own sums by
    where a row lies.

    Parameters
    ----------
    rows
        Finite and not zero.
    norm_bound
        Between ``1 / LARGEST_NORM_BOUND`` and `LARGEST_NORM_BOUND`.
    """
    with np.errstate(under="ignore"):
        direction = rows / np.max(np.abs(rows), axis=1)[:, None]
        factor = float(norm_bound) / np.sqrt(_sum_of_columns(direction * direction))
        clipped = direction * factor[:, None]
        over = rows_over_norm(clipped, norm_bound)
        while len(over):
            factor[over] *= 1 - 2.0**-50
            clipped[over] = direction[over] * factor[over][:, None]
            over = over[rows_over_norm(clipped[over], norm_bound)]
    return np.asarray(clipped, dtype=np.float64)


def _sum_of_columns(values: FloatArray) -> FloatArray:
    columns = np.ascontiguousarray(values.T)
    while len(columns) > 1:
        half = len(columns) // 2
        columns = np.concatenate([columns[:half] + columns[half : 2 * half], columns[2 * half :]])
    return np.asarray(columns[0], dtype=np.float64)
