"""What the records of a mechanism may be, in a few words, and records as numbers.

    int 0..120                       a whole number: the data are an array, shape (n,)
    real 0..1 x 3                    a box: an array, shape (n, 3)
    {yes, no}                        a category or a label: an array of n texts, or of n numbers if all are numbers
    set {milk, bread}                some of these: a list of n frozen sets
    int 0..9, real 0..1              several columns: an array, shape (n, 2), or a list of n tuples if one has texts
    age: int 0..120, ill: {yes, no}  columns with names: a list of n dictionaries

A record is coded as a row of floats: a number by itself, a category by its place, a set by the sum of powers of two of
the places of what it holds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.errors import InvalidParameterError

GRAMMAR = "int LOW..HIGH, real LOW..HIGH, {A, B, ...}, set {A, B, ...}, each with NAME: before it or x COUNT after it"
_MOST_ITEMS = 48
_MOST_COLUMNS = 1000
_LARGEST = 2**53
_COLUMN = re.compile(r"(?:(?P<name>[^:{}]+):)?\s*(?P<kind>int|real|set)?\s*(?P<rest>.*?)(?:\s+x\s*(?P<count>\d+))?\s*")
_RANGE = re.compile(r"(\S+?)\s*\.\.\s*(\S+)")


@frozen
class Column:
    """One column of a domain.

    Attributes
    ----------
    kind
        "int", "real", "one" of some values, or a "set" of them.
    low, high
        The least and the greatest code.
    values
        What the codes of a category stand for, or what a set may hold.
    name
        None in a domain without names.
    """

    kind: str
    low: float
    high: float
    values: tuple[object, ...] = ()
    name: str | None = None

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.kind in ("int", "real") or (self.kind == "one" and not isinstance(self.values[0], str))

    @property
    def whole(self) -> bool:
        """Whether they are integers."""
        return self.kind == "int" or (self.kind == "one" and all(isinstance(one, int) for one in self.values))

    def value(self, code: float) -> Any:  # noqa: ANN401 - a number, a text, or a set of these
        """Return what a code stands for."""
        if self.kind == "real":
            return float(code)
        if self.kind == "int":
            return int(code)
        if self.kind == "one":
            return self.values[int(code)]
        return frozenset(item for place, item in enumerate(self.values) if int(code) >> place & 1)

    def codes(self) -> list[float]:
        """List telling codes: the ends first, then what is next to them or between them."""
        if self.kind == "real":
            return [self.low, self.high, self.low / 2 + self.high / 2]
        if self.kind == "int":
            middle = float((int(self.low) + int(self.high)) // 2)
            near = [middle, self.low + 1, self.high - 1]
            return list(dict.fromkeys([self.low, self.high, *(one for one in near if self.low <= one <= self.high)]))
        if self.kind == "one":
            return [0.0, self.high, *map(float, range(1, len(self.values) - 1))]
        single = [float(1 << place) for place in range(len(self.values))]
        return list(dict.fromkeys([0.0, self.high, *single, *(self.high - one for one in single)]))

    def drawn(self, generator: np.random.Generator, size: int) -> FloatArray:
        """Draw codes evenly, shape (size,)."""
        if self.kind == "real":
            share = generator.random(size)
            return np.clip(self.low * (1 - share) + self.high * share, self.low, self.high)
        return generator.integers(int(self.low), int(self.high), size, endpoint=True).astype(np.float64)


@frozen
class Domain:
    """What records may be; made by `domain_of`.

    Attributes
    ----------
    text
        As it was written.
    columns
        At least one.
    """

    text: str
    columns: tuple[Column, ...]

    def records(self, codes: FloatArray) -> Any:  # noqa: ANN401 - an array or a list, as the domain says
        """Return data as the mechanism takes them.

        Parameters
        ----------
        codes
            Shape (n, c).
        """
        first = self.columns[0]
        if first.name is not None:
            names = [str(column.name) for column in self.columns]
            return [dict(zip(names, self._values(row), strict=True)) for row in codes]
        if len(self.columns) == 1:
            if first.kind == "set":
                return [first.value(code) for code in codes[:, 0]]
            return self._array(codes)[:, 0] if first.numeric else np.array([first.value(one) for one in codes[:, 0]])
        return self._array(codes) if all(one.numeric for one in self.columns) else [self._values(row) for row in codes]

    def _values(self, row: FloatArray) -> tuple[object, ...]:
        return tuple(column.value(code) for column, code in zip(self.columns, row, strict=True))

    def _array(self, codes: FloatArray) -> Any:  # noqa: ANN401 - of integers or floats
        dtype = np.int64 if all(column.whole for column in self.columns) else np.float64
        found = codes.astype(dtype)
        for place, column in enumerate(self.columns):
            if column.kind == "one":
                found[:, place] = [column.value(code) for code in codes[:, place]]
        return found


def domain_of(text: str) -> Domain:
    """Read a domain; the module says how it is written.

    Raises
    ------
    InvalidParameterError
        If it is written otherwise, a range is empty or not finite, a name or a value stands there twice, or only some
        columns have names.
    """
    columns: list[Column] = []
    for part in _split(text):
        columns += _columns(part)
    names = [column.name for column in columns if column.name is not None]
    if names and len(names) < len(columns):
        raise _wrong("some columns have names and some do not", "name all of them, or none")
    if len(set(names)) < len(names):
        raise _wrong("two columns have one name", "give each column a name of its own")
    if len(columns) > _MOST_COLUMNS:
        raise _wrong(f"it has {len(columns)} columns", f"give at most {_MOST_COLUMNS}")
    return Domain(text, tuple(columns))


def _wrong(problem: str, remedy: str = f"write {GRAMMAR}") -> InvalidParameterError:
    return InvalidParameterError("domain", problem, remedy)


def _split(text: str) -> list[str]:
    """Cut at the commas outside of braces."""
    parts, depth = [""], 0
    for sign in text:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth not in (0, 1):
            raise _wrong("its braces do not match")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    if depth:
        raise _wrong("its braces do not match")
    return [part.strip() for part in parts]


def _columns(part: str) -> list[Column]:
    found = _COLUMN.fullmatch(part)
    if found is None or not found["rest"]:
        raise _wrong(f"{part!r} is no kind of column")
    name = None if found["name"] is None else found["name"].strip()
    if name == "":
        raise _wrong(f"{part!r} has an empty name", "write a name before the colon, or leave both out")
    count = 1 if found["count"] is None else int(found["count"])
    if not 0 < count <= _MOST_COLUMNS or (name is not None and count > 1):
        raise _wrong(f"{part!r} stands for {count} columns", "write x and a number of columns that have no names")
    kind, rest = found["kind"], found["rest"]
    column = _of_range(kind, rest, part) if kind in ("int", "real") else _of_values(kind, rest, part)
    return [Column(column.kind, column.low, column.high, column.values, name)] * count


def _of_range(kind: str, rest: str, part: str) -> Column:
    ends = _RANGE.fullmatch(rest)
    try:
        low, high = (float(int(end)) if kind == "int" else float(end) for end in (ends.groups() if ends else ()))
    except (ValueError, OverflowError) as error:
        raise _wrong(f"{part!r} has no range of its kind", f"write {kind} LOW..HIGH") from error
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise _wrong(f"{part!r} has no range with more than one number", f"write {kind} LOW..HIGH, both finite")
    if kind == "int" and max(abs(low), abs(high)) > _LARGEST:
        raise _wrong(f"an integer of {part!r} is no float", "stay within 2^53")
    return Column(kind, low, high)


def _of_values(kind: str | None, rest: str, part: str) -> Column:
    if not (rest.startswith("{") and rest.endswith("}")):
        raise _wrong(f"{part!r} is no kind of column")
    words = [word.strip() for word in rest[1:-1].split(",")]
    if "" in words or len(set(words)) < len(words) or (kind is None and len(words) < 2):
        raise _wrong(f"the values of {part!r} are empty or repeated, or only one", "write different values")
    values = _numbers(words) or tuple(words)
    if kind is None:
        return Column("one", 0.0, float(len(values) - 1), values)
    if len(values) > _MOST_ITEMS:
        raise _wrong(f"{part!r} has {len(values)} items", f"give at most {_MOST_ITEMS}")
    return Column("set", 0.0, float((1 << len(values)) - 1), values)


def _numbers(words: Sequence[str]) -> tuple[object, ...] | None:
    for kind in (int, float):
        try:
            found = tuple(kind(word) for word in words)
        except ValueError:
            continue
        return found if all(math.isfinite(one) for one in found) and len(set(found)) == len(found) else None
    return None
