"""The decomposition (1): orthonormal eigenvectors of the second moment (section 2)."""

from __future__ import annotations

from typing import cast

import attrs
from flint import acb, arb, fmpq, fmpq_mat, fmpq_poly

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.spec.common.spectra import disagreement, identity


@attrs.frozen
class SquareMatrix:
    """A rational matrix A, shape (d, d)."""

    matrix: fmpq_mat


def not_real(p: SquareMatrix) -> int:
    """Number of eigenvalues of A that are not real, each as often as its multiplicity."""
    found = cast("list[tuple[acb, int]]", p.matrix.charpoly().complex_roots())
    return sum(count for root, count in found if not root.imag.is_zero())


def without_multiplicity(polynomial: fmpq_poly) -> fmpq_poly:
    """The polynomial with the same roots, each of them once."""
    return polynomial // polynomial.gcd(polynomial.derivative())


def value_at(polynomial: fmpq_poly, matrix: fmpq_mat) -> fmpq_mat:
    """The polynomial of a square matrix, by Horner's rule."""
    total, unit = fmpq_mat(matrix.nrows(), matrix.nrows()), identity(matrix.nrows())
    for coefficient in reversed(polynomial.coeffs()):
        total = total * matrix + unit * fmpq(coefficient)
    return total


def decomposition_margin(p: SquareMatrix) -> arb:
    """0 exactly when some orthonormal basis of R^d consists of eigenvectors of A, else negative.

    That is so when A is normal, all its eigenvalues are real, and the polynomial that has each of them as a simple
    root is 0 at A, so that the eigenspaces span R^d.
    """
    a, turned = p.matrix, p.matrix.transpose()
    zero = fmpq_mat(a.nrows(), a.ncols())
    spanned = disagreement(value_at(without_multiplicity(a.charpoly()), a), zero)
    return disagreement(a * turned, turned * a) + spanned - not_real(p)


def symmetric_margin(p: SquareMatrix) -> arb:
    """0 exactly when A is symmetric."""
    return disagreement(p.matrix, p.matrix.transpose())


EIGENVECTORS_STEP = Step(
    "orthonormal-eigenvectors",
    Statement(
        "(1): a symmetric A is V Lambda V' with eigenvectors in the orthonormal columns of V and real eigenvalues",
        decomposition_margin,
        given=(Condition("A is symmetric", symmetric_margin),),
    ),
    defect=None,
    note="Printed of positive semidefinite matrices; Algorithm 1 needs it of A + N, which is not semidefinite.",
)
