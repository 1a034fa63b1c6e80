"""Parameters as exact ranges: a number is a range of one point, a ball is a range of many."""

from __future__ import annotations

from attrs import frozen
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real, positive_integer, rational


@frozen
class Range:
    """Closed interval with exact rational ends."""

    lower: fmpq
    upper: fmpq


def _endpoint(point: arb) -> fmpq:
    mantissa, exponent = point.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def parameter_range(value: Real, name: str) -> Range:
    """Return the exact range of a parameter.

    Raises
    ------
    InvalidParameterError
        If the value is no finite real number, or a ball of infinite radius.
    """
    if not isinstance(value, arb):
        exact = rational(value, name)
        return Range(exact, exact)
    if not value.is_finite():
        raise InvalidParameterError(name, f"{value} is not finite", "pass a finite number or ball")
    if value.is_exact():
        exact = _endpoint(value)
        return Range(exact, exact)
    return Range(_endpoint(value.lower()), _endpoint(value.upper()))


def nonnegative(value: Real, name: str) -> Range:
    """Return the exact range of a parameter that must be certainly at least zero."""
    found = parameter_range(value, name)
    if found.lower < 0:
        raise InvalidParameterError(name, f"{value} is not certainly >= 0", f"pass {name} >= 0")
    return found


def positive(value: Real, name: str) -> Range:
    """Return the exact range of a parameter that must be certainly positive."""
    found = parameter_range(value, name)
    if found.lower <= 0:
        raise InvalidParameterError(name, f"{value} is not certainly > 0", f"pass {name} > 0")
    return found


def dimension_of(value: object, name: str = "dimension") -> int:
    """Return a dimension: an integer of at least one."""
    return positive_integer(value, name)
