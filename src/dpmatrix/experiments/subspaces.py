"""Subspaces of the experiments, in floats and for studies only: PCA, MOD-SULQ, PPCA by a chain, and random ones."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
from scipy.linalg import eigh

from dpmatrix.experiments.gibbs import FloatArray, RotationChain, uniform_start
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_gaussian
from dpmatrix.privacy.sensitivity import frobenius_sensitivity
from dpmatrix.spec.near_optimal.noise import ModSulq, printed_deviation


def energy(subspace: FloatArray, moment: FloatArray) -> float:
    """Return ``q_F(V) = tr V'AV``."""
    return float(np.einsum("ij,ik,kj->", subspace, moment, subspace, optimize=True))


def top_subspace(matrix: FloatArray, columns: int) -> FloatArray:
    """Return eigenvectors of the k largest eigenvalues, shape (d, k)."""
    size = len(matrix)
    vectors: FloatArray = eigh(matrix, subset_by_index=[size - columns, size - 1])[1]
    return vectors


def noise_deviation(dimension: int, records: int, epsilon: float, delta: float) -> float:
    """Return beta of (5); epsilon and delta are read as the decimals that they print."""
    exact = ModSulq(dimension, records, Fraction(str(epsilon)), Fraction(str(delta)))
    return float(printed_deviation(exact))


@cache
def _least_times_records(dimension: int, epsilon: float, delta: float) -> float:
    promise = PrivacyGuarantee(Fraction(str(epsilon)), Fraction(str(delta)), Adjacency.REPLACE_ONE)
    return float(calibrate_gaussian(frobenius_sensitivity(dimension, Adjacency.REPLACE_ONE), promise))


def least_deviation(dimension: int, records: int, epsilon: float, delta: float) -> float:
    """Return the least deviation that makes MOD-SULQ (epsilon, delta)-DP when a record is replaced."""
    return _least_times_records(dimension, epsilon, delta) / records


def mod_sulq(
    moment: FloatArray,
    records: int,
    columns: int,
    epsilon: float,
    delta: float,
    generator: np.random.Generator,
    *,
    least: bool = False,
) -> FloatArray:
    """Draw from MOD-SULQ, the entries of the noise independent for i <= j; top by value. NEVER private.

    ``least`` takes the minimal noise that keeps the guarantee in place of beta of (5).
    """
    size = len(moment)
    deviation = (least_deviation if least else noise_deviation)(size, records, epsilon, delta)
    noise = np.triu(generator.normal(0.0, deviation, (size, size)))
    return top_subspace(moment + noise + np.triu(noise, 1).T, columns)


def ppca_by_chain(
    moment: FloatArray, records: int, columns: int, epsilon: float, steps: int, generator: np.random.Generator
) -> FloatArray:
    """Run a chain towards PPCA's law from a uniform start, and return its last state. NEVER private."""
    values, vectors = np.linalg.eigh(moment)
    chain = RotationChain(records * epsilon / 2 * values, uniform_start(len(values), columns, generator), generator)
    for _ in range(steps):
        chain.step()
    drawn: FloatArray = vectors @ chain.state
    return drawn


def random_subspace(dimension: int, columns: int, generator: np.random.Generator) -> FloatArray:
    """Draw a uniform subspace."""
    return uniform_start(dimension, columns, generator)
