"""Errors as `sliding-window` compares or rewrites them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.compared_errors import (
    ErrorParameters,
    EveryTime,
    ManyQueries,
    linear_constant,
)
from dpmatrix.tracing import bind_expression

corollary_2 = cite("sliding-window.corollary-2@0509a180")
theorem_5 = cite("sliding-window.theorem-5@cffb2333")
theorem_15 = cite("sliding-window.theorem-15@74ee425d")
theorem_17 = cite("sliding-window.theorem-17@96889bd7")
theorem_14 = cite("sliding-window.theorem-14@763b3875")
theorem_16 = cite("sliding-window.theorem-16@9a4d524b")
theorem_5 = cite("sliding-window.theorem-5@cffb2333")

MILLIONTH, SMALL, LARGE = Fraction(1, 10**6), Fraction(1, 50), Fraction(49, 50)
BASE = ErrorParameters(2, 1, MILLIONTH, 1)
D, EPSILON, DELTA, CONSTANT = sympy.symbols("dimension epsilon delta constant", positive=True)
TAU = D + 14 * sympy.log(4 / DELTA) / EPSILON**2
POSITIVE = {
    "epsilon > 0": attrs.evolve(BASE, epsilon=0),
    "delta > 0": attrs.evolve(BASE, delta=0),
    "delta < 1": attrs.evolve(BASE, delta=1),
}


CITED = ErrorParameters(2, 1, Fraction(1, 2), 22)
RARE, LOOSE = "delta <= 1/n", "eps >= 1/sqrt(n)"


@corollary_2.supports(
    "smaller-error", grade="derived", region="every n >= 2, delta <= 1/n and eps >= 1/sqrt(n), c = 22: derivation below"
)
def test_the_error_is_below_the_cited_one(statement) -> None:
    """With L = log(1/delta) >= log n >= log 2: tau <= 44 n L, log tau <= 7.5 L, and sqrt(44 * 7.5) <= 22 sqrt(L).

    As 1/eps^2 <= n and log(4/delta) = 2 log 2 + L <= 3 L, tau <= n + 42 n L, and n <= n L/log 2. log(44 n L) is log 44
    + log n + log L with log 44 <= 5.5 L, log n <= L and log L <= L - 1.
    """
    log_2 = arb(2).log()
    assert 1 / log_2 + 42 < 44
    assert arb(44).log() < arb("5.5") * log_2
    level = sympy.symbols("L", positive=True)
    assert sympy.solve(sympy.diff(level - 1 - sympy.log(level), level), level) == [1], "log L <= L - 1, equal at 1"
    assert (arb(44) * arb("7.5")).sqrt() < 22 * log_2.sqrt(), "5.5 + 1 + 1 = 7.5"
    level = -sympy.log(DELTA)
    formula = (CONSTANT * sympy.sqrt(D * level) * level - sympy.sqrt(TAU * sympy.log(TAU))) / EPSILON
    bind_expression(statement, formula, points=[CITED])
    assert [one.exhibited for one in statement.exists] == [22]
    for n, power, factor in product((2, 3, 50, 10**6, 10**30), (1, 2, 9), (1, 7, 10**4)):
        epsilon = Fraction(factor, math.isqrt(n - 1) if n > 2 else 1)
        assert statement.at(ErrorParameters(n, epsilon, Fraction(1, n**power), 22)) is Truth.TRUE
    tight = ErrorParameters(2, Fraction(5, 7), Fraction(1, 2), 22)
    assert statement.at(tight) is Truth.TRUE
    assert not statement.strict
    outside = {
        "dimension >= 2, an integer": attrs.evolve(CITED, dimension=1),
        "epsilon > 0": attrs.evolve(CITED, epsilon=0),
        "delta > 0": attrs.evolve(CITED, delta=0),
        RARE: attrs.evolve(CITED, delta=Fraction(51, 100)),
        LOOSE: attrs.evolve(CITED, epsilon=Fraction(7, 10)),
    }
    for inside in (CITED, tight, ErrorParameters(9, Fraction(1, 3), Fraction(1, 9), 22)):
        bind_hypotheses(statement, inside, outside)


@corollary_2.controls(
    "smaller-error", grade="interval", region="small eps; delta = 1/2 at n = 10^80; n = 1; a negative eps; c = 18"
)
def test_the_cited_error_is_smaller_elsewhere(statement) -> None:
    """For small eps tau grows like 1/eps^2, and for large n and a fixed delta log tau exceeds c^2 log(1/delta)^3."""
    assert statement.without(LOOSE).at(attrs.evolve(CITED, epsilon=SMALL)) is Truth.FALSE
    assert statement.without(RARE).at(attrs.evolve(CITED, dimension=10**80)) is Truth.FALSE
    assert (
        statement.without("dimension >= 2, an integer").at(attrs.evolve(CITED, dimension=1, delta=LARGE)) is Truth.FALSE
    )
    assert statement.without("epsilon > 0").at(attrs.evolve(CITED, epsilon=-1)) is Truth.FALSE
    smaller = ErrorParameters(2, Fraction(5, 7), Fraction(1, 2), 18)
    assert statement.exhibits(constant=18).at(smaller) is Truth.FALSE


def linear(d: int, epsilon, delta) -> ErrorParameters:
    return ErrorParameters(d, epsilon, delta, linear_constant(epsilon, delta))


@theorem_16.supports("linear-in-d", grade="derived", region="every d, eps and delta: d <= tau <= (1 + g) d")
def test_the_error_is_nearly_linear_in_the_dimension(statement) -> None:
    """With g = 14 log(4/delta)/eps^2: d <= tau = d + g <= d (1 + g), and log 2 <= log(d + 1).

    So d tau log tau is at least d^2 log d, and at most d^2 (1 + g)(log d + log(1 + g)), where log d <= log(d + 1) and
    log(1 + g) <= log(d + 1) log(1 + g)/log 2: c^2 = (1 + g)(1 + log(1 + g)/log 2).
    """
    d, g, level = sympy.symbols("d g level", positive=True)
    assert sympy.expand(d * (1 + g) - (d + g) - g * (d - 1)) == 0
    rest = (1 + sympy.log(1 + g) / sympy.log(2)) * level - sympy.log(1 + g) - level
    assert sympy.simplify(rest - sympy.log(1 + g) * (level - sympy.log(2)) / sympy.log(2)) == 0
    norm = sympy.sqrt(D * TAU * sympy.log(TAU))
    lower, upper = norm - D * sympy.sqrt(sympy.log(D)), CONSTANT * D * sympy.sqrt(sympy.log(D + 1)) - norm
    for p in (linear(3, 1, MILLIONTH), linear(1, 2, LARGE)):
        one = 1 + 14 * sympy.log(4 / sympy.Rational(p.delta)) / sympy.Rational(p.epsilon) ** 2
        squared = one * (1 + sympy.log(one) / sympy.log(2))
        assert abs(float(p.constant) ** 2 / float(squared) - 1) < 1e-12
    bind_expression(statement, sympy.Min(lower, upper), points=[linear(3, 1, MILLIONTH)])
    points = [
        linear(d, epsilon, delta)
        for d, epsilon, delta in product((1, 2, 50, 10**9), (SMALL, 1, 100), (MILLIONTH, LARGE))
    ]
    assert all(statement.at(p) is Truth.TRUE for p in points)
    assert not statement.strict
    base = linear(2, 1, MILLIONTH)
    outside = {
        "dimension >= 1, an integer": attrs.evolve(base, dimension=0),
        "epsilon > 0": attrs.evolve(base, epsilon=0),
        "delta > 0": attrs.evolve(base, delta=0),
        "delta < 1": attrs.evolve(base, delta=1),
    }
    for inside in (linear(1, 1, MILLIONTH), linear(1, SMALL, LARGE)):
        bind_hypotheses(statement, inside, outside)


@theorem_16.controls("linear-in-d", grade="interval", region="half of c; one c for all eps; delta = 5 at eps = 5")
def test_the_constant_depends_on_the_guarantee(statement) -> None:
    def half(epsilon, delta) -> arb:
        return linear_constant(epsilon, delta) / 2

    def fixed(epsilon, delta) -> int:
        return 60

    low = ErrorParameters(1, 1, MILLIONTH, half(1, MILLIONTH))
    assert statement.exhibits(constant=half).at(low) is Truth.FALSE
    assert statement.exhibits(constant=fixed).at(ErrorParameters(1, 1, MILLIONTH, 60)) is Truth.TRUE
    assert statement.exhibits(constant=fixed).at(ErrorParameters(1, SMALL, MILLIONTH, 60)) is Truth.FALSE
    assert statement.without("delta < 1").at(linear(50, 5, 5)) is Truth.FALSE, "tau < d"


@theorem_14.refutes("noise-value", grade="interval", region="d = 2, eps = 1, delta = 10^-6, and three others")
def test_the_constants_of_tau_are_lost(statement) -> None:
    """For delta <= 1/2 both are equal up to a constant: with x = log(1/delta)/eps^2, d + x <= tau <= d + 42 x.

    As log(4/delta) <= 3 log(1/delta). The right side is at most 42 (d + x), and at most (d + x)^42 by Bernoulli, as d
    >= 1: so tau log tau is at most 42^2 times the other.
    """
    assert 14 * (2 * sympy.log(2) + sympy.log(2)) == 42 * sympy.log(2)
    for d, epsilon, delta in product((1, 2, 50), (SMALL, 1, 10**6), (MILLIONTH, Fraction(1, 2))):
        x = -arb(delta.numerator / arb(delta.denominator)).log() / arb(str(float(epsilon))) ** 2
        tau, lesser = (
            d + 14 * (4 / arb(delta.numerator) * delta.denominator).log() / arb(str(float(epsilon))) ** 2,
            d + x,
        )
        assert lesser * lesser.log() < tau * tau.log() < 42**2 * lesser * lesser.log()
    other = D + sympy.log(1 / DELTA) / EPSILON**2
    formula = -sympy.Abs(TAU * sympy.log(TAU) - other * sympy.log(other))
    bind_expression(statement, formula, points=[BASE])
    for d, epsilon, delta in ((2, 1, MILLIONTH), (1, 7, Fraction(1, 3)), (50, 1, MILLIONTH), (3, SMALL, LARGE)):
        assert statement.at(ErrorParameters(d, epsilon, delta, 1)) is Truth.FALSE
    assert not statement.strict
    outside = POSITIVE | {"dimension >= 1, an integer": attrs.evolve(BASE, dimension=0)}
    for inside in (attrs.evolve(BASE, dimension=1), ErrorParameters(1, SMALL, LARGE, 1)):
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
    sigma = 16 * arb(8).log().sqrt() + arb(8).log()
    assert abs(statement.margin(HALVED) - (2601 * arb(2).log() ** 2 - sigma**2)) < arb("1e-9")
    assert abs(sigma - arb("25.15")) < arb("0.005")
    assert sigma**2 > 1300 * arb(2).log() ** 2
    half = Fraction(2601, 2)
    assert statement.exhibits(constant=half).at(attrs.evolve(HALVED, constant=half)) is Truth.FALSE
