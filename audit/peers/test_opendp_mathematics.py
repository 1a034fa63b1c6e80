"""The mathematics of opendp 0.16: additive noise keeps its promise, the private eigenvector does not.

Outputs are rounded to multiples of 2**-30, and the claim is the one that the measurement's own map states for one
replaced record. A violation is certified, and an alarm on a mechanism that keeps its promise rung, with probability at
most 1e-9 each.

*What violates.* ``make_private_eigenvector`` (``extras/sklearn/_make_eigenvector/__init__.py``, lines 83-85) and with
it ``make_private_eigenvectors``, ``make_private_np_eigendecomposition`` and ``PCA``: the probability of acceptance is
divided by ``(u' Omega u)**(d/2)`` where it has to be multiplied by it, as in diffprivlib, see `test_bingham_samplers`.
The pair of data sets is that of `test_diffprivlib_mathematics`. opendp lets the user give the eigenvectors any share of
the budget, so that the whole decomposition is over its promise, not a part of it alone.
"""

from __future__ import annotations

import math

import numpy as np
import opendp.prelude as dp
import pytest
from opendp.extras.sklearn._make_eigendecomposition import make_private_np_eigendecomposition
from opendp.mod import OpenDPException

from dpmatrix.auditing import NeighbouringPair, neighbouring_pairs
from dpmatrix.privacy import Adjacency, GaussianProfile

dp.enable_features("contrib", "idealized-numerics")
REPLACE = Adjacency.REPLACE_ONE
REFUSED = -1e6
STRONG, DIMENSION, WIDE = 160, 6, 100
DELTA = float(GaussianProfile(1, 1).delta(1).upper())


def sums(measurement):
    return lambda data, size, _: np.array([measurement(data.sum(axis=0).tolist()) for _ in range(size)])


def floats(metric):
    return dp.vector_domain(dp.atom_domain(T=float, nan=False)), metric(T=float)


def decomposition(dimension: int, records: int, eigenvalues: float, eigenvector: float):
    domain = dp.numpy.array2_domain(norm=1.0, p=2, size=records, num_columns=dimension, nan=False, T=float)
    return make_private_np_eigendecomposition(domain, dp.symmetric_distance(), eigenvalues, [eigenvector])


def sizes(dimension: int) -> dict[str, int]:
    """Return fewer outputs where each takes a millisecond and more."""
    return {"training": 100, "confirmation": 4000 if dimension < WIDE else 1000}


def opposite(dimension: int) -> NeighbouringPair:
    """Return a flat unit record and its opposite."""
    flat = np.full((1, dimension), dimension**-0.5) * (1 - 2.0**-40)
    return NeighbouringPair("opposite flat vectors", REPLACE, flat, -flat)


@pytest.mark.parametrize("dimension", [1, 3, 20, 200])
def test_laplace_vectors_keep_their_promise(audited_mathematics, dimension: int) -> None:
    scale = 2 * math.sqrt(dimension)
    measurement = dp.m.make_laplace(*floats(dp.l1_distance), scale=scale)
    epsilon = measurement.map(2 * math.sqrt(dimension))
    assert epsilon == pytest.approx(1, rel=1e-6)
    pairs = [opposite(dimension)]
    assert not audited_mathematics(sums(measurement), pairs, epsilon=epsilon, **sizes(dimension)).violated


@pytest.mark.parametrize("dimension", [1, 3, 20, 200])
def test_gaussian_vectors_keep_their_promise(audited_mathematics, dimension: int) -> None:
    measurement = dp.m.make_gaussian(*floats(dp.l2_distance), scale=2.0)
    assert measurement.map(2.0) == pytest.approx(0.5)
    pairs = [opposite(dimension)]
    result = audited_mathematics(sums(measurement), pairs, epsilon=1, delta=DELTA, **sizes(dimension))
    assert not result.violated


@pytest.mark.parametrize("dimension", [1, 20, 200])
def test_geometric_vectors_keep_their_promise(audited_mathematics, dimension: int) -> None:
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    measurement = dp.m.make_geometric(*space, scale=1.0)
    pair = NeighbouringPair("one count", REPLACE, np.eye(1, dimension), np.zeros((1, dimension)))

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        counts = data[0].astype(int).tolist()
        return np.array([measurement(counts) for _ in range(size)])

    epsilon = measurement.map(1)
    assert not audited_mathematics(target, [pair], epsilon=epsilon, **sizes(dimension)).violated


def test_half_the_noise_of_a_vector_is_found(audited_mathematics) -> None:
    measurement = dp.m.make_laplace(*floats(dp.l1_distance), scale=1.0)
    pairs = [pair for pair in neighbouring_pairs(3, 1, REPLACE) if "opposite basis" in pair.name]
    assert audited_mathematics(sums(measurement), pairs, epsilon=1, control=True).epsilon_lower_bound > 1.5


@pytest.mark.parametrize("dimension", [2, 10])
def test_eigenvalues_keep_their_promise(audited_mathematics, with_numpy, dimension: int) -> None:
    with_numpy(np.random.default_rng())
    measurement = decomposition(dimension, 3, 1.0, 0.01)

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        return np.array([eigenvalues(data) for _ in range(size)])

    def eigenvalues(data: np.ndarray) -> np.ndarray:
        try:
            return np.asarray(measurement(data)[0])
        except OpenDPException:
            # Its search for the envelope fails on some noisy matrices; that is an output as well.
            return np.full(dimension, REFUSED)

    pairs = neighbouring_pairs(dimension, 3, REPLACE)[-4::2]
    epsilon = measurement.map(2)
    assert not audited_mathematics(target, pairs, epsilon=epsilon, training=200, confirmation=2000).violated


def test_eigenvectors_violate_the_promise_of_the_decomposition(audited_mathematics, with_numpy) -> None:
    """Certified: above the 2.02 that the map of the whole decomposition states."""
    measurement = decomposition(DIMENSION, 2 * STRONG + 1, 0.02, 2.0)
    axes = np.eye(DIMENSION)
    rest = np.repeat(axes[:2], STRONG, axis=0)
    data, neighbour = np.vstack([rest, axes[:1]]), np.vstack([rest, axes[1:2]])
    pair = NeighbouringPair("two strong axes, the odd record along either", REPLACE, data, neighbour)

    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        with_numpy(generator)
        drawn = np.array([np.asarray(measurement(data)[1])[:, 0] for _ in range(size)])
        return drawn[:, :, None] * drawn[:, None, :]

    epsilon = measurement.map(2)
    assert epsilon < 2.0201
    result = audited_mathematics(target, [pair], epsilon=epsilon, training=400, confirmation=24_000)
    assert result.violated
