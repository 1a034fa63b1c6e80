"""Lemma 12 of `sliding-window`: the parts of the error."""

from __future__ import annotations

from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.split_approximation import SplitApproximation

lemma_12 = cite("sliding-window.lemma-12@5176d62b")


def filled(rows: int, columns: int, seed: int) -> fmpq_mat:
    return fmpq_mat(rows, columns, [fmpq((seed * (i + 2) + i * i) % 11 - 5, 1 + i % 2) for i in range(rows * columns)])


def split(size, width, height, seed, extra=1) -> SplitApproximation:
    shapes = [(size, size), (height, size), (size, width), (height, size), (height, width), (extra, size + width)]
    return SplitApproximation(*(filled(*shape, seed + place) for place, shape in enumerate(shapes)), gamma=seed + 7)


@lemma_12.supports(
    "parts-of-the-error",
    grade="derived",
    region="every k, W, a: the five sums are the squared entries of A - B in disjoint places",
)
def test_the_parts_of_the_error(statement) -> None:
    """Rows R: gamma I - Y in the columns of C, -Y eta in the others; rows of M: M - V~ and M - V~ eta.

    Nothing else of A - B is counted, and what is left, here the rows in which A is zero, is a sum of squares.
    """
    y, e = sympy.Matrix(2, 2, sympy.symbols("y0:4")), sympy.Matrix(2, 1, sympy.symbols("e0:2"))
    display = sum((e[j] * y[j, j] + sum(e[o] * y[j, o] for o in range(2) if o != j)) ** 2 for j in range(2))
    assert sympy.expand(display - (y * e).dot(y * e)) == 0
    values = []
    for size, width, height, seed, extra in product((1, 2, 3), (1, 2), (1, 3), (1, 4), (1, 2)):
        point = split(size, width, height, seed, extra)
        left = sum((entry * entry for entry in point.elsewhere.entries()), fmpq(0))
        values.append((point, left))
        assert statement.at(point) is Truth.TRUE
    bind(statement, values)
    assert {float(value) for _, value in values} != {0.0}
    base = split(2, 1, 3, 1)
    bare = attrs.evolve(base, elsewhere=0 * base.elsewhere)
    assert statement.margin(bare) == 0
    ragged = attrs.evolve(base, elsewhere=filled(1, 2, 1))
    for inside in (base, bare, split(1, 1, 1, 3)):
        bind_hypotheses(statement, inside, {"the blocks have the stated shapes": ragged})
    for change in (
        {"block": filled(2, 1, 1)},
        {"lower": filled(2, 2, 1)},
        {"coefficients": filled(3, 1, 1)},
        {"own": filled(3, 1, 1)},
        {"others": filled(3, 2, 1)},
    ):
        assert statement.applies(attrs.evolve(base, **change)) is Truth.FALSE
    assert not statement.strict
