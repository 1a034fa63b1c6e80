"""Theorem 8 of `sliding-window`: (28) for one feature and one response, (29), and their combination."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.loewner import between, precedes
from dpmatrix.spec.sliding_window.regression_costs import NoisyOutput, RegressionEnds, TwoMoments, regression_cost
from dpmatrix.tracing import bind_expression

theorem_8 = cite("sliding-window.theorem-8@2cc1e781")

HALF, SMALL, LARGE = Fraction(1, 2), Fraction(1, 50), Fraction(49, 50)


def steep(size, constant, eta=HALF) -> TwoMoments:
    """Give M^2 rows (1/M, 1/2), and C = K + I."""
    return TwoMoments(1, size / 2, size**2 / 4, 2, size / 2, size**2 / 4 + 1, eta, 1, constant)


PLAIN = TwoMoments(2, 1, 2, 2, 1, 2, HALF, 1, 3)
OUTSIDE = {
    "K is positive semidefinite": attrs.evolve(PLAIN, mixed=Fraction(41, 20)),
    "C is positive semidefinite": attrs.evolve(PLAIN, side=Fraction(41, 20)),
    "corner > 0": attrs.evolve(PLAIN, corner=0),
    "eta > 0": attrs.evolve(PLAIN, eta=0),
    "eta < 1": attrs.evolve(PLAIN, eta=1),
    "error >= 0": attrs.evolve(PLAIN, error=-SMALL),
    "(41), left: K - E I <= C": attrs.evolve(PLAIN, corner=LARGE),
    "(41), right: C <= K/(1 - eta) + E I": attrs.evolve(PLAIN, corner=Fraction(51, 10), end=Fraction(51, 10)),
    "feature > 0": attrs.evolve(PLAIN, feature=0),
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


@theorem_8.refutes(
    "equation-28", grade="derived", region="every c, every eta: M^2 rows (1/M, 1/2), M = 4 + 4c, C = K + I"
)
def test_steep_solutions_cost_more(statement) -> None:
    """The least cost is 0, and X~ costs 1 + M^2/8 on the output, which is more than c for M = 4 + 4c.

    (41) holds with the error 1, as C - K + I = 2I and K/(1 - eta) + I - C = eta K/(1 - eta). The noise is a multiple of
    its mean, and t_1 is where the window starts. With E M^2 rows and C = K + E I everything is E times as large.
    """
    m, eta = sympy.symbols("m eta", positive=True)
    assert sympy.simplify(m**2 / 4 + 1 - (m / 2) ** 2 / 2 - (1 + m**2 / 8)) == 0
    assert sympy.expand(16 * (1 + m) ** 2 - 8 * m) == 16 * m**2 + 24 * m + 16, "so M^2/8 > c"
    for share in (HALF, SMALL, LARGE):
        statement.refute(lambda constant, share=share: steep(4 + 4 * rational(constant), constant, share))
        for size in (10, 100):
            edge = rational(1 + Fraction(size**2, 8))
            assert statement.at(steep(size, edge - 1, share)) is Truth.FALSE
            assert statement.at(steep(size, edge, share)) is Truth.TRUE
    names = "feature mixed response corner side end error constant"
    k11, k12, k22, c11, c12, c22, error, constant = sympy.symbols(names)
    least = k22 - k12**2 / k11
    points = [PLAIN, steep(6, 1), steep(60, 3)]
    bind_expression(statement, least / (1 - eta) + constant * error - (c22 - c12**2 / c11), points=points)
    assert not statement.strict
    insides = [PLAIN, steep(6, 1), attrs.evolve(PLAIN, eta=SMALL), attrs.evolve(PLAIN, eta=LARGE, error=0)]
    insides += [attrs.evolve(PLAIN, corner=5, side=2, end=5), attrs.evolve(PLAIN, corner=1, end=1)]
    insides.append(TwoMoments(SMALL, 0, SMALL, SMALL, 0, SMALL, HALF, 0, 1))
    for inside in insides:
        bind_hypotheses(statement, inside, OUTSIDE)
    conditions = {condition.says: condition for condition in statement.given}
    assert conditions["eta < 1"].at(attrs.evolve(PLAIN, eta=1)) is Truth.FALSE
    for says, changes in DEFINITE.items():
        for change in changes:
            assert conditions[says].at(attrs.evolve(PLAIN, **change)) is Truth.FALSE, (says, change)


def moments(features: int, responses: int, rows: int, older: int, seed: int) -> NoisyOutput:
    """Rows of the window and before it, and the noise of as many rows as columns, of small integers."""
    order = features + responses
    total = rows + older + order
    values = fmpq_mat(total, order, [(i * i * seed + i) % 7 - 3 for i in range(total * order)])
    solution = fmpq_mat(features, responses, [fmpq((i * seed) % 9 - 4, 2) for i in range(features * responses)])
    window, first = between(values, 1, rows), between(values, 1, rows + older)
    return NoisyOutput(window, first, between(values, rows + older + 1, total), solution)


HIDDEN = NoisyOutput(
    fmpq_mat([[0, 0], [0, 4]]), fmpq_mat([[0, 0], [0, 4]]), fmpq_mat([[fmpq(1, 4), 1], [1, 0]]), fmpq_mat([[4]])
)
"""K = diag(0, 4) and C = (1/4, 1; 1, 4): (41) holds for eta = 1/2 and E = 1, and X~ = 4 costs 0 on the output."""
OLD = moments(2, 1, 3, 2, 2)
SEMIDEFINITE = "R is positive semidefinite"
FIRST = "(35), right: K <= K(1)"
SYMMETRIC = "K, K(1) and R are symmetric, of order d + p"


@theorem_8.supports("equation-29", grade="derived", region="every d, p, X: Tr(Y'(K(1) - K + R)Y) >= 0 for Y = (X; -1)")
def test_the_output_costs_no_less(statement) -> None:
    """C'C - K = (K(1) - K) + R is a sum of two positive semidefinite matrices, and so is Y'(C'C - K)Y, Y = (X; -1).

    R is a Wishart matrix, and K(1) >= K as t_1 is not after the start of the window.
    """
    points = [
        moments(features, responses, rows, older, seed)
        for features, responses in ((1, 1), (2, 1), (1, 3))
        for rows, older in ((1, 0), (4, 2))
        for seed in (1, 2, 3, 5)
    ]
    values = []
    for p in points:
        rest = p.first - p.window + p.noise
        d, extra = p.solution.nrows(), p.solution.ncols()
        total = fmpq(0)
        for place in range(extra):
            column = [*(p.solution[i, place] for i in range(d)), *(-int(i == place) for i in range(extra))]
            total += sum(column[i] * rest[i, j] * column[j] for i in range(d + extra) for j in range(d + extra))
        values.append((p, total))
        assert statement.at(p) is Truth.TRUE
    bind(statement, values)
    assert regression_cost(fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[3]])) == 10, "|X|^2 + p"
    exact = attrs.evolve(OLD, first=OLD.window, noise=OLD.noise * 0)
    assert statement.at(exact) is Truth.TRUE
    assert statement.margin(exact) == 0
    assert not statement.strict
    outside = {
        SYMMETRIC: attrs.evolve(OLD, solution=fmpq_mat([[1]])),
        FIRST: attrs.evolve(OLD, window=OLD.first * fmpq(51, 50)),
        SEMIDEFINITE: attrs.evolve(OLD, noise=-OLD.noise),
    }
    for inside in (OLD, exact, attrs.evolve(OLD, window=OLD.window * 0)):
        bind_hypotheses(statement, inside, outside)


@theorem_8.controls(
    "equation-29", grade="symbolic", region="C = (1/4, 1; 1, 4); K beyond K(1); an R that is not symmetric"
)
def test_the_bounds_of_41_do_not_give_29(statement) -> None:
    """X~ = C_12/C_11 = 4 costs 4 on the window. (41): C - K + I and 2K + I - C are positive semidefinite."""
    both = HIDDEN.first + HIDDEN.noise
    one = fmpq_mat([[1, 0], [0, 1]])
    assert both[0, 1] / both[0, 0] == HIDDEN.solution[0, 0]
    assert precedes(HIDDEN.window - one, both)
    assert precedes(both, 2 * HIDDEN.window + one)
    loose = statement.without(SEMIDEFINITE)
    assert loose.at(HIDDEN) is Truth.FALSE
    assert loose.margin(HIDDEN) == -4
    assert statement.without(FIRST).at(attrs.evolve(OLD, window=OLD.first * 100)) is Truth.FALSE
    sheared = attrs.evolve(HIDDEN, noise=fmpq_mat([[1, -10], [0, 1]]), solution=fmpq_mat([[-1]]))
    assert statement.without(SYMMETRIC).at(sheared) is Truth.FALSE


TIGHT = RegressionEnds(1, 5, 8, 3, HALF)
"""1/(1 - 1/2) + 3 = 5 and 8 - 3 = 5."""


@theorem_8.supports("combination", grade="symbolic", region="all costs, every eta < 1: the sum of (28) and (29)")
def test_28_and_29_combine(statement) -> None:
    least, seen, chosen, extra, eta = sympy.symbols("least seen chosen extra eta")
    slack = least / (1 - eta) + 2 * extra - chosen
    assert sympy.simplify(slack - ((least / (1 - eta) + extra - seen) + (seen - chosen + extra))) == 0
    bind_expression(statement, slack, points=[TIGHT])
    premises = {"(28)": least / (1 - eta) + extra - seen, "(29)": seen - chosen + extra}
    for condition in statement.given[1:]:
        premise = Statement(condition.says, condition.margin, statement.given[:1])
        bind_expression(premise, premises[condition.says], points=[TIGHT])
    assert statement.at(TIGHT) is Truth.TRUE
    assert statement.margin(TIGHT) == 0
    assert not statement.strict
    outside = {
        "eta < 1": attrs.evolve(TIGHT, eta=1),
        "(28)": attrs.evolve(TIGHT, seen=Fraction(51, 10)),
        "(29)": attrs.evolve(TIGHT, seen=LARGE),
    }
    for inside in (TIGHT, attrs.evolve(TIGHT, eta=LARGE), attrs.evolve(TIGHT, chosen=1, eta=HALF)):
        bind_hypotheses(statement, inside, outside)
    conditions = {condition.says: condition for condition in statement.given}
    assert conditions["eta < 1"].at(attrs.evolve(TIGHT, eta=1)) is Truth.FALSE


@theorem_8.controls("combination", grade="symbolic", region="either premise dropped; one additive term for two")
def test_the_combination_needs_both(statement) -> None:
    assert statement.without("(28)").at(attrs.evolve(TIGHT, seen=6, chosen=9)) is Truth.FALSE
    assert statement.without("(29)").at(attrs.evolve(TIGHT, chosen=9)) is Truth.FALSE
    once = statement.nudged(margin=lambda p: statement.formula(p) - rational(p.extra))
    assert once.at(TIGHT) is Truth.FALSE
