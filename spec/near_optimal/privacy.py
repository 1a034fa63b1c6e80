"""Definitions 3 and 4: differential privacy with and without delta (section 2)."""

from __future__ import annotations

from flint import arb, fmpq

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import rational
from dpmatrix.spec.conditions import at_least, below, exceeds
from dpmatrix.spec.wishart.definitions import (
    EventPoint,
    definition_4_margin,
    largest_excess_margin,
    one_column_margin,
    rank_two_change_margin,
    same_relation_margin,
)


def probability(weights: tuple[fmpq, ...], event: tuple[bool, ...]) -> fmpq:
    """``P(S)``."""
    return sum((weight for weight, inside in zip(weights, event, strict=True) if inside), fmpq(0))


def ratio_at_most(p: EventPoint) -> bool:
    """Whether ``P(S)/Q(S) <= E``, with 0/0 read as 1 and a positive number over 0 as infinite."""
    above, under = probability(p.first, p.event), probability(p.second, p.event)
    if under == 0:
        return bool(above == 0 and rational(p.exponential) >= 1)
    return bool(above / under <= p.exponential)


def product_at_most(p: EventPoint) -> bool:
    """Whether ``P(S) <= E Q(S)``."""
    return bool(probability(p.first, p.event) <= p.exponential * probability(p.second, p.event))


def same_definition_margin(p: EventPoint) -> arb:
    """0 when the ratio and the product agree about an event, -1 when they do not."""
    return -arb(int(ratio_at_most(p) != product_at_most(p)))


DEFINITION_3 = Claim(
    id="near-optimal.definition-3",
    kind=Kind.DEFINITION,
    source=Locator(
        "near-optimal",
        "Definition 3",
        "sup over S, and over D, D' differing in a single entry, of mu(S|D)/mu(S|D') <= e^eps; 0/0 is 1",
    ),
    statement=Statement(
        "'differing in a single entry' names one relation: one coordinate of X is one record",
        same_relation_margin,
    ),
    verdict=Verdict.ILL_POSED,
    because=(
        "An entry may be a coordinate of the matrix X or a member x_i of the data set: (0, 0) against (1/2, 1/2) "
        "differ in one record and in two coordinates. The proofs replace a whole column and keep n. The data set is "
        "called a set, yet section 3.3 and the lower bounds repeat records: a sequence is meant. eps >= 0 goes unsaid; "
        "then the convention 0/0 = 1 makes the ratio the same as P(S) <= e^eps Q(S), and below 0 it does not."
    ),
    reading=(
        "Replace-one adjacency: sequences of n records, n public, that differ in exactly one record; records have "
        "Euclidean norm at most 1; epsilon >= 0."
    ),
    repair=Repair(
        "adjacent data sets differ in exactly one record, a column of X",
        Statement(
            "then XX' changes by vv' - ww', v and w the columns that differ, and by nothing else",
            rank_two_change_margin,
            given=(exceeds("exactly one column differs", one_column_margin, strict=False),),
        ),
    ),
    steps=(
        Step(
            "ratio",
            Statement(
                "with 0/0 = 1 the ratio is at most e^eps exactly when P(S) <= e^eps Q(S)",
                same_definition_margin,
                given=(at_least("exponential", 1),),
            ),
            sound=True,
            note="Without eps >= 0 it fails at events of probability zero.",
        ),
    ),
)

DEFINITION_4 = Claim(
    id="near-optimal.definition-4",
    kind=Kind.DEFINITION,
    source=Locator("near-optimal", "Definition 4", "P(A(D) in S) <= e^eps P(A(D') in S) + delta"),
    statement=Statement(
        "a constant algorithm, which reveals nothing, meets the definition whatever delta is", definition_4_margin
    ),
    verdict=Verdict.ILL_POSED,
    because=(
        "No range is given for delta, which matters as (5) takes the logarithm of a multiple of 1/delta: below 0 no "
        "algorithm qualifies, from 1 on every algorithm does. Adjacency has the two readings of Definition 3."
    ),
    reading="Adjacency as in Definition 3; epsilon >= 0 and 0 <= delta < 1.",
    repair=Repair(
        "0 <= delta < 1, and a bound of the hockey-stick divergence by delta",
        Statement(
            "no event exceeds the sum of max(0, p - e^eps q), so the definition is a bound on that sum",
            largest_excess_margin,
            given=(at_least("delta", 0), below("delta", 1)),
        ),
    ),
    uses=("near-optimal.definition-3+repair",),
)
