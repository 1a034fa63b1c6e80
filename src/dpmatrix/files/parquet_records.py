"""Records from Parquet files: numbers in batches of rows, and errors that name row and column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from dpmatrix.errors import MissingExtraError, RecordFileError
from dpmatrix.files.blocks import Block, places_of, shown

CELLS = 1 << 20
"""Cells that are read at a time, about."""


@frozen
class ParquetReader:
    """How the rows of a file are read.

    Attributes
    ----------
    path
        The file, as errors name it.
    columns
        Names of the columns to use.
    group_rows
        Number of rows of each of its row groups.
    """

    path: str
    columns: tuple[str, ...]
    group_rows: tuple[int, ...]

    def blocks(self, file: str, groups: Sequence[int], first_row: int = 1) -> Iterator[Block]:
        """Read row groups, the first row of which has a number.

        Raises
        ------
        RecordFileError
            If something is not a finite number.
        """
        rows = max(1, CELLS // max(1, len(self.columns)))
        with _opened(file, self.path) as parquet:
            batches = parquet.iter_batches(batch_size=rows, row_groups=list(groups), columns=list(self.columns))
            yield from _blocks(self.path, batches, first_row)


def parquet_reader(file: str, path: str, columns: Sequence[str]) -> ParquetReader:
    """Find out how a file is to be read.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    RecordFileError
        If it is no Parquet file, or there is no such column.
    """
    with _opened(file, path) as parquet:
        names = list(parquet.schema_arrow.names)
        rows = [parquet.metadata.row_group(place).num_rows for place in range(parquet.num_row_groups)]
    chosen = places_of(path, names, columns)
    return ParquetReader(path, tuple(names[place] for place in chosen), tuple(rows))


def _opened(file: str, path: str) -> Any:  # noqa: ANN401 - pyarrow is not typed
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    try:
        return pyarrow.parquet.ParquetFile(file)
    except pyarrow.ArrowInvalid as error:
        raise RecordFileError(path, 1, None, f"it is not a Parquet file ({error})") from error


def _blocks(path: str, batches: Iterable[Any], first_row: int) -> Iterator[Block]:
    start = first_row
    for batch in batches:
        columns = []
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            try:
                columns.append(np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64))
            except (TypeError, ValueError) as error:
                raise RecordFileError(path, start, f"column {shown(name)}", "its type is not numeric") from error
        if len(batch):
            records = np.column_stack(columns)
            # In the order of rows, so that the first one is named however the rows were cut into batches.
            wrong = np.argwhere(~np.isfinite(records))
            if len(wrong):
                row, place = wrong[0].tolist()
                name = f"column {shown(batch.schema.names[place])}"
                raise RecordFileError(path, start + row, name, "there is no finite number")
            yield Block(records=records, line_of=range(start, start + len(batch)).__getitem__)
        start += len(batch)
