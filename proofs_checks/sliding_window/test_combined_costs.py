"""Theorem 6 of `sliding-window`: (20), and what (19) and (20) give together."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import combined_costs as module
from dpmatrix.spec.sliding_window.combined_costs import (
    CombinedError,
    RightInequality,
    combined_constant,
    spread,
    unit,
)
from dpmatrix.tracing import bind_expression

theorem_6 = cite("sliding-window.theorem-6@0da31879")

MILLIONTH = Fraction(1, 10**6)
SMALL, HALF, LARGE = Fraction(1, 50), Fraction(1, 2), Fraction(49, 50)
TIGHT = RightInequality(2, Fraction(41, 10), Fraction(17, 10), Fraction(1, 30))
"""(1 + 1/5) 2 + 17/10 = 41/10."""


@theorem_6.supports("equation-20", grade="derived", region="every eta > 0, K and costs")
def test_equation_20_is_a_rearrangement(statement) -> None:
    """The premise is (1 + 6 eta)|A~(1-X~)| + K - |A_W(1-X~)| >= 0; divided by 1 + 6 eta > 0 it is the claim."""
    sketch, window, extra, eta = sympy.symbols("sketch window extra eta", positive=True)
    premise = (1 + 6 * eta) * sketch + extra - window
    slack = sketch - (window - extra) / (1 + 6 * eta)
    assert sympy.simplify(slack - premise / (1 + 6 * eta)) == 0
    bind_expression(statement, premise / (1 + 6 * eta), points=[TIGHT])
    assert statement.at(TIGHT) is Truth.TRUE
    assert statement.margin(TIGHT) == 0
    assert not statement.strict
    outside = {
        "eta > 0": attrs.evolve(TIGHT, eta=0),
        "|A_W(1-X~)| <= (1 + 6 eta)|A~(1-X~)| + K": attrs.evolve(TIGHT, window=Fraction(411, 100)),
    }
    for inside in (attrs.evolve(TIGHT, window=4), RightInequality(0, 0, Fraction(1, 50), Fraction(1, 50))):
        bind_hypotheses(statement, inside, outside)


@theorem_6.controls("equation-20", grade="symbolic", region="the premise dropped; the additive term subtracted twice")
def test_equation_20_needs_its_premise(statement) -> None:
    over = attrs.evolve(TIGHT, window=5)
    says = "|A_W(1-X~)| <= (1 + 6 eta)|A~(1-X~)| + K"
    assert statement.without(says).at(over) is Truth.FALSE
    inside = attrs.evolve(TIGHT, window=4)
    doubled = statement.nudged(margin=lambda p: statement.formula(p) - rational(p.extra) / (1 + 6 * rational(p.eta)))
    assert doubled.at(inside) is Truth.FALSE


def combined(dimension: int, k: int, eta, epsilon, delta, failure) -> CombinedError:
    """Give the constant that is exhibited for eta."""
    return CombinedError(dimension, k, eta, epsilon, delta, failure, combined_constant(eta))


TENTH = Fraction(1, 10)
BASE = combined(50, 5, TENTH, 1, MILLIONTH, HALF)


@theorem_6.supports(
    "combination", grade="derived", region="every d >= 2, k, eps, beta, delta <= 1/2 and eta < 1/6: c = 3/(1 - 6 eta)"
)
def test_the_errors_combine(statement) -> None:
    """The quotient of both errors is 2/((1 - 6 eta) sqrt(log(1/delta) log d)), and both logarithms are log 2 or more.

    So it is at most 2/(log 2 (1 - 6 eta)), and 2/log 2 < 3.
    """
    assert 2 / arb(2).log() < 3
    names = "dimension k eta epsilon delta failure constant"
    d, k, eta, epsilon, delta, beta, c = sympy.symbols(names, positive=True)
    wide, level = k - sympy.log(beta), -sympy.log(delta)
    assert sympy.simplify(1 + (1 + 6 * eta) / (1 - 6 * eta) - 2 / (1 - 6 * eta)) == 0
    claimed = c * level / epsilon * sympy.sqrt(d * sympy.log(d) * wide)
    given = 2 / (1 - 6 * eta) * sympy.sqrt(wide * d * level) / epsilon
    bind_expression(statement, claimed - given, points=[BASE])
    points = [
        combined(d, k, eta, epsilon, delta, failure)
        for d, k in ((2, 1), (50, 49), (10**9, 3))
        for eta, epsilon in ((SMALL, SMALL), (Fraction(4, 25), 7))
        for delta, failure in ((HALF, LARGE), (MILLIONTH, SMALL))
    ]
    for p in points:
        assert statement.at(p) is Truth.TRUE
    assert not statement.strict
    assert [one.after for one in statement.exists] == [("eta",)]
    assert [one.exhibited(TENTH) for one in statement.exists] == [rational(Fraction(15, 2))]
    outside = {
        "dimension >= 2, an integer": attrs.evolve(BASE, dimension=1),
        "k >= 1, an integer": attrs.evolve(BASE, k=0),
        "eta > 0": combined(50, 5, 0, 1, MILLIONTH, HALF),
        "eta < 1/6": combined(50, 5, Fraction(17, 100), 1, MILLIONTH, HALF),
        "epsilon > 0": attrs.evolve(BASE, epsilon=0),
        "delta > 0": attrs.evolve(BASE, delta=0),
        "delta <= 1/2": attrs.evolve(BASE, delta=Fraction(51, 100)),
        "failure > 0": attrs.evolve(BASE, failure=0),
        "failure < 1": attrs.evolve(BASE, failure=1),
    }
    for inside in (BASE, points[0], points[2]):
        bind_hypotheses(statement, inside, outside)


@theorem_6.controls("combination", grade="interval", region="half the constant; one for all eta; delta near 1; d = 1")
def test_the_constant_depends_on_eta(statement) -> None:
    """At d = 2 and delta = 1/2 the quotient is 2/(log 2 (1 - 6 eta)): 7.2 for eta = 1/10, 288.5 for eta = 33/200."""
    least = combined(2, 1, TENTH, 1, HALF, HALF)
    for eta, shown in ((TENTH, "7.2"), (Fraction(33, 200), "288.5")):
        once, twice = (statement.margin(attrs.evolve(least, eta=eta, constant=c)) for c in (1, 2))
        quotient = 1 - once / (twice - once)
        assert abs(quotient - 2 / (arb(2).log() * rational(1 - 6 * eta))) < arb("1e-6")
        assert abs(quotient - arb(shown)) < arb("0.05")
    half = statement.exhibits(constant=lambda eta: combined_constant(eta) / 2)
    assert half.at(attrs.evolve(least, constant=Fraction(15, 4))) is Truth.FALSE
    fixed = statement.exhibits(constant=100)
    assert fixed.at(attrs.evolve(least, constant=100)) is Truth.TRUE
    assert fixed.at(attrs.evolve(least, constant=100, eta=Fraction(33, 200))) is Truth.FALSE
    assert statement.without("delta <= 1/2").at(attrs.evolve(least, delta=LARGE)) is Truth.FALSE
    assert statement.without("dimension >= 2, an integer").at(attrs.evolve(least, dimension=1)) is Truth.FALSE


@theorem_6.controls("combination", grade="interval", region="(19) and (20) as printed, without the root, at d = 10^6")
def test_without_the_root_no_constant_is_enough(statement) -> None:
    """The quotient is 2/(1 - 6 eta) sqrt(k' d/log d), which grows with d."""
    printed = redefined(statement, module, "lemma_5_error", lambda p: spread(p) * p.dimension * unit(p))
    for dimension in (10**6, 10**12):
        assert printed.at(attrs.evolve(BASE, dimension=dimension)) is Truth.FALSE
