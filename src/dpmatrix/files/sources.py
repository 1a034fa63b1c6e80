"""A file of records as a mechanism takes it: block after block here, or sums of its parts from workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager

import numpy.typing as npt
from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer
from dpmatrix.files.blocks import Block, RecordFile
from dpmatrix.files.csv_records import csv_reader
from dpmatrix.files.identity import Stamp, stamp_of, unchanged
from dpmatrix.files.parquet_records import parquet_reader
from dpmatrix.files.parts import FilePart, refuse_long
from dpmatrix.files.splitting import split_records
from dpmatrix.files.streams import first_line
from dpmatrix.mechanisms.menu import AnyMechanism
from dpmatrix.mechanisms.partitions import Blocks, PartialGram, sum_partitions
from dpmatrix.mechanisms.protocol import Release
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import Entropy


@contextmanager
def open_records(
    path: str,
    *,
    header: bool | None = None,
    columns: Sequence[str] = (),
    delimiter: str = ",",
    dimension: int | None = None,
) -> Iterator[RecordFile]:
    """Open a CSV file, a Parquet file (``.parquet``), or the standard input (``-``).

    Every line of a CSV file is a record, but for a first line that names the columns; a blank one is an error, also at
    the end. Numbers are read as the nearest floats, by pyarrow where it is installed.

    Parameters
    ----------
    path
        The file.
    header
        Whether the first line names the columns, which are published with a release, or is a record. It is never
        guessed: by default the first line is a record, and refused if it is none; or names the columns, if columns are
        chosen by their names.
    columns
        Names, or else numbers from one, of the columns to use; all by default.
    delimiter
        Between the cells of a line.
    dimension
        How many columns are used: an empty file without a header, which holds no record, does not tell it.

    Raises
    ------
    RecordFileError
        If something in the file is not a finite number, a line is blank, or the file changes; while the blocks are
        read, and after the last one. Its message shows no cell.
    InvalidParameterError
        If the delimiter is none, the dimension is not positive, or a Parquet file is said to have no header.
    MissingExtraError
        If a Parquet file is given and pyarrow is not installed.
    OSError
        If the file cannot be read.
    """
    if dimension is not None:
        positive_integer(dimension, "dimension")
    if path.endswith(".parquet"):
        stamp = stamp_of(path)
        table = parquet_reader(path, path, header, columns, dimension)
        rows = table.blocks(path, range(len(table.group_rows)))
        yield RecordFile(columns=table.columns, blocks=_while_unchanged(path, path, stamp, rows))
        return
    with open(0 if path == "-" else path, "rb", closefd=path != "-") as handle:
        stamp = stamp_of(handle.fileno())
        first, rest = first_line(handle, path)
        reader = csv_reader(first, path, header, columns, delimiter, dimension)
        blocks = reader.all_blocks(first, rest)
        yield RecordFile(columns=reader.columns, blocks=_while_unchanged(handle.fileno(), path, stamp, blocks))


def _while_unchanged(place: int | str, path: str, stamp: Stamp | None, blocks: Iterator[Block]) -> Iterator[Block]:
    with unchanged(place, path, stamp):
        yield from blocks


@frozen(kw_only=True)
class RecordSource:
    """The records of a file, to be read once, by one process or by several.

    Attributes
    ----------
    columns
        Names of the columns.
    read
        Called with what is told the number of records so far: blocks or sums for `release_blocks` of the mechanism.
    """

    columns: tuple[str, ...]
    read: Callable[[Callable[[int], object]], Blocks]


@contextmanager
def open_source(
    mechanism: AnyMechanism,
    path: str,
    *,
    header: bool | None = None,
    columns: Sequence[str] = (),
    delimiter: str = ",",
    dimension: int | None = None,
    executor: Executor | None = None,
    workers: int = 1,
    parts: int | None = None,
) -> Iterator[RecordSource]:
    """Open a file for a release; see `release_file` for the parameters.

    A release from it depends on the records alone, and not on who read them or how the file was cut.
    """
    if mechanism.adjacency is Adjacency.ADD_REMOVE_ONE and not (header or columns or dimension):
        _refuse_without_dimension(path)
    if executor is None and parts is None:
        with open_records(path, header=header, columns=columns, delimiter=delimiter, dimension=dimension) as records:
            yield RecordSource(columns=records.columns, read=lambda tell: _blocks(path, records, mechanism, tell))
        return
    split = split_records(
        path,
        parts=parts,
        workers=workers,
        header=header,
        columns=columns,
        delimiter=delimiter,
        dimension=dimension,
    )

    def read(tell: Callable[[int], object]) -> Iterator[PartialGram]:
        longest = mechanism.norm_bound if mechanism.over_norm == "reject" else None
        pieces = [FilePart(part=part, longest=longest) for part in split.parts]
        count = 0
        # Each part looks that the file does not change meanwhile; this looks that it does not between parts either.
        with unchanged(path, path, split.stamp):
            for found in sum_partitions(mechanism, pieces, len(split.columns), executor=executor, workers=workers):
                count += found.gram.count
                yield found
                tell(count)

    yield RecordSource(columns=split.columns, read=read)


def _refuse_without_dimension(path: str) -> None:
    """Refuse before the file is looked at, since it depends on the records whether the file tells it."""
    if not path.endswith(".parquet"):
        problem = "the only record may be removed, and an empty file would not tell how long it was"
        remedy = "pass --dimension (dimension=), or --header (header=True) if line 1 names the columns"
        raise InvalidParameterError("dimension", problem, remedy)


def _blocks(
    path: str, records: RecordFile, mechanism: AnyMechanism, tell: Callable[[int], object]
) -> Iterator[npt.ArrayLike]:
    count = 0
    for block in records.blocks:
        if mechanism.over_norm == "reject":
            refuse_long(path, block, mechanism.norm_bound)
        count += len(block.records)
        yield block.records
        tell(count)


def release_file(
    mechanism: AnyMechanism,
    path: str,
    *,
    header: bool | None = None,
    columns: Sequence[str] = (),
    delimiter: str = ",",
    dimension: int | None = None,
    executor: Executor | None = None,
    workers: int = 1,
    parts: int | None = None,
    entropy: Entropy | None = None,
) -> Release:
    """Publish what a mechanism of `dpmatrix.mechanisms.menu` makes of a file that need not fit into memory.

    Parameters
    ----------
    mechanism
        With its public parameters.
    path, header, columns, delimiter, dimension
        As in `open_records`. Under add/remove-one a CSV file needs ``header=True``, columns or a dimension: its
        neighbour without the only record tells no dimension, and is a data set like any other.
    executor
        Any executor of `concurrent.futures`, or ``distributed.Client.get_executor()``, whose workers read parts of the
        file and send back their exact sums. Every worker must find the file under the same path. A file that changes
        meanwhile is refused; it is not noticed if a worker that has a copy of its own reads that copy changed between
        two parts, with the same size and ends. Neither what the
        workers read nor what they send is private: they must be trusted with the records.
    workers
        How many parts are read at a time.
    parts
        As in `split_records`.
    entropy
        Source of the random bits, which are drawn here and once; the operating system by default. With the same bits
        the release is the same however the file was read.

    Raises
    ------
    RecordFileError
        If something in the file is not a finite number: it names the first line in the order of the file, whoever
        reads it. If a record is too long and may not be clipped, or the file changed. Nothing is released. That there
        is such an error depends on the records, and the guarantee of a release does not cover it.
    WorkerLostError
        If a worker ended without a result. Nothing is released.
    InvalidParameterError, MissingExtraError, OSError
        As `split_records` and the mechanism.
    """
    with open_source(
        mechanism,
        path,
        header=header,
        columns=columns,
        delimiter=delimiter,
        dimension=dimension,
        executor=executor,
        workers=workers,
        parts=parts,
    ) as source:
        blocks = source.read(lambda _count: None)
        return mechanism.release_blocks(blocks, len(source.columns), entropy=entropy)
