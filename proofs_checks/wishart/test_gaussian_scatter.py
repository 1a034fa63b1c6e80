"""Definition 2 of `wishart`: the law of the sum of outer products of Gaussian vectors."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import pytest
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart import gaussian_scatter
from dpmatrix.spec.wishart.gaussian_scatter import Transform, squared_density_transform, squared_sum_transform

definition_2 = cite("wishart.definition-2@9127e3de")

SCALES = (
    fmpq_mat([[2]]),
    fmpq_mat([[2, 1], [1, 3]]),
    fmpq_mat([[1, 0], [0, fmpq(1, 3)]]),
    fmpq_mat([[2, 1, 0], [1, 2, fmpq(-1, 2)], [0, fmpq(-1, 2), 1]]),
    fmpq_mat([[fmpq(1, 20)]]),
)


def argument(order: int, a: int, b: int) -> fmpq_mat:
    return fmpq_mat(order, order, [fmpq(a, 9) if i == j else fmpq(b, 20) for i, j in product(range(order), repeat=2)])


POINTS = [
    Transform(scale.nrows() + more, scale, argument(scale.nrows(), a, b))
    for scale in SCALES
    for more in (0, 3)
    for a, b in ((2, 1), (0, 3), (-1, 0))
]
INSIDE = POINTS[6]


@definition_2.supports(
    "scatter-matrix",
    grade="derived",
    region="every integer m > d - 1, C and Theta: the docstring; 30 transforms exactly, their squares rational",
)
def test_sum_of_outer_products_is_a_wishart_matrix(statement) -> None:
    """Under the density exp(-tr Theta W) changes C^-1 into C^-1 + 2 Theta in the kernel; the normaliser does the rest.

    tr Theta zz' = z'Theta z, so that the density of N(0, C) times exp(-z'Theta z) is that of N(0, C') up to
    (|C'|/|C|)^(1/2), for the same C' = (C^-1 + 2 Theta)^-1; the m vectors are independent. |C'|/|C| = 1/|1 + 2 C
    Theta|. Both transforms are finite around Theta = 0, and such a transform belongs to one law.
    """
    c = sympy.Matrix(2, 2, sympy.symbols("a b b c"))
    t = sympy.Matrix(2, 2, sympy.symbols("s t t u"))
    tilted = (c.inv() + 2 * t).inv()
    assert sympy.simplify(tilted.det() / c.det() - 1 / (sympy.eye(2) + 2 * c * t).det()) == 0
    z, v = sympy.symbols("z v", positive=True)
    one = sympy.integrate(sympy.exp(-(z**2) / (2 * v) - 3 * z**2), (z, 0, sympy.oo)) * 2 / sympy.sqrt(2 * sympy.pi * v)
    assert sympy.simplify(one**2 - 1 / (1 + 6 * v)) == 0
    bind(statement, [(p, Fraction(0)) for p in POINTS])
    assert all(statement.at(p) is Truth.TRUE for p in POINTS)
    assert squared_density_transform(Transform(1, SCALES[0], fmpq_mat([[3]]))) == fmpq(1, 13)
    assert squared_sum_transform(Transform(4, SCALES[0], fmpq_mat([[3]]))) == fmpq(1, 13**4)
    skew = attrs.evolve(INSIDE, argument=fmpq_mat([[1, 2], [fmpq(-1), 1]]))
    uneven = attrs.evolve(INSIDE, scale=fmpq_mat([[2, 1], [0, 3]]), argument=argument(2, 1, 1))
    negative = attrs.evolve(INSIDE, scale=fmpq_mat([[-1, 0], [0, -1]]), argument=fmpq_mat([[1, 0], [0, 1]]))
    outside = {
        "vectors >= 1, an integer": attrs.evolve(INSIDE, vectors=0),
        "m > d - 1": attrs.evolve(INSIDE, vectors=1),
        "C is symmetric": uneven,
        "C is positive definite": negative,
        "Theta is symmetric": skew,
        "C^-1 + 2 Theta is positive definite": attrs.evolve(INSIDE, argument=argument(2, -9, 0)),
    }
    bind_hypotheses(statement, INSIDE, outside)
    assert statement.without("Theta is symmetric").at(skew) is Truth.FALSE
    conditions = {one.says: one for one in statement.given}
    zero = fmpq_mat(2, 2)
    assert conditions["C is positive definite"].at(attrs.evolve(INSIDE, scale=zero)) is Truth.FALSE, "C = 0"
    edge = attrs.evolve(INSIDE, argument=INSIDE.scale.inv() / -2)
    assert conditions["C^-1 + 2 Theta is positive definite"].at(edge) is Truth.FALSE, "C^-1 + 2 Theta = 0"
    for order, less in ((SCALES[0], fmpq(1, 4)), (SCALES[1], fmpq(1, 2))):
        below = order.inv() / -2 - fmpq_mat(order.nrows(), order.nrows(), [less] + [fmpq(0)] * (order.nrows() ** 2 - 1))
        with pytest.raises(ValueError, match="no finite mean"):
            squared_density_transform(Transform(order.nrows(), order, below))
    with pytest.raises(ValueError, match="no covariance"):
        squared_sum_transform(attrs.evolve(INSIDE, scale=fmpq_mat([[fmpq(-1, 2), 0], [0, -1]])))
    degrees = [(attrs.evolve(INSIDE, vectors=m), m - 1) for m in range(20)]
    bind(Statement("m > d - 1", conditions["m > d - 1"].margin), degrees)
    assert not statement.strict


@definition_2.controls("scatter-matrix", grade="symbolic", region="m + 1 vectors; 2 C in place of C")
def test_another_number_of_vectors_is_told(statement) -> None:
    """The mean of exp(-z'Theta z) sees the symmetric part of Theta alone, and the tilted density all of it.

    For C = 1, d = 2 and a skew Theta with entries t and -t that part is 0, and |1 + 2 Theta| is 1 + 4 t^2.
    """

    def more(p: Transform) -> fmpq:
        return squared_sum_transform(attrs.evolve(p, vectors=p.vectors + 1))

    def twice(p: Transform) -> fmpq:
        return squared_sum_transform(attrs.evolve(p, scale=p.scale * 2))

    for other in (more, twice):
        assert redefined(statement, gaussian_scatter, "squared_sum_transform", other).at(INSIDE) is Truth.FALSE
    unit = fmpq_mat([[1, 0], [0, 1]])
    skew = [
        (Transform(m, unit, fmpq_mat([[0, t], [-t, 0]])), -(1 - Fraction(1, (1 + 4 * t * t) ** m)))
        for m in (2, 3, 4, 5)
        for t in range(1, 6)
    ]
    bind(statement.without("Theta is symmetric"), skew)
