"""The fields of a release: each is read as what it has to be, or refused in one line that names it."""

from __future__ import annotations

import datetime
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency

MOST_BYTES = 1 << 27
"""Files of more are not read: a matrix of 2,000 columns takes some 100 megabytes."""
MOST_CHARACTERS = 1000
_FRACTION = re.compile(r"-?[0-9]{1,2000}(?:/[0-9]{1,2000})?", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,2000}", re.ASCII)
RELEASE = "name a file that `dpmatrix pca --output` wrote"
AGAIN = "certify the file as it was released"


def refuse(field: str, problem: str, remedy: str = AGAIN) -> NoReturn:
    """Raise an `InvalidParameterError` about a field of a release."""
    raise InvalidParameterError(f"release: {field}", problem, remedy)


def read_bytes(path: Path, what: str, most: int = MOST_BYTES) -> bytes:
    """Read a file of bounded size.

    Raises
    ------
    InvalidParameterError
        If it is longer, or no file.
    OSError
        If it cannot be read.
    """
    if not path.is_file():
        raise InvalidParameterError(what, f"there is no file {str(path)!r}", "name a file")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise InvalidParameterError(what, f"it has more than {most:,} bytes", "name a smaller file")
    return content


def strict_json(content: bytes, what: str, remedy: str) -> Any:  # noqa: ANN401 - any JSON value
    """Read JSON in which no name stands twice in an object and every number is finite.

    Where a name stands twice, readers differ on which value counts.

    Raises
    ------
    InvalidParameterError
        If it is none.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a name stands twice in an object")
        return found

    def number(text: str) -> NoReturn:
        raise ValueError(f"{text} is no number of JSON")

    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=once, parse_constant=number)
    except (ValueError, RecursionError) as error:
        # The texts of JSON errors name a place, and no part of the content.
        told = {RecursionError: "it is nested too deeply", UnicodeDecodeError: "it is not UTF-8"}
        problem = told.get(type(error), str(error).splitlines()[0][:200])
        raise InvalidParameterError(what, f"it is not JSON: {problem}", remedy) from None


def check_fields(record: Mapping[str, Any], needed: frozenset[str], allowed: set[str], where: str) -> None:
    """Refuse an object that lacks a field, or has one that is not known."""
    missing, unknown = sorted(needed - record.keys()), sorted(record.keys() - needed - allowed)
    if missing:
        refuse(f"{where}{missing[0]}", "it is missing")
    if unknown:
        # Whatever else is in the file would be certified with it, and may be read off the data.
        refuse(f"{where}{_short(unknown[0])}", "a release has no such field")


def table(record: Mapping[str, Any], name: str, fields: set[str]) -> dict[str, Any]:
    """Read an object with exactly these fields."""
    found = record[name]
    if not isinstance(found, dict):
        refuse(name, "it is no object")
    check_fields(found, frozenset(fields), set(), f"{name}.")
    return found


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...")


def text(value: object, field: str) -> str:
    """Read a text of ordinary length."""
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS or not value:
        refuse(field, f"it is no text of 1 to {MOST_CHARACTERS} characters")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in value):
        refuse(field, "it holds a control character, or half a character")
    return value


def entries(value: object, field: str, read: Callable[[object, str], Any]) -> list[Any]:
    """Read a list that is not empty, each entry by a function."""
    if not isinstance(value, list) or not value:
        refuse(field, "it is no list, or an empty one")
    return [read(entry, field) for entry in value]


def texts(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Read a list of texts."""
    return tuple(entries(record[name], name, text))


def matrix(value: object, field: str, read: Callable[[object, str], Any]) -> tuple[tuple[Any, ...], ...]:
    """Read a list of rows of equal length."""
    rows = tuple(tuple(row) for row in entries(value, field, lambda row, name: entries(row, name, read)))
    if len({len(row) for row in rows}) != 1:
        refuse(field, "its rows differ in length")
    return rows


def truth(record: Mapping[str, Any], name: str) -> bool:
    """Read true or false."""
    value = record[name]
    if not isinstance(value, bool):
        refuse(name, "it is neither true nor false")
    return value


def whole(value: object, field: str, least: int) -> int:
    """Read an integer of at least so much."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1 << 63:
        refuse(field, f"it is no integer of at least {least}")
    return value


def as_float(value: object, field: str) -> float:
    """Read a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e300:
        refuse(field, "an entry is no finite number of ordinary size")
    return float(value)


def as_integer(value: object, field: str) -> int:
    """Read an integer that is written in a text."""
    if not isinstance(value, str) or not _INTEGER.fullmatch(value):
        refuse(field, "an entry is no integer in a text, or a very long one")
    return int(value)


def as_fraction(value: object, field: str) -> Fraction:
    """Read a fraction that is written in a text."""
    if not isinstance(value, str) or not _FRACTION.fullmatch(value) or re.search(r"/0+$", value):
        refuse(field, "it is no fraction such as 1 or 1/2 in a text, or a very long one")
    return Fraction(value)


def day(value: object) -> datetime.date:
    """Read a day."""
    try:
        return datetime.date.fromisoformat(text(value, "released"))
    except ValueError as error:
        if isinstance(error, InvalidParameterError):
            raise
        refuse("released", "it is no day such as 2026-01-31")


def relation(record: Mapping[str, Any], field: str) -> Adjacency:
    """Read the relation between neighbours."""
    try:
        return Adjacency(text(record["adjacency"], field))
    except ValueError as error:
        if isinstance(error, InvalidParameterError):
            raise
        refuse(field, f"it is none of {', '.join(one.value for one in Adjacency)}")
