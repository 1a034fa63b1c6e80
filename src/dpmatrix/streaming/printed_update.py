"""Algorithms 1 and 6 of `sliding-window` as printed, line by line, with each slip mended or not."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import attrs

Closeness = Callable[[int, int], bool]


class Slip(Enum):
    """A line that does not do what it is for."""

    COUNTER = "k is never incremented in the inner loop"
    BOUND = "the inner loop runs while i + k <= l, and reads checkpoint j + k - 1"
    EMPTY = "j is the maximum of a set that may be empty"
    LENGTH = "Algorithm 1 updates s, and never l"


class Ending(Enum):
    """How a run ends."""

    RETURNED = "returned"
    ENDLESS = "the inner loop repeats its state for ever"
    BEYOND = "a checkpoint beyond the last one is read"
    UNDEFINED = "the maximum of an empty set is taken"


@attrs.frozen
class Trace:
    """What became of a run.

    Parameters
    ----------
    ending
        How it ended.
    checkpoints
        The numbers, from 1, of the checkpoints that stand in places 1, ..., l at the end.
    i, j, k
        The variables at the end; j and k are 0 where they have no value.
    """

    ending: Ending
    checkpoints: tuple[int, ...]
    i: int
    j: int
    k: int


def printed_update(count: int, close: Closeness, mended: frozenset[Slip] = frozenset()) -> Trace:
    """Run the printed lines on ``count`` checkpoints.

    Parameters
    ----------
    count
        Number l of checkpoints.
    close
        ``close(i, p)`` for the numbers, from 1, of two checkpoints of the input.
    mended
        The slips that are put right; with all of them the result is that of `thin`.
    """
    held = dict(enumerate(range(1, count + 1), start=1))
    length, i = count, 1
    while i <= length - 2:
        candidates = [p for p in range(i + 1, length) if close(held[i], held[p])]
        if not candidates:
            if Slip.EMPTY not in mended:
                return _trace(Ending.UNDEFINED, held, length, i, 0, 0)
            i += 1
            continue
        j, k = max(candidates), 1
        while (j + k - 1 <= length) if Slip.BOUND in mended else (i + k <= length):
            if j + k - 1 > length:
                return _trace(Ending.BEYOND, held, length, i, j, k)
            before = dict(held)
            held[i + k] = held[j + k - 1]
            if Slip.COUNTER in mended:
                k += 1
            elif held == before:
                # The same state as a round ago, and nothing but the state decides what comes next.
                return _trace(Ending.ENDLESS, held, length, i, j, k)
        if Slip.LENGTH in mended:
            length += i - j + 1
        i += 1
    return _trace(Ending.RETURNED, held, length, i, 0, 0)


def _trace(ending: Ending, held: dict[int, int], length: int, i: int, j: int, k: int) -> Trace:
    return Trace(ending, tuple(held[place] for place in range(1, length + 1)), i, j, k)
