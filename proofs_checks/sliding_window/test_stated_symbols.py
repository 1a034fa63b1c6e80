"""Lemma 5 of `sliding-window`: where sigma is set, and which singular vectors are meant."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.stated_symbols import Raised, SameMatrices, raised_rows
from dpmatrix.tracing import bind_expression

lemma_5 = cite("sliding-window.lemma-5@6d1f9580")

MILLIONTH, SMALL, LARGE = Fraction(1, 10**6), Fraction(1, 50), Fraction(49, 50)
RANKS = SameMatrices(1, 2, 1, MILLIONTH)


@lemma_5.refutes("sigma-of-algorithm-1", grade="interval", region="eps = 1, delta = 10^-6: r = 1 and r = 2, and others")
def test_sigma_is_not_set_by_algorithm_1(statement) -> None:
    first, second, epsilon, delta = sympy.symbols("first second epsilon delta", positive=True)
    log = sympy.log(4 / delta)
    one, other = ((16 * sympy.sqrt(rank * log) + log) / epsilon for rank in (first, second))
    bind_expression(statement, -sympy.Abs(one - other), points=[RANKS])
    for point in (RANKS, SameMatrices(5, 4, 3, SMALL), SameMatrices(1, 100, SMALL, LARGE)):
        assert statement.at(point) is Truth.FALSE
    outside = {
        "first >= 1, an integer": attrs.evolve(RANKS, first=0),
        "second >= 1, an integer": attrs.evolve(RANKS, second=0),
        "epsilon > 0": attrs.evolve(RANKS, epsilon=0),
        "delta > 0": attrs.evolve(RANKS, delta=0),
        "delta < 1": attrs.evolve(RANKS, delta=1),
    }
    for inside in (RANKS, SameMatrices(1, 1, SMALL, LARGE)):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@lemma_5.refutes("left-singular-vectors", grade="symbolic", region="every n >= 1 and d: A^ has d + n rows")
def test_left_singular_vectors_are_too_long(statement) -> None:
    points = [
        Raised(fmpq_mat(n, d, [(3 * i) % 5 for i in range(n * d)]), sigma)
        for n, d, sigma in product((1, 2, 3, 5), (1, 2, 4), (0, 3))
    ]
    bind(statement, ((p, -p.rows.nrows()) for p in points))
    assert all(statement.at(p) is Truth.FALSE for p in points)
    assert raised_rows(Raised(fmpq_mat([[1, 2]]), 3)) == fmpq_mat([[3, 0], [0, 3], [1, 2]])
    none = Raised(fmpq_mat(0, 2, []), 3)
    assert statement.conclusion(none) is Truth.TRUE, "without a row A^ is square"
    bind_hypotheses(statement, points[0], {"A has a row": none})
    assert statement.applies(Raised(fmpq_mat(2, 0, []), 3)) is Truth.FALSE
    assert not statement.strict
