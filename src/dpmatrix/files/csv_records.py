"""Records from lines of text: numbers in blocks, and errors that name line and column."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn, TextIO

import numpy as np
from attrs import frozen

from dpmatrix.errors import InvalidParameterError, RecordFileError
from dpmatrix.files.blocks import Block, places_of, shown
from dpmatrix.mechanisms.protocol import FloatArray

ENCODING = "utf-8"
LINES = 8192
"""Lines that are read at a time."""

LONGEST_LINE = 1 << 24
"""Characters of a line, beyond which a file is taken for something else."""


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

    def blocks(self, lines: Iterable[str], first_line: int) -> Iterator[Block]:
        """Read lines that hold records, the first of which has a number.

        Raises
        ------
        RecordFileError
            If something is not a finite number, or a line has another number of cells.
        """
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
            if any('"' in line and _runs_on(line, self.delimiter) for line in lines):
                self._complain(lines, numbers)
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
                    problem = f"{shown(cells[place])} is not a finite number"
                    raise RecordFileError(self.path, number, self._column(place), problem)
        raise RecordFileError(self.path, numbers[0], None, "from here on the lines cannot be read as numbers")

    def _column(self, place: int) -> str:
        name = self.names[place]
        return name if name == f"column {place + 1}" else f"column {place + 1} ({shown(name)})"


def csv_reader(first: str, path: str, header: bool | None, columns: Sequence[str], delimiter: str) -> CsvReader:
    """Find out from the first line of a file how the others are to be read.

    Raises
    ------
    InvalidParameterError
        If the delimiter could stand in a number.
    RecordFileError
        If there is no first line, or no such column.
    """
    if len(delimiter) != 1 or delimiter in '"\r\n.+-eE0123456789':
        raise InvalidParameterError("delimiter", f"{delimiter!r} is no delimiter", "pass one character, such as ;")
    if not first.strip():
        raise RecordFileError(path, 1, None, "there is nothing in the file" if not first else "the line is empty")
    cells = _cells(path, 1, first, delimiter)
    numeric = [_number(cell) is not None for cell in cells]
    named = not any(numeric) if header is None else header
    names = [cell.strip() for cell in cells] if named else [f"column {place}" for place in range(1, len(cells) + 1)]
    return CsvReader(path, named, tuple(names), places_of(path, names, columns), delimiter)


def lines_of(handle: TextIO, path: str) -> Iterator[str]:
    """Read lines, in bounded memory whatever the file holds; they are numbered from one.

    Raises
    ------
    RecordFileError
        If a line has `LONGEST_LINE` characters or more.
    """
    number = 0
    while line := handle.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise RecordFileError(path, number, None, f"the line has {LONGEST_LINE} characters or more")
        yield line


def _cells(path: str, number: int, line: str, delimiter: str) -> list[str]:
    try:
        if '"' in line and _runs_on(line, delimiter):
            problem = "a quoted cell does not end on its line; write every record on one line"
            raise RecordFileError(path, number, None, problem)
        return next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error as error:
        raise RecordFileError(path, number, None, str(error)) from error


def _number(cell: str) -> float | None:
    """Read a number as `numpy.loadtxt` does; Python would take underscores as well."""
    try:
        return None if "_" in cell or not cell.isascii() else float(cell)
    except ValueError:
        return None


def _runs_on(line: str, delimiter: str) -> bool:
    """Tell whether a quoted cell would go on in the next line, so that what is read depended on where lines are cut."""
    return len(list(csv.reader([line, "0"], delimiter=delimiter))) == 1
