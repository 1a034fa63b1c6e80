"""Chains towards the matrix Bingham law: the exact law is invariant under their steps, and another is not."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq_mat
from scipy.integrate import quad

from dpmatrix.exact import rational
from dpmatrix.experiments.gibbs import HoffChain, RotationChain, _square, uniform_start
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler

EXPONENTS = np.array([4.0, 2.0, 0.0, -1.0])
COUNT = 3000
RADIUS = np.sqrt(np.log(2 * 4e10) / (2 * COUNT))
"""Of the mean of independent values in [0, 1], four of them; wrong with probability below 1e-10."""


def exact_energies(exponents, columns, count=40_000):
    matrix = fmpq_mat(4, 4, [rational(entry) for entry in np.diag(exponents).ravel().tolist()])
    draws, _ = MatrixBinghamSampler(matrix, columns).approximate_draws(count, SeededEntropy(1))
    return draws, np.mean(np.sum(draws**2, axis=2), axis=0)


@pytest.mark.parametrize("chain", [HoffChain, RotationChain])
@pytest.mark.parametrize("columns", [1, 2])
def test_the_exact_law_is_invariant_and_the_step_moves_others(chain, columns):
    draws, expected = exact_energies(EXPONENTS, columns)
    generator = np.random.default_rng(2)
    stepped = [chain(EXPONENTS, start, generator).step().copy() for start in draws[:COUNT]]
    found = np.mean(np.sum(np.array(stepped) ** 2, axis=2), axis=0)
    assert np.all(np.abs(found - expected) <= 2 * RADIUS)
    assert np.allclose([frame.T @ frame for frame in stepped], np.eye(columns))
    # Control: a step of the chain for 3 B, from the same starts, leaves the law.
    moved = [chain(3 * EXPONENTS, start, generator).step().copy() for start in draws[:COUNT]]
    assert np.any(np.abs(np.mean(np.sum(np.array(moved) ** 2, axis=2), axis=0) - expected) > 2 * RADIUS)


@pytest.mark.parametrize("chain", [HoffChain, RotationChain])
def test_a_chain_forgets_a_bad_start(chain):
    """From the lowest plane, 30 steps: independent chains, so the bound is one for means of independent values."""
    count = COUNT // 8
    _, expected = exact_energies(EXPONENTS, 2)
    generator, start, found = np.random.default_rng(3), np.eye(4)[:, 2:], np.zeros(4)
    for _ in range(count):
        state = chain(EXPONENTS, start, generator)
        for _ in range(30):
            state.step()
        found += np.sum(state.state**2, axis=1) / count
    assert np.all(np.abs(found - expected) <= (1 + 8**0.5) * RADIUS)


@pytest.mark.parametrize("excess", [-30.0, -1.0, 0.0, 2.0, 40.0])
@pytest.mark.parametrize("size", [2, 3, 9])
def test_squares_of_coordinates_have_their_density(excess, size):
    """The mean of the square, in [0, 1], against quadrature over the angle."""
    generator = np.random.default_rng(4)

    def weight(angle):
        return np.exp(excess * np.cos(angle) ** 2 - max(excess, 0)) * np.sin(angle) ** (size - 2)

    total = quad(weight, 0, np.pi, limit=200, points=[0.1, np.pi / 2, np.pi - 0.1])[0]
    mean = quad(lambda t: np.cos(t) ** 2 * weight(t), 0, np.pi, limit=200, points=[0.1, np.pi / 2, np.pi - 0.1])[0]
    found = np.mean([_square(excess, size, generator) for _ in range(COUNT)])
    assert abs(found - mean / total) <= RADIUS


def test_a_uniform_start_is_orthonormal():
    frame = uniform_start(6, 3, np.random.default_rng(5))
    assert np.allclose(frame.T @ frame, np.eye(3))
