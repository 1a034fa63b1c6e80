"""Definitions 1 and 2 of `wishart`: both formulas are densities."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import symbolic, symbolic_matrix
from dpmatrix.exact import precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart import laws
from dpmatrix.spec.wishart.laws import LaplaceDensityPoint, WishartNormaliser, laplace_density, total_mass

definition_1 = cite("wishart.definition-1@b1081aab")
definition_2 = cite("wishart.definition-2@9127e3de")

z, mu, m = sympy.symbols("z mu m", real=True)
b = sympy.symbols("b", positive=True)
DENSITY = sympy.exp(-sympy.Abs(z - mu) / b) / (2 * b)
POINTS = [
    LaplaceDensityPoint(Fraction(i, 3), Fraction(j, 2), Fraction(k, 5))
    for i in (-4, 1, 7)
    for j in (-3, 0, 2)
    for k in (1, 5, 9)
]


@definition_1.supports(grade="derived", region="every z, mu and b > 0: positive, and integrated, with symbols")
def test_laplace_formula_is_a_density(statement) -> None:
    """exp(-|z - mu|/b)/(2b) > 0, and its integrals below and above mu, where |z - mu| is mu - z and z - mu, are 1/2."""
    assert DENSITY.is_positive
    below, above = (sympy.exp(sign * (mu - z) / b) / (2 * b) for sign in (-1, 1))
    mass = sympy.integrate(below, (z, -sympy.oo, mu)) + sympy.integrate(above, (z, mu, sympy.oo))
    assert sympy.simplify(mass) == 1
    for side, sign in ((below, -1), (above, 1)):
        beyond = sympy.Symbol("beyond", nonnegative=True)
        assert sympy.simplify(DENSITY.subs(z, mu + sign * beyond) - side.subs(z, mu + sign * beyond)) == 0
    with precision(256):
        for p in POINTS:
            numbers = {z: symbolic(p.z), mu: symbolic(p.location), b: symbolic(p.scale)}
            assert abs(laplace_density(p) - arb(str(DENSITY.subs(numbers).evalf(50)))) < arb(10) ** -40
            assert abs(total_mass(p) - 1) < arb(10) ** -40
    bind(statement, ((p, 0) for p in POINTS))
    bind_hypotheses(statement, LaplaceDensityPoint(0, 0, 1), {"scale > 0": LaplaceDensityPoint(0, 0, 0)})
    assert statement.conclusion(LaplaceDensityPoint(1, 0, -1)) is Truth.FALSE
    assert statement.margin(LaplaceDensityPoint(1, 0, -1)) < -2, "the formula is not integrable"


@definition_1.controls(grade="interval", region="b = 1: without the factor 1/2; b = -1")
def test_other_formulas_are_no_densities(statement) -> None:
    def twice(distance: arb, scale: arb) -> arb:
        return (-distance / scale).exp() / scale

    assert redefined(statement, laws, "_at_distance", twice).at(LaplaceDensityPoint(0, 0, 1)) is Truth.FALSE
    assert laplace_density(LaplaceDensityPoint(1, 0, -1)) < 0


def matrices() -> list[fmpq_mat]:
    """Positive definite matrices G'G + I / 2 of order 1 to 5."""
    found = []
    for d in range(1, 6):
        g = fmpq_mat(d, d, [fmpq((3 * i * i + 5 * i) % 7 - 3, 2) for i in range(d * d)])
        half = fmpq_mat(d, d, [fmpq(int(i == j), 2) for i in range(d) for j in range(d)])
        found.append(g.transpose() * g + half)
    return found


NORMALISERS = [
    WishartNormaliser(c.nrows() - 1 + Fraction(excess, 4), c) for c in matrices() for excess in (1, 2, 8, 21)
]


def triangle(name: str, d: int) -> sympy.Matrix:
    """Lower triangular matrix of symbols, positive ones on the diagonal."""
    return sympy.Matrix(d, d, lambda i, j: sympy.Symbol(f"{name}{i}{j}", positive=True) if j <= i else 0)


def lower(matrix: sympy.Matrix) -> list[sympy.Expr]:
    return [matrix[i, j] for i in range(matrix.rows) for j in range(i + 1)]


