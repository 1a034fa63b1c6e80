"""Definitions 3 to 5: adjacency, differential privacy and sensitivity (section 2)."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import ball, nonnegative_root, square
from dpmatrix.spec.common.conditions import at_least, exceeds, positive
from dpmatrix.spec.wishart.sensitivity import UNIT_BALL, RecordPair
from dpmatrix.spec.wishart.unit_change import UNIT_CHANGE_STEP


@attrs.frozen
class DataSetPair:
    """Two data sets of one shape; records are the columns of d x n rational matrices, as in the document."""

    data: fmpq_mat
    neighbour: fmpq_mat


def _changed(p: DataSetPair) -> set[int]:
    """Return the numbers of the records in which two data sets differ."""
    places = ((i, j) for i in range(p.data.nrows()) for j in range(p.data.ncols()))
    return {j for i, j in places if p.data[i, j] != p.neighbour[i, j]}


def one_column_margin(p: DataSetPair) -> arb:
    """Exactly one column differs, of two data sets of one shape."""
    shape = abs(p.data.nrows() - p.neighbour.nrows()) + abs(p.data.ncols() - p.neighbour.ncols())
    return -arb(shape or abs(len(_changed(p)) - 1))


def _column(matrix: fmpq_mat, j: int) -> fmpq_mat:
    return fmpq_mat(matrix.nrows(), 1, [matrix[i, j] for i in range(matrix.nrows())])


def rank_two_change_margin(p: DataSetPair) -> arb:
    """Minus the largest entry of XX' - YY' - (vv' - ww'), v and w the columns that differ; exact."""
    j = next(j for j in _changed(p))
    v, w = _column(p.data, j), _column(p.neighbour, j)
    change = p.data * p.data.transpose() - p.neighbour * p.neighbour.transpose()
    rest = change - (v * v.transpose() - w * w.transpose())
    return -max(abs(arb(fmpq(entry))) for entry in rest.entries())


DEFINITION_3 = Claim(
    id="wishart.definition-3",
    kind=Kind.DEFINITION,
    source=Locator(
        "wishart",
        "Definition 3",
        "adjacent: only one distinct entry; Pr{M(D) in S} <= e^eps Pr{M(D^) in S} for all S; then: one column replaced",
    ),
    statement=Statement(
        "between adjacent data sets XX' changes by vv' - ww', v and w the columns that differ, and by nothing else",
        rank_two_change_margin,
        given=(exceeds("two data sets of one shape differ in exactly one column", one_column_margin, strict=False),),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "The paragraph after the definition says which data sets are adjacent: those with one column replaced. As n is "
        "then the same for both, XX'/n changes by (vv' - ww')/n, with which all proofs begin."
    ),
    reading=(
        "An entry of a data set is a record, as where the document speaks of the replacement of an individual data "
        "entry; an entry of the matrix would be another relation from d = 2 on. Records have Euclidean norm at most 1; "
        "n is public; S ranges over the measurable sets; epsilon > 0."
    ),
)


@attrs.frozen
class LawPair:
    """Two distributions on finitely many outcomes, and the parameters of the definition.

    Parameters
    ----------
    first, second
        Probabilities of the outcomes, of equal length.
    exponential
        The number E = e^epsilon.
    delta
        The slack of the definition.
    """

    first: tuple[fmpq, ...]
    second: tuple[fmpq, ...]
    exponential: fmpq
    delta: fmpq


def law_margin(p: LawPair) -> arb:
    """Zero exactly when both are probability laws on the same outcomes."""
    fault = fmpq(abs(len(p.first) - len(p.second)))
    for law in (p.first, p.second):
        fault += abs(sum(law, fmpq(0)) - 1) + sum((max(fmpq(0), -weight) for weight in law), fmpq(0))
    return -arb(fault)


def is_private(p: LawPair) -> bool:
    """Whether P(S) <= E Q(S) + delta for every S, by going through all of them."""
    terms = [a - p.exponential * b for a, b in zip(p.first, p.second, strict=True)]
    events = product((False, True), repeat=len(terms))
    return all(
        sum((term for term, inside in zip(terms, event, strict=True) if inside), fmpq(0)) <= p.delta for event in events
    )


def same_condition_margin(p: LawPair) -> arb:
    """0 when all events and the hockey-stick divergence say the same of a pair of laws, -1 when they do not."""
    divergence = sum((max(fmpq(0), a - p.exponential * b) for a, b in zip(p.first, p.second, strict=True)), fmpq(0))
    return -arb(int(is_private(p) != bool(divergence <= p.delta)))


def divergence(first: tuple[fmpq, ...], second: tuple[fmpq, ...], exponential: fmpq) -> fmpq:
    """``sum max(0, p - E q)``, the largest P(S) - E Q(S)."""
    return sum((max(fmpq(0), a - exponential * b) for a, b in zip(first, second, strict=True)), fmpq(0))


def private_both_ways_margin(p: LawPair) -> arb:
    """Delta minus the larger of the divergences of P from Q and of Q from P."""
    worst = max(divergence(p.first, p.second, p.exponential), divergence(p.second, p.first, p.exponential))
    return arb(p.delta - worst)


def pure_margin(p: LawPair) -> arb:
    """Minus the larger of the two divergences: zero exactly for (epsilon, 0)."""
    return private_both_ways_margin(attrs.evolve(p, delta=fmpq(0)))


def guess_margin(p: LawPair) -> arb:
    """``(1 + E) sum min(p, q) - 2 (1 - delta)``: the best guess errs with probability ``sum min(p, q) / 2``."""
    overlap = sum((min(a, b) for a, b in zip(p.first, p.second, strict=True)), fmpq(0))
    return arb((1 + p.exponential) * overlap - 2 * (1 - p.delta))


def exceeding(first: tuple[fmpq, ...], second: tuple[fmpq, ...], exponential: fmpq) -> fmpq:
    """``P(p > E q)``: the probability under the first law that the loss exceeds epsilon."""
    return sum((a for a, b in zip(first, second, strict=True) if a > exponential * b), fmpq(0))


def broken_margin(p: LawPair) -> arb:
    """Delta minus the larger of ``P(p > E q)`` and ``Q(q > E p)``."""
    worst = max(exceeding(p.first, p.second, p.exponential), exceeding(p.second, p.first, p.exponential))
    return arb(p.delta - worst)


TWO_LAWS = exceeds("P and Q are probability laws on the same outcomes", law_margin, strict=False)
PRIVATE_BOTH_WAYS = Condition("P(S) <= e^eps Q(S) + delta and Q(S) <= e^eps P(S) + delta", private_both_ways_margin)

DEFINITION_4 = Claim(
    id="wishart.definition-4",
    kind=Kind.DEFINITION,
    source=Locator("wishart", "Definition 4", "Pr[M(D) in S] <= e^eps Pr[M(D^) in S] + delta"),
    statement=Statement(
        "on finitely many outcomes the condition holds for every S exactly if sum max(0, p - e^eps q) <= delta",
        same_condition_margin,
        given=(exceeds("P and Q are probability laws on the same outcomes", law_margin, strict=False),),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "The condition for all S is a bound of one number, the hockey-stick divergence, which the likeliest S attains. "
        "The ranges go unsaid: below 0 no mechanism would qualify (take S empty), and from 1 on every mechanism does."
    ),
    reading="Adjacency as in Definition 3; epsilon > 0 and 0 <= delta < 1; S measurable.",
    steps=(
        Step(
            "guess",
            Statement(
                "section 1: who sees the output cannot tell neighbours apart: a guess which of two equally likely ones "
                "it came from errs with probability at least (1 - delta) / (1 + e^eps)",
                guess_margin,
                given=(TWO_LAWS, PRIVATE_BOTH_WAYS),
            ),
            defect=None,
            note="Printed without a measure. They can be told apart: a guess may be right in e^eps / (1 + e^eps).",
        ),
        Step(
            "weaker",
            Statement(
                "(epsilon, 0) implies (epsilon, delta)",
                private_both_ways_margin,
                given=(
                    TWO_LAWS,
                    Condition("P(S) <= e^eps Q(S) and Q(S) <= e^eps P(S)", pure_margin),
                    at_least("delta", 0),
                ),
            ),
            defect=None,
        ),
        Step(
            "may-break-with-probability-delta",
            Statement(
                "section 1: the bound by e^eps may break with probability delta: if P(p > e^eps q) <= delta and "
                "Q(q > e^eps p) <= delta, then P and Q are (epsilon, delta)-close, in both orders",
                private_both_ways_margin,
                given=(
                    TWO_LAWS,
                    positive("exponential"),
                    Condition("P(p > e^eps q) <= delta and Q(q > e^eps p) <= delta", broken_margin),
                ),
            ),
            defect=None,
            note=(
                "The converse fails: for every delta > 0 the loss may exceed epsilon with probability "
                "e^eps / (1 + e^eps) and more."
            ),
        ),
    ),
    uses=("wishart.definition-3",),
)


def frobenius_norm(p: RecordPair) -> arb:
    """Entrywise l2 norm of vv' - ww'."""
    a, b = ball(p.v_squared), ball(p.w_squared)
    return nonnegative_root(square(a) + square(b) - 2 * square(ball(p.inner)))


def spectral_norm(p: RecordPair) -> arb:
    """Spectral norm of vv' - ww', which section 2 writes with the same symbol."""
    a, b = ball(p.v_squared), ball(p.w_squared)
    return (abs(a - b) + nonnegative_root(square(a + b) - 4 * square(ball(p.inner)))) / 2


def spectral_covers_margin(p: RecordPair) -> arb:
    """Spectral norm minus the Euclidean length of the change."""
    return spectral_norm(p) - frobenius_norm(p)


def frobenius_bound_margin(p: RecordPair) -> arb:
    """``2 - |vv' - ww'|_F^2``."""
    return 2 - (square(ball(p.v_squared)) + square(ball(p.w_squared)) - 2 * square(ball(p.inner)))


def within_unit_change_margin(p: RecordPair) -> arb:
    """``1 - ||vv' - ww'||_2``."""
    return 1 - spectral_norm(p)


DEFINITION_5 = Claim(
    id="wishart.definition-5",
    kind=Kind.DEFINITION,
    source=Locator(
        "wishart", "Definition 5", "s_1(M) = max ||M(D) - M(D^)||_1, s_2(M) = max ||M(D) - M(D^)||_2 over d(D, D^) = 1"
    ),
    statement=Statement(
        (
            "with the norm ||.||_2 of section 2 (the spectral norm), s_2 bounds the Euclidean change of the "
            "released entries"
        ),
        spectral_covers_margin,
        given=UNIT_BALL,
    ),
    verdict=Verdict.ILL_POSED,
    because=(
        "Section 2 defines ||.||_2 of a matrix as the spectral norm. Theorem 2 adds noise to each entry and needs the "
        "Euclidean norm of the entries: orthogonal unit records change XX' by 1 in the first norm and by sqrt(2) in "
        "the second, which is the largest change. Nor is ||.||_1 of a matrix defined, only ||.||_{1,1}; d(D, D^) is "
        "not; and the maximum should be a supremum."
    ),
    reading="Norms are entrywise; d(D, D^) = 1 means adjacent; the maximum is a supremum.",
    repair=Repair(
        "entrywise norms",
        Statement(
            "the entrywise l2 norm of vv' - ww' is at most sqrt(2)",
            frobenius_bound_margin,
            given=UNIT_BALL,
        ),
    ),
    steps=(
        Step(
            "replaced-record",
            Statement(
                "section 4: to restrict the change to vv' - ww' is the stronger assumption: such neighbours have "
                "||A - B||_2 <= 1",
                within_unit_change_margin,
                given=UNIT_BALL,
            ),
            defect=None,
        ),
        UNIT_CHANGE_STEP,
    ),
    uses=("wishart.definition-3",),
)
