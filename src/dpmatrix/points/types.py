"""The types of the fields of points, in words."""

from __future__ import annotations

import types
import typing
from enum import Enum
from fractions import Fraction
from typing import Any

import attrs
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz, fmpz_mat

from dpmatrix.claims.records import hints_of

MATRICES = (fmpq_mat, fmpz_mat, arb_mat)
NUMBERS = frozenset({int, Fraction, float, fmpq, fmpz, arb})


def members(hint: Any) -> frozenset[Any]:  # noqa: ANN401 - an annotation
    """Return the types of a union, or the one type that there is."""
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return frozenset(typing.get_args(hint)) if union else frozenset({hint})


def words(hint: Any) -> str:  # noqa: ANN401 - an annotation
    """Say what values of a type are, for a person."""
    kinds = members(hint)
    more = ", or none" if type(None) in kinds else ""
    kinds -= {type(None)}
    if kinds <= NUMBERS:
        return ("an integer" if kinds <= {int, fmpz} else "a number") + more
    kind = next(iter(kinds))
    if typing.get_origin(kind) is tuple:
        return _words_of_tuple(typing.get_args(kind)) + more
    if kind in MATRICES:
        return ("a matrix of integers" if kind is fmpz_mat else "a matrix") + more
    if isinstance(kind, type) and issubclass(kind, Enum):
        return " or ".join(str(member.value) for member in kind) + more
    return {bool: "true or false", str: "a word"}.get(kind, f"a record {getattr(kind, '__name__', kind)}") + more


def _words_of_tuple(hints: tuple[Any, ...]) -> str:
    entries = ["..." if hint is Ellipsis else words(hint).removeprefix("a ").removeprefix("an ") for hint in hints]
    return f"[{', '.join(entries)}]"


def example(hint: Any) -> str:  # noqa: ANN401 - an annotation
    """Write some value of a type, as it is read."""
    kinds = members(hint) - {type(None)}
    if kinds <= NUMBERS:
        return "50" if kinds <= {int, fmpz} else "0.1"
    kind = next(iter(kinds))
    if typing.get_origin(kind) is tuple:
        hints = typing.get_args(kind)
        entries = [hints[0]] * 2 if hints[-1] is Ellipsis else hints
        return f"[{','.join(map(example, entries))}]"
    if kind in MATRICES:
        return "[[1,0],[0,1]]"
    if attrs.has(kind):
        return f"({','.join(f'{name}={example(each)}' for name, each in hints_of(kind).items())})"
    if issubclass(kind, Enum):
        return str(next(iter(kind)).value)
    return "true" if kind is bool else "word"
