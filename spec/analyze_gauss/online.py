"""Algorithm 3: follow the perturbed leader, and what its whole sequence of outputs gives away."""

from __future__ import annotations

import math

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Real, ball, square
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import (
    PRINTED,
    SMALL_EPSILON,
    GaussianPromise,
    half_of_delta,
    printed_deviation,
    second_moment_sensitivity,
)
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import trace


@attrs.frozen
class FirstRow:
    """n = 2, k = 1, m steps: the first row is e_1 or missing, all others are zero; steps that prefer e_1 are counted.

    Parameters
    ----------
    epsilon, delta
        The parameters of the noise in each step.
    steps
        m: the outputs V_2, ..., V_m come from m - 1 noisy matrices.
    votes
        The event: at least so many of them are closer to e_1 than to e_2.
    """

    epsilon: Real
    delta: Real
    steps: int
    votes: int


def preference(p: FirstRow) -> arb:
    """``Phi(1 / (sqrt(2) Delta))``: probability that a step prefers e_1 with the first row; 1/2 without it."""
    return (-1 / (2 * printed_deviation(p.epsilon, p.delta))).erfc() / 2


def at_least_votes(p: FirstRow, chance: arb) -> arb:
    """Probability of at least so many votes among m - 1 independent ones."""
    count, total = p.steps - 1, arb(0)
    for votes in range(p.votes, count + 1):
        total += math.comb(count, votes) * chance**votes * (1 - chance) ** (count - votes)
    return total


def leaked_by_votes(p: FirstRow) -> arb:
    """``max(0, Pr(votes) - e^epsilon Pr'(votes))``."""
    excess = at_least_votes(p, preference(p)) - ball(p.epsilon).exp() * at_least_votes(p, arb(1) / 2)
    return excess.max(arb(0))


def promised_delta(p: FirstRow) -> arb:
    """Delta."""
    return ball(p.delta)


def votes_margin(p: FirstRow) -> arb:
    """``m - votes``."""
    return arb(p.steps - p.votes)


@attrs.frozen
class OnlinePromise(GaussianPromise):
    """A promise for the outputs of m steps."""

    steps: int


def sequence_sensitivity(p: OnlinePromise) -> arb:
    """``sqrt(m) s``: the first row is in all of C_1, ..., C_m."""
    return arb(p.steps).sqrt() * second_moment_sensitivity(p)


def online_deviation(p: OnlinePromise) -> arb:
    """``sqrt(m) s Delta``."""
    return arb(p.steps).sqrt() * second_moment_sensitivity(p) * printed_deviation(p.epsilon, p.delta)


def sequence_divergence(p: OnlinePromise) -> arb:
    """Exact delta at epsilon of all m noisy matrices together."""
    return GaussianProfile(sequence_sensitivity(p), online_deviation(p)).delta(p.epsilon)


@attrs.frozen
class OnlineRun:
    """What an implementation did: the variance of each entry of the noise of each step, and how many steps it drew."""

    promise: OnlinePromise
    variance: Real
    drawn: int


def run_margin(p: OnlineRun) -> arb:
    """Non-negative when m matrices were drawn, with entries of variance (sqrt(m) s Delta)^2 at least."""
    if p.drawn != p.promise.steps:
        return arb("-inf")
    return ball(p.variance) - square(online_deviation(p.promise))


def run_steps_margin(p: OnlineRun) -> arb:
    """``m``."""
    return arb(p.promise.steps)


@attrs.frozen
class Reward:
    """A basis V of a subspace, n x k, and an input a, n x 1; rational."""

    basis: fmpq_mat
    row: fmpq_mat


def reward_margin(p: Reward) -> arb:
    """``|V'a|^2 = tr(a'VV'a)``, exactly."""
    coordinates = p.basis.transpose() * p.row
    squared = sum((entry * entry for entry in coordinates.entries()), fmpq(0))
    return -arb(abs(squared - trace(p.row.transpose() * p.basis * p.basis.transpose() * p.row)))


def shapes_margin(p: Reward) -> arb:
    """Zero exactly when a is one column with as many entries as V has rows."""
    return -arb(abs(p.basis.nrows() - p.row.nrows()) + abs(p.row.ncols() - 1))


ONE_COLUMN = exceeds("a is one column with the rows of V", shapes_margin, strict=False)

ALGORITHM_3 = Claim(
    id="analyze-gauss.algorithm-3",
    kind=Kind.ALGORITHM,
    source=Locator(
        "analyze-gauss",
        "Algorithm 3",
        "C_t = sum a a^T, Chat_t = C_t + E_t, E_t as in Algorithm 1 with eps, delta; Vhat_{t+1} its top k singular "
        "subspace",
    ),
    statement=Statement.of_law(
        "Pr(S) <= e^epsilon Pr'(S) + delta for the parameters epsilon, delta of the noise, S = 'so many subspaces are "
        "closer to e_1', and a first row e_1 that is present or absent",
        leaked_by_votes,
        at_most=promised_delta,
        probability=False,
        given=(
            positive("epsilon"),
            positive("delta"),
            below("delta", 1),
            whole("steps", 2),
            whole("votes", 0),
            exceeds("votes < m", votes_margin),
        ),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "The slides call epsilon and delta regularization parameters and say nothing of privacy; judged is the promise "
        "of Algorithm 1 for all outputs together, one row of the stream being added or removed, as a zero row: as an "
        "algorithm without that promise it can be run as it is printed. One event is judged, which the promise "
        "implies; its two probabilities are exact. The "
        "subspace is that of the largest eigenvalues, as the analysis needs."
    ),
    because=(
        "The first row is in every C_t, and each step draws fresh noise, so the outputs can be pooled: at epsilon = 1, "
        "delta = 1e-6 the count of steps that prefer e_1 already breaks the promise after 50 steps, and tells the row "
        "almost surely as m grows. All m noisy matrices are one Gaussian release of sensitivity sqrt(m) s: deviation "
        "sqrt(m) s Delta restores the promise, and the exact cost of the printed noise is the profile at mu = sqrt(m) "
        "s / Delta. Other changed lines: the input is received before the reward, which depends on it; Vhat_{m+1} is "
        "not an output; subspaces are spanned by eigenvectors of largest eigenvalue, not of largest modulus; the "
        "release is on a lattice."
    ),
    repair=Repair(
        "deviation sqrt(m) s Delta, rows of norm at most R, epsilon <= 2 (1 + sqrt(2 log(1/delta)))",
        Statement.of_law(
            "all m noisy matrices, and so all subspaces, are together (epsilon, delta/2)-private",
            sequence_divergence,
            at_most=half_of_delta,
            probability=False,
            given=(*PRINTED, whole("steps", 1), SMALL_EPSILON),
        ),
    ),
    steps=(
        Step(
            "noise",
            Statement(
                "every step draws its own symmetric noise, of variance m (s Delta)^2 at least",
                run_margin,
                instance=True,
                given=(exceeds("m >= 1", run_steps_margin),),
            ),
            sound=True,
            note="as repaired; printed is Delta^2",
        ),
        Step("reward", Statement("|V'a|^2 = tr(a'VV'a)", reward_margin, given=(ONE_COLUMN,)), sound=True),
    ),
    uses=("analyze-gauss.algorithm-1+repair",),
)
