"""Formulas written a second time, with mpmath or sympy, to be bound to the statements that they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import mpmath
import sympy
from flint import fmpq_mat

from dpmatrix.claims.binding import bind
from dpmatrix.claims.statement import Statement
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, rational

Point = TypeVar("Point")

WORKING_DIGITS = 90
WRITTEN_DIGITS = 60
"""A value is bound to 40 digits; what is written has some to spare, what is computed more, for cancellation."""


def real(value: Exact) -> mpmath.mpf:
    """Convert a number that is known exactly to mpmath, at mpmath's working precision.

    Raises
    ------
    InvalidParameterError
        If the value is not a finite real number.
    """
    number = rational(value)
    return mpmath.mpf(int(number.p)) / int(number.q)


def real_matrix(matrix: fmpq_mat) -> mpmath.matrix:
    """Convert a rational matrix to mpmath, at mpmath's working precision."""
    return mpmath.matrix([[real(entry) for entry in row] for row in matrix.tolist()])


def symbolic(value: Exact) -> sympy.Rational:
    """Convert a number that is known exactly to sympy, without rounding.

    Raises
    ------
    InvalidParameterError
        If the value is not a finite real number.
    """
    number = rational(value)
    return sympy.Rational(int(number.p), int(number.q))


def symbolic_matrix(matrix: fmpq_mat) -> sympy.Matrix:
    """Convert a rational matrix to sympy, without rounding."""
    return sympy.Matrix([[symbolic(entry) for entry in row] for row in matrix.tolist()])


def decimals(
    points: Iterable[Point], formula: Callable[[Point], mpmath.mpf], *, digits: int = WORKING_DIGITS
) -> list[tuple[Point, str]]:
    """Pair each point with the value of a formula there, as `bind` takes them.

    Parameters
    ----------
    points
        Where the formula is evaluated.
    formula
        Function of a point, written with mpmath; it is called with mpmath working at ``digits`` digits.
    digits
        Number of decimal digits to compute with, 60 or more; 60 are written.

    Raises
    ------
    InvalidParameterError
        If fewer digits would be computed than are written.
    """
    if digits < WRITTEN_DIGITS:
        raise InvalidParameterError(
            "digits", f"{digits} is less than the {WRITTEN_DIGITS} that are written", "ask more"
        )
    with mpmath.workdps(digits):
        return [(point, mpmath.nstr(formula(point), WRITTEN_DIGITS)) for point in points]


def bind_formula(
    statement: Statement,
    points: Iterable[Any],
    formula: Callable[[Any], mpmath.mpf],
    *,
    digits: int = WORKING_DIGITS,
    least: int = 20,
) -> None:
    """Check that a statement's margin is a formula that is written with mpmath: `bind` on `decimals`.

    Parameters
    ----------
    statement, least
        As for `bind`.
    points, formula, digits
        As for `decimals`.

    Raises
    ------
    WrongFormulaError
        If the formula differs from the margin at a point, or there are too few points.
    InvalidParameterError
        If fewer digits would be computed than are written.
    """
    bind(statement, decimals(points, formula, digits=digits), least=least)
