"""The second-moment matrix X'X / divisor without rounding, and exact questions about symmetric matrices."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpq_mat, fmpz_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import rational
from dpmatrix.mechanisms.exact_products import LEAST_EXPONENT, AnyIntegers, GramSum, add_block

FloatArray: TypeAlias = npt.NDArray[np.float64]


def second_moment(records: FloatArray, divisor: int) -> fmpq_mat:
    """Compute X'X / divisor exactly.

    Every binary64 number is an integer times ``2**-1074``, so X'X is a product of integer matrices; it is formed limb
    by limb, see `exact_products`.

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
    integers, unit = exact_gram(records)
    gram = fmpz_mat(len(integers), len(integers), integers.ravel().tolist())
    return fmpq_mat(gram) * (rational(unit) / divisor)


def exact_gram(records: FloatArray) -> tuple[AnyIntegers, Fraction]:
    """Compute X'X exactly: integers of shape (d, d), and their unit, a power of two."""
    total = add_block(GramSum(), records, LEAST_EXPONENT)
    exponent = total.least_exponent()
    return total.integers(records.shape[1], exponent), Fraction(2) ** exponent


def exact_matrix(matrix: npt.ArrayLike, shape: tuple[int, int], parameter: str = "output") -> fmpq_mat:
    """Read a matrix as the rationals that its entries are.

    Raises
    ------
    InvalidParameterError
        If the shape is another, or an entry is not a finite real number.
    """
    entries = np.asarray(matrix)
    if entries.shape != shape:
        problem = f"it has shape {entries.shape}"
        raise InvalidParameterError(parameter, problem, f"pass a matrix of shape {shape}")
    if entries.dtype.kind not in "biufO":
        raise InvalidParameterError(parameter, f"its type {entries.dtype} is not real", "pass real numbers")
    return fmpq_mat(*shape, [rational(entry, parameter) for entry in entries.ravel().tolist()])


def exact_symmetric(matrix: npt.ArrayLike, dimension: int, parameter: str = "output") -> fmpq_mat:
    """Read a symmetric matrix as the rationals that its entries are.

    Raises
    ------
    InvalidParameterError
        If the shape is not (d, d), an entry is not a finite real number, or the matrix is not symmetric.
    """
    exact = exact_matrix(matrix, (dimension, dimension), parameter)
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
