"""Theorems 5 and 6 of `sliding-window`: no private algorithm meets them, and what is wrong with the stated ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real, symbolic, symbolic_matrix
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.applications import DivisionPoint, QueryPoint, WindowOfRank
from dpmatrix.spec.sliding_window.distinguishing import NeighbouringQueries
from dpmatrix.spec.sliding_window.noisy_choice import NoisyChoice, best_cost_margin
from dpmatrix.tracing import bind_expression
from proofs_checks.exact_matrices import diagonal, line
from proofs_checks.sliding_window.guarantees import (
    CHANGES,
    DELTA,
    EPSILON,
    FAR_CONFUSION,
    guarantee,
)
from proofs_checks.sliding_window.misled_choices import DEAR, E_1, FREE, NO_PROJECTION, SEEN_ALIKE, SKEW_NOISE
from proofs_checks.sliding_window.one_row_outputs import whole_above

theorem_5 = cite("sliding-window.theorem-5@cffb2333")
theorem_16 = cite("sliding-window.theorem-16@9a4d524b")
theorem_6 = cite("sliding-window.theorem-6@0da31879")

QUERY_COUNT, DIMENSION, CONSTANT = sympy.symbols("queries dimension constant")

MILLIONTH = Fraction(1, 10**6)
QUERIES = QueryPoint(5, 100, 100, 1, MILLIONTH, 1)
LONG = NeighbouringQueries(100, 100, Fraction(1, 43), 1, MILLIONTH, 1, 42)


def along(size: int) -> NeighbouringQueries:
    """Take the rows M and M + 1 at eta = 1/(M + 1) = 1/size."""
    return attrs.evolve(LONG, row=size - 1, eta=Fraction(1, size))


HALF = Fraction(1, 2)


@theorem_5.refutes(
    grade="derived",
    region="eps = 1: q = d = 100, delta = 10^-6, neighbours: every c by eta = 1/(43 c); q = d = 2, eta = 1/4: c = "
    "4 g^2 by g changes of one row, delta = 10^-g, beta = 3^-g/4; a unit row; every algorithm",
)
def test_no_private_algorithm_answers_long_rows(statement) -> None:
    """(M+g)^2 - M^2/(1-eta) is g^2/eta at M = g (1-eta)/eta, and nowhere more; kappa = c log q log d/eps.

    No answer is right for both once g^2/eta > 2 kappa: 42.42 c < 43 c for q = d = 100, g = 1 and eta = 1/(43 c); and
    0.961 c < 4 g^2 for q = d = 2, c = 4 g^2, eta = 1/4, where e^g beta < 1/4 and delta e^g/(e - 1) < 1/6.
    """
    m, g, e = sympy.symbols("M g eta", positive=True)
    apart = (m + g) ** 2 - m**2 / (1 - e)
    assert sympy.simplify(g**2 / e - apart - e / (1 - e) * (m - g * (1 - e) / e) ** 2) == 0

    def family(constant, failure):
        size = 43 * whole_above(constant)
        return attrs.evolve(LONG, constant=constant, row=size - 1, eta=Fraction(1, size), failure=failure)

    for failure in (0, Fraction(1, 4)):
        statement.refute(lambda constant, failure=failure: family(constant, failure))

    plane = NeighbouringQueries(2, 2, Fraction(1, 4), 1, MILLIONTH, 4, 3)
    for g in (1, 2, 10, 100):
        far = attrs.evolve(plane, row=3 * g, changes=g, delta=Fraction(1, 10**g), failure=Fraction(1, 4 * 3**g))
        assert statement.at(attrs.evolve(far, constant=4 * g**2)) is Truth.FALSE
        assert statement.at(attrs.evolve(far, constant=5 * g**2)) is Truth.TRUE
    assert statement.at(plane) is Truth.FALSE
    kappa = ball(2).log() ** 2
    assert arb("42.41") < 2 * arb(100).log() ** 2 < arb("42.42")
    assert arb("0.96") < 2 * kappa < arb("0.961")
    theorem_5.tells("eps = 1 one change refutes every c up to {}, and", 2 / kappa)
    assert statement.at(attrs.evolve(plane, constant=5)) is Truth.TRUE
    assert statement.at(attrs.evolve(plane, constant=5, changes=2, row=6)) is Truth.FALSE
    assert statement.at(along(43)) is Truth.FALSE
    assert statement.at(along(42)) is Truth.TRUE
    assert statement.at(attrs.evolve(LONG, row=20)) is Truth.TRUE
    assert LONG.failure == 0, "the theorem's bounds always hold"
    assert statement.at(attrs.evolve(LONG, failure=Fraction(27, 100))) is Truth.TRUE, "1/(1 + e) = 0.2689"
    unit = attrs.evolve(plane, constant=1, row=0)
    assert statement.at(unit) is Truth.FALSE, "a row of norm 1, present or absent"
    assert statement.at(attrs.evolve(unit, constant=Fraction(21, 20))) is Truth.TRUE
    allowed = (CONSTANT * sympy.log(QUERY_COUNT) * sympy.log(DIMENSION) / EPSILON).subs({CONSTANT: 1, EPSILON: 1})
    theorem_5.tells("at q = d = 2, c = eps = 1 it is {}, so", allowed.subs({QUERY_COUNT: 2, DIMENSION: 2}))
    eta, row = sympy.symbols("eta row")
    extra = CONSTANT * sympy.log(QUERY_COUNT) * sympy.log(DIMENSION) / EPSILON
    bind_expression(statement, sympy.Max(row**2 / (1 - eta) + 2 * extra - (row + CHANGES) ** 2, FAR_CONFUSION))
    assert not statement.strict
    outside = guarantee(LONG) | {
        "queries >= 2, an integer": attrs.evolve(LONG, queries=1),
        "dimension >= 2, an integer": attrs.evolve(LONG, dimension=1),
        "eta > 0": attrs.evolve(LONG, eta=0),
        "eta < 1/2": attrs.evolve(LONG, eta=Fraction(1, 2)),
        "row >= 0": attrs.evolve(LONG, row=-1),
        "changes >= 1, an integer": attrs.evolve(LONG, changes=0),
        "failure >= 0": attrs.evolve(LONG, failure=-1),
        "failure <= 1": attrs.evolve(LONG, failure=2),
    }
    for inside in (LONG, unit, attrs.evolve(LONG, failure=1)):
        bind_hypotheses(statement, inside, outside)


@theorem_5.refutes("algorithm-2", grade="derived", region="q = d = 100, r = 5: every c by eps = 1/c")
def test_variance_queries_cost_sigma_squared(statement) -> None:
    """At eps = 1/c sigma^2 is 256 r log(4/delta) c^2 and more, and the bound log q log d c^2."""
    assert statement.at(QUERIES) is Truth.FALSE
    assert statement.at(attrs.evolve(QUERIES, constant=1000)) is Truth.FALSE
    statement.refute(lambda constant: attrs.evolve(QUERIES, constant=constant, epsilon=1 / rational(constant)))
    assert statement.at(attrs.evolve(QUERIES, constant=10**4)) is Truth.TRUE
    log = sympy.log(4 / DELTA)
    sigma = (16 * sympy.sqrt(sympy.Symbol("rank") * log) + log) / EPSILON
    bound = CONSTANT * sympy.log(QUERY_COUNT) * sympy.log(DIMENSION) / EPSILON
    bind_expression(statement, bound - sigma**2)
    least = statement.margin(QUERIES), statement.margin(attrs.evolve(QUERIES, constant=2))
    theorem_5.tells("r = 5 it is exceeded {above} times", 1 - least[0] / (least[1] - least[0]))
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


SQUARE = WindowOfRank(fmpq_mat([[3, 0], [0, 3]]), 1, Fraction(1, 4), 1, MILLIONTH, Fraction(1, 10), 1)


@theorem_6.refutes(grade="derived", region="eta = 1/4, windows m I in the plane: every c by growing m; every output")
def test_the_factor_of_theorem_6_is_negative(statement) -> None:
    """(1 + 6 eta)/(1 - 6 eta) is -5 at eta = 1/4, so the bound is K - 5 OPT, below OPT, hence below every cost.

    For m I in the plane OPT = m for k = 1, and any m > K/6 does it, where K is the additive error, a multiple of c.
    """

    def family(constant):
        m = 100 * whole_above(constant)
        return attrs.evolve(SQUARE, constant=constant, window=fmpq_mat([[m, 0], [0, m]]))

    statement.refute(family)
    assert statement.conclusion(attrs.evolve(SQUARE, eta=Fraction(1, 8))) is Truth.TRUE
    values = []
    with mpmath.workdps(60):
        for a, b, eta, epsilon, failure in product(
            (1, 3), (2, 9), (Fraction(1, 8), Fraction(1, 4), Fraction(2, 5)), (1, Fraction(1, 3)), (Fraction(1, 7),)
        ):
            p = WindowOfRank(fmpq_mat([[a, 0], [0, b]]), 1, eta, epsilon, Fraction(1, 9), failure, Fraction(5, 2))
            extra = mpmath.mpf(5) / 2 * mpmath.log(9) / real(epsilon)
            extra *= mpmath.sqrt(2 * mpmath.log(2) * (1 + mpmath.log(7)))
            factor = (1 + 6 * real(eta)) / (1 - 6 * real(eta))
            values.append((p, (factor - 1) * min(a, b) + extra))
        bind(statement, values)
    assert not statement.strict
    outside = guarantee(SQUARE) | {
        "k >= 1, an integer": attrs.evolve(SQUARE, k=0),
        "k < d": attrs.evolve(SQUARE, k=2),
        "eta > 0": attrs.evolve(SQUARE, eta=0),
        "eta < 1/2": attrs.evolve(SQUARE, eta=Fraction(1, 2)),
        "6 eta is not 1": attrs.evolve(SQUARE, eta=Fraction(1, 6)),
        "failure > 0": attrs.evolve(SQUARE, failure=0),
        "failure < 1": attrs.evolve(SQUARE, failure=1),
    }
    bind_hypotheses(statement, SQUARE, outside)


@theorem_6.refutes("equation-19", grade="symbolic", region="eta = 1/4, x = 1, y = 0")
def test_division_by_a_negative_number(statement) -> None:
    quarter = Fraction(1, 4)
    assert statement.at(DivisionPoint(1, 0, quarter)) is Truth.FALSE
    assert statement.at(DivisionPoint(1, 1, Fraction(1, 8))) is Truth.TRUE
    assert statement.margin(DivisionPoint(1, 1, Fraction(1, 8))) == 3
    left, right, eta = sympy.symbols("left right eta")
    bind_expression(statement, right / (1 - 6 * eta) - left)
    start = DivisionPoint(0, 0, quarter)
    bind_hypotheses(
        statement,
        start,
        {
            "left >= 0": attrs.evolve(start, left=-1),
            "eta > 0": attrs.evolve(start, eta=0),
            "eta < 1/2": attrs.evolve(start, eta=Fraction(1, 2)),
            "(1 - 6 eta) x <= y": attrs.evolve(start, right=-1),
        },
    )
    eighth = Fraction(1, 8)  # 1 - 6 eta is 1/4
    assert statement.applies(DivisionPoint(1, quarter, eighth)) is Truth.TRUE
    assert statement.applies(DivisionPoint(1, Fraction(6, 25), eighth)) is Truth.FALSE
    assert not statement.strict


NEAR = NoisyChoice(diagonal((9, 4)), fmpq_mat([[9, 1], [1, 4]]), line(1, 0), line(1, 2), 1)
MISLED = {
    "A_W'A_W and C~ are symmetric, d x d": NoisyChoice(SEEN_ALIKE, SEEN_ALIKE + SKEW_NOISE, DEAR, FREE, 1),
    "both are orthogonal projections of rank k": NoisyChoice(diagonal((1, 2)), diagonal((2, 1)), NO_PROJECTION, E_1, 1),
}
EVERY_CHOICE = "every d, k, zeta and C~: a trace inequality in the docstring"
LESS = "zeta for 2 zeta; no noise bound; no choice"
BEST = "Tr((I - P) C~) <= Tr((I - X) C~)"
EVENT = "|C~ - A_W'A_W| <= zeta"


def leaning(bound) -> NoisyChoice:
    """C~ prefers the wrong axis by exactly the noise: e_2 costs 2 zeta more than e_1, and is as good for C~."""
    window, published = diagonal((1 + 2 * bound, 1)), diagonal((1 + bound, 1 + bound))
    return NoisyChoice(window, published, line(0, 1), line(1, 0), bound)


@theorem_6.supports_repair(grade="derived", region=EVERY_CHOICE)
@theorem_16.supports("on-the-event", grade="derived", region=EVERY_CHOICE)
def test_the_best_projection_for_a_near_matrix_is_cheap(statements) -> None:
    """With C~ = A'A + N, cost(P) - cost(X) = Tr((X-P)A'A) = Tr((X-P)C~) - Tr((X-P)N), and the first term is at most 0.

    P - X has trace 0. Its positive eigenvalues are at most k in number, as P has rank k, and at most d - k, as P - X is
    at most 1 - X; each is at most 1. So they add up to at most min(k, d-k), the negative ones to minus that, and
    |Tr((P-X)N)| <= 2 min(k, d-k) |N|. The event is that of theorem-4's repair; P is the projection of algorithm-4's.
    """
    window, published, chosen, other = (
        sympy.Matrix(3, 3, lambda i, j, name=name: sympy.Symbol(f"{name}{min(i, j)}{max(i, j)}")) for name in "gcpx"
    )
    costs = [((sympy.eye(3) - each) * window).trace() for each in (chosen, other)]
    parts = ((other - chosen) * published).trace() - ((other - chosen) * (published - window)).trace()
    assert sympy.expand(costs[0] - costs[1] - parts) == 0
    for statement in statements.values():
        check_best_choice(statement)


def check_best_choice(statement) -> None:
    values = []
    for (a, b, c), (x, y), zeta in product(
        ((9, 4, 0), (3, 5, 1), (2, 2, fmpq(1, 3))), ((1, 0), (1, 2), (2, -1), (1, 1)), (0, fmpq(1, 2))
    ):
        window_matrix = fmpq_mat([[a, c], [c, b]])
        p = NoisyChoice(window_matrix, window_matrix, line(x, y), line(0, 1), zeta)
        v = sympy.Matrix([x, y])
        m = symbolic_matrix(window_matrix)
        gain = (v.T * m * v)[0] / (x**2 + y**2) - m[1, 1]
        values.append((p, (gain + 2 * symbolic(zeta)).evalf(50)))
    bind(statement, values)
    assert statement.at(NEAR) is Truth.TRUE
    for bound in (0, fmpq(1, 3), 5):
        assert statement.at(leaning(bound)) is Truth.TRUE, "equality"
        assert statement.margin(leaning(bound)) == 0
    wide = NoisyChoice(diagonal((9, 4, 1)), diagonal((9, 4, 2)), diagonal((1, 1, 0)), diagonal((1, 0, 1)), 1)
    assert statement.at(wide) is Truth.TRUE
    assert not statement.strict
    outside = MISLED | {
        EVENT: attrs.evolve(NEAR, bound=fmpq(1, 2)),
        BEST: attrs.evolve(NEAR, chosen=line(0, 1), other=line(1, 0)),
    }
    bind_hypotheses(statement, NEAR, outside)
    for wrong in ({"published": fmpq_mat([[9, 1], [0, 4]])}, {"other": diagonal((1, 1))}):
        assert statement.applies(attrs.evolve(NEAR, **wrong)) is Truth.FALSE
    for says, p in MISLED.items():
        assert statement.without(says).at(p) is Truth.FALSE


@theorem_6.controls("+repair", grade="symbolic", region=LESS)
@theorem_16.controls("on-the-event", grade="symbolic", region=LESS)
def test_less_error_is_noticed(statements) -> None:
    for statement in statements.values():
        check_less_error(statement)


def check_less_error(statement) -> None:
    p = leaning(fmpq(1, 3))

    def half(point: NoisyChoice):
        return best_cost_margin(attrs.evolve(point, bound=rational(point.bound) / 2))

    assert statement.at(p) is Truth.TRUE
    assert statement.nudged(margin=half).at(p) is Truth.FALSE
    worse = NoisyChoice(diagonal((9, 1)), diagonal((9, 1)), line(0, 1), line(1, 0), 1)
    assert statement.without(BEST).at(worse) is Truth.FALSE
    assert statement.without(EVENT).at(attrs.evolve(worse, published=diagonal((1, 1)))) is Truth.FALSE
