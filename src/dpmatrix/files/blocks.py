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


def shown(cell: str) -> str:
    """Return a cell as an error message may show it."""
    text = ascii(cell)
    return text if len(text) <= 40 else f"{text[:37]}..."


def places_of(path: str, names: Sequence[str], columns: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the columns that were asked for, by name or number; of all where none was.

    Raises
    ------
    RecordFileError
        If there is no such column.
    """
    found = []
    for column in columns:
        if column in names:
            found.append(names.index(column))
        elif column.isdecimal() and 1 <= int(column) <= len(names):
            found.append(int(column) - 1)
        else:
            raise RecordFileError(path, 1, None, f"there is no column {shown(column)}")
    return tuple(found) or tuple(range(len(names)))
