"""Section 2: what singular values say of rank, norms, best approximations and semidefinite matrices."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import (
    column,
    diagonal,
    disagreement,
    nonnegative_spectrum,
    orthonormality,
    spectral_norm,
)


@attrs.frozen
class SingularValues:
    """A singular value decomposition Z = U S V' without the columns of U that S ignores; rational.

    Parameters
    ----------
    left
        U, m x n with orthonormal columns, m >= n.
    values
        The n diagonal entries of S, decreasing to at least 0.
    right
        V, n x n and orthogonal.
    """

    left: fmpq_mat
    values: tuple[Exact, ...]
    right: fmpq_mat


def matrix_of(p: SingularValues, count: int | None = None) -> fmpq_mat:
    """``Z = U S V'``, or with all but the first ``count`` values replaced by 0."""
    kept = [value if count is None or place < count else 0 for place, value in enumerate(p.values)]
    return p.left * diagonal(kept) * p.right.transpose()


def decomposition_margin(p: SingularValues) -> arb:
    """Zero exactly when U and V have orthonormal columns, as many as there are values, and V is square."""
    order = len(p.values)
    wrong = abs(p.left.ncols() - order) + abs(p.right.ncols() - order) + abs(p.right.nrows() - order)
    return -arb(wrong) if wrong else orthonormality(p.left) + orthonormality(p.right)


def ordered_margin(p: SingularValues) -> arb:
    """Least of the drops from one value to the next, and of the last value."""
    return arb(min(rational(large) - rational(small) for large, small in pairwise((*p.values, 0))))


def _squared_length(matrix: fmpq_mat) -> fmpq:
    return sum((entry * entry for entry in matrix.entries()), fmpq(0))


def rank_margin(p: SingularValues) -> arb:
    """Minus the distance of the rank of Z from the number of values other than 0."""
    return -arb(abs(matrix_of(p).rank() - sum(rational(value) != 0 for value in p.values)))


def frobenius_margin(p: SingularValues) -> arb:
    """Minus the distance of the sum of the squared entries from that of the squared values; exact."""
    squares = sum((rational(value) ** 2 for value in p.values), fmpq(0))
    return -arb(abs(_squared_length(matrix_of(p)) - squares))


@attrs.frozen
class Stretch(SingularValues):
    """A matrix and a vector x, n x 1, that it stretches."""

    vector: fmpq_mat


def stretch_margin(p: Stretch) -> arb:
    """``sigma_1^2 |x|^2 - |Zx|^2``, and minus the distance of ``|Zv_1|^2`` from sigma_1^2: the smaller of both."""
    matrix, largest = matrix_of(p), rational(p.values[0]) ** 2
    attained = abs(_squared_length(matrix * column(p.right, 1)) - largest)
    bound = largest * _squared_length(p.vector) - _squared_length(matrix * p.vector)
    return arb(min(bound, -attained))


@attrs.frozen
class LowRankRival(SingularValues):
    """A matrix Z, a rank k, and another matrix B of rank k at most."""

    rank: int
    rival: fmpq_mat


def best_approximation_margin(p: LowRankRival) -> arb:
    """How much farther B is from Z than Z_k: the smaller of both norms, the Frobenius one squared."""
    cut, other = matrix_of(p) - matrix_of(p, p.rank), matrix_of(p) - p.rival
    following = [*p.values, 0][p.rank]
    frobenius = arb(_squared_length(other) - _squared_length(cut))
    return frobenius.min(spectral_norm(other) - arb(rational(following)))


def rival_rank_margin(p: LowRankRival) -> arb:
    """``k - rank B``."""
    return arb(p.rank - p.rival.rank())


def index_margin(p: LowRankRival) -> arb:
    """``n - k``."""
    return arb(len(p.values) - p.rank)


def spectral_form_margin(p: SingularValues) -> arb:
    """``Z = V S V'``, exactly."""
    return disagreement(matrix_of(p), p.right * diagonal(p.values) * p.right.transpose())


def symmetric_margin(p: SingularValues) -> arb:
    """Zero exactly when Z is square and symmetric."""
    matrix = matrix_of(p)
    if matrix.nrows() != matrix.ncols():
        return arb(-1)
    return disagreement(matrix, matrix.transpose())


def semidefinite_margin(p: SingularValues) -> arb:
    """Non-negative exactly when a symmetric Z is positive semidefinite."""
    return nonnegative_spectrum(matrix_of(p))


DECOMPOSED = Condition("the columns of U and of V are orthonormal", decomposition_margin)
ORDERED = Condition("sigma_1 >= ... >= sigma_n >= 0", ordered_margin)

SINGULAR_VALUES = (
    Step(
        "rank",
        Statement("section 2: the rank is the number of nonzero singular values", rank_margin, given=(DECOMPOSED,)),
        defect=None,
    ),
    Step(
        "frobenius-norm",
        Statement("section 2: ||Z||_F^2 is the sum of the sigma_i^2", frobenius_margin, given=(DECOMPOSED,)),
        defect=None,
    ),
    Step(
        "largest-stretch",
        Statement("section 2: max |Zx| / |x| is sigma_1", stretch_margin, given=(DECOMPOSED, ORDERED)),
        defect=None,
    ),
    Step(
        "best-approximation",
        Statement(
            "section 2: Z_k = U_k S_k V_k' is the best approximation of rank k: no matrix of rank k is nearer to Z, in "
            "the Frobenius or in the spectral norm",
            best_approximation_margin,
            given=(
                DECOMPOSED,
                ORDERED,
                whole("rank", 1),
                exceeds("k <= n", index_margin, strict=False),
                exceeds("B has rank k at most", rival_rank_margin, strict=False),
            ),
        ),
        defect=None,
        note="Printed without a norm; where sigma_k = sigma_{k+1}, and in the spectral norm, others are as near.",
    ),
    Step(
        "semidefinite",
        Statement(
            "section 2: for a positive semidefinite A every singular value decomposition is a spectral one: A = V S V'",
            spectral_form_margin,
            given=(
                DECOMPOSED,
                ORDERED,
                exceeds("A is symmetric", symmetric_margin, strict=False),
                exceeds("A is positive semidefinite", semidefinite_margin, strict=False),
            ),
        ),
        defect=None,
        note="Columns of U and V may differ where sigma_i = 0.",
    ),
)
