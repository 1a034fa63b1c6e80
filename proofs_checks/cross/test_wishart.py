"""The Wishart law in `wishart` and `sliding-window`: its density, and the degrees of freedom that privacy needs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.cross_wishart import DegreesPoint, WishartDensityPoint

wishart_density = cite("cross.wishart-density@c2652586")
wishart_degrees_of_freedom = cite("cross.wishart-degrees-of-freedom@c8fced8d")

POINT = WishartDensityPoint(2, 3, 1, 2, 1)
OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(POINT, dimension=0),
    "m > d - 1": attrs.evolve(POINT, degrees_of_freedom=1),
    "scale > 0": attrs.evolve(POINT, scale=0),
    "trace > 0": attrs.evolve(POINT, trace=0),
    "determinant > 0": attrs.evolve(POINT, determinant=0),
}
POINTS = [
    WishartDensityPoint(d, d + Fraction(k, 2), Fraction(c, 3), Fraction(t, 2), Fraction(t, 7))
    for d, k, c, t in product((1, 2, 5), (0, 3), (1, 4), (1, 9))
]


@wishart_density.refutes(grade="interval", region="d = 2, m = 3, c = 1, tr W = 2")
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
        d: p.dimension,
        c: sympy.Rational(p.scale),
        t: sympy.Rational(p.trace),
    }


@wishart_density.supports_repair(grade="symbolic", region="every d, m > d - 1, c, W")
def test_the_mended_density_is_the_same(statement) -> None:
    m, d, c, t, shared = sympy.symbols("m d c t shared")
    first = shared - m * d / 2 * sympy.log(2) - t / (2 * c)
    second = shared - m * d * sympy.log(2) + t / (2 * c)
    mended = second + m * d / 2 * sympy.log(2) - t / c
    assert sympy.simplify(first - mended) == 0
    bind(statement, ((p, 0) for p in POINTS))
    bind_hypotheses(statement, POINT, OUTSIDE)
    for inside in (attrs.evolve(POINT, dimension=1), attrs.evolve(POINT, degrees_of_freedom=Fraction(21, 20))):
        bind_hypotheses(statement, inside, OUTSIDE)


@wishart_density.controls("+repair", grade="interval", region="only the sign mended")
def test_mending_one_slip_is_not_enough(statement) -> None:
    half = statement.nudged(lambda margin: margin - 3 * arb(2).log())
    assert half.at(POINT) is Truth.FALSE


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


def on_degrees(formula):
    for p in DEGREES:
        log = sympy.log(1 / sympy.Rational(p.delta))
        yield p, formula(log, sympy.Rational(p.epsilon)).evalf(50)


@wishart_degrees_of_freedom.refutes(grade="interval", region="d = 1, epsilon = 1, delta = 1/2")
def test_one_document_asks_for_three_degrees(statement) -> None:
    """The largest distance is to Algorithm 7: (28 log(4/delta) - 14 log(1/delta))/epsilon^2."""
    assert statement.at(DEGREES[0]) is Truth.FALSE
    bind(statement, on_degrees(lambda log, e: -(28 * (log + sympy.log(4)) - 14 * log) / e**2))
    for inside in (DegreesPoint(1, Fraction(1, 50), Fraction(99, 100)), DegreesPoint(9, 30, MILLIONTH)):
        bind_hypotheses(statement, inside, DEGREES_OUTSIDE)


@wishart_degrees_of_freedom.supports_repair(
    grade="symbolic", region="every d, epsilon, delta: the difference is 14 log(4/delta)/epsilon^2"
)
def test_theorem_11_asks_for_most(statement) -> None:
    log, _e = sympy.symbols("log e", positive=True)
    assert sympy.simplify((28 * (log + sympy.log(4)) - 14 * (log + sympy.log(4))) - 14 * (log + sympy.log(4))) == 0
    bind(statement, on_degrees(lambda log, e: 14 * (log + sympy.log(4)) / e**2))
    assert all(statement.at(p) is Truth.TRUE for p in DEGREES)
    for inside in (DegreesPoint(1, Fraction(1, 50), Fraction(99, 100)), DegreesPoint(9, 30, MILLIONTH)):
        bind_hypotheses(statement, inside, DEGREES_OUTSIDE)
    assert not statement.strict


@wishart_degrees_of_freedom.controls("+repair", grade="interval", region="epsilon = 1, delta = 1/2")
def test_an_even_larger_tau_is_noticed(statement) -> None:
    assert statement.nudged(lambda margin: margin - 30).at(DegreesPoint(1, 1, HALF)) is Truth.FALSE
