"""Draws from the Bingham law, of density proportional to exp(x'Ax) on the unit sphere, and its privacy."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import hyp1f1, i0
from scipy.stats import chi2

from audit.zoo.specimen import Truth
from dpmatrix.auditing.arrays import FloatArray

_GRID = 600


def projectors(vectors: FloatArray) -> FloatArray:
    """Return xx' for every row x."""
    return np.asarray(vectors[:, :, None] * vectors[:, None, :])


def uniform_on_sphere(size: int, dimension: int, generator: np.random.Generator) -> FloatArray:
    """Draw unit vectors, shape (size, d)."""
    normals = generator.standard_normal((size, dimension))
    return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))


def top_eigenvectors(batch: FloatArray) -> FloatArray:
    """Return a unit eigenvector of the greatest eigenvalue of every matrix."""
    return np.asarray(np.linalg.eigh(batch)[1][..., -1])


def uniform_rejection(matrix: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Draw from the Bingham law of a matrix: uniform proposals, accepted with probability exp(x'Ax - the largest)."""
    largest = float(np.linalg.eigvalsh(matrix)[-1])
    accepted = np.zeros((0, len(matrix)))
    while len(accepted) < size:
        proposals = uniform_on_sphere(2 * size, len(matrix), generator)
        exponents = np.einsum("bi,ij,bj->b", proposals, matrix, proposals) - largest
        kept = proposals[np.log(generator.uniform(size=len(proposals))) < exponents]
        accepted = np.concatenate([accepted, kept])
    return accepted[:size]


def gibbs_chain(start: FloatArray, matrix: FloatArray, steps: int, generator: np.random.Generator) -> FloatArray:
    """Walk from the rows of ``start``: draw again, exactly, along a random great circle, ``steps`` times."""
    points = start
    for _ in range(steps):
        tangents = generator.standard_normal(points.shape)
        tangents -= np.sum(tangents * points, axis=1, keepdims=True) * points
        tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
        along, across = points @ matrix, tangents @ matrix
        half = (np.sum(along * points, axis=1) - np.sum(across * tangents, axis=1)) / 2
        mixed = np.sum(along * tangents, axis=1)
        doubled = generator.vonmises(np.arctan2(mixed, half), np.hypot(half, mixed))
        angles = doubled[:, None] / 2
        points = np.cos(angles) * points + np.sin(angles) * tangents
    return points


def one_record_truth(rate: float, dimension: int) -> Truth:
    """Return the least epsilon, at delta = 0, that one unit record against none shows under the score rate * X'X."""
    normaliser = math.log(float(hyp1f1(0.5, dimension / 2, rate)))
    return Truth(max(rate - normaliser, normaliser), exact=False)


def gap_truth(epsilon: float, coordinates: int, ratio: float) -> Truth:
    """Return the truth of two normal laws of one mean, the deviation of one ``ratio`` times that of the other."""
    threshold = 2 * (coordinates * math.log(ratio) - epsilon) / (1 - ratio**-2)
    delta = chi2.cdf(threshold, coordinates) - math.exp(epsilon) * chi2.cdf(threshold / ratio**2, coordinates)
    return Truth(math.inf, float(delta), exact=False)


def one_step_truth(rate: float, epsilon: float) -> Truth:
    """Return the truth of one Gibbs step in three dimensions from the data's own eigenvector, for e_1 against e_3.

    The angle a to the start has the density ``2 exp(k cos 2a) / (pi I_0(k))`` on (0, pi/2), k = rate / 2, and the
    azimuth is uniform; near the start that density over the area is unbounded, hence no epsilon is enough.
    """
    concentration = rate / 2
    angles = (np.arange(_GRID) + 0.5) * (math.pi / 2) / _GRID
    azimuths = (np.arange(_GRID) + 0.5) * 2 * math.pi / _GRID
    own, around = np.meshgrid(angles, azimuths, indexing="ij")
    other = np.arccos(np.abs(np.sin(own) * np.cos(around)))

    def density(at: FloatArray) -> FloatArray:
        angular = 2 * np.exp(concentration * np.cos(2 * at)) / (math.pi * float(i0(concentration)))
        return np.asarray(angular / (2 * math.pi * np.sin(at)))

    excess = np.maximum(density(own) - math.exp(epsilon) * density(other), 0.0) * np.sin(own)
    return Truth(math.inf, float(excess.sum()) * math.pi**2 / _GRID**2, exact=False)
