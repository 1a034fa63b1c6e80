"""Numbers without rounding: conversion to rationals and to balls, and the working precision."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, cast

from flint import arb, ctx, fmpq, fmpz

from dpmatrix.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np  # a look-up of a claim starts without it

Exact: TypeAlias = int | Fraction | float | fmpq | fmpz
Real: TypeAlias = Exact | arb
_LONG = 10**20
"""From here on the numerator and the denominator of a quotient say nothing to a reader."""


def rational(value: Exact, name: str = "value") -> fmpq:
    """Convert a finite number to the rational that it is, without rounding.

    Raises
    ------
    InvalidParameterError
        If the value is not a finite real number, or of a kind that only rounding turns into one: a ball of positive
        radius, a decimal fraction or an extended float that no float equals.
    """
    if isinstance(value, fmpq | fmpz):
        return fmpq(value)
    if isinstance(value, Rational):
        return fmpq(int(value.numerator), int(value.denominator))
    # A string would be parsed by float(), and it is not a number.
    if not hasattr(value, "__float__"):
        raise InvalidParameterError(name, f"{value!r} is not a real number", "pass an int, Fraction or float")
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            name, f"{value!r} is not a real number", "pass an int, Fraction or float"
        ) from error
    if not math.isfinite(number):
        raise InvalidParameterError(name, f"{value!r} is not finite", "pass a finite number")
    if not number == value:
        raise InvalidParameterError(name, f"{value!r} is not exactly a float", "pass the Fraction that is meant")
    return fmpq(*number.as_integer_ratio())


def whole_number(value: object, name: str, least: int = 0) -> int:
    """Read an integer of at least ``least``, of Python, numpy or flint.

    Raises
    ------
    InvalidParameterError
        If it is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, Integral | fmpz) or value < least:
        remedy = f"pass an integer of at least {least}"
        raise InvalidParameterError(name, f"{value!r} is not an integer of at least {least}", remedy)
    return int(value)


def positive_integer(value: object, name: str) -> int:
    """Read an integer of at least one; see `whole_number`."""
    return whole_number(value, name, least=1)


def fraction(value: Exact, name: str = "value") -> Fraction:
    """Convert a finite number to the `Fraction` that it is, without rounding."""
    exact = rational(value, name)
    return Fraction(int(exact.p), int(exact.q))


def _is_float_of_numpy(value: object) -> TypeGuard[np.floating[Any]]:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.floating)


def decimal_fraction(value: Exact | np.floating[Any], name: str = "value") -> Fraction:
    """Convert a finite number as a person reads it: a float, of Python or numpy, is the decimal that it prints as.

    So ``0.1`` is 1/10 and not the float above it, and ten of them are one. Every other number is converted as
    `fraction` does.

    Raises
    ------
    InvalidParameterError
        If the value is not a finite real number, as in `rational`.
    """
    if not isinstance(value, float) and not _is_float_of_numpy(value):
        return fraction(cast("Exact", value), name)
    if not math.isfinite(value):
        return fraction(float(value), name)
    # The shortest decimal that is read back as this float. A subclass, as numpy's, may print more than that.
    return Fraction(float.__repr__(value) if isinstance(value, float) else str(value))


def decimal_text(value: Fraction) -> str:
    """Write a rational as the float that `decimal_fraction` reads as it, or as p/q, or where that is long, about."""
    with suppress(OverflowError):
        text = repr(float(value))
        if Fraction(text) == value:
            return text.removesuffix(".0")
    if max(abs(value.numerator), value.denominator) < _LONG:
        return str(value)
    return f"about {Decimal(value.numerator) / Decimal(value.denominator):.17g}"


def ball(value: Real, name: str = "value") -> arb:
    """Enclose a number in a ball at the working precision; balls pass through."""
    return value if isinstance(value, arb) else arb(rational(value, name))


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute balls with ``bits`` bits inside the block."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def square(value: arb) -> arb:
    """Enclose a square; unlike ``value**2`` it is finite for each ball around zero, and may then reach below zero."""
    return abs(value) * abs(value)


def nonnegative_root(value: arb) -> arb:
    """Enclose the root of a quantity that is known not to be negative, also where its ball reaches below zero."""
    if value > 0 or not value.is_finite():
        return value.sqrt()
    high = value.upper()
    return arb(0).union(high.sqrt()) if high > 0 else arb(0)
