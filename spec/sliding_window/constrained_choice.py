"""Theorem 7: from (21), which speaks of all of Pi, to (23), which speaks of the minimiser (section 4.3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, exceeds
from dpmatrix.spec.sliding_window.definitions import right_cost
from dpmatrix.spec.sliding_window.loewner import flag


@attrs.frozen
class ConstrainedChoice:
    """A sketch A~, m x d, a finite set Pi of d x d projections, P, and P~, and gamma.

    Parameters
    ----------
    sketch
        A~.
    allowed
        Pi.
    chosen
        P.
    minimiser
        P~, the best of Pi for the sketch.
    gamma
        gamma >= 1.
    """

    sketch: fmpq_mat
    allowed: tuple[fmpq_mat, ...]
    chosen: fmpq_mat
    minimiser: fmpq_mat
    gamma: Exact


def against(p: ConstrainedChoice, other: fmpq_mat) -> arb:
    """``gamma^2 |A~(1 - X)|_F^2 - |A~(1 - P)|_F^2`` for another projection X."""
    return arb(rational(p.gamma) ** 2 * right_cost(p.sketch, other) - right_cost(p.sketch, p.chosen))


def equation_23(p: ConstrainedChoice) -> arb:
    """`against` P~."""
    return against(p, p.minimiser)


def equation_21(p: ConstrainedChoice) -> arb:
    """Least of `against` over Pi."""
    return min((against(p, one) for one in p.allowed), key=arb.mid)


def member_margin(p: ConstrainedChoice) -> arb:
    """0 when P~ is in Pi."""
    return flag(p.minimiser in p.allowed)


EQUATION_23 = Step(
    "equation-23",
    Statement(
        "(23): P that meets (21) costs on the sketch at most gamma times what P~ costs",
        equation_23,
        given=(
            at_least("gamma", 1),
            exceeds("P~ is in Pi", member_margin, strict=False),
            exceeds("(21)", equation_21, strict=False),
        ),
    ),
    defect=None,
    note="Squares of both sides. It holds of every member of Pi; that P~ is the best is what (25) needs.",
)
