"""The second-moment matrix of `near-optimal`: its norm, and that PCA is no convex problem."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.second_moment import Modulus, Records
from proofs_checks.near_optimal.conditions import bind_condition

sensitivity_example = cite("near-optimal.sensitivity-example@2d4c97a6")

HALF = Fraction(1, 2)
DATA = [
    tuple(tuple(Fraction((i * a + j * b) % 7 - 3, 6) for j in range(d)) for i in range(n))
    for d, n in ((1, 2), (2, 1), (2, 3), (3, 2))
    for a, b in ((1, 2), (3, 5), (2, 2))
]
PAIRS = [
    Modulus(x, tuple(Fraction(j - s, 3) for j in range(len(x[0]))), (Fraction(s, 5),) * len(x[0]), Fraction(s, 2))
    for x, s in product(DATA, (1, 2))
]
INSIDE = Modulus(((HALF, Fraction(1, 3)), (0, 1)), (1, 0), (0, 1), Fraction(1, 20))


def matrix(p: Records) -> sympy.Matrix:
    columns = [sympy.Matrix([sympy.Rational(Fraction(entry)) for entry in record]) for record in p.records]
    return sum((x * x.T for x in columns), sympy.zeros(len(p.v))) / len(columns)


def column(vector) -> sympy.Matrix:
    return sympy.Matrix([sympy.Rational(Fraction(entry)) for entry in vector])


def shapes(statement) -> None:
    others = [
        (attrs.evolve(INSIDE, records=((HALF,) * k,) * n), 0 if k == 2 and n else -1)
        for k in range(5)
        for n in range(4)
    ]
    empty = attrs.evolve(INSIDE, records=((),), v=())
    bind_condition(statement, "records as long as v", [*others, (empty, -1)])


@sensitivity_example.supports(
    "norm-of-a", grade="derived", region="every d and records of norm at most 1: the docstring; 24 data sets exactly"
)
def test_second_moment_is_positive_and_small(statement) -> None:
    """The mean of <x_i, v>^2 is v'Av; that of <x_i, x_j>^2 <= |x_i|^2 |x_j|^2 <= 1 over i, j is tr A^2 = |A|_F^2."""
    x, y = (sympy.Matrix(sympy.symbols(f"{name}:3", real=True)) for name in "xy")
    assert sympy.expand((x * x.T * y * y.T).trace() - x.dot(y) ** 2) == 0
    pairs = sum((x[i] * y[j] - x[j] * y[i]) ** 2 for i in range(3) for j in range(i + 1, 3))
    assert sympy.expand(x.dot(x) * y.dot(y) - x.dot(y) ** 2 - pairs) == 0, "Cauchy and Schwarz, by Lagrange"

    def formula(p: Records) -> Fraction:
        a, v = matrix(p), column(p.v)
        value = min((v.T * a * v)[0], 1 - sum(entry**2 for entry in a))
        return Fraction(int(value.p), int(value.q))

    bind(statement, [(p, formula(p)) for p in PAIRS])
    held = [p for p in PAIRS if statement.applies(p) is Truth.TRUE]
    assert len(held) >= 10
    assert all(statement.at(p) is Truth.TRUE for p in held)
    assert statement.at(Records(((1, 0), (-1, 0)), (0, 1))) is Truth.TRUE, "|A|_F = 1"
    long = attrs.evolve(INSIDE, records=((1, Fraction(1, 20)),))
    bind_hypotheses(statement, INSIDE, {"records as long as v": attrs.evolve(INSIDE, v=(1,)), "|x_i| <= 1": long})
    assert statement.without("|x_i| <= 1").at(long) is Truth.FALSE
    norms = [(p, min(1 - sum(Fraction(entry) ** 2 for entry in record) for record in p.records)) for p in PAIRS]
    bind_condition(statement, "|x_i| <= 1", norms)
    shapes(statement)
    assert not statement.strict


@sensitivity_example.supports(
    "not-strongly-convex", grade="derived", region="every d, records, u, v and m: the docstring; 24 pairs exactly"
)
def test_pca_is_a_concave_problem(statement) -> None:
    """With w = u - v the margin is w'Aw/4 + m |w|^2/8, as w'Aw = 2 u'Au + 2 v'Av - (u+v)'A(u+v), and w'Aw >= 0.

    The gradient -2 Av has norm at most 2 |A|_F <= 2 on the unit ball, for records of norm at most 1.
    """
    a = sympy.Matrix(2, 2, sympy.symbols("a b b c", real=True))
    u, v = (sympy.Matrix(sympy.symbols(f"{name}:2", real=True)) for name in "uv")
    middle, w = (u + v) / 2, u - v
    left = (u.T * a * u)[0] / 2 + (v.T * a * v)[0] / 2 - (middle.T * a * middle)[0]
    assert sympy.expand(left - (w.T * a * w)[0] / 4) == 0

    def formula(p: Modulus) -> Fraction:
        gap = column(p.u) - column(p.v)
        value = (gap.T * matrix(p) * gap)[0] / 4 + sympy.Rational(p.modulus) * gap.dot(gap) / 8
        return Fraction(int(value.p), int(value.q))

    bind(statement, [(p, formula(p)) for p in PAIRS])
    assert all(statement.at(p) is Truth.TRUE for p in PAIRS if p.u != p.v)
    outside = {
        "records as long as v": attrs.evolve(INSIDE, records=((1,),)),
        "u is as long as v": attrs.evolve(INSIDE, u=(1, 0, 0)),
        "u differs from v": attrs.evolve(INSIDE, u=INSIDE.v),
        "modulus > 0": attrs.evolve(INSIDE, modulus=0),
    }
    bind_hypotheses(statement, INSIDE, outside)
    gaps = [(p, max(abs(a - b) for a, b in zip(p.u, p.v, strict=True))) for p in PAIRS]
    bind_condition(statement, "u differs from v", gaps, strict=True)
    lengths = [(attrs.evolve(INSIDE, u=(HALF,) * k), -abs(k - 2)) for k in range(20)]
    bind_condition(statement, "u is as long as v", lengths)
    shapes(statement)
    assert statement.strict
