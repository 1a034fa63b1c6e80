"""Definitions 3 to 5 of `wishart`: what each leaves open, and that the adopted reading is sound."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.conditions import at_least
from dpmatrix.spec.wishart.definitions import DataSetPair, EventPoint
from dpmatrix.spec.wishart.sensitivity import RecordPair

definition_3 = cite("wishart.definition-3@8639b9ef")
definition_4 = cite("wishart.definition-4@828df7f8")
definition_5 = cite("wishart.definition-5@87687e77")

ZERO = fmpq_mat(2, 1, [0, 0])
HALVES = fmpq_mat(2, 1, [fmpq(1, 2), fmpq(1, 2)])


@definition_3.refutes(grade="symbolic", region="d = 2, n = 1: (0,0) and (1/2,1/2)")
def test_entry_and_column_are_different_relations(statement) -> None:
    assert statement.at(DataSetPair(ZERO, HALVES)) is Truth.FALSE
    assert statement.at(DataSetPair(ZERO, fmpq_mat(2, 1, [0, 1]))) is Truth.TRUE


@definition_3.supports_repair(
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
    for k in range(1, 25):
        data = fmpq_mat(3, 2, [fmpq(i * k % 7, 5) for i in range(6)])
        other = fmpq_mat(3, 2, [data[i, j] if j == 0 else fmpq(k, 9) + i for i in range(3) for j in range(2)])
        assert statement.at(DataSetPair(data, other)) is Truth.TRUE
    two_columns = DataSetPair(fmpq_mat(1, 2, [0, 0]), fmpq_mat(1, 2, [1, 1]))
    bind_hypotheses(statement, DataSetPair(ZERO, HALVES), {"exactly one column differs": two_columns})


@definition_3.controls("+repair", grade="symbolic", region="two columns differ")
def test_two_replaced_columns_are_noticed(statement) -> None:
    two = DataSetPair(fmpq_mat(1, 2, [0, 0]), fmpq_mat(1, 2, [1, 1]))
    anything = statement.without("exactly one column differs")
    assert anything.at(two) is Truth.FALSE
    left_over = DataSetPair(fmpq_mat(2, 2, [0, 0, 0, 0]), fmpq_mat(2, 2, [1, 0, 0, 1]))
    assert anything.at(left_over) is Truth.FALSE, "one entry of four is left over, and the largest counts"
    assert anything.margin(left_over) == -1


def _events() -> list[EventPoint]:
    first = (fmpq(1, 2), fmpq(1, 3), fmpq(1, 6))
    second = (fmpq(1, 6), fmpq(1, 3), fmpq(1, 2))
    return [
        EventPoint(first, second, event, exponential, fmpq(0))
        for event in product((False, True), repeat=3)
        for exponential in (fmpq(1), fmpq(3, 2), fmpq(4))
    ]


@definition_4.refutes(grade="interval", region="one outcome, S empty, delta = -1/10")
def test_a_negative_delta_rules_out_even_a_constant_mechanism(statement) -> None:
    assert statement.at(EventPoint((fmpq(1),), (fmpq(1),), (False,), fmpq(2), fmpq(-1, 10))) is Truth.FALSE
    certain = EventPoint((fmpq(1),), (fmpq(0),), (True,), fmpq(2), fmpq(1))
    assert statement.at(certain) is Truth.TRUE, "at delta = 1 even full disclosure qualifies"
    for point in _events():
        excess = sum(
            (a - point.exponential * q for a, q, i in zip(point.first, point.second, point.event, strict=True) if i),
            fmpq(0),
        )
        assert abs(statement.margin(point) - arb(point.delta - excess)) < arb(2) ** -40


@definition_4.supports_repair(
    grade="derived",
    region="every finite pair of distributions and event, term by term; every pair by approximation; 24 events",
)
def test_the_hockey_stick_divergence_is_the_largest_excess(statement) -> None:
    """Outcome by outcome, max(0, x) - x and max(0, x) are never negative, so no event exceeds the sum."""
    x = sympy.symbols("x", real=True)
    assert sympy.Max(0, x).subs(x, -3) == 0
    assert sympy.expand((sympy.Max(0, x) - x - sympy.Max(0, -x)).rewrite(sympy.Abs)) == 0
    values = []
    for point in _events():
        terms = [a - point.exponential * q for a, q in zip(point.first, point.second, strict=True)]
        largest = sum((max(term, fmpq(0)) for term in terms), fmpq(0))
        excess = sum((term for term, inside in zip(terms, point.event, strict=True) if inside), fmpq(0))
        assert largest >= excess
        values.append((point, largest - excess))
    bind(statement, values)
    best = EventPoint((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4)), (True, False), fmpq(1), fmpq(0))
    assert statement.at(best) is Truth.TRUE, "attained by the outcomes that are likelier than E times the other"
    bind_hypotheses(
        statement,
        best,
        {
            "delta >= 0": EventPoint(best.first, best.second, best.event, fmpq(1), fmpq(-1, 9)),
            "delta < 1": EventPoint(best.first, best.second, best.event, fmpq(1), fmpq(1)),
        },
    )


@definition_4.controls("+repair", grade="interval", region="two outcomes")
def test_a_smaller_bound_than_the_divergence_is_noticed(statement) -> None:
    best = EventPoint((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4)), (True, False), fmpq(1), fmpq(0))
    assert statement.nudged(lambda margin: margin - arb(1) / 20).at(best) is Truth.FALSE


@definition_5.refutes(grade="interval", region="orthogonal unit records")
def test_the_spectral_norm_does_not_bound_the_euclidean_change(statement) -> None:
    assert statement.at(RecordPair(1, 1, 0)) is Truth.FALSE
    a, d, s = sympy.symbols("a d s", real=True)
    formula = (sympy.Abs(a - d) + sympy.sqrt((a + d) ** 2 - 4 * s**2)) / 2 - sympy.sqrt(a**2 + d**2 - 2 * s**2)
    bind(statement, _on_pairs(formula, a, d, s))
    bind_hypotheses(statement, RecordPair(0, 0, 0), OUTSIDE)
    bind_hypotheses(statement, RecordPair(1, 1, 1), OUTSIDE)
    assert not statement.strict, "a bound may be attained"
    assert statement.at(RecordPair(1, 0, 0)) is Truth.TRUE, "one record alone changes both norms alike"


@definition_5.supports_repair(
    grade="symbolic", region="every |v|^2, |w|^2 in [0, 1] and <v, w>: an identity in these three numbers"
)
def test_the_entrywise_norm_is_at_most_the_root_of_two(statement) -> None:
    """2 - a^2 - b^2 + 2 s^2 = (1 - a^2) + (1 - b^2) + 2 s^2, a sum of non-negative terms for a, b in [0, 1]."""
    a, d, s = sympy.symbols("a d s", real=True)
    margin = 2 - (a**2 + d**2 - 2 * s**2)
    assert sympy.expand(margin - ((1 - a**2) + (1 - d**2) + 2 * s**2)) == 0
    bind(statement, _on_pairs(margin, a, d, s))
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


def _on_pairs(formula: sympy.Expr, a: sympy.Symbol, d: sympy.Symbol, s: sympy.Symbol):
    for i, j, k in product((1, 3, 6), (1, 2, 5), (-1, 0, 1)):
        point = RecordPair(Fraction(i, 6), Fraction(j, 5), Fraction(k, 7))
        numbers = {a: point.v_squared, d: point.w_squared, s: point.inner}
        yield point, formula.subs({key: sympy.Rational(value) for key, value in numbers.items()}).evalf(50)


@definition_5.controls("+repair", grade="interval", region="orthogonal unit records")
def test_a_smaller_entrywise_bound_is_noticed(statement) -> None:
    assert statement.nudged(lambda margin: margin - arb(1) / 5).at(RecordPair(1, 1, 0)) is Truth.FALSE
