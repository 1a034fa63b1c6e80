"""The class F(L) of Lipschitz functions of covariances, (1) of section 1, and what is said to belong to it."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import (
    eigenvalues,
    frobenius_norm,
)
from dpmatrix.spec.compression.covariances import (
    SYMMETRIC,
    CovariancePair,
    difference,
    operator_norm,
)


def other_norm_margin(p: CovariancePair) -> arb:
    """``sqrt(p) ||A - D||_2 - ||A - D||_F``."""
    return arb(p.first.nrows()).sqrt() * operator_norm(difference(p)) - frobenius_norm(difference(p))


def eigenvalue_margin(p: CovariancePair) -> arb:
    """Least over i of ``||A - D||_F - |lambda_i(A) - lambda_i(D)|``."""
    distance, least = frobenius_norm(difference(p)), arb("inf")
    for first, second in zip(eigenvalues(p.first), eigenvalues(p.second), strict=True):
        least = least.min(distance - abs(first - second))
    return least


@attrs.frozen
class CompressedRows:
    """A database X, n x p rational, and the number m of rows of Phi X."""

    data: fmpq_mat
    rows: int


def compressed_determinant_margin(p: CompressedRows) -> arb:
    """``det((Phi X)' Phi X)`` for the Phi whose rows are those of X' and then zeros, m in all."""
    gram = p.data.transpose() * p.data
    output = fmpq_mat(gram.tolist()[: p.rows])
    return arb((output.transpose() * output).det())


def definite_covariance_margin(p: CompressedRows) -> arb:
    """``det X'X``, which is positive exactly when X'X is positive definite."""
    return arb((p.data.transpose() * p.data).det())


def rows_margin(p: CompressedRows) -> arb:
    """``m - p``."""
    return arb(p.rows - p.data.ncols())


LIPSCHITZ_CLASS = Claim(
    id="compression.lipschitz-class",
    kind=Kind.DEFINITION,
    source=Locator(
        "compression", "(1)", "F(L) = {f: |f(A) - f(D)| <= L ||A - D||}, A, D positive definite, any matrix norm"
    ),
    statement=Statement(
        "with the Frobenius norm every eigenvalue, as a function of the covariance, is in F(1)",
        eigenvalue_margin,
        given=(SYMMETRIC,),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "There is a class for each norm, and one for each L. With the Frobenius norm, which the document's one example "
        "uses, each eigenvalue is in F(1) by Weyl's inequality. Which norm it is decides the constant: norms of p x p "
        "matrices differ by factors of p and more (a symmetric 4 x 4 Hadamard matrix has spectral norm 2, and its "
        "absolute entries sum to 16); for A - D = I the spectral norm is 1 and ||A - D||_F is sqrt(p). PCA is an "
        "instance in the sense that the document gives it: at a matrix with an eigengap, near it (Proposition 3.4)."
    ),
    reading=(
        "'Any matrix norm' is a choice that F(L) depends on, as on L; in the document it is the Frobenius norm. f is "
        "real-valued, or matrix-valued with the Frobenius norm on both sides."
    ),
    steps=(
        Step(
            "another-norm",
            Statement(
                "what is in F(L) for the Frobenius norm is in F(sqrt(p) L) for the spectral norm: ||A - D||_F <= "
                "sqrt(p) ||A - D||_2",
                other_norm_margin,
                given=(SYMMETRIC,),
            ),
            defect=None,
            note="Ours: with equality for A - D = I, so that no constant free of p serves both.",
        ),
        Step(
            "compressed-covariance-is-definite",
            Statement(
                "for m >= p, and X'X definite, the compressed covariance is definite for almost every Phi, as for the "
                "one whose rows are those of X', and zeros below",
                compressed_determinant_margin,
                given=(
                    exceeds("X'X is positive definite", definite_covariance_margin),
                    Condition("m >= p", rows_margin),
                ),
                strict=True,
            ),
            defect=None,
            note=(
                "Theorem 5.1, where it is used, takes m = Omega(p^2 ln 2np), and Assumption 1 a definite X'X. With "
                "fewer rows than columns the compressed covariance is singular."
            ),
        ),
    ),
    uses=("wishart.lemma-4+repair",),
)
