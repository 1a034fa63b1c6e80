"""The class F(L) of Lipschitz functions of covariances, (1) of section 1, and what is said to belong to it."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Chosen, Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import (
    DECREASING,
    EIGENVECTORS,
    PROPER_RANK,
    SpectralPair,
    eigenvalues,
    frobenius_norm,
    noise,
    projector_difference,
)
from dpmatrix.spec.compression.covariances import (
    DEFINITE,
    SYMMETRIC,
    CovariancePair,
    definite_margin,
    difference,
    operator_norm,
)


def norm_independent_margin(p: CovariancePair) -> arb:
    """``||A - D||_2 - ||A - D||_F``: f(A) = ||A - D||_F, of constant 1 in one norm, has it in the other too."""
    return operator_norm(difference(p)) - frobenius_norm(difference(p))


def eigenvalue_margin(p: CovariancePair) -> arb:
    """Least over i of ``||A - D||_F - |lambda_i(A) - lambda_i(D)|``."""
    distance, least = frobenius_norm(difference(p)), arb("inf")
    for first, second in zip(eigenvalues(p.first), eigenvalues(p.second), strict=True):
        least = least.min(distance - abs(first - second))
    return least


@attrs.frozen
class ProjectorPoint(SpectralPair):
    """Two covariances by their spectra, a rank k, and a candidate for the constant L."""

    constant: Exact = attrs.field(kw_only=True)


def projector_margin(p: ProjectorPoint) -> arb:
    """``L ||A - D||_F - ||P_k(A) - P_k(D)||_F``."""
    return ball(p.constant) * frobenius_norm(noise(p)) - frobenius_norm(projector_difference(p))


def least_eigenvalue_margin(p: ProjectorPoint) -> arb:
    """Smallest eigenvalue of either matrix."""
    return ball(min(*p.values, *p.perturbed_values))


@attrs.frozen
class CompressedData:
    """A compressed database, m x p."""

    output: fmpq_mat


def compressed_definite_margin(p: CompressedData) -> arb:
    """Positive exactly when the compressed covariance is positive definite."""
    return definite_margin(p.output.transpose() * p.output)


def rows_margin(p: CompressedData) -> arb:
    """Number of rows."""
    return arb(p.output.nrows())


LIPSCHITZ_CLASS = Claim(
    id="compression.lipschitz-class",
    kind=Kind.DEFINITION,
    source=Locator(
        "compression", "(1)", "F(L) = {f: |f(A) - f(D)| <= L ||A - D||}, A, D positive definite, any matrix norm"
    ),
    statement=Statement(
        "'any matrix norm' gives one class: f(A) = ||A - D||_F, which is in F(1) for the Frobenius norm, has |f(A) - "
        "f(D)| <= ||A - D|| for the spectral norm too",
        norm_independent_margin,
        given=DEFINITE,
    ),
    verdict=Verdict.ILL_POSED,
    because=(
        "The class depends on the norm, and 'up to a constant L' on p: norms of p x p matrices differ by factors of p "
        "and more (a symmetric 4 x 4 Hadamard matrix has spectral norm 2, and its absolute entries sum to 16); for "
        "A - D = I the spectral norm is 1 and ||A - D||_F is sqrt(p). With the Frobenius norm, which the "
        "document's one example uses, each eigenvalue is in F(1) by Weyl's inequality. PCA itself, 'an instance from "
        "(1)', is in no F(L): at diag(1+t, 1-t) and diag(1-t, 1+t) the top projectors differ by sqrt(2) and the "
        "matrices by 2 sqrt(2) t. It is Lipschitz at a matrix with an eigengap only (Proposition 3.4)."
    ),
    reading=(
        "As printed, 'any matrix norm' leaves the norm open, and is read as saying that the class is the same for all "
        "of them. f is real-valued, or matrix-valued with the Frobenius norm on both sides."
    ),
    repair=Repair(
        "the Frobenius norm",
        Statement(
            "every eigenvalue, as a function of the covariance, is in F(1)", eigenvalue_margin, given=(SYMMETRIC,)
        ),
    ),
    steps=(
        Step(
            "pca-is-an-instance",
            Statement(
                "the projector onto the top k eigenvectors is in F(L) for some L",
                projector_margin,
                given=(
                    *PROPER_RANK,
                    EIGENVECTORS,
                    DECREASING,
                    exceeds("both matrices are positive definite", least_eigenvalue_margin),
                ),
                exists=(Chosen("constant"),),
            ),
            sound=False,
            note="No L does: it takes an eigengap that stays away from zero.",
        ),
        Step(
            "compressed-covariance-is-definite",
            Statement(
                "the compressed covariance belongs to the positive definite matrices of (1)",
                compressed_definite_margin,
                given=(exceeds("m >= 1", rows_margin),),
                strict=True,
            ),
            sound=False,
            note="Its rank is at most m, so m >= p is needed; positive semidefinite was meant.",
        ),
    ),
    uses=("wishart.lemma-4+repair",),
)
