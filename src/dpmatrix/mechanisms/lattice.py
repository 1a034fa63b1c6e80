"""The second-moment matrix of truncated records: integers, exactly, in memory for one block."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.exact_products import AnyIntegers, GramSum, add_block
from dpmatrix.mechanisms.records import record_array, record_blocks
from dpmatrix.privacy.domains import dimension_of

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntegerMatrix: TypeAlias = npt.NDArray[np.object_]

MOST_COORDINATE_BITS = 512


def coordinate_bits_of(value: object) -> int:
    """Return a number of binary digits after the point: an integer in [0, 512].

    Raises
    ------
    InvalidParameterError
        If it is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_COORDINATE_BITS:
        raise InvalidParameterError("coordinate_bits", f"{value!r} is out of range", "pass an integer in [0, 512]")
    return value


class LatticeGram:
    """Sum of K'K over blocks of records, K the coordinates truncated towards zero to multiples of ``2**-b``.

    Truncation shrinks every coordinate, so a record's norm can only shrink, and a record's image depends on that
    record alone. The sum is exact whatever the data, so it does not depend on the order or the size of the blocks;
    see `exact_products` for the proof. Memory is that of one block of about 32 MiB beside the (d, d) sums.

    Parameters
    ----------
    dimension
        Length d >= 1 of a record.
    coordinate_bits
        Binary digits b kept after the point, 0 to 512.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """

    def __init__(self, dimension: int, coordinate_bits: int) -> None:
        self.dimension = dimension_of(dimension)
        self.coordinate_bits = coordinate_bits_of(coordinate_bits)
        self._state = (0, GramSum())

    @property
    def count(self) -> int:
        """Number of records added."""
        return self._state[0]

    def add(self, block: npt.ArrayLike) -> None:
        """Add records: all of them, or none where an error or an interrupt ends the call.

        Parameters
        ----------
        block
            Shape (m, d), real and finite; m may be zero. A memory-mapped array is read piece by piece.

        Raises
        ------
        InvalidParameterError
            If the block is malformed or d is another.
        """
        records = record_array(block, none_allowed=True, parameter="block")
        self._check_length(records)
        count, total = self._state
        for _, part in record_blocks(records, parameter="block"):
            total = add_block(total, part, -self.coordinate_bits)
        # One assignment: nothing can be seen of a sum that was not finished.
        self._state = (count + len(records), total)

    def add_read(self, records: FloatArray) -> None:
        """Add records as `add` does, of a block of `record_blocks`, which need not be copied and checked again."""
        self._check_length(records)
        count, total = self._state
        self._state = (count + len(records), add_block(total, records, -self.coordinate_bits))

    def _check_length(self, records: npt.NDArray[Any]) -> None:
        if records.shape[1] != self.dimension:
            problem = f"it has shape {records.shape}"
            raise InvalidParameterError("block", problem, f"pass records of length {self.dimension}")

    def merge(self, other: LatticeGram) -> LatticeGram:
        """Return the sum over the records of both.

        Raises
        ------
        InvalidParameterError
            If d or b is another.
        """
        if (self.dimension, self.coordinate_bits) != (other.dimension, other.coordinate_bits):
            problem = f"d = {other.dimension} and coordinate_bits = {other.coordinate_bits} are others"
            raise InvalidParameterError("other", problem, "merge sums of the same form")
        merged = LatticeGram(self.dimension, self.coordinate_bits)
        merged._state = (self.count + other.count, self._state[1].merged(other._state[1]))
        return merged

    def matrix(self) -> IntegerMatrix:
        """Return the sum in units of ``4**-b``: shape (d, d), Python integers."""
        return self._state[1].total(self.dimension, -2 * self.coordinate_bits)

    def integers(self) -> AnyIntegers:
        """Return the sum as `matrix` does, as 64-bit integers where all fit."""
        return self._state[1].integers(self.dimension, -2 * self.coordinate_bits)


def lattice_gram(records: npt.ArrayLike, coordinate_bits: int) -> IntegerMatrix:
    """Compute K'K of all records at once; see `LatticeGram`.

    Parameters
    ----------
    records
        Shape (n, d), finite, also memory-mapped; n may be zero.
    coordinate_bits
        Binary digits kept after the point, 0 to 512.

    Returns
    -------
    ndarray of int
        Shape (d, d), Python integers: the second moment of the truncated records in units of ``4**-coordinate_bits``.

    Raises
    ------
    InvalidParameterError
        If the records are malformed or the number of digits is out of range.
    """
    array = record_array(records, none_allowed=True, parameter="records")
    gram = LatticeGram(array.shape[1], coordinate_bits)
    gram.add(array)
    return gram.matrix()
