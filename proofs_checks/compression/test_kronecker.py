"""`compression.lemma-c-2`: the eigenvalues of a Kronecker product."""

from __future__ import annotations

import random

import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import kronecker
from dpmatrix.spec.compression.kronecker import SquareMatrix
from proofs_checks.exact_matrices import correlated

lemma_c_2 = cite("compression.lemma-c-2@bb06296d")

ENTRIES = random.Random(20090501)


def drawn(order: int) -> fmpq_mat:
    return fmpq_mat(order, order, [fmpq(ENTRIES.randint(-4, 4), ENTRIES.randint(1, 3)) for _ in range(order * order)])


@lemma_c_2.supports(
    "kronecker-spectrum",
    grade="derived",
    region="every square B, by the docstring; 25 matrices of order 0 to 3 exactly",
)
def test_a_kronecker_product_has_the_products_of_the_eigenvalues(statement) -> None:
    """With B = QTQ^-1, T triangular over the complex numbers, B (x) B = (Q (x) Q)(T (x) T)(Q (x) Q)^-1.

    T (x) T is triangular with the products t_ii t_jj on its diagonal. Power sums: tr((B (x) B)^k) = tr(B^k (x) B^k) =
    tr(B^k)^2, and by Newton's identities the first N of them determine N numbers.
    """
    t = sympy.Matrix(2, 2, [*sympy.symbols("t0 t1"), 0, sympy.Symbol("t2")])
    large = sympy.kronecker_product(t, t)
    assert large.is_upper
    assert list(large.diagonal()) == [x * y for x in t.diagonal() for y in t.diagonal()]
    points = [SquareMatrix(drawn(order)) for order in (1, 2, 3) for _ in range(7)]
    points += [
        SquareMatrix(correlated(fmpq(1, 3))),
        SquareMatrix(fmpq_mat([[1, 1], [0, 1]])),
        SquareMatrix(fmpq_mat(2, 2)),
    ]
    for p in points:
        assert statement.at(p) is Truth.TRUE
        whole = kronecker.kronecker(p.matrix, p.matrix)
        order = p.matrix.nrows()
        other = sympy.kronecker_product(
            *[sympy.Matrix(order, order, [sympy.Rational(str(x)) for x in p.matrix.entries()])] * 2
        )
        assert [str(x) for x in whole.entries()] == [str(x) for x in other]
    bind(statement, [(p, 0) for p in [*points, SquareMatrix(fmpq_mat(0, 0))]])
    assert statement.given == ()


@lemma_c_2.controls("kronecker-spectrum", grade="symbolic", region="B = diag(1, 2): a Kronecker sum, and I (x) B")
def test_other_products_are_noticed(statement) -> None:
    """B (x) I + I (x) B has sums of eigenvalues, and I (x) B those of B twice: 2 (1 + 16) for (1 + 16)^2."""
    point = SquareMatrix(fmpq_mat([[1, 0], [0, 2]]))
    product, unit = kronecker.kronecker, fmpq_mat([[1, 0], [0, 1]])

    def added(left: fmpq_mat, right: fmpq_mat) -> fmpq_mat:
        return product(left, unit) + product(unit, right)

    def repeated(left: fmpq_mat, right: fmpq_mat) -> fmpq_mat:
        return product(unit, right)

    for other in (added, repeated):
        assert redefined(statement, kronecker, "kronecker", other).at(point) is Truth.FALSE
    assert redefined(statement, kronecker, "kronecker", repeated).margin(point) == 34 - 289
    almost = SquareMatrix(fmpq_mat([[0, 1], [0, 0]]))
    assert statement.at(almost) is Truth.TRUE, "a nilpotent B has eigenvalues 0 alone"
