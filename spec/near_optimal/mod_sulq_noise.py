"""The printed proof of Theorem 5, second half: (20), the tails, and the formula for beta."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Defect, Statement, Step
from dpmatrix.exact import Real, ball
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.privacy.sensitivity import frobenius_sensitivity
from dpmatrix.spec.common.conditions import equality, positive, whole
from dpmatrix.spec.near_optimal.noise import ModSulq, logarithm, printed_deviation


@attrs.frozen
class Threshold:
    """Dimension d, records n, standard deviation beta of the noise and the threshold gamma on the noise."""

    dimension: int
    records: int
    deviation: Real
    threshold: Real


def entries(dimension: int) -> int:
    """``(d^2 + d)/2``, the number of noise variables."""
    return (dimension**2 + dimension) // 2


def exponent(dimension: int, records: int, deviation: arb, threshold: arb, numerator: int) -> arb:
    """``((2/n)(d+1) gamma + numerator/n^2)/(2 beta^2)``."""
    inner = 2 * (dimension + 1) * threshold / records + arb(fmpq(numerator, records**2))
    return inner / (2 * deviation * deviation)


def tail(p: Threshold) -> arb:
    """``P(B_ij > gamma)``."""
    return (ball(p.threshold) / ball(p.deviation) / arb(2).sqrt()).erfc() / 2


def tail_bound(p: Threshold) -> arb:
    """``exp(-gamma^2/(2 beta^2))/sqrt(2 pi)``."""
    ratio = ball(p.threshold) / ball(p.deviation)
    return (-ratio * ratio / 2).exp() / (2 * arb.pi()).sqrt()


def inequality_20_margin(p: Threshold) -> arb:
    """``P(B_ij > gamma for all i, j)`` minus the largest ``P(G in S) - exp(exponent with 3/n^2) P(G^ in S)``."""
    sensitivity = frobenius_sensitivity(p.dimension, Adjacency.REPLACE_ONE) / p.records
    loss = exponent(p.dimension, p.records, ball(p.deviation), ball(p.threshold), 3)
    return tail(p) ** entries(p.dimension) - GaussianProfile(sensitivity, p.deviation).delta(loss)


def tail_margin(p: Threshold) -> arb:
    """Tail bound minus tail."""
    return tail_bound(p) - tail(p)


def union_margin(p: Threshold) -> arb:
    """``(d^2+d)/(2 sqrt(2 pi)) exp(-gamma^2/(2 beta^2)) - P(B_ij > gamma for some i, j)``."""
    return entries(p.dimension) * tail_bound(p) - (1 - (1 - tail(p)) ** entries(p.dimension))


def same_exponent_margin(p: Threshold) -> arb:
    """The exponent of (20), with 3/n^2, is the expression for epsilon, with 2/n^2."""
    both = [exponent(p.dimension, p.records, ball(p.deviation), ball(p.threshold), k) for k in (3, 2)]
    return equality(both[0], both[1])


def multiple(p: ModSulq) -> arb:
    """``s = sqrt(2 log((d^2+d)/(delta 2 sqrt(2 pi))))``, so that gamma = beta s."""
    return (2 * logarithm(p)).sqrt()


def rearranged_margin(p: ModSulq) -> arb:
    """``delta = (d^2+d)/(2 sqrt(2 pi)) exp(-gamma^2/(2 beta^2))`` at gamma = beta s."""
    at = Threshold(p.dimension, p.records, arb(1), multiple(p))
    return equality(ball(p.delta), entries(p.dimension) * tail_bound(at))


def gamma_margin(p: ModSulq) -> arb:
    """``s - 1``: then max(beta, beta s) = beta s."""
    return multiple(p) - 1


def root(p: ModSulq) -> arb:
    """``(d+1)/(2 n eps) s + (2 (d+1)^2 log(...) + 4 eps)^(1/2)/(2 n eps)``."""
    epsilon, factor = ball(p.epsilon), p.dimension + 1
    under = 2 * factor**2 * logarithm(p) + 4 * epsilon
    return (factor * multiple(p) + under.sqrt()) / (2 * p.records * epsilon)


def quadratic_margin(p: ModSulq) -> arb:
    """``eps = ((2/n)(d+1) beta s + 2/n^2)/(2 beta^2)`` at the root."""
    beta = root(p)
    return equality(ball(p.epsilon), exponent(p.dimension, p.records, beta, beta * multiple(p), 2))


def upper_bound_margin(p: ModSulq) -> arb:
    """Beta of (5) minus the root."""
    return printed_deviation(p) - root(p)


def last_display(p: ModSulq) -> arb:
    """``(d+1)/(n eps) s + 1/sqrt(eps n)``, the last line of section 5.1."""
    return (p.dimension + 1) * multiple(p) / (p.records * ball(p.epsilon)) + 1 / (ball(p.epsilon) * p.records).sqrt()


def last_display_margin(p: ModSulq) -> arb:
    """The last line minus the root."""
    return last_display(p) - root(p)


def last_display_of_five_margin(p: ModSulq) -> arb:
    """The last line is beta of (5)."""
    return equality(last_display(p), printed_deviation(p))


def trend_margin(p: ModSulq) -> arb:
    """The smaller of ``beta(d, n) - beta(d, n + 1)`` and ``beta(d + 1, n) - beta(d, n)``."""
    here = printed_deviation(p)
    fewer = here - printed_deviation(attrs.evolve(p, records=p.records + 1))
    return fewer.min(printed_deviation(attrs.evolve(p, dimension=p.dimension + 1)) - here)


def tail_range_margin(p: Threshold) -> arb:
    """``gamma - beta``."""
    return ball(p.threshold) - ball(p.deviation)


def delta_range_margin(p: ModSulq) -> arb:
    """``3/sqrt(2 pi e) - delta``."""
    return 3 / (2 * arb.pi() * arb(1).exp()).sqrt() - ball(p.delta)


THRESHOLD = (
    whole("dimension", 1),
    whole("records", 1),
    positive("deviation"),
    Condition("gamma > beta", tail_range_margin, strict=True),
)
RANGE = (
    whole("dimension", 2),
    whole("records", 1),
    positive("epsilon"),
    positive("delta"),
    Condition("delta < 3/sqrt(2 pi e)", delta_range_margin, strict=True),
)

NOISE_STEPS = (
    Step(
        "inequality-20",
        Statement(
            "(20): P(G in S) <= exp(((2/n)(d+1) gamma + 3/n^2)/(2 beta^2)) P(G^ in S) + P(B_ij > gamma for all i, j)",
            inequality_20_margin,
            given=THRESHOLD,
        ),
        defect=Defect.SLIP,
        note="'For some i, j' must be meant, as later on; with it the inequality is true, even with one side only.",
    ),
    Step(
        "tail",
        Statement("P(B_ij > gamma) <= exp(-gamma^2/(2 beta^2))/sqrt(2 pi) for gamma > beta", tail_margin, THRESHOLD),
        defect=None,
    ),
    Step(
        "union-bound",
        Statement(
            "P(B_ij > gamma for some i, j) <= (d^2+d)/(2 sqrt(2 pi)) exp(-gamma^2/(2 beta^2))", union_margin, THRESHOLD
        ),
        defect=None,
        note="Printed as an equation for delta: the bound is set to delta.",
    ),
    Step(
        "rearranged",
        Statement("gamma = beta s solves the condition", rearranged_margin, given=RANGE),
        defect=None,
    ),
    Step(
        "gamma",
        Statement("max(beta, beta s) = beta s for d > 1 and delta < 3/sqrt(2 pi e)", gamma_margin, given=RANGE),
        defect=None,
        note="The range of delta appears here only, in neither the theorem nor the algorithm.",
    ),
    Step(
        "same-exponent",
        Statement("the exponent of (20) is the expression for epsilon", same_exponent_margin, given=THRESHOLD),
        defect=Defect.SLIP,
        note="(20) has 3/n^2, the expression for epsilon 2/n^2. The second is meant, as (19) gives.",
    ),
    Step(
        "quadratic",
        Statement("the printed root solves the equation for epsilon", quadratic_margin, given=RANGE),
        defect=None,
    ),
    Step(
        "upper-bound",
        Statement("the root is at most beta of (5)", upper_bound_margin, given=RANGE),
        defect=None,
        note="So (5) is not the solution but more noise than it, which is as private; the text says 'yields (5)'.",
    ),
    Step(
        "last-display",
        Statement("the root is at most (d+1)/(n eps) s + 1/sqrt(eps n)", last_display_margin, given=RANGE),
        defect=None,
    ),
    Step(
        "last-display-is-beta",
        Statement("(d+1)/(n eps) s + 1/sqrt(eps n) is beta of (5)", last_display_of_five_margin, given=RANGE),
        defect=Defect.SLIP,
        note=(
            "A root drawn over n: 1/(sqrt(eps) n), as in (5), is meant. It is less from n = 2 on, and is enough. The "
            "slip may be one of the copy at hand."
        ),
    ),
    Step(
        "less-noise-with-more-records",
        Statement(
            "for given epsilon and delta, beta of (5) falls with n and rises with d",
            trend_margin,
            given=RANGE,
            strict=True,
        ),
        defect=None,
    ),
)
