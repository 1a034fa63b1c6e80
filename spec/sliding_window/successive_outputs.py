"""What two outputs of Algorithm 8 in a row reveal: for Theorems 17 and 18, which publish all of them."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.sliding_window.loewner import flag, row, squared_norm
from dpmatrix.spec.sliding_window.wishart_stream import MENDED, NoisyStream, history, semidefinite_margin, shapes_margin


@attrs.frozen
class NoisyPair:
    """Runs of Algorithm 8 on two streams with the same noise; loop and expiry are mended, lines 12 to 14 do not run."""

    first: NoisyStream
    second: NoisyStream


def outputs_agree(p: NoisyStream) -> bool:
    """Whether the outputs of the last two times are equal."""
    held = history(p, MENDED)
    return held[-1][0].matrix == held[-2][0].matrix


def revealed_margin(p: NoisyPair) -> arb:
    """0 unless the event that the last two outputs agree tells the streams apart."""
    return flag(outputs_agree(p.first) == outputs_agree(p.second))


def are_neighbours(p: NoisyPair) -> arb:
    """1 minus the squared norm of the difference of the last rows; -1 if anything else differs."""
    rows, others = p.first.rows.tolist(), p.second.rows.tolist()
    same = attrs.evolve(p.first, rows=p.second.rows) == p.second and rows[:-1] == others[:-1]
    total = p.first.rows.nrows()
    return 1 - arb(squared_norm(row(p.first.rows, total) - row(p.second.rows, total))) if same else flag(holds=False)


def no_expiry(p: NoisyPair) -> arb:
    """0 when both streams have T rows, 2 <= T <= W, and one positive semidefinite noise for each."""
    shaped = all(shapes_margin(run) >= 0 and semidefinite_margin(run) >= 0 for run in (p.first, p.second))
    return flag(shaped and all(2 <= run.rows.nrows() <= run.window for run in (p.first, p.second)))


PAIR = (
    exceeds("2 <= T <= W, and one positive semidefinite noise for each row", no_expiry, strict=False),
    exceeds("the last rows differ by norm at most 1, all else agrees", are_neighbours, strict=False),
)
SEQUENCE = Step(
    "successive-outputs",
    Statement(
        "line 9 from 1 on and lines 12 to 14 left out: with the outputs of all times published, no event has "
        "probability one on a stream and zero on a neighbour",
        revealed_margin,
        given=PAIR,
    ),
    sound=False,
    note="Lines as they must be meant; as stated the first pair is never updated, and lines 12 to 14 may delete it.",
)
