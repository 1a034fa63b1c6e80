"""What an audit on the command line needs before it begins: its time and its confidence, read."""

from __future__ import annotations

from fractions import Fraction

from dpmatrix.commands.numbers import read
from dpmatrix.errors import InvalidParameterError

_UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds_of(text: str) -> float:
    """Read a time such as 60s, 5m or 1h.

    Raises
    ------
    InvalidParameterError
        If it is none.
    """
    unit = _UNITS.get(text[-1:], 0)
    amount = float(read(text[:-1] if unit else text, "budget")) * (unit or 1)
    if amount <= 0:
        raise InvalidParameterError("budget", f"{text!r} is no time", "write for instance 60s, 5m or 1h")
    return amount


def failure_probability_of(confidence: str) -> Fraction:
    """Return one minus a confidence, exactly.

    Raises
    ------
    InvalidParameterError
        If the confidence is outside (0, 1).
    """
    value = 1 - read(confidence, "confidence")
    if not 0 < value < 1:
        raise InvalidParameterError("confidence", f"{confidence!r} is outside (0, 1)", "write for instance 0.999999")
    return value
