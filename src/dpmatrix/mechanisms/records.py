"""Records as they come in: binary64 rows whose Euclidean norm is bounded, decided exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError

FloatArray: TypeAlias = npt.NDArray[np.float64]
OverNorm: TypeAlias = Literal["reject", "clip"]

LARGEST_NORM_BOUND = Fraction(2) ** 400
_ROW_REMEDY = "scale the records, raise norm_bound, or choose over_norm='clip'"


def as_records(data: npt.ArrayLike, *, none_allowed: bool = False, parameter: str = "data") -> FloatArray:
    """Read an array of records without changing a value.

    Parameters
    ----------
    data
        Shape (n, d), one record a row, n >= 1 and d >= 1. Floats of at most 64 bits, integers, or anything else that
        binary64 represents exactly.
    none_allowed
        Accept n = 0: the data set without records.
    parameter
        Name of the argument, for messages.

    Raises
    ------
    InvalidParameterError
        If the array is not two-dimensional, empty, complex or not numeric, or holds NaN, an infinity, or a number
        that binary64 cannot represent.
    """
    try:
        original = np.asarray(data)
    except ValueError as error:
        raise InvalidParameterError(parameter, "its rows differ in length", "pass an array of shape (n, d)") from error
    if original.ndim != 2:
        problem = f"it has shape {original.shape}"
        raise InvalidParameterError(parameter, problem, "pass an array of shape (n, d) with records as rows")
    if original.shape[1] == 0 or (original.shape[0] == 0 and not none_allowed):
        raise InvalidParameterError(parameter, f"shape {original.shape} is empty", "pass one record or more, d >= 1")
    if original.dtype.kind not in "biufO":
        raise InvalidParameterError(parameter, f"its type {original.dtype} is not real", "pass real numbers")
    try:
        records = original.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(parameter, "an entry is not a real number", "pass real numbers") from error
    if not np.isfinite(records).all():
        row = int(np.flatnonzero(~np.isfinite(records).all(axis=1))[0])
        raise InvalidParameterError(parameter, f"row {row} holds NaN or an infinity", "remove or repair the record")
    # Python compares integers and fractions with floats exactly; numpy would round 64-bit integers first.
    exact = original.astype(object) if original.dtype.kind in "iuO" or original.dtype.itemsize > 8 else records
    differs = np.flatnonzero((exact != records.astype(exact.dtype)).any(axis=1))
    if len(differs):
        problem = f"row {int(differs[0])} holds a number that binary64 rounds"
        raise InvalidParameterError(parameter, problem, "round the records towards zero first")
    return records


def squared_norm(record: npt.NDArray[np.float64]) -> Fraction:
    """Return the exact squared Euclidean norm of one record, shape (d,)."""
    ratios = [entry.as_integer_ratio() for entry in record.tolist()]
    common = max(denominator for _, denominator in ratios)
    # Denominators are powers of two, so the largest is a multiple of all.
    total = sum((numerator * (common // denominator)) ** 2 for numerator, denominator in ratios)
    return Fraction(total, common**2)


def rows_over_norm(records: FloatArray, norm_bound: Fraction) -> npt.NDArray[np.intp]:
    """List the rows whose exact Euclidean norm exceeds the bound.

    A float sum of squares settles the rows that are clearly short, since its relative error is below ``(d + 1) 2**-52``
    and underflow adds less than ``d 2**-1073``; the others are computed with integers.

    Parameters
    ----------
    records
        Shape (n, d), finite.
    norm_bound
        Between ``1 / LARGEST_NORM_BOUND`` and `LARGEST_NORM_BOUND`.
    """
    limit = norm_bound**2
    with np.errstate(over="ignore", under="ignore"):
        squares = np.sum(records * records, axis=1)
    certain = float(limit) * (1 - (records.shape[1] + 8) * 2.0**-50)
    doubtful = np.flatnonzero(~(squares <= certain))
    over = [row for row in doubtful if squared_norm(records[row]) > limit]
    return np.array(over, dtype=np.intp)


def clip_record(record: npt.NDArray[np.float64], norm_bound: Fraction) -> npt.NDArray[np.float64]:
    """Shrink one record, shape (d,), along its direction until its exact norm is at most the bound.

    The result depends on this record alone, so neighbouring data sets stay neighbours.
    """
    direction = record / np.max(np.abs(record))
    factor = float(norm_bound) / float(np.sqrt(np.sum(direction * direction)))
    clipped = direction * factor
    while squared_norm(clipped) > norm_bound**2:
        factor *= 1 - 2.0**-50
        clipped = direction * factor
    return np.asarray(clipped, dtype=np.float64)


def bounded_records(
    data: npt.ArrayLike,
    norm_bound: Fraction,
    over_norm: OverNorm,
    *,
    none_allowed: bool = False,
    parameter: str = "data",
) -> FloatArray:
    """Read records and make sure that every exact norm is at most ``norm_bound``.

    The refusal of a record is an error message about the data, not a release: whoever sees it sees the data.

    Raises
    ------
    InvalidParameterError
        As in `as_records`; or, with ``over_norm="reject"``, if a record is too long. The message names its row.
    """
    records = as_records(data, none_allowed=none_allowed, parameter=parameter)
    over = rows_over_norm(records, norm_bound)
    if len(over) and over_norm == "reject":
        problem = f"row {int(over[0])} is longer than norm_bound = {norm_bound}"
        raise InvalidParameterError(parameter, problem, _ROW_REMEDY)
    for row in over:
        records[row] = clip_record(records[row], norm_bound)
    return records
