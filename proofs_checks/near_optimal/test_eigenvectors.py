"""Definition 1 of `near-optimal`: the decomposition into orthonormal eigenvectors."""

from __future__ import annotations

from fractions import Fraction

import sympy
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.eigenvectors import SquareMatrix
from proofs_checks.exact_matrices import cayley, conjugated
from proofs_checks.near_optimal.conditions import bind_condition

definition_1 = cite("near-optimal.definition-1@1b781609")

FRAME = cayley(fmpq_mat([[0, 1, 2], [3, 0, 1], [1, 1, 0]]))
SYMMETRIC = [
    *(SquareMatrix(conjugated((a, b, c), FRAME)) for a in (2, 5, 0) for b in (2, -1) for c in (2, 7)),
    *(SquareMatrix(fmpq_mat([[a, b], [b, c]])) for a in (0, 3) for b in (0, 1, -4) for c in (0, 2)),
    SquareMatrix(fmpq_mat([[5]])),
    SquareMatrix(fmpq_mat(4, 4)),
]
# Each lacks one thing: a second eigenvector, orthogonal eigenvectors, real eigenvalues.
JORDAN, OBLIQUE, TURN = (
    SquareMatrix(fmpq_mat(rows)) for rows in ([[3, 1], [0, 3]], [[1, 1], [0, 2]], [[0, -1], [1, 0]])
)
HIDDEN = SquareMatrix(fmpq_mat([[2, 0, 0], [0, 0, -3], [0, 3, 0]]))


@definition_1.supports(
    "orthonormal-eigenvectors",
    grade="derived",
    region="every symmetric matrix: the docstring; 26 matrices of up to four rows exactly",
)
def test_symmetric_matrices_have_orthonormal_eigenvectors(statement) -> None:
    """Let v maximise x'Ax over the unit vectors, which are a compact set, and l = v'Av.

    For w orthogonal to v the quotient (v + tw)'A(v + tw)/|v + tw|^2 has the derivative 2 w'Av at t = 0, which is 0: so
    Av = l v.

    For w orthogonal to v, Aw is orthogonal to v as well, v'Aw = l v'w = 0. So A acts on that complement, again
    symmetric, and the next eigenvector is found there. With A = V diag(l) V' a polynomial f that vanishes at every l
    has f(A) = V f(diag(l)) V' = 0, and AA' = A'A: the margin is 0. It is 0 for no others, as such a V makes A
    symmetric.
    """
    a = sympy.Matrix(2, 2, sympy.symbols("a b b c", real=True))
    (x, y), t = sympy.symbols("x:2", real=True), sympy.symbols("t", real=True)
    v, w = sympy.Matrix([x, y]), sympy.Matrix([-y, x])
    moved = v + t * w
    quotient = (moved.T * a * moved)[0] / moved.dot(moved)
    slope = sympy.diff(quotient, t).subs(t, 0)
    assert sympy.simplify(slope - 2 * (w.T * a * v)[0] / v.dot(v)) == 0
    bind(statement, [(p, Fraction(0)) for p in SYMMETRIC])
    assert all(statement.at(p) is Truth.TRUE for p in SYMMETRIC)
    # |AA' - A'A| is 2 + 2|l - m| for [[l, 1], [0, m]], and f(A) is (A - 3); the eigenvalues i and 3i.
    bind(statement, [(JORDAN, -3), (OBLIQUE, -4), (TURN, -2), (HIDDEN, -6)], least=4)
    bind_hypotheses(statement, SYMMETRIC[0], {"A is symmetric": OBLIQUE})
    for p in (JORDAN, OBLIQUE, TURN, HIDDEN):
        assert statement.without("A is symmetric").at(p) is Truth.FALSE
    gaps = [(p, Fraction(0)) for p in SYMMETRIC]
    bind_condition(statement, "A is symmetric", [*gaps, (JORDAN, -2), (TURN, -4), (HIDDEN, -12)])
    assert not statement.strict


@definition_1.controls("orthonormal-eigenvectors", grade="symbolic", region="a quarter turn; a Jordan block; a shear")
def test_other_matrices_are_told(statement) -> None:
    for p in (JORDAN, OBLIQUE, TURN):
        assert statement.without("A is symmetric").at(p) is Truth.FALSE
