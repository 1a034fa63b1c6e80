"""The row of the record that changes: where it stands matters to a mechanism that looks at some rows only.

The pairs of an audit differ in one record each, which mostly is the last. Once all of them have been looked at, the
most telling one, the one whose record moves farthest, and the first are tried again with that record in other rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.search.events import Event

MOST_ELSEWHERE = 14
"""Pairs with the record in another row."""
_BASES = 3
_PERIODS = range(2, 9)


def other_rows(records: int, row: int, most: int) -> list[int]:
    """Choose rows beside one: the first, the last, the middle, then such as lie otherwise in every period up to eight.

    Parameters
    ----------
    records
        n >= 1.
    row
        The row that is known, in [0, n).
    most
        How many, at most n - 1 of which there are.
    """
    chosen = list(dict.fromkeys([row, 0, records - 1, records // 2]))
    met = {(period, one % period) for one in chosen for period in _PERIODS}
    while len(chosen) < min(records, most + 1):
        rest = [one for one in range(records) if one not in chosen]
        best = max(rest, key=lambda one: _gain(one, met, chosen))
        met |= {(period, best % period) for period in _PERIODS}
        chosen.append(best)
    return chosen[1 : most + 1]


def _gain(row: int, met: set[tuple[int, int]], chosen: Sequence[int]) -> tuple[float, int]:
    # One of a few residues is met more often than one of many.
    new = sum(1 / period for period in _PERIODS if (period, row % period) not in met)
    return new, min(abs(row - one) for one in chosen)


def changed_row(pair: NeighbouringPair) -> int:
    """Return the row, of the larger data set, of the record that the other does not have there."""
    longer, shorter = sorted((pair.data, pair.neighbour), key=len, reverse=True)
    different = np.flatnonzero(np.any(longer[: len(shorter)] != shorter, axis=1))
    return int(different[0]) if different.size else len(shorter)


def in_row(pair: NeighbouringPair, row: int) -> NeighbouringPair:
    """Return the pair with the record that changes in another row, and the others in their order."""
    old, records = changed_row(pair), max(len(pair.data), len(pair.neighbour))

    def moved(side: FloatArray) -> FloatArray:
        if len(side) < records:
            return side
        return np.insert(np.delete(side, old, axis=0), row, side[old], axis=0)

    return NeighbouringPair(
        f"{pair.name}; in row {row} of 0 to {records - 1}", pair.adjacency, moved(pair.data), moved(pair.neighbour)
    )


def pairs_elsewhere(
    pairs: Sequence[NeighbouringPair], explored: Sequence[Sequence[Event]], most: int
) -> tuple[NeighbouringPair, ...]:
    """List what to look at after the pairs, given what was found on each of them; nothing before all were looked at.

    The list depends on these arguments alone, so that a run that is resumed has the same.
    """
    if most == 0 or len(explored) < len(pairs):
        return ()
    ranked = sorted(range(len(pairs)), key=lambda place: -explored[place][0].score)
    farthest = max(range(len(pairs)), key=lambda place: _moves(pairs[place]))
    # Where the last row is not looked at, the ranking says nothing.
    bases = list(dict.fromkeys([ranked[0], farthest, 0, *ranked[1:]]))[:_BASES]
    found: list[NeighbouringPair] = []
    for rank, base in enumerate(bases):
        pair = pairs[base]
        share = (most - len(found)) // (len(bases) - rank) if rank else most - (len(bases) - 1) * (2 * most // 7)
        rows = other_rows(max(len(pair.data), len(pair.neighbour)), changed_row(pair), share)
        found += [in_row(pair, row) for row in rows]
    # What is moved past its equals is where it was.
    return tuple(one for one in found if not any(_same(one, pair) for pair in pairs))


def _moves(pair: NeighbouringPair) -> float:
    return float(np.sum(np.abs(pair.data.sum(axis=0) - pair.neighbour.sum(axis=0))))


def _same(first: NeighbouringPair, second: NeighbouringPair) -> bool:
    sides = ((first.data, second.data), (first.neighbour, second.neighbour))
    return all(np.array_equal(own, other) for own, other in sides)
