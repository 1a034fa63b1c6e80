"""Runs of Algorithms 7 and 8: a stream of rows under Wishart noise, line by line and exactly, for given noise."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import nonnegative_spectrum
from dpmatrix.spec.sliding_window.loewner import flag, gram, precedes, row, zeros


@attrs.frozen
class NoisyStream:
    """One run of Algorithm 8 with the noise that it draws; Update is any rule for deleting checkpoints.

    Parameters
    ----------
    rows
        T x d rational matrix: a_1 to a_T.
    noise
        For each t a d x d rational matrix: the R of time t; in the repaired run the error of the sum of the first t.
    window
        W.
    deleted
        Pairs (t, s): at time t Update deletes the checkpoint of time stamp s.
    """

    rows: fmpq_mat
    noise: tuple[fmpq_mat, ...]
    window: int
    deleted: tuple[tuple[int, int], ...] = ()


@attrs.frozen
class NoisyCheckpoint:
    """A time stamp and the d x d matrix that is stored with it."""

    stamp: int
    matrix: fmpq_mat


@attrs.frozen
class NoisyLines:
    """How Algorithm 7 is executed: where its loop begins, when a stamp expires, and whether lines 12 to 14 run."""

    first: int = 2
    earliest: int = 1
    ordered: bool = True


PRINTED = NoisyLines()


"""As printed, with K~ for the K of lines 12 to 14, p for their j, and the new pair as their K(l)."""


MENDED = NoisyLines(1, 2, ordered=False)


"""The loop begins at 1, a second stamp at the window's first row expires the first, and nothing else is deleted."""


def in_order(held: list[NoisyCheckpoint]) -> list[NoisyCheckpoint]:
    """Lines 12 to 14: from the first matrix that is not above the newest one on, delete all but the newest."""
    newest = held[-1]
    for place, pair in enumerate(held):
        if not precedes(newest.matrix, pair.matrix):
            return [*held[:place], newest]
    return held


def after_step(p: NoisyStream, held: list[NoisyCheckpoint], time: int, lines: NoisyLines) -> list[NoisyCheckpoint]:
    """Algorithm 7 at one time."""
    if len(held) > 1 and held[1].stamp < time - p.window + lines.earliest:
        held = held[1:]
    change = gram(row(p.rows, time))
    held = [
        attrs.evolve(pair, matrix=pair.matrix + change) if number >= lines.first else pair
        for number, pair in enumerate(held, start=1)
    ]
    held = [*held, NoisyCheckpoint(time, change + p.noise[time - 1])]
    return in_order(held) if lines.ordered else held


def history(p: NoisyStream, lines: NoisyLines) -> list[list[NoisyCheckpoint]]:
    """What Algorithm 8 holds after each time step."""
    held: list[NoisyCheckpoint] = []
    found = []
    for time in range(1, p.rows.nrows() + 1):
        held = [pair for pair in after_step(p, held, time, lines) if (time, pair.stamp) not in p.deleted]
        found.append(held)
    return found


@attrs.frozen
class MendedCheckpoint(NoisyCheckpoint):
    """A time stamp, the noisy sum that was published before it, and their difference from the present one."""

    before: fmpq_mat


def repaired_history(p: NoisyStream) -> list[list[MendedCheckpoint]]:
    """Execute the repaired lines, which know only the noisy sums of the first 0, 1, 2, ... rows, row by row."""
    exact = published = zeros(*_shape(p))
    held: list[MendedCheckpoint] = []
    found = []
    for time in range(1, p.rows.nrows() + 1):
        before = published
        exact = exact + gram(row(p.rows, time))
        published = exact + p.noise[time - 1]
        held = [attrs.evolve(pair, matrix=published - pair.before) for pair in held]
        held = [*held, MendedCheckpoint(time, published - before, before)]
        if len(held) > 1 and held[1].stamp <= time - p.window + 1:
            held = held[1:]
        held = [pair for pair in held if (time, pair.stamp) not in p.deleted]
        found.append(held)
    return found


def error_of(p: NoisyStream, stamp: int, time: int) -> fmpq_mat:
    """Error of the noisy sum up to a time minus that of the sum before a stamp."""
    return p.noise[time - 1] - (p.noise[stamp - 2] if stamp > 1 else zeros(*_shape(p)))


def _shape(p: NoisyStream) -> tuple[int, int]:
    return p.rows.ncols(), p.rows.ncols()


def shapes_margin(p: NoisyStream) -> arb:
    """0 when there is one d x d noise for each row."""
    fits = all((one.nrows(), one.ncols()) == _shape(p) for one in p.noise)
    return flag(fits and len(p.noise) == p.rows.nrows())


def semidefinite_margin(p: NoisyStream) -> arb:
    """Non-negative when every noise is symmetric and positive semidefinite, as Wishart matrices are."""
    if any(one != one.transpose() for one in p.noise):
        return flag(holds=False)
    return min((nonnegative_spectrum(one) for one in p.noise), key=arb.mid)


def spared_margin(p: NoisyStream) -> arb:
    """0 when Update deletes neither the first nor the newest of the stamps it finds, as Algorithm 6 does not."""
    spared = True
    stamps: list[int] = []
    for time in range(1, p.rows.nrows() + 1):
        stamps = [*stamps, time]
        if len(stamps) > 1 and stamps[1] <= time - p.window + 1:
            stamps = stamps[1:]
        gone = {stamp for at, stamp in p.deleted if at == time}
        spared = spared and stamps[0] not in gone and time not in gone
        stamps = [stamp for stamp in stamps if stamp not in gone]
    return flag(spared)


SHAPES = (
    whole("window", 1),
    exceeds("there is one d x d noise for each row", shapes_margin, strict=False),
    exceeds("Update spares the first and the newest checkpoint", spared_margin, strict=False),
)


RUN = (*SHAPES, exceeds("every noise is positive semidefinite", semidefinite_margin, strict=False))
