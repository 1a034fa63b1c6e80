"""Theorem 6 for noise of either sign, such as the private one: what its hypothesis on the gap is good for.

By the sin 2 theta theorem (Davis, Kahan, The rotation of eigenvectors by a perturbation III, 1970), with the spread of
W in place of twice its norm, as W - cI turns the eigenvectors as W does.
"""

from __future__ import annotations

from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import (
    DECREASING,
    EIGENVECTORS,
    PROPER_RANK,
    SpectralPair,
    eigenvalues,
    frobenius_norm,
    gap,
    noise,
    projector_difference,
)


def spread(p: SpectralPair) -> arb:
    """``lambda_max(W) - lambda_min(W)``."""
    values = eigenvalues(noise(p))
    return values[0] - values[-1]


def small_spread_margin(p: SpectralPair) -> arb:
    """``lambda_k - lambda_{k+1} - spread``."""
    return gap(p) - spread(p)


def spread_bound_margin(p: SpectralPair) -> arb:
    """``sqrt(k) spread / (lambda_k - lambda_{k+1}) - ||P_k - Phat_k||_F``."""
    return arb(p.k).sqrt() * spread(p) / gap(p) - frobenius_norm(projector_difference(p))


EITHER_SIGN = Step(
    "either-sign",
    Statement(
        "for symmetric noise of either sign whose spread, lambda_max(W) - lambda_min(W), is below lambda_k - "
        "lambda_{k+1}: ||V_k V_k' - Vhat_k Vhat_k'||_F <= sqrt(k) spread/(lambda_k - lambda_{k+1})",
        spread_bound_margin,
        given=(
            *PROPER_RANK,
            EIGENVECTORS,
            DECREASING,
            exceeds("the spread of W is below lambda_k - lambda_{k+1}", small_spread_margin),
        ),
    ),
    defect=None,
    note="not printed; as the spread is at most 2 ||W||_2, the printed inequality follows where the gap is above that",
)
