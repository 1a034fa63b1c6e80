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
from dpmatrix.spec.wishart.running_time import RunningTime, release_operations
from dpmatrix.tracing import bind_expression

running_time = cite("wishart.running-time@cd448949")


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


def release_directly(d: int, n: int) -> tuple[list[list[Fraction]], int]:
    """Upper triangle of XX'/n + c GG' with the operations that it took."""
    rows = [[Counted(Fraction(i + 2 * j + 1, 3)) for j in range(n)] for i in range(d)]
    normals = [[Counted(Fraction(2 * i - j, 5)) for j in range(d + 1)] for i in range(d)]
    reciprocal, scale = Counted(Fraction(1, n)), Counted(Fraction(3, 2 * n))
    Counted.operations = 0
    upper = [
        [inner(rows[i], rows[j]) * reciprocal + inner(normals[i], normals[j]) * scale for j in range(i, d)]
        for i in range(d)
    ]
    return [[entry.value for entry in row] for row in upper], Counted.operations


def step_directly(d: int, k: int) -> tuple[list[list[Fraction]], int, int]:
    """Take a product with k vectors and make them orthonormal; the vectors, and the operations of the two parts."""
    rows = [[Counted(Fraction((2 * i + 3 * j) % 5 + 4 * (i == j))) for j in range(d)] for i in range(d)]
    vectors = [[Counted(Fraction((i + j) % 3 + (i == j))) for i in range(d)] for j in range(k)]
    Counted.operations = 0
    vectors = [[inner(row, vector) for row in rows] for vector in vectors]
    product = Counted.operations
    done: list[list[Counted]] = []
    for vector in vectors:
        rest = vector
        for other in done:
            share = inner(other, rest)
            rest = [entry - share * direction for entry, direction in zip(rest, other, strict=True)]
        norm = inner(rest, rest).root()
        done.append([entry / norm for entry in rest])
    return [[entry.value for entry in vector] for vector in done], product, Counted.operations - product


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


@running_time.supports_repair(
    grade="derived",
    region="every n, d, k <= d and s: the counts are executed at five sizes, the inequality is one of polynomials",
)
@running_time.supports(
    "one-iteration",
    grade="derived",
    region="every d and k: d products and d - 1 sums for each of k d entries; the inequality is one of polynomials",
)
@running_time.controls("+repair", grade="symbolic", region="n = d = 1, 3 in place of 5; k > d")
def test_operations(statements) -> None:
    """5 (n d^2 + d^3) minus the count has no negative coefficient in n - 1 and d - 1; the counts are executed.

    A step takes 2 k d (d - k) + k (k - 1)/2 operations less than 4 k d^2.
    """
    repaired, iteration = statements["wishart.running-time+repair"], statements["wishart.running-time/one-iteration"]
    triangle, pairs = d_ * (d_ + 1) / 2, k_ * (k_ - 1) / 2
    operations = triangle * (2 * n_ + 2 * d_ + 3)
    gap = 5 * (n_ * d_**2 + d_**3) - operations
    shifted = sympy.Poly(sympy.expand(gap.subs({n_: n_ + 1, d_: d_ + 1})), n_, d_)
    assert all(coefficient >= 0 for coefficient in shifted.coeffs())
    for d, n in ((1, 1), (1, 4), (2, 1), (3, 5), (5, 2)):
        upper, counted = release_directly(d, n)
        assert counted == operations.subs({n_: n, d_: d})
        assert upper[0][0] == sum(Fraction(2 * j + 1, 3) ** 2 for j in range(n)) / n + Fraction(3, 2 * n) * sum(
            Fraction(j, 5) ** 2 for j in range(d + 1)
        )
    product = k_ * d_ * (d_ + d_ - 1)  # each of k d entries: d products and d - 1 sums
    orthonormal = pairs * (4 * d_ - 1) + 3 * k_ * d_
    spare = 4 * k_ * d_**2 - product - orthonormal
    assert sympy.expand(spare - 2 * k_ * d_ * (d_ - k_) - k_ * (k_ - 1) / 2) == 0
    for d, k in ((1, 1), (2, 2), (3, 1), (4, 3), (5, 5)):
        vectors, first, second = step_directly(d, k)
        assert (first, second) == (product.subs({d_: d, k_: k}), orthonormal.subs({d_: d, k_: k}))
        for i, j in itertools.product(range(k), repeat=2):
            inner_product = sum(x * y for x, y in zip(vectors[i], vectors[j], strict=True))
            assert abs(float(inner_product) - (i == j)) < 1e-9
    halves = {triangle: sympy.floor(triangle), pairs: sympy.floor(pairs)}
    bind_expression(repaired, (gap + s_ * spare).subs(halves))
    bind_expression(iteration, 2 * k_ * d_**2 - product)
    assert sympy.expand(2 * k_ * d_**2 - product) == k_ * d_
    assert all(repaired.at(p) is Truth.TRUE and iteration.at(p) is Truth.TRUE for p in SIZES)

    def with_three(p: RunningTime) -> arb:
        return arb(3 * (p.records * p.dimension**2 + p.dimension**3) - release_operations(p))

    assert repaired.nudged(margin=with_three).at(ONE) is Truth.FALSE, "7 operations, and 3 (1 + 1) = 6"
    wide = RunningTime(1, 1, 9, 1, 9)
    assert repaired.without("k <= d").at(wide) is Truth.FALSE
    backwards = attrs.evolve(ONE, dimension=3, steps=-10)
    check_sizes(repaired, {"k <= d": wide, "steps >= 0, an integer": backwards})
    assert repaired.applies(attrs.evolve(ONE, steps=-1)) is Truth.FALSE
    check_sizes(iteration, {}, "dimension", "rank")
