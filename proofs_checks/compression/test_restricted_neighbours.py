"""Definition 2.3 of `compression`: what it says and does not imply, by exact tables."""

from __future__ import annotations

import attrs
from flint import fmpq

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.reporting.citing import cite
from proofs_checks.compression.finite_mechanisms import (
    EVERY_TABLE,
    IDENTITY,
    LAWS,
    SHORT,
    assert_margin,
    neighbours,
    pair,
    tables,
    worst_event,
)

definition_2_3 = cite("compression.definition-2-3@9a343673")

HALF, ONE, NIL = fmpq(1, 2), fmpq(1), fmpq(0)
STRAY = pair((HALF, HALF), (ONE, NIL), factor=fmpq(2))
"""P is at most twice Q wherever Q is positive, in both directions, and has mass 1/2 where Q has none."""
IN_THE_CLEAR = pair((ONE, NIL), (NIL, ONE), factor=ONE)
"""Mutually singular laws: dP/dQ is 0 wherever Q has mass."""
PRINTED_2 = "dP/dQ <= e^alpha where it exists, for d(D, E) = 1 and V(D, E) <= delta"
CONTINUOUS = "P << Q for d(D, E) = 1 and V(D, E) <= delta"
OUTSIDE_2_3 = {
    "every database has a probability law": pair(SHORT, SHORT),
    PRINTED_2: pair(LAWS[2], LAWS[3]),
}


@definition_2_3.supports(grade="derived", region=EVERY_TABLE)
def test_with_absolute_continuity_the_derivative_bounds_every_output(statement) -> None:
    """Where q > 0, p <= e^alpha q is (2); where q = 0, p = 0 by P << Q. Sums over S keep the inequality."""
    assert_margin(statement, lambda p: worst_event(p, neighbours(p)))
    met = [p for p in tables() if statement.applies(p) is Truth.TRUE]
    assert 20 <= len(met) < len(tables())
    for p in [*met, pair(LAWS[2], LAWS[3], factor=fmpq(3, 2))]:
        assert statement.at(p) is Truth.TRUE
    outside = OUTSIDE_2_3 | {CONTINUOUS: STRAY}
    bind_hypotheses(statement, pair(LAWS[2], LAWS[3], factor=fmpq(3, 2)), outside | {CONTINUOUS: IN_THE_CLEAR})
    bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), outside)
    seldom = (fmpq(1, 20), fmpq(19, 20))
    likelier = pair((HALF, HALF), seldom, factor=fmpq(2))
    bind_hypotheses(
        statement, pair((fmpq(1, 10), fmpq(9, 10)), seldom, factor=fmpq(2)), outside | {PRINTED_2: likelier}
    )
    far = pair((ONE, NIL), (NIL, ONE), distance=ONE, constraint=HALF)
    assert statement.applies(far) is Truth.TRUE, "V > delta: nothing is asked"
    assert statement.applies(attrs.evolve(far, constraint=ONE)) is Truth.FALSE, "V = delta counts"
    assert statement.applies(pair((ONE, NIL), (NIL, ONE), rows=2)) is Truth.TRUE, "two rows: nothing is asked"
    assert not statement.strict


@definition_2_3.controls(
    grade="symbolic",
    region="P << Q dropped: mutually singular laws at alpha = 0, P = (1/2, 1/2) and Q = (1, 0); (2) dropped",
)
def test_without_absolute_continuity_the_bound_fails(statement) -> None:
    """Taken where dP/dQ exists alone, (2) lets each database be published in the clear, even at alpha = 0."""
    loose = statement.without(CONTINUOUS)
    assert loose.at(IN_THE_CLEAR) is Truth.FALSE
    assert loose.formula(IN_THE_CLEAR) == -1, "an event of probability 1 and 0"
    assert loose.at(STRAY) is Truth.FALSE
    assert statement.without(PRINTED_2).at(pair(LAWS[2], LAWS[3])) is Truth.FALSE


WITHIN = "V(D, E) <= delta for all D, E with d(D, E) = 1"


@definition_2_3.supports("a-form-of-differential-privacy", grade="derived", region=EVERY_TABLE)
def test_definition_2_3_without_a_constraint_is_definition_2_1(statement) -> None:
    """Every pair with d = 1 has V <= delta, so (2) bounds it at every output with q > 0; p = 0 elsewhere by P << Q."""
    assert_margin(statement, lambda p: worst_event(p, lambda i, j: p.rows_changed[i][j] == 1))
    met = [p for p in tables() if statement.applies(p) is Truth.TRUE]
    assert 10 <= len(met) < len(tables())
    for p in met:
        assert p.constraint >= HALF, "the neighbours are at distances 1/4 and 1/2"
        assert statement.at(p) is Truth.TRUE
    outside = OUTSIDE_2_3 | {CONTINUOUS: STRAY, WITHIN: IDENTITY}
    bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), outside)
    at_delta = pair(LAWS[2], LAWS[2], distance=HALF, constraint=HALF)
    bind_hypotheses(statement, at_delta, outside | {WITHIN: attrs.evolve(at_delta, constraint=fmpq(9, 20))})
    assert statement.applies(pair((ONE, NIL), (NIL, ONE), rows=2, distance=ONE)) is Truth.TRUE, "no neighbours"
    assert not statement.strict


@definition_2_3.controls(
    "a-form-of-differential-privacy",
    grade="symbolic",
    region="a delta below V: the identity, e^alpha = 1, 10, 10^9; P << Q dropped",
)
def test_a_smaller_delta_protects_fewer_pairs(statement) -> None:
    """On +-1 data no neighbours with different covariances have V < 2/n, so any smaller delta constrains nothing."""
    constrained = statement.without(WITHIN)
    for factor in (ONE, fmpq(10), fmpq(10) ** 9):
        assert constrained.at(attrs.evolve(IDENTITY, exponential=factor)) is Truth.FALSE
    assert statement.without(CONTINUOUS).at(STRAY) is Truth.FALSE
