"""Points of statements: their fields as variables, and as numbers."""

from __future__ import annotations

import itertools
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from typing import Any, Self, TypeAlias

import attrs
from flint import arb, fmpq, fmpq_mat, fmpz, fmpz_mat

from dpmatrix.claims.records import point_hint
from dpmatrix.tracing.copies import copies
from dpmatrix.tracing.expressions import Sort, UntraceableError, Variable
from dpmatrix.tracing.matrices import Matrix
from dpmatrix.tracing.symbolic import Symbolic
from dpmatrix.tracing.writing import rational_number

REALS = (Fraction, float, fmpq, arb)
WHOLE = (int, fmpz)


@attrs.frozen
class Field:
    """A number of a point.

    Parameters
    ----------
    variable
        What stands for it.
    kind
        Type of the number.
    """

    variable: Variable
    kind: type


@attrs.frozen
class Fixed:
    """A flag, a member of an enumeration, or nothing."""

    path: str
    value: Any


@attrs.frozen
class Record:
    """A record, by its class and the layouts of its fields."""

    kind: type
    fields: Mapping[str, Layout]


@attrs.frozen
class Row:
    """A tuple of given length."""

    entries: tuple[Layout, ...]


@attrs.frozen
class Grid:
    """A matrix of given shape."""

    kind: type
    rows: int
    columns: int
    entries: tuple[Field, ...]


Layout: TypeAlias = Field | Fixed | Record | Row | Grid


@attrs.frozen
class Size:
    """Length of tuples, and the shapes that each matrix may have."""

    length: int
    shapes: tuple[tuple[int, int], ...]

    @classmethod
    def square(cls, order: int) -> Self:
        """Return tuples of one length, and square matrices of that order."""
        return cls(order, ((order, order),))

    @classmethod
    def with_columns(cls, order: int) -> Self:
        """Return tuples of one length, and matrices of as many rows: square ones and columns."""
        return cls(order, ((order, order), (order, 1)))


def point_type(margins: typing.Iterable[Any]) -> tuple[str, Any]:
    """Return the name and the annotation of the points of some functions: of the first one that says it.

    Raises
    ------
    UntraceableError
        If none does.
    """
    found = point_hint(margins)
    if found is None:
        raise UntraceableError("a point of no declared type")
    return found


def is_sized(hint: Any) -> bool:  # noqa: ANN401 - an annotation
    """Whether points of a type hold tuples of any length, or matrices."""
    if hint in (fmpq_mat, fmpz_mat):
        return True
    if typing.get_origin(hint) is tuple and Ellipsis in typing.get_args(hint):
        return True
    if isinstance(hint, type) and attrs.has(hint):
        return any(is_sized(inner) for inner in typing.get_type_hints(hint).values())
    return any(is_sized(inner) for inner in typing.get_args(hint) if inner is not Ellipsis)


def layouts(hint: Any, path: str, size: Size) -> Iterator[Layout]:  # noqa: ANN401 - an annotation
    """Yield the layouts of points of a type, one for each combination of flags, members and shapes.

    Parameters
    ----------
    hint
        The annotation.
    path
        Name of the point or of the field.
    size
        Length of tuples and shapes of matrices.

    Raises
    ------
    UntraceableError
        If the type is of other things than numbers.
    """
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        yield from _union(typing.get_args(hint), path, size)
    elif hint is bool:
        yield from (Fixed(path, value) for value in (False, True))
    elif hint in WHOLE:
        yield Field(Variable(path, Sort.INTEGER), hint)
    elif hint in REALS:
        yield Field(Variable(path, Sort.REAL), hint)
    elif hint in (fmpq_mat, fmpz_mat):
        sort = Sort.REAL if hint is fmpq_mat else Sort.INTEGER
        kind = fmpq if hint is fmpq_mat else fmpz
        for rows, columns in size.shapes:
            places = itertools.product(range(1, rows + 1), range(1, columns + 1))
            cells = tuple(Field(Variable(f"{path}[{i},{j}]", sort), kind) for i, j in places)
            yield Grid(hint, rows, columns, cells)
    elif typing.get_origin(hint) is tuple:
        inside = typing.get_args(hint)
        kinds = (inside[0],) * size.length if Ellipsis in inside else inside
        options = [list(layouts(kind, f"{path}[{place}]", size)) for place, kind in enumerate(kinds, start=1)]
        yield from (Row(entries) for entries in itertools.product(*options))
    elif isinstance(hint, type) and issubclass(hint, Enum):
        yield from (Fixed(path, member) for member in hint)
    elif isinstance(hint, type) and attrs.has(hint):
        yield from _records(hint, path, size)
    else:
        raise UntraceableError(f"a field of type {getattr(hint, '__name__', hint)}")


