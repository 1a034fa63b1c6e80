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
from dpmatrix.spec.sliding_window.distinguishing import NeighbouringRegressions
from dpmatrix.spec.sliding_window.regression_bound import RegressionPoint
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.guarantees import guarantee

theorem_8 = cite("sliding-window.theorem-8@00f32d47")

MILLIONTH = Fraction(1, 10**6)
STEEP = NeighbouringRegressions(1, MILLIONTH, 1, 500)


@theorem_8.refutes(
    grade="derived",
    region="W = d = p = 1, eps = 1, delta = 10^-6: every c by M = 500 (1 + c); beta <= 1/4; every algorithm",
)
def test_no_private_regression_fits_both_rows(statement) -> None:
    """(X/2 - M)^2 <= K means X >= 2(M - sqrt K), and (-X/2 - M)^2 <= K means X <= -2(M - sqrt K).

    Every c: K = c K_1 with sqrt(K_1) < 500, so M = 500 (1 + c) > sqrt K, as 1 + c > sqrt c.
    """
    statement.refute(lambda constant: attrs.evolve(STEEP, constant=constant, response=500 * (1 + rational(constant))))
    x, m, k = sympy.symbols("x m k", positive=True)
    assert sympy.solveset((x / 2 - m) ** 2 - k**2, x) == {2 * m - 2 * k, 2 * m + 2 * k}
    for (constant, root), failure in product(((1, 1), (100, 10), (10**6, 1000)), (0, Fraction(1, 4))):
        assert statement.at(attrs.evolve(STEEP, constant=constant, response=500 * root, failure=failure)) is Truth.FALSE
    assert statement.at(attrs.evolve(STEEP, response=490)) is Truth.TRUE
    steep = [attrs.evolve(STEEP, response=response) for response in range(460, 540, 2)]
    first = min(p.response for p in steep if statement.conclusion(p) is Truth.FALSE)
    theorem_8.tells("c = 1 from M = {below} on", first)
    assert STEEP.failure == 0, "the theorem's bound always holds"
    assert statement.at(attrs.evolve(STEEP, failure=Fraction(27, 100))) is Truth.TRUE
    epsilon, delta, c, response, beta = sympy.symbols("epsilon delta constant response failure")
    size = 2 + 14 * sympy.log(4 / delta) / epsilon**2
    allowed = sympy.sqrt(c * size**2 * sympy.log(size) / epsilon)
    apart = sympy.exp(epsilon) * beta + delta - 1 + beta
    bind_expression(statement, sympy.Max(4 * (allowed - response), apart), points=[STEEP])
    assert not statement.strict
    outside = {says: p for says, p in guarantee(STEEP).items() if says != "constant > 0"} | {
        "response >= 0": attrs.evolve(STEEP, response=-1),
        "failure >= 0": attrs.evolve(STEEP, failure=-1),
    }
    for inside in (STEEP, attrs.evolve(STEEP, response=0)):
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
