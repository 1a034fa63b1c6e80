"""The Wishart law in `wishart` and `sliding-window`: its density, and the degrees of freedom that privacy needs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import symbolic
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec import cross_wishart
from dpmatrix.spec.cross_wishart import (
    DegreesPoint,
    WishartDensityPoint,
    accuracy_degrees,
    algorithm_7_degrees,
    first_log_density,
    second_log_density,
)
from dpmatrix.spec.sliding_window.quoted_mechanisms import wishart_degrees
from dpmatrix.tracing import bind_expression

wishart_density = cite("cross.wishart-density@e320aa85")
wishart_degrees_of_freedom = cite("cross.wishart-degrees-of-freedom@c8fced8d")


def triangle(order: int, diagonal: Fraction, below: Fraction) -> fmpq_mat:
    """T with a diagonal that grows, and one number below it."""
    entries = [
        rational(diagonal + i) if i == j else rational(below if i > j else 0)
        for i in range(order)
        for j in range(order)
    ]
    return fmpq_mat(order, order, entries)


POINT = WishartDensityPoint(triangle(2, Fraction(1), Fraction(1, 2)), 3, 1)
OUTSIDE = {
    "T is lower triangular with a positive diagonal": attrs.evolve(POINT, factor=fmpq_mat([[1, 1], [0, 1]])),
    "m > d - 1": attrs.evolve(POINT, degrees_of_freedom=1),
    "scale > 0": attrs.evolve(POINT, scale=0),
}
POINTS = [
    WishartDensityPoint(triangle(d, Fraction(t, 2), Fraction(t, 7)), d + Fraction(k, 2), Fraction(c, 3))
    for d, k, c, t in product((1, 2, 5), (0, 3), (1, 4), (1, 9))
]


@wishart_density.refutes(grade="interval", region="d = 2, m = 3, c = 1, tr W = 21/4")
def test_the_printed_densities_differ(statement) -> None:
    """Their logarithms differ by tr(W)/c - (md/2) log 2."""
    assert statement.at(POINT) is Truth.FALSE
    m, d, c, t = sympy.symbols("m d c t")
    formula = -sympy.Abs(t / c - m * d / 2 * sympy.log(2))
    bind(statement, ((p, formula.subs(_numbers(p, m, d, c, t)).evalf(50)) for p in POINTS))
    bind_hypotheses(statement, POINT, OUTSIDE)


def _numbers(p, m, d, c, t):
    return {
        m: sympy.Rational(p.degrees_of_freedom),
        d: p.factor.nrows(),
        c: sympy.Rational(p.scale),
        t: sum(symbolic(entry) ** 2 for entry in p.factor.entries()),
    }


@wishart_density.supports_repair(
    grade="derived", region="every d, m > d - 1, c, W, by the docstring; 24 points, d = 1, 2, 5"
)
def test_the_mended_density_is_the_law_of_bartletts_matrix(statement) -> None:
    """With t_ij the entries of T, tr W = sum t_ij^2 and |W| = prod t_ii^2, and the powers of t_ii agree:
    (m - i + 1) - 1 - (d - i + 1) = m - d - 1 (1). The powers of c, 2 and pi: sum over i of (m - i + 1)/2 + (i - 1)/2 is
    md/2 (2), and with the 2^d of the Jacobian 2^(md/2) pi^(d(d-1)/4) prod Gamma((m - i + 1)/2) is left below.
    """  # noqa: D205
    m, d, i = sympy.symbols("m d i")
    assert sympy.expand((m - i + 1) - 1 - (d - i + 1) - (m - d - 1)) == 0, "(1)"
    assert sympy.simplify(sympy.summation((m - i + 1) / 2 + (i - 1) / 2, (i, 1, d)) - m * d / 2) == 0, "(2)"
    bind(statement, ((p, 0) for p in POINTS))
    bind_hypotheses(statement, POINT, OUTSIDE)
    for factor in (fmpq_mat([[1, 0], [1, 0]]), fmpq_mat([[1, 0], [0, 1], [1, 1]]), fmpq_mat([[1, 0, 0], [0, 1, 0]])):
        assert statement.given[0].at(attrs.evolve(POINT, factor=factor)) is Truth.FALSE, "a zero, another shape"
    narrow = attrs.evolve(POINT, degrees_of_freedom=Fraction(21, 20))
    bind_hypotheses(statement, narrow, OUTSIDE)


@wishart_density.controls("+repair", grade="interval", region="only the sign mended; only the power of 2 mended")
def test_mending_one_slip_is_not_enough(statement) -> None:
    """exp(-tr/2) over 2^(md), and exp(+tr/2) over 2^(md/2)."""

    def sign_only(p: WishartDensityPoint) -> arb:
        return first_log_density(p) - ball(p.degrees_of_freedom) * p.factor.nrows() / 2 * arb(2).log()

    def power_only(p: WishartDensityPoint) -> arb:
        return second_log_density(p) + ball(p.degrees_of_freedom) * p.factor.nrows() / 2 * arb(2).log()

    assert statement.conclusion(POINTS[3]) is Truth.UNDECIDED, "an equation"
    m, d, c, t = sympy.symbols("m d c t")
    for density, formula in ((sign_only, -m * d / 2 * sympy.log(2)), (power_only, -t / c)):
        changed = redefined(statement, cross_wishart, "first_log_density", density)
        assert changed.at(POINT) is Truth.FALSE
        bind(changed, ((p, formula.subs(_numbers(p, m, d, c, t)).evalf(50)) for p in POINTS))


MILLIONTH = Fraction(1, 10**6)
HALF = Fraction(1, 2)


DEGREES = [
    DegreesPoint(d, e, delta) for d, e, delta in product((1, 4, 30), (HALF, 1, 5), (HALF, Fraction(1, 9), MILLIONTH))
]
DEGREES_OUTSIDE = {
    "dimension >= 1, an integer": DegreesPoint(0, 1, HALF),
    "epsilon > 0": DegreesPoint(1, 0, HALF),
    "delta > 0": DegreesPoint(1, 1, 0),
    "delta < 1": DegreesPoint(1, 1, 1),
}


e_, delta_ = sympy.symbols("epsilon delta", positive=True)


@wishart_degrees_of_freedom.refutes(grade="interval", region="d = 1, epsilon = 1, delta = 1/2")
def test_one_document_asks_for_three_degrees(statement) -> None:
    """The largest distance is to Algorithm 7: (28 log(4/delta) - 14 log(1/delta))/epsilon^2."""
    assert statement.at(DEGREES[0]) is Truth.FALSE
    bind_expression(statement, -(28 * sympy.log(4 / delta_) - 14 * sympy.log(1 / delta_)) / e_**2)
    for inside in (DegreesPoint(1, Fraction(1, 50), Fraction(99, 100)), DegreesPoint(9, 30, MILLIONTH)):
        bind_hypotheses(statement, inside, DEGREES_OUTSIDE)


@wishart_degrees_of_freedom.supports_repair(
    grade="symbolic", region="every d, epsilon, delta: the difference is 14 log(4/delta)/epsilon^2"
)
def test_theorem_11_asks_for_most(statement) -> None:
    difference, odds = 14 * sympy.log(4 / delta_) / e_**2, sympy.Symbol("odds", positive=True)
    bind_expression(statement, difference)
    assert difference.subs(delta_, 1 / (1 + odds)).is_positive, "every delta in (0, 1)"
    assert all(statement.at(p) is Truth.TRUE for p in DEGREES)
    for inside in (DegreesPoint(1, Fraction(1, 50), Fraction(99, 100)), DegreesPoint(9, 30, MILLIONTH)):
        bind_hypotheses(statement, inside, DEGREES_OUTSIDE)
    assert not statement.strict


@wishart_degrees_of_freedom.controls(
    "+repair", grade="interval", region="epsilon = 1, delta = 1/2: twice the other two"
)
def test_the_others_may_not_be_larger(statement) -> None:
    """Tau is less than twice the largest of the others, by d."""
    point = DegreesPoint(1, 1, HALF)
    assert statement.at(point) is Truth.TRUE
    twice = statement.nudged(
        margin=lambda p: (
            wishart_degrees(p.dimension, p.epsilon, p.delta) - 2 * algorithm_7_degrees(p).max(accuracy_degrees(p))
        )
    )
    assert twice.at(point) is Truth.FALSE
