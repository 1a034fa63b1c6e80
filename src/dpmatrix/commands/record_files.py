"""Records from files that need not fit into memory: numbers in blocks, and errors that name line and column."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TextIO

import numpy as np
from attrs import frozen

from dpmatrix.errors import InvalidParameterError, MissingExtraError, RecordFileError
from dpmatrix.mechanisms.protocol import FloatArray

LINES = 8192
"""Lines that are read at a time."""

LONGEST_LINE = 1 << 24
"""Characters of a line, beyond which a file is taken for something else."""

CELLS = 1 << 20
"""Cells of a Parquet file that are read at a time, about."""


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


@contextmanager
def open_records(
    path: str, *, header: bool | None = None, columns: Sequence[str] = (), delimiter: str = ","
) -> Iterator[RecordFile]:
    """Open a CSV file, a Parquet file (``.parquet``), or the standard input (``-``).

    Parameters
    ----------
    path
        The file.
    header
        Whether the first line names the columns. By default it does if none of its cells is a number.
    columns
        Names, or numbers from one, of the columns to use; all by default.
    delimiter
        Between the cells of a line.

    Raises
    ------
    RecordFileError
        If something in the file is not a finite number; while the blocks are read.
    MissingExtraError
        If a Parquet file is given and pyarrow is not installed.
    OSError
        If the file cannot be read.
    """
    if path.endswith(".parquet"):
        yield _parquet(Path(path), columns)
        return
    # What is not UTF-8 arrives as cells that are not numbers, so the error names their place.
    with open(
        0 if path == "-" else path, encoding="utf-8-sig", errors="surrogateescape", newline="", closefd=path != "-"
    ) as handle:
        yield _csv(handle, path, header, columns, delimiter)


def _csv(handle: TextIO, path: str, header: bool | None, columns: Sequence[str], delimiter: str) -> RecordFile:
    if len(delimiter) != 1 or delimiter in '"\r\n.+-eE0123456789':
        raise InvalidParameterError("delimiter", f"{delimiter!r} is no delimiter", "pass one character, such as ;")
    lines = _lines(handle, path)
    first = next(lines, "")
    if not first.strip():
        raise RecordFileError(path, 1, None, "there is nothing in the file" if not first else "the line is empty")
    cells = _cells(path, 1, first, delimiter)
    numeric = [_number(cell) is not None for cell in cells]
    named = not any(numeric) if header is None else header
    names = [cell.strip() for cell in cells] if named else [f"column {place}" for place in range(1, len(cells) + 1)]
    chosen = _places(path, names, columns)
    reader = _Reader(path, len(cells), chosen, delimiter, names)
    blocks = reader.blocks(lines, 2) if named else reader.blocks(itertools.chain([first], lines), 1)
    return RecordFile(columns=tuple(names[place] for place in chosen), blocks=blocks)


def _lines(handle: TextIO, path: str) -> Iterator[str]:
    number = 0
    while line := handle.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise RecordFileError(path, number, None, f"the line has {LONGEST_LINE} characters or more")
        yield line


@frozen
class _Reader:
    path: str
    width: int
    chosen: tuple[int, ...]
    delimiter: str
    names: Sequence[str]

    def blocks(self, lines: Iterable[str], first_line: int) -> Iterator[Block]:
        source, start = iter(lines), first_line
        while read := list(itertools.islice(source, LINES)):
            numbers: Sequence[int] = range(start, start + len(read))
            start += len(read)
            kept = read
            if not all(map(str.strip, read)):
                # Empty lines are left out, wherever they are.
                numbers = [number for number, line in zip(numbers, read, strict=True) if line.strip()]
                kept = [line for line in read if line.strip()]
            if kept:
                yield Block(records=self._parse(kept, numbers), line_of=numbers.__getitem__)

    def _parse(self, lines: list[str], numbers: Sequence[int]) -> FloatArray:
        everything = self.chosen == tuple(range(self.width))
        try:
            rows = () if everything else csv.reader(lines, delimiter=self.delimiter)
            if any(len(cells) != self.width for cells in rows):
                self._complain(lines, numbers)
            table = np.loadtxt(
                lines,
                dtype=np.float64,
                delimiter=self.delimiter,
                comments=None,
                quotechar='"',
                usecols=None if everything else self.chosen,
                ndmin=2,
            )
        except (ValueError, csv.Error):
            self._complain(lines, numbers)
        if table.shape != (len(lines), len(self.chosen)) or not np.isfinite(table).all():
            self._complain(lines, numbers)
        return table

    def _complain(self, lines: list[str], numbers: Sequence[int]) -> NoReturn:
        """Look for the first cell that cannot be used, one by one."""
        for number, line in zip(numbers, lines, strict=True):
            cells = _cells(self.path, number, line, self.delimiter)
            if len(cells) != self.width:
                problem = f"there are {len(cells)} cells and not {self.width}"
                raise RecordFileError(self.path, number, None, problem)
            for place in self.chosen:
                value = _number(cells[place])
                if value is None or not np.isfinite(value):
                    problem = f"{_shown(cells[place])} is not a finite number"
                    raise RecordFileError(self.path, number, self._column(place), problem)
        raise RecordFileError(self.path, numbers[0], None, "from here on the lines cannot be read as numbers")

    def _column(self, place: int) -> str:
        name = self.names[place]
        return name if name == f"column {place + 1}" else f"column {place + 1} ({_shown(name)})"


def _cells(path: str, number: int, line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error as error:
        raise RecordFileError(path, number, None, str(error)) from error


def _number(cell: str) -> float | None:
    """Read a number as `numpy.loadtxt` does; Python would take underscores as well."""
    try:
        return None if "_" in cell or not cell.isascii() else float(cell)
    except ValueError:
        return None


def _shown(cell: str) -> str:
    text = ascii(cell)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _places(path: str, names: Sequence[str], columns: Sequence[str]) -> tuple[int, ...]:
    found = []
    for column in columns:
        if column in names:
            found.append(names.index(column))
        elif column.isdecimal() and 1 <= int(column) <= len(names):
            found.append(int(column) - 1)
        else:
            raise RecordFileError(path, 1, None, f"there is no column {_shown(column)}")
    return tuple(found) or tuple(range(len(names)))


def _parquet(path: Path, columns: Sequence[str]) -> RecordFile:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except pyarrow.ArrowInvalid as error:
        raise RecordFileError(str(path), 1, None, f"it is not a Parquet file ({error})") from error
    names = list(file.schema_arrow.names)
    chosen = _places(str(path), names, columns)
    rows = max(1, CELLS // max(1, len(chosen)))
    batches = file.iter_batches(batch_size=rows, columns=[names[place] for place in chosen])
    return RecordFile(columns=tuple(names[place] for place in chosen), blocks=_batches(str(path), batches))


def _batches(path: str, batches: Iterable[Any]) -> Iterator[Block]:
    start = 1
    for batch in batches:
        columns = []
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            try:
                values = column.to_numpy(zero_copy_only=False)
                columns.append(np.asarray(values, dtype=np.float64))
            except (TypeError, ValueError) as error:
                raise RecordFileError(path, start, f"column {_shown(name)}", "its type is not numeric") from error
            wrong = np.flatnonzero(~np.isfinite(columns[-1]))
            if len(wrong):
                problem = "there is no finite number"
                raise RecordFileError(path, start + int(wrong[0]), f"column {_shown(name)}", problem)
        if len(batch):
            yield Block(records=np.column_stack(columns), line_of=range(start, start + len(batch)).__getitem__)
        start += len(batch)
