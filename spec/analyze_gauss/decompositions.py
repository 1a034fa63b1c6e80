"""The slide on decompositions: three equations that relate A, A'A, U, S and V."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.analyze_gauss.points import decreasing_to_zero
from dpmatrix.spec.common.spectra import diagonal, disagreement, identity


@attrs.frozen
class Decomposition:
    """A thin singular value decomposition A = U S V', rational: dense among all of them.

    Parameters
    ----------
    left
        U, m x n with orthonormal columns, m >= n.
    values
        The n diagonal entries of S.
    right
        V, n x n and orthogonal.
    """

    left: fmpq_mat
    values: tuple[Exact, ...]
    right: fmpq_mat


def product(p: Decomposition) -> fmpq_mat:
    """``A = U S V'``."""
    return p.left * diagonal(p.values) * p.right.transpose()


def orthonormal_margin(p: Decomposition) -> arb:
    """Zero exactly when the columns of U and of V are orthonormal, and V is square."""
    order = len(p.values)
    if (p.right.nrows(), p.right.ncols(), p.left.ncols()) != (order, order, order):
        return arb("-inf")
    unit = identity(order)
    return disagreement(p.left.transpose() * p.left, unit) + disagreement(p.right.transpose() * p.right, unit)


def ordered_margin(p: Decomposition) -> arb:
    """Least of s_n and the drops s_i - s_(i+1)."""
    return decreasing_to_zero(p.values)


def gram_margin(p: Decomposition) -> arb:
    """``A'A = V S^2 V'``."""
    matrix, squares = product(p), diagonal([rational(value) ** 2 for value in p.values])
    return disagreement(matrix.transpose() * matrix, p.right * squares * p.right.transpose())


def existence_margin(p: Decomposition) -> arb:
    """A is U S V' for the U that A itself gives: columns A v_i / s_i, zero where s_i = 0, orthonormal where not."""
    matrix = product(p)
    factors = [1 / rational(value) if value else rational(value) for value in p.values]
    built = matrix * p.right * diagonal(factors)
    support = diagonal([int(bool(value)) for value in p.values])
    rebuilt = built * diagonal(p.values) * p.right.transpose()
    return disagreement(rebuilt, matrix) + disagreement(built.transpose() * built, support)


def printed_left_margin(p: Decomposition) -> arb:
    """``U = A V S'``."""
    return disagreement(p.left, product(p) * p.right * diagonal(p.values))


def right_margin(p: Decomposition) -> arb:
    """``A V = U S``."""
    return disagreement(product(p) * p.right, p.left * diagonal(p.values))


def left_margin(p: Decomposition) -> arb:
    """``U = A V S^-1``; zero where S is singular, of which it says nothing."""
    if not all(p.values):
        return arb(0)
    inverse = diagonal([1 / rational(value) for value in p.values])
    return disagreement(p.left, product(p) * p.right * inverse)


def repaired_margin(p: Decomposition) -> arb:
    """Sum of the margins of the repaired equations."""
    return gram_margin(p) + existence_margin(p) + right_margin(p) + left_margin(p)


ORTHONORMAL = Condition("the columns of U and V are orthonormal", orthonormal_margin)
ORDERED = Condition("s_1 >= ... >= s_n >= 0", ordered_margin)
HYPOTHESES = (ORTHONORMAL, ORDERED)

SVD_RELATIONS = Claim(
    id="analyze-gauss.svd-relations",
    kind=Kind.LEMMA,
    source=Locator(
        "analyze-gauss",
        "slide Eigenvalue decomposition and Singular value decomposition",
        "A^T A = V S V^T; A = U S V^T; U = A V S^T",
    ),
    statement=Statement("with the U, S and V of A = U S V', U = A V S'", printed_left_margin, given=HYPOTHESES),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.FORMULA,
    headline="U = A V S' fails for A = diag(2, 1): it needs S^-1 for S'.",
    reading=(
        "The first equation is the eigenvalue decomposition, with an S of its own; S is one matrix in the other two. m "
        ">= n, U is m x n, S and V are n x n: the thin form."
    ),
    because=(
        "A = diag(2, 1) = S with U = V = I has A V S' = diag(4, 1), which is not U. What holds for every A is U S = A "
        "V; with full column rank it is U = A V S^-1, and where s_i = 0 the column u_i is not determined by A. Nor "
        "does an S of eigenvalues save it: it holds only if every singular value is 1. The S of the first equation is "
        "S'S for the S of the second."
    ),
    repair=Repair(
        "U S = A V, which is U = A V S^-1 if every singular value is positive; S'S for the S of A'A = V S V'",
        Statement(
            "A'A = V S^2 V', A = U S V' and U S = A V; where no s_i is zero, U = A V S^-1",
            repaired_margin,
            given=(ORTHONORMAL,),
        ),
    ),
    steps=(
        Step(
            "gram",
            Statement("A'A = V L V', L = diag(s_1^2, ..., s_n^2)", gram_margin, given=(ORTHONORMAL,)),
            defect=None,
            note="The eigenvalue decomposition, whose S is L and not the S of singular values beside it.",
        ),
        Step(
            "existence",
            Statement(
                "the u_i = A v_i / s_i, zero where s_i = 0, are orthonormal where s_i > 0, and give A again",
                existence_margin,
                given=(ORTHONORMAL,),
            ),
            defect=None,
            note="that every A has such V and S is the spectral theorem for A'A",
        ),
        Step(
            "left",
            Statement("U = A V S'", printed_left_margin, given=HYPOTHESES),
            defect=Defect.FORMULA,
            note="S^-1 in place of S', and full column rank",
        ),
    ),
)
