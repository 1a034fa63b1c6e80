"""Records as they come in: binary64 rows whose Euclidean norm is bounded, decided exactly, block by block.

A block is copied first and checked afterwards, so what has been checked is what is used, even where the caller's array
changes meanwhile (another thread, or another process that writes to a memory-mapped file).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.exact_products import block_rows
from dpmatrix.mechanisms.norms import clip_records, rows_over_norm

FloatArray: TypeAlias = npt.NDArray[np.float64]
OverNorm: TypeAlias = Literal["reject", "clip"]


def norm_remedy(bound: str, clipping: str) -> str:
    """Say what a refused record means and what can be done, by the names of the two parameters.

    Whether there is a refusal depends on the records, and so does a bound that is raised until they fit: no guarantee
    covers either.
    """
    return (
        f"no guarantee covers this refusal: choose {bound} without looking at the records, and {clipping}, which costs "
        "no privacy"
    )


def record_array(data: npt.ArrayLike, *, none_allowed: bool = False, parameter: str = "data") -> npt.NDArray[Any]:
    """View data as an array of shape (n, d), without looking at its entries.

    Raises
    ------
    InvalidParameterError
        If the array is not two-dimensional, empty, masked, complex or not numeric.
    """
    refuse_masked(data, parameter)
    array = _array(data)
    if array is None:
        raise InvalidParameterError(parameter, "its rows differ in length", "pass an array of shape (n, d)")
    if array.ndim != 2:
        problem = f"it has shape {array.shape}"
        raise InvalidParameterError(parameter, problem, "pass an array of shape (n, d) with records as rows")
    if array.shape[1] == 0 or (array.shape[0] == 0 and not none_allowed):
        raise InvalidParameterError(parameter, f"shape {array.shape} is empty", "pass one record or more, d >= 1")
    if array.dtype.kind not in "biufO":
        raise InvalidParameterError(parameter, f"its type {array.dtype.type.__name__} is not real", "pass real numbers")
    return array


def refuse_masked(data: object, parameter: str) -> None:
    """Make sure that no mask is lost: what is under one may be a record that was taken back.

    Raises
    ------
    InvalidParameterError
        If there is a masked array of numpy, whether or not it masks an entry.
    """
    if _is_masked(data):
        remedy = "pass the records that count, as an array without a mask"
        raise InvalidParameterError(parameter, "it is masked, and its mask would be lost", remedy)


def _is_masked(data: object) -> bool:
    """Tell whether there is a masked array, or a list of rows with one; numpy would read what is under the mask."""
    if isinstance(data, (list, tuple)):
        return any(map(_is_masked, data))
    return isinstance(data, np.ma.MaskedArray)


def _array(data: npt.ArrayLike) -> npt.NDArray[Any] | None:
    """View data as an array, or return None: an error of numpy may hold an entry, also as the context of another."""
    try:
        return np.asarray(data)
    except (TypeError, ValueError):
        return None


def _as_floats(source: npt.NDArray[Any]) -> FloatArray | None:
    """Copy numbers into floats, or return None as `_array`."""
    try:
        with np.errstate(over="ignore"):
            return source.astype(np.float64, order="C", copy=True)
    except (TypeError, ValueError, OverflowError):
        return None


def record_blocks(
    array: npt.NDArray[Any], *, first_row: int = 0, parameter: str = "data"
) -> Iterator[tuple[int, FloatArray]]:
    """Read an array of `record_array` piece by piece.

    Parameters
    ----------
    array
        Shape (n, d).
    first_row
        Number of its first row.
    parameter
        Name of the argument, for messages.

    Yields
    ------
    int
        Number of the first row of the block.
    ndarray
        Shape (m, d), finite, C-contiguous; a copy that belongs to the caller.

    Raises
    ------
    InvalidParameterError
        If the array holds NaN, an infinity, or a number that binary64 cannot represent. The message names the row.
    """
    rows = block_rows(array.shape[1])
    for start in range(0, len(array), rows):
        row = first_row + start
        yield row, _read(array[start : start + rows], row, parameter)


def _read(original: npt.NDArray[Any], start: int, parameter: str) -> FloatArray:
    # The copy comes first and everything else is read from it: objects and wide numbers are copied as they are.
    exactly_binary64 = original.dtype.kind in "bf" and original.dtype.itemsize <= 8
    source = original if exactly_binary64 else original.copy()
    records = _as_floats(source)
    if records is None:
        raise InvalidParameterError(parameter, "an entry is not a real number", "pass real numbers")
    finite = np.isfinite(records)
    if not finite.all():
        row = start + int(np.flatnonzero(~finite.all(axis=1))[0])
        raise InvalidParameterError(parameter, f"row {row} holds NaN or an infinity", "remove or repair the record")
    if not exactly_binary64:
        # Python compares integers and fractions with floats exactly; numpy would round 64-bit integers first.
        exact = source.astype(object)
        differs = np.flatnonzero((exact != records.astype(object)).any(axis=1))
        if len(differs):
            problem = f"row {start + int(differs[0])} holds a number that binary64 rounds"
            raise InvalidParameterError(parameter, problem, "round the records towards zero first")
    return records


def as_records(data: npt.ArrayLike, *, none_allowed: bool = False, parameter: str = "data") -> FloatArray:
    """Read an array of records into a copy, without changing a value.

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
    array = record_array(data, none_allowed=none_allowed, parameter=parameter)
    records = np.empty(array.shape)
    for start, block in record_blocks(array, parameter=parameter):
        records[start : start + len(block)] = block
    return records


def bounded_blocks(
    array: npt.NDArray[Any],
    norm_bound: Fraction,
    over_norm: OverNorm,
    *,
    first_row: int = 0,
    parameter: str = "data",
) -> Iterator[tuple[int, FloatArray]]:
    """Read an array of `record_array` piece by piece, as `record_blocks`, with every exact norm within the bound.

    With ``"reject"``, the refusal of a record is an error message about the data, not a release: whoever sees it sees
    the data. With ``"clip"`` a longer record is shortened to the bound, a function of that record alone.

    Raises
    ------
    InvalidParameterError
        As in `record_blocks`; or, with ``over_norm="reject"``, if a record is too long. The message does not say
        which, since the bound is to be chosen without a look at the records.
    """
    for row, block in record_blocks(array, first_row=first_row, parameter=parameter):
        over = rows_over_norm(block, norm_bound)
        if len(over) and over_norm == "reject":
            problem = f"a record is longer than norm_bound = {norm_bound}"
            raise InvalidParameterError(parameter, problem, norm_remedy("it", "pass over_norm='clip'"))
        if len(over):
            block[over] = clip_records(block[over], norm_bound)
        yield row, block


def bounded_records(
    data: npt.ArrayLike,
    norm_bound: Fraction,
    over_norm: OverNorm,
    *,
    none_allowed: bool = False,
    parameter: str = "data",
) -> FloatArray:
    """Read records into a copy and make sure that every exact norm is at most ``norm_bound``.

    Raises
    ------
    InvalidParameterError
        As in `record_array` and `bounded_blocks`.
    """
    array = record_array(data, none_allowed=none_allowed, parameter=parameter)
    records = np.empty(array.shape)
    for start, block in bounded_blocks(array, norm_bound, over_norm, parameter=parameter):
        records[start : start + len(block)] = block
    return records
