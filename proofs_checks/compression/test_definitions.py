"""Definitions 2.1 and 2.2 of `compression`: what they say and do not imply, by exact laws."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import definitions
from dpmatrix.spec.compression.definitions import ExpectedGain, PrivacyAlgorithm, TwoLaws
from proofs_checks.compression.finite_mechanisms import LAWS, SHORT

definition_2_1 = cite("compression.definition-2-1@cec9d42d")
definition_2_2 = cite("compression.definition-2-2@2b73698d")

HALF, ONE, NIL = fmpq(1, 2), fmpq(1), fmpq(0)
FACTORS = (fmpq(1), fmpq(3, 2), fmpq(4))
NOT_A_LAW = (fmpq(-1, 9), fmpq(10, 9))


def two_laws() -> list[TwoLaws]:
    return [TwoLaws(first, second, factor) for first, second, factor in product(LAWS, LAWS, FACTORS)]


@definition_2_1.supports(
    grade="derived", region="every pair of laws: the docstring; 25 pairs on two outcomes at three e^alpha exactly"
)
def test_events_and_outcomes_are_one_condition(statement) -> None:
    """An outcome is an event, and the excess of an event is the sum of those of its outcomes, each at most 0."""
    for p in two_laws():
        assert statement.at(p) is Truth.TRUE
    bind(statement, ((p, fmpq(0)) for p in two_laws()))
    inside = TwoLaws(LAWS[2], LAWS[3], fmpq(2))
    bind_hypotheses(statement, inside, {"both are probability laws": attrs.evolve(inside, second=NOT_A_LAW)})
    bind_hypotheses(statement, inside, {"both are probability laws": attrs.evolve(inside, first=SHORT)})
    bind_hypotheses(
        statement, TwoLaws(LAWS[0], LAWS[1], ONE), {"both are probability laws": TwoLaws(SHORT, SHORT, ONE)}
    )
    assert not statement.strict


@definition_2_1.controls(
    grade="symbolic", region="an additive 1/10 in the condition on events; an e^alpha of its own in that on outcomes"
)
def test_other_conditions_on_events_are_no_conditions_on_outcomes(statement) -> None:
    """P(S) <= e^alpha Q(S) + 1/10 holds for all events where an outcome has an excess of 1/20."""
    near = TwoLaws((HALF, HALF), (fmpq(9, 20), fmpq(11, 20)), ONE)
    events, outcomes = definitions.worst_event_excess, definitions.worst_outcome_excess
    additive = redefined(statement, definitions, "worst_event_excess", lambda p: events(p) - fmpq(1, 10))
    other = redefined(
        statement, definitions, "worst_outcome_excess", lambda p: outcomes(attrs.evolve(p, exponential=fmpq(2)))
    )
    assert statement.at(near) is Truth.TRUE
    assert additive.at(near) is Truth.FALSE
    assert other.at(near) is Truth.FALSE
    for p in two_laws():
        worst = max(a - p.exponential * b for a, b in zip(p.first, p.second, strict=True))
        total = sum((max(a - p.exponential * b, NIL) for a, b in zip(p.first, p.second, strict=True)), NIL)
        assert (total > 0) == (worst > 0)


@definition_2_1.supports(
    "range-of-alpha", grade="derived", region="every law, S the whole space: the docstring; bound at 25 points"
)
def test_equal_data_sets_force_a_nonnegative_alpha(statement) -> None:
    """The whole space has probability 1 = P(S) <= e^alpha P(S) = e^alpha."""
    points = [TwoLaws(law, law, fmpq(k, 4)) for law in LAWS for k in range(4, 9)]
    bind(statement, ((p, p.exponential - 1) for p in points))
    for p in points:
        assert statement.at(p) is Truth.TRUE
    inside = TwoLaws(LAWS[2], LAWS[2], ONE)
    outside = {
        "both are probability laws": TwoLaws(SHORT, SHORT, ONE),
        "the data sets are equal": attrs.evolve(inside, first=LAWS[3], exponential=fmpq(9)),
        "P(S) <= e^alpha Q(S) for every S": attrs.evolve(inside, exponential=fmpq(99, 100)),
    }
    bind_hypotheses(statement, inside, outside)
    # Where nothing has a probability, any e^alpha will do.
    bind_hypotheses(statement, inside, outside | {"both are probability laws": TwoLaws((NIL,), (NIL,), HALF)})
    assert not statement.strict


@definition_2_1.supports(
    "incentive", grade="derived", region="every pair of finite laws and gains, by the docstring; 40 pairs exactly"
)
@definition_2_1.controls(
    "incentive", grade="symbolic", region="two outcomes: a gain below 0; e^alpha - 1/10 for e^alpha"
)
def test_expected_gains_change_by_the_factor_at_most(statement) -> None:
    """Every outcome has p <= e^alpha q; times the gain, which is not negative, and summed."""
    points = []
    for odds, step in product((1, 2, 3, 7, 20), range(4)):
        kept = fmpq(odds, odds + 1)
        gains = (fmpq(step, 3), fmpq(5 - step), fmpq(0)) if step % 2 else (fmpq(step), fmpq(1, 7), fmpq(2))
        spread = (kept / 2, kept / 2, 1 - kept)
        other = ((1 - kept) / 2, (1 - kept) / 2, kept)
        points += [ExpectedGain(a, b, fmpq(odds), gains) for a, b in ((spread, other), (other, spread))]
    for p in points:
        assert statement.at(p) is Truth.TRUE
    expected = [
        p.exponential * sum((g * b for g, b in zip(p.gains, p.second, strict=True)), NIL)
        - sum((g * a for g, a in zip(p.gains, p.first, strict=True)), NIL)
        for p in points
    ]
    bind(statement, zip(points, expected, strict=True))
    inside = ExpectedGain((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4)), fmpq(3), (ONE, NIL))
    assert statement.at(inside) is Truth.TRUE, "attained where all gain is on the likelier outcome"
    assert statement.margin(inside) == 0
    negative = attrs.evolve(inside, gains=(ONE, fmpq(-1)))
    bind_hypotheses(
        statement,
        inside,
        {
            "P(S) <= e^alpha Q(S) for every S": attrs.evolve(inside, exponential=fmpq(29, 10)),
            "no gain is negative": negative,
        },
    )
    assert statement.without("no gain is negative").at(negative) is Truth.FALSE

    def smaller_factor(p: ExpectedGain) -> arb:
        return definitions.expected_gain_margin(attrs.evolve(p, exponential=p.exponential - fmpq(1, 10)))

    assert statement.nudged(margin=smaller_factor).at(inside) is Truth.FALSE


def algorithms() -> list[PrivacyAlgorithm]:
    return [PrivacyAlgorithm((a, b), (c, d)) for a, b, c, d in product(LAWS[1:], repeat=4)][:60]


@definition_2_2.supports(grade="derived", region="every finite table: the docstring; 60 tables exactly")
def test_processing_keeps_a_map_to_measures(statement) -> None:
    """Entries are sums of products of numbers that are not negative; a row sums to sum_i p_i (sum_j t_ij) = 1."""
    for p in algorithms():
        assert statement.at(p) is Truth.TRUE
    bind(statement, ((p, fmpq(0)) for p in algorithms()))
    inside = PrivacyAlgorithm((LAWS[2], LAWS[3]), (LAWS[3], LAWS[4]))
    bind_hypotheses(
        statement,
        inside,
        {
            "every database has a probability law": attrs.evolve(inside, kernel=(LAWS[2], SHORT)),
            "every output has a probability law": attrs.evolve(inside, after=(NOT_A_LAW, LAWS[2])),
        },
    )
    bind_hypotheses(
        statement,
        inside,
        {
            "every database has a probability law": attrs.evolve(inside, kernel=(NOT_A_LAW, LAWS[0])),
            "every output has a probability law": attrs.evolve(inside, after=(LAWS[2], SHORT)),
        },
    )
    identity = PrivacyAlgorithm(((ONE, NIL), (NIL, ONE)), ((ONE, NIL), (NIL, ONE)))
    assert statement.at(identity) is Truth.TRUE, "publishing the database is a privacy algorithm"
    assert not statement.strict


@definition_2_2.controls(grade="symbolic", region="a table whose rows are no laws")
def test_a_table_that_is_no_map_to_measures_is_noticed(statement) -> None:
    wrong = PrivacyAlgorithm((SHORT, SHORT), ((HALF, HALF), (HALF, HALF)))
    assert statement.without("every database has a probability law").at(wrong) is Truth.FALSE
    negative = PrivacyAlgorithm((NOT_A_LAW, NOT_A_LAW), ((ONE, NIL), (NIL, ONE)))
    assert statement.without("every database has a probability law").at(negative) is Truth.FALSE
    assert abs(statement.margin(negative) + arb(fmpq(1, 9))) < arb(2) ** -40
