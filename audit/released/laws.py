"""Noise as the statements describe it, drawn with numpy and nothing of the library: what a release is compared with.

Sensitivities are those that adversarial pairs meet; the standard deviation of Gaussian noise is the root of the exact
profile, found with scipy.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm


def gaussian_delta(epsilon: float, change: float, deviation: float) -> float:
    """Return the delta of Gaussian noise on a statistic that changes by so much in l2 norm."""
    shift, tilt = change / (2 * deviation), epsilon * deviation / change
    return float(norm.cdf(shift - tilt) - math.exp(epsilon) * norm.cdf(-shift - tilt))


def gaussian_deviation(epsilon: Fraction, delta: Fraction, change: float) -> float:
    """Return the least standard deviation that is (epsilon, delta)-private."""
    low, high = 1e-3 * change, 1e6 * change
    return float(brentq(lambda s: gaussian_delta(float(epsilon), change, s) - float(delta), low, high, xtol=1e-12))


def gaussian_epsilon(delta: Fraction, change: float, deviation: float) -> float:
    """Return the least epsilon at which that noise has at most this delta; zero if every one."""
    if gaussian_delta(0.0, change, deviation) <= float(delta):
        return 0.0
    return float(brentq(lambda e: gaussian_delta(e, change, deviation) - float(delta), 0.0, 500.0, xtol=1e-12))


def symmetric(values: np.ndarray, dimension: int) -> np.ndarray:
    """Make symmetric matrices, shape (size, d, d), of their upper triangles, shape (size, d (d + 1) / 2)."""
    rows, columns = np.triu_indices(dimension)
    matrices = np.empty((len(values), dimension, dimension))
    matrices[:, rows, columns] = matrices[:, columns, rows] = values
    return matrices


def wishart(size: int, dimension: int, scale: float, generator: np.random.Generator) -> np.ndarray:
    """Draw from W_d(d + 1, c I), shape (size, d, d)."""
    factor = generator.standard_normal((size, dimension, dimension + 1)) * math.sqrt(scale)
    return np.asarray(factor @ np.swapaxes(factor, 1, 2))


def bingham(exponent: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Draw unit vectors with density proportional to exp(v'Bv), shape (size, d), by refusing uniform ones."""
    dimension = len(exponent)
    largest = float(np.linalg.eigvalsh(exponent)[-1])
    kept = np.empty((0, dimension))
    while len(kept) < size:
        vectors = generator.standard_normal((4 * size, dimension))
        vectors /= np.linalg.norm(vectors, axis=1)[:, None]
        scores = np.einsum("ij,jk,ik->i", vectors, exponent, vectors) - largest
        kept = np.concatenate([kept, vectors[generator.random(len(vectors)) < np.exp(scores)]])
    return kept[:size]


def in_complement(exponent: np.ndarray, vectors: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Draw a unit vector with density proportional to exp(v'Bv) orthogonal to each of some in R^3, shape (size, 3).

    In a plane twice the angle has von Mises's law.
    """
    one = np.cross(vectors, generator.standard_normal(vectors.shape))
    one /= np.linalg.norm(one, axis=1)[:, None]
    two = np.cross(vectors, one)
    scores = [np.einsum("ij,jk,ik->i", a, exponent, b) for a, b in ((one, one), (two, two), (one, two))]
    along, across = (scores[0] - scores[1]) / 2, scores[2]
    twice = generator.vonmises(np.arctan2(across, along), np.hypot(along, across))
    angle = twice / 2 + np.pi * generator.integers(2, size=len(vectors))
    return np.asarray(np.cos(angle)[:, None] * one + np.sin(angle)[:, None] * two)
