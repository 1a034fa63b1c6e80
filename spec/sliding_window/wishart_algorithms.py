"""Algorithms 7 and 8: what is stored and what is released under Wishart noise, as printed and as repaired."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.loewner import between, flag, precedes_margin
from dpmatrix.spec.sliding_window.wishart_state import STORED_SPECTRUM
from dpmatrix.spec.sliding_window.wishart_stream import (
    MENDED,
    PRINTED,
    RUN,
    SHAPES,
    NoisyLines,
    NoisyStream,
    error_of,
    history,
    repaired_history,
)


def sums_margin(p: NoisyStream, lines: NoisyLines) -> arb:
    """Zero exactly when every stored matrix is the sum of a_s'a_s from its stamp on, plus its noise."""
    gaps = [
        disagreement(pair.matrix, between(p.rows, pair.stamp, time) + p.noise[pair.stamp - 1])
        for time, held in enumerate(history(p, lines), start=1)
        for pair in held
    ]
    return min(gaps, key=arb.mid)


def cover_margin(p: NoisyStream, lines: NoisyLines) -> arb:
    """0 when always t_1 <= max(1, t - W + 1): the rows of the first pair contain the window."""
    runs = enumerate(history(p, lines), start=1)
    return flag(all(held[0].stamp <= max(1, time - p.window + 1) for time, held in runs))


def printed_sums(p: NoisyStream) -> arb:
    """`sums_margin` of the printed lines."""
    return sums_margin(p, PRINTED)


def ordered_cover(p: NoisyStream) -> arb:
    """`cover_margin` with lines 12 to 14 as printed and the others mended."""
    return cover_margin(p, attrs.evolve(MENDED, ordered=True))


def repaired_margin(p: NoisyStream) -> arb:
    """0 when each K~(i) is the sum from t_i on plus the difference of two errors, and t_1 <= max(1, t-W+1) < t_2."""
    margin = arb(0)
    for time, held in enumerate(repaired_history(p), start=1):
        begin = time - p.window + 1
        for number, pair in enumerate(held):
            meant = between(p.rows, pair.stamp, time) + error_of(p, pair.stamp, time)
            margin = margin.min(disagreement(pair.matrix, meant))
            margin = margin.min(flag(pair.stamp > begin if number else pair.stamp <= max(1, begin)))
    return margin


CHANGE = (
    "line 3: t_2 <= t - W + 1, after the insertion; lines 6 to 11: K~(i) is the noisy sum up to t minus the noisy sum "
    "before t_i, both from the sums over blocks of 1, 2, 4, ..., 2^h rows that theorem-17's repair releases; no lines "
    "12 to 14"
)


ALGORITHM_7 = Claim(
    id="sliding-window.algorithm-7",
    kind=Kind.ALGORITHM,
    source=Locator(
        "sliding-window",
        "Algorithm 7",
        "if t_2 < t-W+1 drop the first pair; K~(l+1) = a_t'a_t + R, R ~ Wis_d(tau, I), tau >= floor(d + 14 log(1/delta)"
        "/eps^2); for i = 2..l add a_t'a_t; j = min{p : K(p) not >= K(l)}; delete K(p)..K(l-1)",
    ),
    statement=Statement(
        "at every time each stored matrix is the sum of a_s'a_s over the rows from its stamp on, plus its noise",
        printed_sums,
        given=RUN,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "K is K~ in lines 12 to 14, the j that line 12 defines is the p of lines 13 and 14, K(l) is the new pair and "
        "keeps its own stamp, and nothing is deleted when the set of line 12 is empty; l as in algorithm-3."
    ),
    because=(
        "As in algorithm-3 the loop leaves out the first pair, which is the output. "
        "Lines 12 to 14 are worse: they delete every checkpoint from the first one that is not above the newest. Its "
        "noise is fresh and as large as theirs, so in one dimension rows 1, 1 with noise 1, 5 lose row 1; for d >= 2 a "
        "checkpoint one row older differs from the newest by R - R' in a direction orthogonal to that row, a symmetric "
        "variable, so that it survives with probability at most 1/2.\n\n"
        "Repaired, stored matrices are differences of "
        "noisy sums: they need no order, and each sum is released once."
    ),
    repair=Repair(
        CHANGE,
        Statement(
            "each K~(i) is the sum of its rows plus a difference of two errors, and t_1 <= max(1, t - W + 1) < t_2",
            repaired_margin,
            given=SHAPES,
        ),
    ),
    steps=(
        Step(
            "order",
            Statement("lines 12 to 14 leave t_1 <= max(1, t - W + 1)", ordered_cover, given=RUN),
            defect=Defect.SLIP,
            note="They delete the pair that covers the window whenever the newest noise is not below it.",
        ),
        STORED_SPECTRUM,
    ),
)


def printed_output(p: NoisyStream) -> arb:
    """Non-negative exactly when the printed output, without its noise, is at least A_W'A_W."""
    total = p.rows.nrows()
    first = history(p, PRINTED)[-1][0]
    return precedes_margin(between(p.rows, total - p.window + 1, total), first.matrix - p.noise[first.stamp - 1])


def repaired_output(p: NoisyStream) -> arb:
    """Non-negative exactly when K(2) <= A_W'A_W <= K(1) for the repaired K~(1) and K~(2) without their errors."""
    total = p.rows.nrows()
    window = between(p.rows, total - p.window + 1, total)
    exact = [pair.matrix - error_of(p, pair.stamp, total) for pair in repaired_history(p)[-1]]
    margin = precedes_margin(window, exact[0])
    return margin.min(precedes_margin(exact[1], window)) if exact[1:] else margin


ALGORITHM_8 = Claim(
    id="sliding-window.algorithm-8",
    kind=Kind.ALGORITHM,
    source=Locator("sliding-window", "Algorithm 8", "for each row Algorithm 7, then Algorithm 6; output C~ = K~(1)"),
    statement=Statement(
        "the output, without its noise, is at least A_W'A_W in the Loewner order",
        printed_output,
        given=RUN,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        "The first stored matrix is that of one row: rows 1, 1 with W = 2 and equal noise give 1 and not 2. With the "
        "repaired Algorithm 7 the rows of the first pair contain the window. A positive semidefinite output is "
        "promised; the repaired one is symmetric, a difference of Gaussian sums, and may have negative eigenvalues: "
        "C_+ of theorem-4's repair is semidefinite. r = d is passed and never used; the stream is Omega in one line "
        "and S in another."
    ),
    reading=(
        "As no closeness is asked for, the sum of the whole stream would do. K(2) bounds the window from below, where "
        "there is a second checkpoint, and the output from above in no way. No upper bound is added, because the "
        "differences of noisy sums that Update compared have other errors at later times; theorem-14's repair has an "
        "additive closeness."
    ),
    repair=Repair(
        "the repaired Algorithm 7; the output is symmetric in place of positive semidefinite",
        Statement(
            "K~(1), the output, without its error is at least A_W'A_W, and K~(2) without its error at most",
            repaired_output,
            given=SHAPES,
        ),
    ),
    uses=("sliding-window.algorithm-7+repair",),
)
