"""Theorem 8: (28), (29) and what they give together, for one feature and one response (section 4.4)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive


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
        c, by which E is multiplied in (28) and (29).
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


def window_cost(p: TwoMoments) -> fmpq:
    """``K_11 X~^2 - 2 K_12 X~ + K_22`` at X~ = C_12/C_11."""
    solution = rational(p.side) / rational(p.corner)
    return rational(p.feature) * solution**2 - 2 * rational(p.mixed) * solution + rational(p.response)


def equation_29(p: TwoMoments) -> arb:
    """`output_cost` minus `window_cost`, plus c E."""
    return arb(output_cost(p) - window_cost(p) + rational(p.constant) * rational(p.error))


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
        sound=False,
        note="(41) costs E (|X^|^2 + 1): steep solutions cost more than any c E.",
    ),
    Step(
        "equation-29",
        Statement(
            "(29), d = p = 1: there is a constant c with which, from (41) with the additive error E, what X~ costs on "
            "the output is at least what it costs on the window, less c E",
            equation_29,
            given=MOMENTS,
            exists=(Chosen("constant"),),
        ),
        sound=False,
        note="(41) allows E (|X~|^2 + 1).",
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
        sound=True,
    ),
)
