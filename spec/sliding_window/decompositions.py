"""Section 2: every real matrix has singular values, and what is nearest to it in every unitarily invariant norm."""

from __future__ import annotations

from typing import cast

import attrs
from flint import acb, arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.spec.common.eigenbases import eigenbasis, simple_polynomial
from dpmatrix.spec.common.spectra import singular_values
from dpmatrix.spec.sliding_window.loewner import flag, gram
from dpmatrix.spec.sliding_window.notation_margins import (
    RankPoint,
    composed,
    decreasing_values_margin,
    rank_orthonormal_margin,
)


@attrs.frozen
class AnyMatrix:
    """A rational matrix, n x d."""

    matrix: fmpq_mat


def is_diagonalised(matrix: fmpq_mat) -> bool:
    """Whether M has an orthonormal basis of real eigenvectors, and no negative eigenvalue."""
    found = cast("list[tuple[acb, int]]", simple_polynomial(matrix).complex_roots())
    return bool(eigenbasis(matrix) >= 0) and all(root.real >= 0 for root, _ in found)


def decomposition_margin(p: AnyMatrix) -> arb:
    """0 exactly when A'A `is_diagonalised`."""
    return flag(is_diagonalised(gram(p.matrix)))


@attrs.frozen
class NormPoint(RankPoint):
    """A and B as in `RankPoint`, and the weights w of the norm ``sum w_i s_i``, one for each singular value."""

    weights: tuple[fmpq, ...]


def nearest_margin(p: NormPoint) -> arb:
    """``sum w_i s_i(A - B) - sum w_i s_{i+k}(A)``, k the rank of B."""
    away = singular_values(composed(p.left, p.values, p.right) - p.other)
    beyond = (*p.values[p.other.rank() :], *(fmpq(0) for _ in p.weights))
    terms = zip(p.weights, away, beyond, strict=False)  # s_{i+k} is 0 from some i on
    return sum((weight * (one - other) for weight, one, other in terms), arb(0))


def weights_margin(p: NormPoint) -> arb:
    """Least weight."""
    return arb(min(p.weights))


EVERY_DECOMPOSITION = Step(
    "every-decomposition",
    Statement(
        "every real matrix A can be decomposed: the eigenvalues of A'A are real and not negative, and the product of "
        "A'A - l over the different ones is zero; so eigenvectors y_i of A'A are an orthonormal basis, and A = sum "
        "s_i x_i y_i' with s_i^2 the eigenvalues and x_i = A y_i/s_i where s_i > 0",
        decomposition_margin,
    ),
    defect=None,
)
EVERY_NORM = Step(
    "best-rank-k-every-norm",
    Statement(
        "for every B of rank k and all weights w_i >= 0, sum w_i s_i(A - B) is at least sum w_i s_{i+k}(A), which is "
        "its value for [A]_k",
        nearest_margin,
        given=(
            Condition("x_i and y_i are orthonormal", rank_orthonormal_margin),
            Condition("s_1 >= s_2 >= ... >= 0", decreasing_values_margin),
            Condition("w_i >= 0", weights_margin),
        ),
    ),
    defect=None,
    note="A unitarily invariant norm is the largest of such sums over a set of weights (von Neumann 1937), which is "
    "cited.",
)
