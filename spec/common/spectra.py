"""Spectra of exact matrices: certified eigenvalues, singular values, norms and projectors of rational matrices.

Eigenvalues are the roots of the characteristic polynomial, isolated with their multiplicities, so that ties are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import attrs
from flint import acb, arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition
from dpmatrix.exact import Exact, Real, ball, nonnegative_root, rational
from dpmatrix.spec.common.conditions import exceeds, whole


def eigenvalues(matrix: fmpq_mat) -> list[arb]:
    """Eigenvalues of a symmetric rational matrix in decreasing order, each as often as its multiplicity."""
    found = cast("list[tuple[acb, int]]", matrix.charpoly().complex_roots())
    roots = [root.real for root, count in found for _ in range(count)]
    return sorted(roots, key=arb.mid, reverse=True)


def singular_values(matrix: fmpq_mat) -> list[arb]:
    """Singular values of a rational matrix in decreasing order, one for each column."""
    return [nonnegative_root(value) for value in eigenvalues(matrix.transpose() * matrix)]


def spectral_norm(matrix: fmpq_mat) -> arb:
    """Largest singular value."""
    return singular_values(matrix)[0]


def squared_frobenius_norm(matrix: fmpq_mat) -> arb:
    """Sum of the squared entries, exact."""
    return arb(sum((entry * entry for entry in matrix.entries()), fmpq(0)))


def frobenius_norm(matrix: fmpq_mat) -> arb:
    """Root of the sum of the squared entries."""
    return squared_frobenius_norm(matrix).sqrt()


def trace(matrix: fmpq_mat) -> fmpq:
    """Sum of the diagonal entries."""
    return sum((matrix[i, i] for i in range(matrix.nrows())), fmpq(0))


def identity(order: int) -> fmpq_mat:
    """Identity matrix."""
    return fmpq_mat(order, order, [int(i == j) for i in range(order) for j in range(order)])


def diagonal(values: Sequence[Exact]) -> fmpq_mat:
    """Diagonal matrix."""
    order = len(values)
    places = range(order)
    return fmpq_mat(order, order, [rational(values[i]) if i == j else fmpq(0) for i in places for j in places])


def column(matrix: fmpq_mat, number: int) -> fmpq_mat:
    """Column ``number``, counted from 1, as a d x 1 matrix."""
    return fmpq_mat([[row[number - 1]] for row in matrix.tolist()])


def projector(frame: fmpq_mat, k: int) -> fmpq_mat:
    """Sum of v_i v_i' over the first k columns.

    Raises
    ------
    ValueError
        If k is negative.
    """
    if k < 0:
        raise ValueError("there is no negative number of columns")
    leading = fmpq_mat(frame.nrows(), k, [frame[i, j] for i in range(frame.nrows()) for j in range(k)])
    return leading * leading.transpose()


def ranked(values: Sequence[Real], number: int) -> arb:
    """The ``number``-th value, counted from 1; infinite beyond both ends, as in the min-max principle."""
    if number < 1:
        return arb("inf")
    return ball(values[number - 1]) if number <= len(values) else arb("-inf")


def disagreement(left: fmpq_mat, right: fmpq_mat) -> arb:
    """Minus the sum of the absolute differences of the entries: zero exactly when two matrices agree."""
    return -arb(sum((abs(entry) for entry in (left - right).entries()), fmpq(0)))


def nonnegative_spectrum(matrix: fmpq_mat) -> arb:
    """Non-negative exactly when a symmetric matrix is positive semidefinite: its least elementary symmetric polynomial.

    All roots of the characteristic polynomial are real, so they are non-negative exactly if its signs alternate.
    """
    coefficients = matrix.charpoly().coeffs()
    order = matrix.nrows()
    return arb(min((-1) ** (order - power) * coefficients[power] for power in range(order + 1)))


@attrs.frozen
class SpectralPair:
    """Symmetric d x d matrices A and Ahat, each given by its eigenvalues and a choice of eigenvectors, and a rank k.

    Every eigenbasis is allowed, so that ties and signs are part of the point. Rational orthogonal matrices are dense
    among the orthogonal ones.

    Parameters
    ----------
    values, perturbed_values
        Eigenvalues of A and Ahat, in decreasing order.
    frame, perturbed_frame
        Orthogonal d x d matrices of rationals; column i is the eigenvector of eigenvalue i.
    k
        Rank of the projectors.
    """

    values: tuple[Exact, ...]
    frame: fmpq_mat
    perturbed_values: tuple[Exact, ...]
    perturbed_frame: fmpq_mat
    k: int


def original(p: SpectralPair) -> fmpq_mat:
    """``A = V diag(values) V'``."""
    return p.frame * diagonal(p.values) * p.frame.transpose()


def perturbed(p: SpectralPair) -> fmpq_mat:
    """``Ahat``."""
    return p.perturbed_frame * diagonal(p.perturbed_values) * p.perturbed_frame.transpose()


def noise(p: SpectralPair) -> fmpq_mat:
    """``W = Ahat - A``."""
    return perturbed(p) - original(p)


def noise_norm(p: SpectralPair) -> arb:
    """``||W||_2``."""
    return spectral_norm(noise(p))


def gap(p: SpectralPair) -> arb:
    """``lambda_k(A) - lambda_{k+1}(A)``."""
    return ranked(p.values, p.k) - ranked(p.values, p.k + 1)


def projector_difference(p: SpectralPair) -> fmpq_mat:
    """``P_k - Phat_k``."""
    return projector(p.frame, p.k) - projector(p.perturbed_frame, p.k)


def orthonormality(frame: fmpq_mat) -> arb:
    """Zero exactly when the columns are orthonormal."""
    return disagreement(frame.transpose() * frame, identity(frame.ncols()))


def square_margin(p: SpectralPair) -> arb:
    """Zero exactly when both frames are d x d, d the number of eigenvalues of each matrix."""
    d = len(p.values)
    sides = (p.frame.nrows(), p.frame.ncols(), p.perturbed_frame.nrows(), p.perturbed_frame.ncols())
    return -arb(abs(len(p.perturbed_values) - d) + sum(abs(side - d) for side in sides))


def orthogonal_margin(p: SpectralPair) -> arb:
    """Zero exactly when both frames are orthogonal d x d matrices: d eigenvectors for d eigenvalues."""
    return square_margin(p) + orthonormality(p.frame) + orthonormality(p.perturbed_frame)


def decreasing_margin(p: SpectralPair) -> arb:
    """Least drop from one eigenvalue to the next, in both spectra; 0 in dimension one."""
    spectra = (p.values, p.perturbed_values)
    drops = [rational(large) - rational(small) for values in spectra for large, small in pairwise(values)]
    return arb(min(drops, default=fmpq(0)))


def proper_rank_margin(p: SpectralPair) -> arb:
    """``d - k``."""
    return arb(len(p.values) - p.k)


def least_value_margin(p: SpectralPair) -> arb:
    """Smallest eigenvalue of A."""
    return ball(min(p.values))


def noise_margin(p: SpectralPair) -> arb:
    """Non-negative exactly when W is positive semidefinite."""
    return nonnegative_spectrum(noise(p))


PROPER_RANK = (whole("k", 1), exceeds("k < d", proper_rank_margin))
EIGENVECTORS = Condition("the eigenvectors are orthonormal", orthogonal_margin)
DECREASING = Condition("the eigenvalues are in decreasing order", decreasing_margin)
PSD_MATRIX = Condition("A is positive semidefinite", least_value_margin)
PSD_NOISE = Condition("W is positive semidefinite", noise_margin)
