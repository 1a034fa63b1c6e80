"""Records from lines of text: numbers in blocks, and errors that name line and column and show no cell."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NoReturn

import numpy as np
from attrs import frozen

from dpmatrix.errors import InvalidParameterError, RecordFileError
from dpmatrix.files.arrow_lines import arrow_reader
from dpmatrix.files.blocks import Block, is_number, places_of, shown
from dpmatrix.files.streams import ENCODING, ERRORS, lines_of, pieces_of, pushed_back
from dpmatrix.mechanisms.protocol import FloatArray

LINES = 8192
"""Lines that are read at a time, at most."""

BLOCK_CHARACTERS = 1 << 24
"""Characters after which no further line is read at a time."""

MOST_COLUMNS = 1 << 20
"""Cells of a line, beyond which a file is taken for something else."""

_WHO_SAYS = (
    "pass --header (header=True) if line 1 names the columns, --no-header (header=False) if it is a record; a column "
    "of text is left out where --columns (columns=) names the others"
)


@frozen
class CsvReader:
    """How the lines of a file are read, once its first line has been seen.

    Attributes
    ----------
    path
        The file, as errors name it.
    named
        Whether the first line names the columns.
    names
        Of all columns: ``column 1`` and so on where the file names none.
    chosen
        Places of the columns to use.
    delimiter
        Between the cells of a line.
    """

    path: str
    named: bool
    names: tuple[str, ...]
    chosen: tuple[int, ...]
    delimiter: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns to use."""
        return tuple(self.names[place] for place in self.chosen)

    @property
    def width(self) -> int:
        """Number of cells of a line."""
        return len(self.names)

    def blocks(self, handle: BinaryIO, first_line: int) -> Iterator[Block]:
        """Read lines that hold records, the first of which has a number. Every line is a record.

        Raises
        ------
        RecordFileError
            If something is not a finite number, or a line is blank or has another number of cells.
        """
        start, rest = first_line, b""
        if fast := arrow_reader(self.width, self.chosen, self.delimiter):
            for piece in pieces_of(handle):
                table = fast(piece)
                if table is None:
                    rest = piece
                    break
                yield self._block(table, start)
                start += len(table)
        for table in self._tables(lines_of(pushed_back(rest, handle), self.path, start), start):
            yield self._block(table, start)
            start += len(table)

    def all_blocks(self, first: str, rest: BinaryIO) -> Iterator[Block]:
        """Read a whole file, as `first_line` cut it."""
        handle = rest if self.named else pushed_back(first.encode(ENCODING, ERRORS), rest)
        yield from self.blocks(handle, 1 + self.named)

    @staticmethod
    def _block(table: FloatArray, start: int) -> Block:
        return Block(records=table, line_of=range(start, start + len(table)).__getitem__)

    def _tables(self, source: Iterator[str], start: int) -> Iterator[FloatArray]:
        while read := _taken(source):
            table = self._table(read)
            if table is None:
                # Out of reach of what numpy raised, which holds the cell.
                self._complain(read, range(start, start + len(read)))
            yield table
            start += len(read)

    def _table(self, lines: list[str]) -> FloatArray | None:
        """Return the numbers, or None where something is wrong."""
        everything = self.chosen == tuple(range(self.width))
        quoted = [line for line in lines if '"' in line]
        # numpy passes over blank lines, and over the number of cells where only some are asked for.
        if not all(map(str.strip, lines)) or any(_runs_on(line, self.delimiter) for line in quoted):
            return None
        if any(len(line) > csv.field_size_limit() and _rows([line], self.delimiter) is None for line in lines):
            return None
        if not everything and any(width != self.width for width in self._widths(lines, quoted=bool(quoted))):
            return None
        try:
            table = np.loadtxt(
                lines,
                dtype=np.float64,
                delimiter=self.delimiter,
                comments=None,
                quotechar='"',
                usecols=None if everything else self.chosen,
                ndmin=2,
            )
        except ValueError:
            return None
        return table if table.shape == (len(lines), len(self.chosen)) and np.isfinite(table).all() else None

    def _widths(self, lines: list[str], *, quoted: bool) -> Iterator[int]:
        """Count the cells of every line."""
        if not quoted:
            return (line.count(self.delimiter) + 1 for line in lines)
        return (len(cells) for line in lines for cells in _rows([line], self.delimiter) or [[]])

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
                    raise RecordFileError(
                        self.path,
                        number,
                        self._column(place),
                        "it is not a finite number; a column of text is left out where --columns (columns=) names the "
                        "others",
                    )
        raise RecordFileError(self.path, numbers[0], None, "from here on the lines cannot be read as numbers")

    def _column(self, place: int) -> str:
        name = self.names[place]
        return name if name == f"column {place + 1}" else f"column {place + 1} ({shown(name)})"


