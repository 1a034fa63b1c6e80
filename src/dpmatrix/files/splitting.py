"""A file cut into parts: between lines of CSV, between row groups of Parquet."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer
from dpmatrix.files.csv_records import csv_reader
from dpmatrix.files.identity import FileIdentity, Stamp, stamp_of
from dpmatrix.files.parquet_records import parquet_reader
from dpmatrix.files.parts import CsvPart, ParquetPart
from dpmatrix.files.streams import LONGEST_LINE, first_line

PART_BYTES = 1 << 24
"""Size of a part that is neither too small to be worth a journey nor too large to wait for."""


@frozen(kw_only=True)
class SplitFile:
    """A file in parts.

    Attributes
    ----------
    columns
        Names of the columns to use, as of a `RecordFile`.
    parts
        In the order of the file; every record is in exactly one of them.
    stamp
        Of the file before it was looked at, as it must be when the last part has been read.
    """

    columns: tuple[str, ...]
    parts: tuple[CsvPart | ParquetPart, ...]
    stamp: Stamp


def split_records(
    path: str,
    *,
    parts: int | None = None,
    workers: int = 1,
    header: bool | None = None,
    columns: Sequence[str] = (),
    delimiter: str = ",",
    dimension: int | None = None,
) -> SplitFile:
    """Cut a file into parts, reading of it no more than its beginning and a line at every cut.

    Parameters
    ----------
    path
        A CSV file, or a Parquet file (``.parquet``); a pipe cannot be cut.
    parts
        About how many: fewer where there are not so many lines or row groups. By default as many as workers, or more
        where parts of about `PART_BYTES` are smaller.
    workers
        How many will read at a time.
    header, columns, delimiter, dimension
        As in `open_records`.

    Raises
    ------
    InvalidParameterError
        If it is no file on a disk, the delimiter is none, or a number is not positive.
    RecordFileError, MissingExtraError, OSError
        As `open_records`.
    """
    if parts is not None:
        positive_integer(parts, "parts")
    positive_integer(workers, "workers")
    if dimension is not None:
        positive_integer(dimension, "dimension")
    place = Path(path)
    if path == "-" or (place.exists() and not place.is_file()):
        raise InvalidParameterError("file", f"{path} cannot be cut into parts", "name a file, or use one process")
    stamp = stamp_of(place) or ()
    identity = FileIdentity.of(path, place.resolve())
    if path.endswith(".parquet"):
        table = parquet_reader(str(identity.file), path, header, columns, dimension)
        wanted = parts or _parts_for(identity.size, len(table.columns), workers)
        groups = np.arange(len(table.group_rows))
        cut = [tuple(part.tolist()) for part in np.array_split(groups, max(1, min(wanted, len(groups))))]
        rows = [ParquetPart(identity=identity, reader=table, groups=part) for part in cut]
        return SplitFile(columns=table.columns, parts=tuple(rows), stamp=stamp)
    with place.open("rb") as handle:
        first, _ = first_line(handle, path)
    reader = csv_reader(first, path, header, columns, delimiter, dimension)
    wanted = parts or _parts_for(identity.size, len(reader.columns), workers)
    spans = itertools.pairwise(_line_starts(identity, wanted))
    found = [CsvPart(identity=identity, reader=reader, start=start, stop=stop) for start, stop in spans]
    return SplitFile(columns=reader.columns, parts=tuple(found), stamp=stamp)


def _parts_for(size: int, dimension: int, workers: int) -> int:
    # A sum has 8 bytes an entry, and is worth the journey where it stands for a few times as much.
    return max(workers, -(-size // max(PART_BYTES, 32 * dimension**2)))


def _line_starts(identity: FileIdentity, wanted: int) -> list[int]:
    """Return the ends of the file, and between them beginnings of lines near equal distances, in rising order."""
    starts = [0]
    with identity.file.open("rb") as handle:
        for place in range(1, wanted):
            guess = identity.size * place // wanted
            if guess <= starts[-1]:
                continue
            handle.seek(guess - 1)
            # In UTF-8 this byte is a line feed wherever it stands; other ends of lines are not cut at.
            while (line := handle.readline(LONGEST_LINE)) and not line.endswith(b"\n"):
                pass
            # A file that grows meanwhile is read up to where it ended before.
            starts.append(min(handle.tell(), identity.size))
    return [*starts, identity.size] if starts[-1] < identity.size else starts
