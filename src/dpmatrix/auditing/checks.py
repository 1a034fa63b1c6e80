"""Domains of the parameters that all auditors share."""

from __future__ import annotations

import math

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction


def checked_failure_probability(value: Exact) -> Exact:
    """Return the value if it lies in (0, 1).

    Raises
    ------
    InvalidParameterError
        If it does not.
    """
    if not 0 < fraction(value, "failure_probability") < 1:
        raise InvalidParameterError("failure_probability", f"{value!r} is outside (0, 1)", "pass for instance 1e-9")
    return value


def checked_delta(value: Exact) -> Exact:
    """Return the value if it lies in [0, 1).

    Raises
    ------
    InvalidParameterError
        If it does not.
    """
    if not 0 <= fraction(value, "delta") < 1:
        raise InvalidParameterError("delta", f"{value!r} is outside [0, 1)", "pass zero for pure differential privacy")
    return value


def checked_epsilon(value: Exact) -> Exact:
    """Return the value if it is positive.

    Raises
    ------
    InvalidParameterError
        If it is not.
    """
    if fraction(value, "epsilon") <= 0:
        raise InvalidParameterError("epsilon", f"{value!r} is not positive", "pass a positive number")
    return value


def positive_finite(value: float, name: str, remedy: str) -> float:
    """Return the value if it is positive and finite.

    Raises
    ------
    InvalidParameterError
        If it is not.
    """
    if not 0 < value < math.inf:
        raise InvalidParameterError(name, f"{value!r} is not positive and finite", remedy)
    return value
