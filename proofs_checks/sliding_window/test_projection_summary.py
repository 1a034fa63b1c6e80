"""Lemma 5 of `sliding-window`: an exact chi-square against the printed bound, and the error of a summary by blocks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, symbolic
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window import projection_costs
from dpmatrix.spec.sliding_window.projection_costs import Summary
from dpmatrix.spec.sliding_window.summary_parameters import SummaryParameters, chi_square_below
from dpmatrix.tracing import bind_expression
from proofs_checks.exact_matrices import line
from proofs_checks.sliding_window.one_row_outputs import whole_above

lemma_5 = cite("sliding-window.lemma-5@15c43418")

MILLIONTH = Fraction(1, 10**6)
TENTH = Fraction(1, 10)
LEMMA = "sliding-window.lemma-5"
EMPTY = SummaryParameters(5, 100, TENTH, 74, TENTH, 1, MILLIONTH, 20)
LONG = SummaryParameters(1, 2, Fraction(2, 5), 384, Fraction(1, 200), 1, MILLIONTH, 1, 10**5)
SHORTER = SummaryParameters(1, 2, Fraction(2, 5), 135, Fraction(1, 70), 1, MILLIONTH, 1, 10**5)
PARAMETERS = {
    "k >= 1, an integer": attrs.evolve(EMPTY, k=0),
    "k < d": attrs.evolve(EMPTY, dimension=5),
    "beta > 0": attrs.evolve(EMPTY, beta=0),
    "beta < 1": attrs.evolve(EMPTY, beta=1),
    "r = k'/eta, rounded up": attrs.evolve(EMPTY, rank=75),
    "eta > 0": attrs.evolve(EMPTY, eta=0),
    "4r/eta is an integer": attrs.evolve(EMPTY, eta=Fraction(3, 31)),
    "epsilon > 0": attrs.evolve(EMPTY, epsilon=0),
    "delta > 0": attrs.evolve(EMPTY, delta=0),
    "delta < 1": attrs.evolve(EMPTY, delta=1),
}
CONSTANT = {"constant > 0": attrs.evolve(EMPTY, constant=0)}
ROW = {"row >= 0": attrs.evolve(EMPTY, row=-1)}


def excludes_zero(statement, name: str) -> bool:
    """Whether the hypothesis on a field, asked alone, excludes 0: others cannot be asked there."""
    (condition,) = (condition for condition in statement.given if condition.says == f"{name} > 0")
    return condition.at(attrs.evolve(EMPTY, **{name: 0})) is Truth.FALSE


def sigma(p: SummaryParameters):
    log = mpmath.log(4 / real(p.delta))
    return (16 * mpmath.sqrt(p.rank * log) + log) / real(p.epsilon)


def printed_term(p: SummaryParameters):
    more = p.k + mpmath.log(1 / real(p.beta))
    return mpmath.sqrt(more * p.dimension * mpmath.log(1 / real(p.delta))) / real(p.epsilon)


def parameters():
    for k, wider, beta, (rank, eta), epsilon, constant in product(
        (1, 2),
        (1, 3),
        (Fraction(1, 2), TENTH),
        ((1, Fraction(1, 8)), (2, TENTH)),
        (1, Fraction(1, 3)),
        (1, 12),
    ):
        yield SummaryParameters(k, k + wider, beta, rank, eta, epsilon, Fraction(1, 50), constant, 3)


def small_eta(constant) -> SummaryParameters:
    """Give eta = 1/(10 c^2), c rounded up, with the rank that belongs to it."""
    number = 10 * whole_above(constant) ** 2
    with mpmath.workdps(400):
        rank = int(mpmath.ceil((5 + mpmath.log(10)) * number))
    return attrs.evolve(EMPTY, constant=constant, eta=Fraction(1, number), rank=rank)


def kept_probability(p: SummaryParameters):
    size = 4 * real(p.rank) / real(p.eta)
    bound = real(p.constant) * printed_term(p) / ((1 - 6 * real(p.eta)) * sigma(p))
    return mpmath.gammainc(size * (p.dimension - p.k) / 2, 0, size * bound**2 / 2, regularized=True)


def check_large_chi_squares() -> None:
    """From 10^5 degrees on the probability is enclosed by Chernoff's bound, below them it is computed."""
    with mpmath.workdps(40):
        for degrees, share in product((99_000, 100_000, 101_000, 10**6), (fmpq(199, 200), fmpq(1), fmpq(201, 200))):
            value = arb(degrees * share)
            found = chi_square_below(arb(degrees), value)
            n, y = mpmath.mpf(degrees), real(degrees * share)
            exact = mpmath.gammainc(n / 2, 0, y / 2, regularized=True)
            tail = mpmath.exp(-(y - n - n * mpmath.log(y / n)) / 2)
            ends = (exact, exact) if degrees < 10**5 else (0, tail) if share < 1 else (1 - tail, 1)
            for end, wanted in zip((found.lower(), found.upper()), ends, strict=True):
                assert abs(float(end) - float(wanted)) < 1e-8
            assert ends[0] <= exact <= ends[1]


