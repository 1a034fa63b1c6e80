"""Records from Parquet files: numbers in batches of rows, and errors that name row and column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from dpmatrix.errors import InvalidParameterError, MissingExtraError, RecordFileError
from dpmatrix.files.blocks import Block, places_of, shown
from dpmatrix.mechanisms.protocol import FloatArray

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
            If something is not a finite number, or the file is damaged.
        """
        rows, start = max(1, CELLS // max(1, len(self.columns))), first_row
        with _opened(file, self.path) as parquet:
            batches = parquet.iter_batches(batch_size=rows, row_groups=list(groups), columns=list(self.columns))
            while (batch := self._next(batches, start)) is not None:
                if len(batch):
                    numbers = range(start, start + len(batch))
                    yield Block(records=self._records(batch, start), line_of=numbers.__getitem__)
                start += len(batch)

    def _next(self, batches: Iterator[Any], row: int) -> Any:  # noqa: ANN401 - pyarrow is not typed
        """Return the next batch, or None after the last one."""
        import pyarrow

        batch, damaged = None, False
        try:
            batch = next(batches, None)
        except (pyarrow.ArrowException, OSError):
            damaged = True
        if damaged:
            raise RecordFileError(self.path, row, None, "from here on the file cannot be read")
        if batch is not None and tuple(batch.schema.names) != self.columns:
            raise RecordFileError(self.path, None, None, "it gives other columns than those that were asked for")
        return batch

    def _records(self, batch: Any, start: int) -> FloatArray:  # noqa: ANN401
        records = np.column_stack([_numbers(column) for column in batch.columns])
        # In the order of rows, so that the first one is named however the rows were cut into batches.
        wrong = np.argwhere(~np.isfinite(records))
        if len(wrong):
            row, place = wrong[0].tolist()
            name = f"column {shown(self.columns[place])}"
            raise RecordFileError(self.path, start + row, name, "there is no finite number")
        return records


def parquet_reader(
    file: str, path: str, header: bool | None, columns: Sequence[str], dimension: int | None = None
) -> ParquetReader:
    """Find out how a file is to be read.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    InvalidParameterError
        If ``header`` is False: the schema of such a file names its columns.
    RecordFileError
        If it is no Parquet file, there is no such column, one of those to use does not hold numbers or shares its name
        with another, or there are more or less of them than was said.
    """
    if header is False:
        raise InvalidParameterError("header", "a Parquet file names its columns", "leave --no-header out")
    with _opened(file, path) as parquet:
        schema = parquet.schema_arrow
        rows = [parquet.metadata.row_group(place).num_rows for place in range(parquet.num_row_groups)]
    names = list(schema.names)
    chosen = places_of(path, names, columns)
    if not chosen:
        raise RecordFileError(path, None, None, "it has no columns")
    for place in chosen:
        name = f"column {shown(names[place])}"
        if not _is_numeric(schema.field(place).type):
            raise RecordFileError(path, None, name, "its type is not numeric; name the others in --columns (columns=)")
        if names.count(names[place]) > 1:
            raise RecordFileError(path, None, name, "another one has the same name")
    if dimension is not None and len(chosen) != dimension:
        raise RecordFileError(path, None, None, f"there are {len(chosen)} columns, and the dimension is {dimension}")
    return ParquetReader(path, tuple(names[place] for place in chosen), tuple(rows))


def _is_numeric(kind: Any) -> bool:  # noqa: ANN401
    """Tell whether a column holds numbers: not times or durations, text, lists, records, or codes of a dictionary."""
    from pyarrow import types

    return any(known(kind) for known in (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean))


def _opened(file: str, path: str) -> Any:  # noqa: ANN401
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    try:
        return pyarrow.parquet.ParquetFile(file)
    except pyarrow.ArrowException:
        pass
    # Out of reach of what pyarrow raised, which may hold some of the file.
    raise RecordFileError(path, None, None, "it is not a Parquet file")


def _numbers(column: Any) -> FloatArray:  # noqa: ANN401
    """Return the numbers of a column, each as the nearest float; NaN where there is none."""
    values = np.full(len(column), np.nan)
    present = column.is_valid().to_numpy(zero_copy_only=False)
    values[present] = np.asarray(column.drop_null().to_numpy(zero_copy_only=False), dtype=np.float64)
    return values
