"""The histogram's update on numbers, written out with an explicit list, and deletions to try: for the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations


def checkpoints(
    entries: Iterable[Fraction], window: int, factor: Fraction, floor: Fraction
) -> list[tuple[int, Fraction]]:
    """Stamps and energies that are held at the end, where a pair is near when ``factor`` of it is at most the other."""
    held: list[tuple[int, Fraction]] = []
    for time, entry in enumerate(entries, start=1):
        held = [(stamp, total + entry**2) for stamp, total in held] + [(time, floor + entry**2)]
        if len(held) > 1 and held[1][0] <= time - window + 1:
            held = held[1:]
        place = 0
        while place < len(held) - 2:
            near = [p for p in range(place + 1, len(held) - 1) if factor * held[place][1] <= held[p][1]]
            if near:
                held = held[: place + 1] + held[max(near) :]
            place += 1
    return held


def deletion_patterns(total: int, window: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every set of at most three deletions (time, stamp) between the first checkpoint and the newest."""
    candidates = [(t, s) for t in range(3, total + 1) for s in range(2, t) if s > t - window + 1]
    for count in range(min(3, len(candidates)) + 1):
        yield from combinations(candidates, count)