@lemma_5.refutes(
    grade="derived",
    region="d = 100, k = 5, beta = 1/10, eps = 1, delta = 10^-6: every c by eta = 1/(10 c^2)",
)
def test_an_empty_window_costs_more_than_the_printed_term(statement) -> None:
    """Here m |Phi(1-P)|_F^2 is chi-square with n = 95 m degrees, and the bound is m t^2, m = 4r/eta.

    As r >= k'/eta, sigma >= 16 sqrt(k' log(4/delta)/eta)/eps, so t^2 <= c^2 d eta/(256 (1 - 6 eta)^2), as log(1/delta)
    is below log(4/delta). At eta = 1/(10 c^2) <= 1/10 that is at most 100/(2560 (2/5)^2) < 1/4, where the mean of
    |Phi(1-P)|_F^2 is 95. For c < 1 the bound only falls. A chi-square below a 380th of its mean n, n > 100, has
    probability at most exp(-(x - 1 - log x) n/2) < 10^-80 at x = 1/380.
    """
    assert EMPTY.dimension - EMPTY.k == 95
    statement.refute(small_eta)
    assert statement.at(EMPTY) is Truth.FALSE
    assert -statement.margin(EMPTY) > fmpq(9, 10) - fmpq(1, 10**6)
    assert statement.at(attrs.evolve(EMPTY, constant=1)) is Truth.FALSE
    assert statement.at(attrs.evolve(EMPTY, constant=22)) is Truth.TRUE
    bind_formula(statement, parameters(), lambda p: kept_probability(p) - (1 - real(p.beta)))
    check_large_chi_squares()
    assert not statement.strict
    bind_hypotheses(statement, EMPTY, PARAMETERS | CONSTANT | {"eta < 1/6": attrs.evolve(EMPTY, eta=Fraction(17, 100))})
    assert excludes_zero(statement, "eta")
    later = attrs.evolve(EMPTY, beta=Fraction(9117, 10**5))  # k'/eta is 73.95
    assert statement.applies(later) is Truth.TRUE
    assert statement.applies(attrs.evolve(later, rank=75)) is Truth.FALSE
    assert statement.applies(attrs.evolve(EMPTY, rank=73)) is Truth.FALSE
    assert statement.applies(attrs.evolve(EMPTY, eta=Fraction(4, 25), rank=46)) is Truth.TRUE
    smallest = SummaryParameters(1, 2, Fraction(1, 2), 17, TENTH, 1, MILLIONTH)
    assert statement.applies(smallest) is Truth.TRUE
    even = SummaryParameters(1, 3, Fraction(7, 20), 13, Fraction(13, 80), 1, Fraction(1, 100))
    with mpmath.workdps(40):
        chance = kept_probability(attrs.evolve(even, constant=1))
    assert abs(statement.margin(even) + arb(13) / 20 - arb(str(chance))) < arb(10) ** -9, "c = 1 keeps it at times"
    assert 0.7 < chance < 0.9


K, D, BETA, RANK, EPSILON, DELTA, ROW_NORM = sympy.symbols("k dimension beta rank epsilon delta row")
LOG = sympy.log(4 / DELTA)
STACKED = sympy.sqrt(ROW_NORM**2 + ((16 * sympy.sqrt(RANK * LOG) + LOG) / EPSILON) ** 2 * (D - K))
TERM = sympy.sqrt((K - sympy.log(BETA)) * D * sympy.log(1 / DELTA)) / EPSILON


