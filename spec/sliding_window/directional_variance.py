"""Theorem 15: variance in every direction, through the Wishart mechanism (appendix C.2)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.compared_errors import FEWER_QUERIES
from dpmatrix.spec.sliding_window.distinguishing import confusion_at_distance, noise_degrees
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease, deviation, sequence_margin
from dpmatrix.spec.sliding_window.eigenvalue_laws import triangle_exceeds
from dpmatrix.spec.sliding_window.noisy_root import LONG_ROWS
from dpmatrix.spec.sliding_window.wishart_accuracy import CHAIN, WishartDirection, lower_41, upper_40


@attrs.frozen
class NeighbouringAnswers:
    """The streams (M e_1) and ((M + g) e_1) of one row, and answers in direction e_1 that meet the stated bounds.

    Parameters
    ----------
    dimension
        d.
    epsilon, delta
        The guarantee.
    eta
        eta in (0, 1).
    row
        M >= 0.
    lower, upper
        c_1 and c_3.
    changes
        g: each step from M to M + g changes the row by a vector of norm 1.
    failure
        Probability with which an answer may miss its bounds; the theorem allows none.
    """

    dimension: int
    epsilon: Exact
    delta: Real
    eta: Exact
    row: Exact
    lower: Exact
    upper: Exact
    changes: int = 1
    failure: Exact = 0


def overlap(p: NeighbouringAnswers) -> arb:
    """Largest right answer for M e_1 minus the least one for (M + g) e_1; negative when no answer is right for both."""
    tau = noise_degrees(p.dimension, p.epsilon, p.delta)
    largest = square(ball(p.row)) / (1 - ball(p.eta)) + ball(p.upper) * tau * tau.log()
    least = square(ball(p.row) + p.changes) - ball(p.lower) * tau * tau.log()
    return largest - least


def compatible_margin(p: NeighbouringAnswers) -> arb:
    """Larger of `overlap` and `confusion_at_distance`."""
    return overlap(p).max(confusion_at_distance(p))


@attrs.frozen
class OneRelease:
    """A single release of A_W'A_W with Gaussian noise on its triangle, and the k of the failure probability d^-k."""

    dimension: int
    epsilon: Exact
    delta: Exact
    power: int


def single_sum(p: OneRelease) -> DyadicRelease:
    """Give the release as the only leaf of a block of height 0."""
    return DyadicRelease(0, 0, p.epsilon, p.delta)


def noise_bound(p: OneRelease) -> arb:
    """``4 s sqrt(d log 9 + k log d)``, s as in `dyadic_release` for one sum: the norm of the noise but for d^-k."""
    d = arb(p.dimension)
    return 4 * deviation(single_sum(p)) * (d * arb(9).log() + p.power * d.log()).sqrt()


def error_bound(p: OneRelease) -> arb:
    """``(6 + 6k) tau log tau``."""
    tau = noise_degrees(p.dimension, p.epsilon, p.delta)
    return (6 + 6 * p.power) * tau * tau.log()


def failure(p: OneRelease) -> arb:
    """Probability that some direction errs by more than that: that the noise, of one sum, has a larger norm."""
    return triangle_exceeds(p.dimension, deviation(single_sum(p)), error_bound(p))


def release_margin(p: OneRelease) -> arb:
    """Smaller of the slack of privacy and ``d^-k`` minus the probability of a larger error."""
    allowed = arb(p.dimension) ** -p.power
    return sequence_margin(single_sum(p)).min(allowed - failure(p))


def bounds_margin(p: WishartDirection) -> arb:
    """Smaller slack of the two stated bounds, with c_1 sigma and c_3 sigma of (41)."""
    return lower_41(p).min(upper_40(p))


@attrs.frozen
class Plane:
    """A vector (a, b)."""

    first: Exact
    second: Exact


def inner_product_margin(p: Plane) -> arb:
    """Minus the distance of <x, x>^2 from |x|_2^2."""
    inner = rational(p.first) ** 2 + rational(p.second) ** 2
    return arb(-abs(inner**2 - inner))


def unit_margin(p: Plane) -> arb:
    """Zero exactly when a^2 + b^2 = 1."""
    return arb(-abs(rational(p.first) ** 2 + rational(p.second) ** 2 - 1))


GUARANTEE = (whole("dimension", 1), positive("epsilon"), positive("delta"), below("delta", 1))
AHEAD = ("dimension", "epsilon", "eta")

