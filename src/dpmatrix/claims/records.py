"""Records: the class of the points that a statement is asked about, read off the type hints of what it computes."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import attrs

from dpmatrix.claims.statement import Statement
from dpmatrix.errors import InvalidParameterError


def point_hint(margins: Iterable[Callable[..., Any]]) -> tuple[str, Any] | None:
    """Return the name and the annotation of the points of some functions: of the first one that says it, or None."""
    for margin in margins:
        given = margin
        while isinstance(given, partial):
            given = given.func
        names = [name for name in inspect.signature(margin).parameters if name not in getattr(margin, "keywords", {})]
        hint = typing.get_type_hints(given).get(names[0], Any) if names else Any
        if hint is not Any and not isinstance(hint, typing.TypeVar):
            return names[0], hint
    return None


def record_of(statement: Statement) -> type:
    """Return the class of a statement's points, an attrs class.

    It is what the margin takes, or the quantity of a law; or what the bound or a hypothesis takes, if that has all that
    the former has, and more: then a point has what each of them asks for. A hypothesis may be about less than the whole
    point, and its record then decides nothing.

    Raises
    ------
    InvalidParameterError
        If the margin does not say what it takes, or says that it takes something else than records of one class.
    """
    own, *others = (_record(function) for function in _functions(statement))
    if own is None:
        problem = f"{statement.name} does not say of which class its points are"
        raise InvalidParameterError("statement", problem, "annotate the argument of its margin with an attrs class")
    for other in others:
        if other is not None and set(dir(own)) <= set(dir(other)):
            own = other
    return own


def _functions(statement: Statement) -> Iterator[Callable[..., Any]]:
    yield statement.source
    if statement.law is not None:
        yield statement.law.bound
    yield from (condition.margin for condition in statement.given)


def _record(function: Callable[..., Any]) -> type | None:
    hint = (point_hint((function,)) or ("", None))[1]
    return hint if isinstance(hint, type) and attrs.has(hint) else None


def hints_of(record: type) -> Mapping[str, Any]:
    """Return the type of each field of a record, by the name under which its constructor takes it."""
    hints = typing.get_type_hints(record)
    return {field.alias or field.name: hints[field.name] for field in attrs.fields(record) if field.init}


def defaults_of(record: type) -> Mapping[str, Any]:
    """Return the values of the fields that need not be given; a default is a value here, and no factory."""
    return {
        field.alias or field.name: field.default
        for field in attrs.fields(record)
        if field.init and field.default is not attrs.NOTHING
    }
