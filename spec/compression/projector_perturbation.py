"""Proposition 3.4: how far the projector on the first principal components moves (section 3)."""

from __future__ import annotations

from flint import arb

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Verdict
from dpmatrix.exact import ball
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import (
    DECREASING,
    EIGENVECTORS,
    PROPER_RANK,
    PSD_MATRIX,
    SpectralPair,
    frobenius_norm,
    gap,
    noise,
    projector_difference,
)


def projector_margin(p: SpectralPair) -> arb:
    """``||B||_F / delta_D - ||P^D(A) - P^D(A + B)||_F`` with delta_D half the gap."""
    return 2 * frobenius_norm(noise(p)) / gap(p) - frobenius_norm(projector_difference(p))


def positive_sum_margin(p: SpectralPair) -> arb:
    """Smallest eigenvalue of A + B."""
    return ball(min(p.perturbed_values))


PROPOSITION_3_4 = Claim(
    id="compression.proposition-3-4",
    kind=Kind.LEMMA,
    source=Locator(
        "compression",
        "Proposition 3.4",
        "A positive with simple eigenvalues, delta_D = (lambda_D - lambda_{D+1})/2, ||B||_F <= delta_D/2: ||P^D(A) - "
        "P^D(A + B)||_F <= ||B||_F / delta_D",
    ),
    statement=Statement(
        "||P^D(A) - P^D(A + B)||_F <= ||B||_F / delta_D",
        projector_margin,
        given=(
            *PROPER_RANK,
            EIGENVECTORS,
            DECREASING,
            PSD_MATRIX,
            Condition("A + B is positive", positive_sum_margin),
            exceeds("delta_D > 0", gap),
        ),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "Symmetric p x p matrices, which is the use; A and A + B by their spectra, D = k < p. Simple eigenvalues, "
        "lambda_D > 0 and ||B||_F <= delta_D/2 are not asked: the judged statement is the stronger one."
    ),
    because=(
        "With P and Q the projectors: (gap/2) ||P - Q||_F^2 <= tr(A(P - Q)), and tr((A + B)(Q - P)) >= 0 since Q is "
        "optimal for A + B. So (gap/2) f^2 <= tr(B(Q - P)) <= ||B||_F f. Neither simple eigenvalues nor the bound on "
        "||B||_F is used, only the gap at D."
    ),
)
