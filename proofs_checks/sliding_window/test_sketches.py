"""Theorem 9 and Lemma 6 of `sliding-window` against the exact law of Gaussian sketches."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.sketches import ConstantRows, PrintedSketch, SketchSize, needed_rows

theorem_9 = cite("sliding-window.theorem-9@7b2eec01")
lemma_6 = cite("sliding-window.lemma-6@9e015b8c")

HALF = Fraction(1, 2)


def exact_success(rows, distortion) -> mpmath.mpf:
    """Probability that chi^2_m/m is within 1 +- distortion."""
    half, around = mpmath.mpf(rows) / 2, real(distortion)
    return mpmath.gammainc(half, half * (1 - around), half * (1 + around), regularized=True)


@theorem_9.refutes(grade="interval", region="r = 1, eta = 1/2, 1/4, 1/10, 1/100; r = 5, eta = 1/10; one direction")
def test_one_direction_is_not_kept(statement) -> None:
    for rank, eta in (
        (1, HALF),
        (1, Fraction(1, 4)),
        (1, Fraction(1, 10)),
        (1, Fraction(1, 100)),
        (5, Fraction(1, 10)),
    ):
        assert statement.at(PrintedSketch(rank, eta)) is Truth.FALSE
    assert 0.0885 < float(statement.margin(PrintedSketch(1, Fraction(1, 10)))) + 0.5 < 0.0895
    assert statement.at(PrintedSketch(100, HALF)) is Truth.TRUE, "one direction; all 100 are another matter"
    values = []
    with mpmath.workdps(60):
        for rank, parts in product((1, 2, 5), (2, 3, 4, 7, 10, 15, 20)):
            eta = Fraction(1, parts)
            values.append(
                (
                    PrintedSketch(rank, eta),
                    mpmath.nstr(exact_success(4 * rank * parts, eta / 4) - mpmath.mpf(1) / 2, 50),
                )
            )
    bind(statement, values)
    outside = {
        "rank >= 1, an integer": PrintedSketch(0, HALF),
        "eta > 0": PrintedSketch(1, Fraction(-1, 2)),
        "eta < 1": PrintedSketch(1, 1),
        "4r/eta is whole": PrintedSketch(1, Fraction(3, 7)),
    }
    for inside in (PrintedSketch(1, HALF), PrintedSketch(1, Fraction(4, 5)), PrintedSketch(1, Fraction(1, 50))):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


def size(k, eta, beta, share=1) -> SketchSize:
    """Build a sketch with the rows that suffice, divided by ``share`` and rounded up."""
    rows = (needed_rows(k, eta, beta) / share).ceil().unique_fmpz()
    return SketchSize(k, int(rows), eta, beta)


SIZE_OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(size(1, HALF, HALF), dimension=0),
    "distortion > 0": attrs.evolve(size(1, HALF, HALF), distortion=0),
    "distortion <= 1": attrs.evolve(size(1, HALF, HALF), distortion=Fraction(51, 50)),
    "beta > 0": attrs.evolve(size(1, HALF, HALF), beta=0),
    "beta < 1": attrs.evolve(size(1, HALF, HALF), beta=1),
}


def check_chernoff_and_net() -> None:
    """Every step of the bound 2 9^k exp(-t alpha^2/24).

    For x in (0, 1/2]: P(chi^2_t/t >= 1 + x) <= exp(-(t/2)(x - log(1 + x))) and x - log(1 + x) >= x^2/3, since x^2/2 -
    x^3/3 >= x^2/3; P(chi^2_t/t <= 1 - x) <= exp(-(t/2)(-log(1 - x) - x)), and -log(1 - x) - x >= x^2/2 >= x^2/3.
    With x = alpha/2 each direction fails with probability at most 2 exp(-t alpha^2/24). A maximal 1/4-separated set of
    the unit sphere has at most (1 + 2/(1/4))^k = 9^k points, as balls of radius 1/8 around them fit into one of radius
    1 + 1/8; and |M| <= max |x'Mx|/(1 - 2/4) = 2 max over it, so no direction is off by more than alpha.
    """
    x = sympy.symbols("x", positive=True)
    upper = x - sympy.log(1 + x) - (x**2 / 2 - x**3 / 3)
    assert sympy.simplify(sympy.diff(upper, x) - x**3 / (1 + x)) == 0, "and it vanishes at 0"
    assert sympy.factor(x**2 / 2 - x**3 / 3 - x**2 / 3) == sympy.factor(x**2 * (1 - 2 * x) / 6)
    assert sympy.simplify(sympy.diff(-sympy.log(1 - x) - x - x**2 / 2, x) - x**2 / (1 - x)) == 0
    lam, t = sympy.symbols("lambda t", positive=True)
    exponent = -t / 2 * sympy.log(1 - 2 * lam) - lam * t * (1 + x)
    best = x / (2 * (1 + x))
    assert sympy.simplify(sympy.expand_log(exponent.subs(lam, best) + t / 2 * (x - sympy.log(1 + x)), force=True)) == 0
    assert (1 + 2 * 4) ** 3 == 9**3
    assert sympy.Rational(1, 2) * sympy.Rational(1, 3) * sympy.Rational(1, 4) == sympy.Rational(1, 24)
    with mpmath.workdps(30):
        for rows, parts in product((30, 200), (2, 3, 6)):
            fails = 1 - exact_success(rows, Fraction(1, parts))
            assert fails <= 2 * mpmath.exp(-mpmath.mpf(rows) / 6 / parts**2), "the exact law keeps the bound"


def check_size(statement, says, scale) -> None:
    values = []
    for k, eta, beta, rows in product((1, 2, 5), (Fraction(1, 3), 1), (HALF, Fraction(1, 9)), (50, 900)):
        alpha = sympy.Rational(eta) / scale
        bound = 2 * sympy.Integer(9) ** k * sympy.exp(-rows * alpha**2 / 24)
        values.append((SketchSize(k, rows, eta, beta), (sympy.Rational(beta) - bound).evalf(60)))
    bind(statement, values)
    enough = {condition.says: condition for condition in statement.given}[says]
    for k, eta, beta in product((1, 4), (Fraction(1, 3), 1), (HALF, Fraction(1, 9))):
        exact = 24 * (k * sympy.log(9) + sympy.log(2 / sympy.Rational(beta))) * scale**2 / sympy.Rational(eta) ** 2
        rows = int(sympy.ceiling(exact))
        assert enough.at(SketchSize(k, rows, eta, beta)) is Truth.TRUE
        assert enough.at(SketchSize(k, rows - 1, eta, beta)) is Truth.FALSE
        assert statement.at(SketchSize(k, rows, eta, beta)) is Truth.TRUE
    outside = SIZE_OUTSIDE | {says: attrs.evolve(size(1, HALF, HALF), rows=3)}
    many = 10**9
    for inside in (
        SketchSize(1, many, 1, Fraction(1, 50)),
        SketchSize(2, many, Fraction(1, 50), Fraction(49, 50)),
    ):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@theorem_9.supports_repair(
    grade="derived",
    region="every r, n, d, eta <= 1, beta: net and Chernoff, each step symbolic; Definition 5 as mended",
)
def test_enough_rows_for_theorem_9(statement) -> None:
    check_chernoff_and_net()
    check_size(statement, "m >= 384 (r log 9 + log(2/beta))/eta^2", 4)


@theorem_9.controls("+repair", grade="interval", region="4r/eta rows, r = 2, eta = 1/10")
def test_the_printed_rows_are_not_enough_for_the_bound(statement) -> None:
    says = "m >= 384 (r log 9 + log(2/beta))/eta^2"
    assert statement.without(says).at(SketchSize(2, 80, Fraction(1, 10), HALF)) is Truth.FALSE


@lemma_6.refutes(grade="derived", region="C = 1, 100, 10^6, every C; eta = beta = 1/2; k above 4 C log 2")
def test_a_sketch_with_fewer_rows_than_the_dimension_has_a_kernel(statement) -> None:
    for constant in (1, 100, 10**6):
        assert statement.at(ConstantRows(constant, 3 * constant, HALF, HALF)) is Truth.FALSE
        assert statement.at(ConstantRows(constant, 2 * constant, HALF, HALF)) is Truth.TRUE
    values = []
    for constant, k, eta, beta in product(
        (1, 7), (1, 30), (HALF, Fraction(1, 7)), (HALF, Fraction(1, 9), Fraction(1, 100))
    ):
        rows = constant * sympy.log(1 / sympy.Rational(beta)) / sympy.Rational(eta) ** 2
        values.append((ConstantRows(constant, k, eta, beta), (rows - k).evalf(50)))
    bind(statement, values)
    outside = {
        "dimension >= 1, an integer": ConstantRows(1, 0, HALF, HALF),
        "constant > 0": ConstantRows(0, 1, HALF, HALF),
        "eta > 0": ConstantRows(1, 1, 0, HALF),
        "eta < 1": ConstantRows(1, 1, 1, HALF),
        "beta > 0": ConstantRows(1, 1, HALF, 0),
        "beta < 1": ConstantRows(1, 1, HALF, 1),
    }
    small, large = Fraction(1, 50), Fraction(49, 50)
    for inside in (ConstantRows(small, 1, small, large), ConstantRows(9, 2, large, small)):
        bind_hypotheses(statement, inside, outside)
    wide = sympy.Matrix(2, 3, sympy.symbols("a0:6"))
    kernel = wide.row(0).cross(wide.row(1)).T
    assert (wide * kernel).expand() == sympy.zeros(2, 1), "two rows map some vector of three dimensions to 0"


@lemma_6.supports_repair(grade="derived", region="every k, n, eta <= 1, beta: net and Chernoff, each step symbolic")
def test_enough_rows_for_lemma_6(statement) -> None:
    check_chernoff_and_net()
    check_size(statement, "t >= 24 (k log 9 + log(2/beta))/eta^2", 1)


@lemma_6.controls("+repair", grade="interval", region="half of the rows")
def test_half_of_the_rows_are_not_enough_for_the_bound(statement) -> None:
    says = "t >= 24 (k log 9 + log(2/beta))/eta^2"
    few = size(3, HALF, HALF, share=2)
    assert statement.applies(few) is Truth.FALSE
    assert statement.without(says).at(few) is Truth.FALSE
    assert statement.nudged(lambda margin: margin - arb(1) / 2).at(size(1, HALF, HALF)) is Truth.FALSE
