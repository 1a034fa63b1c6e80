"""Neighbouring rows of answers in the patterns of StatDP (Ding et al. 2018, section 5.3), which others took over.

Each answer moves by at most one: of the first three patterns one answer alone, of the others all of them. DP-Sniper
(Bichsel et al. 2021) uses the same patterns for vectors and, for single numbers, what is left of the first two.
"""

from __future__ import annotations

from audit.published.record import Input, answers


def one_differs(length: int) -> tuple[Input, ...]:
    """Return rows of answers of which one moves by one: a record is counted in one bin."""
    same = [1.0] * (length - 1)
    return (
        answers("one below", [1.0, *same], [0.0, *same]),
        answers("one above", [1.0, *same], [2.0, *same]),
    )


def all_differ(length: int) -> tuple[Input, ...]:
    """Return rows of answers that may all move by one: a record is counted by every query, or by none."""
    ones, half = [1.0] * length, length // 2
    rest = length - half
    return (
        *one_differs(length),
        answers("one above, rest below", ones, [2.0] + [0.0] * (length - 1)),
        answers("one below, rest above", ones, [0.0] + [2.0] * (length - 1)),
        answers("half above, half below", ones, [2.0] * half + [0.0] * rest),
        answers("all above", ones, [2.0] * length),
        answers("all below", ones, [0.0] * length),
        answers("X shape", [1.0] * half + [0.0] * rest, [0.0] * half + [1.0] * rest),
    )


def one_way(length: int, *, up: bool) -> tuple[Input, ...]:
    """Return those of the patterns in which no answer falls, or none rises."""
    kept = ("one above", "all above") if up else ("one below", "all below")
    return tuple(one for one in all_differ(length) if one.name in kept)
