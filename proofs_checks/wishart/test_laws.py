"""Definitions 1 and 2 of `wishart`: what each leaves open, and that the adopted reading is sound."""

from __future__ import annotations

from fractions import Fraction

import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.conditions import whole
from dpmatrix.spec.wishart.laws import LaplaceDensityPoint, WishartNormaliser

definition_1 = cite("wishart.definition-1@44b196c5")
definition_2 = cite("wishart.definition-2@3da41ded")

z, mu, m, c = sympy.symbols("z mu m c", real=True)
b = sympy.symbols("b", positive=True)


@definition_1.refutes(grade="interval", region="b = -1, mu = 0, z = 1")
def test_laplace_formula_is_negative_for_a_negative_scale(statement) -> None:
    assert statement.at(LaplaceDensityPoint(1, 0, -1)) is Truth.FALSE
    assert not statement.strict, "a density may vanish"
    assert statement.given == ()


@definition_1.supports_repair(
    grade="derived",
    region="every z, mu, b > 0: positive by its form; the half above mu is integrated, the other is its mirror image",
)
def test_laplace_formula_is_a_density_for_a_positive_scale(statement) -> None:
    density = sympy.exp(-sympy.Abs(z - mu) / b) / (2 * b)
    points = [
        LaplaceDensityPoint(Fraction(i, 3), Fraction(j, 2), Fraction(k, 5))
        for i in (-4, 1, 7)
        for j in (-3, 0, 2)
        for k in (1, 5, 9)
    ]
    bind(
        statement,
        (
            (
                p,
                density.subs(
                    {z: sympy.Rational(p.z), mu: sympy.Rational(p.location), b: sympy.Rational(p.scale)}
                ).evalf(50),
            )
            for p in points
        ),
    )
    half = sympy.integrate(sympy.exp(-z / b) / (2 * b), (z, 0, sympy.oo))
    assert half == sympy.Rational(1, 2), "each side of mu holds half of the mass"
    bind_hypotheses(statement, LaplaceDensityPoint(0, 0, 1), {"scale > 0": LaplaceDensityPoint(0, 0, 0)})
    assert statement.strict


@definition_1.controls("+repair", grade="interval", region="b = 1")
def test_a_density_shifted_below_zero_is_noticed(statement) -> None:
    assert statement.nudged(lambda value: value - 1).at(LaplaceDensityPoint(0, 0, 1)) is Truth.FALSE


def _normalisers() -> list[WishartNormaliser]:
    return [
        WishartNormaliser(d, d - 1 + Fraction(excess, 4), Fraction(scale, 3))
        for d in range(1, 7)
        for excess in (1, 8, 21)
        for scale in (1, 7)
    ]


@definition_2.supports(
    grade="derived",
    region="every real m > d - 1 and C = cI: Cholesky factors by the docstring, their product symbolic for d <= "
    "6; every d by the same product over rows",
)
def test_wishart_density_has_integral_one(statement) -> None:
    """The normaliser equals the integral by Cholesky factors W = LL', row by row, for symbolic m and c.

    The Jacobian of W = LL' is 2^d prod l_ii^(d-i+1), so row i contributes 2 times the integral of
    l^(m-i) exp(-l^2/2c) and i - 1 Gaussian integrals; their product is compared with the printed constant.
    """
    variance, degrees, l = sympy.symbols("c m l", positive=True)
    for d in range(1, 7):
        rows = sympy.Integer(1)
        for i in range(1, d + 1):
            diagonal = (2 * variance) ** ((degrees - i + 1) / 2) * sympy.gamma((degrees - i + 1) / 2)
            rows *= diagonal * sympy.sqrt(2 * sympy.pi * variance) ** (i - 1)
        gamma = sympy.pi ** (sympy.Rational(d * (d - 1), 4)) * sympy.prod(
            [sympy.gamma(degrees / 2 - sympy.Rational(i, 2)) for i in range(d)]
        )
        printed = 2 ** (degrees * d / 2) * variance ** (degrees * d / 2) * gamma
        assert sympy.simplify(sympy.powsimp(sympy.expand_power_base(rows / printed, force=True), force=True)) == 1
    half_line = sympy.integrate(2 * l ** (3) * sympy.exp(-(l**2) / (2 * variance)), (l, 0, sympy.oo))
    assert sympy.simplify(half_line - (2 * variance) ** 2 * sympy.gamma(2)) == 0, (
        "the diagonal integral, here m - i = 3"
    )
    bind(statement, ((p, arb(0)) for p in _normalisers()))
    bind_hypotheses(
        statement,
        WishartNormaliser(2, Fraction(21, 20), 1),
        {
            "dimension >= 1, an integer": WishartNormaliser(0, 1, 1),
            "m > d - 1": WishartNormaliser(2, 1, 1),
            "scale > 0": WishartNormaliser(2, 3, 0),
        },
    )
    assert statement.applies(WishartNormaliser(1, Fraction(1, 20), 1)) is Truth.TRUE
    assert whole("dimension", 1).at(WishartNormaliser(Fraction(3, 2), 3, 1)) is Truth.FALSE, "a dimension is an integer"
    assert not statement.strict, "an equation holds at margin zero"


@definition_2.controls(grade="interval", region="d = 2, m = 3, c = 1")
def test_a_normaliser_off_by_a_factor_is_noticed(statement) -> None:
    """With 2^(md) in place of 2^(md/2) the mass is 2^(-3)."""
    wrong = statement.nudged(lambda margin: margin - 3 * arb(2).log())
    assert wrong.at(WishartNormaliser(2, 3, 1)) is Truth.FALSE
    unbounded = statement.without("dimension >= 1, an integer")
    assert unbounded.at(WishartNormaliser(-1, 2, 1)) is Truth.FALSE, "there the two formulas differ by log(2)/2"
