"""Definitions 2.1 to 2.4 and Theorem 2.5 of `compression`: what they say and do not imply, by exact tables."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.definitions import PrivacyAlgorithm, TwoLaws
from dpmatrix.spec.compression.distributional import DensityVersions
from dpmatrix.spec.compression.restricted_neighbours import FiniteMechanism

definition_2_1 = cite("compression.definition-2-1@90030413")
definition_2_2 = cite("compression.definition-2-2@ac1b5ea1")
definition_2_3 = cite("compression.definition-2-3@518f8e54")
definition_2_4 = cite("compression.definition-2-4@a026b909")
theorem_2_5 = cite("compression.theorem-2-5@2962911c")


HALF, ONE, NIL = fmpq(1, 2), fmpq(1), fmpq(0)
LAWS = [(ONE, NIL), (NIL, ONE), (HALF, HALF), (fmpq(1, 3), fmpq(2, 3)), (fmpq(3, 4), fmpq(1, 4))]
FACTORS = (fmpq(1), fmpq(3, 2), fmpq(4))
NOT_A_LAW = (fmpq(-1, 9), fmpq(10, 9))
SHORT = (HALF, fmpq(1, 3))
EVERY_TABLE = "every table: the docstring's argument; those of 108 tables that meet the hypotheses exactly"


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


@definition_2_1.controls(grade="symbolic", region="two outcomes, one likelier than allowed: the margin lower by 1")
def test_a_single_outcome_that_is_too_likely_is_an_event(statement) -> None:
    """Where the outcomes fail the events fail; a margin that forgot one of the two would be found here."""
    unequal = TwoLaws((HALF, HALF), (fmpq(1, 4), fmpq(3, 4)), fmpq(3, 2))
    assert statement.at(unequal) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - 1).at(unequal) is Truth.FALSE
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
    bind_hypotheses(
        statement,
        inside,
        {
            "both are probability laws": TwoLaws(SHORT, SHORT, ONE),
            "the data sets are equal": attrs.evolve(inside, first=LAWS[3], exponential=fmpq(9)),
            "P(S) <= e^alpha Q(S) for every S": attrs.evolve(inside, exponential=fmpq(99, 100)),
        },
    )
    assert not statement.strict


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


def pair(first, second, *, factor=ONE, rows=1, distance=NIL, constraint=NIL, chosen=(True, True)) -> FiniteMechanism:
    """Build two databases with the given laws."""
    return FiniteMechanism(
        (first, second), ((0, rows), (rows, 0)), ((NIL, distance), (distance, NIL)), chosen, factor, constraint
    )


def tables() -> list[FiniteMechanism]:
    """Three databases in a row: neighbours 0-1 and 1-2 at distances 1/4 and 1/2, and 0-2 two rows apart."""
    rows = ((0, 1, 2), (1, 0, 1), (2, 1, 0))
    distances = ((NIL, fmpq(1, 4), fmpq(3, 4)), (fmpq(1, 4), NIL, HALF), (fmpq(3, 4), HALF, NIL))
    return [
        FiniteMechanism((a, b, c), rows, distances, chosen, factor, constraint)
        for (a, b, c), factor, constraint, chosen in product(
            [(LAWS[2], LAWS[3], LAWS[4]), (LAWS[2], LAWS[2], LAWS[0]), (LAWS[4], LAWS[3], LAWS[1]), (LAWS[1],) * 3],
            (fmpq(1), fmpq(2), fmpq(3)),
            (fmpq(1, 4), HALF, fmpq(3, 4)),
            ((True, True, True), (True, False, True), (False, True, True)),
        )
    ]


def least(p: FiniteMechanism, wanted, factor) -> arb:
    """Least of E q - p over the wanted pairs, computed without the specification."""
    found = arb("inf")
    for i, first in enumerate(p.kernel):
        for j, second in enumerate(p.kernel):
            if i == j or not wanted(i, j):
                continue
            for a, b in zip(first, second, strict=True):
                found = found.min(arb(factor * b - a))
    return found


def assert_margin(statement, formula) -> None:
    """Compare the margin with a formula on every table, also where it is infinite, and evaluate the statement."""
    different = set()
    for p in tables():
        expected = formula(p)
        statement.conclusion(p)
        different.add(str(expected))
        same = abs(statement.margin(p) - expected) < arb(2) ** -40
        assert same if expected.is_finite() else statement.margin(p) == expected, p
    assert len(different) >= 4


def neighbours(p):
    return lambda i, j: p.rows_changed[i][j] == 1 and p.distances[i][j] <= p.constraint


IDENTITY = pair((ONE, NIL), (NIL, ONE), distance=ONE, constraint=HALF)
STRAY = pair((HALF, HALF), (ONE, NIL), factor=fmpq(2))
"""P is at most twice Q wherever Q is positive, in both directions, and has mass 1/2 where Q has none."""
PRINTED_2 = "dP/dQ <= e^alpha where it exists, for d(D, E) = 1 and V(D, E) <= delta"
CONTINUOUS = "P << Q for d(D, E) = 1 and V(D, E) <= delta"
OUTSIDE_2_3 = {
    "every database has a probability law": pair(SHORT, SHORT),
    PRINTED_2: pair(LAWS[2], LAWS[3]),
}


@definition_2_3.refutes(grade="symbolic", region="two outputs, P = (1/2, 1/2), Q = (1, 0)")
def test_the_derivative_misses_mass_where_the_other_law_has_none(statement) -> None:
    assert statement.at(STRAY) is Truth.FALSE
    assert statement.at(pair(LAWS[2], LAWS[3], factor=fmpq(3, 2))) is Truth.TRUE
    bind_hypotheses(statement, pair(LAWS[2], LAWS[3], factor=fmpq(3, 2)), OUTSIDE_2_3)
    bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), OUTSIDE_2_3)
    assert not statement.strict
    assert_margin(statement, lambda p: least(p, neighbours(p), p.exponential))


@definition_2_3.supports_repair(grade="derived", region=EVERY_TABLE)
def test_with_absolute_continuity_the_derivative_bounds_every_output(statement) -> None:
    """Where q > 0, p <= e^alpha q is (2); where q = 0, p = 0 by P << Q. Sums over S keep the inequality."""
    assert_margin(statement, lambda p: least(p, neighbours(p), p.exponential))
    met = [p for p in tables() if statement.applies(p) is Truth.TRUE]
    assert 20 <= len(met) < len(tables())
    for p in met:
        assert statement.at(p) is Truth.TRUE
    outside = OUTSIDE_2_3 | {CONTINUOUS: STRAY}
    bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), outside)
    far = pair((ONE, NIL), (NIL, ONE), distance=ONE, constraint=HALF)
    assert statement.applies(far) is Truth.TRUE, "V > delta: nothing is asked"
    assert statement.applies(attrs.evolve(far, constraint=ONE)) is Truth.FALSE, "V = delta counts"
    assert statement.applies(pair((ONE, NIL), (NIL, ONE), rows=2)) is Truth.TRUE, "two rows: nothing is asked"
    assert not statement.strict


@definition_2_3.controls("+repair", grade="symbolic", region="P << Q dropped; e^alpha too small")
def test_without_absolute_continuity_the_bound_fails(statement) -> None:
    assert statement.without(CONTINUOUS).at(STRAY) is Truth.FALSE
    assert statement.without(PRINTED_2).at(pair(LAWS[2], LAWS[3])) is Truth.FALSE


@definition_2_3.refutes(
    "differential-privacy-for-all-neighbours",
    grade="symbolic",
    region="the identity on two databases that differ in one row, with V = 1 > delta = 1/2: e^alpha = 1, 10, 10^9",
)
def test_the_identity_meets_definition_2_3(statement) -> None:
    """On +-1 data no neighbours with different covariances have V < 2/n, so any smaller delta constrains nothing."""
    assert statement.at(IDENTITY) is Truth.FALSE
    for factor in (ONE, fmpq(10), fmpq(10) ** 9):
        assert statement.at(attrs.evolve(IDENTITY, exponential=factor)) is Truth.FALSE, "no alpha is large enough"
    assert_margin(statement, lambda p: least(p, lambda i, j: p.rows_changed[i][j] == 1, p.exponential))
    bind_hypotheses(statement, pair(LAWS[2], LAWS[2]), OUTSIDE_2_3 | {CONTINUOUS: STRAY})
    assert not statement.strict


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
