"""The second-moment matrix X'X / divisor without rounding, and its twin on a lattice."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpq_mat, fmpz_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import rational

FloatArray: TypeAlias = npt.NDArray[np.float64]

_CHUNK = 4096
_MANTISSA_BITS = 53
_INT64_LIMIT = 2**63


def second_moment(records: FloatArray, divisor: int) -> fmpq_mat:
    """Compute X'X / divisor exactly.

    Every binary64 number is an integer times a power of two; with the least power as the common unit, X'X is a
    product of integer matrices.

    Parameters
    ----------
    records
        Shape (n, d), finite; n may be zero.
    divisor
        Public positive integer.

    Returns
    -------
    fmpq_mat
        Shape (d, d).
    """
    mantissas, exponents = np.frexp(records)
    integers = np.ldexp(mantissas, _MANTISSA_BITS).astype(np.int64)
    exponents = exponents.astype(np.int64) - _MANTISSA_BITS
    nonzero = integers != 0
    unit = int(exponents[nonzero].min()) if nonzero.any() else 0
    shifts = np.where(nonzero, exponents - unit, 0)
    dimension = records.shape[1]
    gram = fmpz_mat(dimension, dimension)
    for start in range(0, len(records), _CHUNK):
        rows = slice(start, start + _CHUNK)
        gram += _gram(integers[rows].astype(object) << shifts[rows].astype(object))
    return fmpq_mat(gram) * (fmpq(4) ** unit / divisor)


def lattice_gram(records: FloatArray, coordinate_bits: int) -> npt.NDArray[np.object_]:
    """Truncate every coordinate towards zero to a multiple of ``2**-coordinate_bits`` and compute K'K exactly.

    K holds the integer multiples. Truncation shrinks every coordinate, so a record's norm can only shrink, and a
    record's image depends on that record alone.

    Parameters
    ----------
    records
        Shape (n, d), finite; n may be zero.
    coordinate_bits
        Binary digits kept after the point, 0 to 512.

    Returns
    -------
    ndarray of int
        Shape (d, d), Python integers: the second moment of the truncated records in units of ``4**-coordinate_bits``.
    """
    # Scaling by a power of two and truncation are exact in binary64.
    multiples = np.trunc(np.ldexp(records, coordinate_bits))
    dimension = records.shape[1]
    largest = int(np.max(np.abs(multiples), initial=0.0))
    if len(records) * largest**2 < _INT64_LIMIT:
        small = multiples.astype(np.int64)
        return (small.T @ small).astype(object)
    gram = fmpz_mat(dimension, dimension)
    for start in range(0, len(records), _CHUNK):
        gram += _gram(np.vectorize(int, otypes=[object])(multiples[start : start + _CHUNK]))
    return np.array([int(entry) for entry in gram.entries()], dtype=object).reshape(dimension, dimension)


def _gram(integers: npt.NDArray[np.object_]) -> fmpz_mat:
    rows, columns = integers.shape
    matrix = fmpz_mat(rows, columns, integers.ravel().tolist())
    product: fmpz_mat = matrix.transpose() * matrix
    return product


def exact_symmetric(matrix: npt.ArrayLike, dimension: int, parameter: str = "output") -> fmpq_mat:
    """Read a symmetric matrix as the rationals that its entries are.

    Raises
    ------
    InvalidParameterError
        If the shape is not (d, d), an entry is not a finite real number, or the matrix is not symmetric.
    """
    entries = np.asarray(matrix)
    if entries.shape != (dimension, dimension):
        problem = f"it has shape {entries.shape}"
        raise InvalidParameterError(parameter, problem, f"pass a matrix of shape ({dimension}, {dimension})")
    if entries.dtype.kind not in "biufO":
        raise InvalidParameterError(parameter, f"its type {entries.dtype} is not real", "pass real numbers")
    exact = fmpq_mat(dimension, dimension, [rational(entry, parameter) for entry in entries.ravel().tolist()])
    if exact != exact.transpose():
        raise InvalidParameterError(parameter, "it is not symmetric", "pass a symmetric matrix")
    return exact


def is_positive_definite(matrix: fmpq_mat) -> bool:
    """Decide exactly whether a symmetric rational matrix is positive definite.

    Its eigenvalues are real, so they are all positive if and only if the coefficients of det(t I + M) are.
    """
    return all(coefficient > 0 for coefficient in (-matrix).charpoly().coeffs())


def is_positive_semidefinite(matrix: fmpq_mat) -> bool:
    """Decide exactly whether a symmetric rational matrix is positive semidefinite, as in `is_positive_definite`."""
    return all(coefficient >= 0 for coefficient in (-matrix).charpoly().coeffs())


def trace(matrix: fmpq_mat) -> Fraction:
    """Return the exact trace."""
    total = sum((matrix[i, i] for i in range(matrix.nrows())), fmpq(0))
    return Fraction(int(total.p), int(total.q))
