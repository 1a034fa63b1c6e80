"""Noise of random matrices on a second-moment matrix, correctly rounded; Wishart matrices and coupled traces."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import frozen

from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.randomness.decisions import rounded_integers
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.fast_wide import AnyIntegers
from dpmatrix.randomness.lazy import LazyReals
from dpmatrix.randomness.lazy_entries import LazyMultiples, LazyUpperTriangle
from dpmatrix.randomness.lazy_grams import StandardWishart, StandardWisharts
from dpmatrix.randomness.lazy_matrices import LazySum

_GRID_BITS = 24
_FEW = 16
"""Below this dimension the grid is as fine as it ever is."""


@frozen
class NoiseParts:
    """Random symmetric matrices, each of shape (d, d), that are added and subtracted.

    Attributes
    ----------
    added, subtracted
        The matrices.
    """

    added: tuple[LazyReals, ...]
    subtracted: tuple[LazyReals, ...] = ()


def standard_wisharts(count: int, dimension: int, entropy: Entropy) -> tuple[StandardWishart, ...]:
    """Draw independent variates of W_d(d + 1, I)."""
    return StandardWisharts(count, dimension, dimension + 1, entropy).parts()


def rounded_noisy_moment(
    integers: AnyIntegers, unit: Fraction, scale: Fraction, noise: NoiseParts
) -> tuple[AnyIntegers, Fraction]:
    """Add noise to a symmetric matrix, round the ideal real output correctly, and give the grid.

    Everything is divided by the scale c first.

    Parameters
    ----------
    integers, unit
        The matrix is the integers times the unit, shape (d, d).
    scale
        c, positive: the noise is c times the parts.
    noise
        Parts of scale 1.
    """
    output = LazyUpperTriangle(LazySum(LazyMultiples(integers, unit / scale), noise.added, noise.subtracted))
    grid = public_grid(scale, len(integers))
    upper = rounded_integers(output, grid / scale)
    result = np.empty((len(integers),) * 2, dtype=upper.dtype)
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


def simulate_coupled_traces(size: int, dimension: int, generator: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw P and Q of `CoupledTraces` in floating point, each of shape (size, d, d). NEVER for a release."""
    first, second = (simulate_wishart(size, dimension, Fraction(1), generator) for _ in range(2))
    traces = [np.trace(part, axis1=1, axis2=2) for part in (first, second)]
    larger = (traces[0] + traces[1]) / 2
    smaller = larger * generator.random(size) ** (2 / (dimension * (dimension + 1)))
    first *= (larger / traces[0])[:, None, None]
    second *= (smaller / traces[1])[:, None, None]
    coins = generator.integers(2, size=size, dtype=np.int8).astype(np.bool_)[:, None, None]
    return np.where(coins, first, second), np.where(coins, second, first)
