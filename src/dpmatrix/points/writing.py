"""Points of statements, written as the text that is read as them."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from enum import Enum
from fractions import Fraction
from typing import Any

import attrs
from flint import arb, fmpq, fmpz

from dpmatrix.claims.records import defaults_of
from dpmatrix.exact import decimal_text, fraction
from dpmatrix.points.types import MATRICES

_WORD = re.compile(r"[A-Za-z0-9_.+/-]+")


class UnwritableError(ValueError):
    """A value has no text that is read as it."""


def write(value: Any) -> str:  # noqa: ANN401 - any value of a point
    """Write a value as the text that is read as it; of a record ``(field=value,...)``, without its defaults.

    Raises
    ------
    UnwritableError
        If there is none, as of a ball that is no number.
    """
    for kinds, writer in _WRITERS:
        if isinstance(value, kinds):
            return writer(value)
    if attrs.has(type(value)):
        return f"({write_point(value)})"
    raise UnwritableError(f"a {type(value).__name__} cannot be written")


def write_point(point: Any, without: Container[str] = ()) -> str:  # noqa: ANN401 - points are the statement's own
    """Write a record as ``field=value,...``, without some fields."""
    defaults = defaults_of(type(point))
    named = {field.alias or field.name: getattr(point, field.name) for field in attrs.fields(type(point))}
    return ",".join(
        f"{name}={write(value)}"
        for name, value in named.items()
        if name not in without
        and not (name in defaults and type(value) is type(defaults[name]) and value == defaults[name])
    )


def _write_rational(value: Any) -> str:  # noqa: ANN401 - an exact number
    exact = fraction(value)
    shown = decimal_text(exact)
    return str(exact) if shown.startswith("about") else shown


def _write_ball(value: arb) -> str:
    if not value.is_exact() or not value.is_finite():
        raise UnwritableError("a ball is no number")
    mantissa, exponent = value.man_exp()
    return _write_rational(fmpq(mantissa) * fmpq(2) ** exponent)


def _write_word(value: str) -> str:
    if '"' in value:
        raise UnwritableError("a word with a quotation mark")
    return value if _WORD.fullmatch(value) else f'"{value}"'


def _write_matrix(value: Any) -> str:  # noqa: ANN401 - a matrix of any type
    if not value.nrows() and value.ncols():
        raise UnwritableError("a matrix without rows")
    return _write_sequence(map(tuple, value.tolist()))


def _write_sequence(values: Iterable[Any]) -> str:
    return f"[{','.join(map(write, values))}]"


_WRITERS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (bool, lambda value: str(value).lower()),
    (type(None), lambda _: "none"),
    ((int, Fraction, float, fmpq, fmpz), _write_rational),
    (arb, _write_ball),
    (str, _write_word),
    (Enum, lambda value: write(str(value.value))),
    (MATRICES, _write_matrix),
    (tuple, _write_sequence),
)
