"""Definition 2.4 and Theorem 2.5 of `compression`: what they say and do not imply, by exact tables."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.distributional import DensityVersions
from dpmatrix.spec.compression.restricted_neighbours import FiniteMechanism
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
)

definition_2_4 = cite("compression.definition-2-4@bd3433c4")
theorem_2_5 = cite("compression.theorem-2-5@b524087b")

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
    return -arb(
        int(
            all(p.first[i] <= p.exponential * p.second[i] for i in places)
            is not all(p.other_first[i] <= p.exponential * p.other_second[i] for i in places)
        )
    )


NULL_SET = DensityVersions((ONE, NIL), (ONE, NIL), (ONE, NIL), (ONE, ONE), (ONE, NIL), ONE)
OUTSIDE_2_4 = {
    "the base measure is not negative": attrs.evolve(NULL_SET, weights=(ONE, fmpq(-1))),
    "the versions agree wherever the base measure is positive": attrs.evolve(NULL_SET, weights=(ONE, HALF)),
}


@definition_2_4.refutes(grade="symbolic", region="equal laws; one version of f_X1 is 1 at a null output")
def test_for_all_outputs_depends_on_the_version_of_a_density(statement) -> None:
    assert statement.at(NULL_SET) is Truth.FALSE
    bind(statement, ((p, every_answer(p, (0, 1, 2))) for p in versions()))
    bind_hypotheses(statement, NULL_SET, OUTSIDE_2_4)
    bind_hypotheses(
        statement,
        NULL_SET,
        OUTSIDE_2_4
        | {
            "the versions agree wherever the base measure is positive": attrs.evolve(
                NULL_SET, other_first=(ONE, NIL), other_second=(HALF, NIL)
            )
        },
    )
    assert not statement.strict
    assert {str(statement.margin(p)) for p in versions()} == {"0", "-1.00000000000000"}


@definition_2_4.supports_repair(grade="derived", region="every table: the docstring; 48 tables exactly")
def test_for_almost_all_outputs_depends_on_the_laws_alone(statement) -> None:
    """Where the weight is positive the versions are equal, and elsewhere nothing is asked."""
    for p in versions():
        assert statement.at(p) is Truth.TRUE
    bind(statement, ((p, every_answer(p, (0, 1))) for p in versions()))
    assert statement.at(NULL_SET) is Truth.TRUE
    bind_hypotheses(statement, NULL_SET, OUTSIDE_2_4)
    broken = DensityVersions((ONE, ONE), (ONE, ONE), (ONE, ONE), (ONE, ONE), (HALF, ONE), ONE)
    assert statement.applies(broken) is Truth.FALSE
    assert statement.conclusion(broken) is Truth.FALSE
    assert not statement.strict


@definition_2_4.controls("+repair", grade="symbolic", region="versions that differ on positive weight")
def test_different_laws_are_told_apart(statement) -> None:
    different = DensityVersions((ONE, ONE), (ONE, ONE), (ONE, ONE), (ONE, ONE), (HALF, ONE), ONE)
    agree = "the versions agree wherever the base measure is positive"
    assert statement.without(agree).at(different) is Truth.FALSE
    turned = DensityVersions((ONE, ONE), (ONE, HALF), (ONE, ONE), (ONE, ONE), (ONE, HALF), ONE)
    assert statement.without(agree).at(turned) is Truth.FALSE


TABLE_ONLY = {
    "every database has a probability law": pair(SHORT, SHORT),
    "(3) on S_n with delta": pair(LAWS[2], LAWS[3]),
}


@definition_2_4.refutes("composes", grade="symbolic", region="S_n = {X_1, X_2} with V = 2 delta and the identity")
def test_a_set_without_stepping_stones_does_not_compose(statement) -> None:
    assert statement.at(pair((ONE, NIL), (NIL, ONE), rows=2, distance=ONE, constraint=HALF)) is Truth.FALSE
    nearer = pair((ONE, NIL), (NIL, ONE), rows=2, distance=fmpq(101, 100), constraint=HALF)
    assert statement.at(nearer) is Truth.TRUE, "more than 2 delta apart: nothing is asked"

    def formula(p: FiniteMechanism) -> arb:
        def wanted(i: int, j: int) -> bool:
            return p.chosen[i] and p.chosen[j] and p.distances[i][j] <= p.constraint + p.constraint

        return least(p, wanted, p.exponential**2)

    assert_margin(statement, formula)
    bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), TABLE_ONLY)
    assert not statement.strict


def chosen_neighbours(p):
    return lambda i, j: p.chosen[i] and p.chosen[j] and neighbours(p)(i, j)


@theorem_2_5.supports(grade="derived", region=EVERY_TABLE)
@theorem_2_5.supports("necessary", grade="derived", region=EVERY_TABLE)
def test_theorem_2_5(statements) -> None:
    """The pairs of S_n with V <= delta and d = 1 are among those with V <= delta, so the least slack is no smaller."""
    for statement in statements.values():
        assert_margin(statement, lambda p: least(p, chosen_neighbours(p), p.exponential))
        met = [p for p in tables() if statement.applies(p) is Truth.TRUE]
        assert 20 <= len(met) < len(tables())
        for p in met:
            assert statement.at(p) is Truth.TRUE
        bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), TABLE_ONLY)
        two_rows = pair(LAWS[2], LAWS[3], rows=2)
        assert statement.applies(two_rows) is Truth.FALSE, "(3) asks it of pairs that differ in any number of rows"
        assert statement.applies(attrs.evolve(two_rows, chosen=(True, False))) is Truth.TRUE
        assert not statement.strict


@theorem_2_5.controls(grade="symbolic", region="(3) dropped; the margin lower by 1/20 where it is 0")
def test_theorem_2_5_needs_its_hypothesis(statement) -> None:
    assert statement.without("(3) on S_n with delta").at(pair(LAWS[2], LAWS[3])) is Truth.FALSE
    tight = pair(LAWS[2], LAWS[3], factor=fmpq(3, 2))
    assert statement.at(tight) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - arb(fmpq(1, 20))).at(tight) is Truth.FALSE


@theorem_2_5.refutes(
    "alpha-privacy-on-the-set", grade="symbolic", region="the identity on two neighbours with V = 1 > delta = 1/2"
)
def test_distributional_privacy_is_no_privacy_for_distant_neighbours(statement) -> None:
    assert statement.at(IDENTITY) is Truth.FALSE

    def formula(p: FiniteMechanism) -> arb:
        return least(p, lambda i, j: p.chosen[i] and p.chosen[j] and p.rows_changed[i][j] == 1, p.exponential)

    assert_margin(statement, formula)
    bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), TABLE_ONLY)
    assert not statement.strict


@theorem_2_5.refutes(
    "stronger-than-differential-privacy", grade="symbolic", region="S_n = {X_1} and the identity: V = 0, one row"
)
def test_a_set_of_one_database_makes_every_mechanism_distributionally_private(statement) -> None:
    assert statement.at(pair((ONE, NIL), (NIL, ONE), chosen=(True, False))) is Truth.FALSE
    assert_margin(statement, lambda p: least(p, neighbours(p), p.exponential))
    bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), TABLE_ONLY)
    assert not statement.strict
