"""What lines 12 to 14 of Algorithm 7 make of the noise: for rows of zeros the output holds the largest of all."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Defect, Range, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail, upper_tail
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole


@attrs.frozen
class LargestNoise:
    """n - 1 zeros and then a row a, 0 or 1, in one dimension, T = n <= W, and the event that the output is at most t.

    Parameters
    ----------
    degrees
        tau of line 6.
    count
        n.
    threshold
        t > 0.
    epsilon, delta
        The guarantee.
    """

    degrees: int
    count: int
    threshold: Exact
    epsilon: Exact
    delta: Exact


def at_most_threshold(p: LargestNoise, row: int) -> arb:
    """Probability of the event: a^2 plus the largest of n chi-square variates is at most t."""
    left = rational(p.threshold) - row * row
    return lower_tail(arb(left) / 2, arb(p.degrees) / 2) ** p.count if left > 0 else arb(0)


def event_margin(p: LargestNoise) -> arb:
    """``e^eps Pr(event | a = 1) + delta - Pr(event | a = 0)``."""
    return ball(p.epsilon).exp() * at_most_threshold(p, 1) + ball(p.delta) - at_most_threshold(p, 0)


def line_6(p: LargestNoise) -> arb:
    """Non-negative when tau is at least the integer part of 1 + 14 log(1/delta)/epsilon^2."""
    return p.degrees - 14 * -ball(p.delta).log() / ball(p.epsilon) ** 2


LARGEST_NOISE = Step(
    "bounded-rows",
    Statement(
        "with the loop from 1 on and lines 12 to 14 as read, the event that the output is at most t is private for n - "
        "1 zeros and a last row 0 or 1: a bounded row, present or absent",
        event_margin,
        given=(
            whole("degrees", 1),
            whole("count", 1),
            positive("threshold"),
            positive("epsilon"),
            positive("delta"),
            below("delta", 1),
            exceeds("tau >= floor(1 + 14 log(1/delta)/eps^2)", line_6),
        ),
    ),
    defect=Defect.LEAK,
    note="Lines 12 to 14 keep the largest noise: at eps = 1, delta = 10^-6, tau = 194 and n = 10^4 it is 78 delta.",
)


@attrs.frozen
class SurvivingNoise:
    """The noise of K~(1) after 2^m rows of zeros in one dimension, which is the largest of as many.

    Parameters
    ----------
    degrees
        tau of line 6.
    doublings
        m.
    constant, success
        The c of (37), and the probability that it is given.
    """

    degrees: int
    doublings: int
    constant: Exact
    success: Exact


def surviving_margin(p: SurvivingNoise) -> arb:
    """``log log(1/p) - log(-2^m log F)``, F the chance that one noise is at most c tau log tau: F^(2^m) against p."""
    bound = ball(p.constant) * p.degrees * arb(p.degrees).log()
    beyond = upper_tail(bound / 2, arb(p.degrees) / 2)
    return (-ball(p.success).log()).log() - p.doublings * arb(2).log() - (-(-beyond).log1p()).log()


SURVIVING_NOISE = Step(
    "surviving-noise",
    Statement(
        "(37) for a survivor: there are c and p > 0 with which, with the loop from 1 on and lines 12 to 14 as read, "
        "after 2^m rows of zeros in one dimension the noise of K~(1) is at most c tau log tau with probability p at "
        "least, for all m and tau >= 3",
        surviving_margin,
        given=(
            whole("degrees", 3),
            whole("doublings", 0),
            positive("constant"),
            positive("success"),
            below("success", 1),
        ),
        exists=(Chosen("constant"), Chosen("success", range=Range.SHARE)),
    ),
    defect=Defect.PROOF,
    note="The first survivor has the largest of all noises, which grows with log W beside tau.",
)