def csv_reader(
    first: str,
    path: str,
    header: bool | None,
    columns: Sequence[str],
    delimiter: str,
    dimension: int | None = None,
) -> CsvReader:
    """Find out from the first line of a file, or from its lack, how the others are to be read.

    Raises
    ------
    InvalidParameterError
        If the delimiter could stand in a number.
    RecordFileError
        If there is no first line and nothing says how long a record would be; if nobody said what the first line is
        and it is not a record of numbers; if there is no such column; if records have another length than was said.
    """
    if len(delimiter) != 1 or delimiter in '"\r\n.+-eE0123456789':
        raise InvalidParameterError("delimiter", f"{delimiter!r} is no delimiter", "pass one character, such as ;")
    # Whoever asks for a column by its name says that there are names.
    named = header or (header is None and not all(map(is_number, columns)))
    if first:
        cells = _cells(path, 1, first, delimiter)
        names = _names(path, cells) if named else _numbered(len(cells))
    elif named or not (columns or dimension):
        raise RecordFileError(path, 1, None, "there is nothing in the file")
    else:
        cells = []
        widest = max((int(column) for column in columns if is_number(column)), default=dimension or 0)
        names = _numbered(min(widest, MOST_COLUMNS))
    chosen = places_of(path, names, columns)
    if cells and not named and header is None:
        for place in chosen:
            if _number(cells[place]) is None:
                raise RecordFileError(path, 1, names[place], f"it is not a number; {_WHO_SAYS}")
    if dimension is not None and len(chosen) != dimension:
        raise RecordFileError(path, 1, None, f"records have {len(chosen)} numbers, and the dimension is {dimension}")
    return CsvReader(path, named, tuple(names), chosen, delimiter)


def _taken(source: Iterator[str]) -> list[str]:
    """Take some lines: so many, or so many characters and the rest of a line."""
    lines, held = [], 0
    for line in source:
        lines.append(line)
        held += len(line)
        if len(lines) >= LINES or held >= BLOCK_CHARACTERS:
            break
    return lines


def _numbered(count: int) -> list[str]:
    return [f"column {place}" for place in range(1, count + 1)]


def _names(path: str, cells: Sequence[str]) -> list[str]:
    for place, cell in enumerate(cells, 1):
        # Bytes that are not UTF-8 came as halves of pairs, which nothing can print.
        if any("\ud800" <= character <= "\udfff" for character in cell):
            raise RecordFileError(path, 1, f"column {place}", "its name is not UTF-8")
    return [cell.strip() for cell in cells]


def _cells(path: str, number: int, line: str, delimiter: str) -> list[str]:
    bare = line.rstrip("\r\n")
    if not bare:
        raise RecordFileError(path, number, None, "the line is blank, and every line is a record")
    if bare.count(delimiter) >= MOST_COLUMNS:
        raise RecordFileError(path, number, None, f"there are more than {MOST_COLUMNS} cells")
    if '"' in line and _runs_on(line, delimiter):
        problem = "a quoted cell does not end on its line; write every record on one line"
        raise RecordFileError(path, number, None, problem)
    rows = _rows([bare], delimiter)
    if rows is None:
        raise RecordFileError(path, number, None, "a cell is too long, or the line cannot be cut into cells")
    return rows[0]


def _rows(lines: list[str], delimiter: str) -> list[list[str]] | None:
    """Cut lines into cells, or return None where that cannot be done."""
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return None


def _number(cell: str) -> float | None:
    """Read a number as `numpy.loadtxt` does; Python would take underscores as well."""
    try:
        return None if "_" in cell or not cell.isascii() else float(cell)
    except ValueError:
        return None


def _runs_on(line: str, delimiter: str) -> bool:
    """Tell whether a quoted cell would go on in the next line, so that what is read depended on where lines are cut."""
    rows = _rows([line, "0"], delimiter)
    return rows is not None and len(rows) == 1