@lemma_5.refutes(
    "privacy",
    grade="interval",
    region="k = 1, beta = 2/5, (eta, r) = (1/200, 384), (1/70, 135), eps = 1, delta = 10^-6, M = 10^5",
)
@lemma_5.refutes(
    "equation-16-right",
    grade="interval",
    region="the empty window: d = 100, k = 5, beta = 1/10, eta = 1/10, r = 74, eps = 1, delta = 10^-6",
)
def test_the_floor_is_neither_private_nor_small(statements) -> None:
    private, upper = statements[f"{LEMMA}/privacy"], statements[f"{LEMMA}/equation-16-right"]
    assert private.at(LONG) is Truth.FALSE
    assert -private.margin(LONG) > fmpq(3, 1000)
    assert private.at(SHORTER) is Truth.FALSE
    assert -private.margin(SHORTER) > 6 * fmpq(1, 10**6)
    lemma_5.tells("(exact delta above {above} for {} at", ball(LONG.delta) - private.margin(LONG), LONG.delta)
    lemma_5.tells("exact delta is above {above} delta at eta", 1 - private.margin(SHORTER) / ball(SHORTER.delta))
    lemma_5.tells("and exceeds {above} at eta", ball(LONG.delta) - private.margin(LONG))
    assert private.at(EMPTY) is Truth.TRUE
    assert upper.at(EMPTY) is Truth.FALSE
    assert upper.conclusion(attrs.evolve(EMPTY, row=10**9)) is Truth.TRUE
    bind_expression(upper, ROW_NORM + TERM - STACKED, points=[EMPTY])
    with mpmath.workdps(40):
        empty = printed_term(EMPTY) - mpmath.sqrt(95) * sigma(EMPTY)
    assert abs(upper.margin(EMPTY) - arb(str(empty))) < arb(10) ** -9, "no row: K against sigma sqrt(d - k)"
    for statement in statements.values():
        assert not statement.strict
        bind_hypotheses(statement, EMPTY, PARAMETERS | ROW)


@lemma_5.supports("equation-16-left", grade="derived", region="every parameter")
def test_the_ridge_only_adds(statement) -> None:
    """|A^(1-P)|^2 = |A(1-P)|^2 + sigma^2 |1-P|^2, so the root is at least |A(1-P)|; and K is a root."""
    row, ridge = sympy.symbols("M s", nonnegative=True)
    assert sympy.expand((row**2 + ridge) - row**2) == ridge
    bind_expression(statement, STACKED - ROW_NORM + TERM, points=[EMPTY])
    assert statement.at(EMPTY) is Truth.TRUE
    assert statement.at(LONG) is Truth.TRUE
    assert not statement.strict
    below = {"r = k'/eta, rounded up": attrs.evolve(EMPTY, rank=-EMPTY.rank)}  # where sigma has no value
    bind_hypotheses(statement, EMPTY, PARAMETERS | ROW | below)


SYMMETRIC = "A_W'A_W and A~'A~ are symmetric, d x d"
KEPT = Summary(diagonal((9, 4)), diagonal((14, 9)), line(1, 2), 2, fmpq(1, 4))
EDGE = Summary(diagonal((0, 0)), diagonal((1, 1)), diagonal((1, 0)), 1, 0)


def summaries():
    for p, q, (a, b), ridge, number in product(
        (1, 6), (2, 5), ((1, 0), (1, 2), (3, -1)), (0, fmpq(1, 10), 3), (fmpq(1, 4), fmpq(9, 10))
    ):
        window, seen = fmpq_mat([[p, 1], [1, q + 1]]), fmpq_mat([[q, -1], [-1, p + 1]])
        yield Summary(window, seen, line(a, b), ridge, number), (p, q, a, b)


