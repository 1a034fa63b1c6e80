"""Two runs of the repaired Algorithm 2 on streams that differ at one time: what outputs and states have in common."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.loewner import flag, row, squared_norm
from dpmatrix.spec.sliding_window.sketched_stream import (
    REPAIRED,
    Checkpoint,
    SketchedStream,
    history,
    shapes_margin,
)


@attrs.frozen
class TwoRuns:
    """Two runs of the repaired Algorithm 2 and the time at which their streams differ."""

    first: SketchedStream
    second: SketchedStream
    time: int


def _output(run: SketchedStream, time: int) -> Checkpoint:
    return history(run, REPAIRED)[time - 1][0]


def earlier_margin(p: TwoRuns) -> arb:
    """Zero exactly when the outputs before the time agree."""
    gaps = [disagreement(_output(p.first, t).sketch, _output(p.second, t).sketch) for t in range(1, p.time)]
    return min(gaps, key=arb.mid) if gaps else arb(0)


def later_margin(p: TwoRuns) -> arb:
    """Zero exactly when the last outputs agree."""
    total = p.first.rows.nrows()
    return disagreement(_output(p.first, total).sketch, _output(p.second, total).sketch)


def at_time_margin(p: TwoRuns) -> arb:
    """Zero exactly when the outputs at the time agree."""
    return disagreement(_output(p.first, p.time).sketch, _output(p.second, p.time).sketch)


def _same_rows(p: TwoRuns, first: int, last: int) -> bool:
    times = range(first, last + 1)
    return all(
        row(p.first.rows, t) == row(p.second.rows, t) and row(p.first.coins, t) == row(p.second.coins, t) for t in times
    )


def same_before(p: TwoRuns) -> arb:
    """0 when rows and variates before the time agree, and Phi, sigma, W and the deletions."""
    return flag(_same_rows(p, 1, p.time - 1) and _same_parameters(p))


def same_after(p: TwoRuns) -> arb:
    """0 when rows and variates after the time agree, and Phi, sigma, W and the deletions."""
    return flag(_same_rows(p, p.time + 1, p.first.rows.nrows()) and _same_parameters(p))


def _same_parameters(p: TwoRuns) -> bool:
    one, other = (attrs.evolve(run, rows=p.first.rows, coins=p.first.coins) for run in (p.first, p.second))
    return one == other and p.first.rows.nrows() == p.second.rows.nrows()


def both_shapes(p: TwoRuns) -> arb:
    """0 when both runs are well formed and the time is one of theirs."""
    fits = shapes_margin(p.first).min(shapes_margin(p.second))
    return fits.min(flag(1 <= p.time <= p.first.rows.nrows()))


def oldest_agree(run: SketchedStream) -> bool:
    """Whether the two oldest stored matrices are equal at the end."""
    held = history(run, REPAIRED)[-1]
    return len(held) > 1 and held[0].sketch == held[1].sketch


def state_margin(p: TwoRuns) -> arb:
    """0 unless exactly one of the two final states has equal oldest matrices."""
    return flag(oldest_agree(p.first) == oldest_agree(p.second))


def streams_are_neighbours(p: TwoRuns) -> arb:
    """1 minus the squared norm of the difference at the time, or -1 if other rows or any variates differ."""
    total = p.first.rows.nrows()
    agree = _same_parameters(p) and p.first.coins == p.second.coins
    agree = agree and _same_rows(p, 1, p.time - 1) and _same_rows(p, p.time + 1, total)
    return 1 - arb(squared_norm(row(p.first.rows - p.second.rows, p.time))) if agree else flag(holds=False)


def nonzero_coins(p: TwoRuns) -> arb:
    """Least squared norm of a variate g; zero has probability zero."""
    return arb(min(squared_norm(row(p.first.coins, t)) for t in range(1, p.first.rows.nrows() + 1)))


WELL_FORMED = exceeds("both runs are well formed", both_shapes, strict=False)
