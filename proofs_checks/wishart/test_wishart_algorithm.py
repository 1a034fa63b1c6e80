"""Algorithm 2 of `wishart`: what it draws, and whether its output is positive semidefinite."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, ctx, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import ball, precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.points import GridNoise
from dpmatrix.spec.wishart.wishart_algorithm import (
    GaussianDiagonal,
    LaplaceDiagonal,
    PositiveDefiniteSum,
    RecordsBeside,
    ScaledRelease,
    WishartRun,
)
from dpmatrix.tracing import bind_expression

psd_preservation = cite("wishart.psd-preservation@d5e42688")
algorithm_2 = cite("wishart.algorithm-2@fc9b6ac5")


@psd_preservation.supports(grade="derived", region="every d, n, m; symbolically for d, n, m <= 3")
def test_wishart_output_is_semidefinite(statement) -> None:
    """u'(XX'/n + GG')u is |X'u|^2 / n + |G'u|^2."""
    for d, columns in product((1, 2, 3), repeat=2):
        x, g = (sympy.MatrixSymbol(name, d, columns).as_explicit() for name in "XG")
        u = sympy.MatrixSymbol("u", d, 1).as_explicit()
        form = (u.T * (x * x.T / columns + g * g.T) * u)[0, 0]
        squares = sum(entry**2 for entry in x.T * u) / columns + sum(entry**2 for entry in g.T * u)
        assert sympy.expand(form - squares) == 0
    values = []
    for k in range(1, 25):
        x, g = (fmpq_mat(3, 4, [fmpq((i * k + shift) % 11 - 5, 7) for i in range(12)]) for shift in (0, 3))
        u = fmpq_mat(3, 1, [fmpq(k % 5 - 2, 3), 1, fmpq(-k, 9)])
        data, factor = (sum(entry**2 for entry in (part.transpose() * u).entries()) for part in (x, g))
        values.append((PositiveDefiniteSum(x, g, u), data / 4 + factor))
    bind(statement, values)
    assert statement.at(values[0][0]) is Truth.TRUE
    singular = PositiveDefiniteSum(fmpq_mat(2, 1, [1, 0]), fmpq_mat(2, 1, [2, 0]), fmpq_mat(2, 1, [0, 1]))
    assert statement.at(singular) is Truth.TRUE, "semidefinite, not definite"
    other_rows = PositiveDefiniteSum(fmpq_mat(2, 1, [1, 0]), fmpq_mat(1, 1, [1]), fmpq_mat(2, 1, [0, 1]))
    bind_hypotheses(statement, singular, {"X, G and u have d rows, u one column": other_rows})
    for direction in (fmpq_mat(3, 1), fmpq_mat(2, 2)):
        assert statement.applies(attrs.evolve(singular, direction=direction)) is Truth.FALSE


@psd_preservation.controls(grade="symbolic", region="d = 1, data 1/2, noise -GG' with G = 1")
def test_noise_that_is_not_semidefinite_is_noticed(statement) -> None:
    def subtracted(p: PositiveDefiniteSum) -> arb:
        total = p.data * p.data.transpose() / p.data.ncols() - p.factor * p.factor.transpose()
        return arb((p.direction.transpose() * total * p.direction)[0, 0])

    half, one = fmpq_mat(1, 1, [fmpq(1, 2)]), fmpq_mat(1, 1, [1])
    assert statement.margin(PositiveDefiniteSum(half, one, one)) == arb(5) / 4
    assert statement.nudged(margin=subtracted).at(PositiveDefiniteSum(half, one, one)) is Truth.FALSE


@psd_preservation.supports(
    "laplace-may-leave-the-cone",
    grade="derived",
    region="every entry and scale: the tail is integrated; a negative diagonal entry rules semidefiniteness out",
)
def test_laplace_output_may_be_indefinite(statement) -> None:
    """Pr(Lap(b) < -x) is exp(-x/b)/2 for x >= 0, and a negative diagonal entry rules semidefiniteness out."""
    z, scale, x = sympy.symbols("z scale entry", positive=True)
    tail = sympy.integrate(sympy.exp(-z / scale) / (2 * scale), (z, x, sympy.oo))
    assert sympy.simplify(tail - sympy.exp(-x / scale) / 2) == 0
    bind_expression(statement, sympy.exp(-x / scale) / 2)
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


