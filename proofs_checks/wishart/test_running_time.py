"""`wishart.running-time`: what the mechanism costs, with counts that are executed."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.forms import Number
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.running_time import RunningTime, time_with_matrix, time_without_matrix
from dpmatrix.tracing import bind_expression

running_time = cite("wishart.running-time@4d21b880")


class Counted:
    """A number that counts what is done with it."""

    operations = 0

    def __init__(self, value: Fraction) -> None:
        self.value = value

    def __add__(self, other: Counted) -> Counted:
        Counted.operations += 1
        return Counted(self.value + other.value)

    def __sub__(self, other: Counted) -> Counted:
        Counted.operations += 1
        return Counted(self.value - other.value)

    def __mul__(self, other: Counted) -> Counted:
        Counted.operations += 1
        return Counted(self.value * other.value)

    def __truediv__(self, other: Counted) -> Counted:
        Counted.operations += 1
        return Counted(self.value / other.value)

    def root(self) -> Counted:
        """Take the square root, in floating point."""
        Counted.operations += 1
        return Counted(Fraction(math.sqrt(self.value)))


def inner(first: list[Counted], second: list[Counted]) -> Counted:
    total = first[0] * second[0]
    for left, right in zip(first[1:], second[1:], strict=True):
        total = total + left * right
    return total


@attrs.frozen
class Draw:
    """The data, the lower triangular factor of the noise, and the scales 1/n and c."""

    data: list[list[Counted]]
    factor: list[list[Counted]]
    reciprocal: Counted
    scale: Counted

    @classmethod
    def of(cls, d: int, n: int) -> Draw:
        """Fill in numbers, and count from here on."""
        data = [[Counted(Fraction((2 * i + 3 * j) % 5 + i + 1, 3)) for j in range(n)] for i in range(d)]
        factor = [[Counted(Fraction(2 * i - 3 * j + 5, 5)) for j in range(i + 1)] for i in range(d)]
        Counted.operations = 0
        return cls(data, factor, Counted(Fraction(1, n)), Counted(Fraction(3, 2 * n)))


def release_directly(draw: Draw) -> tuple[list[list[Counted]], int]:
    """Form A + W, symmetric; with the operations that its upper triangle took."""
    d = len(draw.data)
    upper = {
        (i, j): inner(draw.data[i], draw.data[j]) * draw.reciprocal
        + inner(draw.factor[i], draw.factor[j][: i + 1]) * draw.scale
        for i in range(d)
        for j in range(i, d)
    }
    return [[upper[min(i, j), max(i, j)] for j in range(d)] for i in range(d)], Counted.operations


def product_without(draw: Draw, vector: list[Counted]) -> list[Counted]:
    """Give X (X'v)/n + c L (L'v)."""
    d, n = len(draw.data), len(draw.data[0])
    seen = [inner([row[j] for row in draw.data], vector) for j in range(n)]
    noisy = [inner([draw.factor[i][j] for i in range(j, d)], vector[j:]) for j in range(d)]
    return [
        inner(row, seen) * draw.reciprocal + inner(part, noisy[: len(part)]) * draw.scale
        for row, part in zip(draw.data, draw.factor, strict=True)
    ]


def start(d: int, k: int) -> list[list[Counted]]:
    """Give k vectors that are independent."""
    return [[Counted(Fraction((i + j) % 3 + (i == j))) for i in range(d)] for j in range(k)]


def orthonormalised(vectors: list[list[Counted]]) -> tuple[list[list[Fraction]], int]:
    """Make vectors orthonormal; the operations that it took."""
    Counted.operations = 0
    done: list[list[Counted]] = []
    for vector in vectors:
        rest = vector
        for other in done:
            share = inner(other, rest)
            rest = [entry - share * direction for entry, direction in zip(rest, other, strict=True)]
        norm = inner(rest, rest).root()
        done.append([entry / norm for entry in rest])
    return [[entry.value for entry in vector] for vector in done], Counted.operations


SIZES = [
    RunningTime(n, d, k, Fraction(c), steps)
    for n, steps in ((1, 0), (2, 3), (5, 1), (11, 40))
    for d, k, c in ((1, 1, "1/3"), (2, 1, 7), (3, 2, 1), (6, 6, 2))
]
SIZES += [RunningTime(10**9, 300, 7, 3, 12), *(RunningTime(n, 8, 3, 2, n) for n in (3, 4, 6, 9))]
n_, d_, k_, s_, c_ = sympy.symbols("records dimension rank steps constant", positive=True)


ONE = RunningTime(1, 1, 1, 1)
OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(ONE, records=-5),
    "dimension >= 1, an integer": attrs.evolve(ONE, dimension=-1),
    "rank >= 1, an integer": attrs.evolve(ONE, rank=-1, steps=2),
}


def check_sizes(statement, more: dict[str, RunningTime], *names: str) -> None:
    """Each size is asked to be at least 1, and nothing else but what is given."""
    outside = {says: point for says, point in OUTSIDE.items() if not names or says.partition(" ")[0] in names} | more
    bind_hypotheses(statement, ONE, outside)
    for name in (says.partition(" ")[0] for says in outside if says in OUTSIDE):
        assert statement.applies(attrs.evolve(ONE, **{name: 0})) is Truth.FALSE


@running_time.refutes(
    grade="derived",
    region="every K, k and d, as soon as n > K k d, by the docstring: every entry is read; K = 10^-12, .., 10^12",
)
def test_every_entry_of_the_data_must_be_read(statement) -> None:
    """d(XX'/n)_ii / dx_ij = 2 x_ij / n: the law of the output changes with each of the n d entries."""
    data = sympy.Matrix(2, 3, sympy.symbols("x1:7", positive=True))
    second_moment = data * data.T / 3
    for i in range(2):
        for j in range(3):
            assert sympy.simplify(sympy.diff(second_moment[i, i], data[i, j]) - 2 * data[i, j] / 3) == 0
    bind_expression(statement, c_ * k_ * d_**2 - n_ * d_)
    for k, d in ((1, 1), (3, 10), (300, 300)):

        def many_records(constant: Number, k: int = k, d: int = d) -> RunningTime:
            return RunningTime(int(rational(constant) * k * d) + 1, d, k, constant)

        statement.refute(many_records)
        assert statement.conclusion(RunningTime(1000 * k * d, d, k, 1000)) is Truth.TRUE
    check_sizes(statement, {"constant > 0": attrs.evolve(ONE, constant=0)})
    assert statement.applies(attrs.evolve(ONE, constant=Fraction(-1, 9))) is Truth.FALSE


TRIANGLE, PAIRS = d_ * (d_ + 1), k_ * (k_ - 1) / 2
RELEASE = TRIANGLE * (6 * n_ + 2 * d_ + 7) / 6
PRODUCT = k_ * d_ * (d_ + d_ - 1)  # each of k d entries: d products and d - 1 sums
ORTHONORMAL = PAIRS * (4 * d_ - 1) + 3 * k_ * d_
FACTORED = k_ * (4 * n_ * d_ - n_ + 2 * d_**2 + 2 * d_)
WITH, WITHOUT = RELEASE + s_ * (PRODUCT + ORTHONORMAL), s_ * (FACTORED + ORTHONORMAL)
WHOLE = {RELEASE: sympy.floor(RELEASE), PAIRS: sympy.floor(PAIRS)}
"""Numbers that are whole, as they are computed."""


def check_counts() -> None:
    """Run both ways: the counts are these, and the vectors that they give are the same rational numbers."""
    for d, n, k in ((1, 1, 1), (1, 4, 1), (2, 1, 2), (3, 5, 1), (4, 3, 3), (5, 2, 5)):
        sizes = {d_: d, n_: n, k_: k}
        draw = Draw.of(d, n)
        matrix, counted = release_directly(draw)
        assert counted == RELEASE.subs(sizes)
        for i, j in itertools.product(range(d), repeat=2):
            noise = sum(draw.factor[i][m].value * draw.factor[j][m].value for m in range(min(i, j) + 1))
            data = sum(draw.data[i][m].value * draw.data[j][m].value for m in range(n))
            assert matrix[i][j].value == data / n + Fraction(3, 2 * n) * noise
        Counted.operations = 0
        formed = [[inner(row, vector) for row in matrix] for vector in start(d, k)]
        assert Counted.operations == PRODUCT.subs(sizes)
        Counted.operations = 0
        factored = [product_without(draw, vector) for vector in start(d, k)]
        assert Counted.operations == FACTORED.subs(sizes)
        vectors, counted = orthonormalised(formed)
        assert counted == ORTHONORMAL.subs(sizes)
        assert orthonormalised(factored) == (vectors, counted)
        for i, j in itertools.product(range(k), repeat=2):
            inner_product = sum(x * y for x, y in zip(vectors[i], vectors[j], strict=True))
            assert abs(float(inner_product) - (i == j)) < 1e-9


def no_negative_coefficient(polynomial: sympy.Expr, least: dict[sympy.Symbol, sympy.Expr]) -> bool:
    """Say whether a polynomial has none in the sizes beyond their least values."""
    shifted = polynomial.subs({size: size + start for size, start in least.items()}, simultaneous=True)
    return all(coefficient >= 0 for coefficient in sympy.Poly(sympy.expand(shifted), *least).coeffs())


@running_time.supports_repair(
    grade="derived",
    region="every n, d, k <= d and s, by the docstring: the counts are executed at six sizes, the inequalities are "
    "of polynomials",
)
@running_time.supports(
    "one-iteration",
    grade="derived",
    region="every d and k: d products and d - 1 sums for each of k d entries; the inequality is one of polynomials",
)
@running_time.supports(
    "published-matrix",
    grade="derived",
    region="every d and n: the counts are executed at six sizes, the inequality is one of polynomials",
)
@running_time.controls(
    "+repair", grade="symbolic", region="n = d = k = s = 1, 4 in place of 5; d = 9, one way alone; k > d"
)
@running_time.controls("published-matrix", grade="symbolic", region="n = d = 1, 2 in place of 3")
def test_operations(statements) -> None:
    """From s k >= d on A + W is formed: at most 4 n d^2 + d^3 operations (1), and at most 4 k d^2 for a step (2).

    As d^3 <= s k d^2, that is 4 n d^2 + 5 s k d^2. Up to s k < d it is not: as k < d, a step takes at most
    4 n d k + 5 k d^2 (3).
    """
    repaired, iteration, published = (
        statements[f"wishart.running-time{part}"] for part in ("+repair", "/one-iteration", "/published-matrix")
    )
    check_counts()
    ones, more = dict.fromkeys((n_, d_), 1), sympy.Symbol("more", nonnegative=True)
    assert no_negative_coefficient(4 * n_ * d_**2 + d_**3 - RELEASE, ones), "(1)"
    spare = 4 * k_ * d_**2 - PRODUCT - ORTHONORMAL
    assert sympy.expand(spare - 2 * k_ * d_ * (d_ - k_) - k_ * (k_ - 1) / 2) == 0, "(2)"
    slack = sympy.expand((4 * n_ * d_ * k_ + 5 * k_ * d_**2 - FACTORED - ORTHONORMAL) / k_)
    assert no_negative_coefficient(slack.subs(d_, k_ + 1 + more), {n_: 1, k_: 1, more: 0}), "(3)"
    allowed = 4 * n_ * d_ * sympy.Min(d_, s_ * k_) + 5 * s_ * k_ * d_**2
    bind_expression(repaired, (allowed - sympy.Min(WITH, WITHOUT)).subs(WHOLE))
    bind_expression(published, (2 * n_ * d_**2 + 3 * d_**3 - RELEASE).subs(WHOLE))
    assert no_negative_coefficient(2 * n_ * d_**2 + 3 * d_**3 - RELEASE, ones)
    bind_expression(iteration, 2 * k_ * d_**2 - PRODUCT)
    assert sympy.expand(2 * k_ * d_**2 - PRODUCT) == k_ * d_
    assert all(statement.at(p) is Truth.TRUE for p in SIZES for statement in (repaired, iteration, published))

    def with_four(p: RunningTime) -> arb:
        return arb(4 + 4 - min(time_with_matrix(p), time_without_matrix(p)))

    def with_two(p: RunningTime) -> arb:
        return arb(2 * p.records * p.dimension**2 + 2 * p.dimension**3) - release(p)

    def release(p: RunningTime) -> arb:
        return arb(time_with_matrix(attrs.evolve(p, steps=0)))

    single = attrs.evolve(ONE, steps=1)
    assert repaired.margin(single) == 0, "9 operations"
    assert repaired.nudged(margin=with_four).at(single) is Truth.FALSE
    assert published.margin(single) == 0, "5 operations"
    assert published.nudged(margin=with_two).at(single) is Truth.FALSE
    check_neither_way_is_enough(repaired)
    wide = RunningTime(1, 1, 9, 1, 9)
    assert repaired.without("k <= d").at(wide) is Truth.FALSE
    backwards = attrs.evolve(ONE, dimension=3, steps=-10)
    check_sizes(repaired, {"k <= d": wide, "steps >= 0, an integer": backwards})
    assert repaired.applies(attrs.evolve(ONE, steps=-1)) is Truth.FALSE
    check_sizes(iteration, {}, "dimension", "rank")
    check_sizes(published, {}, "records", "dimension")


def check_neither_way_is_enough(repaired) -> None:
    """With few steps A + W takes too long to form; with many the products from X and L do."""
    few, many = RunningTime(900, 9, 1, 1, 1), RunningTime(900, 9, 1, 1, 99)
    ways = {few: (time_without_matrix, time_with_matrix), many: (time_with_matrix, time_without_matrix)}
    for p, (good, bad) in ways.items():
        for way, answer in ((good, Truth.TRUE), (bad, Truth.FALSE)):
            vectors = p.steps * p.rank
            allowed = 4 * p.records * p.dimension * min(p.dimension, vectors) + 5 * vectors * p.dimension**2
            slack = arb(allowed - way(p))
            assert repaired.nudged(margin=lambda _, slack=slack: slack).at(p) is answer
            assert (repaired.margin(p) == slack) is (way is good)
