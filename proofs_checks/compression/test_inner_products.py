"""`compression`: Lemma B.1 against exact chi-square and product-normal tails."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import factorial

import attrs
import mpmath
import numpy as np
import sympy
from flint import acb, arb, fmpq
from scipy.optimize import bisect
from scipy.stats import chi2

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import inner_products
from dpmatrix.spec.compression.inner_products import Decimal, ProjectedPair
from dpmatrix.tracing import bind_expression
from proofs_checks.compression.compressed_tails import chi_square_tails, first_constant, second_constant
from proofs_checks.quadrature import integrated

lemma_b_1 = cite("compression.lemma-b-1@5b80dc42")

DIGITS = 70
FAR = 200
"""Beyond it a gamma variable of shape 3 has a density below 10^-80."""


@cache
def product_tails(m: int, tau: Fraction, r: Fraction) -> mpmath.mpf:
    """Integrate one gamma variable: Pr(|(1 + r) G - (1 - r) G' - m r| >= m tau), for even m."""
    half = m // 2

    def density(g: acb) -> acb:
        return g ** (half - 1) * (-g).exp() / factorial(half - 1)

    def above(a: Fraction, b: Fraction, point: Fraction) -> mpmath.mpf:
        def both(g: acb) -> acb:
            value = (rational(point) + rational(b) * g) / rational(a)
            return (-value).exp() * sum((value**k / factorial(k) for k in range(half)), acb(0)) * density(g)

        kink = max(rational(-point / b), fmpq(0))  # up to there G exceeds what it must, whatever it is
        return integrated(density, fmpq(0), kink) + integrated(both, kink, kink + FAR)

    return above(1 + r, 1 - r, m * (r + tau)) + above(1 - r, 1 + r, m * (tau - r))


def tail(p: ProjectedPair) -> mpmath.mpf:
    distance = Fraction(p.tau) / Fraction(p.norms)
    if abs(p.cosine) == 1:
        return chi_square_tails(p.rows, real(distance))
    return product_tails(p.rows, distance, Fraction(p.cosine))


PAIRS = [
    *(ProjectedPair(m, Fraction(k, 8), s) for m in (1, 2, 5, 40) for k in (1, 7, 8, 20) for s in (1, -1)),
    *(ProjectedPair(m, Fraction(2, 5), r) for m in (2, 4, 6) for r in (Fraction(0), Fraction(-3, 4), Fraction(1, 2))),
    *(ProjectedPair(2, Fraction(2, 5), Fraction(r, 100)) for r in (-41, -40, -39)),
    ProjectedPair(2, Fraction(1, 2), Fraction(-1, 2)),
    ProjectedPair(1, Fraction(19, 20), 1),
    ProjectedPair(4, Fraction(1, 2), 1, Fraction(1, 3)),
    ProjectedPair(4, Fraction(1, 2), Fraction(1, 4), Fraction(2, 3)),
]


def bind_pairs(statement, bound) -> None:
    bind_formula(statement, PAIRS, lambda p: bound(p) - tail(p))
    odd = ProjectedPair(3, Fraction(1, 2), Fraction(1, 2))
    margin, most = statement.margin(odd), arb(mpmath.nstr(bound(odd), 20))
    assert abs(margin.upper() - most) < arb(2) ** -20, "a probability between 0"
    assert abs(margin.lower() - most + 1) < arb(2) ** -20, "and 1"


def assert_hull(statement) -> None:
    """Let tau be anywhere in a ball, and the distance of one tail around 0: the ends are the tails at those of tau."""
    cosine, reach = Fraction(-2, 5), Fraction(1, 50)
    found = statement.source(ProjectedPair(2, arb(fmpq(2, 5), fmpq(1, 50)), cosine))
    for end, tau in ((found.lower(), -cosine + reach), (found.upper(), -cosine - reach)):
        assert abs(end - arb(mpmath.nstr(tail(ProjectedPair(2, tau, cosine)), 20))) < arb(2) ** -20


INSIDE = ProjectedPair(2, Fraction(1, 2), Fraction(1, 2), Fraction(1, 2))
OUTSIDE = {
    "rows >= 1, an integer": attrs.evolve(INSIDE, rows=0),
    "tau > 0": attrs.evolve(INSIDE, tau=0),
    "cosine >= -1": attrs.evolve(INSIDE, cosine=Fraction(-101, 100)),
    "cosine <= 1": attrs.evolve(INSIDE, cosine=Fraction(101, 100)),
    "norms > 0": attrs.evolve(INSIDE, norms=0),
    "norms <= 1": attrs.evolve(INSIDE, norms=Fraction(101, 100)),
}


def assert_domain(statement) -> None:
    for edge in (INSIDE, ProjectedPair(1, 9, -1, 1), ProjectedPair(1, Fraction(1, 99), 1, Fraction(1, 99))):
        bind_hypotheses(statement, edge, OUTSIDE)
    assert not statement.strict


@lemma_b_1.refutes(
    grade="interval",
    region="x = y: (m, tau) = (3500, 0.16), (10000, 0.05), (40000, 0.05), (10^6, 0.01), exact chi-square tails",
)
def test_lemma_b_1_fails_for_many_rows(statement, record_property) -> None:
    for rows, tau in (
        (3500, Fraction(4, 25)),
        (10**4, Fraction(1, 20)),
        (40000, Fraction(1, 20)),
        (10**6, Fraction(1, 100)),
    ):
        assert statement.at(ProjectedPair(rows, tau)) is Truth.FALSE
    record_property("detail", "m = 40000, tau = 1/20: probability 2.04e-12, printed bound 1.85e-15")
    point = ProjectedPair(40000, Fraction(1, 20))
    exponent = real(point.tau) ** 2 / (first_constant() + second_constant() * real(point.tau))
    probability, bound = tail(point), 2 * mpmath.exp(-point.rows * exponent)
    lemma_b_1.tells("tau = {} the probability is {} and the bound {};", point.tau, probability, bound)
    better = (4 - first_constant()) / (second_constant() - mpmath.mpf(8) / 3)
    lemma_b_1.tells("better than the printed bound from tau = {} on", better)
    assert statement.at(ProjectedPair(3000, Fraction(4, 25))) is Truth.TRUE
    assert statement.at(ProjectedPair(10**6, Fraction(3, 10))) is Truth.TRUE, "from tau = 0.2975 on it is true"
    assert statement.at(ProjectedPair(40000, Fraction(1, 20), 0)) is Truth.TRUE, "orthogonal vectors: variance 1/m"
    bind_pairs(
        statement,
        lambda p: 2 * mpmath.exp(-p.rows * real(p.tau) ** 2 / (first_constant() + second_constant() * real(p.tau))),
    )
    assert_domain(statement)


def test_where_lemma_b_1_first_fails() -> None:
    """Doubles, and deviations in steps of 7e-5: the first number of rows at which the tails exceed the bound."""
    tau = np.linspace(0.01, 0.3, 4000)
    assert abs(tau[1] - tau[0] - 7e-5) < 5e-6
    exponent = tau**2 / (float(first_constant()) + float(second_constant()) * tau)

    def excess(rows: float) -> float:
        tails = np.logaddexp(chi2.logsf(rows * (1 + tau), rows), chi2.logcdf(rows * (1 - tau), rows))
        return float((tails + rows * exponent).max() - np.log(2))

    lemma_b_1.tells("first failures come near m = {about}", bisect(excess, 1000, 10**4))


@lemma_b_1.supports_repair(
    grade="derived", region="every m, tau > 0, n, x, y: the docstring's derivation; bound to exact tails at 48 points"
)
def test_lemma_b_1_with_the_true_constants(statement) -> None:
    """Chernoff for W = sum u_i v_i - m r with (u, v) standard normal of correlation r, for unit vectors x, y.

    With a = (1+r)/2, b = (1-r)/2 and h(s) = -s - log(1-2s)/2 = sum_{k>=2} (2s)^k/(2k), the moment generating function
    of W per row is exp(h(as) + h(-bs)). For s in [0, 1/2): h(-bs) <= h(bs), because the odd terms of the series are
    positive (1); h is convex with h(0) = 0, so h(as) + h(bs) <= (a + b) h(s) = h(s) (2). The same holds for -W. So both
    tails are at most inf_s exp(m (h(s) - s tau)) = exp(-m (tau - log(1+tau))/2), at s = tau/(2 (1+tau)) (3). Last, f(t)
    = t - log(1+t) - t^2/(2 + 4t/3) has f(0) = 0 and f'(t) = (4/9) t^3 / ((1+t)(2+4t/3)^2) >= 0 (4). If |x||y| = q < 1,
    the distance tau/q is larger and the bound decreases in tau (5).
    """
    s, t, r = sympy.symbols("s t r", positive=True)
    h = -s - sympy.log(1 - 2 * s) / 2
    assert all(c > 0 for c in sympy.Poly(sympy.series(h, s, 0, 9).removeO(), s).coeffs()), "(1)"
    assert sympy.simplify(sympy.diff(h, s, 2) - 2 / (1 - 2 * s) ** 2) == 0, "(2)"
    best = t / (2 * (1 + t))
    assert sympy.simplify(sympy.diff(h, s).subs(s, best) - t) == 0, "(3)"
    rate = sympy.simplify((best * t - h.subs(s, best)) - (t - sympy.log(1 + t)) / 2)
    assert sympy.simplify(sympy.expand_log(rate, force=True)) == 0, "(3)"
    f = t - sympy.log(1 + t) - t**2 / (2 + 4 * t / 3)
    derivative = sympy.Rational(4, 9) * t**3 / ((1 + t) * (2 + 4 * t / 3) ** 2)
    assert sympy.simplify(sympy.diff(f, t) - derivative) == 0, "(4)"
    assert f.subs(t, 0) == 0, "(4)"
    growth = sympy.diff(t**2 / (4 + 8 * t / 3), t)
    assert sympy.simplify(growth - (8 * t + 8 * t**2 / 3) / (4 + 8 * t / 3) ** 2) == 0, "(5)"
    covariance = sympy.Matrix([[1, r], [r, 1]])
    assert set(covariance.eigenvals()) == {1 + r, 1 - r}, (
        "u + v and u - v are independent, of variance 2 (1 + r), 2 (1 - r)"
    )
    bind_pairs(statement, lambda p: 2 * mpmath.exp(-p.rows * real(p.tau) ** 2 / (4 + 8 * real(p.tau) / 3)))
    for p in PAIRS:
        assert statement.at(p) is Truth.TRUE
    assert statement.at(ProjectedPair(6, Fraction(3, 7), Fraction(3, 7))) is Truth.TRUE, "the lower end is 0"
    assert_hull(statement)
    for rows, tau in ((40000, Fraction(1, 20)), (10**6, Fraction(1, 100)), (200, Fraction(1)), (30, Fraction(9))):
        for cosine in (1, -1, Fraction(0), Fraction(99, 100)):
            if abs(cosine) == 1 or rows <= 200:
                assert statement.at(ProjectedPair(rows, tau, cosine)) is Truth.TRUE
    assert_domain(statement)


@lemma_b_1.controls("+repair", grade="interval", region="C_1 = 3.6 in place of 4, m = 16000")
def test_a_smaller_first_constant_fails(statement) -> None:
    """The variance is 2/m, so no C_1 below 4 will do: at m = 16000 the bound with 3.6 is below the probability."""
    p = ProjectedPair(16000, Fraction(1, 10))
    assert statement.at(p) is Truth.TRUE
    smaller = redefined(statement, inner_products, "SHARP_FIRST", rational(Fraction("3.6")))
    assert smaller.at(p) is Truth.FALSE
    assert statement.without("norms <= 1").at(ProjectedPair(100, Fraction(1), 1, 9)) is Truth.FALSE


@lemma_b_1.supports("first-constant", grade="interval", region="the printed decimal")
def test_first_printed_decimal(statement) -> None:
    inside, outside = Decimal(Fraction(25044, 10**4)), Decimal(Fraction(25045, 10**4))
    assert statement.at(inside) is Truth.TRUE
    assert statement.without("the decimal is 2.5044").at(outside) is Truth.FALSE
    bind_hypotheses(statement, inside, {"the decimal is 2.5044": outside})
    assert statement.applies(Decimal(Fraction(25043, 10**4))) is Truth.FALSE
    constant = 4 * sympy.E / sympy.sqrt(6 * sympy.pi)
    bind_expression(statement, sympy.Rational(1, 20000) - sympy.Abs(constant - sympy.Symbol("printed")))
    assert not statement.strict


@lemma_b_1.refutes("second-constant", grade="interval", region="the printed decimal")
def test_second_printed_decimal_is_not_the_printed_formula(statement) -> None:
    assert statement.at(Decimal(Fraction(76885, 10**4))) is Truth.FALSE
    assert statement.at(Decimal(Fraction(46633, 10**4))) is Truth.TRUE
    formula = sympy.sqrt(8 * sympy.E)
    bind_expression(statement, sympy.Rational(1, 20000) - sympy.Abs(formula - sympy.Symbol("printed")))
    lemma_b_1.tells("sqrt(8 e) = {}", formula)
    lemma_b_1.tells("e sqrt(8) = {}", second_constant())
    lemma_b_1.tells("the decimal {} = e sqrt(8)", second_constant())
    with mpmath.workdps(DIGITS):
        assert abs(second_constant() - mpmath.mpf("7.6885")) < mpmath.mpf("0.00005"), "e sqrt(8) was meant"
    assert statement.given == ()
    assert not statement.strict
