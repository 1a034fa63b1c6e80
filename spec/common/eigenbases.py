"""Orthonormal bases of eigenvectors of exact matrices."""

from __future__ import annotations

from typing import cast

from flint import acb, arb, fmpq, fmpq_mat, fmpq_poly

from dpmatrix.spec.common.spectra import disagreement, identity


def imaginary_parts(matrix: fmpq_mat) -> arb:
    """Minus the sum of the magnitudes of the imaginary parts of all eigenvalues; real roots are isolated as real."""
    found = cast("list[tuple[acb, int]]", matrix.charpoly().complex_roots())
    return -sum((abs(root.imag) * count for root, count in found), arb(0))


def simple_polynomial(matrix: fmpq_mat) -> fmpq_poly:
    """The polynomial with the eigenvalues as its roots, each once."""
    characteristic = matrix.charpoly()
    return characteristic // characteristic.gcd(characteristic.derivative())


def value_at(polynomial: fmpq_poly, matrix: fmpq_mat) -> fmpq_mat:
    """The polynomial of a square matrix, by Horner's rule."""
    total, unit = fmpq_mat(matrix.nrows(), matrix.nrows()), identity(matrix.nrows())
    for coefficient in reversed(polynomial.coeffs()):
        total = total * matrix + unit * fmpq(coefficient)
    return total


def eigenbasis(matrix: fmpq_mat) -> arb:
    """0 exactly when some orthonormal basis of R^d consists of eigenvectors of a d x d matrix A, else negative.

    That is so when A is normal, all its eigenvalues are real, and the polynomial that has each of them as a simple
    root is 0 at A, so that the eigenspaces span R^d.
    """
    turned = matrix.transpose()
    zero = fmpq_mat(matrix.nrows(), matrix.ncols())
    spanned = disagreement(value_at(simple_polynomial(matrix), matrix), zero)
    return disagreement(matrix * turned, turned * matrix) + spanned + imaginary_parts(matrix)
