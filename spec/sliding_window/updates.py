"""Algorithms 1 and 6: Update-Approx and Update, which thin out checkpoints that are spectrally close."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from flint import arb

from dpmatrix.claims import Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.update_time import RUN_TIME

Closeness = Callable[[int, int], bool]


def survivors(count: int, is_close: Closeness) -> list[int]:
    """Indices (from 1) that remain: from i go to the largest close p <= count - 1, or to i + 1 when there is none.

    The two last checkpoints always remain. Indices are those before the deletions, and so is ``count``: deletions
    behind i do not change which checkpoint is the last but one.
    """
    kept = [1]
    while kept[-1] < count:
        i = kept[-1]
        kept.append(max((p for p in range(i + 1, count) if is_close(i, p)), default=i + 1))
    return kept


@attrs.frozen
class LoopState:
    """State of the inner loop (steps 7 to 9): i, the j that was found, the number l of checkpoints, and k."""

    i: int
    j: int
    length: int
    k: int


PRINTED_INCREMENT = 0
"""What one round of the inner loop adds to k: no line changes it."""


def rounds(p: LoopState, increment: int) -> int:
    """Execute steps 8 to 10 from a state on, and count the rounds; stop after l + 1 of them."""
    k, count = p.k, 0
    while p.i + k <= p.length and count <= p.length:
        k += increment
        count += 1
    return count


def printed_rounds_margin(p: LoopState) -> arb:
    """``l - i - k + 1`` minus the number of rounds."""
    return arb(p.length - p.i - p.k + 1 - rounds(p, PRINTED_INCREMENT))


def printed_read_margin(p: LoopState) -> arb:
    """``l - (j + k - 1)``: room left by the checkpoint that the printed loop reads."""
    return arb(p.length - (p.j + p.k - 1))


def length_margin(p: LoopState) -> arb:
    """Minus the distance of l + i - j + 1 from the number of checkpoints of 1, ..., l that are not between i and j."""
    left = [each for each in range(1, p.length + 1) if not p.i < each < p.j]
    return -arb(abs((p.length + p.i - p.j + 1) - len(left)))


def loop_margin(p: LoopState) -> arb:
    """``l - (i + k)``."""
    return arb(p.length - (p.i + p.k))


def after_margin(p: LoopState) -> arb:
    """``j - (i + 1)``."""
    return arb(p.j - p.i - 1)


def inside_margin(p: LoopState) -> arb:
    """``l - 1 - j``."""
    return arb(p.length - 1 - p.j)


FOUND = (
    whole("i", 1),
    exceeds("i < j", after_margin, strict=False),
    exceeds("j <= l - 1", inside_margin, strict=False),
)
IN_LOOP = (*FOUND, whole("k", 1), exceeds("i + k <= l", loop_margin, strict=False))


@attrs.frozen
class UpdateRun:
    """What an implementation of Update did.

    Parameters
    ----------
    closeness
        For each pair i < p of the checkpoints before the run, in lexicographic order, whether they were close.
    count
        Number of checkpoints before.
    kept
        Which of them it kept, counted from 1.
    """

    closeness: tuple[bool, ...]
    count: int
    kept: tuple[int, ...]


def greedy_margin(p: UpdateRun) -> arb:
    """0 exactly when what was kept is what the repaired lines keep."""
    pairs = [(i, other) for i in range(1, p.count + 1) for other in range(i + 1, p.count + 1)]
    table = dict(zip(pairs, p.closeness, strict=True))
    return flag(list(p.kept) == survivors(p.count, lambda i, other: table[i, other]))


_CHANGES = (
    "the inner loop increments k and runs while j + k - 1 <= l; where no close p exists nothing is deleted; l := l + "
    "i - j + 1; the outer loop runs while i <= l - 2 for the current l"
)
_LINES = (
    "Changed lines: k is never incremented, so the inner loop never ends once a j is found (step 9); its bound i + k "
    "<= l reads the checkpoint j + k - 1 > l whenever j > i + 1 (step 8); the set in the maximum may be empty, and j "
    "is then undefined (step 5). "
)

ALGORITHM_1 = Claim(
    id="sliding-window.algorithm-1",
    kind=Kind.ALGORITHM,
    source=Locator(
        "sliding-window",
        "Algorithm 1",
        "for i <= l-2: j := max{p : (1-eta/2)K~(i) <= K~(p), i < p <= l-1}; delete i+1..j-1; k = 1; while i + k <= l: "
        "checkpoint i+k := checkpoint j+k-1; s := s + i - j + 1",
    ),
    statement=Statement(
        "the inner loop ends, after l - i - k + 1 rounds at most: one for each checkpoint that i + k can still be",
        printed_rounds_margin,
        given=IN_LOOP,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        _LINES + "Step 11 updates s, which nothing reads, in place of l, so l duplicates stay at the end. The required "
        "order K~(1) >= ... >= K~(l) is not needed for what the algorithm achieves, and sketches do not have it."
    ),
    repair=Repair(
        _CHANGES,
        Statement(
            "what is kept: from i the largest close p <= l - 1, or i + 1; and the last two",
            greedy_margin,
            instance=True,
        ),
    ),
    steps=(
        Step(
            "reads-inside",
            Statement("step 9 reads a checkpoint that exists: j + k - 1 <= l", printed_read_margin, given=IN_LOOP),
            defect=Defect.SLIP,
            note="For j > i + 1 the last rounds read j - i - 1 checkpoints beyond the end.",
        ),
        Step(
            "length",
            Statement("l + i - j + 1 checkpoints remain of 1, ..., l", length_margin, given=FOUND),
            defect=None,
        ),
        RUN_TIME,
    ),
)

ALGORITHM_6 = Claim(
    id="sliding-window.algorithm-6",
    kind=Kind.ALGORITHM,
    source=Locator(
        "sliding-window",
        "Algorithm 6",
        "for i <= l-2: j := max{p : (1-eta)K(i) <= K(p), i < p <= l-1}; delete i+1..j-1; k = 1; while i + k <= l: "
        "K(i+k) = K(j+k-1); l := l + i - j + 1",
    ),
    statement=Statement(
        "the inner loop ends, after l - i - k + 1 rounds at most: one for each checkpoint that i + k can still be",
        printed_rounds_margin,
        given=IN_LOOP,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    because=(
        _LINES + "p <= l - 1 leaves the last triple untested: the zero stream keeps l - 2, l - 1 and l. 'All but one "
        "matrix can be deleted' is wrong too: 1, l - 1 and l always survive."
    ),
    repair=Repair(
        _CHANGES,
        Statement(
            "what is kept: from i the largest close p <= l - 1, or i + 1; and the last two",
            greedy_margin,
            instance=True,
        ),
    ),
)
