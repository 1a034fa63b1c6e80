"""A run of Algorithms 2 and 3, line by line and exactly, for given variates."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.sliding_window.loewner import flag, row


@attrs.frozen
class SketchedStream:
    """One run of Algorithm 2 with the variates that it draws; Update-Approx is any rule for deleting checkpoints.

    Parameters
    ----------
    rows
        T x d rational matrix: a_1 to a_T.
    base
        Phi, m x d.
    coins
        T x m; row t is the g of time t.
    floor
        sigma.
    window
        W.
    deleted
        Pairs (t, s): at time t Update-Approx deletes the checkpoint of time stamp s.
    """

    rows: fmpq_mat
    base: fmpq_mat
    coins: fmpq_mat
    floor: Exact
    window: int
    deleted: tuple[tuple[int, int], ...] = ()


@attrs.frozen
class Checkpoint:
    """A time stamp and the m x d matrix that is stored with it."""

    stamp: int
    sketch: fmpq_mat


@attrs.frozen
class Lines:
    """How lines 3, 8 and 9 of Algorithm 3 are executed.

    Parameters
    ----------
    first
        Index at which the loop of line 9 begins: 2 as printed.
    earliest
        Line 3 deletes t_1 if t_2 < t - W + earliest: 1 as printed.
    inserted_first
        Whether line 8 makes the l of line 9 count the new pair, as the order of the lines has it.
    """

    first: int
    earliest: int
    inserted_first: bool = False


PRINTED = Lines(2, 1)
"""As printed, in the reading of l that does the least harm."""

REPAIRED = Lines(1, 2)
"""The loop begins at 1; a second stamp at the window's first row makes the first one superfluous."""


def fresh_sketch(p: SketchedStream, time: int) -> fmpq_mat:
    """(5): the product of (Phi g') and (sigma I; a_t)."""
    width, size = p.rows.ncols(), p.base.nrows()
    wide = fmpq_mat([[*p.base.tolist()[i], p.coins[time - 1, i]] for i in range(size)])
    identity = [[rational(p.floor) if i == j else 0 for j in range(width)] for i in range(width)]
    return wide * fmpq_mat([*identity, p.rows.tolist()[time - 1]])


def update_term(p: SketchedStream, time: int) -> fmpq_mat:
    """``g'a_t``, the second matrix of (5)."""
    return row(p.coins, time).transpose() * row(p.rows, time)


def after_step(p: SketchedStream, held: list[Checkpoint], time: int, lines: Lines) -> list[Checkpoint]:
    """Algorithm 3 at one time, before Update-Approx."""
    if len(held) > 1 and held[1].stamp < time - p.window + lines.earliest:
        held = held[1:]
    added = update_term(p, time)
    if lines.inserted_first:
        held = [*held, Checkpoint(time, fresh_sketch(p, time))]
    held = [
        attrs.evolve(pair, sketch=pair.sketch + added) if number >= lines.first else pair
        for number, pair in enumerate(held, start=1)
    ]
    return held if lines.inserted_first else [*held, Checkpoint(time, fresh_sketch(p, time))]


def history(p: SketchedStream, lines: Lines) -> list[list[Checkpoint]]:
    """What Algorithm 2 holds after each time step."""
    held: list[Checkpoint] = []
    found = []
    for time in range(1, p.rows.nrows() + 1):
        held = [pair for pair in after_step(p, held, time, lines) if (time, pair.stamp) not in p.deleted]
        found.append(held)
    return found


def meant(p: SketchedStream, stamp: int, time: int) -> fmpq_mat:
    """``sigma Phi`` plus the sum of ``g_s'a_s`` over s from the stamp to the time."""
    total = rational(p.floor) * p.base
    for number in range(stamp, time + 1):
        total += update_term(p, number)
    return total


def shapes_margin(p: SketchedStream) -> arb:
    """0 when Phi is m x d and there is one g of length m for each row."""
    fits = p.base.ncols() == p.rows.ncols() and p.coins.nrows() == p.rows.nrows() and p.coins.ncols() == p.base.nrows()
    return flag(fits)


def _spared(p: SketchedStream, lines: Lines) -> arb:
    """0 when Update-Approx deletes neither the first nor the newest of the stamps it finds, as Algorithm 1 does not."""
    stamps: list[int] = []
    spared = True
    for time in range(1, p.rows.nrows() + 1):
        if len(stamps) > 1 and stamps[1] < time - p.window + lines.earliest:
            stamps = stamps[1:]
        stamps = [*stamps, time]
        gone = {stamp for at, stamp in p.deleted if at == time}
        spared = spared and stamps[0] not in gone and time not in gone
        stamps = [stamp for stamp in stamps if stamp not in gone]
    return flag(spared)


def spared_margin(p: SketchedStream) -> arb:
    """`_spared` for the stamps that the repaired expiry leaves."""
    return _spared(p, REPAIRED)


def spared_as_printed_margin(p: SketchedStream) -> arb:
    """`_spared` for the stamps that the printed expiry leaves."""
    return _spared(p, PRINTED)


RUN = (
    whole("window", 1),
    exceeds("Phi is m x d and every g has length m", shapes_margin, strict=False),
    exceeds("Update-Approx spares the first and the newest checkpoint", spared_margin, strict=False),
)
PRINTED_RUN = (
    *RUN[:2],
    exceeds("Update-Approx spares the first and the newest, as printed", spared_as_printed_margin, strict=False),
)
