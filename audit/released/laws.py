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


def coupled_traces(
    size: int, dimension: int, scale: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw P and Q of density proportional to exp(-max(tr P, tr Q)/c), each of shape (size, d, d).

    The traces are drawn from their own density, proportional to (p q)^(D-1) exp(-max(p, q)) with D = d (d + 1)/2: the
    larger is a gamma variate of shape 2 D, the smaller has a power of D below it. The shapes are those of matrices of
    W_d(d + 1, I).
    """
    count = dimension * (dimension + 1) // 2
    larger = generator.gamma(2 * count, scale=scale, size=size)
    traces = np.stack([larger, larger * generator.beta(count, 1, size=size)])
    traces = np.where(generator.random(size) < 0.5, traces, traces[::-1])
    found = []
    for wanted in traces:
        shape = wishart(size, dimension, 1.0, generator)
        found.append(shape * (wanted / np.trace(shape, axis1=1, axis2=2))[:, None, None])
    return found[0], found[1]


def k_norm(size: int, dimension: int, scale: float, generator: np.random.Generator, *, replaces: bool) -> np.ndarray:
    """Draw N of density proportional to exp(-|N|/c), shape (size, d, d), by refusing matrices of another density.

    The proposals have uniform eigenvectors and independent eigenvalues, of density proportional to exp(-|x| rate/2c).
    Those of N have the product of their gaps times exp(-|N|/c), and |N| is at least the rate times t, the sum of all
    |x|: the rate is 1/2 for the larger trace and 1 for the nuclear norm. The product of g gaps is at most t^g, and
    t^g exp(-rate t/2) at most (2 g / (e rate))^g. It takes long from d = 4 on.
    """
    gaps, rate = dimension * (dimension - 1) // 2, 0.5 if replaces else 1.0
    most = (2 * gaps / (math.e * rate)) ** gaps if gaps else 1.0
    kept = np.empty((0, dimension))
    while len(kept) < size:
        values = generator.laplace(scale=2 / rate, size=(4096, dimension))
        total = np.abs(values).sum(axis=1)
        above = np.where(values > 0, values, 0).sum(axis=1)
        norm = np.maximum(above, total - above) if replaces else total
        rows, columns = np.triu_indices(dimension, 1)
        product = np.prod(np.abs(values[:, rows] - values[:, columns]), axis=1)
        quotient = product * np.exp(rate * total / 2 - norm) / most
        assert (quotient <= 1).all(), "the bound is one"
        kept = np.concatenate([kept, values[generator.random(len(values)) < quotient]])
    frames = np.linalg.qr(generator.standard_normal((size, dimension, dimension)))[0]
    # signs of the columns would make the frames uniform; they cancel here
    return scale * (frames * kept[:size, None, :]) @ np.swapaxes(frames, 1, 2)


STEPS = 2000
"""More steps than have a weight in floating point, for epsilon of at least 1/8."""


def shells(power: int, epsilon: float, width: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the least norms of each step, its greatest, and its share of staircase noise in so many dimensions."""
    upper = np.arange(STEPS) + width
    lower = np.maximum(upper - 1, 0)
    weights = np.exp(-epsilon * np.arange(STEPS)) * (upper**power - lower**power)
    return lower, upper, weights / weights.sum()


def stair_square(power: int, epsilon: float, width: float) -> float:
    """Return the mean square of the norm of staircase noise: that of each step, times its share."""
    lower, upper, shares = shells(power, epsilon, width)
    squares = (upper ** (power + 2) - lower ** (power + 2)) / (upper**power - lower**power)
    return float((shares * squares).sum()) * power / (power + 2)


def best_width(power: int, epsilon: float) -> float:
    """Return the width of the first step for which the mean square is least, to a part in thousands."""
    grid = np.linspace(0, 1, 513)[1:]
    near = grid[np.argmin([stair_square(power, epsilon, width) for width in grid])]
    fine = np.clip(near + np.linspace(-1, 1, 513) / 512, 1e-9, 1)
    return float(fine[np.argmin([stair_square(power, epsilon, width) for width in fine])])


def stair_norms(size: int, power: int, epsilon: float, generator: np.random.Generator) -> np.ndarray:
    """Draw norms of staircase noise, shape (size,): a step, and a uniform place in its shell."""
    lower, upper, shares = shells(power, epsilon, best_width(power, epsilon))
    steps = generator.choice(STEPS, size, p=shares)
    low, high = lower[steps] ** power, upper[steps] ** power
    return np.asarray((low + generator.random(size) * (high - low)) ** (1 / power))


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
