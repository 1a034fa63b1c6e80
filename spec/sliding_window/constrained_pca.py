"""Algorithm 5: principal components under constraints, sparse and non-negative (section 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import attrs
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds, positive, whole
from dpmatrix.spec.common.spectra import disagreement, eigenvalues, identity, trace
from dpmatrix.spec.sliding_window.definitions import right_cost
from dpmatrix.spec.sliding_window.loewner import flag, gram
from dpmatrix.spec.sliding_window.projection_costs import is_projection


@attrs.frozen
class OpenSet:
    """A sketch A~ with two columns, t and t': Pi is the set of all projections onto (1, t), t > 0."""

    sketch: fmpq_mat
    slope: Exact
    other: Exact


def onto(slope: fmpq) -> fmpq_mat:
    """Projection onto (1, t)."""
    return fmpq_mat([[1, slope], [slope, slope * slope]]) / (1 + slope * slope)


def attained_margin(p: OpenSet) -> arb:
    """Cost of the projection with slope t' minus that of the one with slope t."""
    return arb(right_cost(p.sketch, onto(rational(p.other))) - right_cost(p.sketch, onto(rational(p.slope))))


def two_columns(p: OpenSet) -> arb:
    """0 when the sketch has two columns."""
    return flag(p.sketch.ncols() == 2)


@attrs.frozen
class Sparse:
    """A symmetric matrix C, a projection P with few non-zero rows, and the number s that is allowed."""

    matrix: fmpq_mat
    projection: fmpq_mat
    size: int


def principal(matrix: fmpq_mat, support: tuple[int, ...]) -> fmpq_mat:
    """C_SS."""
    return fmpq_mat([[matrix[i, j] for j in support] for i in support])


def best_sparse(p: Sparse) -> arb:
    """Largest sum of k eigenvalues of a principal submatrix of order s, k the rank of P."""
    k = p.projection.rank()
    sums = [
        sum(eigenvalues(principal(p.matrix, support))[:k], arb(0))
        for support in combinations(range(p.matrix.nrows()), p.size)
    ]
    best = sums[0]
    for value in sums[1:]:
        best = best.max(value)
    return best


def sparse_margin(p: Sparse) -> arb:
    """Largest sum of k eigenvalues of a C_SS, |S| = s, minus Tr(PC)."""
    return best_sparse(p) - arb(trace(p.projection * p.matrix))


def sparse_projection(p: Sparse) -> arb:
    """Zero exactly when P is an orthogonal projection of the order of a symmetric C."""
    return is_projection(p.projection, p.matrix.nrows()) + disagreement(p.matrix.transpose(), p.matrix)


def few_rows(p: Sparse) -> arb:
    """S minus the number of non-zero rows of P."""
    return arb(p.size - sum(any(entry != 0 for entry in line) for line in p.projection.tolist()))


def enough_rows(p: Sparse) -> arb:
    """``d - s``."""
    return arb(p.matrix.nrows() - p.size)


@attrs.frozen
class NonNegative:
    """A symmetric matrix C, and k columns that are non-negative and orthogonal; P projects onto their span."""

    matrix: fmpq_mat
    columns: fmpq_mat


def same_sign(matrix: arb_mat) -> bool:
    """Whether all entries of the adjugate of a matrix have one sign, certainly."""
    order = matrix.nrows()
    entries = []
    for i, j in product(range(order), repeat=2):
        rest = [[matrix[r, c] for c in range(order) if c != j] for r in range(order) if r != i]
        entries.append((-1) ** (i + j) * arb_mat(rest).det())
    return all(entry > 0 for entry in entries) or all(entry < 0 for entry in entries)


def candidate(matrix: fmpq_mat, support: tuple[int, ...]) -> arb:
    """Largest eigenvalue of C_SS whose eigenvector is certainly positive; minus infinity if there is none."""
    inner = principal(matrix, support)
    for value in eigenvalues(inner):
        if same_sign(arb_mat(inner) - value * arb_mat(identity(len(support)))):
            return value
    return arb("-inf")


