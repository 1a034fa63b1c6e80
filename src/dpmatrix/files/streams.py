"""Bytes of a file of lines: the first line, whole lines in pieces, and lines one by one."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from dpmatrix.errors import RecordFileError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ENCODING = "utf-8"
ERRORS = "surrogateescape"
"""What is not UTF-8 arrives as cells that are not numbers, so the error names their place."""

LONGEST_LINE = 1 << 24
"""Characters of a line, beyond which a file is taken for something else; bytes, of the first line."""

PIECE_BYTES = 1 << 22
"""Bytes of lines that are read at a time, about."""

MARK = "\ufeff".encode()
LONE_RETURN = re.compile(rb"\r(?!\n)")


class PushedBack(io.RawIOBase):
    """Some bytes, and then a stream, which stays open."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self._first, self._rest = memoryview(first), rest

    def readable(self) -> bool:
        """Tell what a reader asks."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read what is there of the first bytes, or of the rest."""
        wanted = memoryview(buffer).cast("B")
        # What a pipe has, at one time: between two of them Python heeds an interrupt.
        found = self._first[: len(wanted)] or _read_once(self._rest, len(wanted))
        self._first = self._first[len(found) :]
        wanted[: len(found)] = found
        return len(found)


def _read_once(stream: BinaryIO, size: int) -> bytes:
    return stream.read1(size) if isinstance(stream, io.BufferedReader | io.BytesIO) else stream.read(size)


def pushed_back(first: bytes, rest: BinaryIO) -> BinaryIO:
    """Return a stream that begins with some bytes and goes on with another, which stays open when this is closed."""
    return io.BufferedReader(PushedBack(first, rest))


def first_line(handle: BinaryIO, path: str) -> tuple[str, BinaryIO]:
    """Read the first line of a file, and return the stream that follows; the line is empty where there is none.

    Raises
    ------
    RecordFileError
        If it has `LONGEST_LINE` bytes or more.
    """
    read = handle.readline(LONGEST_LINE)
    # A carriage return ends a line, too.
    end = LONE_RETURN.search(read)
    if end is None and len(read) >= LONGEST_LINE and not read.endswith(b"\n"):
        raise RecordFileError(path, 1, None, f"the line has {LONGEST_LINE} characters or more")
    line = read if end is None else read[: end.end()]
    text = line.removeprefix(MARK).decode(ENCODING, ERRORS)
    return text, pushed_back(read[len(line) :], handle)


def pieces_of(handle: BinaryIO) -> Iterator[bytes]:
    """Read whole lines that end in line feeds, some at a time; only a line of `LONGEST_LINE` bytes or more is cut."""
    while piece := handle.read(PIECE_BYTES):
        yield piece if piece.endswith(b"\n") else piece + handle.readline(LONGEST_LINE)


def lines_of(handle: BinaryIO, path: str, first: int) -> Iterator[str]:
    """Read lines one by one, in bounded memory whatever the file holds, and close the stream.

    Lines are numbered from ``first``.

    Raises
    ------
    RecordFileError
        If a line has `LONGEST_LINE` characters or more.
    """
    with io.TextIOWrapper(handle, encoding=ENCODING, errors=ERRORS, newline="") as text:
        number = first
        while line := text.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE:
                raise RecordFileError(path, number, None, f"the line has {LONGEST_LINE} characters or more")
            yield line
            number += 1
