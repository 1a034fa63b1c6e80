"""Theorem 13: how far the output of Algorithm 2 is from the principal subspace."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Real, ball, square
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import printed_deviation, repaired_deviation
from dpmatrix.spec.analyze_gauss.noise import norm_probability
from dpmatrix.spec.analyze_gauss.subspace_privacy import (
    PROMISE,
    GapSettings,
    deviation_factor,
    laplace_tail,
    normal_tail,
    offset,
)
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import (
    DECREASING,
    EIGENVECTORS,
    PROPER_RANK,
    SpectralPair,
    noise_norm,
    projector_difference,
    spectral_norm,
)


def log_inverse(delta: Real) -> arb:
    """``log(1/delta)``."""
    return (1 / ball(delta)).log()


@attrs.frozen
class PlaneRecovery(GapSettings):
    """n = 2, k = 1, at a gap far above the offset, and the constant K that O stands for."""

    constant: Real


def printed_bound(p: PlaneRecovery) -> arb:
    """``K Delta sqrt(2) / (gap - log(1/delta)/epsilon)``, gap = sigma_1^2 - sigma_2^2."""
    room = ball(p.gap) - log_inverse(p.delta) / ball(p.epsilon)
    return ball(p.constant) * printed_deviation(p.epsilon, p.delta) * arb(2).sqrt() / room


def failure_probability(p: PlaneRecovery) -> arb:
    """Lower bound of Pr(distance > bound): a Laplace draw in [-(gap - offset), 0], E_11 <= E_22, a large E_12.

    Given a deviation of at least Delta/(gap - offset), diag(1, 0) + E has its top eigenvector at the angle t with
    |tan 2t| = 2 |E_12| / |1 + E_11 - E_22|; sin t exceeds s < 1/sqrt(2) if E_11 <= E_22 and 2 |E_12| > tan(2 asin s).
    """
    sine = printed_bound(p)
    room = ball(p.gap) - offset(p.epsilon, p.delta)
    tangent = 2 * sine * (1 - square(sine)).sqrt() / (1 - 2 * square(sine))
    drawn = laplace_tail(p.epsilon, arb(0)) - laplace_tail(p.epsilon, room)
    return drawn * normal_tail(tangent * room / (2 * printed_deviation(p.epsilon, p.delta)))


def printed_margin(p: PlaneRecovery) -> arb:
    """``2 delta`` minus the lower bound of the failure probability."""
    return 2 * ball(p.delta) - failure_probability(p)


def room_margin(p: PlaneRecovery) -> arb:
    """Smaller of ``gap - offset`` and ``1/2 - s^2`` for the printed bound s."""
    return (ball(p.gap) - offset(p.epsilon, p.delta)).min(arb(1) / 2 - square(printed_bound(p)))


@attrs.frozen
class Recovery(SpectralPair):
    """One run of the repaired algorithm: V_k V_k' and its noisy version by their eigenvalues and eigenvectors.

    Parameters
    ----------
    epsilon, delta
        The guarantee.
    gap
        lambda_k - lambda_{k+1} of A'A.
    laplace
        The Laplace draw on the gap.
    adjacency
        The relation of the guarantee: for a row replaced the repaired algorithm adds sqrt(2) times the noise.
    """

    epsilon: Real
    delta: Real
    gap: Real
    laplace: Real
    adjacency: Adjacency


def scaled_deviation(p: Recovery) -> arb:
    """``f Delta'``."""
    return deviation_factor(p.adjacency) * repaired_deviation(p.epsilon, p.delta)


def run_deviation(p: Recovery) -> arb:
    """``f Delta' / (gap + Laplace draw - offset)``."""
    return scaled_deviation(p) / (ball(p.gap) + ball(p.laplace) - offset(p.epsilon, p.delta))


def norm_deviations(order: int, delta: Real) -> arb:
    """``4 sqrt(n log 9 + log(1/delta))``: ||E||_2 exceeds it in deviations with probability at most delta."""
    return 4 * (order * arb(9).log() + log_inverse(delta)).sqrt()


def room_after_laplace(p: Recovery) -> arb:
    """``gap - 2 - 4 log(1/delta)/epsilon``."""
    return ball(p.gap) - 2 - 4 * log_inverse(p.delta) / ball(p.epsilon)


def repaired_bound(p: Recovery) -> arb:
    """``8 f Delta' sqrt(n log 9 + log(1/delta)) / (gap - 2 - 4 log(1/delta)/epsilon)``."""
    return 2 * norm_deviations(len(p.values), p.delta) * scaled_deviation(p) / room_after_laplace(p)


@attrs.frozen
class Draws:
    """A guarantee, and the order n of the matrix: what the Laplace draw and the noise of the repaired run depend on."""

    epsilon: Real
    delta: Real
    order: int


