"""Parts that specimens are made of: laws, arrangements of noise in a matrix, statistics, and their sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.targets.target import Target

Law: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]
Noise: TypeAlias = Callable[[int, np.random.Generator], FloatArray]
Statistic: TypeAlias = Callable[[FloatArray], FloatArray]


def laplace(scale: float) -> Law:
    """Return independent Laplace variates."""
    return lambda generator, shape: generator.laplace(scale=scale, size=shape)


def gaussian(deviation: float) -> Law:
    """Return independent normal variates."""
    return lambda generator, shape: generator.normal(scale=deviation, size=shape)


def transposed(batch: FloatArray) -> FloatArray:
    """Transpose every matrix of a batch."""
    return np.swapaxes(batch, 1, 2)


def upper_triangle(law: Law, dimension: int) -> Noise:
    """Draw the entries on and above the diagonal; zero below."""
    rows, columns = np.triu_indices(dimension)

    def noise(size: int, generator: np.random.Generator) -> FloatArray:
        result = np.zeros((size, dimension, dimension))
        result[:, rows, columns] = law(generator, (size, len(rows)))
        return result

    return noise


def mirrored(law: Law, dimension: int) -> Noise:
    """Draw the entries on and above the diagonal and copy them below."""
    triangle = upper_triangle(law, dimension)

    def noise(size: int, generator: np.random.Generator) -> FloatArray:
        upper = triangle(size, generator)
        return np.asarray(upper + transposed(np.triu(upper, 1)))

    return noise


def everywhere(law: Law, dimension: int) -> Noise:
    """Draw all entries independently; not symmetric."""
    return lambda size, generator: law(generator, (size, dimension, dimension))


def averaged(noise: Noise) -> Noise:
    """Average a matrix with its transpose."""

    def symmetric(size: int, generator: np.random.Generator) -> FloatArray:
        drawn = noise(size, generator)
        return np.asarray((drawn + transposed(drawn)) / 2)

    return symmetric


def wishart(dimension: int, degrees: int, scale: float) -> Noise:
    """Draw W_d(m, cI) for an integer m."""

    def noise(size: int, generator: np.random.Generator) -> FloatArray:
        root = generator.normal(scale=np.sqrt(scale), size=(size, degrees, dimension))
        return np.asarray(transposed(root) @ root)

    return noise


def coordinates(law: Law, length: int) -> Noise:
    """Draw a vector of independent coordinates."""
    return lambda size, generator: law(generator, (size, length))


def gram(data: FloatArray) -> FloatArray:
    """Return X'X."""
    return np.asarray(data.T @ data)


def clipped(data: FloatArray, bound: float) -> FloatArray:
    """Shrink every row to Euclidean norm at most ``bound``."""
    norms = np.linalg.norm(data, axis=1, keepdims=True)
    return np.asarray(data * np.minimum(1.0, bound / np.maximum(norms, 1e-300)))


def column_sums(data: FloatArray) -> FloatArray:
    """Return the sum of the records, shape (d,)."""
    return np.asarray(data.sum(axis=0))


def counts(data: FloatArray) -> FloatArray:
    """Count for every coordinate the records that are positive there: one record changes each count by at most one."""
    return np.asarray(np.count_nonzero(data > 0, axis=0), dtype=np.float64)


def histogram(data: FloatArray) -> FloatArray:
    """Count the records by their largest coordinate, zero records nowhere: one record changes one count by one."""
    present = data[np.any(data != 0, axis=1)]
    return np.bincount(np.argmax(np.abs(present), axis=1), minlength=data.shape[1]).astype(np.float64)


def additive(statistic: Statistic, noise: Noise) -> Target:
    """Release a statistic plus noise."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(statistic(data) + noise(size, generator))

    return target
