"""Families of lines that are larger than those of Lemma 11 (appendix A)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Real, ball, square
from dpmatrix.spec.common.conditions import below, positive, whole
from dpmatrix.spec.near_optimal.packing_number import Lines, share_of_each, simple_count


def eightfold_margin(p: Lines) -> arb:
    """``1 - 8 K/M`` with K of (12) and the size M of the largest family."""
    return 1 - 8 * simple_count(p) * share_of_each(p)


@attrs.frozen
class Growth(Lines):
    """The same, with the constant C of the exponent."""

    constant: Real


def volume_base(phi: Real) -> arb:
    """``q = 1 + 2/rho`` with the least distance ``rho = sqrt(2 (1 - phi))`` of two of the vectors and their negatives.

    Balls of radius rho/2 around M vectors and their negatives are disjoint in the ball of radius 1 + rho/2: 2 M <= q^d.
    """
    return 1 + 2 / (2 * (1 - ball(phi))).sqrt()


def exponent_of_each(phi: Real) -> arb:
    """``log(1/sqrt(1-phi^2))``."""
    return -(1 - square(ball(phi))).log() / 2


def growth_constant(phi: Real) -> arb:
    """``C = 2 log q/log(1/sqrt(1-phi^2))``."""
    return 2 * volume_base(phi).log() / exponent_of_each(phi)


def growth_margin(p: Growth) -> arb:
    """``C (d-1) log(1/sqrt(1-phi^2))`` minus the logarithm of ``q^d/2``."""
    allowed = ball(p.constant) * (p.dimension - 1) * exponent_of_each(p.phi)
    return allowed - p.dimension * volume_base(p.phi).log() + arb(2).log()


LARGER_STEPS = (
    Step(
        "eightfold",
        Statement(
            "there are at least 8 K unit vectors with |<mu, nu>| <= phi for distinct mu and nu, K of (12), in every "
            "dimension",
            eightfold_margin,
            given=(whole("dimension", 2), positive("phi"), below("phi", 1)),
        ),
        defect=None,
        note="Appendix A says so of small d, without a number.",
    ),
    Step(
        "fastest-growth",
        Statement(
            "for each phi there is a C with (1 + 2/rho)^d/2 <= exp(C (d-1) log(1/sqrt(1-phi^2))), rho = sqrt(2 "
            "(1-phi)): no family has more members than the left side, by volume",
            growth_margin,
            given=(whole("dimension", 2), positive("phi"), below("phi", 1)),
            exists=(Chosen("constant", after=("phi",), exhibited=growth_constant),),
        ),
        defect=None,
        note=(
            "With phi fixed. The exponents that are known from both sides differ, and which one is right is open. With "
            "phi falling with d, as (2 pi d)^(-1/2) <= phi allows, no C does for all d: two bases, of 2 d vectors, "
            "have phi = 1/sqrt(d), where K stays below sqrt(e)/8."
        ),
    ),
)
