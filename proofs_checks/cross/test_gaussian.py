"""The Gaussian constant, which several documents use."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind_hypotheses, certify, interval
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import printed_deviation
from dpmatrix.spec.cross_gaussian import GaussianScales, first_scale
from dpmatrix.tracing import bind_expression

gaussian_constant = cite("cross.gaussian-constant@50d0f49f")

SCALES = [
    GaussianScales(d, epsilon, delta)
    for d, epsilon, delta in product(
        (2, 3, 10), (Fraction(1, 10), 1, 7), (Fraction(1, 2), Fraction(1, 10**6), Fraction(1, 9))
    )
]
SCALE_OUTSIDE = {
    "epsilon > 0": GaussianScales(2, -1, Fraction(1, 2)),
    "delta > 0": GaussianScales(2, 1, 0),
    "delta < 1": GaussianScales(2, 1, 1),
    "dimension >= 2, an integer": GaussianScales(1, 1, Fraction(1, 2)),
}
SMALL = "delta <= 1/16"
e, delta, d = sympy.symbols("epsilon delta dimension", positive=True)
FIRST = 2 * sympy.sqrt(sympy.log(sympy.Rational(5, 4) / delta)) / e
SECOND = (d + 1) / e * sympy.sqrt(2 * sympy.log((d**2 + d) / (2 * sympy.sqrt(2 * sympy.pi) * delta))) + 1 / sympy.sqrt(
    e
)


@gaussian_constant.refutes(grade="interval", region="d = 2, epsilon = 1, delta = 1e-6")
def test_the_scales_differ(statement) -> None:
    assert statement.at(GaussianScales(2, 1, Fraction(1, 10**6))) is Truth.FALSE
    bind_expression(statement, -sympy.Abs(SECOND - FIRST))
    bind_hypotheses(statement, GaussianScales(2, 1, Fraction(1, 2)), SCALE_OUTSIDE)
    assert statement.applies(GaussianScales(2, 0, Fraction(1, 2))) is Truth.FALSE


@attrs.frozen
class Logarithm:
    """L = ln(1.25 / delta)."""

    value: arb


@gaussian_constant.supports_repair(
    grade="derived",
    region="every d >= 2, epsilon > 0, delta in (0, 1): the docstring's reduction to log(1.25/delta), certified "
    "up to 4 by subdivision",
)
def test_the_second_scale_covers_the_first(statement) -> None:
    """(d+1) sqrt(2 L_2) >= 2 sqrt(L) where L = ln(1.25/delta) > ln 1.25 and L_2 >= L + ln(6 / (2.5 sqrt(2 pi))).

    (d^2+d)/(2 sqrt(2 pi)) grows with d and is 6/(2 sqrt(2 pi)) at d = 2, so L_2 - L >= ln(6/(2.5 sqrt(2 pi))), about
    -0.043. Squared, 18 L_2 - 4 L >= 14 L - 18 * 0.0435 > 0. The last term of beta is positive.
    """
    shift = (6 / (arb("2.5") * (2 * arb.pi()).sqrt())).log()
    least = arb("1.25").log().lower()
    assert abs(shift + arb("0.043")) < arb("0.0005")
    assert -18 * shift < 18 * arb("0.0435") < 14 * least

    def squares(p: Logarithm) -> arb:
        return 18 * (p.value + shift) - 4 * p.value

    gap = Statement("gap", squares, strict=True)
    assert certify(gap, Logarithm(interval(least, 4))).answer is Truth.TRUE
    assert 14 * arb(4) + 18 * shift > 0, "and the left side grows with L"
    step = sympy.Symbol("step", nonnegative=True)
    growth = sympy.Poly(sympy.expand((d**2 + d).subs(d, 2 + step) - 6), step)
    assert all(coefficient >= 0 for coefficient in growth.all_coeffs())
    bind_expression(statement, SECOND - FIRST)
    bind_hypotheses(statement, GaussianScales(2, 1, Fraction(1, 2)), SCALE_OUTSIDE)


THIRD = sympy.sqrt(2) * (1 + sympy.sqrt(2 * sympy.log(1 / delta))) / e


@gaussian_constant.supports(
    "slides-for-a-replaced-row", grade="derived", region="every epsilon > 0 and delta in (0, 1)"
)
@gaussian_constant.supports(
    "slides-below-near-optimal", grade="derived", region="every d >= 2, epsilon > 0 and delta in (0, 1)"
)
@gaussian_constant.supports("slides-for-an-added-row", grade="derived", region="every epsilon > 0 and delta <= 1/16")
def test_the_slides_lie_between(statements) -> None:
    """Let x = sqrt(2 log(1/delta)) > 0. Up to a factor 2, (1 + x)^2 = x^2 + 2x + 1 >= x^2 + 2 log(5/4), which is c^2.

    beta epsilon >= (d + 1) sqrt(x^2 + 2 log((d^2+d)/(2 sqrt(2 pi)))) >= 3 sqrt(x^2 + a), a = 2 log(3/sqrt(2 pi)) > 1/3,
    and 9 (x^2 + a) - 2 (1 + x)^2 = 7x^2 - 4x + 9a - 2 has discriminant 16 - 28 (9a - 2) < 0.
    For an added row c^2 - (1 + x)^2, with c^2 = 2 (x^2 + 2 log(5/4)), is (x - 1)^2 - 2 + 4 log(5/4), which is positive
    at x = sqrt(2 log 16) > 2 and grows from there on.
    """
    x, a = sympy.symbols("x a", positive=True)
    assert sympy.expand((1 + x) ** 2 - x**2 - 2 * x - 1) == 0
    assert 2 * (arb(5) / 4).log() < 1
    assert sympy.expand(9 * (x**2 + a) - 2 * (1 + x) ** 2 - (7 * x**2 - 4 * x + 9 * a - 2)) == 0
    least = 2 * (3 / (2 * arb.pi()).sqrt()).log()
    assert 16 - 28 * (9 * least - 2) < 0
    assert sympy.expand(2 * (x**2 + a) - (1 + x) ** 2 - ((x - 1) ** 2 - 2 + 2 * a)) == 0
    root = (2 * arb(16).log()).sqrt()
    assert root > 2
    assert (root - 1) ** 2 - 2 + 4 * (arb(5) / 4).log() > 0
    name = "cross.gaussian-constant"
    replaced, below, added = (
        statements[f"{name}/{step}"]
        for step in ("slides-for-a-replaced-row", "slides-below-near-optimal", "slides-for-an-added-row")
    )
    inside = GaussianScales(2, 1, Fraction(1, 2))
    for statement, formula in (
        (replaced, THIRD - FIRST),
        (below, SECOND - THIRD),
    ):
        bind_expression(statement, formula)
        without_dimension = {says: SCALE_OUTSIDE[says] for says in ("epsilon > 0", "delta > 0", "delta < 1")}
        bind_hypotheses(statement, inside, SCALE_OUTSIDE if statement is below else without_dimension)
    bind_expression(added, FIRST - THIRD / sympy.sqrt(2))
    outside = {says: SCALE_OUTSIDE[says] for says in ("epsilon > 0", "delta > 0")}
    bind_hypotheses(added, GaussianScales(2, 1, Fraction(1, 20)), outside | {SMALL: inside})
    assert added.applies(GaussianScales(2, 0, Fraction(1, 20))) is Truth.FALSE
    assert all(replaced.at(p) is Truth.TRUE and below.at(p) is Truth.TRUE for p in SCALES)
    assert all(added.at(p) is Truth.TRUE for p in SCALES if p.delta < Fraction(1, 16))
    assert added.at(GaussianScales(2, 1, Fraction(1, 16))) is Truth.TRUE


@gaussian_constant.controls("slides-for-an-added-row", grade="interval", region="delta = 1/2, and no sqrt(2)")
def test_a_large_delta_turns_the_order(statement) -> None:
    """At delta = 1/2 Delta is 2.18 and the scale of wishart 1.91; c without its sqrt(2) is below Delta everywhere."""
    assert statement.without(SMALL).at(GaussianScales(2, 1, Fraction(1, 2))) is Truth.FALSE
    assert abs(printed_deviation(1, Fraction(1, 2)) - arb("2.18")) < arb("0.005")
    assert abs(first_scale(GaussianScales(2, 1, Fraction(1, 2))) - arb("1.91")) < arb("0.005")
    small = GaussianScales(2, 1, Fraction(1, 10**9))
    assert statement.nudged(lambda margin: margin - 2).at(small) is Truth.FALSE


@gaussian_constant.controls("+repair", grade="interval", region="d = 1, delta = 0.39")
def test_dimension_one_is_not_covered_without_the_last_term(statement) -> None:
    """At d = 1 and large epsilon the logarithm of (5) nearly vanishes and beta falls short."""
    point = GaussianScales(1, Fraction(1, 100), Fraction(39, 100))
    assert statement.without("dimension >= 2, an integer").at(point) is Truth.FALSE
