"""Theorem 6 of `sliding-window`: (20), and what (19) and (20) give together."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.combined_costs import CombinedError, RightInequality
from dpmatrix.tracing import bind_expression

theorem_6 = cite("sliding-window.theorem-6@ef9fd907")

MILLIONTH = Fraction(1, 10**6)
TIGHT = RightInequality(2, Fraction(41, 10), Fraction(17, 10), Fraction(1, 30))
"""(1 + 1/5) 2 + 17/10 = 41/10."""


@theorem_6.supports("equation-20", grade="symbolic", region="every eta > 0, K and costs: divide by 1 + 6 eta")
def test_equation_20_is_a_rearrangement(statement) -> None:
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
        "|A_W(1-X~)| <= (1 + 6 eta)|A~(1-X~)| + K": attrs.evolve(TIGHT, window=Fraction(209, 50)),
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


BASE = CombinedError(50, 5, Fraction(1, 10), 1, MILLIONTH, Fraction(1, 2), 1)


@theorem_6.refutes("combination", grade="derived", region="every c: k = 1 + c^2 rounded up, d = k + 2, beta = 1/2")
def test_the_errors_do_not_combine(statement) -> None:
    """Every c: the quotient is (2/(1 - 6 eta)) sqrt(k' d/log d) >= 2 sqrt(k') > c, as d > log d and k' > k > c^2/4."""

    def grown(constant):
        k = 1 + int((rational(constant) ** 2).ceil())
        return attrs.evolve(BASE, dimension=k + 2, k=k, constant=constant)

    statement.refute(grown)
    names = "dimension k eta epsilon delta failure constant"
    d, k, eta, epsilon, delta, beta, c = sympy.symbols(names, positive=True)
    wide, unit = k - sympy.log(beta), -sympy.log(delta) / epsilon
    assert sympy.simplify(1 + (1 + 6 * eta) / (1 - 6 * eta) - 2 / (1 - 6 * eta)) == 0
    formula = unit * (c * sympy.sqrt(d * sympy.log(d) * wide) - 2 / (1 - 6 * eta) * wide * d)
    bind_expression(statement, formula, points=[BASE])
    assert statement.at(attrs.evolve(BASE, constant=42)) is Truth.FALSE
    assert statement.at(attrs.evolve(BASE, constant=43)) is Truth.TRUE, "2/(1 - 6/10) sqrt(5.69 50/3.91) = 42.7"
    assert not statement.strict
    outside = {
        "dimension >= 2, an integer": attrs.evolve(BASE, dimension=1, k=0),
        "k >= 1, an integer": attrs.evolve(BASE, k=0),
        "k < d": attrs.evolve(BASE, k=50),
        "eta > 0": attrs.evolve(BASE, eta=0),
        "eta < 1/6": attrs.evolve(BASE, eta=Fraction(17, 100)),
        "epsilon > 0": attrs.evolve(BASE, epsilon=0),
        "delta > 0": attrs.evolve(BASE, delta=0),
        "delta < 1": attrs.evolve(BASE, delta=1),
        "failure > 0": attrs.evolve(BASE, failure=0),
        "failure < 1": attrs.evolve(BASE, failure=1),
    }
    small, large = Fraction(1, 50), Fraction(49, 50)
    for inside in (
        CombinedError(2, 1, small, small, small, small, 1),
        CombinedError(2, 1, Fraction(4, 25), 1, large, large, 1),
    ):
        bind_hypotheses(statement, inside, outside)
