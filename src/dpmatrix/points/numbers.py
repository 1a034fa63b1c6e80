"""Numbers as a person writes them, read without rounding."""

from __future__ import annotations

import re
from fractions import Fraction

from dpmatrix.errors import InvalidParameterError

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?|[+-]?\d+/\d*[1-9]\d*", re.ASCII)

LONGEST = 4000
"""Largest number of digits of a numerator or a denominator that is read."""


def read(text: str, name: str) -> Fraction:
    """Read a decimal or a quotient of integers without rounding.

    Raises
    ------
    InvalidParameterError
        If the text is neither, its exponent has more than four digits, or its numerator or denominator more than 4000.
    """
    if not _NUMBER.fullmatch(text.strip()):
        raise InvalidParameterError(
            name, f"{text!r} is no number", "write a decimal or a fraction, such as 1e-6 or 1/3"
        )
    # Python writes no integer of more than 4300 digits, so that what came of one could not be printed.
    found = Fraction(text.strip()) if len(text) <= LONGEST else None
    if found is None or max(abs(found.numerator), found.denominator) >= 10**LONGEST:
        raise InvalidParameterError(
            name, "it is too long a number", f"write one whose numerator and denominator have at most {LONGEST} digits"
        )
    return found