def partitions(order: int, k: int) -> Iterator[list[tuple[int, ...]]]:
    """Families of k disjoint non-empty supports, in any order."""
    for colours in product(range(k + 1), repeat=order):
        family = [tuple(i for i in range(order) if colours[i] == colour) for colour in range(k)]
        if all(family):
            yield family


def non_negative_margin(p: NonNegative) -> arb:
    """Largest sum of k candidates on disjoint supports, minus Tr(PC)."""
    best = arb("-inf")
    known: dict[tuple[int, ...], arb] = {}
    for family in partitions(p.matrix.nrows(), p.columns.ncols()):
        for support in family:
            if support not in known:
                known[support] = candidate(p.matrix, support)
        best = best.max(sum((known[support] for support in family), arb(0)))
    inside = p.columns.transpose() * p.matrix * p.columns
    lengths = gram(p.columns)
    return best - arb(sum((inside[j, j] / lengths[j, j] for j in range(p.columns.ncols())), fmpq(0)))


def non_negative_columns(p: NonNegative) -> arb:
    """0 when the columns are non-negative, not zero and orthogonal, and C is symmetric of the same order."""
    if p.columns.nrows() != p.matrix.nrows() or p.matrix.transpose() != p.matrix:
        return flag(holds=False)
    lengths = gram(p.columns)
    count = p.columns.ncols()
    orthogonal = all((lengths[i, j] != 0) == (i == j) for i, j in product(range(count), repeat=2))
    return flag(orthogonal and all(entry >= 0 for entry in p.columns.entries()))


ALGORITHM_5 = Claim(
    id="sliding-window.algorithm-5",
    kind=Kind.ALGORITHM,
    source=Locator(
        "sliding-window",
        "Algorithm 5",
        "A~ as in Algorithm 4; output X~ = argmin over P in Pi of |A~(1-P)|_F, by any non-private algorithm",
    ),
    statement=Statement(
        "for Pi the projections onto (1, t), t > 0, and every A~ there is a t with which |A~(1-P_t)|_F is at most "
        "|A~(1-P_t')|_F for every t'",
        attained_margin,
        given=(positive("slope"), positive("other"), exceeds("A~ has two columns", two_columns, strict=False)),
        exists=(Chosen("slope", after=("sketch",)),),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading="Pi is any set of projections of rank k, as line 1 has it; the output is X~, and not the A~ of line 2.",
    because=(
        "For a set that is not closed there may be no argmin: for A~ = (1, 0) and all projections onto (1, t), t > 0, "
        "halving t always lowers the cost t^2/(1+t^2). For closed sets there is one, and 'any algorithm' may take "
        "exponential time.\n\n"
        "Two of the document's sets are enumerated: over projections of rank k with at most s "
        "non-zero rows the greatest Tr(PC) is the greatest sum of k eigenvalues of a principal submatrix of order s, "
        "and over those with a non-negative orthonormal basis it is the greatest sum of k eigenvalues of principal "
        "submatrices with disjoint supports, each simple and with a positive eigenvector. C may be any symmetric "
        "matrix, and that of algorithm-8+repair makes the output private. The slips are those of algorithm-4."
    ),
    repair=Repair(
        "Pi closed, such as the projections of rank k with at most s non-zero rows; cost Tr((1-P)C~) as in algorithm-4",
        Statement(
            "no projection of rank k with at most s non-zero rows has Tr(PC) above the best of the C_SS, |S| = s",
            sparse_margin,
            given=(
                whole("size", 1),
                exceeds("s <= d", enough_rows, strict=False),
                exceeds("P is an orthogonal projection, C symmetric", sparse_projection, strict=False),
                exceeds("at most s rows of P are not zero", few_rows, strict=False),
            ),
        ),
    ),
    steps=(
        Step(
            "non-negative",
            Statement(
                "no projection with a non-negative orthogonal basis has Tr(PC) above the best sum of eigenvalues of "
                "C_SS with positive eigenvectors, the supports disjoint",
                non_negative_margin,
                given=(
                    exceeds("the columns are non-negative, orthogonal, not zero", non_negative_columns, strict=False),
                ),
            ),
            defect=None,
            note="Ours: the document leaves the solver open.",
        ),
    ),
    uses=("sliding-window.algorithm-4+repair",),
)
