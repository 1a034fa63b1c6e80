"""Wishart matrices with d + 1 degrees of freedom and scale c I: as lazy reals, and in floating point."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.mechanisms.protocol import FloatArray, IntegerMatrix
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.lazy import LazyNormals, round_to_grid

_GRID_BITS = 24


class LazyWishart:
    """A variate W = c G G' of W_d(d + 1, c I), G a (d, d + 1) matrix of exact standard normals.

    Parameters
    ----------
    dimension
        d >= 1.
    scale
        c, positive.
    entropy
        Source of the digits.
    """

    def __init__(self, dimension: int, scale: Fraction, entropy: Entropy) -> None:
        self.normals = LazyNormals((dimension, dimension + 1), entropy)
        self.scale = scale

    def refine(self, bits: int) -> None:
        """Make sure that at least ``bits`` digits of every underlying uniform are known."""
        self.normals.refine(bits)

    def enclosures(self) -> arb_mat:
        """Enclose W at the working precision."""
        factor = self.normals.enclosures()
        return factor * factor.transpose() * arb(fmpq(self.scale.numerator, self.scale.denominator))


def rounded_sum(moment: fmpq_mat, added: LazyWishart, subtracted: LazyWishart | None, grid: Fraction) -> IntegerMatrix:
    """Round the ideal real matrix ``moment + added - subtracted`` correctly to multiples of ``grid``."""
    noises: Sequence[LazyWishart] = [added] if subtracted is None else [added, subtracted]

    def refine(bits: int) -> None:
        for noise in noises:
            noise.refine(bits)

    def evaluate() -> arb_mat:
        total = arb_mat(moment) + added.enclosures()
        return total if subtracted is None else total - subtracted.enclosures()

    return round_to_grid(evaluate, grid, refine)


def public_grid(scale: Fraction) -> Fraction:
    """Return a power of two about ``2**-24`` of the noise scale: far finer than the noise, and public as it is."""
    exponent = scale.numerator.bit_length() - scale.denominator.bit_length() - 1 - _GRID_BITS
    return Fraction(2) ** exponent


def simulate_wishart(size: int, dimension: int, scale: Fraction, generator: np.random.Generator) -> FloatArray:
    """Draw ``size`` variates of W_d(d + 1, c I) in floating point, shape (size, d, d). NEVER for a release."""
    factor = generator.standard_normal((size, dimension, dimension + 1)) * np.sqrt(float(scale))
    return np.asarray(factor @ np.swapaxes(factor, 1, 2), dtype=np.float64)
