"""Matrices of which everything is known, as reals among random ones, and the upper triangle of a matrix."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb, fmpq, fmpq_mat

from dpmatrix.randomness.fast_wide import AnyIntegers
from dpmatrix.randomness.float_balls import UNIT, FloatBalls
from dpmatrix.randomness.lazy import Indices, LazyReals


class LazyRationals:
    """A rational matrix, of which everything is known.

    Parameters
    ----------
    values
        Shape (p, q).
    """

    def __init__(self, values: fmpq_mat) -> None:
        self.shape = (values.nrows(), values.ncols())
        self._entries: list[fmpq] = values.entries()

    def approximate(self) -> FloatBalls:
        """Enclose the matrix in floating point."""
        return FloatBalls.of_rationals(self._entries, self.shape)

    def refine(self, bits: int, entries: Indices) -> None:
        """Draw nothing."""

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        return [arb(self._entries[index]) for index in entries]


class LazyMultiples:
    """Integers times a rational unit, of which everything is known.

    Parameters
    ----------
    integers
        Shape (p, q), 64-bit or Python integers.
    unit
        Positive.
    """

    def __init__(self, integers: AnyIntegers, unit: Fraction) -> None:
        self.shape = integers.shape
        self._integers, self._unit = integers, fmpq(unit.numerator, unit.denominator)

    def approximate(self) -> FloatBalls:
        """Enclose the matrix in floating point: three roundings, of the integer, of the unit and of their product."""
        if self._integers.dtype != np.int64:
            return FloatBalls.of_rationals([int(entry) * self._unit for entry in self._integers.flat], self.shape)
        integers = self._integers.astype(np.float64)
        rounded = FloatBalls(integers, 2 * UNIT * np.abs(integers))
        unit = FloatBalls.enclosing([arb(self._unit)], (1, 1))
        return rounded * FloatBalls(*(np.broadcast_to(part, self.shape) for part in (unit.center, unit.radius)))

    def refine(self, bits: int, entries: Indices) -> None:
        """Draw nothing."""

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        flat = self._integers.ravel()
        return [arb(int(flat[index]) * self._unit) for index in entries]


class LazyUpperTriangle:
    """The entries of a square matrix on and above the diagonal, row by row.

    Parameters
    ----------
    matrix
        Shape (d, d).
    """

    def __init__(self, matrix: LazyReals) -> None:
        self._matrix = matrix
        self.places = np.triu_indices(matrix.shape[0])
        self._indices = np.ravel_multi_index(self.places, matrix.shape)
        self.shape = (len(self._indices),)

    def approximate(self) -> FloatBalls:
        """Enclose the entries in floating point."""
        return self._matrix.approximate().reshaped(-1).taken(self._indices)

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these entries are known."""
        self._matrix.refine(bits, self._of(entries))

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        return self._matrix.enclose(self._of(entries))

    def _of(self, entries: Indices) -> list[int]:
        return [int(self._indices[index]) for index in entries]
