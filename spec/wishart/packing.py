"""Lemma 5: subspaces with disjoint balls (supplement C)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Real, ball, square
from dpmatrix.spec.common.conditions import at_most, exceeds, positive, whole


@attrs.frozen
class Packing:
    """A family of subspaces Y^i of dimension k in R^d.

    Parameters
    ----------
    rank, dimension
        k and d.
    delta
        Radius of the balls in spectral distance of projectors.
    rate
        The constant that Omega hides.
    """

    rank: int
    dimension: int
    delta: Real
    rate: Real


def parameters(p: Packing) -> int:
    """``k (d - k)``, the dimension of the Grassmannian."""
    return p.rank * (p.dimension - p.rank)


def log_printed_count(p: Packing) -> arb:
    """Log of ``2^(rate k (d - k) log_2(1 / delta))``."""
    return ball(p.rate) * parameters(p) * (1 / ball(p.delta)).log()


def largest_family(p: Packing) -> arb:
    """Largest number of disjoint balls of radius delta, where it is known, and otherwise undetermined.

    Two subspaces have a midpoint at distance sin(theta_max / 2) <= sqrt(1/2) from both. Lines of the plane are points
    of a circle of length pi, on which a ball is an arc of length 2 arcsin(delta).
    """
    delta = ball(p.delta)
    if parameters(p) == 0 or 2 * square(delta) >= 1:
        return arb(1)
    if p.rank == 1 and p.dimension == 2:
        return (arb.pi() / (2 * delta.asin())).ceil() - 1
    return arb.nan()


def packing_margin(p: Packing) -> arb:
    """Largest family minus the printed N."""
    return largest_family(p) - log_printed_count(p).exp()


def separated_family(p: Packing) -> arb:
    """Size of a family of subspaces whose projectors are more than 2 delta apart, delta < 1/2.

    Of lines in the plane the largest: their angles, multiples of one number, are more than arcsin(2 delta) apart on a
    circle of length pi. Otherwise the size that a packing of graphs of matrices is known to have.
    """
    delta = ball(p.delta)
    if p.rank == 1 and p.dimension == 2:
        return (arb.pi() / (2 * delta).asin()).ceil() - 1
    return (1 / (4 * delta)) ** parameters(p)


def separated_packing_margin(p: Packing) -> arb:
    """A family minus the N of the lemma."""
    return separated_family(p) - log_printed_count(p).exp()


def complement_margin(p: Packing) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.rank)


SUBSPACES = (whole("rank", 1), exceeds("k <= d", complement_margin, strict=False), positive("delta"))

LEMMA_5 = Claim(
    id="wishart.lemma-5",
    kind=Kind.LEMMA,
    source=Locator(
        "wishart",
        "Lemma 5",
        "for each delta > 0 there are N = 2^(Omega(k (d - k) log(1/delta))) disjoint balls C_delta(Y^i)",
    ),
    statement=Statement(
        "for each delta > 0 some N = 2^(rate k (d - k) log_2(1 / delta)) subspaces have disjoint balls of radius delta",
        packing_margin,
        given=(*SUBSPACES, positive("rate")),
        exists=(Chosen("rate"),),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.HYPOTHESIS,
    headline="For sqrt(1/2) <= delta < 1 it fails, as no two such balls are disjoint; for delta <= 1/16 it holds.",
    because=(
        "Two subspaces have a midpoint within sqrt(1/2) of both, so for sqrt(1/2) <= delta < 1 no two balls are "
        "disjoint, while every rate > 0 asks for N > 1. For delta <= 1/16 take the graphs of the M with ||M||_2 <= 1: "
        "projectors are at least ||M - M'||_2 / 2 apart, and a maximal set of M more than 4 delta apart has at least "
        "(1 / (4 delta))^(k (d - k)) members."
    ),
    reading=(
        "Omega hides a rate > 0, the same for all k, d and delta; the logarithm is to base 2. Outside the plane the "
        "largest family is not known, and a lower bound stands for it in the repair."
    ),
    repair=Repair(
        "0 < delta <= 1/16, rate 1/2, and the stronger separation",
        Statement(
            "for 0 < delta <= 1/16 some N >= 2^((1/2) k (d - k) log_2(1 / delta)) subspaces have "
            "||P_i - P_j||_2 > 2 delta for i != j, hence disjoint balls of radius delta",
            separated_packing_margin,
            given=(*SUBSPACES, at_most("delta", fmpq(1, 16)), positive("rate")),
            exists=(Chosen("rate", exhibited=fmpq(1, 2)),),
        ),
    ),
)
