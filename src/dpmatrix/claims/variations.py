"""Points near a given one: where a statement that holds everywhere must hold as well."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from enum import Enum
from fractions import Fraction
from typing import Any

import attrs
from flint import arb, fmpq, fmpq_mat, fmpz, fmpz_mat

from dpmatrix.exact import rational

_SMALL = 12
"""A larger integer is taken for a size of the data, which may be changed by factors; a smaller one for a dimension."""


def variations(point: Any, seed: str, count: int) -> Iterator[Any]:  # noqa: ANN401 - points are the statement's own
    """Yield points of the same sort with one, two or all of their values changed; the same ones for the same seed.

    Parameters
    ----------
    point
        A record, or a single number.
    seed
        Any words.
    count
        How many points.
    """
    chance = random.Random(hashlib.sha256(seed.encode()).digest())  # noqa: S311 - points to look at, no secret
    for _ in range(count):
        yield _varied(point, chance)


def _varied(point: Any, chance: random.Random) -> Any:  # noqa: ANN401 - points are the statement's own
    if not attrs.has(type(point)):
        return _value(point, chance)
    names = [field.name for field in attrs.fields(type(point))]
    if not names:
        return point
    number = chance.choice((1, 1, 1, 2, 2, len(names)))
    changed = chance.sample(names, min(number, len(names)))
    evolved = {field.alias: getattr(point, field.name) for field in attrs.fields(type(point))}
    for field in attrs.fields(type(point)):
        if field.name in changed:
            before = evolved[field.alias]
            # an integer in a field that takes any number is not a size
            whole = isinstance(before, int) and field.type not in (int, "int", bool, "bool")
            evolved[field.alias] = _value(fmpq(before) if whole else before, chance)
    return type(point)(**evolved)


def _value(value: Any, chance: random.Random) -> Any:  # noqa: ANN401 - any value of a point
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        return chance.choice(list(type(value)))
    for kinds, change in _CHANGES:
        if isinstance(value, kinds):
            return change(value, chance)
    return _varied(value, chance) if attrs.has(type(value)) else value


def _integer(value: int, chance: random.Random) -> int:
    steps = [value - 1, value + 1, value + 2, 1, 2, 3, 5, 0]
    if abs(value) > _SMALL:
        steps += [2 * value, value // 2, value // 10]  # no more: a size may be the length of a loop
    return chance.choice(steps)


def _rational(value: fmpq, chance: random.Random) -> fmpq:
    factor = fmpq(chance.choice((1, 1, 2, 3, 5, 9, 11, 10, 1000)), chance.choice((1, 2, 3, 10, 10, 1000)))
    steps = (
        value * factor,
        value * factor,
        value + factor,
        value - factor,
        -value,
        1 - value,
        fmpq(0),
        fmpq(1),
        factor,
    )
    return chance.choice(steps)


def _number(value: Fraction | float | fmpq | fmpz, chance: random.Random) -> fmpq:
    return _rational(rational(value), chance)


def _ball(value: arb, chance: random.Random) -> fmpq:
    """Change a point of a box: its middle, to which a rational is near enough."""
    mantissa, exponent = value.mid().man_exp() if value.is_finite() else (fmpz(1), fmpz(0))
    bounded = max(-200, min(200, int(exponent)))
    return _rational(fmpq(int(mantissa)) * fmpq(2) ** bounded, chance)


def _sequence(value: tuple[Any, ...], chance: random.Random) -> tuple[Any, ...]:
    if not value:
        return value
    place = chance.randrange(len(value))
    changed = (*value[:place], _value(value[place], chance), *value[place + 1 :])
    return chance.choice((changed, changed, changed, value[::-1], value[:-1], (*value, value[place])))


def _matrix(value: fmpq_mat, chance: random.Random) -> fmpq_mat:
    rows, columns, entries = value.nrows(), value.ncols(), list(value.entries())
    if not entries:
        return value
    action = chance.randrange(6)
    if action == 5:
        return _reshaped(value, chance)
    if action == 0:
        factor = _rational(fmpq(1), chance)
        entries = [entry * factor for entry in entries]
    elif action == 1 or rows != columns:
        place = chance.randrange(len(entries))
        entries[place] = _rational(entries[place], chance)
    else:
        # symmetric and definite matrices stay what they are more often than not
        row, column = chance.randrange(rows), chance.randrange(rows) if action == 2 else None
        column = row if column is None else column
        other = _rational(entries[row * columns + column], chance)
        entries[row * columns + column] = entries[column * columns + row] = other
    return fmpq_mat(rows, columns, entries)


def _reshaped(value: fmpq_mat, chance: random.Random) -> fmpq_mat:
    """Another shape: transposed, or with a row or column twice, of zeros, or left out."""
    table = value.tolist()
    if chance.randrange(2):
        table = [list(column) for column in zip(*table, strict=True)]
    place = chance.randrange(len(table))
    zeros = [fmpq(0)] * len(table[0])
    table = chance.choice((table, [*table, table[place]], [*table, zeros], table[:place] + table[place + 1 :] or table))
    if chance.randrange(2):
        table = [list(column) for column in zip(*table, strict=True)]
    return fmpq_mat(table)


def _whole_matrix(value: fmpz_mat, chance: random.Random) -> fmpz_mat:
    entries = [int(entry) for entry in value.entries()]
    if entries:
        place = chance.randrange(len(entries))
        entries[place] = _integer(entries[place], chance)
    return fmpz_mat(value.nrows(), value.ncols(), entries)


_CHANGES: tuple[tuple[Any, Callable[[Any, random.Random], Any]], ...] = (
    (int, _integer),
    ((Fraction, float, fmpq, fmpz), _number),
    (arb, _ball),
    (tuple, _sequence),
    (fmpq_mat, _matrix),
    (fmpz_mat, _whole_matrix),
)
