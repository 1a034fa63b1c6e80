"""Theorem 8 of `sliding-window`: no private algorithm meets it, and what is wrong with the printed one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

import attrs
import sympy
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.distinguishing import NeighbouringRegressions, regression_extra
from dpmatrix.spec.sliding_window.regression_bound import RegressionPoint
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.guarantees import guarantee
from proofs_checks.sliding_window.one_row_outputs import whole_above

theorem_8 = cite("sliding-window.theorem-8@2cc1e781")

MILLIONTH = Fraction(1, 10**6)


def short_rows(q: int, constant=1, **changes) -> NeighbouringRegressions:
    """Take q^2 rows (1/(6q), 1/2)."""
    plain = NeighbouringRegressions(q**2, Fraction(1, 6 * q), Fraction(1, 4), 1, MILLIONTH, constant)
    return attrs.evolve(plain, **changes)


SHORT = short_rows(2000)
"""q^2 is 4 10^6, and 16 kappa is 3.97 10^6."""


@theorem_8.refutes(
    grade="derived",
    region="eps = 1, delta = 10^-6: every c by n = 4 10^6 s^2 rows, s = ceil(sqrt c); eta = 1/4 and 49/100; beta <= "
    "1/4; every algorithm",
)
def test_no_private_regression_fits_both_streams(statement) -> None:
    """Let n = q^2 > 16 kappa. n (aX - 1/2)^2 <= kappa means aX >= 1/2 - sqrt(kappa/n) > 1/4, so X > 6q/4.

    With the row (1/2, 0) X costs at least X^2/4 > 9n/16. X = 0 costs n/4, so that the bound is at most n/4/(1-eta) +
    kappa, below n/2 + n/16 for eta < 1/2. Every c: kappa = c K, 16 K < 4 10^6.
    """
    for eta, failure in product((Fraction(1, 4), Fraction(49, 100)), (0, Fraction(1, 4))):

        def family(constant, eta=eta, failure=failure):
            root = isqrt(whole_above(constant) - 1) + 1
            return short_rows(2000 * root, constant, eta=eta, failure=failure)

        statement.refute(family)
    kappa = regression_extra(SHORT)
    assert 16 * kappa < 4_000_000
    theorem_8.tells("that is so from n = {} rows on", 16 * kappa)
    assert statement.at(attrs.evolve(SHORT, constant=4)) is Truth.TRUE
    assert statement.at(short_rows(1000)) is Truth.TRUE, "a fourth of the rows"
    assert statement.at(attrs.evolve(SHORT, feature=Fraction(1, 2))) is Truth.TRUE
    assert statement.at(attrs.evolve(SHORT, eta=Fraction(499, 1000))) is Truth.FALSE
    assert SHORT.failure == 0, "the theorem's bound always holds"
    assert statement.at(attrs.evolve(SHORT, failure=Fraction(27, 100))) is Truth.TRUE
    x, n, a, eta = sympy.symbols("x rows feature eta", positive=True)
    half = sympy.Rational(1, 2)
    cost, moment = n * (a * x - half) ** 2 + x**2 / 4, n * a**2 + sympy.Rational(1, 4)
    best, least = n * a / 2 / moment, n / (16 * moment)
    assert sympy.simplify(cost - least - moment * (x - best) ** 2) == 0
    epsilon, delta, c, beta = sympy.symbols("epsilon delta constant failure")
    size = 2 + 14 * sympy.log(4 / delta) / epsilon**2
    extra = c * size**2 * sympy.log(size) / epsilon
    nearest = sympy.Max(best, (half - sympy.sqrt(extra / n)) / a)
    apart = sympy.exp(epsilon) * beta + delta - 1 + beta
    margin = least / (1 - eta) + extra - cost.subs(x, nearest)
    plain = {symbol: sympy.Symbol(symbol.name) for symbol in (n, a, eta)}
    points = [SHORT, attrs.evolve(SHORT, feature=Fraction(1, 2)), short_rows(1000)]
    bind_expression(statement, sympy.Max(margin.subs(plain), apart), points=points)
    assert not statement.strict
    outside = {says: p for says, p in guarantee(SHORT).items() if says != "constant > 0"} | {
        "rows >= 1, an integer": attrs.evolve(SHORT, rows=0),
        "feature > 0": attrs.evolve(SHORT, feature=0),
        "feature <= 1/2": attrs.evolve(SHORT, feature=1),
        "eta > 0": attrs.evolve(SHORT, eta=0),
        "eta < 1/2": attrs.evolve(SHORT, eta=Fraction(1, 2)),
        "failure >= 0": attrs.evolve(SHORT, failure=-1),
    }
    for inside in (SHORT, attrs.evolve(SHORT, feature=Fraction(1, 2)), attrs.evolve(SHORT, rows=1)):
        bind_hypotheses(statement, inside, outside)


def regression(window: int, constant: int = 1, degrees: int = 214) -> RegressionPoint:
    """W a^2 = tau up to rounding of a, b = 99/100, and the mean of the noise."""
    feature = Fraction(int((degrees / window) ** 0.5 * 10**12), 10**12)
    noise = fmpq_mat([[degrees, 0], [0, degrees]])
    return RegressionPoint(window, feature, Fraction(99, 100), noise, degrees, 1, constant)


@theorem_8.refutes("algorithm-8", grade="derived", region="d = p = 1, OPT = 0, tau = 214; every c, by growing W")
def test_regression_forgets_the_size_of_the_solution(statement) -> None:
    """With W a^2 = tau and R = tau I, X~ = (W a b)/(W a^2 + tau) = X^/2, and the error is W b^2/4.

    Every c: it exceeds c (tau + 1)^2 log(tau + 1) < 2.5 10^5 c once W is large; a rounded down by at most 10^-12 for W
    = 10^9, and by less than a/100 in the family, leaves more than 1/5 of it.
    """

    def grown(constant):
        size = int((10**7 * rational(constant)).ceil()) + 10**5
        feature = Fraction(isqrt(214 * 10**30 // size), 10**15)
        return attrs.evolve(regression(10**9), window=size, feature=feature, constant=constant)

    statement.refute(grown)
    w, b, t = sympy.symbols("W b tau", positive=True)
    a = sympy.sqrt(t / w)
    solution = w * a * b / (w * a**2 + t)
    assert sympy.simplify(solution - b / a / 2) == 0
    assert sympy.simplify(w * (a * solution - b) ** 2 - w * b**2 / 4) == 0
    for window, constant in ((10**9, 1), (10**12, 10**3), (10**15, 10**6)):
        assert statement.at(regression(window, constant)) is Truth.FALSE
    assert statement.at(regression(10**5)) is Truth.TRUE
    twice, once = (statement.margin(regression(10**9, constant)) for constant in (2, 1))
    assert twice - once < 250_000
    theorem_8.tells("W = 10^9 it is {} against {} c,", twice - 2 * once, twice - once)
    tilted = attrs.evolve(regression(10**9), noise=fmpq_mat([[200, 30], [30, 230]]))
    assert statement.at(tilted) is Truth.FALSE, "another noise"
    values = []
    for window, x, y, side, degrees, constant in product((10, 1000), (1, 3), (2, 5), (0, 1), (4, 9), (1, 2)):
        noise = fmpq_mat([[3, side], [side, 4]])
        point = RegressionPoint(window, Fraction(x, 9), Fraction(y, 9), noise, degrees, Fraction(1, 2), constant)
        one, other = sympy.Rational(x, 9), sympy.Rational(y, 9)
        best = (window * one * other + side) / (window * one**2 + 3)
        bound = 2 * constant * (degrees + 1) ** 2 * sympy.log(degrees + 1)
        values.append((point, (bound - window * (one * best - other) ** 2).evalf(50)))
    bind(statement, values)
    assert not statement.strict
    inside = values[0][0]
    bind_hypotheses(
        statement,
        inside,
        {
            "window >= 1, an integer": attrs.evolve(inside, window=0),
            "degrees >= 1, an integer": attrs.evolve(inside, degrees=0),
            "epsilon > 0": attrs.evolve(inside, epsilon=0),
            "a^2 + b^2 <= 1": attrs.evolve(inside, feature=1),
            "R is 2 x 2 and positive semidefinite": attrs.evolve(inside, noise=fmpq_mat([[1, 2], [2, 1]])),
            "R_11 > 0": attrs.evolve(inside, noise=fmpq_mat([[0, 0], [0, 1]])),
        },
    )
    assert statement.applies(attrs.evolve(inside, noise=fmpq_mat([[1, 0, 0], [0, 1, 0], [0, 0, 1]]))) is Truth.FALSE
    assert statement.applies(attrs.evolve(inside, noise=fmpq_mat([[4, 2], [2, 1]]))) is Truth.TRUE, "a singular R"
    edge = attrs.evolve(inside, feature=1, response=0, window=1, degrees=1)
    assert statement.applies(edge) is Truth.TRUE
