"""The mended lines of the histogram's update on numbers, with an explicit list: shared by the evidence."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction


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
