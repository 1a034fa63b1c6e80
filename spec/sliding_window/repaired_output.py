"""Lemma 3: what Algorithms 1 to 3 output with their lines repaired, where no sketch can be mistaken for another."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.histograms import close
from dpmatrix.spec.sliding_window.loewner import flag, gram
from dpmatrix.spec.sliding_window.sketched_stream import (
    REPAIRED,
    Checkpoint,
    SketchedStream,
    after_step,
    meant,
    shapes_margin,
)
from dpmatrix.spec.sliding_window.updates import survivors


@attrs.frozen
class UpdatedRun:
    """A run of Algorithm 2 with the variates that it draws, in which Update-Approx compares what is stored.

    Parameters
    ----------
    rows
        T x d: a_1 to a_T.
    base, coins
        Phi, m x d, and T x m: row t is the g of time t.
    floor, window, eta
        sigma, W and eta.
    """

    rows: fmpq_mat
    base: fmpq_mat
    coins: fmpq_mat
    floor: Exact
    window: int
    eta: Exact


def stream(p: UpdatedRun) -> SketchedStream:
    """The run with no deletion fixed in advance."""
    return SketchedStream(p.rows, p.base, p.coins, p.floor, p.window)


def held_at_the_end(p: UpdatedRun) -> list[Checkpoint]:
    """What is stored after the last row, by the repaired lines of Algorithms 1 and 3."""
    held: list[Checkpoint] = []
    for time in range(1, p.rows.nrows() + 1):
        held = after_step(stream(p), held, time, REPAIRED)
        held = _thinned(held, p.eta)
    return held


def _thinned(held: list[Checkpoint], eta: Exact) -> list[Checkpoint]:
    grams = tuple(gram(pair.sketch) for pair in held)
    kept = survivors(len(held), lambda i, other: close(grams, i, other, rational(eta) / 2))
    return [held[i - 1] for i in kept]


def window_sketch_margin(p: UpdatedRun) -> arb:
    """Zero exactly when the output is the sketch of the window's rows."""
    total = p.rows.nrows()
    return disagreement(held_at_the_end(p)[0].sketch, meant(stream(p), max(1, total - p.window + 1), total))


def _apart(p: UpdatedRun, stamp: int, later: int, time: int) -> bool:
    """Whether the rows from one stamp to the other are zero, or add what is outside the later sketch's row space."""
    if all(entry == 0 for a in p.rows.tolist()[stamp - 1 : later - 1] for entry in a):
        return True
    later_sketch = meant(stream(p), later, time)
    added = meant(stream(p), stamp, later - 1) - rational(p.floor) * p.base
    return fmpq_mat([*later_sketch.tolist(), *added.tolist()]).rank() > later_sketch.rank()


def position_margin(p: UpdatedRun) -> arb:
    """0 when `_apart` is so for all stamps s < p and all times t >= p."""
    total = p.rows.nrows()
    return flag(
        all(
            _apart(p, stamp, later, time)
            for time in range(1, total + 1)
            for later in range(2, time + 1)
            for stamp in range(1, later)
        )
    )


def run_shapes(p: UpdatedRun) -> arb:
    """0 when Phi is m x d and there is one g of length m for each row."""
    return shapes_margin(stream(p))


OUTPUT_AS_REPAIRED = Step(
    "output-as-repaired",
    Statement(
        "with the lines of Algorithms 1 and 3 repaired the output at T is the sketch of the window's rows, wherever "
        "the sum of g_u'a_u over s <= u < p has a row outside the row space of A~_[p,t], for all s < p <= t with a row "
        "between that is not zero",
        window_sketch_margin,
        given=(
            whole("window", 2),
            exceeds("Phi is m x d and every g has length m", run_shapes, strict=False),
            positive("eta"),
            below("eta", 1),
            exceeds("no sum of rows is in the row space of a later sketch", position_margin, strict=False),
        ),
    ),
    defect=None,
    note="Ours. For d > 4r/eta the condition holds with probability one; for fewer the row space is everything.",
)
