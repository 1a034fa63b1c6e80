"""Definitions 3 and 4 of `near-optimal`."""

from __future__ import annotations

from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.definitions import DataSetPair, EventPoint

definition_3 = cite("near-optimal.definition-3@2e4512a9")
definition_4 = cite("near-optimal.definition-4@6e325a22")

ZERO, HALVES = fmpq_mat(2, 1, [0, 0]), fmpq_mat(2, 1, [fmpq(1, 2), fmpq(1, 2)])
TWO_COLUMNS = DataSetPair(fmpq_mat(1, 2, [0, 0]), fmpq_mat(1, 2, [1, 1]))


@definition_3.refutes(grade="symbolic", region="d = 2, n = 1: (0,0) and (1/2,1/2)")
def test_a_single_entry_has_two_readings(statement) -> None:
    assert statement.at(DataSetPair(ZERO, HALVES)) is Truth.FALSE
    assert statement.at(DataSetPair(ZERO, fmpq_mat(2, 1, [0, 1]))) is Truth.TRUE
    assert statement.given == ()


@definition_3.supports_repair(
    grade="derived",
    region="every data set with d, n <= 3, symbolically; every d, n, as XX' is the sum over its columns",
)
def test_one_column_changes_two_outer_products(statement) -> None:
    for d, n in product((1, 2, 3), repeat=2):
        left, right = (sympy.MatrixSymbol(name, d, n).as_explicit().as_mutable() for name in "XY")
        other = left.copy()
        other[:, n - 1] = right[:, n - 1]
        outer = left[:, n - 1] * left[:, n - 1].T - right[:, n - 1] * right[:, n - 1].T
        assert (left * left.T - other * other.T - outer).expand() == sympy.zeros(d, d)
    for k in range(1, 25):
        data = fmpq_mat(3, 2, [fmpq(i * k % 7, 5) for i in range(6)])
        other = fmpq_mat(3, 2, [data[i, j] if j == 0 else fmpq(k, 9) + i for i in range(3) for j in range(2)])
        assert statement.at(DataSetPair(data, other)) is Truth.TRUE
    bind_hypotheses(statement, DataSetPair(ZERO, HALVES), {"exactly one column differs": TWO_COLUMNS})
    assert not statement.strict


@definition_3.controls("+repair", grade="symbolic", region="two columns differ")
def test_two_replaced_records_are_noticed(statement) -> None:
    assert statement.without("exactly one column differs").at(TWO_COLUMNS) is Truth.FALSE


def events() -> list[EventPoint]:
    laws = [(fmpq(1, 2), fmpq(1, 3), fmpq(1, 6)), (fmpq(0), fmpq(1, 4), fmpq(3, 4)), (fmpq(1), fmpq(0), fmpq(0))]
    return [
        EventPoint(first, second, event, exponential, fmpq(0))
        for first, second in product(laws, repeat=2)
        for event in product((False, True), repeat=3)
        for exponential in (fmpq(1), fmpq(3, 2), fmpq(2), fmpq(4))
    ]


@definition_3.supports("ratio", grade="derived", region="every P(S), Q(S): the docstring; 288 events exactly")
def test_ratio_and_product_agree(statement) -> None:
    """For Q(S) > 0 multiply by it. For Q(S) = 0: the ratio is at most E only if P(S) = 0, and so is the product."""
    for point in events():
        assert statement.at(point) is Truth.TRUE
    nowhere = EventPoint((fmpq(1),), (fmpq(1),), (False,), fmpq(1, 2), fmpq(0))
    assert statement.conclusion(nowhere) is Truth.FALSE, "0/0 = 1 exceeds E = 1/2"
    assert statement.margin(nowhere) == -1
    everywhere = EventPoint((fmpq(1),), (fmpq(1),), (True,), fmpq(1, 2), fmpq(0))
    assert statement.conclusion(everywhere) is Truth.TRUE, "1 <= 1/2 fails in both forms"
    bind_hypotheses(statement, events()[0], {"exponential >= 1": attrs.evolve(nowhere, exponential=fmpq(19, 20))})
    assert not statement.strict


CERTAIN = EventPoint((fmpq(1),), (fmpq(0),), (True,), fmpq(2), fmpq(1))
BEST = EventPoint((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4)), (True, False), fmpq(1), fmpq(0))


def excess(point: EventPoint) -> fmpq:
    terms = zip(point.first, point.second, point.event, strict=True)
    return sum((a - point.exponential * b for a, b, inside in terms if inside), fmpq(0))


@definition_4.refutes(grade="symbolic", region="one outcome, S empty, delta = -1/10")
def test_no_algorithm_has_a_negative_delta(statement) -> None:
    assert statement.at(EventPoint((fmpq(1),), (fmpq(1),), (False,), fmpq(2), fmpq(-1, 10))) is Truth.FALSE
    assert statement.at(CERTAIN) is Truth.TRUE, "at delta = 1 even full disclosure qualifies"
    bind(statement, [(point, point.delta - excess(point)) for point in events()])
    assert statement.given == ()
    assert not statement.strict


@definition_4.supports_repair(
    grade="derived", region="every finite pair of laws and event, outcome by outcome; 288 events bound"
)
def test_no_event_exceeds_the_hockey_stick_divergence(statement) -> None:
    """Outcome by outcome max(0, x) - x = max(0, -x) and max(0, x) are not negative."""
    x = sympy.symbols("x", real=True)
    assert sympy.expand((sympy.Max(0, x) - x - sympy.Max(0, -x)).rewrite(sympy.Abs)) == 0

    def whole(point: EventPoint) -> fmpq:
        return sum(
            (max(a - point.exponential * b, fmpq(0)) for a, b in zip(point.first, point.second, strict=True)), fmpq(0)
        )

    bind(statement, [(point, whole(point) - excess(point)) for point in events()])
    assert statement.at(BEST) is Truth.TRUE, "attained"
    assert not statement.strict
    outside = {"delta >= 0": attrs.evolve(BEST, delta=fmpq(-1, 20)), "delta < 1": attrs.evolve(BEST, delta=fmpq(1))}
    bind_hypotheses(statement, BEST, outside)


@definition_4.controls("+repair", grade="symbolic", region="two outcomes: the margin lower by 1/20")
def test_less_than_the_divergence_is_noticed(statement) -> None:
    assert statement.nudged(lambda margin: margin - arb(1) / 20).at(BEST) is Truth.FALSE
