"""Section 2: what it says of symmetric matrices: a vector space, real eigenvalues, and the spectral decomposition."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.eigenbases import eigenbasis, imaginary_parts
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, scaled
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
    """Minus the sum of the magnitudes of the imaginary parts of all eigenvalues."""
    return imaginary_parts(p.matrix)


def decomposition_margin(p: SymmetricPoint) -> arb:
    """Zero exactly when some orthonormal basis consists of real eigenvectors."""
    return eigenbasis(p.matrix)


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
