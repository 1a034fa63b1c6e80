"""Theorems 11 and 12 of `sliding-window` against the exact privacy profiles."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import pytest
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, certify, interval
from dpmatrix.claims.formulas import real
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import ball, rational
from dpmatrix.privacy import WishartProfile
from dpmatrix.privacy.profiles.chi_square import absent_against_present, outside_support, present_against_absent
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.quoted_mechanisms import (
    PresentRow,
    SketchNeighbours,
    SketchPromise,
    WishartNeighbours,
    sketch_floor,
    wishart_degrees,
)
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.absent_rows import check_larger_epsilon
from proofs_checks.sliding_window.chi_square_losses import scaled_delta, shifted_delta, shifted_losses

theorem_11 = cite("sliding-window.theorem-11@78d24ce2")
theorem_12 = cite("sliding-window.theorem-12@86101e30")

MILLIONTH = Fraction(1, 10**6)
ORDERS = (present_against_absent, absent_against_present)
HALF = Fraction(1, 2)


ROWS, EPSILON, DELTA = sympy.symbols("rows epsilon delta", positive=True)
SHARE_BELOW, SHARE_ABOVE = sympy.symbols("gamma_lower_regularized gamma_upper_regularized", cls=sympy.Function)


def sketch_divergence(e: sympy.Expr, r: sympy.Expr, delta: sympy.Expr) -> sympy.Expr:
    """Give the larger of both hockey-stick divergences of N(0, 1)^r and N(0, 1 + l)^r, l = 1/w^2, in symbols.

    The loss crosses e where a Gamma(r/2) variable is ((r/2) log(1 + l) -+ e)/l; both tails are below or above there.
    """
    level = sympy.log(4 / delta)
    floor = (4 * sympy.sqrt(r * level) + level) / e
    l = (1 / floor) ** 2
    narrow, wide = r / 2 * sympy.log(1 + l) - e, r / 2 * sympy.log(1 + l) + e
    lost = SHARE_BELOW(r / 2, narrow / l * (1 + l)) - sympy.exp(e) * SHARE_BELOW(r / 2, narrow / l)
    gained = SHARE_ABOVE(r / 2, wide / l) - sympy.exp(e) * SHARE_ABOVE(r / 2, wide / l * (1 + l))
    largest = sympy.Piecewise((sympy.Max(lost, gained), narrow > 0), (sympy.Max(0, gained), True))
    return sympy.Piecewise((largest, floor > 0), (sympy.nan, True))


def wishart(epsilon, delta=MILLIONTH, length=0, dimension=1) -> WishartNeighbours:
    """Build a point with the least whole tau that the theorem allows."""
    degrees = wishart_degrees(dimension, epsilon, delta).ceil().unique_fmpz()
    return WishartNeighbours(dimension, int(degrees), epsilon, delta, length)


def present(epsilon, delta=MILLIONTH, norm=1, dimension=1) -> PresentRow:
    """Build a row of that norm with the least whole tau that the theorem allows."""
    least = wishart(epsilon, delta, dimension=dimension)
    return PresentRow(dimension, least.degrees_of_freedom, epsilon, delta, norm)


PRESENT_OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(present(HALF), dimension=0),
    "epsilon > 0": attrs.evolve(present(HALF), epsilon=0),
    "epsilon <= 4": attrs.evolve(present(5), epsilon=Fraction(401, 100)),
    "delta > 0": attrs.evolve(present(HALF), delta=0),
    "delta < 1": attrs.evolve(present(HALF), delta=1),
    "norm > 0": attrs.evolve(present(HALF), norm=0),
    "norm <= 1": attrs.evolve(present(HALF), norm=Fraction(51, 50)),
    "tau >= d + 28 ln(4/delta)/epsilon^2": attrs.evolve(
        present(HALF), degrees_of_freedom=present(HALF).degrees_of_freedom - 1
    ),
}
WISHART_OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(wishart(HALF), dimension=0),
    "epsilon > 0": attrs.evolve(wishart(HALF), epsilon=0),
    "delta > 0": attrs.evolve(wishart(HALF), delta=0),
    "delta < 1": attrs.evolve(wishart(HALF), delta=1),
    "length >= 0": attrs.evolve(wishart(HALF), length=Fraction(-1, 50)),
    "tau >= d + 28 ln(4/delta)/epsilon^2": attrs.evolve(
        wishart(HALF), degrees_of_freedom=wishart(HALF).degrees_of_freedom - 1
    ),
}
ONLY_UNIT = {"length <= 0": attrs.evolve(wishart(HALF), length=Fraction(1, 50))}


def bind_wishart(statement, lengths) -> None:
    values = []
    for d, k, e, length in product((1, 3), (4, 11, 30), (Fraction(1, 4), 1, 3), lengths):
        p = WishartNeighbours(d, k + d - 1, e, Fraction(1, 9), length)
        with mpmath.workdps(60):
            delta = shifted_delta(k, 2 * Fraction(length) + 1, e)
            values.append((p, mpmath.nstr(mpmath.mpf(1) / 9 - delta, 50)))
    bind(statement, values)
    assert not statement.strict


def check_both_orders() -> None:
    """Each order of a pair by itself, for a row of squared length x that is present or absent, and k degrees."""
    degrees = (1, Fraction(19, 10), 2, Fraction(21, 10), 4, 11)
    for k, squared, e in product(degrees, (Fraction(1, 5), 2, 3), (Fraction(1, 20), 1)):
        with mpmath.workdps(60):
            losses = [mpmath.nstr(loss, 50) for loss in shifted_losses(k, squared, e)]
        for order, loss in zip(ORDERS, losses, strict=True):
            found = order(rational(e), rational(squared) / 2, rational(k))
            assert abs(found - arb(loss)) < arb(10) ** -12
    for order, e, k in product(ORDERS, (0, 1), (1, 4)):
        assert order(fmpq(e), fmpq(0), fmpq(k)) == 0, "no row tells nothing"
    for k in (Fraction(9, 5), 2, Fraction(11, 5)):
        share = arb(mpmath.nstr(mpmath.gammainc(real(k) / 2, 0, HALF, regularized=True), 15))
        assert abs(outside_support(fmpq(1, 2), rational(k)) - share) < arb(10) ** -12
        assert outside_support(fmpq(0), rational(k)) == 0
    with pytest.raises(InvalidParameterError, match="epsilon"):
        WishartProfile(1, 4, 1).delta(Fraction(-1, 20))


def bind_degrees(statement, record=WishartNeighbours) -> None:
    """Check the hypothesis on tau at points just above and below it for every d, epsilon and delta of a grid."""
    says = "tau >= d + 28 ln(4/delta)/epsilon^2"
    given = {condition.says: condition for condition in statement.given}[says]
    for d, e, delta in product((1, 7), (Fraction(1, 3), 1, 4), (Fraction(1, 2), MILLIONTH)):
        exact = d + 28 * sympy.log(4 / sympy.Rational(delta)) / sympy.Rational(e) ** 2
        for shift, answer in ((1, Truth.TRUE), (-1, Truth.FALSE)):
            tau = Fraction(str((exact + sympy.Rational(shift, 10**9)).evalf(30)))
            assert given.at(record(d, tau, e, delta)) is answer


@theorem_11.refutes(grade="interval", region="eps = 1, delta = 10^-6, d = 1, 5; row 3 to 4, 10 to 11 and 50 to 51")
def test_wishart_noise_does_not_hide_a_long_row_that_grows(statement) -> None:
    for dimension, length in product((1, 5), (3, 10, 50)):
        assert statement.at(wishart(1, length=length, dimension=dimension)) is Truth.FALSE
    delta = float(MILLIONTH) - float(statement.margin(wishart(1, length=10)))
    assert 0.053 < delta < 0.055
    assert 0.86 < -float(statement.margin(wishart(1, length=50))) < 0.88
    three, ten, fifty = (wishart(1, length=length) for length in (3, 10, 50))
    deltas = [ball(p.delta) - statement.margin(p) for p in (three, ten, fifty)]
    assert statement.at(wishart(1, length=2)) is Truth.TRUE
    theorem_11.tells(
        "A row of length {} that becomes {}, neighbours in this document, costs an exact delta of {}",
        *(three.length, three.length + 1, deltas[0]),
    )
    theorem_11.tells(
        "a row of length {} that becomes {} costs delta = {}, length {} costs {}, and length {} costs {}",
        *(three.length, three.length + 1, deltas[0], ten.length, deltas[1], fifty.length, deltas[2]),
    )
    check_both_orders()
    bind_wishart(statement, (0, HALF, 2))
    bind_degrees(statement)
    for inside in (wishart(1, length=10), wishart(5, Fraction(99, 100)), wishart(HALF, Fraction(1, 10**9))):
        bind_hypotheses(statement, inside, WISHART_OUTSIDE)


@theorem_11.refutes("unit-rows", grade="interval", region="d = 10, epsilon = 8, delta = 10^-6")
def test_unit_rows_fail_for_large_epsilon(statement) -> None:
    assert statement.at(wishart(8, dimension=10)) is Truth.FALSE
    ratio = 1 - float(statement.margin(wishart(8, dimension=10))) / 1e-6
    assert 1000 < ratio < 4000
    theorem_11.tells("(at 8 by a factor above {above})", ratio)
    assert statement.at(wishart(4)) is Truth.TRUE
    unit = statement.margin(WishartNeighbours(1, 30, 1, HALF, 0))
    assert statement.margin(WishartNeighbours(1, 30, 1, HALF)).overlaps(unit)
    bind_wishart(statement, (0, HALF, 2))
    bind_degrees(statement)
    bind_hypotheses(statement, wishart(8), WISHART_OUTSIDE | ONLY_UNIT)


@theorem_11.supports_repair(
    grade="derived",
    region="every d, norm <= 1, epsilon <= 4, delta, tau: a Chernoff bound in the docstring; boxes for epsilon > 1",
)
def test_wishart_noise_hides_a_unit_row(statement) -> None:
    """Both directions are tails of G ~ Gamma(a), a = p + 1, p = (tau - d - 1)/2 >= 14 L/e^2 - 1/2, L = ln(4/delta).

    The deltas decrease with tau, so tau is the least; d cancels. P(G <= y a) and P(G >= y a) are at most
    exp(-a (y - 1 - log y)) for y on its side of 1 (Chernoff).

    Absent, e <= 1: x = 1/2, G < T = x/(1 - exp(-u)), u = (1 + 2e)/(2p). As 1 - exp(-u) >= u(1 - u/2), T <= p/((1 + 2e)
    (1 - u/2)), and (1 - u/2)(p + 1) >= p if (1 + 2e)(p + 1) <= 4p, true for p >= 3: T <= a/(1 + 2e). The exponent is
    a g, g = log(1 + z) - z/(1 + z) with z = 2e, and log(1 + z) >= 2z/(2 + z) gives g >= z^2/((1 + z)(2 + z)) >= e^2/3.
    Present, only for e < 1/2: G > x/(exp(v) - 1), v = (1 - 2e)/(2p), which is at least p/(1 - 2e) - 1/4 >= a(1 + e);
    the exponent is at least a e^2/(2(1 + e)) >= a e^2/3. With a >= 14 L/e^2 both are at least 14 L/3 >= L.
    A row of norm n < 1 has x = n^2/2. x/(1 - exp(-(x + e)/p)) increases in x, as p(exp(w) - 1) > x for w = (x + e)/p,
    and x/(exp((x - e)/p) - 1) decreases for x > e, as p(1 - exp(-w)) < x for w = (x - e)/p: both half-lines are within
    those of the unit row.

    1 <= e <= 4, the unit row: present, the loss is 1/2 + p log(1 - 1/y) <= 1/2, p > 0. Absent: 1/(1 - exp(-u)) <= 1 +
    1/u, so T <= 1/2 + p/(1 + 2e) = (b + e)/(1 + 2e) = t for b = 14 L/e^2 = p + 1/2 >= 7 log(4)/8 > 6/5, and t < a. The
    exponent is at least t - a + a log(a/t), and above L - log 4, L = e^2 b/14: `absent_spare` is positive for 1 <= e <=
    4 and 6/5 <= b <= 20, by subdivision. Its slope in b is `absent_slope`, which increases in b, as log r - r does in r
    < 1 and r = (b + 1/2)/(b + e) in b; it is positive at b = 20.
    """
    check_larger_epsilon()
    x, e, p, u = sympy.symbols("x e p u", positive=True)
    rising = sympy.log(x) - sympy.log(1 - sympy.exp(-(x + e) / p))
    slope = 1 / x - 1 / (p * (sympy.exp((x + e) / p) - 1))
    assert sympy.simplify((sympy.diff(rising, x) - slope).rewrite(sympy.exp)) == 0
    falling = sympy.log(x) - sympy.log(sympy.exp((x - e) / p) - 1)
    slope = 1 / x - 1 / (p * (1 - sympy.exp(-(x - e) / p)))
    assert sympy.simplify((sympy.diff(falling, x) - slope).rewrite(sympy.exp)) == 0
    assert sympy.diff(sympy.exp(u) - 1 - u, u) == sympy.exp(u) - 1, "exp(w) - 1 >= w, so p(exp(w) - 1) >= x + e > x"
    assert sympy.diff(u - 1 + sympy.exp(-u), u) == 1 - sympy.exp(-u), "1 - exp(-w) <= w, so p(1 - exp(-w)) <= x - e < x"
    z = sympy.symbols("z", positive=True)
    assert sympy.simplify(sympy.diff(sympy.log(1 + z) - 2 * z / (2 + z), z) - z**2 / ((1 + z) * (2 + z) ** 2)) == 0
    assert sympy.simplify(2 * z / (2 + z) - z / (1 + z) - z**2 / ((1 + z) * (2 + z))) == 0
    lower = (z**2 / ((1 + z) * (2 + z))).subs(z, 2 * e) - e**2 / 3
    assert sympy.factor(sympy.simplify(lower * 3 * (1 + 2 * e) * (1 + e) / e**2)) == sympy.factor(5 - 3 * e - 2 * e**2)
    assert (5 - 3 * e - 2 * e**2).subs(e, 1) == 0, "positive on (0, 1)"
    assert sympy.diff(1 - sympy.exp(-u) - u + u**2 / 2, u, 2) == 1 - sympy.exp(-u), "1 - exp(-u) >= u - u^2/2"
    slack = (1 - (1 + 2 * e) / (4 * p)) * (p + 1) - p
    assert sympy.simplify(slack - (4 * p - (1 + 2 * e) * (p + 1)) / (4 * p)) == 0
    assert 4 * 3 - 3 * (3 + 1) == 0, "for e <= 1: 4p >= 3(p + 1) exactly from p = 3 on"
    assert float((28 * sympy.log(4) - 1) / 2) > 18, "p is larger than that, for every delta < 1 and e <= 1"
    # present: 1/(exp(v) - 1) >= 1/v - 1/2, since v - (exp(v) - 1)(1 - v/2) has the derivative below
    v = sympy.symbols("v", positive=True)
    assert sympy.simplify(sympy.diff((sympy.exp(v) - 1) * (1 - v / 2) - v, v, 2) + v * sympy.exp(v) / 2) == 0
    assert sympy.expand(p * (1 + 2 * e) - sympy.Rational(1, 4) - (p + 1) * (1 + e)) == sympy.expand(
        e * p - sympy.Rational(5, 4) - e
    )
    assert sympy.simplify(1 / (1 - 2 * e) - (1 + 2 * e) - 4 * e**2 / (1 - 2 * e)) == 0
    assert 14 * float(sympy.log(4)) - 0.5 / 4 - 1.25 - 0.5 > 0, "e p >= 14 L/e - e/2 with e < 1/2"
    y = sympy.symbols("y", positive=True)
    rate = y - sympy.log(1 + y) - y**2 / (2 * (1 + y))
    assert sympy.simplify(sympy.diff(rate, y) - y**2 / (2 * (1 + y) ** 2)) == 0, "and it vanishes at 0"
    assert sympy.Rational(14, 3) > 1
    values = []
    for d, k, eps, norm in product((1, 3), (4, 11, 30), (Fraction(1, 4), 1, 3), (Fraction(1, 3), Fraction(4, 5), 1)):
        point = PresentRow(d, k + d - 1, eps, Fraction(1, 9), norm)
        with mpmath.workdps(60):
            delta = shifted_delta(k, Fraction(norm) ** 2, eps)
            values.append((point, mpmath.nstr(mpmath.mpf(1) / 9 - delta, 50)))
    bind(statement, values)
    assert not statement.strict
    assert statement.margin(PresentRow(1, 30, 1, HALF)).overlaps(statement.margin(PresentRow(1, 30, 1, HALF, 1)))
    bind_degrees(statement, PresentRow)
    for e_value, delta in product((Fraction(1, 50), HALF, 1, 4), (Fraction(99, 100), MILLIONTH, Fraction(1, 10**20))):
        for norm in (Fraction(1, 50), 1):
            p_value = present(e_value, delta, norm=norm, dimension=3)
            assert statement.at(p_value) is Truth.TRUE
            bind_hypotheses(statement, p_value, PRESENT_OUTSIDE)


@theorem_11.controls("+repair", grade="interval", region="epsilon = 8; tau = d + 3")
def test_fewer_degrees_are_noticed(statement) -> None:
    assert statement.without("epsilon <= 4").at(present(8)) is Truth.FALSE
    assert statement.without("norm <= 1").at(present(1, norm=5)) is Truth.FALSE
    says = "tau >= d + 28 ln(4/delta)/epsilon^2"
    assert statement.without(says).at(PresentRow(2, 5, 1, MILLIONTH)) is Truth.FALSE


def sketch(rows, epsilon, delta, energy, removed=1) -> SketchNeighbours:
    return SketchNeighbours(rows, epsilon, delta, energy, removed)


BELOW = sketch(2, 14, Fraction(1, 10), Fraction(109, 100))
SKETCH_OUTSIDE = {
    "rows >= 2, an integer": attrs.evolve(BELOW, rows=1),
    "epsilon > 0": attrs.evolve(BELOW, epsilon=0),
    "delta > 0": attrs.evolve(BELOW, delta=0),
    "delta < 1": attrs.evolve(BELOW, delta=1),
    "removed > 0": attrs.evolve(BELOW, removed=0),
    "removed <= 1": attrs.evolve(BELOW, removed=Fraction(51, 50)),
    "s_d(A) >= w": attrs.evolve(BELOW, energy=Fraction(107, 100)),
}


@theorem_12.refutes(
    grade="interval",
    region="d = 1, r = 2, epsilon = 14, delta = 1/10, A'A = 1.09, one unit row removed; and A'A = 1 at epsilon = 15",
)
def test_the_neighbour_may_fall_below_the_floor(statement) -> None:
    assert statement.at(BELOW) is Truth.FALSE
    lowest = sketch(2, 14, Fraction(1, 10), Fraction(1081, 1000))
    assert statement.at(lowest) is Truth.FALSE, "w^2 is 1.0807"
    delta = ball(lowest.delta) - statement.margin(lowest)
    theorem_12.tells("(exact delta above {above}", delta)
    theorem_12.tells("w is {}, and without", sketch_floor(2, 14, Fraction(1, 10)))
    assert statement.at(sketch(2, 15, Fraction(1, 10), 1)) is Truth.FALSE, "nothing is left of the neighbour"
    assert statement.margin(sketch(2, 15, Fraction(1, 10), 1)).overlaps(arb(1) / 10 - 1)
    values = []
    for rows, e, energy, removed in product((2, 3, 7), (1, 5, 14), (Fraction(21, 20), 2, 9), (1, HALF)):
        ratio = Fraction(energy) / (energy - removed) - 1
        with mpmath.workdps(60):
            delta = scaled_delta(rows, real(ratio), e)
            values.append(
                (sketch(rows, e, Fraction(1, 10), energy, removed), mpmath.nstr(mpmath.mpf(1) / 10 - delta, 50))
            )
    bind(statement, values)
    bind_hypotheses(statement, BELOW, SKETCH_OUTSIDE)
    bind_hypotheses(statement, sketch(5, 1, Fraction(98, 100), 300, 1), SKETCH_OUTSIDE)
    assert not statement.strict
    check_floor()


def check_floor() -> None:
    for rows, e, delta in product((1, 2, 30), (HALF, 3), (Fraction(1, 2), MILLIONTH)):
        log = sympy.log(4 / sympy.Rational(delta))
        expected = (4 * sympy.sqrt(rows * log) + log) / sympy.Rational(e)
        assert abs(float(sketch_floor(rows, e, delta)) - float(expected)) < 1e-9 * float(expected)


GUARANTEES = [
    SketchPromise(r, e, d) for r, e, d in product((1, 2, 9), (HALF, 1, 8), (HALF, Fraction(1, 10**3), MILLIONTH))
]
GUARANTEE_OUTSIDE = {
    "epsilon > 0": SketchPromise(3, 0, HALF),
    "delta > 0": SketchPromise(3, 1, 0),
    "delta < 1": SketchPromise(3, 1, 1),
}


@theorem_12.supports_repair(
    grade="derived",
    region="every d, r, 0 < epsilon <= 8 and 0 < delta < 1: chi-square tail in the docstring, its steps symbolic",
)
def test_a_sketch_hides_a_unit_row_above_the_floor(statement) -> None:
    """L = log(4/delta) > log 4, l = 1/w^2 <= e^2/(16 r L); the worst pair is N(0, 1)^r against N(0, 1 + l)^r.

    Narrow against wide: the loss is at most (r/2) log(1 + l) <= r l/2 <= e^2/(32 L) <= e, so it costs nothing.
    Wide against narrow: the probability of G > ((r/2) log(1 + l) + e)/l, G ~ Gamma(r/2). By log(1 + l) >= l - l^2/2 the
    threshold is at least r/2 - r l/4 + e w^2 = r/2 - r l/4 + (16 r L + 8 L sqrt(rL) + L^2)/e, and for e <= 8 that is at
    least r/2 + 2 r L + L sqrt(rL) + L^2/8 - 1/L >= r/2 + sqrt(rL) + L. Chernoff at lambda = sqrt(x)/(sqrt(r) + 2
    sqrt(x)) gives P(G >= r/2 + sqrt(r x) + x) <= exp(-x) (Laurent and Massart); with x = L this is delta/4.
    """
    u, r, x, L, e = sympy.symbols("u r x L e", positive=True)
    bound = u**2 / (1 - 2 * u) + sympy.log(1 - 2 * u) / 2 + u
    assert sympy.simplify(sympy.diff(bound, u) - 2 * u**2 / (1 - 2 * u) ** 2) == 0, "and it vanishes at 0"
    tilt = sympy.sqrt(x) / (sympy.sqrt(r) + 2 * sympy.sqrt(x))
    exponent = r * tilt**2 / (1 - 2 * tilt) - tilt * (2 * sympy.sqrt(r * x) + 2 * x)
    assert sympy.simplify(exponent + x) == 0
    l = sympy.symbols("l", positive=True)
    assert sympy.simplify(sympy.diff(sympy.log(1 + l) - l + l**2 / 2, l) - l**2 / (1 + l)) == 0
    w = (4 * sympy.sqrt(r * L) + L) / e
    assert sympy.simplify(sympy.expand(e * w**2) - (16 * r * L + 8 * L * sympy.sqrt(r * L) + L**2) / e) == 0
    assert sympy.Rational(64) / (4 * 16) == 1, "r l/4 <= e^2/(64 L) <= 1/L for e <= 8"
    rest = (2 * r * L + L * sympy.sqrt(r * L) + L**2 / 8 - 1 / L) - (sympy.sqrt(r * L) + L)
    parts = 2 * L * (r - 1) + (L - 1) * sympy.sqrt(r * L) + (L - 1 / L) + L**2 / 8
    assert sympy.simplify(rest - parts) == 0, "every part is positive for r >= 1 and L > 1"
    assert sympy.log(4).evalf() > 1
    assert 32 * float(sympy.log(4)) >= 8
    values = []
    for p in GUARANTEES:
        with mpmath.workdps(60):
            log = mpmath.log(4 * mpmath.mpf(Fraction(p.delta).denominator) / Fraction(p.delta).numerator)
            e_value = real(p.epsilon)
            floor = (4 * mpmath.sqrt(p.rows * log) + log) / e_value
            delta = real(p.delta)
            values.append((p, mpmath.nstr(delta - scaled_delta(p.rows, 1 / floor**2, e_value), 50)))
        assert statement.at(p) is Truth.TRUE
    bind(statement, values)
    bind_expression(statement, DELTA - sketch_divergence(EPSILON, ROWS, DELTA))
    box = SketchPromise(4, interval(HALF, 8), Fraction(1, 100))
    assert certify(statement, box).answer is Truth.TRUE
    outside = GUARANTEE_OUTSIDE | {
        "rows >= 1, an integer": SketchPromise(0, 1, HALF),
        "epsilon <= 8": SketchPromise(3, Fraction(401, 50), HALF),
    }
    for inside in (SketchPromise(1, 8, Fraction(99, 100)), SketchPromise(3, Fraction(1, 50), MILLIONTH)):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@theorem_12.controls("+repair", grade="interval", region="a floor five times lower")
def test_a_lower_floor_is_noticed(statement) -> None:
    from dpmatrix.privacy import Adjacency, SketchProfile

    def lower(p: SketchPromise) -> arb:
        floor = sketch_floor(p.rows, p.epsilon, p.delta) / 5
        return arb(p.delta.numerator) / p.delta.denominator - SketchProfile(
            p.rows, floor, 1, Adjacency.ADD_REMOVE_ONE
        ).delta(p.epsilon)

    assert statement.nudged(margin=lower).at(SketchPromise(3, 1, MILLIONTH)) is Truth.TRUE, "printed w wastes that much"
    assert statement.nudged(margin=lower).at(SketchPromise(3, 8, MILLIONTH)) is Truth.FALSE


@theorem_12.refutes(
    "without-row-bound",
    grade="interval",
    region="d = 1, epsilon = 1: r = 2 with delta = 10^-24 and 10^-30, r = 10 with delta = 10^-100",
)
def test_a_long_row_that_grows_shows_in_the_sketch(statement) -> None:
    for rows, digits, least in ((2, 24, Fraction(3, 4)), (2, 30, 150), (10, 100, 10**11)):
        point = SketchPromise(rows, 1, Fraction(1, 10**digits))
        assert statement.at(point) is Truth.FALSE
        assert -statement.margin(point) > ball(least) / arb(10) ** digits
    pair = [SketchPromise(2, 1, Fraction(1, 10**digits)) for digits in (24, 30)]
    times = [1 - statement.margin(p) / ball(p.delta) for p in pair]
    theorem_12.tells(
        "delta = {} the exact delta is {} times as large, with {} {} times",
        *(pair[0].delta, times[0], pair[1].delta, times[1]),
    )
    ten = (SketchPromise(10, 1, Fraction(1, 10**100)),)
    (far,) = (p for p in ten if 1 - statement.margin(p) / ball(p.delta) > 10**11)
    theorem_12.tells("with r = 10 and {} by eleven orders of magnitude", far.delta)
    assert statement.at(SketchPromise(2, 1, MILLIONTH)) is Truth.TRUE, "it needs a tiny delta"
    values = []
    for p in GUARANTEES:
        with mpmath.workdps(60):
            log = mpmath.log(4 * mpmath.mpf(Fraction(p.delta).denominator) / Fraction(p.delta).numerator)
            e_value = real(p.epsilon)
            above = mpmath.floor((4 * mpmath.sqrt(p.rows * log) + log) / e_value) + 1
            delta = real(p.delta)
            values.append((p, mpmath.nstr(delta - scaled_delta(p.rows, ((above + 1) / above) ** 2 - 1, e_value), 50)))
    bind(statement, values)
    outside = GUARANTEE_OUTSIDE | {"rows >= 2, an integer": SketchPromise(1, 1, HALF)}
    for inside in (SketchPromise(2, Fraction(1, 50), Fraction(99, 100)), SketchPromise(3, 20, MILLIONTH)):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@theorem_12.refutes("premise-of-both", grade="interval", region="r = 2, delta = 1/10, epsilon = 100 and 200")
def test_a_large_epsilon_shows_a_row_above_the_floor(statement) -> None:
    tenth = Fraction(1, 10)
    for epsilon, least in ((100, "0.108"), (200, "0.33")):
        point = SketchPromise(2, epsilon, tenth)
        assert statement.at(point) is Truth.FALSE
        assert arb(1) / 10 - statement.margin(point) > arb(least)
    assert statement.at(SketchPromise(2, 8, tenth)) is Truth.TRUE
    large = [SketchPromise(2, e, tenth) for e in range(50, 150, 5)]
    first = min(p.epsilon for p in large if statement.conclusion(p) is Truth.FALSE)
    theorem_12.tells("Fails from epsilon about {about} on", first)
    values = []
    with mpmath.workdps(60):
        for rows, e, delta in product((2, 3, 7), (1, 5, 100), (tenth, HALF, MILLIONTH)):
            log = mpmath.log(4 / real(delta))
            floor = (4 * mpmath.sqrt(rows * log) + log) / e
            shift = scaled_delta(rows, 1 / floor**2, e)
            values.append((SketchPromise(rows, e, delta), mpmath.nstr(real(delta) - shift, 50)))
    bind(statement, values)
    assert not statement.strict
    inside = SketchPromise(2, 1, tenth)
    outside = {
        "rows >= 2, an integer": attrs.evolve(inside, rows=1),
        "epsilon > 0": attrs.evolve(inside, epsilon=0),
        "delta > 0": attrs.evolve(inside, delta=0),
        "delta < 1": attrs.evolve(inside, delta=1),
    }
    bind_hypotheses(statement, inside, outside)
