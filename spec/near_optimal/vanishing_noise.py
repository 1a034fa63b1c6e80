"""What a relaxed privacy requirement does to MOD-SULQ (section 6.5)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import ball
from dpmatrix.spec.common.conditions import at_least
from dpmatrix.spec.common.spectra import disagreement, frobenius_norm, trace
from dpmatrix.spec.near_optimal.noise import INPUTS, REAL_NOISE, ModSulq, printed_deviation


def vanishing_margin(p: ModSulq) -> arb:
    """``beta(1)/sqrt(eps) - beta(eps)``."""
    return printed_deviation(attrs.evolve(p, epsilon=1)) / ball(p.epsilon).sqrt() - printed_deviation(p)


@attrs.frozen
class NoisyTop:
    """A, N and the projections onto the span of the top k eigenvectors of A + N, and onto any other of dimension k."""

    matrix: fmpq_mat
    noise: fmpq_mat
    chosen: fmpq_mat
    other: fmpq_mat


def lost_margin(p: NoisyTop) -> arb:
    """``sqrt(2k) |N|_F`` minus what the chosen subspace misses of ``q_F = tr PA`` against the other one."""
    missed = trace((p.other - p.chosen) * p.matrix)
    return (2 * arb(trace(p.chosen))).sqrt() * frobenius_norm(p.noise) - arb(missed)


def best_margin(p: NoisyTop) -> arb:
    """``tr P(A + N) - tr Q(A + N)``."""
    return arb(trace((p.chosen - p.other) * (p.matrix + p.noise)))


def projections_margin(p: NoisyTop) -> arb:
    """0 exactly when P and Q are orthogonal projections of one rank."""
    lack = sum((disagreement(x * x, x) + disagreement(x, x.transpose()) for x in (p.chosen, p.other)), arb(0))
    return lack - abs(arb(trace(p.chosen) - trace(p.other)))


VANISHING_STEPS = (
    Step(
        "noise-vanishes",
        Statement(
            "for given n, d and delta the noise of MOD-SULQ tends to 0 as epsilon grows: from epsilon = 1 on beta is "
            "at most 1/sqrt(epsilon) times what it is there",
            vanishing_margin,
            given=(*(one for one in INPUTS if one.of != "epsilon"), at_least("epsilon", 1), REAL_NOISE),
        ),
        defect=None,
    ),
    Step(
        "little-noise-little-loss",
        Statement(
            "the top k eigenvectors of A + N miss at most sqrt(2k) |N|_F of q_F(V_k)",
            lost_margin,
            given=(
                Condition("P and Q are orthogonal projections of one rank", projections_margin),
                Condition("tr P(A + N) >= tr Q(A + N)", best_margin),
            ),
        ),
        defect=None,
        note="With E |N|_F <= d beta the expected utility of MOD-SULQ tends to that of PCA as epsilon grows.",
    ),
)
