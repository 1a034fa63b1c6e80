"""Algorithms 7 and 8: what their matrices can be, and what they are before the row that differs (appendix C)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import disagreement, nonnegative_spectrum
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.wishart_stream import PRINTED, RUN, NoisyStream, history, shapes_margin


def stored_spectrum_margin(p: NoisyStream) -> arb:
    """Least of the `nonnegative_spectrum` of all matrices that are stored at any time."""
    return min((nonnegative_spectrum(pair.matrix) for held in history(p, PRINTED) for pair in held), key=arb.mid)


@attrs.frozen
class TwoStreams:
    """Runs of Algorithm 8 on two streams of one shape, and the time t of the first row that differs."""

    first: NoisyStream
    second: NoisyStream
    time: int


def earlier_margin(p: TwoStreams) -> arb:
    """Minus the largest distance between the outputs of both at any time before t."""
    outputs = [[held[0].matrix for held in history(run, PRINTED)[: p.time - 1]] for run in (p.first, p.second)]
    return min((disagreement(one, two) for one, two in zip(*outputs, strict=True)), key=arb.mid, default=arb(0))


def same_past_margin(p: TwoStreams) -> arb:
    """0 when rows, noise and deletions before t agree, t is a time of both, and so do the windows."""
    past = [
        (run.rows.tolist()[: p.time - 1], run.noise[: p.time - 1], [one for one in run.deleted if one[0] < p.time])
        for run in (p.first, p.second)
    ]
    within = 1 <= p.time <= min(p.first.rows.nrows(), p.second.rows.nrows())
    return flag(within and past[0] == past[1] and p.first.window == p.second.window)


def both_runs_margin(p: TwoStreams) -> arb:
    """0 when both streams have a noise for each row."""
    return flag(all(len(run.noise) == run.rows.nrows() for run in (p.first, p.second)))


def square_margin(p: TwoStreams) -> arb:
    """Minus the largest number of rows and columns by which an output of either differs from a d x d matrix."""
    outputs = [(run.rows.ncols(), held[0].matrix) for run in (p.first, p.second) for held in history(run, PRINTED)]
    return -arb(max((abs(one.nrows() - d) + abs(one.ncols() - d) for d, one in outputs), default=0))


def square_noises_margin(p: TwoStreams) -> arb:
    """0 when both streams have rows of one length d, and a d x d noise for each."""
    return shapes_margin(p.first).min(shapes_margin(p.second)).min(flag(p.first.rows.ncols() == p.second.rows.ncols()))


STORED_SPECTRUM = Step(
    "semidefinite",
    Statement("every matrix that is left to Update is positive semidefinite", stored_spectrum_margin, given=RUN),
    defect=None,
    note="Sums of a_t'a_t and of one Wishart matrix; they need not be in the Loewner order.",
)
REAL_OUTPUTS = Step(
    "real-outputs",
    Statement(
        "the outputs on both streams are real d x d matrices",
        square_margin,
        given=(
            exceeds(
                "both streams have rows of length d, and a d x d noise for each", square_noises_margin, strict=False
            ),
        ),
    ),
    defect=None,
    note="Symmetric, and at least a_1'a_1: the supports of neighbours differ, so L may be infinite; see unit-rows.",
)
BEFORE_THE_CHANGE = Step(
    "before-the-change",
    Statement(
        "T < t: with the same noise the outputs agree",
        earlier_margin,
        given=(
            whole("time", 1),
            exceeds("both streams have a noise for each row", both_runs_margin, strict=False),
            exceeds("rows, noise and deletions before t agree", same_past_margin, strict=False),
        ),
    ),
    defect=None,
)
