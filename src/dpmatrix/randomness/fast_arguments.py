"""What the vectorised samplers accept as a rational and as a shape."""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from operator import index
from typing import TypeAlias

from flint import fmpq, fmpz

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction

Shape: TypeAlias = int | tuple[int, ...]


def exact_rational(value: Exact, name: str) -> Fraction:
    """Convert a rational, or the rational that a finite float is.

    Raises
    ------
    InvalidParameterError
        If the value is anything else: infinite, complex, text, or a symbolic or decimal number.
    """
    if not isinstance(value, Rational | float | fmpq | fmpz):
        raise InvalidParameterError(name, f"{value!r} is not a rational", "pass an int, Fraction or float")
    return fraction(value, name)


def array_shape(shape: Shape) -> tuple[int, ...]:
    """Convert an integer or a tuple of integers to the shape of an array.

    Raises
    ------
    InvalidParameterError
        If a size is negative or not an integer.
    """
    sizes = shape if isinstance(shape, tuple) else (shape,)
    try:
        counts = tuple(index(size) for size in sizes)
    except TypeError:
        counts = (-1,)
    if any(count < 0 for count in counts):
        raise InvalidParameterError("shape", f"{shape!r} is not the shape of an array", "pass sizes of at least 0")
    return counts
