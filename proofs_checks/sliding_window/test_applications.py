"""Theorems 5 and 6 of `sliding-window`: no private algorithm meets them, and what is wrong with the printed ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.applications import DivisionPoint, FactorPoint, QueryPoint
from dpmatrix.spec.sliding_window.distinguishing import NeighbouringQueries, NeighbouringSpans
from proofs_checks.sliding_window.promises import promise, told_apart

theorem_5 = cite("sliding-window.theorem-5@bb0127d3")
theorem_6 = cite("sliding-window.theorem-6@5a0b5432")

MILLIONTH = Fraction(1, 10**6)
QUERIES = QueryPoint(5, 100, 100, 1, MILLIONTH, 1)
LONG = NeighbouringQueries(100, 100, Fraction(1, 900), 1, MILLIONTH, 1, 30)
SPANS = NeighbouringSpans(1, Fraction(9, 10), 1, Fraction(1, 2), Fraction(1, 50))


@theorem_5.refutes(
    grade="derived",
    region="q = d = 100, eps = 1, delta = 10^-6: c = 1, 100, 10^6, every c >= 1 by M = 30 c, eta = 1/M^2; "
    "q = d = 2: a unit row",
)
def test_no_private_algorithm_answers_long_rows(statement) -> None:
    for constant, failure in product((1, 100, 10**6), (0, Fraction(1, 4))):
        row = 30 * constant
        point = attrs.evolve(LONG, constant=constant, row=row, eta=Fraction(1, row**2), failure=failure)
        assert statement.at(point) is Truth.FALSE
    assert statement.at(attrs.evolve(LONG, row=20)) is Truth.TRUE
    assert LONG.failure == 0, "the theorem's bounds always hold"
    assert statement.at(attrs.evolve(LONG, failure=Fraction(27, 100))) is Truth.TRUE, "1/(1 + e) = 0.2689"
    unit = NeighbouringQueries(2, 2, Fraction(1, 4), 1, MILLIONTH, 1, 0)
    assert statement.at(unit) is Truth.FALSE, "a row of norm 1, present or absent"
    assert statement.at(attrs.evolve(unit, constant=Fraction(21, 20))) is Truth.TRUE
    values = []
    with mpmath.workdps(60):
        for q, d, eta, epsilon, row, failure in product(
            (2, 30), (2, 9), (Fraction(1, 5), Fraction(1, 90)), (1, Fraction(5, 2)), (0, 8), (0, Fraction(1, 3))
        ):
            p = NeighbouringQueries(q, d, eta, epsilon, Fraction(1, 9), Fraction(1, 3), row, failure)
            extra = mpmath.log(q) * mpmath.log(d) / real(epsilon) / 3
            values.append((p, max(row**2 / (1 - real(eta)) + 2 * extra - (row + 1) ** 2, told_apart(p))))
        bind(statement, values)
    assert not statement.strict
    outside = promise(LONG) | {
        "queries >= 2, an integer": attrs.evolve(LONG, queries=1),
        "dimension >= 2, an integer": attrs.evolve(LONG, dimension=1),
        "eta > 0": attrs.evolve(LONG, eta=0),
        "eta < 1/2": attrs.evolve(LONG, eta=Fraction(1, 2)),
        "row >= 0": attrs.evolve(LONG, row=-1),
        "failure >= 0": attrs.evolve(LONG, failure=-1),
    }
    for inside in (LONG, unit):
        bind_hypotheses(statement, inside, outside)


@theorem_6.refutes(
    grade="derived",
    region="rows (1/2, 1/2), (1/2, -1/2): c = 1, 10, every c >= 1 with eps = 5 c^2, delta = 1/2, beta = 3^-eps/5; "
    "eps = 1, delta near 1; every eta and algorithm",
)
def test_no_private_projection_is_good_on_both_rows(statement) -> None:
    """For a unit vector p the squared costs of (M, 1/2) and (M, -1/2) add up to q' diag(2 M^2, 1/2) q for q _|_ p.

    So the larger cost is at least sqrt(min(2 M^2, 1/2)/2), and 1/2 from M = 1/2 on; the least cost is 0 on each.
    """
    m, t = sympy.symbols("M t", real=True)
    costs = [(m * sympy.sin(t) - sign * sympy.cos(t) / 2) ** 2 for sign in (1, -1)]
    assert sympy.simplify(sum(costs) - (2 * m**2 * sympy.sin(t) ** 2 + sympy.cos(t) ** 2 / 2)) == 0
    for constant in (1, 10):
        epsilon = 5 * constant**2
        rare = Fraction(1, 3**epsilon * 5)  # 3 > e
        assert statement.at(NeighbouringSpans(epsilon, Fraction(1, 2), constant, Fraction(1, 2), rare)) is Truth.FALSE
    assert statement.at(SPANS) is Truth.FALSE
    assert statement.at(attrs.evolve(SPANS, constant=2)) is Truth.TRUE
    assert statement.at(attrs.evolve(SPANS, failure=Fraction(3, 100))) is Truth.TRUE
    assert statement.at(attrs.evolve(SPANS, length=Fraction(1, 4))) is Truth.TRUE
    for constant in (1000, 10**6):
        near = 1 - Fraction(1, 100 * constant)
        rare = Fraction(1, 1000 * constant)
        assert statement.at(NeighbouringSpans(1, near, constant, Fraction(1, 2), rare)) is Truth.FALSE
    values = []
    with mpmath.workdps(60):
        for epsilon, delta, constant, length, failure in product(
            (Fraction(1, 2), 6),
            (Fraction(1, 9), Fraction(9, 10)),
            (Fraction(1, 9), 1),
            (Fraction(1, 5), 3),
            (0.25, 0.125),
        ):
            p = NeighbouringSpans(epsilon, delta, constant, length, Fraction(failure))
            spread = mpmath.sqrt(2 * mpmath.log(2) * (1 - mpmath.log(failure)))
            extra = -real(constant) * mpmath.log(real(delta)) / real(epsilon) * spread
            least = mpmath.sqrt(min(2 * real(length) ** 2, mpmath.mpf(1) / 2) / 2)
            values.append((p, max(extra - least, told_apart(p))))
        bind(statement, values)
    assert not statement.strict
    outside = promise(SPANS) | {
        "length >= 0": attrs.evolve(SPANS, length=-1),
        "failure > 0": attrs.evolve(SPANS, failure=0),
        "failure < 1": attrs.evolve(SPANS, failure=1),
    }
    for inside in (SPANS, attrs.evolve(SPANS, length=0)):
        bind_hypotheses(statement, inside, outside)


@theorem_5.refutes("algorithm-2", grade="derived", region="q = d = 100, r = 5; c = 1, 10^3, 10^6, every c by eps = 1/c")
def test_variance_queries_cost_sigma_squared(statement) -> None:
    assert statement.at(QUERIES) is Truth.FALSE
    assert statement.at(attrs.evolve(QUERIES, constant=1000)) is Truth.FALSE
    for constant in (10**3, 10**6):
        assert statement.at(attrs.evolve(QUERIES, constant=constant, epsilon=Fraction(1, constant))) is Truth.FALSE
    assert statement.at(attrs.evolve(QUERIES, constant=10**4)) is Truth.TRUE
    values = []
    for rank, queries, dimension, epsilon, constant in product((1, 4), (2, 50), (3, 20), (Fraction(1, 2), 5), (1, 9)):
        log = sympy.log(400)
        sigma = (16 * sympy.sqrt(rank * log) + log) / sympy.Rational(epsilon)
        bound = constant * sympy.log(queries) * sympy.log(dimension) / sympy.Rational(epsilon)
        point = QueryPoint(rank, queries, dimension, epsilon, Fraction(1, 100), constant)
        values.append((point, (bound - sigma**2).evalf(50)))
    bind(statement, values)
    assert not statement.strict
    bind_hypotheses(
        statement,
        QueryPoint(1, 2, 2, 1, MILLIONTH, 1),
        {
            "rank >= 1, an integer": attrs.evolve(QUERIES, rank=0),
            "queries >= 2, an integer": attrs.evolve(QUERIES, queries=1),
            "dimension >= 2, an integer": attrs.evolve(QUERIES, dimension=1),
            "epsilon > 0": attrs.evolve(QUERIES, epsilon=0),
            "delta > 0": attrs.evolve(QUERIES, delta=0),
            "delta < 1": attrs.evolve(QUERIES, delta=1),
            "constant > 0": attrs.evolve(QUERIES, constant=0),
        },
    )


@theorem_6.refutes(
    "factor", grade="symbolic", region="eta = 1/4: least cost 10, 10^6, 10^9, an output of once or twice that"
)
@theorem_6.refutes("equation-19", grade="symbolic", region="eta = 1/4, x = 1, y = 0")
def test_the_factor_of_theorem_6_is_negative(statements) -> None:
    """(1 + 6 eta)/(1 - 6 eta) < 0 for eta > 1/6, so the right side is below the least cost, hence below every cost."""
    factor, division = statements["sliding-window.theorem-6/factor"], statements["sliding-window.theorem-6/equation-19"]
    quarter = Fraction(1, 4)
    for cost, extra in ((10, 0), (10**6, 10**6), (10**9, 10**6)):
        assert factor.at(FactorPoint(cost, cost, quarter, extra)) is Truth.FALSE
        assert factor.at(FactorPoint(cost, 2 * cost, quarter, extra)) is Truth.FALSE
    assert factor.conclusion(FactorPoint(10, 20, Fraction(1, 8))) is Truth.TRUE
    assert factor.applies(FactorPoint(10, 20, Fraction(1, 8))) is Truth.FALSE
    assert division.at(DivisionPoint(1, 0, quarter)) is Truth.FALSE
    assert division.at(DivisionPoint(1, 1, Fraction(1, 8))) is Truth.TRUE
    least, cost, eta, extra = sympy.symbols("least cost eta extra")
    values, divided = [], []
    for a, b, c, e in product((1, 3), (4, 9), (Fraction(1, 8), quarter, Fraction(2, 5)), (0, 2)):
        number = {least: a, cost: b, eta: sympy.Rational(c), extra: e}
        bound = (1 + 6 * eta) / (1 - 6 * eta) * least + extra - cost
        values.append((FactorPoint(a, b, c, e), bound.subs(number).evalf(50)))
        divided.append((DivisionPoint(a, b + e, c), ((cost + extra) / (1 - 6 * eta) - least).subs(number).evalf(50)))
    bind(factor, values)
    bind(division, divided)
    inside = FactorPoint(0, 0, quarter)
    bind_hypotheses(
        factor,
        inside,
        {
            "least >= 0": attrs.evolve(inside, least=-1),
            "extra >= 0": attrs.evolve(inside, extra=-1),
            "eta > 0": attrs.evolve(inside, eta=0),
            "eta < 1/2": attrs.evolve(inside, eta=Fraction(1, 2)),
            "the output is a projection of rank k: its cost is at least the least": attrs.evolve(inside, least=1),
            "eta > 1/6": attrs.evolve(inside, eta=fmpq(1, 6)),
        },
    )
    assert factor.applies(inside) is Truth.TRUE
    assert factor.applies(attrs.evolve(inside, least=1)) is Truth.FALSE
    start = DivisionPoint(0, 0, quarter)
    bind_hypotheses(
        division,
        start,
        {
            "left >= 0": attrs.evolve(start, left=-1),
            "eta > 0": attrs.evolve(start, eta=0),
            "eta < 1/2": attrs.evolve(start, eta=Fraction(1, 2)),
            "(1 - 6 eta) x <= y": attrs.evolve(start, right=-1),
        },
    )
    for statement in statements.values():
        assert not statement.strict
