"""Noise of Wishart matrices with d + 1 degrees of freedom and scale c I: correctly rounded, and in floating point."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.randomness.decisions import rounded_integers
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.fast_wide import AnyIntegers
from dpmatrix.randomness.lazy_entries import LazyMultiples, LazyUpperTriangle
from dpmatrix.randomness.lazy_matrices import LazySum, LazyWishart

_GRID_BITS = 24
_FEW = 16
"""Below this dimension the grid is as fine as it ever is."""


def rounded_noisy_moment(
    integers: AnyIntegers, unit: Fraction, scale: Fraction, entropy: Entropy, *, symmetrised: bool
) -> tuple[AnyIntegers, Fraction]:
    """Add noise to a symmetric matrix, round the ideal real output correctly, and give the grid.

    Everything is divided by the scale c first, so that the noise is that of W_d(d + 1, I).

    Parameters
    ----------
    integers, unit
        The matrix is the integers times the unit, shape (d, d).
    scale
        c, positive.
    entropy
        Source of the digits.
    symmetrised
        Whether the noise is the difference of two independent variates of W_d(d + 1, c I), or one of them.
    """
    size = len(integers)
    added, *subtracted = (LazyWishart(size, size + 1, Fraction(1), entropy) for _ in range(1 + symmetrised))
    output = LazyUpperTriangle(LazySum(LazyMultiples(integers, unit / scale), (added,), tuple(subtracted)))
    grid = public_grid(scale, size)
    upper = rounded_integers(output, grid / scale)
    result = np.empty((size, size), dtype=upper.dtype)
    result[output.places] = result.T[output.places] = upper
    return result, grid


def public_grid(scale: Fraction, dimension: int) -> Fraction:
    """Return a power of two far below the noise, public as scale and dimension are.

    It is about ``2**-24`` of the scale c below d = 16, and from there on four times as coarse whenever d doubles:
    errors in floating point grow with d, and are to be far below the grid at nearly every entry. It stays below
    ``2**-12 c``. Rounding moves the matrix by at most d / 2 grids in spectral norm, less than ``2**-15`` of the noise's
    own, about 4 d c.
    """
    bits = _GRID_BITS - min(2 * (dimension // _FEW).bit_length(), _GRID_BITS // 2)
    return Fraction(2) ** (scale.numerator.bit_length() - scale.denominator.bit_length() - 1 - bits)


def simulate_wishart(size: int, dimension: int, scale: Fraction, generator: np.random.Generator) -> FloatArray:
    """Draw ``size`` variates of W_d(d + 1, c I) in floating point, shape (size, d, d). NEVER for a release."""
    factor = generator.standard_normal((size, dimension, dimension + 1)) * np.sqrt(float(scale))
    return np.asarray(factor @ np.swapaxes(factor, 1, 2), dtype=np.float64)
