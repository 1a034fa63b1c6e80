"""Parts of a file: what a worker reads of it, and that it reads the file that was meant."""

from __future__ import annotations

import io
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from dpmatrix.errors import RecordFileError
from dpmatrix.files.blocks import Block
from dpmatrix.files.csv_records import CsvReader
from dpmatrix.files.identity import FileIdentity, unchanged
from dpmatrix.files.parquet_records import ParquetReader
from dpmatrix.files.streams import first_line
from dpmatrix.mechanisms.norms import rows_over_norm
from dpmatrix.mechanisms.protocol import FloatArray
from dpmatrix.mechanisms.records import norm_remedy

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

COUNTED_BYTES = 1 << 20
"""Bytes in which lines are counted at a time."""


class _Span(io.RawIOBase):
    """Some bytes of a file, as a file."""

    def __init__(self, file: Path, start: int, stop: int) -> None:
        self._handle = file.open("rb", buffering=0)
        self._handle.seek(start)
        self._left = stop - start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        count = self._handle.readinto(memoryview(buffer)[: self._left])
        self._left -= count or 0
        return count

    def close(self) -> None:
        self._handle.close()
        super().close()


@frozen(kw_only=True)
class CsvPart:
    """Bytes of a CSV file from one beginning of a line to another."""

    identity: FileIdentity
    reader: CsvReader
    start: int
    stop: int

    def blocks(self) -> Iterator[Block]:
        """Read the records; lines are counted from the beginning of the part."""
        with io.BufferedReader(_Span(self.identity.file, self.start, self.stop)) as handle:
            if self.start:
                yield from self.reader.blocks(handle, 1)
            else:
                yield from self.reader.all_blocks(*first_line(handle, self.identity.path))

    def lines_before(self) -> int:
        """Count the lines before the part: read when an error has to be placed, and only then."""
        count, last = 0, b""
        with self.identity.file.open("rb") as handle:
            left = self.start
            while left and (chunk := handle.read(min(left, COUNTED_BYTES))):
                # A carriage return ends a line unless a line feed follows.
                pair = last == b"\r" and chunk[:1] == b"\n"
                count += chunk.count(b"\n") + chunk.count(b"\r") - chunk.count(b"\r\n") - int(pair)
                left, last = left - len(chunk), chunk[-1:]
        return count


@frozen(kw_only=True)
class ParquetPart:
    """Row groups of a Parquet file."""

    identity: FileIdentity
    reader: ParquetReader
    groups: tuple[int, ...]

    def blocks(self) -> Iterator[Block]:
        """Read the records; rows are counted from the beginning of the part."""
        yield from self.reader.blocks(str(self.identity.file), self.groups)

    def lines_before(self) -> int:
        """Return the number of rows before the part."""
        return sum(self.reader.group_rows[: self.groups[0]]) if self.groups else 0


@frozen(kw_only=True)
class FilePart:
    """Some of the records of a file, as a `Partition` whose errors name the line of the file.

    Attributes
    ----------
    part
        What is read.
    longest
        The norm that no record may exceed; None where longer ones are clipped.
    """

    part: CsvPart | ParquetPart
    longest: Fraction | None

    def blocks(self) -> Iterator[FloatArray]:
        """Read the records.

        Raises
        ------
        RecordFileError
            If something is not a finite number, a record is too long, or the file is not the one that was cut or does
            not stay it.
        """
        identity = self.part.identity
        with unchanged(identity.file, identity.path, identity.present_stamp()):
            identity.check()
            try:
                for block in self.part.blocks():
                    if self.longest is not None:
                        refuse_long(identity.path, block, self.longest)
                    yield block.records
            except RecordFileError as error:
                if error.line is None:
                    raise
                line = error.line + self.part.lines_before()
                raise RecordFileError(error.path, line, error.column, error.problem) from error


def refuse_long(path: str, block: Block, longest: Fraction) -> None:
    """Make sure that no record is too long.

    Raises
    ------
    RecordFileError
        If one is. It does not say which: the bound is to be chosen without a look at the records.
    """
    if len(rows_over_norm(block.records, longest)):
        remedy = norm_remedy("--norm-bound", "leave out --no-clip (or pass over_norm='clip')")
        raise RecordFileError(path, None, None, f"a record is longer than {longest}; {remedy}")