def _union(hints: tuple[Any, ...], path: str, size: Size) -> Iterator[Layout]:
    numbers = [hint for hint in hints if hint in (*REALS, *WHOLE)]
    others = [hint for hint in hints if hint not in numbers]
    if numbers:
        yield Field(Variable(path, Sort.REAL), Fraction)
    for hint in others:
        if hint is type(None):
            yield Fixed(path, None)
        else:
            yield from layouts(hint, path, size)


def _records(kind: type, path: str, size: Size) -> Iterator[Layout]:
    hints = typing.get_type_hints(kind)
    fields = [field.name for field in attrs.fields(kind) if field.init]
    prefix = f"{path}." if path else ""
    options = [list(layouts(hints[name], f"{prefix}{name}", size)) for name in fields]
    for chosen in itertools.product(*options):
        yield Record(kind, dict(zip(fields, chosen, strict=True)))


def fields_of(layout: Layout) -> Iterator[Field | Fixed]:
    """Yield the numbers and flags of a layout, in order."""
    match layout:
        case Field() | Fixed():
            yield layout
        case Record(_, fields):
            for inner in fields.values():
                yield from fields_of(inner)
        case Row(entries) | Grid(_, _, _, entries):
            for inner in entries:
                yield from fields_of(inner)


def variables_of(layout: Layout) -> tuple[Variable, ...]:
    """Return the variables of a layout, in order."""
    return tuple(field.variable for field in fields_of(layout) if isinstance(field, Field))


def _alias(kind: type, name: str) -> str:
    return next(field.alias or name for field in attrs.fields(kind) if field.name == name)


def point(layout: Layout, values: Mapping[Variable, fmpq]) -> Any:  # noqa: ANN401 - the statement's own
    """Return the point of a layout whose variables have these values."""
    match layout:
        case Field(variable, kind):
            value = values[variable]
            return int(value.p) if variable.sort is Sort.INTEGER else _as(kind, value)
        case Fixed(_, value):
            return value
        case Row(entries):
            return tuple(point(entry, values) for entry in entries)
        case Grid(kind, rows, columns, entries):
            return kind(rows, columns, [point(entry, values) for entry in entries])
        case Record(kind, fields):
            return kind(**{_alias(kind, name): point(inner, values) for name, inner in fields.items()})


def values_at(layout: Layout, given: Any) -> dict[Variable, fmpq] | None:  # noqa: ANN401 - the statement's own
    """Return what each variable of a layout stands for at a point; None if the point is of another layout."""
    if isinstance(layout, Field):
        number = rational_number(given)
        return None if number is None else {layout.variable: fmpq(number.numerator, number.denominator)}
    if isinstance(layout, Fixed):
        return {} if given == layout.value else None
    if isinstance(layout, Grid) and (given.nrows(), given.ncols()) != (layout.rows, layout.columns):
        return None
    found: dict[Variable, fmpq] = {}
    for inner, part in _entries(layout, given):
        values = values_at(inner, part)
        if values is None:
            return None
        found |= values
    return found


def _entries(layout: Record | Row | Grid, given: Any) -> Iterator[tuple[Layout, Any]]:  # noqa: ANN401
    match layout:
        case Record(_, fields):
            yield from ((inner, getattr(given, name)) for name, inner in fields.items())
        case Row(entries):
            yield from zip(entries, given, strict=True)
        case Grid(_, _, _, cells):
            yield from zip(cells, given.entries(), strict=True)


def _as(kind: type, value: fmpq) -> Any:  # noqa: ANN401 - a number of any type
    convert: Callable[..., Any] = fmpq if kind is fmpq else arb if kind is arb else Fraction
    return convert(value) if convert is not Fraction else Fraction(int(value.p), int(value.q))


def symbolic_point(layout: Layout, integers: Mapping[Variable, int]) -> Any:  # noqa: ANN401 - a copy of one
    """Return the point of a layout, as the copies have it, whose numbers are symbols.

    Parameters
    ----------
    layout
        The layout.
    integers
        Integers that have a value: Python's own, to count and index with.
    """
    match layout:
        case Field(variable, _):
            return integers[variable] if variable in integers else Symbolic(variable)
        case Fixed(_, value):
            return copies().counterpart(value)
        case Row(entries):
            return tuple(symbolic_point(entry, integers) for entry in entries)
        case Grid(_, rows, columns, entries):
            return Matrix(rows, columns, [symbolic_point(entry, integers) for entry in entries])
        case Record(kind, fields):
            made = copies().counterpart(kind)
            return made(**{_alias(kind, name): symbolic_point(inner, integers) for name, inner in fields.items()})
