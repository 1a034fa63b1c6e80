"""Lemma 8: regression between isometries under a bound on the rank."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import (
    diagonal,
    disagreement,
    identity,
)
from dpmatrix.spec.sliding_window.loewner import flag, gram, squared_norm


@attrs.frozen
class RegressionPoint:
    """C with orthonormal columns, R with orthonormal rows, F, and G = C'FR' by its singular triples.

    Parameters
    ----------
    columns, rows
        C (n x p) and R (q x m).
    target
        F (n x m).
    left, values, right
        C'FR' = left diag(values) right', values decreasing.
    k
        The rank.
    solution
        A p x q matrix X to compare with.
    """

    columns: fmpq_mat
    rows: fmpq_mat
    target: fmpq_mat
    left: fmpq_mat
    values: tuple[fmpq, ...]
    right: fmpq_mat
    k: int
    solution: fmpq_mat


def truncated(p: RegressionPoint) -> fmpq_mat:
    """``[C'FR']_k``."""
    kept = tuple(value if i < p.k else fmpq(0) for i, value in enumerate(p.values))
    return p.left * diagonal(kept) * p.right.transpose()


def residual(p: RegressionPoint, solution: fmpq_mat) -> fmpq:
    """``|C X R - F|_F^2``."""
    return squared_norm(p.columns * solution * p.rows - p.target)


def exact_rank_margin(p: RegressionPoint) -> arb:
    """Minus the distance of the rank of [C'FR']_k from k: the minimum over rank k needs a minimiser of rank k."""
    return -arb(abs(truncated(p).rank() - p.k))


def regression_margin(p: RegressionPoint) -> arb:
    """|CXR - F|^2 - |C[C'FR']_k R - F|^2 for an X of rank at most k."""
    return arb(residual(p, p.solution) - residual(p, truncated(p)))


def attained_margin(p: RegressionPoint) -> arb:
    """``k - rank [C'FR']_k``: the truncation is one of those that are compared."""
    return arb(p.k - truncated(p).rank())


def best_and_attained_margin(p: RegressionPoint) -> arb:
    """The smaller of both."""
    return regression_margin(p).min(attained_margin(p))


def first_pythagoras_margin(p: RegressionPoint) -> arb:
    """(30): |F - CYR|^2 = |F - CC'F|^2 + |C'F - YR|^2."""
    projected = p.columns.transpose() * p.target
    whole_part = squared_norm(p.target - p.columns * projected) + squared_norm(projected - p.solution * p.rows)
    return arb(-abs(residual(p, p.solution) - whole_part))


def second_pythagoras_margin(p: RegressionPoint) -> arb:
    """(31): |C'F - YR|^2 = |C'F - C'FR'R|^2 + |C'FR'R - YR|^2."""
    projected = p.columns.transpose() * p.target
    inside = projected * p.rows.transpose() * p.rows
    whole_part = squared_norm(projected - inside) + squared_norm(inside - p.solution * p.rows)
    return arb(-abs(squared_norm(projected - p.solution * p.rows) - whole_part))


def truncation_margin(p: RegressionPoint) -> arb:
    """(32): |C'FR'R - ZR|^2 - |C'FR'R - [C'FR']_k R|^2 for Z of rank at most k."""
    inside = p.columns.transpose() * p.target * p.rows.transpose() * p.rows
    best = squared_norm(inside - truncated(p) * p.rows)
    return arb(squared_norm(inside - p.solution * p.rows) - best)


def untransposed_margin(p: RegressionPoint) -> arb:
    """(33) as printed, with [CFR]_k: minus the distance of CFR from C'FR', -1 where it does not exist."""
    if p.columns.ncols() != p.target.nrows() or p.target.ncols() != p.rows.nrows():
        return flag(holds=False)
    return disagreement(p.columns * p.target * p.rows, p.columns.transpose() * p.target * p.rows.transpose())


def isometries_margin(p: RegressionPoint) -> arb:
    """Zero exactly when C'C = I and RR' = I."""
    return disagreement(gram(p.columns), identity(p.columns.ncols())) + disagreement(
        p.rows * p.rows.transpose(), identity(p.rows.nrows())
    )


def triples_margin(p: RegressionPoint) -> arb:
    """Zero exactly when left diag(values) right' is a singular value decomposition of C'FR'."""
    unit = identity(len(p.values))
    inner = p.columns.transpose() * p.target * p.rows.transpose()
    product = p.left * diagonal(p.values) * p.right.transpose()
    orthonormal = disagreement(gram(p.left), unit) + disagreement(gram(p.right), unit)
    return disagreement(inner, product) + orthonormal + drops_margin(p).min(arb(0))


def drops_margin(p: RegressionPoint) -> arb:
    """Least of the drops between singular values and the last one."""
    drops = [p.values[i] - p.values[i + 1] for i in range(len(p.values) - 1)]
    return arb(min([*drops, p.values[-1]]))


def solution_rank_margin(p: RegressionPoint) -> arb:
    """``k - rank X``."""
    return arb(p.k - p.solution.rank())


def enough_values_margin(p: RegressionPoint) -> arb:
    """Number of singular values minus k: some matrix has rank k."""
    return arb(len(p.values) - p.k)


ISOMETRIES = Condition("C'C = I and RR' = I", isometries_margin)
REGRESSION = (
    whole("k", 1),
    exceeds("k <= min(p, q)", enough_values_margin, strict=False),
    ISOMETRIES,
    Condition("left diag(values) right' is the decomposition of C'FR'", triples_margin),
)
AT_MOST_K = exceeds("rank X <= k", solution_rank_margin, strict=False)

LEMMA_8 = Claim(
    id="sliding-window.lemma-8",
    kind=Kind.LEMMA,
    source=Locator(
        "sliding-window",
        "Lemma 8",
        "min over rank(X) = k of |CXR - F|_F = |C[C'FR']_k R - F|_F, C'C = I, RR' = I",
    ),
    statement=Statement(
        "the minimum over rank exactly k is attained at [C'FR']_k, which then has rank k",
        exact_rank_margin,
        given=REGRESSION,
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.HYPOTHESIS,
    headline="It fails over rank exactly k, where F = 0 has no minimum for k >= 1; over rank at most k it holds.",
    because=(
        "For F = 0 the right side is 0, and no X of rank k >= 1 attains it: over rank exactly k the minimum does not "
        "exist, only an infimum of that value. Over rank at most k the lemma is true by two applications of Pythagoras "
        "and the theorem of Eckart and Young. In (33) and after it [CFR]_k stands for [C'FR']_k, which does not even "
        "exist for most shapes."
    ),
    repair=Repair(
        "rank(X) <= k",
        Statement(
            "[C'FR']_k has rank at most k, and no X of rank at most k does better",
            best_and_attained_margin,
            given=(*REGRESSION, AT_MOST_K),
        ),
    ),
    steps=(
        Step(
            "first-pythagoras",
            Statement("(30)", first_pythagoras_margin, given=(ISOMETRIES,)),
            defect=None,
        ),
        Step(
            "second-pythagoras",
            Statement("(31)", second_pythagoras_margin, given=(ISOMETRIES,)),
            defect=None,
        ),
        Step(
            "truncation",
            Statement("(32), for Z of rank at most k", truncation_margin, given=(*REGRESSION, AT_MOST_K)),
            defect=None,
        ),
        Step(
            "untransposed",
            Statement("(33): CFR is C'FR'", untransposed_margin, given=(ISOMETRIES,)),
            defect=Defect.SLIP,
            note="[C'FR']_k in (33) and in the last chain.",
        ),
    ),
)
