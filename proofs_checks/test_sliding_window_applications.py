"""Theorems 5, 6 and 8 of `sliding-window`: bounds that lack delta, change sign, or forget the size of the solution."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import pytest
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.spec.sliding_window.applications import DivisionPoint, FactorPoint, QueryPoint, RegressionPoint

MILLIONTH = Fraction(1, 10**6)
QUERIES = QueryPoint(5, 100, 100, 1, MILLIONTH, 1)


@pytest.mark.evidence(
    "sliding-window.theorem-5@8c5f374d",
    role="refutes",
    grade="interval",
    region="q = d = 100, r = 5; c = 1, 10^3, 10^6 with eps = 1/c",
)
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
            "epsilon > 0": attrs.evolve(QUERIES, epsilon=-1),
            "delta > 0": attrs.evolve(QUERIES, delta=-1),
            "delta < 1": attrs.evolve(QUERIES, delta=1),
            "constant > 0": attrs.evolve(QUERIES, constant=0),
        },
    )


@pytest.mark.evidence(
    "sliding-window.theorem-6@785dd8bc",
    role="refutes",
    grade="symbolic",
    region="1/6 < eta < 1/2: every output, large least cost",
)
@pytest.mark.evidence(
    "sliding-window.theorem-6/equation-19@785dd8bc", role="refutes", grade="symbolic", region="1/6 < eta < 1/2, x > 0"
)
def test_the_factor_of_theorem_6_is_negative(statements) -> None:
    """(1 + 6 eta)/(1 - 6 eta) < 0 for eta > 1/6, so the right side is below the least cost, hence below every cost."""
    factor, division = statements["sliding-window.theorem-6"], statements["sliding-window.theorem-6/equation-19"]
    quarter = Fraction(1, 4)
    for cost, extra in ((10, 0), (10**6, 10**6), (10**9, 10**6)):
        assert factor.at(FactorPoint(cost, cost, quarter, extra)) is Truth.FALSE
        assert factor.at(FactorPoint(cost, 2 * cost, quarter, extra)) is Truth.FALSE
    assert factor.at(FactorPoint(10, 20, Fraction(1, 8))) is Truth.TRUE
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
            "eta > 0": attrs.evolve(inside, eta=-1),
            "eta < 1/2": attrs.evolve(inside, eta=Fraction(1, 2)),
            "the output is a projection of rank k: its cost is at least the least": attrs.evolve(inside, least=1),
            "eta is not 1/6": attrs.evolve(inside, eta=fmpq(1, 6)),
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
            "eta > 0": attrs.evolve(start, eta=-1),
            "eta < 1/2": attrs.evolve(start, eta=Fraction(1, 2)),
            "(1 - 6 eta) x <= y": attrs.evolve(start, right=-1),
        },
    )
    for statement in statements.values():
        assert not statement.strict


def regression(window: int, constant: int = 1, degrees: int = 214) -> RegressionPoint:
    """W a^2 = tau up to rounding of a, b = 99/100, and the mean of the noise."""
    feature = Fraction(int((degrees / window) ** 0.5 * 10**12), 10**12)
    noise = fmpq_mat([[degrees, 0], [0, degrees]])
    return RegressionPoint(window, feature, Fraction(99, 100), noise, degrees, 1, constant)


@pytest.mark.evidence(
    "sliding-window.theorem-8@a758f4c0",
    role="refutes",
    grade="symbolic",
    region="d = p = 1, OPT = 0; c = 1, 10^3, 10^6 by growing W",
)
def test_regression_forgets_the_size_of_the_solution(statement) -> None:
    """With W a^2 = tau and R = tau I, X~ = (W a b)/(W a^2 + tau) = X^/2, and the error is W b^2/4."""
    w, b, t = sympy.symbols("W b tau", positive=True)
    a = sympy.sqrt(t / w)
    solution = w * a * b / (w * a**2 + t)
    assert sympy.simplify(solution - b / a / 2) == 0
    assert sympy.simplify(w * (a * solution - b) ** 2 - w * b**2 / 4) == 0
    for window, constant in ((10**9, 1), (10**12, 10**3), (10**15, 10**6)):
        assert statement.at(regression(window, constant)) is Truth.FALSE
    assert statement.at(regression(10**5)) is Truth.TRUE
    tilted = attrs.evolve(regression(10**9), noise=fmpq_mat([[200, 30], [30, 230]]))
    assert statement.at(tilted) is Truth.FALSE, "another noise"
    values = []
    for window, x, y, side, degrees, constant in product((10, 1000), (1, 3), (2, 5), (0, 1), (4, 9), (1, 2)):
        noise = fmpq_mat([[3, side], [side, 4]])
        point = RegressionPoint(window, Fraction(x, 9), Fraction(y, 9), noise, degrees, Fraction(1, 2), constant)
        one, other = sympy.Rational(x, 9), sympy.Rational(y, 9)
        best = (window * one * other + side) / (window * one**2 + 3)
        bound = 2 * constant * (degrees + 1) ** 2 * sympy.log(degrees + 1)
        values.append((point, (bound - window * (one * best - other) ** 2).evalf(50)))
    bind(statement, values)
    assert not statement.strict
    inside = values[0][0]
    bind_hypotheses(
        statement,
        inside,
        {
            "window >= 1, an integer": attrs.evolve(inside, window=0),
            "degrees >= 1, an integer": attrs.evolve(inside, degrees=0),
            "epsilon > 0": attrs.evolve(inside, epsilon=-1),
            "constant > 0": attrs.evolve(inside, constant=0),
            "a^2 + b^2 <= 1": attrs.evolve(inside, feature=1),
            "R is 2 x 2 and positive semidefinite": attrs.evolve(inside, noise=fmpq_mat([[1, 2], [2, 1]])),
            "R_11 > 0": attrs.evolve(inside, noise=fmpq_mat([[0, 0], [0, 1]])),
        },
    )
    edge = attrs.evolve(inside, feature=1, response=0, window=1, degrees=1)
    assert statement.applies(edge) is Truth.TRUE
