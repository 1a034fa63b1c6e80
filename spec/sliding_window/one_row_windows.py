"""Theorem 17, item 2, for any algorithm: the error has no factor, and two rows that are neighbours no common answer."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, below, positive, whole
from dpmatrix.spec.sliding_window.distinguishing import confusion
from dpmatrix.spec.sliding_window.tree_errors import line_6


@attrs.frozen
class NeighbouringTrees:
    """The streams (M e_1) and ((M + 1) e_1) of one row, and the bounds of Theorem 17.

    Parameters
    ----------
    dimension, epsilon, delta
        d and the guarantee.
    window
        W.
    row
        M >= 0.
    lower, upper
        c and C of the bounds.
    failure
        Probability with which an answer may miss its bounds, 1/poly(d).
    """

    dimension: int
    epsilon: Exact
    delta: Exact
    window: int
    row: Exact
    lower: Exact
    upper: Exact
    failure: Exact


def additive_unit(p: NeighbouringTrees) -> arb:
    """``tau log tau``, tau = (d + 14 log(1/delta)/epsilon^2) log^(3/2) W."""
    logarithm = arb(p.window).log()
    tau = line_6(p.dimension, p.epsilon, p.delta) * logarithm * logarithm.sqrt()
    return tau * tau.log()


def some_answer_margin(p: NeighbouringTrees) -> arb:
    """Larger of `confusion` and what the right answers for M e_1 have in common with those for (M + 1) e_1."""
    shared = (ball(p.lower) + ball(p.upper)) * additive_unit(p) - ball(2 * rational(p.row) + 1)
    return shared.max(confusion(p))


NO_FACTOR = Step(
    "item-2-privately",
    Statement(
        "for all d, eps, delta, W and beta there are c and C with which, for the streams (M e_1) and ((M + 1) e_1) of "
        "one row, some answer has M^2 - c tau log tau <= e_1'C~e_1 <= M^2 + C tau log tau and the same for M + 1, or "
        "answers that fail with probability beta are so rare that an (eps, delta)-private algorithm can give them: 1 - "
        "beta <= e^eps beta + delta",
        some_answer_margin,
        given=(
            whole("dimension", 1),
            positive("epsilon"),
            positive("delta"),
            below("delta", 1),
            whole("window", 2),
            at_least("row", 0),
            at_least("failure", 0),
        ),
        exists=tuple(
            Chosen(name, after=("dimension", "epsilon", "delta", "window", "failure")) for name in ("lower", "upper")
        ),
    ),
    defect=Defect.CONCLUSION,
    note="No private algorithm meets item 2, whatever its noise, as rows have any length and the bounds no factor.",
)