THEOREM_15 = Claim(
    id="sliding-window.theorem-15",
    kind=Kind.UTILITY,
    source=Locator(
        "sliding-window",
        "Theorem 15",
        "an (eps, delta)-DP algorithm gives C with |A_W x|^2 - c_1 tau log tau <= x'Cx <= |A_W x|^2/(1-eta) + c_3 tau "
        "log tau for every unit x, tau = d + 14 log(4/delta)/eps^2",
    ),
    statement=Statement(
        "for all d, eta and eps there are constants c_1 and c_3 with which, for every delta and the streams (M e_1) "
        "and ((M + g) e_1) of one row, g changes of norm 1 apart, some answer in direction e_1 is right for both, or "
        "answers that fail with probability beta are so rare that an (eps, delta)-private algorithm can give them: 1 - "
        "beta <= e^(g eps) beta + delta (e^(g eps) - 1)/(e^eps - 1)",
        compatible_margin,
        given=(
            *GUARANTEE,
            positive("eta"),
            below("eta", 1),
            at_least("row", 0),
            whole("changes", 1),
            at_least("failure", 0),
        ),
        exists=(Chosen("lower", after=AHEAD), Chosen("upper", after=AHEAD)),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.CONCLUSION,
    headline=(
        "No private algorithm is so accurate, at any eta: no answer is right for both of two rows that g changes of "
        "norm 1 take into each other, and g may be as large as log(1/delta)/eps."
    ),
    reading=(
        "The neighbouring relation of section 1.1: one row differs, by norm at most 1, and rows have any length. The "
        "theorem's c_1 and c_3 are constants; they are refuted even if they may depend on d, eta and eps. The theorem "
        "states no probability of failure; for neighbours any beta < (1 - delta)/(1 + e^eps) is refuted."
    ),
    because=(
        "No algorithm at all can do it. With M = g (1-eta)/eta the right answers for M e_1 and for (M + g) e_1 are "
        "g^2/eta - (c_1 + c_3) tau log tau apart. Where that is positive they are disjoint, and one look tells the two "
        "streams apart, which e^(g eps) and delta allow for no g up to about log(1/delta)/eps.\n\n"
        "For neighbours, g = 1, d = eps = 1 and delta = 10^-6, it is so from 1/eta = 2300 on for c_1 = c_3 = 1, and "
        "from 1/eta = 13,800 on for c_1 = c_3 = 6. With g = 12 changes eta = 1/16 is enough for c_1 = c_3 = 1: the "
        "rows 180 and 192, and any beta up to 5.56e-6. With delta of about e^(-g eps), tau grows like g and g^2 "
        "faster, so that every eta in (0, 1) and all c_1 and c_3 fall: eta = 1/2 at g = 107 for c_1 = c_3 = 1 and "
        "delta = e^-g/8.\n\n"
        "For rows of norm at most 1 and a single release the "
        "bounds hold, with eta = 0: Gaussian noise on A_W'A_W needs a norm of the order sqrt(d log(1/delta))/eps, "
        "which is below tau, as sqrt(d g) <= (d + g)/2.\n\n"
        "For rows of any length the printed factor can be kept: noise on the positive semidefinite root of A_W'A_W "
        "(theorem-6, `root-privacy`) answers every direction with additive terms of the order d log(1/delta)/(eta "
        "eps^2). The factor 1/eta is needed, as g^2/eta shows.\n\n"
        "From (41) they would follow as stated; but (35), its premise, "
        "fails for Algorithm 8, and its noise tau is the larger one. 'Using Theorem 11' must read Theorem 14. Table 1 "
        "gives this error as d (d + log(1/delta)/eps)."
    ),
    repair=Repair(
        "rows of norm at most 1, one replaced by zero; a single release of A_W'A_W with Gaussian noise",
        Statement(
            "noise of standard deviation s = (z + sqrt(z^2 + 2 eps))/(2 eps), z = sqrt(2 log(1/delta)), on the "
            "triangle of A_W'A_W is (eps, delta)-private, and with probability at least 1 - d^-k no direction errs by "
            "more than (6 + 6k) tau log tau",
            release_margin,
            given=(*GUARANTEE, whole("power", 0)),
        ),
    ),
    steps=(
        Step(
            "from-41",
            Statement("given (35), (36) and (37), both bounds hold in every direction", bounds_margin, given=CHAIN),
            defect=None,
        ),
        Step(
            "inner-product",
            Statement(
                "<x, x> = |x|_2 for a unit vector",
                inner_product_margin,
                given=(exceeds("|x| = 1", unit_margin, strict=False),),
            ),
            defect=None,
            note="It is |x|_2^2; for |x| = 1 the same.",
        ),
        FEWER_QUERIES,
        LONG_ROWS,
    ),
)
