"""Definitions 3 to 5 of `wishart`: what each says, and what the last one leaves open."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.conditions import at_least
from dpmatrix.spec.wishart import definitions
from dpmatrix.spec.wishart.definitions import DataSetPair, LawPair, is_private
from dpmatrix.spec.wishart.sensitivity import RecordPair
from dpmatrix.tracing import bind_expression

definition_3 = cite("wishart.definition-3@d2118705")
definition_4 = cite("wishart.definition-4@39bc1369")
definition_5 = cite("wishart.definition-5@ad0ed900")

ZERO = fmpq_mat(2, 1, [0, 0])
HALVES = fmpq_mat(2, 1, [fmpq(1, 2), fmpq(1, 2)])
TWO_COLUMNS = DataSetPair(fmpq_mat(1, 2, [0, 0]), fmpq_mat(1, 2, [1, 1]))
ONE_COLUMN = "two data sets of one shape differ in exactly one column"


@definition_3.supports(
    grade="derived",
    region="every data set with d, n <= 3, symbolically; every d, n, since XX' is the sum of its columns' squares",
)
def test_replacing_a_column_changes_the_gram_matrix_by_two_outer_products(statement) -> None:
    for d, n in product((1, 2, 3), repeat=2):
        left, right = (sympy.MatrixSymbol(name, d, n).as_explicit().as_mutable() for name in "XY")
        for j in range(n):
            other = left.copy()
            other[:, j] = right[:, j]
            change = left * left.T - other * other.T
            outer = left[:, j] * left[:, j].T - right[:, j] * right[:, j].T
            assert (change - outer).expand() == sympy.zeros(d, d)
    pairs = []
    for k in range(1, 25):
        data = fmpq_mat(3, 2, [fmpq(i * k % 7, 5) for i in range(6)])
        other = fmpq_mat(3, 2, [data[i, j] if j == 0 else fmpq(k, 9) + i for i in range(3) for j in range(2)])
        pairs.append(DataSetPair(data, other))
        assert statement.at(pairs[-1]) is Truth.TRUE
    bind(statement, ((p, 0) for p in pairs))
    assert statement.conclusion(TWO_COLUMNS) is Truth.FALSE
    bind_hypotheses(statement, DataSetPair(ZERO, HALVES), {ONE_COLUMN: TWO_COLUMNS})
    for wider in (fmpq_mat(1, 2, [1, 1]), fmpq_mat(2, 1, [1, 1])):
        assert statement.applies(DataSetPair(fmpq_mat(1, 1, [0]), wider)) is Truth.FALSE, "another shape"
    assert statement.applies(DataSetPair(ZERO, ZERO)) is Truth.FALSE, "no column differs"


@definition_3.controls(grade="symbolic", region="two columns differ; one entry of the matrix in place of one record")
def test_other_relations_are_noticed(statement) -> None:
    anything = statement.without(ONE_COLUMN)
    assert anything.at(TWO_COLUMNS) is Truth.FALSE
    left_over = DataSetPair(fmpq_mat(2, 2, [0, 0, 0, 0]), fmpq_mat(2, 2, [1, 0, 0, 2]))
    assert anything.at(left_over) is Truth.FALSE, "one entry of four is left over, and the largest counts"
    assert anything.margin(left_over) == -4
    assert statement.applies(DataSetPair(ZERO, HALVES)) is Truth.TRUE, "a replaced record changes up to d entries"


LAWS = (
    ((fmpq(1, 2), fmpq(1, 3), fmpq(1, 6)), (fmpq(1, 6), fmpq(1, 3), fmpq(1, 2))),
    ((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4))),
    ((fmpq(1),), (fmpq(1),)),
    ((fmpq(0), fmpq(2, 5), fmpq(3, 5), fmpq(0)), (fmpq(1, 4), fmpq(1, 4), fmpq(1, 4), fmpq(1, 4))),
)


def law_pairs() -> list[LawPair]:
    """Pairs of laws with deltas little below, at and above the divergence."""
    found = []
    for (first, second), exponential in product(LAWS, (fmpq(1), fmpq(3, 2), fmpq(4))):
        divergence = sum((max(fmpq(0), a - exponential * c) for a, c in zip(first, second, strict=True)), fmpq(0))
        deltas = (divergence * fmpq(19, 20), divergence, (1 + divergence) / 2)
        found += [LawPair(first, second, exponential, delta) for delta in deltas]
    return found


@definition_4.supports(
    grade="derived",
    region="every pair of laws on finitely many outcomes, by the docstring; 36 pairs, all their events",
)
def test_the_condition_is_a_bound_of_the_divergence(statement) -> None:
    """P(S) - E Q(S) is a sum over S of p - E q; the S of the outcomes with p > E q has the largest one."""
    x = sympy.symbols("x", real=True)
    assert sympy.expand((sympy.Max(0, x) - x - sympy.Max(0, -x)).rewrite(sympy.Abs)) == 0, "x <= max(0, x)"
    points = law_pairs()
    assert all(statement.at(point) is Truth.TRUE for point in points)
    for below, attained, above in zip(points[::3], points[1::3], points[2::3], strict=True):
        assert is_private(attained)
        assert is_private(above)
        assert is_private(below) == (below.delta == attained.delta), "the divergence is attained"
    bind(statement, ((p, 0) for p in points))
    law = "P and Q are probability laws on the same outcomes"
    bind_hypotheses(statement, points[0], {law: attrs.evolve(points[0], first=points[0].first[:2])})
    half, little = fmpq(1, 2), fmpq(1, 20)
    for weights in ((fmpq(3, 2), -half, fmpq(0)), (fmpq(1), fmpq(1), fmpq(0)), (half, half + little, -little)):
        assert statement.applies(attrs.evolve(points[0], second=weights)) is Truth.FALSE
    assert statement.applies(attrs.evolve(points[0], first=(fmpq(1), fmpq(0)))) is Truth.FALSE, "two outcomes of three"


@definition_4.controls(grade="symbolic", region="two outcomes: single outcomes in place of all events; delta < 0")
def test_other_conditions_are_noticed(statement) -> None:
    """Two outcomes of excess 1/4 each have 1/2 together; for delta < 0 the empty event rules every mechanism out."""

    def outcome_by_outcome(p: LawPair) -> bool:
        return all(a <= p.exponential * c + p.delta for a, c in zip(p.first, p.second, strict=True))

    first, second = (fmpq(1, 2), fmpq(1, 2), fmpq(0)), (fmpq(1, 4), fmpq(1, 4), fmpq(1, 2))
    point = LawPair(first, second, fmpq(1), fmpq(1, 3))
    assert statement.at(point) is Truth.TRUE
    assert redefined(statement, definitions, "is_private", outcome_by_outcome).at(point) is Truth.FALSE
    assert not is_private(LawPair((fmpq(1),), (fmpq(1),), fmpq(2), fmpq(-1, 10)))


@definition_5.refutes(grade="interval", region="orthogonal unit records")
def test_the_spectral_norm_does_not_bound_the_euclidean_change(statement) -> None:
    assert statement.at(RecordPair(1, 1, 0)) is Truth.FALSE
    a, d, s = sympy.symbols("v_squared w_squared inner", real=True)
    formula = (sympy.Abs(a - d) + sympy.sqrt((a + d) ** 2 - 4 * s**2)) / 2 - sympy.sqrt(a**2 + d**2 - 2 * s**2)
    bind_expression(statement, formula)
    bind_hypotheses(statement, RecordPair(0, 0, 0), OUTSIDE)
    bind_hypotheses(statement, RecordPair(1, 1, 1), OUTSIDE)
    assert not statement.strict, "a bound may be attained"
    assert statement.at(RecordPair(1, 0, 0)) is Truth.TRUE, "one record alone changes both norms alike"


@definition_5.supports_repair(
    grade="symbolic", region="every |v|^2, |w|^2 in [0, 1] and <v, w>: an identity in these three numbers"
)
def test_the_entrywise_norm_is_at_most_the_root_of_two(statement) -> None:
    """2 - a^2 - b^2 + 2 s^2 = (1 - a^2) + (1 - b^2) + 2 s^2, a sum of non-negative terms for a, b in [0, 1]."""
    a, d, s = sympy.symbols("v_squared w_squared inner", real=True)
    margin = 2 - (a**2 + d**2 - 2 * s**2)
    assert sympy.expand(margin - ((1 - a**2) + (1 - d**2) + 2 * s**2)) == 0
    bind_expression(statement, margin)
    bind_hypotheses(statement, RecordPair(0, 0, 0), OUTSIDE)
    bind_hypotheses(statement, RecordPair(1, 1, 1), OUTSIDE)
    assert statement.at(RecordPair(1, 1, 0)) is Truth.TRUE, "equality is attained"
    for value, answer in ((Fraction(1, 4), Truth.FALSE), (Fraction(1, 2), Truth.TRUE), (1, Truth.TRUE)):
        assert at_least("v_squared", Fraction(1, 2)).at(RecordPair(value, 0, 0)) is answer, "bounds other than zero"


OUTSIDE = {
    "v_squared >= 0": RecordPair(-1, 0, 0),
    "v_squared <= 1": RecordPair(2, 0, 0),
    "w_squared >= 0": RecordPair(0, -1, 0),
    "w_squared <= 1": RecordPair(0, 2, 0),
    "<v, w>^2 <= |v|^2 |w|^2": RecordPair(Fraction(1, 2), Fraction(1, 2), 1),
}


@definition_5.controls("+repair", grade="interval", region="orthogonal unit records")
def test_a_smaller_entrywise_bound_is_noticed(statement) -> None:
    """9/5 in place of 2."""
    assert statement.nudged(lambda margin: margin - arb(1) / 5).at(RecordPair(1, 1, 0)) is Truth.FALSE