@psd_preservation.supports(
    "gaussian-may-leave-the-cone",
    grade="derived",
    region="every entry and standard deviation: the tail is integrated; a negative diagonal entry rules "
    "semidefiniteness out",
)
def test_gaussian_output_may_be_indefinite(statement) -> None:
    """Pr(N(0, s^2) < -x) is erfc(x/(s sqrt 2))/2 > 0; e_i'Me_i < 0 for a matrix M with a negative diagonal entry."""
    z, deviation, x = sympy.symbols("z deviation entry", positive=True)
    density = sympy.exp(-(z**2) / (2 * deviation**2)) / (deviation * sympy.sqrt(2 * sympy.pi))
    tail = sympy.integrate(density, (z, x, sympy.oo))
    assert sympy.simplify(tail - (1 - sympy.erf(x / (deviation * sympy.sqrt(2)))) / 2) == 0
    points = [GaussianDiagonal(Fraction(i, 6), Fraction(k, 4)) for i in range(7) for k in (1, 3, 8, 40)]
    with mpmath.workdps(60):
        expected = [mpmath.erfc(real(p.entry) / (real(p.deviation) * mpmath.sqrt(2))) / 2 for p in points]
        bind(statement, [(p, mpmath.nstr(value, 55)) for p, value in zip(points, expected, strict=True)])
    assert all(statement.at(p) is Truth.TRUE for p in points)
    assert statement.strict
    for inside in (GaussianDiagonal(0, 1), GaussianDiagonal(1, Fraction(1, 9))):
        bind_hypotheses(
            statement,
            inside,
            {
                "entry >= 0": GaussianDiagonal(Fraction(-1, 99), 1),
                "entry <= 1": GaussianDiagonal(Fraction(100, 99), 1),
                "deviation > 0": GaussianDiagonal(1, 0),
            },
        )


