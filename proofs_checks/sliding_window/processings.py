"""Two laws of three outputs, and what is computed from such an output."""

from __future__ import annotations

from itertools import product

import attrs
from flint import fmpq

from dpmatrix.spec.sliding_window.post_processing import Processing

MERGED = ((fmpq(1), fmpq(0)), (fmpq(1), fmpq(0)), (fmpq(0), fmpq(1)))
"""h cannot tell the first output from the second."""

BROKEN = Processing(
    (fmpq(1, 10), fmpq(4, 10), fmpq(5, 10)), (fmpq(0), fmpq(2, 10), fmpq(8, 10)), MERGED, fmpq(2), fmpq(1, 10)
)


def channels() -> list[tuple[tuple[fmpq, ...], ...]]:
    """Functions of three outputs and randomised ones, onto two and three results."""
    rows = [(fmpq(1), fmpq(0)), (fmpq(0), fmpq(1)), (fmpq(1, 3), fmpq(2, 3))]
    onto_two = [tuple(choice) for choice in product(rows, repeat=3)]
    mixed = ((fmpq(1, 2), fmpq(1, 4), fmpq(1, 4)), (fmpq(0), fmpq(1), fmpq(0)), (fmpq(1, 5), fmpq(1, 5), fmpq(3, 5)))
    return [*onto_two, mixed]


def points() -> list[Processing]:
    return [
        attrs.evolve(BROKEN, channel=channel, exponential=exponential, delta=delta)
        for channel in channels()
        for exponential, delta in ((fmpq(2), fmpq(1, 10)), (fmpq(1), fmpq(3, 10)), (fmpq(3, 2), fmpq(1, 4)))
    ]


def laws_after(p: Processing) -> list[tuple[fmpq, fmpq]]:
    """Both probabilities of every result, column by column."""
    return [
        (
            sum((a * x for a, x in zip(p.first, column, strict=True)), fmpq(0)),
            sum((b * x for b, x in zip(p.second, column, strict=True)), fmpq(0)),
        )
        for column in zip(*p.channel, strict=True)
    ]


def swapped(pairs: list[tuple[fmpq, fmpq]]) -> list[tuple[fmpq, fmpq]]:
    return [(b, a) for a, b in pairs]


def outside(statement_hypothesis: str, broken: Processing) -> dict[str, Processing]:
    """Points that violate one hypothesis each."""
    heavier = (*broken.first[:-1], broken.first[-1] + fmpq(1, 100))
    return {
        "P and Q are probability laws": attrs.evolve(broken, first=heavier, delta=fmpq(1)),
        "h sees the output alone, and returns something": attrs.evolve(
            broken, channel=((fmpq(1), fmpq(1)), *broken.channel[1:])
        ),
        "exponential > 0": attrs.evolve(broken, exponential=fmpq(0), delta=fmpq(1)),
        statement_hypothesis: attrs.evolve(broken, delta=fmpq(1, 20)),
    }
