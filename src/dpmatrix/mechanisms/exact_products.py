"""Exact products K'K of integer matrices by floating-point matrix multiplication, where that is proved exact.

K holds the coordinates of records, truncated towards zero, in units of ``2**lowest``. A product is formed for at most
`BLOCK_ROWS` rows at a time, in one of two ways.

*One product.* On a lattice of at most 26 bits K'K is computed in binary64 and kept if its computed diagonal is below
``2**53``. *Proof of exactness.* Let every entry of the product be a sum, in any order and grouping and with or without
fused operations, of the products of two entries. On the diagonal all terms are integers >= 0. An operation on exact
integers whose true result is at most ``2**53`` is exact; otherwise its result is at least ``2**53``, because rounding
is monotone, and so is everything computed from it. So a diagonal below ``2**53`` was computed exactly. Any partial sum
of an entry (i, j), over a set of rows, is at most ``sqrt(G_ii G_jj) < 2**53`` (Cauchy-Schwarz), so no operation for
that entry rounds either. With |record| <= r the diagonal is at most ``rows 4**-lowest r**2``: for r = 1 and
``lowest = -b`` one product always does where ``rows 4**b < 2**53``, so for 4096 rows up to b = 20; beyond, the computed
diagonal decides.

*Limbs.* Otherwise K is cut into digits of `LIMB_BITS` bits with the sign of the entry, ``K = sum 2**position L``, and
the products of every two limbs are formed. Their terms are below ``2**40``, so all partial sums over 4096 rows are
below ``2**52``. There is no width beyond which this fails: the limbs reach from the largest binary64 number to
``2**-1074`` if they must, at most 106 of them.

Sums over blocks are 64-bit integers while a running bound on their magnitude shows that they fit, and Python integers
afterwards. What is assumed of the machine: IEEE arithmetic with gradual underflow, and a matrix product that sums
products (one of Strassen's kind does not). Which way is taken depends on the data and shows in time, never in a value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntegerArray: TypeAlias = npt.NDArray[np.int64]
IntegerMatrix: TypeAlias = npt.NDArray[np.object_]
AnyIntegers: TypeAlias = npt.NDArray[Any]
"""64-bit integers, or Python integers where one may not fit."""
_Matrix = TypeVar("_Matrix", IntegerArray, IntegerMatrix)

BLOCK_ROWS = 4096
LIMB_BITS = 20
LEAST_EXPONENT = -1074
"""Every binary64 number is a multiple of two to this power."""
_SINGLE_BITS = 26
_EXACT_BELOW = 2.0**53
_INT64_LIMIT = 2**63
_LARGEST_FACTOR = 1000


def block_rows(dimension: int) -> int:
    """Return how many records of length d are handled together: at most `BLOCK_ROWS`, and about 32 MiB.

    Few enough for a processor's cache, but so many that the product outweighs what is done to each of its entries.
    """
    return max(1, min(BLOCK_ROWS, max((1 << 16) // dimension, 4 * dimension), (1 << 22) // dimension))


def times_power_of_two(values: FloatArray, exponent: int) -> FloatArray:
    """Multiply by ``2**exponent``; exact unless the result leaves the range of binary64."""
    with np.errstate(under="ignore"):
        if abs(exponent) <= _LARGEST_FACTOR:
            return values * 2.0**exponent
        return np.asarray(np.ldexp(values, exponent), dtype=np.float64)


def top_exponent(values: FloatArray) -> int | None:
    """Return an e with all ``|values| < 2**e``, or None where there is nothing but zeros."""
    top = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return math.frexp(top)[1] if top else None


def digits(values: FloatArray, lowest: int) -> tuple[dict[int, FloatArray], FloatArray]:
    """Cut numbers into digits of `LIMB_BITS` bits down to the unit ``2**lowest``, truncating towards zero.

    Every step is exact: a digit holds leading bits of a number and leaves the other bits behind. A quotient that
    underflows is far below one and gives the digit zero.

    Parameters
    ----------
    values
        Finite.
    lowest
        At least `LEAST_EXPONENT`.

    Returns
    -------
    dict
        Position of a digit, to the digits of all numbers: integers of magnitude below ``2**LIMB_BITS`` with the sign
        of the number. Positions at which all digits are zero are left out.
    ndarray
        What truncation cuts off.
    """
    exponent, limbs, rest = top_exponent(values), dict[int, FloatArray](), values
    for position in reversed(range(lowest, lowest if exponent is None else exponent, LIMB_BITS)):
        limb = np.trunc(times_power_of_two(rest, -position))
        if limb.any():
            limbs[position] = limb
            rest = rest - times_power_of_two(limb, position)
            if not rest.any():
                break
    return limbs, rest


def block_product(block: FloatArray, lowest: int) -> dict[int, IntegerArray]:
    """Compute K'K of one block exactly, as a sum of matrices times powers of two.

    Parameters
    ----------
    block
        Shape (m, d), finite, m at most `BLOCK_ROWS`.
    lowest
        Exponent of the unit, at least `LEAST_EXPONENT`.

    Returns
    -------
    dict
        Exponent e, to an integer matrix M of shape (d, d), with entries below ``2**60``. The sum of ``2**e M`` is the
        product of the truncated block in units of one.
    """
    # On a finer lattice one product hardly ever does, and is not tried.
    if lowest >= -_SINGLE_BITS:
        with np.errstate(all="ignore"):
            multiples = times_power_of_two(block, -lowest)
            np.trunc(multiples, out=multiples)
            product = multiples.T @ multiples
            # An overflow leaves an infinity or no number on the diagonal, which decides for the digits.
            if product.diagonal().max() < _EXACT_BELOW:
                return {2 * lowest: product.astype(np.int64)}
    limbs, _ = digits(block, lowest)
    total: dict[int, IntegerArray] = {}
    for position, limb in limbs.items():
        for other, second in limbs.items():
            if other > position:
                continue
            part = (limb.T @ second).astype(np.int64)
            # At most 106 pairs share an exponent, so these sums stay below 106 * 2**52.
            part = part if other == position else part + part.T
            total[position + other] = total[position + other] + part if position + other in total else part
    return total


@frozen(eq=False)
class GramSum:
    """A sum of exact products; a value, so that an interrupted addition leaves the old sum.

    Attributes
    ----------
    small
        Exponent to 64-bit matrix, of magnitude at most ``bound``.
    bound
        Below ``2**63``.
    large
        Exponent to matrix of Python integers: what has been moved out of ``small``.
    """

    small: Mapping[int, IntegerArray] = field(factory=dict)
    bound: int = 0
    large: Mapping[int, IntegerMatrix] = field(factory=dict)

    def plus(self, product: Mapping[int, IntegerArray]) -> GramSum:
        """Add the product of a block."""
        bound = max((_largest(matrix) for matrix in product.values()), default=0)
        if self.bound + bound < _INT64_LIMIT:
            return GramSum(_sum(self.small, product), self.bound + bound, self.large)
        moved = {exponent: matrix.astype(object) for exponent, matrix in self.small.items()}
        return GramSum(product, bound, _sum(self.large, moved))

    def merged(self, other: GramSum) -> GramSum:
        """Add another sum."""
        return GramSum(self.small, self.bound, _sum(self.large, other.large)).plus(other.small)

    def least_exponent(self) -> int:
        """Return the least exponent in use, or zero."""
        return min([*self.small, *self.large], default=0)

    def total(self, dimension: int, unit: int) -> IntegerMatrix:
        """Return the sum in units of ``2**unit``, at most the least exponent; shape (d, d), Python integers."""
        return self.integers(dimension, unit).astype(object)

    def integers(self, dimension: int, unit: int) -> AnyIntegers:
        """Return the sum as `total` does, of 64 bits where the bound shows that all entries fit."""
        if not self.large and sum(self.bound << (exponent - unit) for exponent in self.small) < _INT64_LIMIT:
            narrow = np.zeros((dimension, dimension), dtype=np.int64)
            for exponent, matrix in self.small.items():
                narrow += matrix << (exponent - unit)
            return narrow
        result: IntegerMatrix = np.zeros((dimension, dimension), dtype=object)
        for exponent, matrix in self.small.items():
            result = result + (matrix.astype(object) << (exponent - unit))
        for exponent, wide in self.large.items():
            result = result + (wide << (exponent - unit))
        return result


def _largest(matrix: IntegerArray) -> int:
    return max(int(matrix.max(initial=0)), -int(matrix.min(initial=0)))


def integer_sum(first: AnyIntegers, second: AnyIntegers) -> AnyIntegers:
    """Add two arrays of integers, of 64 bits as long as no entry of the sum can be longer."""
    if first.dtype == second.dtype == np.int64 and _largest(first) + _largest(second) < _INT64_LIMIT:
        return np.asarray(first + second)
    return np.asarray(first.astype(object) + second.astype(object))


def _sum(first: Mapping[int, _Matrix], second: Mapping[int, _Matrix]) -> dict[int, _Matrix]:
    total = dict(first)
    for exponent, matrix in second.items():
        total[exponent] = total[exponent] + matrix if exponent in total else matrix
    return total


def add_block(total: GramSum, records: FloatArray, lowest: int) -> GramSum:
    """Add the product of records, shape (n, d) with any n, block by block."""
    rows = block_rows(records.shape[1])
    for start in range(0, len(records), rows):
        total = total.plus(block_product(records[start : start + rows], lowest))
    return total
