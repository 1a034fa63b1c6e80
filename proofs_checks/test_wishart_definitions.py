"""Definitions 1 to 5 of `wishart`: what each leaves open, and that the adopted reading is sound."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.conditions import at_least, whole
from dpmatrix.spec.wishart.definitions import DataSetPair, EventPoint
from dpmatrix.spec.wishart.laws import LaplaceDensityPoint, WishartNormaliser
from dpmatrix.spec.wishart.sensitivity import RecordPair

definition_1 = cite("wishart.definition-1@10894e36")
definition_2 = cite("wishart.definition-2@8ef7f65f")
definition_3 = cite("wishart.definition-3@dd4be5a5")
definition_4 = cite("wishart.definition-4@bcbcc822")
definition_5 = cite("wishart.definition-5@50f9af7a")


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


ZERO = fmpq_mat(2, 1, [0, 0])
HALVES = fmpq_mat(2, 1, [fmpq(1, 2), fmpq(1, 2)])


@definition_3.refutes(grade="symbolic", region="d = 2, n = 1: (0,0) and (1/2,1/2)")
def test_entry_and_column_are_different_relations(statement) -> None:
    assert statement.at(DataSetPair(ZERO, HALVES)) is Truth.FALSE
    assert statement.at(DataSetPair(ZERO, fmpq_mat(2, 1, [0, 1]))) is Truth.TRUE


@definition_3.supports_repair(
    grade="derived",
    region="every data set with d, n <= 3, symbolically; every d, n, since XX' is the sum of its columns' squares",
)
def test_replacing_a_column_changes_the_gram_matrix_by_two_outer_products(statement) -> None:
    for d, n in product((1, 2, 3), repeat=2):
        left, right = (sympy.MatrixSymbol(name, d, n).as_explicit().as_mutable() for name in "XY")
        for j in range(n):
            other = left.copy()
            other[:, j] = right[:, j]
            change = left * left.T - other * other.T
            outer = left[:, j] * left[:, j].T - right[:, j] * right[:, j].T
            assert (change - outer).expand() == sympy.zeros(d, d)
    for k in range(1, 25):
        data = fmpq_mat(3, 2, [fmpq(i * k % 7, 5) for i in range(6)])
        other = fmpq_mat(3, 2, [data[i, j] if j == 0 else fmpq(k, 9) + i for i in range(3) for j in range(2)])
        assert statement.at(DataSetPair(data, other)) is Truth.TRUE
    two_columns = DataSetPair(fmpq_mat(1, 2, [0, 0]), fmpq_mat(1, 2, [1, 1]))
    bind_hypotheses(statement, DataSetPair(ZERO, HALVES), {"exactly one column differs": two_columns})


@definition_3.controls("+repair", grade="symbolic", region="two columns differ")
def test_two_replaced_columns_are_noticed(statement) -> None:
    two = DataSetPair(fmpq_mat(1, 2, [0, 0]), fmpq_mat(1, 2, [1, 1]))
    anything = statement.without("exactly one column differs")
    assert anything.at(two) is Truth.FALSE
    left_over = DataSetPair(fmpq_mat(2, 2, [0, 0, 0, 0]), fmpq_mat(2, 2, [1, 0, 0, 1]))
    assert anything.at(left_over) is Truth.FALSE, "one entry of four is left over, and the largest counts"
    assert anything.margin(left_over) == -1


def _events() -> list[EventPoint]:
    first = (fmpq(1, 2), fmpq(1, 3), fmpq(1, 6))
    second = (fmpq(1, 6), fmpq(1, 3), fmpq(1, 2))
    return [
        EventPoint(first, second, event, exponential, fmpq(0))
        for event in product((False, True), repeat=3)
        for exponential in (fmpq(1), fmpq(3, 2), fmpq(4))
    ]


@definition_4.refutes(grade="interval", region="one outcome, S empty, delta = -1/10")
def test_a_negative_delta_rules_out_even_a_constant_mechanism(statement) -> None:
    assert statement.at(EventPoint((fmpq(1),), (fmpq(1),), (False,), fmpq(2), fmpq(-1, 10))) is Truth.FALSE
    certain = EventPoint((fmpq(1),), (fmpq(0),), (True,), fmpq(2), fmpq(1))
    assert statement.at(certain) is Truth.TRUE, "at delta = 1 even full disclosure qualifies"
    for point in _events():
        excess = sum(
            (a - point.exponential * q for a, q, i in zip(point.first, point.second, point.event, strict=True) if i),
            fmpq(0),
        )
        assert abs(statement.margin(point) - arb(point.delta - excess)) < arb(2) ** -40


@definition_4.supports_repair(
    grade="derived",
    region="every finite pair of distributions and event, term by term; every pair by approximation; 24 events",
)
def test_the_hockey_stick_divergence_is_the_largest_excess(statement) -> None:
    """Outcome by outcome, max(0, x) - x and max(0, x) are never negative, so no event exceeds the sum."""
    x = sympy.symbols("x", real=True)
    assert sympy.Max(0, x).subs(x, -3) == 0
    assert sympy.expand((sympy.Max(0, x) - x - sympy.Max(0, -x)).rewrite(sympy.Abs)) == 0
    values = []
    for point in _events():
        terms = [a - point.exponential * q for a, q in zip(point.first, point.second, strict=True)]
        largest = sum((max(term, fmpq(0)) for term in terms), fmpq(0))
        excess = sum((term for term, inside in zip(terms, point.event, strict=True) if inside), fmpq(0))
        assert largest >= excess
        values.append((point, largest - excess))
    bind(statement, values)
    best = EventPoint((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4)), (True, False), fmpq(1), fmpq(0))
    assert statement.at(best) is Truth.TRUE, "attained by the outcomes that are likelier than E times the other"
    bind_hypotheses(
        statement,
        best,
        {
            "delta >= 0": EventPoint(best.first, best.second, best.event, fmpq(1), fmpq(-1, 9)),
            "delta < 1": EventPoint(best.first, best.second, best.event, fmpq(1), fmpq(1)),
        },
    )


@definition_4.controls("+repair", grade="interval", region="two outcomes")
def test_a_smaller_bound_than_the_divergence_is_noticed(statement) -> None:
    best = EventPoint((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4)), (True, False), fmpq(1), fmpq(0))
    assert statement.nudged(lambda margin: margin - arb(1) / 20).at(best) is Truth.FALSE


@definition_5.refutes(grade="interval", region="orthogonal unit records")
def test_the_spectral_norm_does_not_bound_the_euclidean_change(statement) -> None:
    assert statement.at(RecordPair(1, 1, 0)) is Truth.FALSE
    a, d, s = sympy.symbols("a d s", real=True)
    formula = (sympy.Abs(a - d) + sympy.sqrt((a + d) ** 2 - 4 * s**2)) / 2 - sympy.sqrt(a**2 + d**2 - 2 * s**2)
    bind(statement, _on_pairs(formula, a, d, s))
    bind_hypotheses(statement, RecordPair(0, 0, 0), OUTSIDE)
    bind_hypotheses(statement, RecordPair(1, 1, 1), OUTSIDE)
    assert not statement.strict, "a bound may be attained"
    assert statement.at(RecordPair(1, 0, 0)) is Truth.TRUE, "one record alone changes both norms alike"


@definition_5.supports_repair(
    grade="symbolic", region="every |v|^2, |w|^2 in [0, 1] and <v, w>: an identity in these three numbers"
)
def test_the_entrywise_norm_is_at_most_the_root_of_two(statement) -> None:
    """2 - a^2 - b^2 + 2 s^2 = (1 - a^2) + (1 - b^2) + 2 s^2, a sum of non-negative terms for a, b in [0, 1]."""
    a, d, s = sympy.symbols("a d s", real=True)
    margin = 2 - (a**2 + d**2 - 2 * s**2)
    assert sympy.expand(margin - ((1 - a**2) + (1 - d**2) + 2 * s**2)) == 0
    bind(statement, _on_pairs(margin, a, d, s))
    bind_hypotheses(statement, RecordPair(0, 0, 0), OUTSIDE)
    bind_hypotheses(statement, RecordPair(1, 1, 1), OUTSIDE)
    assert statement.at(RecordPair(1, 1, 0)) is Truth.TRUE, "equality is attained"
    for value, answer in ((Fraction(1, 4), Truth.FALSE), (Fraction(1, 2), Truth.TRUE), (1, Truth.TRUE)):
        assert at_least("v_squared", Fraction(1, 2)).at(RecordPair(value, 0, 0)) is answer, "bounds other than zero"


OUTSIDE = {
    "v_squared >= 0": RecordPair(-1, 0, 0),
    "v_squared <= 1": RecordPair(2, 0, 0),
    "w_squared >= 0": RecordPair(0, -1, 0),
    "w_squared <= 1": RecordPair(0, 2, 0),
    "<v, w>^2 <= |v|^2 |w|^2": RecordPair(Fraction(1, 2), Fraction(1, 2), 1),
}


def _on_pairs(formula: sympy.Expr, a: sympy.Symbol, d: sympy.Symbol, s: sympy.Symbol):
    for i, j, k in product((1, 3, 6), (1, 2, 5), (-1, 0, 1)):
        point = RecordPair(Fraction(i, 6), Fraction(j, 5), Fraction(k, 7))
        numbers = {a: point.v_squared, d: point.w_squared, s: point.inner}
        yield point, formula.subs({key: sympy.Rational(value) for key, value in numbers.items()}).evalf(50)


@definition_5.controls("+repair", grade="interval", region="orthogonal unit records")
def test_a_smaller_entrywise_bound_is_noticed(statement) -> None:
    assert statement.nudged(lambda margin: margin - arb(1) / 5).at(RecordPair(1, 1, 0)) is Truth.FALSE
