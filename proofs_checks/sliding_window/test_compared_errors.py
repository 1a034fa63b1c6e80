"""Errors as `sliding-window` compares or rewrites them."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.compared_errors import ErrorParameters, EveryTime, ManyQueries, QuerySize
from dpmatrix.tracing import bind_expression

corollary_2 = cite("sliding-window.corollary-2@b822f9e4")
theorem_5 = cite("sliding-window.theorem-5@db0ec585")
theorem_15 = cite("sliding-window.theorem-15@40ab8b71")
theorem_17 = cite("sliding-window.theorem-17@bb56739a")
theorem_14 = cite("sliding-window.theorem-14@a084f815")
theorem_16 = cite("sliding-window.theorem-16@94af3e36")

MILLIONTH, SMALL, LARGE = Fraction(1, 10**6), Fraction(1, 50), Fraction(49, 50)
BASE = ErrorParameters(2, 1, MILLIONTH, 1)
D, EPSILON, DELTA, CONSTANT = sympy.symbols("dimension epsilon delta constant", positive=True)
TAU = D + 14 * sympy.log(4 / DELTA) / EPSILON**2
POSITIVE = {
    "epsilon > 0": attrs.evolve(BASE, epsilon=0),
    "delta > 0": attrs.evolve(BASE, delta=0),
    "delta < 1": attrs.evolve(BASE, delta=1),
}


@corollary_2.refutes("smaller-error", grade="derived", region="n = 2, delta = 10^-6: every c, by eps = 1/(6 (1 + c))")
def test_the_error_is_not_below_the_cited_one(statement) -> None:
    """Every c: tau > 212/eps^2 and log tau > 1, so sqrt(tau log tau) > 14/eps, and the cited one is below 73 c.

    For large n as well: at delta = 1/4 log tau > log n, and 4 > log(4)^3 > 8/3.
    """
    statement.refute(lambda constant: attrs.evolve(BASE, constant=constant, epsilon=1 / (6 * (1 + rational(constant)))))
    level = arb(10**6).log()
    assert 14 * (4 * arb(10) ** 6).log() > 212
    assert arb(212).sqrt() * 6 > 73
    assert (2 * level).sqrt() * level < 73
    wide = ErrorParameters(55, 1, Fraction(1, 4), 1)
    assert statement.at(wide) is Truth.FALSE
    assert statement.at(attrs.evolve(wide, dimension=10**20, constant=4)) is Truth.FALSE, "log 10^20 > 16 log(4)^3"
    assert statement.at(attrs.evolve(wide, dimension=10**20, constant=5)) is Truth.TRUE
    assert statement.at(BASE) is Truth.TRUE, "72.6 against 35"
    level = -sympy.log(DELTA)
    formula = (CONSTANT * sympy.sqrt(D * level) * level - sympy.sqrt(TAU * sympy.log(TAU))) / EPSILON
    bind_expression(statement, formula, points=[BASE])
    assert not statement.strict
    outside = {
        "dimension >= 2, an integer": attrs.evolve(BASE, dimension=1),
        "epsilon > 0": attrs.evolve(BASE, epsilon=0),
        "epsilon <= 1": attrs.evolve(BASE, epsilon=Fraction(51, 50)),
        "delta > 0": attrs.evolve(BASE, delta=0),
        "delta <= 1/2": attrs.evolve(BASE, delta=Fraction(51, 100)),
    }
    for inside in (BASE, ErrorParameters(2, SMALL, Fraction(49, 100), 1)):
        bind_hypotheses(statement, inside, outside)


@theorem_16.refutes("linear-in-d", grade="derived", region="eps = 1, delta = 10^-6: every c, by d >= c")
def test_the_error_is_not_linear_in_the_dimension(statement) -> None:
    """Every c: tau log tau > tau > d >= c, as tau > 212 has a logarithm above 1."""
    statement.refute(
        lambda constant: attrs.evolve(BASE, constant=constant, dimension=max(1, int(rational(constant).ceil())))
    )
    bind_expression(statement, D * (CONSTANT - TAU * sympy.log(TAU)), points=[BASE])
    assert statement.at(attrs.evolve(BASE, constant=1160)) is Truth.TRUE
    assert statement.at(attrs.evolve(BASE, constant=1140)) is Truth.FALSE
    assert not statement.strict
    outside = POSITIVE | {"dimension >= 1, an integer": attrs.evolve(BASE, dimension=0)}
    for inside in (attrs.evolve(BASE, dimension=1), ErrorParameters(1, SMALL, LARGE, 1)):
        bind_hypotheses(statement, inside, outside)


@theorem_14.refutes("noise-value", grade="interval", region="d = 2, eps = 1, delta = 10^-6, and three others")
def test_the_constants_of_tau_are_lost(statement) -> None:
    other = D + sympy.log(1 / DELTA) / EPSILON**2
    formula = -sympy.Abs(TAU * sympy.log(TAU) - other * sympy.log(other))
    bind_expression(statement, formula, points=[BASE])
    for d, epsilon, delta in ((2, 1, MILLIONTH), (1, 7, Fraction(1, 3)), (50, 1, MILLIONTH), (3, SMALL, LARGE)):
        assert statement.at(ErrorParameters(d, epsilon, delta, 1)) is Truth.FALSE
    assert not statement.strict
    outside = POSITIVE | {"dimension >= 1, an integer": attrs.evolve(BASE, dimension=0)}
    for inside in (attrs.evolve(BASE, dimension=1), ErrorParameters(1, SMALL, LARGE, 1)):
        bind_hypotheses(statement, inside, outside)


QUERIES = QuerySize(2, 1, 1, 1)


@theorem_5.refutes("dimension-free", grade="derived", region="q = 2, eps = 1: every c, by d = 2^h, h = 3c + 1 or more")
def test_a_factor_of_the_dimension_is_left(statement) -> None:
    """Every c: log q log d/eps = h log(2)^2 > 0.48 h > c for h > 3c."""
    statement.refute(
        lambda constant: attrs.evolve(QUERIES, constant=constant, doublings=1 + int((3 * rational(constant)).ceil()))
    )
    assert arb(2).log() ** 2 * 3 > 1
    queries, doublings, epsilon, constant = sympy.symbols("queries doublings epsilon constant")
    formula = constant - doublings * sympy.log(2) * sympy.log(queries) / epsilon
    bind_expression(statement, formula, points=[QUERIES])
    assert statement.at(attrs.evolve(QUERIES, constant=Fraction(1, 2))) is Truth.TRUE, "log(2)^2 = 0.4805"
    assert statement.at(attrs.evolve(QUERIES, constant=Fraction(12, 25))) is Truth.FALSE
    assert not statement.strict
    outside = {
        "queries >= 2, an integer": attrs.evolve(QUERIES, queries=1),
        "doublings >= 1, an integer": attrs.evolve(QUERIES, doublings=0),
        "epsilon > 0": attrs.evolve(QUERIES, epsilon=0),
    }
    for inside in (QUERIES, attrs.evolve(QUERIES, epsilon=SMALL)):
        bind_hypotheses(statement, inside, outside)


FEW = ManyQueries(10, 10, 1, MILLIONTH)


@theorem_15.supports(
    "below-theorem-5",
    grade="derived",
    region="every d, eps, delta and q <= d: tau >= 8 sqrt(d)/eps, and log d <= sqrt(d)",
)
def test_few_queries_cost_less_in_section_4(statement) -> None:
    """The bounds: log q log d/eps <= log(d)^2/eps <= sqrt(d) log(d)/eps, and tau log tau >= tau log d.

    tau > d + 14 log(4)/eps^2 >= 2 sqrt(14 log(4) d)/eps > 8 sqrt(d)/eps. log(x)/sqrt(x) is largest at e^2: 2/e < 1.
    """
    x = sympy.symbols("x", positive=True)
    ratio = sympy.log(x) / sympy.sqrt(x)
    assert sympy.simplify(sympy.diff(ratio, x) - (2 - sympy.log(x)) / (2 * x ** sympy.Rational(3, 2))) == 0
    assert ratio.subs(x, sympy.E**2) == 2 / sympy.E
    a, b = sympy.symbols("a b", positive=True)
    assert sympy.expand((a - b) ** 2 - (a**2 + b**2 - 2 * a * b)) == 0
    assert 2 * sympy.sqrt(14 * sympy.log(4)) > 8
    queries = sympy.symbols("queries", positive=True)
    formula = TAU * sympy.log(TAU) - sympy.log(queries) * sympy.log(D) / EPSILON
    bind_expression(statement, formula, points=[FEW])
    for d, epsilon, delta in (
        (2, 1, LARGE),
        (50, SMALL, MILLIONTH),
        (10**6, 100, SMALL),
        (10**6, Fraction(1, 1000), LARGE),
    ):
        for queries in {2, d}:
            assert statement.at(ManyQueries(queries, d, epsilon, delta)) is Truth.TRUE
    many = ManyQueries(10**48, 2, 1, LARGE)
    outside = {
        "queries >= 2, an integer": attrs.evolve(FEW, queries=1),
        "dimension >= 2, an integer": attrs.evolve(FEW, dimension=1),
        "epsilon > 0": attrs.evolve(FEW, epsilon=0),
        "delta > 0": attrs.evolve(FEW, delta=0),
        "delta < 1": attrs.evolve(FEW, delta=1),
        "q <= d": many,
    }
    for inside in (FEW, ManyQueries(2, 2, SMALL, LARGE), ManyQueries(2, 9, 1, SMALL)):
        bind_hypotheses(statement, inside, outside)
    assert statement.conclusion(many) is Truth.FALSE, "76.6 for 66.8"
    assert statement.applies(attrs.evolve(FEW, queries=11)) is Truth.FALSE
    assert not statement.strict


HALVED = EveryTime(1, 1, 1, Fraction(1, 2), 2601)


@theorem_17.supports(
    "naive-publication",
    grade="derived",
    region="every W, r, eps and delta <= 1/2: sigma <= 17 sqrt(r) log(4/delta)/eps",
)
def test_publishing_at_every_time_costs_the_window(statement) -> None:
    """The constant: L = log(4/delta) >= log 8 > 1, so sqrt(L) <= L and eps sigma <= (16 sqrt(r) + 1) L <= 17 sqrt(r) L.

    L = 2 log 2 + log(1/delta) <= 3 log(1/delta) as 1/delta >= 2: sigma^2 <= 289 r 9 log(1/delta)^2/eps^2.
    """
    assert sympy.log(8) > 1
    assert 289 * 9 == 2601
    window, rank = sympy.symbols("window rank", positive=True)
    level = sympy.log(4 / DELTA)
    sigma = (16 * sympy.sqrt(rank * level) + level) / EPSILON
    formula = window * (CONSTANT * rank * sympy.log(DELTA) ** 2 / EPSILON**2 - sigma**2)
    bind_expression(statement, formula, points=[HALVED])
    for p in (
        HALVED,
        EveryTime(1000, 7, SMALL, MILLIONTH, 2601),
        EveryTime(3, 10**6, 50, Fraction(1, 2), 2601),
        EveryTime(9, 1, 1, Fraction(1, 10**300), 2601),
    ):
        assert statement.at(p) is Truth.TRUE
    assert not statement.strict
    assert [one.exhibited for one in statement.exists] == [2601]
    outside = {
        "window >= 1, an integer": attrs.evolve(HALVED, window=0),
        "rank >= 1, an integer": attrs.evolve(HALVED, rank=0),
        "epsilon > 0": attrs.evolve(HALVED, epsilon=0),
        "delta > 0": attrs.evolve(HALVED, delta=0),
        "delta <= 1/2": attrs.evolve(HALVED, delta=Fraction(51, 100)),
    }
    for inside in (HALVED, EveryTime(3, 2, SMALL, Fraction(49, 100), 2601), EveryTime(1, 1, 1, SMALL, 2601)):
        bind_hypotheses(statement, inside, outside)


@theorem_17.controls("naive-publication", grade="interval", region="delta near 1; half the constant")
def test_the_constant_needs_a_small_delta(statement) -> None:
    """At delta = 1/2 and r = eps = W = 1: sigma = 16 sqrt(log 8) + log 8 = 25.15, and sigma^2 > 1300 log(2)^2."""
    assert statement.without("delta <= 1/2").at(attrs.evolve(HALVED, delta=LARGE)) is Truth.FALSE
    half = Fraction(2601, 2)
    assert statement.exhibits(constant=half).at(attrs.evolve(HALVED, constant=half)) is Truth.FALSE
