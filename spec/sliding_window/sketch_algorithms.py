"""Algorithms 2 and 3: the sketches of the rows from each time stamp on, as printed and as repaired (section 3)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import rational
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.sketched_stream import (
    PRINTED,
    PRINTED_RUN,
    REPAIRED,
    RUN,
    Lines,
    SketchedStream,
    fresh_sketch,
    history,
    meant,
    update_term,
)


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
        given=PRINTED_RUN,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "l is the number of pairs before the insertion in lines 3 to 9 and one more in line 12, as else the new row "
        "would enter its own matrix twice; the comparison of line 3 is skipped while there is no t_2; g has the law of "
        "a column of Phi, N(0, eta/4r), although the line gives none."
    ),
    because=(
        "The loop begins at 2, so the first pair, which is the output, never receives a row after its own: rows 1, 1 "
        "with W = 2 give sigma Phi + g_1'a_1 as the sketch of both.\n\n"
        "Changed lines: line 9 begins at 1 and runs over "
        "the old pairs; the insertion comes after it and makes l one larger; line 3 asks for t_2 <= t - W + 1. The "
        "printed '<' keeps t_1 = t - W beside t_2 = t - W + 1, as (7) allows; but no rule compares adjacent pairs, "
        "and (8) then fails: see lemma-2. For W = 1 the expiry must come after the insertion; W >= 2 here. The "
        "repaired algorithm guarantees no privacy: see lemma-3."
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
            "equation-5",
            Statement("(Phi g')(sigma I; a_t) = sigma Phi + g'a_t", block_product, given=RUN[1:2]),
            defect=None,
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
    reading=(
        "The statement sets line 3 of this algorithm beside (5) of the other: what one draws the other cannot "
        "multiply, at any size. 4r/eta is a whole number; the repair says of t_1 that it is not too late, and "
        "algorithm-3's that no other stamp is at or before the window's first row."
    ),
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
            Statement("line 10 outputs the sketch of the rows from t_1 on", printed_output, given=PRINTED_RUN),
            defect=Defect.SLIP,
            note="Line 9 of Algorithm 3 leaves out the first pair, so the output is the sketch of one row.",
        ),
    ),
    uses=("sliding-window.algorithm-3+repair",),
)