@lemma_5.supports_repair(
    grade="derived",
    region="every d, P of every rank and eta in [0, 1): traces and two polynomials in the docstring, both checked",
)
def test_costs_are_kept_on_the_event_of_lemma_2(statement) -> None:
    """Tr((I-P)X) = |B(I-P)|_F^2 >= 0 for X = B'B, so the Loewner bounds carry over to costs.

    With s^2 = sigma^2 (d-k): (1-eta/4)(x^2 + s^2) <= y^2 <= (1+eta/4)/(1-eta) (x^2 + s^2). So x^2 <= y^2/(1-eta/4) <=
    (1+eta/4)^2 y^2, and for eta <= 4/5 ((1-5 eta/4) y)^2 <= (1-eta)/(1+eta/4) y^2 <= x^2 + s^2 <= (x+s)^2; beyond 4/5
    the left side is not positive.
    """
    entries = sympy.Matrix(2, 3, sympy.symbols("b0:6"))
    u = sympy.Matrix(sympy.symbols("u0:3"))
    rest = sympy.eye(3) - u * u.T / (u.T * u)[0, 0]
    left, right = (rest * entries.T * entries).trace(), ((entries * rest).T * (entries * rest)).trace()
    assert sympy.simplify(left - right) == 0
    e = sympy.Symbol("e")
    above = (1 + e / 4) ** 2 * (1 - e / 4) - 1
    assert sympy.expand(above - e / 4 * (1 - e / 4 - e**2 / 16)) == 0
    below = (1 - e) - (1 - 5 * e / 4) ** 2 * (1 + e / 4)
    assert sympy.expand(below - e * (sympy.Rational(5, 4) - 15 * e / 16 - 25 * e**2 / 64)) == 0
    assert 1 - Fraction(1, 4) - Fraction(1, 16) > 0, "the first bracket decreases, and is positive at 1"
    assert Fraction(5, 4) - Fraction(15, 16) * Fraction(4, 5) - Fraction(25, 64) * Fraction(16, 25) > 0, "at 4/5"
    values = []
    for point, (p, q, a, b) in summaries():
        one, other = sympy.Matrix([[p, 1], [1, q + 1]]), sympy.Matrix([[q, -1], [-1, p + 1]])
        v = sympy.Matrix([a, b]) / sympy.sqrt(a**2 + b**2)
        data, seen = (sympy.sqrt(m.trace() - (v.T * m * v)[0, 0]) for m in (one, other))
        number = symbolic(point.eta)
        bounds = (
            data - (1 - sympy.Rational(5, 4) * number) * seen + symbolic(point.ridge),
            (1 + number / 4) * seen - data,
        )
        values.append((point, min(bound.evalf(50) for bound in bounds)))
    bind(statement, values)
    assert statement.at(KEPT) is Truth.TRUE
    wide = Summary(diagonal((9, 4, 1)), diagonal((10, 5, 2)), diagonal((1, 0, 0)), 1, fmpq(1, 9))
    bounds = (
        sympy.sqrt(5) - sympy.Rational(31, 36) * sympy.sqrt(7) + sympy.sqrt(2),
        sympy.sqrt(7) * sympy.Rational(37, 36) - sympy.sqrt(5),
    )
    bind(statement, [(wide, min(bound.evalf(50) for bound in bounds))], least=1)
    assert statement.at(wide) is Truth.TRUE
    assert not statement.strict
    skew = fmpq_mat([[fmpq(3, 8), -2], [2, fmpq(15, 8)]])
    twisted = Summary(diagonal((1, 1)), skew, diagonal((0, 1)), 0, fmpq(1, 2))
    assert statement.without(SYMMETRIC).at(twisted) is Truth.FALSE, "its eigenvalues are near, its form is not"
    bind_hypotheses(
        statement,
        EDGE,
        {
            SYMMETRIC: twisted,
            "P is an orthogonal projection": attrs.evolve(KEPT, projection=diagonal((2, 0))),
            "A_W'A_W is positive semidefinite": attrs.evolve(KEPT, window=diagonal((9, -1))),
            "eta >= 0": attrs.evolve(KEPT, eta=-1),
            "eta < 1": attrs.evolve(KEPT, eta=1),
            "ridge >= 0": attrs.evolve(KEPT, ridge=-2),
            "(11) and (14) of Lemma 2": attrs.evolve(KEPT, summary=diagonal((14, 7))),
        },
    )
    assert statement.applies(attrs.evolve(KEPT, projection=identity(3))) is Truth.FALSE
    assert statement.applies(attrs.evolve(KEPT, eta=fmpq(19, 20))) is Truth.TRUE
    assert statement.applies(Summary(diagonal((1, 1)), diagonal((1, 1)), diagonal((1, 0)), 0, 0)) is Truth.TRUE
    (below_one,) = (condition for condition in statement.given if condition.says == "eta < 1")
    assert below_one.at(attrs.evolve(KEPT, eta=1)) is Truth.FALSE
    quarter = fmpq(17, 16) / fmpq(3, 4)
    exactly = Summary(diagonal((4, 4)), diagonal((8 * quarter, 8 * fmpq(15, 16))), line(1, 2), 2, fmpq(1, 4))
    assert statement.at(exactly) is Truth.TRUE
    for more in (diagonal((8 * quarter + fmpq(1, 100), 8)), diagonal((8, 8 * fmpq(15, 16) - fmpq(1, 100)))):
        assert statement.applies(attrs.evolve(exactly, summary=more)) is Truth.FALSE


@lemma_5.controls("+repair", grade="symbolic", region="the additive term dropped")
def test_without_the_ridge_it_fails(statement) -> None:
    point = Summary(diagonal((0, 0)), diagonal((4, 4)), line(1, 1), 2, fmpq(1, 4))
    assert statement.at(point) is Truth.TRUE

    def without(p: Summary):
        return projection_costs.kept_costs_margin(attrs.evolve(p, ridge=0))

    assert statement.nudged(margin=without).at(point) is Truth.FALSE
