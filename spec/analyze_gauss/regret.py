"""Regret: Algorithm 3 against the best fixed subspace, and the loss that the slides give for the offline problem."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Claim, Condition, Kind, Locator, Statement, Verdict
from dpmatrix.exact import Exact, Real, ball
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import printed_deviation
from dpmatrix.spec.analyze_gauss.noise import NORM_CONSTANT
from dpmatrix.spec.analyze_gauss.worst_case import SPECTRA, best, captured
from dpmatrix.spec.common.conditions import below, positive, whole
from dpmatrix.spec.common.spectra import SpectralPair, noise_norm


@attrs.frozen
class TunedStream:
    """A stream that is fixed in advance, the parameters of Algorithm 3, and the constants that the tilde hides.

    Parameters
    ----------
    order, rank, steps
        n, k and the number m of rows of norm at most 1.
    best
        OPT, the reward of the best fixed subspace.
    epsilon, delta
        Regularization parameters.
    constant, slope
        The bound is (constant + slope sqrt(2 log m)) sqrt(k OPT) n^(1/4).
    """

    order: int
    rank: int
    steps: int
    best: Exact
    epsilon: Real
    delta: Real
    constant: Real
    slope: Real


def tuned_epsilon(order: int, rank: int, best: Exact) -> arb:
    """``sqrt(k sqrt(n) / OPT)``."""
    return (rank * arb(order).sqrt() / ball(best)).sqrt()


def tuned_delta(steps: int) -> fmpq:
    """``1/m``."""
    return fmpq(1, steps)


def expected_norm(p: TunedStream) -> arb:
    """``4 Delta sqrt(n log 9 + log 2)``, a bound of E ||E_t||_2."""
    return 4 * printed_deviation(p.epsilon, p.delta) * (p.order * arb(9).log() + arb(2).log()).sqrt()


def regret_bound(p: TunedStream) -> arb:
    """The smaller of OPT and ``epsilon OPT + k E||E|| + 1 + m delta``."""
    proved = ball(p.epsilon) * ball(p.best) + p.rank * expected_norm(p) + 1 + p.steps * ball(p.delta)
    return ball(p.best).min(proved)


def online_margin(p: TunedStream) -> arb:
    """``(constant + slope sqrt(2 log m)) sqrt(k OPT) n^(1/4)`` minus the bound of the regret."""
    factor = ball(p.constant) + ball(p.slope) * (2 * arb(p.steps).log()).sqrt()
    return factor * (p.rank * ball(p.best)).sqrt() * arb(p.order).sqrt().sqrt() - regret_bound(p)


REGRET_ONLINE = Claim(
    id="analyze-gauss.regret-online",
    kind=Kind.UTILITY,
    source=Locator("analyze-gauss", "slide Goal vs result", "online problem, regret O~(sqrt(k OPT) n^(1/4))"),
    statement=Statement(
        "for every n, k, m and OPT there are epsilon and delta, and for all of them a C and a C', such that the bound "
        "min(OPT, epsilon OPT + k E||E||_2 + 1 + m delta) of the regret is at most (C + C' sqrt(2 log m)) sqrt(k OPT) "
        "n^(1/4)",
        online_margin,
        given=(whole("order", 1), whole("rank", 1), whole("steps", 2), positive("best")),
        exists=(
            Chosen("constant", exhibited=10),
            Chosen("slope", exhibited=7),
            Chosen("epsilon", after=("order", "rank", "best"), exhibited=tuned_epsilon),
            Chosen("delta", after=("steps",), exhibited=tuned_delta),
        ),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "Regret is OPT minus the expected sum of the rewards, OPT the reward of the best fixed subspace of rank k, for "
        "a stream that is fixed in advance. The slides call epsilon and delta regularization parameters, so they are "
        "to be chosen; the tilde hides powers of log m, and OPT > 0. The leader is the span of the top eigenvectors "
        "of the noisy matrix, which is not the same as its top singular vectors, since it may have negative "
        "eigenvalues. The statement is judged through an upper bound of the regret of every stream; no regret is "
        "computed."
    ),
    because=(
        "epsilon = sqrt(k sqrt(n)/OPT) and delta = 1/m will do, which need OPT in advance. Be-the-leader loses k "
        "E||E||_2, and the privacy of one step, used as stability, costs a factor e^-epsilon and m delta. For OPT < k "
        "sqrt(n) the bound exceeds OPT, which no regret does. That the regret is at most epsilon OPT + k E||E||_2 + 1 "
        "+ m delta is a written proof; its formulas alone are checked by machine.\n\n"
        "The choice matters: at a fixed "
        "epsilon and delta the regret is linear, as on e_1, e_2, e_1, ... every second step has a leader that is about "
        "to lose, by a margin free of m."
    ),
    uses=("analyze-gauss.algorithm-1+repair",),
)


@attrs.frozen
class OfflineLoss(SpectralPair):
    """A'A and A'A + E of Algorithm 1 by their eigenvalues and eigenvectors, a rank k, and the constant K of O.

    As in Theorem 4 ``perturbed_values`` are in decreasing order of their absolute values.
    """

    epsilon: Real
    delta: Real
    constant: Real


def geometric_constant(epsilon: Real, delta: Real) -> arb:
    """``sqrt(14 Delta)``."""
    return (2 * NORM_CONSTANT * printed_deviation(epsilon, delta)).sqrt()


def offline_event_margin(p: OfflineLoss) -> arb:
    """``7 sqrt(n) Delta - ||E||_2``."""
    deviation = printed_deviation(p.epsilon, p.delta)
    return NORM_CONSTANT * arb(len(p.values)).sqrt() * deviation - noise_norm(p)


def offline_margin(p: OfflineLoss) -> arb:
    """``K sqrt(k OPT) n^(1/4)`` minus the loss."""
    order = arb(len(p.values)).sqrt().sqrt()
    return ball(p.constant) * (p.k * arb(best(p))).sqrt() * order - arb(best(p) - captured(p))


REGRET_OFFLINE = Claim(
    id="analyze-gauss.regret-offline",
    kind=Kind.UTILITY,
    source=Locator("analyze-gauss", "slide Goal vs result", "offline problem, regret O~(sqrt(k OPT) n^(1/4))"),
    statement=Statement(
        "for every epsilon and delta there is a K such that whenever ||E||_2 <= 7 sqrt(n) Delta, the loss is at most "
        "K sqrt(k OPT) n^(1/4)",
        offline_margin,
        given=(
            *SPECTRA,
            positive("epsilon"),
            positive("delta"),
            below("delta", 1),
            Condition("||E||_2 <= 7 sqrt(n) Delta", offline_event_margin),
        ),
        exists=(Chosen("constant", after=("epsilon", "delta"), exhibited=geometric_constant),),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "An offline problem has no regret; read as the loss of captured variance of Algorithm 1, OPT the largest that "
        "rank k can capture, on the event of Theorem 4, of probability at least 1 - exp(-4n/5). The bound names "
        "neither epsilon nor delta, which are parameters of the algorithm: O hides a factor that depends on them, and "
        "nothing else; the tilde is not needed. The subspace may be that of the top singular vectors, as in Theorem 4."
    ),
    because=(
        "The loss is at most 14 k sqrt(n) Delta (Theorem 4) and at most OPT, hence at most the geometric mean of the "
        "two, with K = sqrt(14 Delta). K grows like epsilon^(-1/2), and no K serves every epsilon: A'A = OPT e_1 e_1' "
        "with Delta far above OPT leaves a line that is nearly uniform, which loses a share of OPT that does not fall."
    ),
    uses=("analyze-gauss.theorem-4",),
)
