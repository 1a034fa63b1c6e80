"""Algorithms 2 and 3: a stream of rows in Gaussian sketches, line by line and exactly, for given variates."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.conditions import exceeds, whole
from dpmatrix.spec.sliding_window.loewner import flag, row
from dpmatrix.spec.wishart.spectra import disagreement


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


def sums_margin(p: SketchedStream, lines: Lines) -> arb:
    """Zero exactly when every stored matrix is the sketch of the rows from its stamp on."""
    gaps = [
        disagreement(pair.sketch, meant(p, pair.stamp, time))
        for time, held in enumerate(history(p, lines), start=1)
        for pair in held
    ]
    return min(gaps, key=arb.mid)


def expiry_margin(p: SketchedStream, lines: Lines) -> arb:
    """0 when always t_1 <= max(1, t - W + 1) and no other stamp is at or before t - W + 1."""
    held_well = True
    for time, held in enumerate(history(p, lines), start=1):
        begin = time - p.window + 1
        held_well = held_well and held[0].stamp <= max(1, begin) and all(pair.stamp > begin for pair in held[1:])
    return flag(held_well)


def printed_sums(p: SketchedStream) -> arb:
    """`sums_margin` of the printed lines."""
    return sums_margin(p, PRINTED)


def printed_expiry(p: SketchedStream) -> arb:
    """`expiry_margin` of the printed line 3, with the loop from 1."""
    return expiry_margin(p, attrs.evolve(REPAIRED, earliest=PRINTED.earliest))


def inserted_twice(p: SketchedStream) -> arb:
    """`sums_margin` when l counts the new pair from line 8 on, with the loop from 1."""
    return sums_margin(p, attrs.evolve(REPAIRED, inserted_first=True))


def repaired_run(p: SketchedStream) -> arb:
    """Both properties of the repaired lines."""
    return sums_margin(p, REPAIRED).min(expiry_margin(p, REPAIRED))


def block_product(p: SketchedStream) -> arb:
    """(5) against ``sigma Phi + g'a_t`` at every time."""
    gaps = [
        disagreement(fresh_sketch(p, time), rational(p.floor) * p.base + update_term(p, time))
        for time in range(1, p.rows.nrows() + 1)
    ]
    return min(gaps, key=arb.mid)


def shapes_margin(p: SketchedStream) -> arb:
    """0 when Phi is m x d and there is one g of length m for each row."""
    fits = p.base.ncols() == p.rows.ncols() and p.coins.nrows() == p.rows.nrows() and p.coins.ncols() == p.base.nrows()
    return flag(fits)


def spared_margin(p: SketchedStream) -> arb:
    """0 when Update-Approx deletes neither the first nor the newest of the stamps it finds, as Algorithm 1 does not."""
    stamps: list[int] = []
    spared = True
    for time in range(1, p.rows.nrows() + 1):
        if len(stamps) > 1 and stamps[1] < time - p.window + REPAIRED.earliest:
            stamps = stamps[1:]
        stamps = [*stamps, time]
        gone = {stamp for at, stamp in p.deleted if at == time}
        spared = spared and stamps[0] not in gone and time not in gone
        stamps = [stamp for stamp in stamps if stamp not in gone]
    return flag(spared)


RUN = (
    whole("window", 1),
    exceeds("Phi is m x d and every g has length m", shapes_margin, strict=False),
    exceeds("Update-Approx spares the first and the newest checkpoint", spared_margin, strict=False),
)

LONGER_WINDOW = (whole("window", 2), *RUN[1:])

