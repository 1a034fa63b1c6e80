"""The noise W_1 - W_2 of the repaired Theorem 4, by which Theorems 7 and 9 are judged as well."""

from __future__ import annotations

from flint import arb, fmpq_mat

from dpmatrix.exact import Real
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.spec.common.spectra import disagreement, nonnegative_spectrum, spectral_norm
from dpmatrix.spec.wishart.wishart_perturbation import SymmetrisedNoise, symmetrised_scale


def parts(noise: fmpq_mat, removed: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat]:
    """``W_1`` and ``W_2``, given W_1 - W_2 and W_2."""
    return noise + removed, removed


def are_semidefinite(noise: fmpq_mat, removed: fmpq_mat) -> arb:
    """Non-negative exactly when W_1 and W_2 are symmetric, of one order, and have no negative eigenvalue."""
    if (removed.nrows(), removed.ncols()) != (noise.nrows(), noise.ncols()):
        return arb(-1)
    both = parts(noise, removed)
    crooked = sum((disagreement(part, part.transpose()) for part in both), arb(0))
    first, second = (nonnegative_spectrum(part) for part in both)
    return crooked if crooked < 0 else first.min(second)


def larger_norm(noise: fmpq_mat, removed: fmpq_mat) -> arb:
    """``max(||W_1||_2, ||W_2||_2)``."""
    first, second = (spectral_norm(part) for part in parts(noise, removed))
    return first.max(second)


def scale_of_one_record(dimension: int, epsilon: Real) -> arb:
    """``c``, 1/epsilon for d >= 2 and half of it for d = 1: it hides a replaced record of norm at most 1 in X'X."""
    return symmetrised_scale(SymmetrisedNoise(dimension, Adjacency.REPLACE_ONE, epsilon, 1, 1, 0))
