"""Distances between spans of eigenvectors: the Davis-Kahan theorem and a property of projectors (supplement B)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import (
    DECREASING,
    EIGENVECTORS,
    PROPER_RANK,
    SpectralPair,
    frobenius_norm,
    noise_norm,
    orthonormality,
    projector,
    projector_difference,
    ranked,
    spectral_norm,
)


def davis_kahan_bound(p: SpectralPair) -> arb:
    """``||A - Ahat||_2 / (lambda_k(A) - lambda_{k+1}(Ahat))``."""
    return noise_norm(p) / separation(p)


def separation(p: SpectralPair) -> arb:
    """``lambda_k(A) - lambda_{k+1}(Ahat)``."""
    return ranked(p.values, p.k) - ranked(p.perturbed_values, p.k + 1)


def davis_kahan_margin(p: SpectralPair) -> arb:
    """The bound minus ``||P_k - Phat_k||_2``, with P_k = sum_{i<=k} v_i v_i'."""
    return davis_kahan_bound(p) - spectral_norm(projector_difference(p))


SEPARATED = (*PROPER_RANK, EIGENVECTORS, DECREASING, exceeds("lambda_k(A) > lambda_{k+1}(Ahat)", separation))

LEMMA_3 = Claim(
    id="wishart.lemma-3",
    kind=Kind.LEMMA,
    source=Locator(
        "wishart",
        "Lemma 3",
        "P_k = sum_{i=1}^k v_k v_k': ||P_k - Phat_k||_2 <= ||A - Ahat||_2 / (lambda_k(A) - lambda_{k+1}(Ahat))",
    ),
    statement=Statement(
        "||P_k - Phat_k||_2 <= ||A - Ahat||_2 / (lambda_k(A) - lambda_{k+1}(Ahat)) with P_k = sum_{i<=k} v_i v_i'",
        davis_kahan_margin,
        given=SEPARATED,
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "A and Ahat are symmetric d x d, eigenvalues in decreasing order, eigenvectors orthonormal, 1 <= k < d. In the "
        "sums over i v_k v_k' is printed for v_i v_i', which is V_k V_k' as the proof of Theorem 6 writes it: a slip "
        "of an index."
    ),
    because=(
        "The inequality holds with constant 1: for the top singular pair (w, u) of (I - Phat)P with value s, w'(A - "
        "Ahat)u = s(u'Au - w'Ahat w) >= s(lambda_k(A) - lambda_{k+1}(Ahat)), and s = ||P - Phat||_2."
    ),
)


@attrs.frozen
class FramePair:
    """Two d x k rational matrices V and Vhat with orthonormal columns."""

    frame: fmpq_mat
    other: fmpq_mat


def span_difference(p: FramePair) -> fmpq_mat:
    """``VV' - Vhat Vhat'``."""
    return projector(p.frame, p.frame.ncols()) - projector(p.other, p.other.ncols())


def printed_projector_margin(p: FramePair) -> arb:
    """``sqrt(k) ||VV' - Vhat Vhat'||_2 - ||VV' - Vhat Vhat'||_F``."""
    difference = span_difference(p)
    return arb(p.frame.ncols()).sqrt() * spectral_norm(difference) - frobenius_norm(difference)


def projector_margin(p: FramePair) -> arb:
    """``sqrt(2k) ||VV' - Vhat Vhat'||_2 - ||VV' - Vhat Vhat'||_F``."""
    difference = span_difference(p)
    return arb(2 * p.frame.ncols()).sqrt() * spectral_norm(difference) - frobenius_norm(difference)


def orthonormal_columns_margin(p: FramePair) -> arb:
    """Zero exactly when both matrices are of one shape and their columns are orthonormal."""
    shapes = abs(p.frame.nrows() - p.other.nrows()) + abs(p.frame.ncols() - p.other.ncols())
    return orthonormality(p.frame) + orthonormality(p.other) - shapes


ORTHONORMAL_COLUMNS = Condition("V'V = Vhat'Vhat = I_k", orthonormal_columns_margin)

PROJECTOR_NORM_PROPERTY = Claim(
    id="wishart.projector-norm-property",
    kind=Kind.LEMMA,
    source=Locator(
        "wishart", "proof of Theorem 6", "||VV' - Vhat Vhat'||_F <= sqrt(k) ||VV' - Vhat Vhat'||_2, V and Vhat d x k"
    ),
    statement=Statement(
        "||VV' - Vhat Vhat'||_F <= sqrt(k) ||VV' - Vhat Vhat'||_2",
        printed_projector_margin,
        given=(ORTHONORMAL_COLUMNS,),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    because=(
        "A difference of two projectors of rank k has rank up to 2k, not k. For k = 1 its eigenvalues are s and -s, so "
        "the printed inequality fails for every two distinct lines: sqrt(2) against 1 for e_1 and e_2. With sqrt(2k) "
        "it holds, with equality for orthogonal subspaces, which exist as soon as 2k <= d; in general 2 min(k, d - k) "
        "may stand for 2k."
    ),
    repair=Repair(
        "sqrt(2k) in place of sqrt(k)",
        Statement(
            "||VV' - Vhat Vhat'||_F <= sqrt(2k) ||VV' - Vhat Vhat'||_2",
            projector_margin,
            given=(ORTHONORMAL_COLUMNS,),
        ),
    ),
)