ALGORITHM_3 = Claim(
    id="sliding-window.algorithm-3",
    kind=Kind.ALGORITHM,
    source=Locator(
        "sliding-window",
        "Algorithm 3",
        "if t_2 < t-W+1 drop the first pair; draw g; t_{l+1} = t; A~_{[t_{l+1},t]} = (Phi g')(sigma I; a_t); insert; "
        "for i = 2..l add g'a_t to A~_{[t_i,t]}",
    ),
    statement=Statement(
        "at every time each stored matrix is sigma Phi plus the sum of g_s'a_s over the rows from its stamp on",
        printed_sums,
        given=RUN,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "l is the number of pairs before the insertion in lines 3 to 9 and one more in line 12; the comparison of line "
        "3 is skipped while there is no t_2; g has the law of a column of Phi, N(0, eta/4r), although the line gives "
        "none."
    ),
    because=(
        "The loop begins at 2, so the first pair, which is the output, never receives a row after its own: rows 1, 1 "
        "with W = 2 give sigma Phi + g_1'a_1 as the sketch of both. Changed lines: line 9 begins at 1 and runs over "
        "the old pairs; the insertion comes after it and makes l one larger; line 3 asks for t_2 <= t - W + 1. "
        "With the printed '<', rows a_{t-W}, a_{t-W+1} in adjacent checkpoints are both kept although the first has "
        "left the window, and no rule compares adjacent pairs. If line 8 makes l larger at once, the new row enters "
        "its own matrix twice; if nothing does, line 12 returns no pair at all. For W = 1 the expiry "
        "must come after the insertion; W >= 2 here. The repaired algorithm is no promise of privacy: see lemma-3."
    ),
    repair=Repair(
        "line 3: t_2 <= t - W + 1; line 9: i = 1 to the old l, before the insertion, which then makes l larger by one",
        Statement(
            "every stored matrix is the sketch of the rows from its stamp on; t_1 <= max(1, t - W + 1) < all others",
            repaired_run,
            given=LONGER_WINDOW,
        ),
    ),
    steps=(
        Step(
            "expired-stamp",
            Statement("after lines 3 to 5 only t_1 is at or before the window's first row", printed_expiry, given=RUN),
            sound=False,
            note="t_2 = t - W + 1 is kept beside t_1 = t - W, whose row has left the window.",
        ),
        Step(
            "equation-5",
            Statement("(Phi g')(sigma I; a_t) = sigma Phi + g'a_t", block_product, given=RUN),
            sound=True,
        ),
        Step(
            "insertion-before-loop",
            Statement(
                "with l counting the new pair from line 8 on, each stored matrix is the sketch of its rows",
                inserted_twice,
                given=RUN,
            ),
            sound=False,
            note="The newest matrix receives g'a_t from (5) and from the loop.",
        ),
    ),
)


@attrs.frozen
class SketchShape:
    """Number of rows m of Phi, number of its columns, and dimension d of the rows of the stream."""

    size: int
    columns: int
    dimension: int


def drawn_columns(p: SketchShape) -> arb:
    """0 when Phi has the d + 1 columns of line 3 of Algorithm 2."""
    return flag(p.columns == p.dimension + 1)


def product_exists(p: SketchShape) -> arb:
    """Minus the gap between the columns of (Phi g') and the d + 1 rows of (sigma I; a_t)."""
    return -arb(abs(p.columns + 1 - (p.dimension + 1)))


def output_margin(p: SketchedStream) -> arb:
    """Zero exactly when the output is sigma Phi plus the sum over [t_1, T], which holds the window."""
    last = history(p, REPAIRED)[-1][0]
    total = p.rows.nrows()
    covered = last.stamp <= max(1, total - p.window + 1)
    return disagreement(last.sketch, meant(p, last.stamp, total)) + flag(covered)


def printed_output(p: SketchedStream) -> arb:
    """`output_margin` of the printed lines: the first stored matrix against the rows of [t_1, T]."""
    last = history(p, PRINTED)[-1][0]
    return disagreement(last.sketch, meant(p, last.stamp, p.rows.nrows()))


ALGORITHM_2 = Claim(
    id="sliding-window.algorithm-2",
    kind=Kind.ALGORITHM,
    source=Locator(
        "sliding-window",
        "Algorithm 2",
        "Phi of shape (4r/eta) x (d+1), entries N(0, eta/4r); for each row Algorithm 3, then Algorithm 1; output "
        "A~_{[t_1,t]}",
    ),
    statement=Statement(
        "the Phi that is drawn has the shape that (5) multiplies",
        product_exists,
        given=(whole("size", 1), whole("dimension", 1), exceeds("Phi has d + 1 columns", drawn_columns, strict=False)),
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        "Phi has d + 1 columns here and d in Algorithm 3, where (Phi g') must meet the d + 1 rows of (sigma I; a_t). "
        "With d columns and the repaired lines of Algorithm 3 the output is the sketch of all rows from t_1 on, and "
        "they contain the window; with the printed lines it is that of the single row t_1. 4r/eta must be an integer. "
        "The output is m x d; the proof of lemma-3 has it d x d."
    ),
    repair=Repair(
        "Phi of shape m x d, and the repaired Algorithm 3",
        Statement(
            "the output is sigma Phi plus the sum of g_s'a_s over [t_1, T], with t_1 <= max(1, T - W + 1)",
            output_margin,
            given=RUN,
        ),
    ),
    steps=(
        Step(
            "output",
            Statement("line 10 outputs the sketch of the rows from t_1 on", printed_output, given=RUN),
            sound=False,
            note="Line 9 of Algorithm 3 leaves out the first pair, so the output is the sketch of one row.",
        ),
    ),
    uses=("sliding-window.algorithm-3+repair",),
)
