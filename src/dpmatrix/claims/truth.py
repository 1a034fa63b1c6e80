"""Three-valued answers: a statement is true, false, or not decided by the arithmetic at hand."""

from __future__ import annotations

from enum import Enum

from flint import arb


class Truth(Enum):
    """The answer of a check that never guesses."""

    TRUE = "true"
    FALSE = "false"
    UNDECIDED = "undecided"

    def __bool__(self) -> bool:
        """Refuse a silent conversion: UNDECIDED is neither true nor false."""
        raise TypeError("a Truth has three values; compare it with `is Truth.TRUE` or `is Truth.FALSE`")


def decide(margin: arb, *, strict: bool = False) -> Truth:
    """Decide ``margin >= 0`` (``margin > 0`` when strict) for every number in the ball.

    Parameters
    ----------
    margin
        Enclosure of a real number.
    strict
        Whether a margin of zero counts as a failure.

    Raises
    ------
    TypeError
        If the margin is not a ball: no other number says how far off it may be.
    """
    if type(margin) is not arb:
        raise TypeError(f"a margin is a ball, not a {type(margin).__name__}; enclose it")
    if (margin > 0) if strict else (margin >= 0):
        return Truth.TRUE
    if (margin <= 0) if strict else (margin < 0):
        return Truth.FALSE
    return Truth.UNDECIDED


def conjunction(answers: list[Truth]) -> Truth:
    """Three-valued AND; the empty conjunction is true."""
    if any(answer is Truth.FALSE for answer in answers):
        return Truth.FALSE
    if any(answer is Truth.UNDECIDED for answer in answers):
        return Truth.UNDECIDED
    return Truth.TRUE
