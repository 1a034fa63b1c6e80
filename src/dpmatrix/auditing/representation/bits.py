"""Outputs as binary numbers: the parts of a float or an integer that arithmetic rounds, read without rounding.

An output other than zero is ``y = m 2**s`` with integers m and s. Its *exponent* is the position of its leading bit,
``2**exponent <= |y| < 2**(exponent + 1)``; its *valuation* is the position of its least significant set bit, the
greatest v for which y is a multiple of ``2**v``. Bits are those of the two's complement, so that shifting by a multiple
of ``2**k`` leaves the bits below k alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral
from operator import index
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.errors import InvalidParameterError

IntegerArray: TypeAlias = NDArray[np.int64]
RepresentationTarget: TypeAlias = Callable[[Any, int, np.random.Generator], object]
"""Called as ``target(data, size, generator)``; returns that many independent outputs, as `Representation.of` reads."""

NO_EXPONENT = -(2**20)
"""Exponent of zero and of NaN; infinities have its negative."""
NO_VALUATION = 2**20
"""Valuation of zero, which is a multiple of everything, and of what is not finite."""
_BIG_BITS = 62
_DIGITS = 53
_MOST_SHIFT = 63
_FLOAT_BITS = 1023


@frozen(eq=False)
class Representation:
    """A batch of b outputs with k coordinates each, taken apart. Every array has shape (b, k).

    Attributes
    ----------
    values
        The numbers; rounded to float64 if they are larger integers, and used for their rough size alone.
    mantissas, shifts
        ``y = m 2**s``, modulo ``2**62`` where ``bits_below`` says so.
    exponents, valuations
        Positions of the leading and of the last set bit, or `NO_EXPONENT` and `NO_VALUATION`.
    bits_below
        Bits at this position and above are not in the mantissas; infinite unless the outputs are large integers.
    """

    values: FloatArray
    mantissas: IntegerArray
    shifts: IntegerArray
    exponents: IntegerArray
    valuations: IntegerArray
    bits_below: float

    @classmethod
    def of(cls, batch: object, size: int) -> Representation:
        """Take a batch apart.

        Parameters
        ----------
        batch
            ``size`` outputs: an array of floats of at most 64 bits or of integers of any width, or a sequence of
            integers or of floats; shape (size,), (size, k) or (size, d, d).
        size
            How many outputs were asked for.

        Raises
        ------
        InvalidParameterError
            If the batch is not numeric and real, is of extended precision, or has another shape.
        """
        array = _as_array(batch)
        if array.ndim not in (1, 2, 3) or array.shape[0] != size or array.size == 0:
            problem = f"it returned shape {array.shape} where {size} outputs were asked for"
            raise InvalidParameterError("target", problem, "return (size,), (size, k) or (size, d, d)")
        flat = array.reshape(size, -1)
        if flat.dtype.kind == "f":
            return _of_floats(flat.astype(np.float64))
        if flat.dtype.kind in "bi":
            return _of_integers(flat.astype(np.int64))
        return _of_large_integers(flat)

    def coordinate(self, column: int) -> Representation:
        """Return one coordinate of every output, shape (b, 1)."""
        return self._taken(lambda array: array[:, column, None])

    def rows(self, start: int, stop: int) -> Representation:
        """Return the outputs from ``start`` to before ``stop``."""
        return self._taken(lambda array: array[start:stop])

    def least_divisible(self) -> Representation:
        """Return of every output the coordinate of least valuation, shape (b, 1); the first of several."""
        columns = np.argmin(self.valuations, axis=1)[:, None]
        return self._taken(lambda array: np.take_along_axis(array, columns, axis=1))

    def window(self, position: int, width: int) -> IntegerArray:
        """Return ``floor(y / 2**position) mod 2**width`` of the first coordinate, shape (b,); zero if not finite."""
        mantissas, shifts = self.mantissas[:, 0], self.shifts[:, 0] - position
        # A shift by 63 leaves the sign, which is what the floor of a smaller number is.
        down = mantissas >> np.clip(-shifts, 0, _MOST_SHIFT)
        up = np.where(shifts >= width, 0, down << np.clip(shifts, 0, width))
        return np.asarray(up & ((1 << width) - 1))

    def _taken(self, take: Callable[[Any], Any]) -> Representation:
        return Representation(
            take(self.values),
            take(self.mantissas),
            take(self.shifts),
            take(self.exponents),
            take(self.valuations),
            self.bits_below,
        )


def _as_array(batch: object) -> NDArray[Any]:
    """Make an array without letting large integers become floats, as they would where they mix signs."""
    try:
        array = batch if isinstance(batch, np.ndarray) else np.array(batch, dtype=object)
        if not isinstance(batch, np.ndarray) and not all(isinstance(value, Integral) for value in array.flat):
            array = np.array(batch)
    except ValueError as error:
        problem = "its outputs have several shapes"
        raise InvalidParameterError("target", problem, "return outputs of one shape") from error
    of_integers = array.dtype == object and all(isinstance(value, Integral) for value in array.flat)
    if not (of_integers or (array.dtype.kind in "biuf" and array.dtype.itemsize <= 8)):
        problem = f"it returned values of type {array.dtype}"
        raise InvalidParameterError("target", problem, "return floats of at most 64 bits or integers")
    return array


def _trailing_zeros(mantissas: IntegerArray) -> IntegerArray:
    """Return the number of trailing zeros of integers other than zero; a power of two is exact as a float."""
    return np.asarray(np.frexp((mantissas & -mantissas).astype(np.float64))[1] - 1, dtype=np.int64)


def _of_floats(values: FloatArray) -> Representation:
    finite = np.isfinite(values)
    fractions, exponents = np.frexp(np.where(finite, values, 0.0))
    mantissas = np.ldexp(fractions, _DIGITS).astype(np.int64)
    shifts = exponents.astype(np.int64) - _DIGITS
    nonzero = mantissas != 0
    leading = np.where(nonzero, shifts + _DIGITS - 1, NO_EXPONENT)
    leading = np.where(np.isinf(values), -NO_EXPONENT, leading)
    valuations = np.where(nonzero, _trailing_zeros(mantissas) + shifts, NO_VALUATION)
    return Representation(values, mantissas, shifts, leading, valuations, np.inf)


def _of_integers(values: IntegerArray) -> Representation:
    # A float has the exponent of the integer that it rounds, except where it rounds up to the next power of two.
    rough = np.abs(values.astype(np.float64))
    leading = np.frexp(rough)[1].astype(np.int64) - 1
    magnitudes = np.where(values < 0, -values, values).view(np.uint64)
    above = magnitudes < (np.uint64(1) << np.clip(leading, 0, 63).astype(np.uint64))
    leading -= above & (leading >= 0) & (values != 0)
    exponents = np.where(values == 0, NO_EXPONENT, leading)
    valuations = np.where(values == 0, NO_VALUATION, _trailing_zeros(values))
    return Representation(values.astype(np.float64), values, np.zeros_like(values), exponents, valuations, np.inf)


def _of_large_integers(batch: NDArray[Any]) -> Representation:
    numbers = [index(value) for value in batch.flat]
    exponents = [abs(number).bit_length() - 1 if number else NO_EXPONENT for number in numbers]
    valuations = [(number & -number).bit_length() - 1 if number else NO_VALUATION for number in numbers]
    # Rough sizes: what is beyond the floats is as good as infinite.
    sizes = [math.inf if number > 0 else -math.inf for number in numbers]
    small = [abs(number).bit_length() <= _FLOAT_BITS for number in numbers]
    values = [float(number) if fits else size for number, fits, size in zip(numbers, small, sizes, strict=True)]
    mantissas = [number & ((1 << _BIG_BITS) - 1) for number in numbers]
    arrays = [np.array(part, dtype=np.int64).reshape(batch.shape) for part in (mantissas, exponents, valuations)]
    rough = np.array(values, dtype=np.float64).reshape(batch.shape)
    return Representation(rough, arrays[0], np.zeros_like(arrays[0]), arrays[1], arrays[2], _BIG_BITS)
