"""Products of integer matrices in doubles, by a matrix product that was tried on this machine.

`exact_products` proves its sums exact for a product whose entries are sums of products, in any order. An algorithm of
Strassen's kind adds before it multiplies, and a library that emulates doubles by shorter numbers rounds elsewhere. So
the product is tried once in a process for each number of columns and each power of two of rows, on integers whose
products reach ``2**53``, before it is used on records of that size. The trial depends on these two numbers alone, has
at most `MOST_NUMBERS` numbers in a matrix, and takes a time in proportion to that beside two products.

What it tells: the sums of these integers came out exact, of one matrix with itself and with another one, up to a
probability of ``2**-48`` for each false entry that the check in integers overlooks it. A product that is wrong for some
entries only, or changes its ways between powers of two, passes.
"""

from __future__ import annotations

from functools import cache
from math import isqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import UnsoundArithmeticError

FloatArray: TypeAlias = npt.NDArray[np.float64]

MOST_NUMBERS = 2**20
_LIMIT = 2**53
_CHECKS = 4
"""Random combinations of columns that are compared: each overlooks a false entry with probability at most 2**-12."""


def integer_product(first: FloatArray, second: FloatArray) -> FloatArray:
    """Compute first' second.

    Parameters
    ----------
    first, second
        Shape (m, d), m >= 1.

    Raises
    ------
    UnsoundArithmeticError
        If the product of this machine failed on known integers of about that size.
    """
    rows, columns = first.shape
    try_product(min(1 << (rows - 1).bit_length(), max(1, MOST_NUMBERS // columns)), columns)
    return _product(first, second)


def _product(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.asarray(first.T @ second)


@cache
def try_product(rows: int, columns: int) -> None:
    """Multiply matrices of known integers, shape (rows, columns), and check the result in integers.

    Raises
    ------
    UnsoundArithmeticError
        If an entry is not the exact sum of products.
    """
    generator = np.random.default_rng(rows + columns)
    largest = isqrt((_LIMIT - 1) // rows)
    first, second = generator.integers(largest // 2 + 1, largest, (2, rows, columns), dtype=np.uint64, endpoint=True)
    weights = generator.integers(2**64 - 1, size=(columns, _CHECKS), dtype=np.uint64, endpoint=True)
    floats = first.astype(np.float64)
    for other, product in (
        (first, _product(floats, floats)),
        (second, _product(floats, second.astype(np.float64))),
    ):
        whole = bool(((product >= 0) & (product < _LIMIT) & (product == np.floor(product))).all())
        # Modulo 2**64: sums below 2**53 that differ stay different.
        if not whole or (product.astype(np.uint64) @ weights != first.T @ (other @ weights)).any():
            raise UnsoundArithmeticError(
                f"the matrix product of this machine is not exact on integers, for {rows} rows of {columns} numbers: "
                "use another linear algebra library (BLAS), without emulated doubles and without fast multiplication"
            )
