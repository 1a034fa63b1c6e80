"""The printed update with each set of slips mended, against its lines taken as a machine of states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product

import pytest

from dpmatrix.streaming import Ending, Slip, Trace, printed_update, thin

Relation = dict[tuple[int, int], bool]
SLIPS = [frozenset(some) for size in range(5) for some in combinations(Slip, size)]


def relations(count: int, every: int = 1) -> Iterator[Relation]:
    """List what may be close to what among checkpoints 1, ..., count, or each so many of these relations."""
    pairs = list(combinations(range(1, count + 1), 2))
    for place, answers in enumerate(product((False, True), repeat=len(pairs))):
        if place % every == 0:
            yield dict(zip(pairs, answers, strict=True))


QUESTIONS = 500
"""A run over five checkpoints asks less often than this which slips are mended."""


class Asked(frozenset[Slip]):
    """A set of slips that is asked once in each round of each loop, and not for ever."""

    left = QUESTIONS

    def __contains__(self, slip: object) -> bool:
        self.left -= 1
        assert self.left > 0, "the run does not end"
        return super().__contains__(slip)


RELATIONS = [(count, one) for count in range(5) for one in relations(count)] + [(5, one) for one in relations(5, 3)]


def closeness(table: Relation) -> Callable[[int, int], bool]:
    """Ask the table; a checkpoint that stands in two places is close to itself."""
    return lambda i, p: i == p or table[i, p]


def run(count: int, close: Callable[[int, int], bool], mended: frozenset[Slip]) -> Trace:
    """Take a step at a time; the run is endless once a state comes again, whatever the state holds."""
    row, length = list(range(1, count + 1)), count
    i, j, k = 1, 0, 0
    states = set()
    while True:
        # j = 0 outside the inner loop.
        state = i, j, k, length, tuple(row)
        if state in states:
            return Trace(Ending.ENDLESS, tuple(row[:length]), i, j, k)
        states.add(state)
        if j == 0:
            if i + 2 > length:
                return Trace(Ending.RETURNED, tuple(row[:length]), i, 0, 0)
            near = [p for p in range(i + 1, length) if close(row[i - 1], row[p - 1])]
            if near:
                j, k = near[-1], 1
            elif Slip.EMPTY in mended:
                i += 1
            else:
                return Trace(Ending.UNDEFINED, tuple(row[:length]), i, 0, 0)
            continue
        reached = j + k - 1 if Slip.BOUND in mended else i + k
        if reached > length:
            length -= (j - i - 1) * (Slip.LENGTH in mended)
            i, j, k = i + 1, 0, 0
        elif j + k - 1 > length:
            return Trace(Ending.BEYOND, tuple(row[:length]), i, j, k)
        else:
            row[i + k - 1] = row[j + k - 2]
            k += Slip.COUNTER in mended


@pytest.mark.parametrize("mended", SLIPS, ids=lambda some: "-".join(sorted(slip.name for slip in some)) or "none")
def test_a_run_is_that_of_the_lines(mended: frozenset[Slip]) -> None:
    endings = set()
    for count, table in RELATIONS:
        found = printed_update(count, closeness(table), Asked(mended))
        assert found == run(count, closeness(table), mended)
        endings.add(found.ending)
    expected = {Ending.RETURNED}
    expected |= {Ending.UNDEFINED} if Slip.EMPTY not in mended else set()
    if Slip.COUNTER not in mended:
        expected |= {Ending.ENDLESS}
    elif Slip.BOUND not in mended:
        expected |= {Ending.BEYOND}
    assert endings == expected


def test_with_every_slip_mended_it_thins() -> None:
    for count, table in RELATIONS:
        found = printed_update(count, closeness(table), Asked(Slip))
        kept = thin(count, lambda i, p, table=table: table[i + 1, p + 1])
        assert found.checkpoints == tuple(place + 1 for place in kept)
