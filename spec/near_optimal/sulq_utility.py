"""Theorem 15: how well MOD-SULQ finds the top eigenvector of its worst data set (section 5.2)."""

from __future__ import annotations

from flint import arb

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import ball, square
from dpmatrix.spec.near_optimal.fano import fano_bound
from dpmatrix.spec.near_optimal.packing_number import Lines, log_largest_family
from dpmatrix.spec.near_optimal.sulq_bound import (
    PHI,
    SETTING,
    SulqBound,
    bracket,
    divergence_bound,
    printed_loss,
)
from dpmatrix.spec.near_optimal.sulq_utility_proof import LINES


def mean_distance(p: SulqBound) -> arb:
    """Theorem 13 for the largest family of lines at phi: ``tau = sqrt(2 (1-phi))``, ``gamma = 1/beta^2``."""
    log_family = log_largest_family(Lines(p.dimension, p.phi))
    return fano_bound((2 * (1 - ball(p.phi))).sqrt(), divergence_bound(p), log_family)


def theorem_15_margin(p: SulqBound) -> arb:
    """Half the square of the mean distance, by which 1 exceeds the correlation, minus the loss of (21)."""
    return square(mean_distance(p)) / 2 - printed_loss(p)


def inequality_25_margin(p: SulqBound) -> arb:
    """The mean distance minus ``(sqrt(2 (1-phi))/2) (1 - (1/beta^2 + log 2)/log K)``."""
    return mean_distance(p) - (2 * (1 - ball(p.phi))).sqrt() / 2 * bracket(p)


INSIDE_PHI = (*SETTING, *PHI[2:])
"""The third end of Phi alone: the other two are not needed."""

THEOREM_15 = Claim(
    id="near-optimal.theorem-15",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "near-optimal",
        "Theorem 15",
        "E|<v^, v>| <= min over phi in Phi of 1 - ((1-phi)/4) (1 - (1/beta^2 + log 2)/((d-1) log(1/sqrt(1-phi^2)) - "
        "log 8))^2 on some data set",
    ),
    statement=Statement(
        "for every phi above the third end of Phi of (22), on n copies of some unit vector MOD-SULQ has E|<v^, v>| <= "
        "1 - ((1-phi)/4) (1 - (1/beta^2 + log 2)/log K)^2, K of (12)",
        theorem_15_margin,
        given=INSIDE_PHI,
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "d >= 2, as (22) divides by d - 1; 0 < delta < 1. The noise is that of Theorem 5, independent on and above the "
        "diagonal. 'Covariance matrix' is the second-moment matrix: that of n copies about their mean is 0. The data "
        "set is that of the proof, n copies of a unit vector; with any eigengap allowed the sentence is trivial, as "
        "the right side is at least 3/4 and some data set has at most 2/pi up to any error "
        "(`near-optimal.theorem-9/any-gap`). The first two ends of Phi are dropped: they are not needed. The law of v^ "
        "is not computed: what is compared with (21) is Fano's inequality over the largest family of lines, whose size "
        "is enclosed, and the verdict rests on the written proof."
    ),
    because=(
        "Fano's inequality over the packing of Lemma 11 bounds the expected distance of v^ and mu. It is printed with "
        "the Euclidean distance; what follows needs that of the lines, as for v^ = -mu the first is 2 and 1 - |<v^, "
        "mu>| is 0. With the pseudo-metric min(|a - b|, |a + b|) the separation sqrt(2 (1-phi)) remains, as |<mu, nu>| "
        "<= phi, and every constant, so that every line holds as it stands. (21) cannot say that MOD-SULQ is poor: it "
        "never falls below 3/4."
    ),
    steps=(
        *LINES,
        Step(
            "inequality-25",
            Statement("(25): Theorem 13 over the packing of Lemma 11", inequality_25_margin, given=INSIDE_PHI),
            defect=None,
            note="r = K is no integer; the family has more members, and the bound increases with r.",
        ),
    ),
    uses=("near-optimal.lemma-11", "near-optimal.theorem-13", "near-optimal.lemma-14"),
)
