"""Theorem 8 of `sliding-window`: (28), (29) and their combination, for one feature and one response."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.regression_costs import RegressionEnds, TwoMoments
from dpmatrix.tracing import bind_expression
from proofs_checks.steps import by_step

theorem_8 = cite("sliding-window.theorem-8@f16220fb")

HALF, SMALL, LARGE = Fraction(1, 2), Fraction(1, 50), Fraction(49, 50)


def steep(size, constant) -> TwoMoments:
    """Give M^2 rows (1/M, 1/2), eta = 1/2, and C = 2K + I."""
    return TwoMoments(1, size / 2, size**2 / 4, 3, size, size**2 / 2 + 1, HALF, 1, constant)


def hidden(size, constant) -> TwoMoments:
    """Give K = diag(0, L), of L rows (0, 1), and C = (1/L, 1; 1, L), where X~ = L costs nothing; eta = 1/2."""
    return TwoMoments(0, 0, size, 1 / rational(size), 1, size, HALF, 1, constant)


PLAIN = TwoMoments(2, 1, 2, 2, 1, 2, HALF, 1, 3)
OUTSIDE = {
    "K is positive semidefinite": attrs.evolve(PLAIN, mixed=Fraction(41, 20)),
    "C is positive semidefinite": attrs.evolve(PLAIN, side=Fraction(41, 20)),
    "corner > 0": attrs.evolve(PLAIN, corner=0),
    "eta > 0": attrs.evolve(PLAIN, eta=0),
    "eta < 1": attrs.evolve(PLAIN, eta=Fraction(101, 100)),
    "error >= 0": attrs.evolve(PLAIN, error=-SMALL),
    "(41), left: K - E I <= C": attrs.evolve(PLAIN, corner=LARGE),
    "(41), right: C <= K/(1 - eta) + E I": attrs.evolve(PLAIN, corner=Fraction(51, 10), end=Fraction(51, 10)),
}
DEFINITE = {
    "K is positive semidefinite": [{"feature": -1}, {"response": -1}, {"feature": -1, "response": -1}],
    "C is positive semidefinite": [{"end": -1}, {"corner": -1, "end": -1}],
    "(41), left: K - E I <= C": [{"end": LARGE}, {"side": Fraction(51, 25)}, {"corner": HALF, "end": HALF}],
    "(41), right: C <= K/(1 - eta) + E I": [
        {"corner": 6},
        {"end": 6},
        {"side": Fraction(51, 10)},
        {"corner": 9, "end": 9},
        {"side": -Fraction(51, 50), "error": 0, "corner": 3, "end": 3},
    ],
}


@theorem_8.refutes("equation-28", grade="derived", region="every c: M^2 rows (1/M, 1/2), M = 4 + 4c, and C = 2K + I")
@theorem_8.refutes("equation-29", grade="derived", region="every c: K = diag(0, L), C = (1/L, 1; 1, L), L = 4 + c")
def test_steep_solutions_cost_more(statements) -> None:
    """(28): the least cost is 0, and X~ costs 1 + M^2/6 on the output, which is more than c for M = 4 + 4c.

    (29): X~ = L costs 0 on the output and L on the window; (41) holds for eta = 1/2 with the error 1, as C - K + I =
    (1 + 1/L, 1; 1, 1) and 2K + I - C = (1 - 1/L, -1; -1, L + 1) are positive semidefinite for L >= 2.
    """
    by_name = by_step(statements)
    m, length = sympy.symbols("m length", positive=True)
    assert sympy.simplify(m**2 / 2 + 1 - m**2 / 3 - (1 + m**2 / 6)) == 0
    assert sympy.expand(16 * (1 + m) ** 2 - 6 * m) == 16 * m**2 + 26 * m + 16, "so M^2/6 > c"
    assert sympy.simplify((1 + 1 / length) - 1 - 1 / length) == 0
    assert sympy.expand((1 - 1 / length) * (length + 1) - 1 - (length - 1 - 1 / length)) == 0
    by_name["equation-28"].refute(lambda constant: steep(4 + 4 * rational(constant), constant))
    by_name["equation-29"].refute(lambda constant: hidden(4 + rational(constant), constant))
    for size in (6, 60):
        edge = rational(1 + Fraction(size**2, 6))
        assert by_name["equation-28"].at(steep(size, edge - 1)) is Truth.FALSE
        assert by_name["equation-28"].at(steep(size, edge)) is Truth.TRUE
        assert by_name["equation-29"].at(hidden(size, size - 1)) is Truth.FALSE
        assert by_name["equation-29"].at(hidden(size, size)) is Truth.TRUE
    names = "feature mixed response corner side end eta error constant"
    k11, k12, k22, c11, c12, c22, eta, error, constant = sympy.symbols(names)
    seen = c22 - c12**2 / c11
    least = k22 - k12**2 / k11
    window = k11 * (c12 / c11) ** 2 - 2 * k12 * c12 / c11 + k22
    points = [PLAIN, steep(6, 1), steep(60, 3)]
    bind_expression(by_name["equation-28"], least / (1 - eta) + constant * error - seen, points=points)
    bind_expression(by_name["equation-29"], seen - window + constant * error, points=points)
    for name, statement in by_name.items():
        assert not statement.strict
        more = {"feature > 0": attrs.evolve(PLAIN, feature=0)} if name == "equation-28" else {}
        insides = [PLAIN, steep(6, 1), attrs.evolve(PLAIN, eta=SMALL), attrs.evolve(PLAIN, eta=LARGE, error=0)]
        insides += [attrs.evolve(PLAIN, corner=5, side=2, end=5), attrs.evolve(PLAIN, corner=1, end=1)]
        insides.append(TwoMoments(SMALL, 0, SMALL, SMALL, 0, SMALL, HALF, 0, 1))
        for inside in insides:
            bind_hypotheses(statement, inside, OUTSIDE | more)
        conditions = {condition.says: condition for condition in statement.given}
        for says, changes in DEFINITE.items():
            for change in changes:
                assert conditions[says].at(attrs.evolve(PLAIN, **change)) is Truth.FALSE, (says, change)


TIGHT = RegressionEnds(1, 5, 8, 3, HALF)
"""1/(1 - 1/2) + 3 = 5 and 8 - 3 = 5."""


@theorem_8.supports("combination", grade="symbolic", region="all costs, every eta < 1: the sum of (28) and (29)")
def test_28_and_29_combine(statement) -> None:
    least, seen, chosen, extra, eta = sympy.symbols("least seen chosen extra eta")
    slack = least / (1 - eta) + 2 * extra - chosen
    assert sympy.simplify(slack - ((least / (1 - eta) + extra - seen) + (seen - chosen + extra))) == 0
    bind_expression(statement, slack, points=[TIGHT])
    assert statement.at(TIGHT) is Truth.TRUE
    assert statement.margin(TIGHT) == 0
    assert not statement.strict
    outside = {
        "eta < 1": attrs.evolve(TIGHT, eta=Fraction(101, 100)),
        "(28)": attrs.evolve(TIGHT, seen=Fraction(51, 10)),
        "(29)": attrs.evolve(TIGHT, seen=LARGE),
    }
    for inside in (TIGHT, attrs.evolve(TIGHT, eta=LARGE), attrs.evolve(TIGHT, chosen=1, eta=HALF)):
        bind_hypotheses(statement, inside, outside)


@theorem_8.controls("combination", grade="symbolic", region="either premise dropped; one additive term for two")
def test_the_combination_needs_both(statement) -> None:
    assert statement.without("(28)").at(attrs.evolve(TIGHT, seen=6, chosen=9)) is Truth.FALSE
    assert statement.without("(29)").at(attrs.evolve(TIGHT, chosen=9)) is Truth.FALSE
    once = statement.nudged(margin=lambda p: statement.formula(p) - rational(p.extra))
    assert once.at(TIGHT) is Truth.FALSE
