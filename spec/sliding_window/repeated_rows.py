"""How many checkpoints Algorithm 2 keeps of a stream of equal rows, as a formula in W."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import below, positive, whole
from dpmatrix.spec.sliding_window.sketch_size import WHOLE_SIZE, sketch_size


@attrs.frozen
class RepeatedRows:
    """The stream of W rows e_1 in d dimensions, seen at T = W, and the constant c of a bound.

    Parameters
    ----------
    window, dimension
        W and d.
    rank, eta
        r and eta; a sketch has 4r/eta rows.
    constant
        c.
    """

    window: int
    dimension: int
    rank: int
    eta: Exact
    constant: Exact


def kept_checkpoints(p: RepeatedRows) -> arb:
    """Number of checkpoints that are kept, with probability one: all W of them for d > 4r/eta, else at least one.

    Two sketches are equal but for their first columns, which differ by a sum of consecutive g's. If C A~_p = A~_i,
    then C is the identity, as the other columns have full row rank; but the sum is not zero.
    """
    if p.dimension > sketch_size(p):
        return arb(p.window)
    return arb(1).union(arb(p.window))


def repeated_rows_margin(p: RepeatedRows) -> arb:
    """``c (r / eta) log W`` minus the number of checkpoints that are kept."""
    return ball(p.constant) * p.rank / ball(p.eta) * arb(p.window).log() - kept_checkpoints(p)


REPEATED_ROWS = (
    whole("window", 2),
    whole("dimension", 1),
    whole("rank", 1),
    positive("eta"),
    below("eta", rational(1) / 4),
    WHOLE_SIZE,
    positive("constant"),
)
