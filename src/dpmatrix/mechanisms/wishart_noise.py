"""Noise of Wishart matrices with d + 1 degrees of freedom and scale c I: correctly rounded, and in floating point."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq_mat

from dpmatrix.mechanisms.protocol import FloatArray, IntegerMatrix
from dpmatrix.randomness.decisions import round_to_grid
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.lazy_matrices import LazySum, LazyWishart

_GRID_BITS = 24


def noisy_moment(moment: fmpq_mat, scale: Fraction, entropy: Entropy, *, symmetrised: bool) -> LazySum:
    """Add a variate W of W_d(d + 1, c I) to a matrix of shape (d, d), or the difference of two independent ones."""
    size = moment.nrows()
    added, *subtracted = (LazyWishart(size, size + 1, scale, entropy) for _ in range(1 + symmetrised))
    return LazySum(moment, (added,), tuple(subtracted))


def rounded_noisy_moment(
    moment: fmpq_mat, scale: Fraction, entropy: Entropy, *, symmetrised: bool
) -> tuple[IntegerMatrix, Fraction]:
    """Round the ideal real output of `noisy_moment` correctly, and give the grid."""
    grid = public_grid(scale)
    return round_to_grid(noisy_moment(moment, scale, entropy, symmetrised=symmetrised), grid), grid


def public_grid(scale: Fraction) -> Fraction:
    """Return a power of two about ``2**-24`` of the noise scale: far finer than the noise, and public as it is."""
    exponent = scale.numerator.bit_length() - scale.denominator.bit_length() - 1 - _GRID_BITS
    return Fraction(2) ** exponent


def simulate_wishart(size: int, dimension: int, scale: Fraction, generator: np.random.Generator) -> FloatArray:
    """Draw ``size`` variates of W_d(d + 1, c I) in floating point, shape (size, d, d). NEVER for a release."""
    factor = generator.standard_normal((size, dimension, dimension + 1)) * np.sqrt(float(scale))
    return np.asarray(factor @ np.swapaxes(factor, 1, 2), dtype=np.float64)
