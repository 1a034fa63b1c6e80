"""Theorem 8: (28) for one feature and one response, (29), and what they give together (section 4.4)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive
from dpmatrix.spec.common.spectra import nonnegative_spectrum
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, precedes_margin


@attrs.frozen
class TwoMoments:
    """The second moment K of a window (A_W, B_W) with d = p = 1, an output C near it, and the error of (41).

    Parameters
    ----------
    feature, mixed, response
        K_11, K_12 and K_22.
    corner, side, end
        C_11, C_12 and C_22.
    eta
        eta.
    error
        E of K - E I <= C <= K/(1 - eta) + E I.
    constant
        c, by which E is multiplied in (28).
    """

    feature: Exact
    mixed: Exact
    response: Exact
    corner: Exact
    side: Exact
    end: Exact
    eta: Exact
    error: Exact
    constant: Exact


def _semidefinite(first: fmpq, side: fmpq, last: fmpq) -> arb:
    """Non-negative when (first, side; side, last) is positive semidefinite."""
    return arb(min(first, last, first * last - side * side))


def moment_margin(p: TwoMoments) -> arb:
    """K is positive semidefinite."""
    return _semidefinite(rational(p.feature), rational(p.mixed), rational(p.response))


def output_margin(p: TwoMoments) -> arb:
    """C is positive semidefinite."""
    return _semidefinite(rational(p.corner), rational(p.side), rational(p.end))


def lower_margin(p: TwoMoments) -> arb:
    """(41), left: C - K + E I is positive semidefinite."""
    error = rational(p.error)
    first = rational(p.corner) - rational(p.feature) + error
    last = rational(p.end) - rational(p.response) + error
    return _semidefinite(first, rational(p.side) - rational(p.mixed), last)


def upper_margin(p: TwoMoments) -> arb:
    """(41), right: K/(1 - eta) + E I - C is positive semidefinite."""
    error, rest = rational(p.error), 1 - rational(p.eta)
    first = rational(p.feature) / rest + error - rational(p.corner)
    last = rational(p.response) / rest + error - rational(p.end)
    return _semidefinite(first, rational(p.mixed) / rest - rational(p.side), last)


def output_cost(p: TwoMoments) -> fmpq:
    """``C_22 - C_12^2/C_11``, what the minimiser X~ costs on the output."""
    return rational(p.end) - rational(p.side) ** 2 / rational(p.corner)


def equation_28(p: TwoMoments) -> arb:
    """``(K_22 - K_12^2/K_11)/(1 - eta) + c E`` minus `output_cost`."""
    least = rational(p.response) - rational(p.mixed) ** 2 / rational(p.feature)
    return arb(least / (1 - rational(p.eta)) + rational(p.constant) * rational(p.error) - output_cost(p))


@attrs.frozen
class NoisyOutput:
    """The second moment of a window (A_W, B_W), the output K(1) + R of Algorithm 8, and a solution.

    Parameters
    ----------
    window, first, noise
        K, K(1) and R, of order d + p.
    solution
        X, d x p.
    """

    window: fmpq_mat
    first: fmpq_mat
    noise: fmpq_mat
    solution: fmpq_mat


def regression_cost(moment: fmpq_mat, solution: fmpq_mat) -> fmpq:
    """``Tr((X; -1)'M(X; -1))``."""
    responses = solution.ncols()
    below_it = [[fmpq(-int(i == j)) for j in range(responses)] for i in range(responses)]
    stacked = fmpq_mat([*solution.tolist(), *below_it])
    weighed = stacked.transpose() * moment * stacked
    return sum((weighed[i, i] for i in range(responses)), fmpq(0))


def equation_29(p: NoisyOutput) -> arb:
    """What X costs on the output, minus what it costs on the window."""
    return arb(regression_cost(p.first + p.noise, p.solution) - regression_cost(p.window, p.solution))


def symmetric_margin(p: NoisyOutput) -> arb:
    """0 when K, K(1) and R are symmetric and of order d + p."""
    order = p.solution.nrows() + p.solution.ncols()
    return flag(are_symmetric((p.window, p.first, p.noise), order))


def first_margin(p: NoisyOutput) -> arb:
    """(35), right: K(1) - K is positive semidefinite."""
    return precedes_margin(p.window, p.first)


def noise_margin(p: NoisyOutput) -> arb:
    """R is positive semidefinite."""
    return nonnegative_spectrum(p.noise)


MOMENTS = (
    exceeds("K is positive semidefinite", moment_margin, strict=False),
    exceeds("C is positive semidefinite", output_margin, strict=False),
    positive("corner"),
    positive("eta"),
    below("eta", 1),
    at_least("error", 0),
    exceeds("(41), left: K - E I <= C", lower_margin, strict=False),
    exceeds("(41), right: C <= K/(1 - eta) + E I", upper_margin, strict=False),
)


@attrs.frozen
class RegressionEnds:
    """Costs and the additive term of the proof of Theorem 8.

    Parameters
    ----------
    least, seen, chosen
        The least regression cost; what X~ costs on the output; what it costs on the window.
    extra
        ``c (tau + p)^2 log(tau + p)/epsilon``.
    eta
        eta.
    """

    least: Exact
    seen: Exact
    chosen: Exact
    extra: Exact
    eta: Exact


def end_28(p: RegressionEnds) -> arb:
    """``least/(1 - eta) + extra - seen``."""
    return arb(rational(p.least) / (1 - rational(p.eta)) + rational(p.extra) - rational(p.seen))


def end_29(p: RegressionEnds) -> arb:
    """``seen - chosen + extra``."""
    return arb(rational(p.seen) - rational(p.chosen) + rational(p.extra))


def combined_margin(p: RegressionEnds) -> arb:
    """``least/(1 - eta) + 2 extra - chosen``."""
    return arb(rational(p.least) / (1 - rational(p.eta)) + 2 * rational(p.extra) - rational(p.chosen))


REGRESSION_COSTS = (
    Step(
        "equation-28",
        Statement(
            "(28), d = p = 1: there is a constant c with which, from (41) with the additive error E, what X~ costs on "
            "the output is at most the least cost on the window over 1 - eta, plus c E",
            equation_28,
            given=(*MOMENTS, positive("feature")),
            exists=(Chosen("constant"),),
        ),
        defect=Defect.PROOF,
        note="(41) costs E (|X^|^2 + 1): steep solutions cost more than any c E. For fixed eps and delta (tau + p)^2 "
        "log(tau + p)/eps is E times a number, which every c covers.",
    ),
    Step(
        "equation-29",
        Statement(
            "(29): for C'C = K(1) + R, R positive semidefinite and K(1) >= K, X~ costs on the output at least what it "
            "costs on the window, as every X does, and no additive term is needed",
            equation_29,
            given=(
                exceeds("K, K(1) and R are symmetric, of order d + p", symmetric_margin, strict=False),
                exceeds("(35), right: K <= K(1)", first_margin, strict=False),
                exceeds("R is positive semidefinite", noise_margin, strict=False),
            ),
        ),
        defect=None,
        note="Not from (41), which alone allows E (|X~|^2 + 1).",
    ),
    Step(
        "combination",
        Statement(
            "(28) and (29) give the bound of the theorem, with 2c for c",
            combined_margin,
            given=(
                below("eta", 1),
                exceeds("(28)", end_28, strict=False),
                exceeds("(29)", end_29, strict=False),
            ),
        ),
        defect=None,
    ),
)
