"""How two outputs of Algorithm 8 in a row differ, and why Theorems 17 and 18, which publish all, need trees."""

from __future__ import annotations

from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.sliding_window.loewner import flag, row, squared_norm
from dpmatrix.spec.sliding_window.wishart_stream import MENDED, NoisyStream, history, semidefinite_margin, shapes_margin


def changed_margin(p: NoisyStream) -> arb:
    """Squared Frobenius norm of the difference of the outputs of the last two times, with the mended lines."""
    held = history(p, MENDED)
    difference = held[-1][0].matrix - held[-2][0].matrix
    return arb(sum(entry * entry for entry in difference.entries()))


def last_row_margin(p: NoisyStream) -> arb:
    """Squared norm of the last row."""
    return arb(squared_norm(row(p.rows, p.rows.nrows())))


def no_expiry(p: NoisyStream) -> arb:
    """0 when there are T rows, 2 <= T <= W, and one positive semidefinite noise for each."""
    shaped = shapes_margin(p) >= 0 and semidefinite_margin(p) >= 0
    return flag(bool(shaped) and 2 <= p.rows.nrows() <= p.window)


SEQUENCE = Step(
    "successive-outputs",
    Statement(
        "line 9 from 1 on and lines 12 to 14 left out: if the outputs of Algorithm 8 itself were published at all "
        "times, the last two would differ wherever the last row is not zero",
        changed_margin,
        given=(
            exceeds("2 <= T <= W, and one positive semidefinite noise for each row", no_expiry, strict=False),
            exceeds("the last row is not zero", last_row_margin),
        ),
        strict=True,
    ),
    defect=None,
    note="Whatever the noise, and for a zero row they agree. So it is the tree, with fresh noise, that is meant.",
)
