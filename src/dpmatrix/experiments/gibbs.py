"""Markov chains towards the matrix Bingham law, in floats: what the document ran. No output of a chain is private.

`HoffChain` is the sampler of Hoff (2009), which draws one column at a time from its Bingham law on the unit sphere of
the complement of the others, and that by one coordinate at a time. `RotationChain` has the same limit and costs less:
it rotates columns in planes with directions of the complement. How far a chain is from its limit after any number of
steps is not known, so neither carries a guarantee; `randomness.matrix_bingham` draws exactly where that is possible.
"""

from __future__ import annotations

from math import exp, log, log1p, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]

SMALLEST_SQUARE = 1e-40
CANCELLED = 1e-6
"""Share of a sum below which a difference has lost too many digits."""


def uniform_start(dimension: int, columns: int, generator: np.random.Generator) -> FloatArray:
    """Draw from the uniform law on matrices with orthonormal columns, shape (d, k)."""
    left, _, right = np.linalg.svd(generator.standard_normal((dimension, columns)), full_matrices=False)
    frame: FloatArray = left @ right
    return frame


class HoffChain:
    """Hoff's sampler for the density proportional to exp(sum_i b_i |V'e_i|^2).

    Parameters
    ----------
    exponents
        The eigenvalues b of B, shape (d,); V is expressed in its eigenvectors.
    start
        Shape (d, k), orthonormal columns.
    generator
        Source of randomness.
    """

    def __init__(self, exponents: FloatArray, start: FloatArray, generator: np.random.Generator) -> None:
        self.exponents = np.array(exponents, dtype=np.float64)
        self.state = np.array(start, dtype=np.float64)
        self.generator = generator

    def step(self) -> FloatArray:
        """Draw every column once, in random order; shape (d, k)."""
        columns = self.state.shape[1]
        for place in self.generator.permutation(columns):
            others = np.delete(self.state, place, axis=1)
            # The last d - k + 1 columns of a complete QR factor span the complement of the other columns.
            complement = np.linalg.qr(others, mode="complete")[0][:, columns - 1 :]
            values, vectors = np.linalg.eigh(complement.T @ (self.exponents[:, None] * complement))
            coordinates = vectors.T @ (complement.T @ self.state[:, place])
            column = complement @ (vectors @ self._vector_step(values, coordinates))
            self.state[:, place] = column / np.linalg.norm(column)
        return self.state

    def _vector_step(self, values: FloatArray, coordinates: FloatArray) -> FloatArray:
        """Draw every coordinate of a unit vector once: the square given the proportions of the others, then the sign.

        Only proportions matter, so the squares are kept up to a common factor.
        """
        size = len(values)
        if size == 1:
            return np.array([2.0 * self.generator.integers(0, 2) - 1])
        # An exact zero has no proportion to the others.
        rates, squares = values.tolist(), np.maximum(coordinates**2, SMALLEST_SQUARE).tolist()
        total = sum(squares)
        weighted = sum(rate * square for rate, square in zip(rates, squares, strict=True))
        for place in self.generator.permutation(size).tolist():
            rate, square = rates[place], squares[place]
            rest, rest_weighted = total - square, weighted - rate * square
            if rest < CANCELLED * total:
                others = [(r, q) for index, (r, q) in enumerate(zip(rates, squares, strict=True)) if index != place]
                rest, rest_weighted = sum(q for _, q in others), sum(r * q for r, q in others)
            share = min(_square(rate - rest_weighted / rest, size, self.generator), 1 - 2.0**-53)
            square = share / (1 - share) * rest
            total, weighted, squares[place] = rest + square, rest_weighted + rate * square, square
        signs = 2.0 * self.generator.integers(0, 2, size) - 1
        drawn: FloatArray = np.sqrt(np.array(squares) / total) * signs
        return drawn


def _square(excess: float, size: int, generator: np.random.Generator) -> float:
    """Draw x_1^2 for x with density proportional to exp(a x_1^2) on the sphere, by an angular Gaussian envelope."""
    twice = 2 * abs(excess)
    if excess > 0:
        width = (size - twice + sqrt((size - twice) ** 2 + 4 * twice)) / 2
    else:
        width = (size - twice + sqrt((size - twice) ** 2 + 4 * twice * (size - 1))) / 2
    ratio = 1 + twice / width
    peak = (width - size) / 2 + size / 2 * log(size / width)
    while True:
        first, rest = generator.standard_gamma(0.5), generator.standard_gamma((size - 1) / 2)
        scaled = first * ratio / (first * ratio + rest) if excess > 0 else first / (first + rest * ratio)
        loss = abs(excess) * (1 - scaled if excess > 0 else scaled)
        if generator.random() < exp(size / 2 * log1p(2 * loss / width) - loss - peak):
            return float(scaled)


class RotationChain:
    """Rotations of all columns at once, each in a plane with one direction of the complement, drawn from its law.

    The density on a plane is that of the von Mises law for twice the angle. Parameters as for `HoffChain`.
    """

    def __init__(self, exponents: FloatArray, start: FloatArray, generator: np.random.Generator) -> None:
        self.exponents = np.array(exponents, dtype=np.float64)
        self.columns = start.shape[1]
        basis = np.linalg.qr(start, mode="complete")[0]
        basis[:, : self.columns] = start
        # Rows are the directions, so that a rotation touches contiguous memory.
        self._rows = np.ascontiguousarray(basis.T)
        self._generator = generator

    @property
    def state(self) -> FloatArray:
        """The present matrix, shape (d, k)."""
        return self._rows[: self.columns].T

    def step(self) -> FloatArray:
        """Rotate every column with every direction of the complement once; shape (d, k)."""
        k, free = self.columns, len(self._rows) - self.columns
        order = self._generator.permutation(free)
        for shift in range(free):
            count = min(k, free)
            columns = self._generator.permutation(k)[:count]
            partners = k + order[(shift + np.arange(count) * (free // count)) % free]
            v, w = self._rows[columns], self._rows[partners]
            along, across, mixed = (np.einsum("ij,j,ij->i", a, self.exponents, b) for a, b in ((v, v), (w, w), (v, w)))
            # exp(along cos^2 + across sin^2 + 2 mixed sin cos) = exp(const + r cos(2 angle - phase)).
            half = (along - across) / 2
            angle = self._generator.vonmises(np.arctan2(mixed, half), np.hypot(half, mixed)) / 2
            cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
            self._rows[columns], self._rows[partners] = cosine * v + sine * w, cosine * w - sine * v
        return self.state
