"""Lemma B.1: concentration of inner products under a Gaussian projection, with the printed constants (appendix B)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, at_most, exceeds, positive, whole
from dpmatrix.spec.compression.tails import first_constant, inner_product_tail, second_constant


@attrs.frozen
class ProjectedPair:
    """Two vectors, a projection with m rows, and a distance.

    Parameters
    ----------
    rows
        m.
    tau
        Distance of the inner product from its mean.
    cosine
        <x, y> / (|x| |y|).
    norms
        |x| |y|.
    """

    rows: int
    tau: Exact
    cosine: Exact = 1
    norms: Exact = 1


def probability(p: ProjectedPair) -> arb:
    """Pr(|(n/m) <Phi x, Phi y> - <x, y>| >= tau)."""
    return inner_product_tail(p.rows, ball(p.tau) / ball(p.norms), rational(p.cosine))


def printed_bound(p: ProjectedPair) -> arb:
    """``2 exp(-m tau^2 / (C_1 + C_2 tau))``."""
    tau = ball(p.tau)
    return 2 * (-p.rows * square(tau) / (first_constant() + second_constant() * tau)).exp()


SHARP_FIRST, SHARP_SECOND = fmpq(4), fmpq(8, 3)


def sharp_bound(p: ProjectedPair) -> arb:
    """``2 exp(-m tau^2 / (4 + 8 tau / 3))``."""
    tau = ball(p.tau)
    return 2 * (-p.rows * square(tau) / (ball(SHARP_FIRST) + ball(SHARP_SECOND) * tau)).exp()


@attrs.frozen
class Decimal:
    """A constant as it is printed, to four decimal places."""

    printed: Exact


def first_decimal_margin(p: Decimal) -> arb:
    """Half a unit of the fourth place minus the distance of 4 e / sqrt(6 pi) from the decimal."""
    return ball(fmpq(1, 20000)) - abs(first_constant() - ball(p.printed))


def second_decimal_margin(p: Decimal) -> arb:
    """Half a unit of the fourth place minus the distance of sqrt(8 e) from the decimal."""
    return ball(fmpq(1, 20000)) - abs((8 * arb(1).exp()).sqrt() - ball(p.printed))


def first_decimal_difference(p: Decimal) -> arb:
    """Minus the distance from 2.5044, the decimal of the document."""
    return arb(-abs(rational(p.printed) - fmpq(25044, 10**4)))


HYPOTHESES = (
    whole("rows", 1),
    positive("tau"),
    at_least("cosine", -1),
    at_most("cosine", 1),
    positive("norms"),
    at_most("norms", 1),
)

LEMMA_B_1 = Claim(
    id="compression.lemma-b-1",
    kind=Kind.LEMMA,
    source=Locator(
        "compression",
        "Lemma B.1",
        "P[|(n/m) <Phi x, Phi y> - <x, y>| >= tau] <= 2 exp(-m tau^2 / (C_1 + C_2 tau)), tau > 0, |x|, |y| <= 1, C_1 = "
        "4e/sqrt(6 pi) ~ 2.5044, C_2 = sqrt(8e) ~ 7.6885",
    ),
    statement=Statement.of_law(
        "the probability is at most 2 exp(-m tau^2 / (C_1 + C_2 tau)) for all tau > 0",
        probability,
        at_most=printed_bound,
        given=HYPOTHESES,
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    reading=(
        "C_2 is the decimal 7.6885 = e sqrt(8); with the formula sqrt(8 e) = 4.6633 the bound fails earlier. The "
        "probability is computed for even m and for x = y or x = -y; for other odd m it is left between 0 and 1."
    ),
    because=(
        "For x = y of norm 1 the inner product is chi^2_m / m, of variance 2/m, so small deviations cost exp(-m "
        "tau^2 / 4): C_1 must be at least 4. At m = 40000, tau = 0.05 the probability is 2.0e-12 and the bound "
        "1.9e-15; the first failures come near m = 3280.\n\n"
        "C_1 = 4, C_2 = 8/3 is true for every m, tau and pair of "
        "vectors, and better than the printed bound from tau = 0.3 on: the logarithm h(s) = -s - log(1 - 2s)/2 of "
        "the moment generating function of (chi^2_1 - 1) s is convex with h(0) = 0 and h(-s) <= h(s), so every pair "
        "is dominated by x = y, and t - log(1 + t) >= t^2 / (2 + 4t/3)."
    ),
    repair=Repair(
        "C_1 = 4 and C_2 = 8/3",
        Statement.of_law(
            "the probability is at most 2 exp(-m tau^2 / (4 + 8 tau / 3))",
            probability,
            at_most=sharp_bound,
            given=HYPOTHESES,
        ),
    ),
    steps=(
        Step(
            "first-constant",
            Statement(
                "4 e / sqrt(6 pi) ~ 2.5044",
                first_decimal_margin,
                given=(exceeds("the decimal is 2.5044", first_decimal_difference, strict=False),),
            ),
            defect=None,
        ),
        Step(
            "second-constant",
            Statement("sqrt(8 e) ~ 7.6885", second_decimal_margin),
            defect=Defect.SLIP,
            note="sqrt(8 e) = 4.6633; e sqrt(8) = 7.6885.",
        ),
    ),
)
