"""Theorem 9 beside the bounds that it is compared with: the orders of the errors (section 4)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.conditions import exceeds, positive, whole


@attrs.frozen
class QuotedErrors:
    """Dimension and rank of an approximation, epsilon, and the constant K of a comparison of two error bounds."""

    dimension: int
    rank: int
    epsilon: Real
    constant: Real


def logarithmic_error(p: QuotedErrors) -> arb:
    """``d log d / epsilon``."""
    return p.dimension * arb(p.dimension).log() / ball(p.epsilon)


def cubed_rank_margin(p: QuotedErrors) -> arb:
    """``K k^3 d / epsilon - d log d / epsilon``."""
    return ball(p.constant) * p.rank**3 * p.dimension / ball(p.epsilon) - logarithmic_error(p)


def power_method_margin(p: QuotedErrors) -> arb:
    """``K k^(3/2) d log(d)^2 / epsilon - d log d / epsilon``."""
    factor = arb(p.rank) ** 3
    return (ball(p.constant) * factor.sqrt() * arb(p.dimension).log() - 1) * logarithmic_error(p)


def large_rank_margin(p: QuotedErrors) -> arb:
    """``k^3 - log d``."""
    return p.rank**3 - arb(p.dimension).log()


def proper_rank_margin(p: QuotedErrors) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.rank)


QUOTED = (
    whole("dimension", 2),
    whole("rank", 1),
    exceeds("k <= d", proper_rank_margin, strict=False),
    positive("epsilon"),
    positive("constant"),
)

ORDERS = (
    Step(
        "less-than-the-cubed-rank",
        Statement(
            "where k^3 > log d, d log d / epsilon is at most K k^3 d / epsilon for some K",
            cubed_rank_margin,
            given=(*QUOTED, exceeds("k^3 > log d", large_rank_margin)),
            exists=(Chosen("constant", exhibited=1),),
        ),
        defect=None,
        note="Orders alone are compared; the quoted bound is for neighbours with ||A - B||_2 <= 1.",
    ),
    Step(
        "less-than-the-power-method",
        Statement(
            "d log d / epsilon is at most K k^(3/2) d log(d)^2 / epsilon for some K",
            power_method_margin,
            given=QUOTED,
            exists=(Chosen("constant", exhibited=fmpq(29, 20)),),
        ),
        defect=None,
        note="Orders alone are compared; K = 1 would not do at d = 2, k = 1.",
    ),
)
