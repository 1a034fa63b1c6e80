"""Numbers on the command line: read exactly, written with their certified digits only."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from attrs import frozen
from flint import arb

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction, precision
from dpmatrix.points.numbers import read as read
from dpmatrix.privacy.domains import parameter_range

_GUARD = 24
"""Bits beyond the wanted digits that a profile is asked for."""

MOST_DIGITS = 1000
"""Largest number of digits that may be asked for."""


@frozen
class Enclosed:
    """A number between two decimals, which are one and the same where all the digits are certain.

    Attributes
    ----------
    lower, upper
        Decimals; the number, rounded to the wanted digits, where they agree, and bounds on it where they do not.
    """

    lower: Decimal
    upper: Decimal

    def __str__(self) -> str:
        return str(self.lower) if self.lower == self.upper else f"[{self.lower}, {self.upper}]"

    def to_json(self) -> dict[str, str]:
        """Return both ends as strings, since JSON readers round numbers."""
        return {"lower": str(self.lower), "upper": str(self.upper)}


def read_all(texts: list[str], name: str) -> list[Fraction]:
    """Read numbers and ranges ``first:last:count`` of evenly spaced ones.

    Raises
    ------
    InvalidParameterError
        If there are none, or one of them is not written as it should be.
    """
    found: list[Fraction] = []
    for text in texts:
        if ":" not in text:
            found.append(read(text, name))
            continue
        parts = text.split(":")
        if len(parts) != 3 or not re.fullmatch(r"[1-9][0-9]{0,3}", parts[2]) or int(parts[2]) < 2:
            raise InvalidParameterError(name, f"{text!r} is no range", "write first:last:count, count from 2 to 9999")
        first, last, count = read(parts[0], name), read(parts[1], name), int(parts[2])
        found += [first + (last - first) * index / (count - 1) for index in range(count)]
    if not found:
        raise InvalidParameterError(name, "it is missing", f"pass --{name}")
    return found


def decimal(value: Fraction, digits: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """Round an exact number once to so many significant digits."""
    context = Context(prec=digits, rounding=rounding, Emin=-(10**9), Emax=10**9)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def enclosed_probability(compute: Callable[[], arb], digits: int) -> Enclosed:
    """Compute a probability until so many significant digits are certain, or bound it where they do not become so.

    Raises
    ------
    InvalidParameterError
        If the number of digits is not between 1 and 1000.
    """
    bits = bits_for(digits)
    lower, upper = _ends(compute, bits)
    if decimal(lower, digits) != decimal(upper, digits):
        # An interval at any precision, or a number that lies near the middle of two decimals.
        lower, upper = _ends(compute, 2 * bits)
    if decimal(lower, digits) == decimal(upper, digits):
        return Enclosed(decimal(lower, digits), decimal(upper, digits))
    return Enclosed(decimal(lower, digits, ROUND_FLOOR), decimal(upper, digits, ROUND_CEILING))


def bits_for(digits: int) -> int:
    """Return a working precision that certifies so many digits of an exact profile.

    Raises
    ------
    InvalidParameterError
        If the number of digits is not between 1 and 1000.
    """
    if not 1 <= digits <= MOST_DIGITS:
        raise InvalidParameterError("digits", f"{digits} is not from 1 to {MOST_DIGITS}", "pass a number of digits")
    return max(53, 4 * digits + _GUARD)


def _ends(compute: Callable[[], arb], bits: int) -> tuple[Fraction, Fraction]:
    with precision(bits):
        ends = parameter_range(compute(), "result")
    # A ball around an interval may reach a little beyond it.
    return max(fraction(ends.lower), Fraction(0)), min(fraction(ends.upper), Fraction(1))
