"""What the readers of files share: blocks of records, and the columns that were chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from dpmatrix.errors import RecordFileError
from dpmatrix.mechanisms.protocol import FloatArray


@frozen(kw_only=True)
class Block:
    """Records that were read together.

    Attributes
    ----------
    records
        Shape (m, d), finite.
    line_of
        Line, or row of a Parquet file, of a record by its place in the block; counted from one.
    """

    records: FloatArray
    line_of: Callable[[int], int]


@frozen(kw_only=True)
class RecordFile:
    """Records of a file, to be read once.

    Attributes
    ----------
    columns
        Their names, or ``column 1`` and so on where the file names none.
    blocks
        The records in order.
    """

    columns: tuple[str, ...]
    blocks: Iterator[Block]


def shown(name: str) -> str:
    """Return the name of a column as an error message may show it."""
    text = ascii(name)
    return text if len(text) <= 40 else f"{text[:37]}..."


def places_of(path: str, names: Sequence[str], columns: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the columns that were asked for, by name or else by number; of all where none was.

    Raises
    ------
    RecordFileError
        If there is no such column, more than one has the name, or one is asked for twice.
    """
    found: list[int] = []
    for column in columns:
        if names.count(column) > 1:
            raise RecordFileError(path, None, None, f"more than one column is called {shown(column)}; use its number")
        if column in names:
            place = names.index(column)
        elif is_number(column) and 1 <= int(column) <= len(names):
            place = int(column) - 1
        else:
            raise RecordFileError(path, None, None, f"there is no column {shown(column)}")
        if place in found:
            raise RecordFileError(path, None, None, f"column {shown(column)} is asked for twice")
        found.append(place)
    return tuple(found) or tuple(range(len(names)))


def is_number(column: str) -> bool:
    """Tell whether a column is asked for by its number, so that its name need not be known."""
    return column.isascii() and column.isdecimal() and len(column) <= 9
