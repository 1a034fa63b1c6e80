"""Lemma 10: how much of the sphere a spherical cap covers (section 4.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Kind, Locator, Statement, Verdict
from dpmatrix.exact import Real, ball, square
from dpmatrix.spec.common.conditions import at_least, below, whole


@attrs.frozen
class Cap:
    """The cap of unit vectors v in dimension d with <v, x> >= c."""

    dimension: int
    c: Real


def cap_measure(p: Cap) -> arb:
    """Uniform measure of the cap, 0 <= c < 1: I_{1-c^2}((d-1)/2, 1/2)/2, and 1/2 on the two points of d = 1."""
    if p.dimension == 1:
        return arb(fmpq(1, 2))
    return (1 - square(ball(p.c))).beta_lower(fmpq(p.dimension - 1, 2), fmpq(1, 2), regularized=True) / 2


def lower_bound(p: Cap) -> arb:
    """``(1/2) exp(-((d-1)/2) log(2/(1-c)))``."""
    return (-arb(p.dimension - 1) / 2 * (2 / (1 - ball(p.c))).log()).exp() / 2


def upper_bound(p: Cap) -> arb:
    """``exp(-d c^2/2)``."""
    return (-p.dimension * square(ball(p.c)) / 2).exp()


def cap_margin(p: Cap) -> arb:
    """The smaller of the margins of the two bounds."""
    return (cap_measure(p) - lower_bound(p)).min(upper_bound(p) - cap_measure(p))


LEMMA_10 = Claim(
    id="near-optimal.lemma-10",
    kind=Kind.LEMMA,
    source=Locator(
        "near-optimal",
        "Lemma 10",
        "(1/2) exp(-((d-1)/2) log(2/(1-c))) <= mu{v : <v, x> >= c} <= exp(-d c^2/2) for 0 <= c < 1",
    ),
    statement=Statement(
        "the measure of a cap lies between (1/2) exp(-((d-1)/2) log(2/(1-c))) and exp(-d c^2/2)",
        cap_margin,
        given=(whole("dimension", 1), at_least("c", 0), below("c", 1)),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "Both bounds follow from the exact measure, the incomplete beta function: below through F(x) >= x^a/b_d, a = "
        "(d-1)/2, b_d <= 2^a for d >= 3; above because the difference of the two sides rises and then falls from d = "
        "4 on, and by elementary estimates for d = 2 and 3. The lower bound is an equality at d = 1, and at d = 3 and "
        "c = 0 it is half of the measure."
    ),
)
