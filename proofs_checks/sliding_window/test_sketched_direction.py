"""Section 5 of `sliding-window`: the rows that a Gaussian sketch needs for the leading direction."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import numpy as np
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.sketched_direction import LeadingSketch, held
from dpmatrix.tracing import bind_expression

conjecture_2 = cite("sliding-window.conjecture-2@9115fdde")

TENTH, SMALL, LARGE = Fraction(1, 10), Fraction(1, 50), Fraction(49, 50)
WIDE = LeadingSketch(40, 12, 20, TENTH, TENTH)


def quotient_law(p: LeadingSketch) -> mpmath.mpf:
    """Pr(X <= x), X = chi^2_{d-m}/chi^2_m, where (s^2 - 1) x/(s^2 + x) = eta (d - 1), by integration over chi^2_m."""
    energy, allowed = real(p.spike) ** 2, real(p.eta) * (p.dimension - 1)
    most = allowed * energy / (energy - 1 - allowed)
    shape, other = mpmath.mpf(p.rows) / 2, mpmath.mpf(p.dimension - p.rows) / 2

    def density(t):
        below = mpmath.gammainc(other, 0, most * t / 2, regularized=True)
        return below * (t / 2) ** (shape - 1) * mpmath.exp(-t / 2) / 2 / mpmath.gamma(shape)

    return mpmath.quad(density, [0, p.rows, 4 * p.rows + 20, mpmath.inf])


def held_by_hand(p: LeadingSketch) -> mpmath.mpf:
    """Pr(X <= x) by the law of X/(1 + X), a beta distribution; 1 where every direction is good enough."""
    energy, allowed = real(p.spike) ** 2, real(p.eta) * (p.dimension - 1)
    if p.rows >= p.dimension or energy - 1 <= allowed:
        return mpmath.mpf(1)
    most = allowed * energy / (energy - 1 - allowed)
    shape, other = mpmath.mpf(p.rows) / 2, mpmath.mpf(p.dimension - p.rows) / 2
    return mpmath.betainc(other, shape, 0, most / (1 + most), regularized=True)


EVEN = LeadingSketch(4, 2, 3, Fraction(4, 15), TENTH)
"""x = 1, and X has the law of 1/X: the probability is 1/2 exactly."""
POINTS = [LeadingSketch(d, m, s, eta, 1) for d, m, s, eta in product((6, 9), (1, 4), (5, 20), (TENTH, Fraction(2, 5)))]
EDGES = [
    LeadingSketch(5, 5, 3, TENTH, 1),
    *(LeadingSketch(9, 1, 2, eta, 1) for eta in (Fraction(37, 100), Fraction(3, 8), Fraction(19, 50))),
]
"""The rows span all; next to, at and beyond the eta for which every direction is good enough."""


@conjecture_2.supports(
    "sketch-dimension",
    grade="derived",
    region="every d, m, s and eta, k = 1: by the exact law of the least angle, and Markov's inequality",
)
def test_a_sketch_needs_rows_in_proportion(statement) -> None:
    """SA = (s g, G) with g of m and G of m x (d - 1) independent entries; v = A'S'y/s g'y has the tangent |G'y|/s|g'y|.

    Its least square over y is 1/(s^2 g'(GG')^-1 g), and |g|^2/(g'(GG')^-1 g) is a chi^2_{d-m}, whatever g is: X/s^2.
    The cost of v is s^2 + d - 1 - |Av|^2, that is d - 1 + (s^2 - 1) sin^2, so that it is at most (1 + eta)(d - 1) for
    X <= x = eta (d - 1) s^2/(s^2 - 1 - eta (d - 1)) <= 2 eta (d - 1), as s^2 >= 2d. By Markov that has probability
    x E[chi^2_m] E[1/chi^2_{d-m}] = x m/(d - m - 2) at most. Where it is 1/2: d - m - 2 <= 4 eta d m, and m >=
    (d - 2)/(4 eta d + 1) >= (d/2)/(5 eta d) = 1/(10 eta), as d >= 4 and eta d >= 1. For d - m <= 2 m >= d/2 >= 1/(2
    eta).
    """
    s, x, a = sympy.symbols("s x a", positive=True)
    assert sympy.simplify(s**2 * sympy.cos(x) ** 2 + sympy.sin(x) ** 2 - (s**2 - (s**2 - 1) * sympy.sin(x) ** 2)) == 0
    assert sympy.solve((s**2 - 1) * x / (s**2 + x) - a, x) == [a * s**2 / (s**2 - a - 1)]
    t, n = sympy.symbols("t n", positive=True)
    mean = sympy.gamma(n / 2 - 1) / (2 * sympy.gamma(n / 2))
    assert sympy.gammasimp(mean - 1 / (n - 2)) == 0, "E[1/chi^2_n]"
    assert sympy.simplify(sympy.gamma(t) / sympy.gamma(t + 1) - 1 / t).subs(t, 3) == 0
    rows, eta, constant = sympy.symbols("rows eta constant", positive=True)
    bind_expression(statement, rows - constant / eta, points=[WIDE])
    premise = Statement(statement.given[-1].says, statement.given[-1].margin, statement.given[:-1])
    with mpmath.workdps(60):
        bind(premise, [(p, held_by_hand(p) - mpmath.mpf(1) / 2) for p in (*POINTS, *EDGES, EVEN, WIDE)])
    inside = []
    for d, m, spike, eta in product(
        (4, 10, 40, 400), (1, 3, 9, 12), (30, 10**4), (SMALL, TENTH, Fraction(1, 3), LARGE)
    ):
        point = LeadingSketch(d, m, spike, eta, TENTH)
        if statement.applies(point) is Truth.TRUE:
            inside.append(point)
            assert statement.at(point) is Truth.TRUE
    assert len(inside) > 30
    assert WIDE not in inside
    narrow = LeadingSketch(4, 4, 3, SMALL, TENTH)
    level = LeadingSketch(100, 1, 1, Fraction(1, 20), TENTH)
    few = LeadingSketch(1000, 1, 50, SMALL, TENTH)
    outside = {
        "dimension >= 4, an integer": LeadingSketch(3, 3, 30, Fraction(1, 2), TENTH),
        "rows >= 1, an integer": attrs.evolve(WIDE, rows=0),
        "eta > 0": attrs.evolve(WIDE, eta=0),
        "eta < 1": attrs.evolve(WIDE, eta=1),
        "d >= 1/eta": narrow,
        "s^2 >= 2 d": level,
        "such a direction is held with probability 1/2": few,
    }
    for point in (WIDE, LeadingSketch(50, 50, 10, SMALL, TENTH), LeadingSketch(4, 2, 9, LARGE, TENTH), EVEN):
        bind_hypotheses(statement, point, outside)
    for says, point in list(outside.items())[4:]:
        others = [condition for condition in statement.given if condition.says != says]
        assert all(condition.at(point) is Truth.TRUE for condition in others)
        assert statement.conclusion(point) is Truth.FALSE
    assert statement.applies(attrs.evolve(WIDE, spike=Fraction(89, 10))) is Truth.FALSE, "79.2 for 80"
    assert statement.applies(LeadingSketch(4, 4, 3, Fraction(6, 25), TENTH)) is Truth.FALSE, "24/25 for 1"
    assert not statement.strict
    assert [one.exhibited for one in statement.exists] == [rational(TENTH)]


def test_the_law_of_the_least_angle() -> None:
    """By integration, and by drawing sketches; where every direction is good enough, or the rows span all."""
    with mpmath.workdps(20):
        for p in POINTS:
            assert abs(quotient_law(p) - mpmath.mpf(held(p).mid().str(18, radius=False))) < mpmath.mpf(10) ** -8
    draw = np.random.default_rng(7)
    for p in (POINTS[1], POINTS[5], POINTS[-1]):
        scales = np.array([float(p.spike)] + [1.0] * (p.dimension - 1))
        sketched = draw.standard_normal((4000, p.rows, p.dimension)) * scales
        frames = np.linalg.qr(np.swapaxes(sketched, 1, 2))[0]
        captured = np.linalg.svd(scales[:, None] * frames, compute_uv=False)[:, 0] ** 2
        costs = (scales**2).sum() - captured
        share = np.mean(costs <= (1 + float(p.eta)) * (p.dimension - 1))
        assert abs(share - float(held(p).mid())) < 0.04
    assert held(LeadingSketch(5, 5, 3, TENTH, 1)) == 1
    assert held(LeadingSketch(9, 1, Fraction(11, 10), Fraction(1, 3), 1)) == arb(1), "0.21 < 8/3"
    assert held(LeadingSketch(9, 1, 2, Fraction(3, 8), 1)) == arb(1), "3 is all that there is to lose"
    assert held(LeadingSketch(9, 1, 2, Fraction(37, 100), 1)) < 1
