"""A file of records as a mechanism takes it: block after block here, or sums of its parts from workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager

import numpy.typing as npt
from attrs import frozen

from dpmatrix.files.blocks import RecordFile
from dpmatrix.files.csv_records import ENCODING, csv_reader, lines_of
from dpmatrix.files.parquet_records import parquet_reader
from dpmatrix.files.parts import FilePart, refuse_long
from dpmatrix.files.splitting import split_records
from dpmatrix.mechanisms.menu import AnyMechanism
from dpmatrix.mechanisms.partitions import Blocks, PartialGram, sum_partitions
from dpmatrix.mechanisms.protocol import Release
from dpmatrix.randomness.entropy import Entropy


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
        table = parquet_reader(path, path, columns)
        yield RecordFile(columns=table.columns, blocks=table.blocks(path, range(len(table.group_rows))))
        return
    # What is not UTF-8 arrives as cells that are not numbers, so the error names their place.
    with open(
        0 if path == "-" else path,
        encoding=f"{ENCODING}-sig",
        errors="surrogateescape",
        newline="",
        closefd=path != "-",
    ) as handle:
        lines = lines_of(handle, path)
        first = next(lines, "")
        reader = csv_reader(first, path, header, columns, delimiter)
        blocks = reader.blocks(lines, 2) if reader.named else reader.blocks(_again(first, lines), 1)
        yield RecordFile(columns=reader.columns, blocks=blocks)


def _again(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


@frozen(kw_only=True)
class RecordSource:
    """The records of a file, to be read once, by one process or by several.

    Attributes
    ----------
    columns
        Names of the columns.
    read
        Called with a mechanism and with what is told the number of records so far: blocks or sums for its
        `release_blocks`.
    """

    columns: tuple[str, ...]
    read: Callable[[AnyMechanism, Callable[[int], object]], Blocks]


@contextmanager
def open_source(
    path: str,
    *,
    header: bool | None = None,
    columns: Sequence[str] = (),
    delimiter: str = ",",
    executor: Executor | None = None,
    workers: int = 1,
    parts: int | None = None,
) -> Iterator[RecordSource]:
    """Open a file for a release; see `release_file` for the parameters.

    A release from it depends on the records alone, and not on who read them or how the file was cut.
    """
    if executor is None and parts is None:
        with open_records(path, header=header, columns=columns, delimiter=delimiter) as records:
            yield RecordSource(
                columns=records.columns, read=lambda mechanism, tell: _blocks(path, records, mechanism, tell)
            )
        return
    split = split_records(path, parts=parts, workers=workers, header=header, columns=columns, delimiter=delimiter)

    def read(mechanism: AnyMechanism, tell: Callable[[int], object]) -> Iterator[PartialGram]:
        longest = mechanism.norm_bound if mechanism.over_norm == "reject" else None
        pieces = [FilePart(part=part, longest=longest) for part in split.parts]
        count = 0
        dimension = len(split.columns)
        for found in sum_partitions(mechanism, pieces, dimension, executor=executor, workers=workers):
            count += found.gram.count
            yield found
            tell(count)

    yield RecordSource(columns=split.columns, read=read)


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
    path, header, columns, delimiter
        As in `open_records`.
    executor
        Any executor of `concurrent.futures`, or ``distributed.Client.get_executor()``, whose workers read parts of the
        file and send back their exact sums. Every worker must find the file under the same path. Neither what the
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
        If something in the file is not a finite number, or a record is too long and may not be clipped. It names the
        first line in the order of the file, whoever reads it. Nothing is released.
    WorkerLostError
        If a worker ended without a result. Nothing is released.
    InvalidParameterError, MissingExtraError, OSError
        As `split_records` and the mechanism.
    """
    with open_source(
        path, header=header, columns=columns, delimiter=delimiter, executor=executor, workers=workers, parts=parts
    ) as source:
        blocks = source.read(mechanism, lambda _count: None)
        return mechanism.release_blocks(blocks, len(source.columns), entropy=entropy)
