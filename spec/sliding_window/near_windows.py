"""Theorem 6: windows that few changes take into each other share an answer, so that pairs of them are no objection."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_most, below, exceeds, positive
from dpmatrix.spec.sliding_window.combined_costs import stated_error, unit
from dpmatrix.spec.sliding_window.definitions import right_cost
from dpmatrix.spec.sliding_window.loewner import flag, squared_norm
from dpmatrix.spec.sliding_window.projection_costs import is_projection


@attrs.frozen
class NearWindows:
    """Two windows, a projection that is good for the first, and the parameters of the additive error of Theorem 6.

    Parameters
    ----------
    first, second
        A and A', of one shape.
    chosen, other
        P and X, projections of one rank k.
    changes
        g: g changes of a row by norm at most 1 take A into A', so that |A - A'|_F is at most g.
    epsilon, delta, failure
        The guarantee and beta.
    constant
        c of the additive error.
    """

    first: fmpq_mat
    second: fmpq_mat
    chosen: fmpq_mat
    other: fmpq_mat
    changes: Exact
    epsilon: Exact
    delta: Exact
    failure: Exact
    constant: Exact

    @property
    def k(self) -> int:
        """Rank of the projections."""
        return int(self.chosen.rank())


def shared_margin(p: NearWindows) -> arb:
    """``|A'(1 - X)|_F`` plus the additive error minus ``|A'(1 - P)|_F``."""
    least, cost = (arb(right_cost(p.second, projection)).sqrt() for projection in (p.other, p.chosen))
    return least + stated_error(p, p.second.ncols()) - cost


def good_margin(p: NearWindows) -> arb:
    """``|A(1 - X)|_F^2 - |A(1 - P)|_F^2``."""
    return arb(right_cost(p.first, p.other) - right_cost(p.first, p.chosen))


def near_margin(p: NearWindows) -> arb:
    """``g^2 - |A - A'|_F^2``; -1 unless they have one shape."""
    if (p.first.nrows(), p.first.ncols()) != (p.second.nrows(), p.second.ncols()):
        return flag(holds=False)
    return arb(rational(p.changes) ** 2 - squared_norm(p.first - p.second))


def few_margin(p: NearWindows) -> arb:
    """``max(1, log(1/delta)/eps) - g``."""
    return arb(1).max(unit(p)) - ball(p.changes)


def projections_margin(p: NearWindows) -> arb:
    """Zero exactly when P and X are orthogonal projections of one rank."""
    order = p.first.ncols()
    return is_projection(p.chosen, order) + is_projection(p.other, order) + flag(p.chosen.rank() == p.other.rank())


TWO_WINDOWS = Step(
    "two-windows",
    Statement(
        "for eps <= 1, delta <= 1/2 and windows A and A' that g <= max(1, log(1/delta)/eps) changes take into each "
        "other, a projection P of rank k that is best for A costs |A'(1-P)|_F <= |A'(1-X)|_F + c log(1/delta)/eps "
        "sqrt(d log d (k + log(1/beta))) for every other X, with c = 5/2",
        shared_margin,
        given=(
            exceeds("P and X are projections of rank k", projections_margin, strict=False),
            exceeds("|A - A'|_F <= g", near_margin, strict=False),
            exceeds("g <= max(1, log(1/delta)/eps)", few_margin, strict=False),
            exceeds("|A(1-P)|_F <= |A(1-X)|_F", good_margin, strict=False),
            positive("epsilon"),
            at_most("epsilon", 1),
            positive("delta"),
            at_most("delta", fmpq(1, 2)),
            positive("failure"),
            below("failure", 1),
        ),
        exists=(Chosen("constant", exhibited=fmpq(5, 2)),),
    ),
    defect=None,
    note="So two windows are no objection for eta < 1/6, and with c = 18 none exists: see `root-attains`.",
)