def entries(rows: int, columns: int, k: int) -> fmpq_mat:
    """Return rational entries that differ from matrix to matrix."""
    return fmpq_mat(rows, columns, [fmpq((i * k + k // 2) % 11 - 5, 7) for i in range(rows * columns)])


@algorithm_2.supports(
    "gaussian-records-beside",
    grade="derived",
    region="every d, n, m and s^2 = n: a sum of outer products; d, n, m <= 2 with symbols, 24 runs exactly",
)
@algorithm_2.controls(
    "gaussian-records-beside", grade="symbolic", region="n = 4, s = 1, 3, 4; the data divided by n - 1"
)
def test_the_noise_is_the_second_moment_of_records_beside(statement) -> None:
    """The columns of [X, sG] have the scatter matrix XX' + s^2 GG', and s^2/n = 1.

    With noise E on the records the second moment is (X + E)(X + E)' = XX' + EE' + (XE' + EX').
    """
    for d, n, m in product((1, 2), repeat=3):
        x, g = (sympy.MatrixSymbol(name, d, size).as_explicit() for name, size in (("X", n), ("G", m)))
        together = sympy.Matrix.hstack(sympy.Matrix(x), sympy.sqrt(n) * sympy.Matrix(g))
        assert (together * together.T / n - (x * x.T / n + g * g.T)).expand() == sympy.zeros(d, d)
        noise = sympy.MatrixSymbol("E", d, n).as_explicit()
        cross = (x + noise) * (x + noise).T - x * x.T - noise * noise.T
        assert (cross - x * noise.T - noise * x.T).expand() == sympy.zeros(d, d)
    points = [
        RecordsBeside(entries(d, root**2, k), entries(d, d + 1, k + 3), root)
        for d, root in product((1, 2, 3), (1, 2, 3, 4))
        for k in (2, 5)
    ]
    assert all(statement.at(p) is Truth.TRUE for p in points)
    bind(statement, [(p, 0) for p in points])
    one, four = fmpq_mat(1, 1, [fmpq(1, 2)]), entries(1, 4, 3)
    inside = RecordsBeside(four, fmpq_mat(1, 2, [1, fmpq(1, 2)]), 2)
    rows, root = "X and G have the same number of rows", "s^2 = n"
    bind_hypotheses(
        statement,
        inside,
        {rows: attrs.evolve(inside, factor=fmpq_mat(2, 1, [1, 1])), root: attrs.evolve(inside, stretch=1)},
    )
    for stretch in (1, 3, 4):
        wrong = attrs.evolve(inside, stretch=stretch)
        assert statement.without(root).at(wrong) is Truth.FALSE
        assert statement.without(root).margin(wrong) == -abs(arb(1) - arb(stretch) ** 2 / 4) * arb(5) / 4

    def fewer(p: RecordsBeside) -> arb:
        released = p.data * p.data.transpose() / (p.data.ncols() - 1) + p.factor * p.factor.transpose()
        together = p.data * p.data.transpose() / 4 + p.factor * p.factor.transpose()
        return -abs(arb((released - together)[0, 0]))

    assert statement.nudged(margin=fewer).at(inside) is Truth.FALSE
    assert statement.at(RecordsBeside(one, one, -1)) is Truth.TRUE, "either root of n"


@algorithm_2.refutes(
    grade="derived",
    region="every h > 0: the first cell of the grid has positive probability, by the docstring; h = 10^-12, .., 10^12",
)
def test_wishart_noise_is_on_no_grid(statement) -> None:
    """An entry W_11 ~ c chi^2_(d+1) has a positive density on the half line: between h/4 and 3h/4 now and then.

    This is so for every epsilon; the family takes 1/h, at which c = 3h/2 for n = 1.
    """
    statement.refute(lambda spacing: GridNoise(1, 1, 1 / spacing, spacing, spacing / 4))
    points = [
        GridNoise(d, n, Fraction(k, 3), Fraction(h, 10), Fraction(h, 10 * q))
        for d, n, k in ((1, 1, 2), (2, 5, 1), (7, 2, 9))
        for h, q in ((1, 3), (5, 4), (30, 9))
    ]
    with precision(256), mpmath.workdps(60):
        for p in points:
            scale = mpmath.mpf(3) / (2 * p.records * real(p.epsilon))
            ends = [real(end) / (2 * scale) for end in (p.distance, p.spacing - p.distance)]
            first = mpmath.gammainc(mpmath.mpf(p.dimension + 1) / 2, *ends, regularized=True)
            probability = -statement.margin(p)
            lower = probability.lower()  # its end is rounded outwards
            assert abs(lower - arb(mpmath.nstr(first, 55))) < arb(10) ** -8
            assert 1 <= probability.upper() < 1 + arb(10) ** -6
    inside = GridNoise(1, 1, 1, 1, Fraction(1, 4))
    bind_hypotheses(
        statement,
        inside,
        {
            "dimension >= 1, an integer": attrs.evolve(inside, dimension=0),
            "records >= 1, an integer": attrs.evolve(inside, records=0),
            "epsilon > 0": attrs.evolve(inside, epsilon=0),
            "spacing > 0": attrs.evolve(inside, spacing=0),
            "distance >= 0": attrs.evolve(inside, distance=-1),
            "distance < h/2": attrs.evolve(inside, distance=Fraction(1, 2)),
        },
    )
    for distance in (0, Fraction(499, 1000)):
        assert statement.applies(attrs.evolve(inside, distance=distance)) is Truth.TRUE


@algorithm_2.controls("+repair", grade="symbolic", region="runs written by hand, d = 2, n = 1, 3")
def test_another_wishart_law_is_noticed(statement) -> None:
    """Conformance means exactly d + 1 degrees of freedom and exactly the scale 3/(2 n epsilon), for unit records."""
    run = WishartRun(2, 3, Fraction(1, 2), 3, 1)
    m, d, c, n, e, bound = sympy.symbols("degrees_of_freedom dimension scale records epsilon norm_bound")
    law = sympy.Min(-sympy.Abs(2 * c * n * e - 3), -sympy.Abs(m - d - 1))
    bind_expression(statement.elsewhere(), sympy.Min(law, c - 3 * bound**2 / (2 * n * e)))
    assert statement.at(run) is Truth.TRUE
    for freedom in (2, 4, 6):
        assert statement.elsewhere().at(attrs.evolve(run, degrees_of_freedom=freedom)) is Truth.FALSE
        assert statement.elsewhere().margin(attrs.evolve(run, degrees_of_freedom=freedom)) == -abs(freedom - 3)
    for scale in (Fraction(3, 4), Fraction(5, 4), 2):
        assert statement.elsewhere().at(attrs.evolve(run, scale=scale)) is Truth.FALSE
        assert statement.elsewhere().margin(attrs.evolve(run, scale=scale)) == -3 * abs(ball(scale) - 1), (
            "-|2 c n eps - 3|"
        )
    assert statement.without("norm_bound <= 1").elsewhere().at(attrs.evolve(run, norm_bound=2)) is Truth.FALSE
    less = WishartRun(2, 1, Fraction(1, 4), 3, 4)
    assert statement.elsewhere().margin(less) == -2, "4 where unit records need 3/(2 n eps) = 6"
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


@algorithm_2.supports(
    "unit-norm-without-loss", grade="derived", region="every X, G and R > 0; d, n <= 2 with symbols, 24 runs exactly"
)
@algorithm_2.controls("unit-norm-without-loss", grade="symbolic", region="d = 1, R = 2: R for R^2")
def test_scaled_data_have_scaled_noise(statement) -> None:
    """R^2 (XX'/(R^2 n) + GG') = XX'/n + (RG)(RG)', and (RG)(RG)' ~ W_d(m, R^2 C) for GG' ~ W_d(m, C)."""
    r = sympy.Symbol("R", positive=True)
    for d, n in product((1, 2), repeat=2):
        x, g = (sympy.MatrixSymbol(name, d, n).as_explicit() for name in "XG")
        difference = r**2 * ((x / r) * (x / r).T / n + g * g.T) - (x * x.T / n + (r * g) * (r * g).T)
        assert difference.expand() == sympy.zeros(d, d)
    points = []
    for k in range(1, 25):
        x, g = (fmpq_mat(2, 3, [fmpq((i * k + shift) % 11 - 5, 7) for i in range(6)]) for shift in (0, 3))
        points.append(ScaledRelease(x, g, Fraction(k, 6)))
        assert statement.at(points[-1]) is Truth.TRUE
    bind(statement, [(p, 0) for p in points])
    one = fmpq_mat(1, 1, [1])
    inside = ScaledRelease(one, one, 2)

    def half_scaled(p: ScaledRelease) -> arb:
        bound = fmpq(2)
        released = p.data * p.data.transpose() / bound**2 + p.factor * p.factor.transpose()
        return -arb(abs((bound * released - p.data * p.data.transpose() - 4 * p.factor * p.factor.transpose())[0, 0]))

    assert statement.nudged(margin=half_scaled).at(inside) is Truth.FALSE
    bind_hypotheses(statement, inside, {"norm_bound > 0": attrs.evolve(inside, norm_bound=0)})
