"""Algorithm 2 of `wishart`: what it draws, and whether its output is positive semidefinite."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import ctx, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.wishart_algorithm import LaplaceDiagonal, PositiveDefiniteSum, WishartRun

psd_preservation = cite("wishart.psd-preservation@473db495")
algorithm_2 = cite("wishart.algorithm-2@55bfeb02")


@psd_preservation.supports(grade="derived", region="every d, n, m; symbolically for d, n, m <= 3")
def test_wishart_output_is_semidefinite(statement) -> None:
    """u'(XX' + GG')u is |X'u|^2 + |G'u|^2."""
    for d, columns in product((1, 2, 3), repeat=2):
        x, g = (sympy.MatrixSymbol(name, d, columns).as_explicit() for name in "XG")
        u = sympy.MatrixSymbol("u", d, 1).as_explicit()
        form = (u.T * (x * x.T + g * g.T) * u)[0, 0]
        squares = sum(entry**2 for entry in x.T * u) + sum(entry**2 for entry in g.T * u)
        assert sympy.expand(form - squares) == 0
    values = []
    for k in range(1, 25):
        x, g = (fmpq_mat(3, 4, [fmpq((i * k + shift) % 11 - 5, 7) for i in range(12)]) for shift in (0, 3))
        u = fmpq_mat(3, 1, [fmpq(k % 5 - 2, 3), 1, fmpq(-k, 9)])
        squares = sum(fmpq(entry) ** 2 for part in (x, g) for entry in (part.transpose() * u).entries())
        values.append((PositiveDefiniteSum(x, g, u), fmpq(squares)))
    bind(statement, values)
    assert statement.at(values[0][0]) is Truth.TRUE
    singular = PositiveDefiniteSum(fmpq_mat(2, 1, [1, 0]), fmpq_mat(2, 1, [2, 0]), fmpq_mat(2, 1, [0, 1]))
    assert statement.at(singular) is Truth.TRUE, "semidefinite, not definite"
    assert statement.given == ()


@psd_preservation.controls(grade="symbolic", region="d = 1, data 0, noise 1: the form less 2")
def test_noise_that_is_not_semidefinite_is_noticed(statement) -> None:
    zero, one = fmpq_mat(1, 1, [0]), fmpq_mat(1, 1, [1])
    point = PositiveDefiniteSum(zero, one, one)
    assert statement.nudged(lambda margin: margin - 2).at(point) is Truth.FALSE


@psd_preservation.supports(
    "laplace-may-leave",
    grade="derived",
    region="every entry and scale: the tail is integrated; a negative diagonal entry rules semidefiniteness out",
)
def test_laplace_output_may_be_indefinite(statement) -> None:
    """Pr(Lap(b) < -x) is exp(-x/b)/2 for x >= 0, and a negative diagonal entry rules semidefiniteness out."""
    z, scale, x = sympy.symbols("z b x", positive=True)
    tail = sympy.integrate(sympy.exp(-z / scale) / (2 * scale), (z, x, sympy.oo))
    assert sympy.simplify(tail - sympy.exp(-x / scale) / 2) == 0
    points = [LaplaceDiagonal(Fraction(i, 9), Fraction(k, 4)) for i in range(0, 10, 2) for k in (1, 2, 5, 40)]
    bind(
        statement, ((p, (sympy.exp(-sympy.Rational(p.entry) / sympy.Rational(p.scale)) / 2).evalf(50)) for p in points)
    )
    assert statement.strict
    for inside in (LaplaceDiagonal(0, 1), LaplaceDiagonal(1, 1)):
        bind_hypotheses(
            statement,
            inside,
            {
                "entry >= 0": LaplaceDiagonal(-1, 1),
                "entry <= 1": LaplaceDiagonal(2, 1),
                "scale > 0": LaplaceDiagonal(1, 0),
            },
        )
    assert ctx.prec == 53


@algorithm_2.refutes(grade="symbolic", region="d = 2, n = 3, epsilon = 1/2, records of norm 2: a scale of 1 against 4")
def test_raw_data_of_any_norm_exceeds_the_wishart_scale(statement) -> None:
    run = WishartRun(2, 3, Fraction(1, 2), 3, 1)
    assert statement.at(attrs.evolve(run, norm_bound=2)) is Truth.FALSE
    assert statement.margin(run).contains(0), "norm 1 is what the scale is for"
    assert not statement.strict, "a scale that just covers the records suffices"
    runs = [
        WishartRun(d, records, Fraction(k, 3), d + 1, Fraction(9, 2 * records * k), Fraction(r, 2))
        for d, records, k, r in product((1, 4), (1, 8), (1, 5), (1, 3, 4))
    ]
    margins = [(p, (sympy.Rational(p.scale) * (1 - sympy.Rational(p.norm_bound) ** 2)).evalf(50)) for p in runs]
    bind(statement, margins)
    hypotheses = {
        "dimension >= 1, an integer": attrs.evolve(run, dimension=0, degrees_of_freedom=1),
        "records >= 1, an integer": attrs.evolve(run, records=0),
        "epsilon > 0": attrs.evolve(run, epsilon=0),
        "c = 3/(2 n epsilon)": attrs.evolve(run, scale=2),
    }
    bind_hypotheses(statement, run, hypotheses)


@algorithm_2.controls("+repair", grade="symbolic", region="runs written by hand, d = 2, n = 3")
def test_another_wishart_law_is_noticed(statement) -> None:
    """Conformance means exactly d + 1 degrees of freedom and exactly the scale 3/(2 n epsilon)."""
    run = WishartRun(2, 3, Fraction(1, 2), 3, 1)
    assert statement.at(run) is Truth.TRUE
    for freedom in (2, 4, 6):
        assert statement.elsewhere().at(attrs.evolve(run, degrees_of_freedom=freedom)) is Truth.FALSE
        assert statement.elsewhere().margin(attrs.evolve(run, degrees_of_freedom=freedom)) == -abs(freedom - 3)
    for scale in (Fraction(3, 4), Fraction(5, 4), 2):
        assert statement.elsewhere().at(attrs.evolve(run, scale=scale)) is Truth.FALSE
        assert statement.elsewhere().margin(attrs.evolve(run, scale=scale)) == -3 * abs(ball(scale) - 1), (
            "-|2 c n eps - 3|"
        )
    bind_hypotheses(
        statement,
        WishartRun(1, 1, 1, 2, Fraction(3, 2)),
        {
            "norm_bound <= 1": attrs.evolve(run, norm_bound=2),
            "dimension >= 1, an integer": attrs.evolve(run, dimension=0),
            "records >= 1, an integer": attrs.evolve(run, records=0),
            "epsilon > 0": attrs.evolve(run, epsilon=0),
        },
    )
