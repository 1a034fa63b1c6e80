"""Definitions 2.1 and 2.2: differential privacy, and a privacy algorithm as a map to measures (section 2)."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import ball


@attrs.frozen
class TwoLaws:
    """The laws of the output on two data sets, on finitely many outcomes, and E = e^alpha."""

    first: tuple[fmpq, ...]
    second: tuple[fmpq, ...]
    exponential: fmpq


def event_excess(first: tuple[fmpq, ...], second: tuple[fmpq, ...], exponential: fmpq) -> fmpq:
    """Largest ``P(S) - E Q(S)`` over all events S but the empty one, by enumeration."""
    events = (event for event in product((False, True), repeat=len(first)) if any(event))
    return max(
        sum((a for a, inside in zip(first, event, strict=True) if inside), fmpq(0))
        - exponential * sum((b for b, inside in zip(second, event, strict=True) if inside), fmpq(0))
        for event in events
    )


def worst_event_excess(p: TwoLaws) -> fmpq:
    """Largest ``P(S) - E Q(S)`` over all events S."""
    return event_excess(p.first, p.second, p.exponential)


def worst_outcome_excess(p: TwoLaws) -> fmpq:
    """Largest ``p - E q`` over single outcomes."""
    return max(a - p.exponential * b for a, b in zip(p.first, p.second, strict=True))


def events_and_outcomes_margin(p: TwoLaws) -> arb:
    """0 when the condition on all events and the condition on all outcomes agree, -1 when they do not."""
    return -arb(int((worst_event_excess(p) <= 0) != (worst_outcome_excess(p) <= 0)))


def laws_margin(rows: tuple[tuple[fmpq, ...], ...]) -> arb:
    """Zero or more exactly when every row of a table is a probability law."""
    least = arb("inf")
    for row in rows:
        least = least.min(arb(min(row))).min(-abs(arb(sum(row) - 1)))
    return least


def law_margin(p: TwoLaws) -> arb:
    """Zero or more exactly when both tuples are probability laws."""
    return laws_margin((p.first, p.second))


def same_law_margin(p: TwoLaws) -> arb:
    """Zero exactly when the data sets do not differ in their laws."""
    return -arb(sum(abs(a - b) for a, b in zip(p.first, p.second, strict=True)))


def meets_definition_2_1_margin(p: TwoLaws) -> arb:
    """Minus the largest excess over all events."""
    return -arb(worst_event_excess(p))


def alpha_margin(p: TwoLaws) -> arb:
    """``e^alpha - 1``."""
    return ball(p.exponential) - 1


@attrs.frozen
class ExpectedGain(TwoLaws):
    """What each outcome is worth to somebody: whether a record is there changes the law of the outcome."""

    gains: tuple[fmpq, ...]


def expected_gain_margin(p: ExpectedGain) -> arb:
    """``e^alpha E_Q gain - E_P gain``."""
    weighted = sum((g * (p.exponential * b - a) for g, a, b in zip(p.gains, p.first, p.second, strict=True)), fmpq(0))
    return arb(weighted)


def gains_margin(p: ExpectedGain) -> arb:
    """The least gain."""
    return arb(min(p.gains))


LAWS = Condition("both are probability laws", law_margin)

DEFINITION_2_1 = Claim(
    id="compression.definition-2-1",
    kind=Kind.DEFINITION,
    source=Locator("compression", "Definition 2.1", "P[A(D1) in S] <= e^alpha P[A(D2) in S] for all S"),
    statement=Statement(
        "the condition on every event S is the condition p <= e^alpha q on every outcome",
        events_and_outcomes_margin,
        given=(LAWS,),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "Excesses p - e^alpha q add up over the outcomes of S, so events and outcomes give one condition. The missing "
        "range of alpha follows: data sets 'differing on at most one element' may be equal, and S = Range(A) then "
        "gives alpha >= 0. S must be measurable, which goes unsaid."
    ),
    reading=(
        "An element is a record (a row), although section 1 says 'entry'; S ranges over the measurable sets. Judged is "
        "one direction for one pair of finite laws; the definition asks it of both orders of every pair."
    ),
    steps=(
        Step(
            "range-of-alpha",
            Statement(
                "equal data sets meet the condition only if alpha >= 0",
                alpha_margin,
                given=(
                    LAWS,
                    Condition("the data sets are equal", same_law_margin),
                    Condition("P(S) <= e^alpha Q(S) for every S", meets_definition_2_1_margin),
                ),
            ),
            defect=None,
        ),
        Step(
            "incentive",
            Statement(
                "section 1: to allow one's data in is in some sense incentive-compatible: what others do with the "
                "output is expected to gain at most e^alpha times as much with the record as without it",
                expected_gain_margin,
                given=(
                    Condition("P(S) <= e^alpha Q(S) for every S", meets_definition_2_1_margin),
                    Condition("no gain is negative", gains_margin),
                ),
            ),
            defect=None,
            note="The sense is the one adopted; the same bound holds with the two data sets exchanged.",
        ),
    ),
)


@attrs.frozen
class PrivacyAlgorithm:
    """A table of probabilities, one row for each database, and a second one that processes its outputs."""

    kernel: tuple[tuple[fmpq, ...], ...]
    after: tuple[tuple[fmpq, ...], ...]


def kernel_margin(p: PrivacyAlgorithm) -> arb:
    """Zero or more exactly when every row is a probability law."""
    return laws_margin(p.kernel)


def after_margin(p: PrivacyAlgorithm) -> arb:
    """Zero or more exactly when every row of the processing is a probability law."""
    return laws_margin(p.after)


def processed(p: PrivacyAlgorithm) -> tuple[tuple[fmpq, ...], ...]:
    """Law of the processed output for each database."""
    width = len(p.after[0])
    return tuple(
        tuple(sum((a * row[j] for a, row in zip(law, p.after, strict=True)), fmpq(0)) for j in range(width))
        for law in p.kernel
    )


def processed_margin(p: PrivacyAlgorithm) -> arb:
    """Zero or more exactly when the processed algorithm maps every database to a probability law."""
    return laws_margin(processed(p))


DEFINITION_2_2 = Claim(
    id="compression.definition-2-2",
    kind=Kind.DEFINITION,
    source=Locator("compression", "Definition 2.2", "a privacy algorithm is a map A: sigma(D) -> P, A(D) = P_D"),
    statement=Statement(
        "what is computed from the output of a privacy algorithm is a privacy algorithm",
        processed_margin,
        given=(
            Condition("every database has a probability law", kernel_margin),
            Condition("every output has a probability law", after_margin),
        ),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "A map to probability measures, closed under processing of the output. The word privacy guarantees nothing: "
        "the identity, which publishes the database, is a privacy algorithm."
    ),
    reading="D' carries a sigma-algebra on which the measures live.",
)
