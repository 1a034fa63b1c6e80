"""Definition 2.4 and Theorem 2.5 of `compression`: what they say and do not imply, by exact tables."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import distributional
from dpmatrix.spec.compression.distributional import DensityVersions
from dpmatrix.spec.compression.restricted_neighbours import FiniteMechanism, database_pairs
from proofs_checks.compression.finite_mechanisms import (
    EVERY_TABLE,
    IDENTITY,
    LAWS,
    SHORT,
    assert_margin,
    least,
    neighbours,
    pair,
    tables,
    worst_event,
)

definition_2_4 = cite("compression.definition-2-4@6f0a65d4")
theorem_2_5 = cite("compression.theorem-2-5@a055d7ee")

HALF, ONE, NIL = fmpq(1, 2), fmpq(1), fmpq(0)


def versions() -> list[DensityVersions]:
    """Two outputs of weight one and a null output, at which the versions differ."""
    return [
        DensityVersions(
            (ONE, ONE, NIL),
            (HALF, HALF, a),
            (fmpq(1, 3), fmpq(2, 3), b),
            (HALF, HALF, c),
            (fmpq(1, 3), fmpq(2, 3), d),
            e,
        )
        for a, b, c, d in product((NIL, ONE), repeat=4)
        for e in (fmpq(5, 4), fmpq(3, 2), fmpq(2))
    ]


def every_answer(p: DensityVersions, places) -> arb:
    """Compare the bound at the places with the total that P_1 can have in excess of e^alpha P_2."""
    rows = zip(p.weights, p.other_first, p.other_second, strict=True)
    excess = sum((max(weight * (a - p.exponential * b), NIL) for weight, a, b in rows), NIL)
    everywhere = all(p.first[i] <= p.exponential * p.second[i] for i in places)
    return -arb(int(everywhere is not (excess == 0)))


NULL_SET = DensityVersions((ONE, NIL), (ONE, ONE), (ONE, NIL), (ONE, NIL), (ONE, NIL), ONE)
OUTSIDE_2_4 = {
    "the base measure is not negative": attrs.evolve(NULL_SET, weights=(ONE, fmpq(-1))),
    "the versions agree wherever the base measure is positive": attrs.evolve(NULL_SET, weights=(ONE, HALF)),
}


@definition_2_4.supports(grade="derived", region="every table: the docstring; 48 tables exactly")
def test_for_almost_all_outputs_depends_on_the_laws_alone(statement) -> None:
    """Where the weight is positive the versions are equal, and w f <= e^alpha w g there adds up to every event.

    Elsewhere nothing is asked, and no event has mass; an outcome of positive weight is an event.
    """
    for p in versions():
        assert statement.at(p) is Truth.TRUE
    bind(statement, ((p, every_answer(p, (0, 1))) for p in versions()))
    assert statement.at(NULL_SET) is Truth.TRUE
    light = DensityVersions((ONE, fmpq(1, 20)), (ONE, ONE), (ONE, NIL), (ONE, ONE), (ONE, NIL), ONE)
    assert statement.at(light) is Truth.TRUE, "an output of little weight counts"
    bind_hypotheses(statement, NULL_SET, OUTSIDE_2_4)
    agree = "the versions agree wherever the base measure is positive"
    bind_hypotheses(statement, NULL_SET, OUTSIDE_2_4 | {agree: attrs.evolve(NULL_SET, other_second=(HALF, NIL))})
    broken = DensityVersions((ONE, ONE), (ONE, ONE), (ONE, ONE), (ONE, ONE), (HALF, ONE), ONE)
    assert statement.applies(broken) is Truth.FALSE
    assert statement.conclusion(broken) is Truth.FALSE
    assert not statement.strict


@definition_2_4.controls(grade="symbolic", region="versions that differ on positive weight; null outputs counted too")
def test_different_laws_are_told_apart(statement) -> None:
    everywhere = statement.nudged(margin=lambda p: every_answer(p, range(len(p.weights))))
    assert everywhere.at(NULL_SET) is Truth.FALSE, "equal laws, and a version of f_X1 that is 1 at a null output"
    different = DensityVersions((ONE, ONE), (ONE, ONE), (ONE, ONE), (ONE, ONE), (HALF, ONE), ONE)
    agree = "the versions agree wherever the base measure is positive"
    assert statement.without(agree).at(different) is Truth.FALSE
    turned = DensityVersions((ONE, ONE), (ONE, HALF), (ONE, ONE), (ONE, ONE), (ONE, HALF), ONE)
    assert statement.without(agree).at(turned) is Truth.FALSE


TABLE_ONLY = {
    "every database has a probability law": pair(SHORT, SHORT),
    "(3) on S_n with delta": pair(LAWS[2], LAWS[3]),
}


@definition_2_4.supports("composes", grade="derived", region=EVERY_TABLE)
def test_two_steps_within_the_set_compose(statement) -> None:
    """p_i <= e^alpha p_k and p_k <= e^alpha p_j give p_i <= e^(2 alpha) p_j at every output."""

    def formula(p: FiniteMechanism) -> arb:
        def near(i: int, j: int) -> bool:
            return i != j and p.chosen[i] and p.chosen[j] and p.distances[i][j] <= p.constraint

        places = range(len(p.kernel))
        return least(p, lambda i, j: any(near(i, k) and near(k, j) for k in places), p.exponential**2)

    chains = [
        attrs.evolve(p, distances=((NIL, HALF, ONE), (HALF, NIL, HALF), (ONE, HALF, NIL)), chosen=(True,) * 3)
        for p in tables()
    ]
    assert_margin(statement, formula)
    met = [p for p in chains if p.constraint >= HALF and statement.applies(p) is Truth.TRUE]
    assert len(met) >= 9
    for p in met:
        assert statement.at(p) is Truth.TRUE
        assert abs(statement.margin(p) - formula(p)) < arb(2) ** -40
    apart = pair((ONE, NIL), (NIL, ONE), rows=2, distance=ONE, constraint=HALF)
    assert statement.applies(apart) is Truth.TRUE
    assert abs(statement.margin(apart)) > arb(2) ** 100, "V = 2 delta and no third database: nothing is guaranteed"
    bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), TABLE_ONLY)
    assert not statement.strict


def chosen_neighbours(p):
    return lambda i, j: p.chosen[i] and p.chosen[j] and neighbours(p)(i, j)


@theorem_2_5.supports(grade="derived", region=EVERY_TABLE)
@theorem_2_5.supports("necessary", grade="derived", region=EVERY_TABLE)
def test_theorem_2_5(statements) -> None:
    """The pairs of S_n with V <= delta and d = 1 are among those with V <= delta; outputs add up to events."""
    for statement in statements.values():
        assert_margin(statement, lambda p: worst_event(p, chosen_neighbours(p)))
        met = [p for p in tables() if statement.applies(p) is Truth.TRUE]
        assert 20 <= len(met) < len(tables())
        for p in met:
            assert statement.at(p) is Truth.TRUE
        bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), TABLE_ONLY)
        two_rows = pair(LAWS[2], LAWS[3], rows=2)
        assert statement.applies(two_rows) is Truth.FALSE, "(3) asks it of pairs that differ in any number of rows"
        assert statement.applies(attrs.evolve(two_rows, chosen=(True, False))) is Truth.TRUE
        assert not statement.strict


@theorem_2_5.controls(grade="symbolic", region="(3) dropped; neighbours whatever V is; databases outside S_n")
def test_theorem_2_5_needs_its_hypothesis(statement) -> None:
    assert statement.without("(3) on S_n with delta").at(pair(LAWS[2], LAWS[3])) is Truth.FALSE
    far = redefined(statement, distributional, "chosen_pairs", lambda p, _: database_pairs(p))
    assert far.at(IDENTITY) is Truth.FALSE
    assert far.at(pair((ONE, NIL), (NIL, ONE), chosen=(True, False))) is Truth.FALSE
    assert statement.at(pair(LAWS[2], LAWS[3], factor=fmpq(3, 2))) is Truth.TRUE
