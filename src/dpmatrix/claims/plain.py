"""Points that are data: they cannot answer the hypotheses one way and the conclusion another."""

from __future__ import annotations

import sys
from enum import Enum
from fractions import Fraction
from types import MemberDescriptorType
from typing import Any

import attrs
import flint

_VALUES = (
    *(bool, int, float, str, type(None), Fraction),
    *(flint.arb, flint.acb, flint.fmpz, flint.fmpq),
    *(flint.fmpz_mat, flint.fmpq_mat, flint.arb_mat),
)
_SEQUENCES = (tuple, frozenset)


def is_plain(point: Any, homes: frozenset[str]) -> bool:  # noqa: ANN401 - points are the statement's own
    """Whether a point is a number, a matrix, a word, or a frozen record of such, of these very types.

    A record's class is looked at as well: its fields are stored, not computed, and no hook stands before them. A
    record or a name of a class that somebody else wrote may answer otherwise than the one that it is made like.

    Parameters
    ----------
    point
        Any object.
    homes
        The packages whose classes count.
    """
    kind = type(point)
    if any(kind is known for known in _VALUES):
        return True
    if any(kind is known for known in _SEQUENCES):
        return all(is_plain(entry, homes) for entry in point)
    if kind.__module__.partition(".")[0] not in homes:
        return False
    if isinstance(point, Enum):
        return getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind
    return (
        attrs.has(kind)
        and _is_record(kind)
        and all(is_plain(getattr(point, field.name), homes) for field in attrs.fields(kind))
        and _is_accepted(point)
    )


def _is_accepted(point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
    """Whether its class makes such a record: whoever changed it afterwards went around the validators."""
    try:
        attrs.evolve(point)
    except (TypeError, ValueError):
        return False
    return True


def _is_record(kind: type) -> bool:
    """Whether a class stores its fields and cannot answer for them: nothing computes them, nothing changes them."""
    bases = [base for base in kind.__mro__ if base is not object]
    frozen = any("__setattr__" in vars(base) for base in bases)
    fields = {field.name for field in attrs.fields(kind)}
    return frozen and not any(
        not attrs.has(base)
        or "__getattr__" in vars(base)
        or "__getattribute__" in vars(base)
        or any(not isinstance(vars(base)[name], MemberDescriptorType) for name in fields & vars(base).keys())
        for base in bases
    )
