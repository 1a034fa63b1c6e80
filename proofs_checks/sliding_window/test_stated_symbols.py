"""Lemma 5 of `sliding-window`: which singular vectors are meant, and what their projection is."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal
from dpmatrix.spec.sliding_window.stated_symbols import SingularVectors, raised_rows
from proofs_checks.exact_matrices import cayley

lemma_5 = cite("sliding-window.lemma-5@15c43418")

RIGHT, UNIT = "the columns of U_k are right singular vectors of A^", "U_k'U_k = 1"
PLANE = cayley(fmpq_mat([[0, fmpq(1, 2)], [0, 0]]))
SPACE = cayley(fmpq_mat([[0, fmpq(1, 3), 2], [0, 0, -1], [0, 0, 0]]))


def first_columns(matrix: fmpq_mat, k: int) -> fmpq_mat:
    """Keep the first k of them."""
    return fmpq_mat([row[:k] for row in matrix.tolist()])


TURNED = [
    SingularVectors(diagonal(values) * turn.transpose(), sigma, first_columns(turn, k))
    for turn, values in ((PLANE, (5, 2)), (PLANE, (3, 0)), (SPACE, (7, 4, 1)), (SPACE, (1, 1, 0)))
    for sigma in (0, Fraction(3, 2))
    for k in range(1, len(values) + 1)
]
ONE_ROW = SingularVectors(fmpq_mat([[3, 4]]), 2, fmpq_mat([[fmpq(3, 5)], [fmpq(4, 5)]]))
LEFT = attrs.evolve(ONE_ROW, sigma=0, vectors=fmpq_mat([[0], [0], [1]]))
"""A^ = (0; 0; 3 4) = V S U': 5 e_3 (3 4)/5, and V_1 = e_3."""


def value(p: SingularVectors) -> Fraction:
    """Give the margin through the entries of U_kU_k'."""
    rows, columns = p.vectors.nrows(), p.vectors.ncols()
    u = sympy.Matrix(rows, columns, [sympy.Rational(int(e.p), int(e.q)) for e in p.vectors.entries()])
    projection = u * u.T
    total = sum(abs(e) for e in projection**2 - projection)
    total += abs(rows - p.rows.ncols()) + abs(sum(e**2 for e in u) - columns)
    return -Fraction(int(total.p), int(total.q))


@lemma_5.supports("right-singular-vectors", grade="derived", region="every A, sigma and k: U_k has d rows, U_k'U_k = 1")
def test_right_singular_vectors_have_the_order(statement) -> None:
    """P_1^2 = U_k(U_k'U_k)U_k' = P_1, and the rank of U_kU_k' is that of U_k'U_k = 1, of order k.

    Right singular vectors of A^, (d + n) x d, have d entries.
    """
    for p in (*TURNED, ONE_ROW):
        assert statement.at(p) is Truth.TRUE
        assert (p.vectors * p.vectors.transpose()).rank() == p.vectors.ncols()
    stretched = [attrs.evolve(p, vectors=p.vectors * fmpq(k, 4)) for p in TURNED for k in (1, 3, -7)]
    bind(statement, [(p, value(p)) for p in (*TURNED, *stretched, ONE_ROW, LEFT)])
    assert raised_rows(ONE_ROW) == fmpq_mat([[2, 0], [0, 2], [3, 4]])
    outside = {
        RIGHT: attrs.evolve(ONE_ROW, vectors=fmpq_mat([[1], [0]])),
        UNIT: attrs.evolve(ONE_ROW, vectors=fmpq(49, 50) * ONE_ROW.vectors),
    }
    for inside in (*TURNED, ONE_ROW, attrs.evolve(ONE_ROW, vectors=fmpq_mat([[fmpq(4, 5)], [fmpq(-3, 5)]]))):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@lemma_5.controls("right-singular-vectors", grade="symbolic", region="left singular vectors; vectors of another norm")
def test_left_singular_vectors_are_too_long(statement) -> None:
    raised = raised_rows(LEFT)
    assert raised * raised.transpose() * LEFT.vectors == 25 * LEFT.vectors, "e_3 is a left one"
    assert statement.applies(LEFT) is Truth.FALSE
    assert statement.without(RIGHT).at(LEFT) is Truth.FALSE, "of order 3, for d = 2"
    assert statement.without(RIGHT).at(attrs.evolve(LEFT, vectors=fmpq_mat([[1], [0]]))) is Truth.TRUE
    double = attrs.evolve(LEFT, vectors=2 * ONE_ROW.vectors)
    assert statement.without(RIGHT).without(UNIT).at(double) is Truth.FALSE
