"""What an audit on the command line needs before it begins: its arguments read, and those of an interrupted one."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

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


def planned_settings(checkpoint: Path, given: dict[str, Any]) -> dict[str, Any] | None:
    """Return what an earlier run planned that had the same things given; None if there is no checkpoint.

    Raises
    ------
    InvalidParameterError
        If the file is no checkpoint, or one of another audit.
    """
    if not checkpoint.exists():
        return None
    from dpmatrix.auditing.certify.checkpoint import facts_of  # the process that watches an audit does without numpy

    try:
        settings = json.loads(facts_of(checkpoint)["target"])
        kept = dict(settings["planned"])
        earlier = dict(settings["given"])
    except (KeyError, TypeError, ValueError) as error:
        problem = f"{checkpoint} was written by something else"
        raise InvalidParameterError("checkpoint", problem, "name another file") from error
    for name, value in given.items():
        if earlier.get(name) != value:
            problem = f"{checkpoint} belongs to an audit with another {name}: {earlier.get(name)}"
            raise InvalidParameterError("checkpoint", problem, "repeat the arguments, or name another file")
    return kept
