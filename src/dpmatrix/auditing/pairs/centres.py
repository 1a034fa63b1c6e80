"""Pairs of numbers for additive noise: the centres on which the arithmetic of a mechanism tends to show."""

from __future__ import annotations

import math
from fractions import Fraction

from attrs import field, frozen

from dpmatrix.errors import InvalidParameterError

_FAR = (3, 20, 40)
_TINY = -30


def _centre(value: object) -> int | float:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise InvalidParameterError("centre", f"{value!r} is not a finite number", "pass an int or a float")


@frozen
class CentrePair:
    """Two values of a query on neighbouring data sets.

    Attributes
    ----------
    name
        What the pair is, in words.
    data, neighbour
        Different finite numbers, both floats or both integers.
    """

    name: str
    data: int | float = field(converter=_centre)
    neighbour: int | float = field(converter=_centre)

    def __attrs_post_init__(self) -> None:
        if type(self.data) is not type(self.neighbour):
            raise InvalidParameterError("neighbour", "one centre is a float, one an integer", "pass two of one type")
        if self.data == self.neighbour:
            raise InvalidParameterError("neighbour", "the centres are equal", "pass different centres")

    @property
    def distance(self) -> Fraction:
        """The exact distance of the two centres."""
        return abs(Fraction(self.data) - Fraction(self.neighbour))


def adversarial_centres(sensitivity: float) -> tuple[CentrePair, ...]:
    """Propose pairs of centres at most the sensitivity apart, exactly.

    Zero against the sensitivity (noise around zero keeps bits that an addition rounds away), neighbouring binary
    exponents, the two sides of a far power of two, opposite signs, a centre with a full mantissa, one with few bits
    against one with bits far below, and centres so far out that the noise loses most of its bits.

    Parameters
    ----------
    sensitivity
        Positive; the most that a query changes between neighbours. For an ``int`` the centres are integers.

    Returns
    -------
    tuple of CentrePair
        Distinct, always the same for the same argument.

    Raises
    ------
    InvalidParameterError
        If the sensitivity is not a positive finite number.
    """
    step = _centre(sensitivity)
    if step <= 0:
        raise InvalidParameterError("sensitivity", f"{sensitivity!r} is not positive", "pass a positive number")
    whole = isinstance(step, int)

    def part(numerator: int, denominator: int) -> int | float:
        return numerator * step // denominator if whole else numerator * (step / denominator)

    def times(exponent: int) -> int | float:
        return step * (1 << exponent)

    proposals: list[tuple[str, int | float, int | float]] = [
        ("zero and the sensitivity", part(0, 1), step),
        ("neighbouring binary exponents", step, part(2, 1)),
        ("opposite signs", -part(1, 2), part(1, 2)),
        ("a third and a whole", part(1, 3), step),
        ("zero and a third", part(0, 1), part(1, 3)),
        ("zero and a tiny part", part(0, 1), part(1, 2**-_TINY)),
        *((f"the two sides of 2**{far} sensitivities", times(far), times(far) - part(1, 1)) for far in _FAR),
        *((f"2**{far} sensitivities and a third more", times(far), times(far) + part(1, 3)) for far in _FAR),
    ]
    usable = [
        proposal
        for proposal in proposals
        if proposal[1] != proposal[2] and max(abs(centre) for centre in proposal[1:]) < math.inf
    ]
    pairs = [CentrePair(*proposal) for proposal in usable]
    return tuple(pair for pair in pairs if pair.distance <= Fraction(step))
