"""Algorithm 3: follow the perturbed leader, what it draws, and what hides a row in its whole sequence of outputs."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Real, ball, square
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import (
    PRINTED,
    GaussianPromise,
    half_of_delta,
    printed_deviation,
    repaired_deviation,
    second_moment_sensitivity,
)
from dpmatrix.spec.analyze_gauss.tree_noise import time_margin, tree_divergence, tree_noise_margin
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.common.points import ON_A_GRID, below_half_margin
from dpmatrix.spec.common.spectra import trace
from dpmatrix.spec.wishart.scalar_noise import no_delta


@attrs.frozen
class GridEntry:
    """An entry of E_t, of law N(0, Delta^2), and the grid hZ of the numbers that a machine can write.

    Parameters
    ----------
    epsilon, delta
        The inputs.
    spacing
        The h > 0 of the grid.
    distance
        A distance of at least 0 and less than h/2.
    """

    epsilon: Real
    delta: Real
    spacing: Real
    distance: Real


def between_probability(p: GridEntry) -> arb:
    """Probability that the entry is between ``distance`` and h - ``distance``, and so farther than that from hZ."""
    scale = arb(2).sqrt() * printed_deviation(p.epsilon, p.delta)
    near, far = ball(p.distance), ball(p.spacing) - ball(p.distance)
    return ((near / scale).erfc() - (far / scale).erfc()) / 2


@attrs.frozen
class OnlinePromise(GaussianPromise):
    """A guarantee for the outputs of m steps."""

    steps: int


def sequence_sensitivity(p: OnlinePromise) -> arb:
    """``sqrt(m) s``: the first row is in all of C_1, ..., C_m."""
    return arb(p.steps).sqrt() * second_moment_sensitivity(p)


def online_deviation(p: OnlinePromise) -> arb:
    """``sqrt(m) s Delta'``."""
    return arb(p.steps).sqrt() * second_moment_sensitivity(p) * repaired_deviation(p.epsilon, p.delta)


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
    """Non-negative when m matrices were drawn, with entries of variance m (s Delta')^2 at least."""
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


TIME = exceeds("t <= m", time_margin, strict=False)
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
        "a machine can draw the noise: for some h > 0 a variable of law N(0, Delta^2) lies on the grid hZ",
        between_probability,
        at_most=no_delta,
        given=(
            positive("epsilon"),
            positive("delta"),
            below("delta", 1),
            positive("spacing"),
            at_least("distance", 0),
            exceeds("distance < h/2", below_half_margin),
        ),
        exists=ON_A_GRID,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "What a machine writes is a multiple of some h > 0, its smallest number; h may depend on nothing. The slides "
        "call epsilon and delta regularization parameters and say nothing of privacy. The subspace is that of the "
        "largest eigenvalues, as the analysis needs."
    ),
    because=(
        "Changed lines: real-valued noise is on no grid, so that no machine draws it: rows are truncated to a grid, "
        "and the noise is discrete Gaussian, exact. The input is received before the reward, which depends on it; "
        "Vhat_{m+1} is not an output; subspaces are spanned by eigenvectors of largest eigenvalue, not of largest "
        "modulus.\n\n"
        "No privacy is claimed; were Algorithm 1's guarantee asked of all outputs together, they could be pooled, as "
        "the first row is in every C_t and each step draws fresh noise: all m noisy matrices are one Gaussian release "
        "of sensitivity sqrt(m) s, whose exact cost with the printed noise is the profile at mu = sqrt(m) s / Delta. A "
        "standard deviation of sqrt(m) s Delta' keeps that guarantee, Delta' that of the repaired Algorithm 1, and is "
        "what the release draws.\n\n"
        "Less noise would do: on the L = floor(log2 m) + 1 sizes of nodes of a binary tree over the steps, as Dwork, "
        "Naor, Pitassi and Rothblum and Chan, Shi and Song draw it. An entry of E_t then has standard deviation at "
        "most L s Delta', and less than sqrt(m) s Delta' in all but short streams (step `tree-noise`). Given up is "
        "that the E_t are independent; the expected regret on a stream that is fixed sees each by itself."
    ),
    repair=Repair(
        "discrete noise on a grid, of standard deviation sqrt(m) s Delta', Delta' that of the repaired Algorithm 1; "
        "rows of norm at most R",
        Statement.of_law(
            "all m noisy matrices, and so all subspaces, are together (epsilon, delta/2)-private",
            sequence_divergence,
            at_most=half_of_delta,
            probability=False,
            given=(*PRINTED, whole("steps", 1)),
        ),
    ),
    steps=(
        Step(
            "noise",
            Statement(
                "every step draws its own symmetric noise, of variance m (s Delta')^2 at least",
                run_margin,
                instance=True,
                given=(exceeds("m >= 1", run_steps_margin),),
            ),
            defect=None,
            note="as repaired; printed is Delta^2",
        ),
        Step(
            "tree",
            Statement.of_law(
                "noise of standard deviation sqrt(L) s Delta' in every node of the tree is together (epsilon, "
                "delta/2)-private",
                tree_divergence,
                at_most=half_of_delta,
                probability=False,
                given=(*PRINTED, whole("steps", 1)),
            ),
            defect=None,
            note="not printed; each C_t + E_t is a sum of nodes",
        ),
        Step(
            "tree-noise",
            Statement(
                "the nodes of C_t have together less variance than m (s Delta')^2",
                tree_noise_margin,
                given=(whole("steps", 21), whole("time", 1), TIME),
                strict=True,
            ),
            defect=None,
            note="not printed; at m = 20 and t = 15 both are equal",
        ),
        Step("reward", Statement("|V'a|^2 = tr(a'VV'a)", reward_margin, given=(ONE_COLUMN,)), defect=None),
    ),
    uses=("analyze-gauss.algorithm-1+repair",),
)
