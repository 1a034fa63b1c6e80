"""Points and norms that the statements about covariances share: exact rational matrices and their spectra."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import disagreement, eigenvalues


def largest_entry(matrix: fmpq_mat) -> fmpq:
    """Largest absolute entry."""
    return max(abs(entry) for entry in matrix.entries())


def least_eigenvalue(matrix: fmpq_mat) -> arb:
    """Smallest eigenvalue of a symmetric matrix."""
    return eigenvalues(matrix)[-1]


def largest_eigenvalue(matrix: fmpq_mat) -> arb:
    """Largest eigenvalue of a symmetric matrix."""
    return eigenvalues(matrix)[0]


def operator_norm(matrix: fmpq_mat) -> arb:
    """Spectral norm of a symmetric matrix: its largest absolute eigenvalue."""
    values = eigenvalues(matrix)
    return abs(values[0]).max(abs(values[-1]))


@attrs.frozen
class CovariancePair:
    """Sigma_1 and Sigma_j, p x p rational: the covariances X'X/n of two databases."""

    first: fmpq_mat
    second: fmpq_mat


@attrs.frozen
class NearbyPair(CovariancePair):
    """The same, and Delta_max(S_n) or what else bounds the entries of their difference."""

    delta_max: Exact


def difference(p: CovariancePair) -> fmpq_mat:
    """``Delta = Sigma_1 - Sigma_j``."""
    return p.first - p.second


def inverse_difference(p: CovariancePair) -> fmpq_mat:
    """``Gamma = Sigma_j^-1 - Sigma_1^-1``."""
    return p.second.inv() - p.first.inv()


def log_determinant_ratio(p: CovariancePair) -> arb:
    """``ln |Sigma_2| - ln |Sigma_1|``."""
    return arb(p.second.det() / p.first.det()).log()


def symmetric_margin(p: CovariancePair) -> arb:
    """Zero exactly when both matrices are symmetric."""
    return disagreement(p.first, p.first.transpose()) + disagreement(p.second, p.second.transpose())


def definite_margin(matrix: fmpq_mat) -> arb:
    """Positive exactly when a symmetric matrix is positive definite: least coefficient of det(t I + M)."""
    return arb(min((-matrix).charpoly().coeffs()))


def first_definite_margin(p: CovariancePair) -> arb:
    """Positive exactly when Sigma_1 is positive definite."""
    return definite_margin(p.first)


def second_definite_margin(p: CovariancePair) -> arb:
    """Positive exactly when Sigma_j is positive definite."""
    return definite_margin(p.second)


def normalised_margin(p: CovariancePair) -> arb:
    """Zero exactly when (4) holds: both diagonals are 1."""
    size = p.first.nrows()
    return -arb(sum(abs(m[i, i] - 1) for m in (p.first, p.second) for i in range(size)))


def within_delta_max_margin(p: NearbyPair) -> arb:
    """``Delta_max - max |Delta_jk|``."""
    return arb(rational(p.delta_max) - largest_entry(difference(p)))


SYMMETRIC = Condition("the covariances are symmetric", symmetric_margin)
FIRST_DEFINITE = exceeds("Sigma_1 is positive definite", first_definite_margin)
SECOND_DEFINITE = exceeds("Sigma_j is positive definite", second_definite_margin)
NORMALISED = Condition("the columns are normalised as in (4)", normalised_margin)
WITHIN_DELTA_MAX = Condition("max |Delta_jk| <= Delta_max", within_delta_max_margin)
DEFINITE = (SYMMETRIC, FIRST_DEFINITE, SECOND_DEFINITE)
