"""The decomposition (1): orthonormal eigenvectors of the second moment (section 2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.spec.common.eigenbases import eigenbasis
from dpmatrix.spec.common.spectra import disagreement


@attrs.frozen
class SquareMatrix:
    """A rational matrix A, shape (d, d)."""

    matrix: fmpq_mat


def decomposition_margin(p: SquareMatrix) -> arb:
    """0 exactly when some orthonormal basis of R^d consists of eigenvectors of A, else negative."""
    return eigenbasis(p.matrix)


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
