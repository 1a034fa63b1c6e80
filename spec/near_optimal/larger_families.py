"""Families of lines that are larger than those of Lemma 11 (appendix A)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.conditions import below, positive, whole
from dpmatrix.spec.near_optimal.packing_number import Lines, share_of_each, simple_count


def eightfold_margin(p: Lines) -> arb:
    """``1 - 8 K/M`` with K of (12) and the size M of the largest family."""
    return 1 - 8 * simple_count(p) * share_of_each(p)


@attrs.frozen
class TwoBases:
    """The columns of 1 and of H/sqrt(d), H a Hadamard matrix of order d = 2^doublings; and a constant.

    The 2d unit vectors have inner products of absolute value at most phi = 1/sqrt(d).
    """

    doublings: int
    constant: Real


def two_bases_margin(p: TwoBases) -> arb:
    """``C K - 2 d`` with K of (12) at d = 2^doublings and phi = 1/sqrt(d)."""
    d = 2**p.doublings
    margin: arb = ball(p.constant) * simple_count(Lines(d, 1 / arb(d).sqrt())) - 2 * d
    return margin


LARGER_STEPS = (
    Step(
        "eightfold",
        Statement(
            "there are at least 8 K unit vectors with |<mu, nu>| <= phi for distinct mu and nu, K of (12), in every "
            "dimension",
            eightfold_margin,
            given=(whole("dimension", 2), positive("phi"), below("phi", 1)),
        ),
        sound=True,
        note="Appendix A says so of small d, without a number.",
    ),
    Step(
        "fastest-growth",
        Statement(
            "for some C no family has more than C K members: none of two bases, of 2 d vectors with phi = 1/sqrt(d)",
            two_bases_margin,
            given=(whole("doublings", 1), positive("constant")),
            exists=(Chosen("constant"),),
        ),
        sound=False,
        note=(
            "With phi falling with d, as (2 pi d)^(-1/2) <= phi allows: there K stays below sqrt(e)/8. With phi fixed "
            "the rates of the bounds that are known from both sides differ, and which one is right is open."
        ),
    ),
)
