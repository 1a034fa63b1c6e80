"""Section 2: what it says of symmetric matrices: a vector space, real eigenvalues, and the spectral decomposition."""

from __future__ import annotations

from typing import cast

import attrs
from flint import acb, arb, fmpq_mat, fmpq_poly

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import disagreement, identity
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, scaled, zeros
from dpmatrix.spec.sliding_window.notation_margins import SYMMETRIC, SymmetricPoint


@attrs.frozen
class Combination:
    """Matrices A and B, n x n, and numbers s and t."""

    first: fmpq_mat
    second: fmpq_mat
    factor: Exact
    other_factor: Exact


def combination_margin(p: Combination) -> arb:
    """Zero exactly when s A + t B is symmetric."""
    combined = scaled(p.factor, p.first) + scaled(p.other_factor, p.second)
    return disagreement(combined, combined.transpose())


def both_symmetric_margin(p: Combination) -> arb:
    """0 when A and B are symmetric, of one order."""
    return flag(are_symmetric((p.first, p.second), p.first.nrows()))


def real_values_margin(p: SymmetricPoint) -> arb:
    """Minus the sum of the magnitudes of the imaginary parts of all eigenvalues; real roots are isolated as real."""
    found = cast("list[tuple[acb, int]]", p.matrix.charpoly().complex_roots())
    return -sum((abs(root.imag) * count for root, count in found), arb(0))


def simple_polynomial(matrix: fmpq_mat) -> fmpq_poly:
    """Polynomial with the eigenvalues as its roots, each once."""
    characteristic = matrix.charpoly()
    return characteristic // characteristic.gcd(characteristic.derivative())


def value_at(polynomial: fmpq_poly, matrix: fmpq_mat) -> fmpq_mat:
    """Value of a polynomial at a square matrix."""
    order = matrix.nrows()
    total = zeros(order, order)
    for coefficient in reversed(polynomial.coeffs()):
        total = total * matrix + scaled(coefficient, identity(order))
    return total


def decomposition_margin(p: SymmetricPoint) -> arb:
    """Zero exactly when some orthonormal basis consists of real eigenvectors.

    That is: the eigenvalues are real, a polynomial with simple roots vanishes at A, so that eigenvectors span, and
    AA' = A'A, so that those of different eigenvalues are orthogonal.
    """
    matrix = p.matrix
    spanning = disagreement(value_at(simple_polynomial(matrix), matrix), zeros(matrix.nrows(), matrix.nrows()))
    return real_values_margin(p) + spanning + disagreement(matrix * matrix.transpose(), matrix.transpose() * matrix)


SYMMETRIC_FACTS = (
    Step(
        "vector-space",
        Statement(
            "the symmetric matrices are a vector space: with A and B also s A + t B is symmetric",
            combination_margin,
            given=(exceeds("A and B are symmetric, of one order", both_symmetric_margin, strict=False),),
        ),
        defect=None,
    ),
    Step(
        "real-eigenvalues",
        Statement("the eigenvalues of a symmetric matrix are real", real_values_margin, given=SYMMETRIC),
        defect=None,
    ),
    Step(
        "spectral-decomposition",
        Statement(
            "a symmetric A is U Lambda U' = sum l_i x_i x_i': some orthonormal basis consists of real eigenvectors",
            decomposition_margin,
            given=SYMMETRIC,
        ),
        defect=None,
    ),
)
