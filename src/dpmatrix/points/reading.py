"""Points of statements, read exactly from the text that a person writes."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz, fmpz_mat

from dpmatrix.claims.decisions import LAST_PRECISION
from dpmatrix.claims.records import defaults_of, hints_of
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.points.numbers import read
from dpmatrix.points.text import Group, Tree
from dpmatrix.points.types import MATRICES, NUMBERS, example, members, words


def convert(tree: Tree, hint: Any, path: str) -> Any:  # noqa: ANN401 - a value of any type
    """Return the value of a type that a text stands for.

    Parameters
    ----------
    tree
        The text, taken apart.
    hint
        The type.
    path
        Name of the field, for errors.

    Raises
    ------
    InvalidParameterError
        If it stands for none, or nothing of this type can be written.
    """
    kinds = members(hint)
    if type(None) in kinds and tree == "none":
        return None
    kinds -= {type(None)}
    if kinds <= NUMBERS:
        return _number(tree, kinds, path)
    if len(kinds) != 1:
        raise InvalidParameterError(path, f"a value of type {hint} cannot be written here", "use Python instead")
    (kind,) = kinds
    if kind in MATRICES:
        return _matrix(tree, kind, path)
    if typing.get_origin(kind) is tuple:
        return _tuple(tree, kind, path)
    if not isinstance(kind, type):
        raise InvalidParameterError(path, f"a value of type {hint} cannot be written here", "use Python instead")
    if attrs.has(kind):
        return record(kind, _group(tree, kind, path).named, f"{path}.")
    return _word(tree, kind, path)


def _wrong(tree: Tree, hint: Any, path: str) -> InvalidParameterError:  # noqa: ANN401 - an annotation
    shown = tree if isinstance(tree, str) else "what stands in brackets"
    return InvalidParameterError(path, f"{shown!r} is not {words(hint)}", f"write it as {example(hint)}")


def _group(tree: Tree, hint: Any, path: str) -> Group:  # noqa: ANN401 - an annotation
    named = isinstance(hint, type) and attrs.has(hint)
    if isinstance(tree, str) or bool(tree.values if named else tree.named):
        raise _wrong(tree, hint, path)
    return tree


def _number(tree: Tree, kinds: frozenset[Any], path: str) -> Any:  # noqa: ANN401 - a number of any type
    hint = next(iter(kinds)) if len(kinds) == 1 else fmpq
    if not isinstance(tree, str):
        raise _wrong(tree, hint, path)
    value = read(tree, path)
    whole = value.denominator == 1
    if not whole and kinds <= {int, fmpz}:
        raise _wrong(tree, int, path)
    if int in kinds:
        return int(value) if whole else value
    exact = fmpq(value.numerator, value.denominator)
    return _ball(exact) if kinds == {arb} else fmpz(value.numerator) if kinds == {fmpz} else exact


def _ball(value: fmpq) -> arb:
    with precision(LAST_PRECISION):
        return arb(value)


def _matrix(tree: Tree, kind: Any, path: str) -> Any:  # noqa: ANN401 - a matrix of any type
    rows = [_group(row, kind, path).values for row in _group(tree, kind, path).values]
    if any(len(row) != len(rows[0]) for row in rows):
        raise InvalidParameterError(path, "its rows are not of one length", "write a matrix as [[1,0],[0,1]]")
    entry = {fmpq_mat: fmpq, fmpz_mat: fmpz, arb_mat: arb}[kind]
    entries = [convert(each, entry, f"{path}[{i}][{j}]") for i, row in enumerate(rows) for j, each in enumerate(row)]
    return kind(len(rows), len(rows[0]) if rows else 0, entries)


def _tuple(tree: Tree, hint: Any, path: str) -> tuple[Any, ...]:  # noqa: ANN401 - an annotation
    values, hints = _group(tree, hint, path).values, typing.get_args(hint)
    if hints[-1] is Ellipsis:
        hints = hints[:1] * len(values)
    if len(hints) != len(values):
        raise InvalidParameterError(path, f"it has {len(values)} values", f"give {len(hints)} in brackets")
    pairs = enumerate(zip(values, hints, strict=True))
    return tuple(convert(value, hint, f"{path}[{place}]") for place, (value, hint) in pairs)


def _word(tree: Tree, kind: type, path: str) -> Any:  # noqa: ANN401 - a word, a flag or a member
    if isinstance(tree, str):
        if kind is str:
            return tree
        meant = tree.lower().replace("_", "-")
        known = {"true": True, "false": False} if kind is bool else _members(kind)
        if meant in known:
            return known[meant]
    raise _wrong(tree, kind, path)


def _members(kind: type) -> dict[str, Any]:
    """Return the members of an enumeration by how they are written."""
    if not issubclass(kind, Enum):
        return {}
    names = {member.name.lower().replace("_", "-"): member for member in kind}
    return names | {str(member.value).lower(): member for member in kind}


def record(kind: type, given: Mapping[str, Tree], path: str = "") -> Any:  # noqa: ANN401 - a record of any class
    """Return the record whose fields are given.

    Raises
    ------
    InvalidParameterError
        If a field is unknown, missing or of another type, or the record refuses what it is given.
    """
    values = fields(kind, given, path)
    check_complete(kind, values, path)
    return build(kind, values, path)


def fields(kind: type, given: Mapping[str, Tree], path: str = "") -> dict[str, Any]:
    """Return the values of the fields that are given; see `record`."""
    hints = hints_of(kind)
    for name in given.keys() - hints.keys():
        raise unknown_field(path + name, [path + known for known in hints])
    return {name: convert(tree, hints[name], path + name) for name, tree in given.items()}


def unknown_field(name: str, known: list[str]) -> InvalidParameterError:
    """Return the error that says that there is no such field, and which one may have been meant."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    remedy = f"did you mean {close[0]}?" if close else f"the fields are {', '.join(known)}"
    return InvalidParameterError(name, "there is no such field", remedy)


def check_complete(kind: type, values: Mapping[str, Any], path: str = "") -> None:
    """Refuse a record that lacks fields.

    Raises
    ------
    InvalidParameterError
        If some that have no default are not given; it names them.
    """
    missing = [path + name for name in hints_of(kind) if name not in values and name not in defaults_of(kind)]
    if missing:
        remedy = f"give {'them' if len(missing) > 1 else 'it'} too; --fields says what the fields are"
        raise InvalidParameterError(", ".join(missing), "missing", remedy)


def build(kind: type, values: Mapping[str, Any], path: str = "") -> Any:  # noqa: ANN401 - a record of any class
    """Return the record of these values; see `record`."""
    try:
        return kind(**values)
    except (ValueError, TypeError, ArithmeticError, LookupError) as error:
        problem = f"{kind.__name__} does not accept these values: {' '.join(str(error).split())}"
        raise InvalidParameterError(path.rstrip(".") or "point", problem, "change them; --fields says more") from error