def check_jacobians(d: int) -> None:
    """W = LL' has the Jacobian 2^d prod l_ii^(d-i+1) in L, and W = TVT' has prod t_ii^(d+1) in V."""
    factor = triangle("l", d)
    jacobian = sympy.Matrix(lower(factor * factor.T)).jacobian(lower(factor)).det()
    expected = 2**d * sympy.prod([factor[i, i] ** (d - i) for i in range(d)])
    assert sympy.expand(jacobian - expected) == 0
    inner = sympy.Matrix(d, d, lambda i, j: sympy.Symbol(f"v{max(i, j)}{min(i, j)}"))
    outer = triangle("t", d)
    jacobian = sympy.Matrix(lower(outer * inner * outer.T)).jacobian(lower(inner)).det()
    assert sympy.expand(jacobian - sympy.prod([outer[i, i] for i in range(d)]) ** (d + 1)) == 0


@definition_2.supports(
    grade="derived",
    region="every real m > d - 1 and positive definite C, by the docstring; its Jacobians with symbols for d <= 4, its "
    "integrals for every real exponent, their product for d <= 6",
)
def test_wishart_density_has_integral_one(statement) -> None:
    """The normaliser equals the integral, by two changes of variables.

    C = TT' with T lower triangular. W = TVT' takes tr(C^-1 W) to tr V, |W| to |C| |V| and has the Jacobian
    prod t_ii^(d+1) = |C|^((d+1)/2) (1), so the integral is |C|^(m/2) times that for C = I. There V = LL' has the
    Jacobian 2^d prod l_ii^(d-i+1) (1): in the order of rows, entry (i, j) of LL' depends on entries up to (i, j) of L,
    and its derivative in l_ij is l_jj, twice that if i = j; likewise for TVT'. So row i contributes i - 1 Gaussian
    integrals, and the integral of 2 l^(m-i) exp(-l^2/2) over l > 0, 2^((m-i+1)/2) Gamma((m-i+1)/2) (2).
    """
    for d in range(1, 5):
        check_jacobians(d)
    power, l = sympy.symbols("a l", positive=True)  # a = m - i + 1 > 0
    half_line = sympy.integrate(2 * l ** (power - 1) * sympy.exp(-(l**2) / 2), (l, 0, sympy.oo), conds="none")
    assert sympy.simplify(half_line / (2 ** (power / 2) * sympy.gamma(power / 2))) == 1, "(2)"
    assert sympy.integrate(sympy.exp(-(l**2) / 2), (l, -sympy.oo, sympy.oo)) == sympy.sqrt(2 * sympy.pi)
    degrees = sympy.Symbol("m", positive=True)
    for d in range(1, 7):
        rows = sympy.Integer(1)
        for i in range(1, d + 1):
            exponent = (degrees - i + 1) / 2
            rows *= 2**exponent * sympy.gamma(exponent) * sympy.sqrt(2 * sympy.pi) ** (i - 1)
        gamma = sympy.pi ** (sympy.Rational(d * (d - 1), 4)) * sympy.prod(
            [sympy.gamma(degrees / 2 - sympy.Rational(i, 2)) for i in range(d)]
        )
        printed = 2 ** (degrees * d / 2) * gamma
        assert sympy.simplify(sympy.powsimp(sympy.expand_power_base(rows / printed, force=True), force=True)) == 1
    for c in matrices():
        minors = [symbolic_matrix(c)[:k, :k].det() for k in range(c.nrows() + 1)]
        assert [symbolic(pivot) for pivot in laws.pivots(c)] == [after / before for before, after in pairwise(minors)]
    bind(statement, ((p, arb(0)) for p in NORMALISERS))
    plain = fmpq_mat(2, 2, [2, 1, 1, 3])
    bind_hypotheses(
        statement,
        WishartNormaliser(Fraction(21, 20), plain),
        {
            "C is symmetric": WishartNormaliser(3, fmpq_mat(2, 2, [2, 1, 0, 3])),
            "C is positive definite": WishartNormaliser(3, fmpq_mat(2, 2, [1, 1, 1, 1])),
            "m > d - 1": WishartNormaliser(1, plain),
        },
    )


@definition_2.controls(grade="interval", region="d = 2, m = 3: 2^(md) in place of 2^(md/2); C^-1 in place of C")
def test_other_normalisers_are_noticed(statement) -> None:
    point = WishartNormaliser(3, fmpq_mat(2, 2, [2, 1, 1, 3]))
    assert statement.margin(point).contains(0)

    def squared(p: WishartNormaliser) -> arb:
        return laws.printed_log_normaliser(p) + 3 * arb(2).log()

    def inverted(p: WishartNormaliser) -> arb:
        return laws.printed_log_normaliser(WishartNormaliser(p.degrees_of_freedom, p.scale.inv()))

    for other in (squared, inverted):

        def margin(p: WishartNormaliser, other=other) -> arb:
            return -abs(other(p) - laws.cholesky_log_mass(p))

        assert statement.nudged(margin=margin).at(point) is Truth.FALSE