def either_fails(p: Draws) -> arb:
    """Pr(Lap(2/epsilon) < -2 log(1/delta)/epsilon, or ||E||_2 > 4 sqrt(n log 9 + log(1/delta)) deviations).

    The first is exact, the second enclosed; they are independent, the second for each value of the first.
    """
    low = laplace_tail(p.epsilon, 2 * log_inverse(p.delta) / ball(p.epsilon))
    large = norm_probability(p.order, norm_deviations(p.order, p.delta))
    return low + (1 - low) * large


def twice_delta(p: Draws) -> arb:
    """``2 delta``."""
    return 2 * ball(p.delta)


def repaired_margin(p: Recovery) -> arb:
    """The bound minus ``||V_k V_k' - Vhat_k Vhat_k'||_2``."""
    return repaired_bound(p) - spectral_norm(projector_difference(p))


def laplace_event_margin(p: Recovery) -> arb:
    """Laplace draw plus ``2 log(1/delta)/epsilon``."""
    return ball(p.laplace) + 2 * log_inverse(p.delta) / ball(p.epsilon)


def norm_event_margin(p: Recovery) -> arb:
    """``4 sqrt(n log 9 + log(1/delta))`` deviations minus ``||E||_2``."""
    return norm_deviations(len(p.values), p.delta) * run_deviation(p) - noise_norm(p)


def projector_margin(p: Recovery) -> arb:
    """Zero exactly when the first matrix has k eigenvalues 1 and the others 0."""
    wanted = [int(i < p.k) for i in range(len(p.values))]
    return -arb(int(list(p.values) != wanted))


RUN = (
    *PROMISE,
    *PROPER_RANK,
    EIGENVECTORS,
    DECREASING,
    Condition("V_k V_k' is a projector of rank k", projector_margin),
    exceeds("gap > 2 + 4 log(1/delta)/epsilon", room_after_laplace),
    Condition("the Laplace draw is at least -2 log(1/delta)/epsilon", laplace_event_margin),
    Condition("||E||_2 <= 4 sqrt(n log 9 + log(1/delta)) deviations", norm_event_margin),
)

THEOREM_13 = Claim(
    id="analyze-gauss.theorem-13",
    kind=Kind.UTILITY,
    source=Locator(
        "analyze-gauss",
        "Theorem 13",
        "with probability at least 1 - 2 delta ||V_k V_k^T - Vhat_k Vhat_k^T||_2 = "
        "O(Delta sqrt(n) / (sigma_k^2 - sigma_{k+1}^2 - log(1/delta)/eps))",
    ),
    statement=Statement(
        "there is a K such that for every epsilon, delta and A, here with n = 2 and k = 1, "
        "Pr(distance > K Delta sqrt(2) / (gap - log(1/delta)/eps)) <= 2 delta",
        printed_margin,
        given=(*PROMISE, positive("constant"), exceeds("gap > offset, and the bound is below 1/sqrt(2)", room_margin)),
        exists=(Chosen("constant"),),
        one_sided=True,
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.CONCLUSION,
    headline=(
        "It fails whatever the constant: for large gaps the distance exceeds any multiple of the bound with a "
        "probability that does not fall with delta."
    ),
    reading=(
        "The algorithm is as in `analyze-gauss.algorithm-2`, d the noisy gap. O hides a K that is chosen before n, k, "
        "epsilon, delta and A; the failure probability enters by a lower bound, so that a margin below zero refutes. "
        "Repaired, the theorem is stated for one run on two events, the Laplace draw and ||E||_2, and the probability "
        "that one of them fails is the step `events`. f = 1 where the guarantee is for a row added or removed, and f = "
        "sqrt(2), the factor of the repaired noise, where it is replaced; Delta' is that of the repaired Algorithm 1, "
        "which is Delta but for large epsilon."
    ),
    because=(
        "The distance is about |E_12|, of standard deviation Delta/gap for large gaps, so it exceeds any multiple K of "
        "it with a probability that does not depend on delta; for delta below that the theorem fails, whatever K. "
        "sqrt(n + log(1/delta)) must stand for sqrt(n). The denominator is no constant factor either: the algorithm "
        "subtracts 2 + 2 log(1/delta)/epsilon, the Laplace draw can cost as much again, and without a hypothesis on "
        "the gap the printed right side is negative. With gap - 2 - 4 log(1/delta)/epsilon > 0 below it is true."
    ),
    repair=Repair(
        "8 f Delta' sqrt(n log 9 + log(1/delta)) / (gap - 2 - 4 log(1/delta)/eps), where that is positive; f = 1 for a "
        "row added or removed, sqrt(2) for a row replaced",
        Statement(
            "on the two events the distance is at most that",
            repaired_margin,
            given=RUN,
        ),
    ),
    steps=(
        Step(
            "events",
            Statement.of_law(
                "one of the two events fails with probability at most 2 delta",
                either_fails,
                at_most=twice_delta,
                given=(positive("epsilon"), positive("delta"), below("delta", 1), whole("order", 1)),
            ),
            defect=None,
            note="not printed; what the repair rests on",
        ),
    ),
    uses=("analyze-gauss.noise-norm", "wishart.lemma-3", "wishart.lemma-4+repair"),
)
