"""A column of a Parquet file is numbers, and none is missing; all else is refused by the name of the column."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, RecordFileError
from dpmatrix.files import open_records, release_file
from dpmatrix.files.parquet_records import ParquetReader
from dpmatrix.mechanisms import LaplaceInputPerturbation

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra of its own")


@pytest.fixture
def file(tmp_path: Path):
    def write(column, name: str = "s", **options) -> str:
        path = tmp_path / "records.parquet"
        first = pyarrow.array(np.linspace(0.1, 0.2, len(column)))
        table = pyarrow.Table.from_arrays([first, column], names=["a", name])
        parquet.write_table(table, path, **options)
        return str(path)

    return write


DAY = datetime.datetime(2020, 1, 1)
NOT_NUMERIC = {
    "timestamp": pyarrow.array([DAY, None]),
    "whole timestamp": pyarrow.array([DAY, DAY]),
    "duration": pyarrow.array([datetime.timedelta(1), None]),
    "date": pyarrow.array([DAY.date(), DAY.date()]),
    "time": pyarrow.array([datetime.time(1), datetime.time(2)]),
    "text": pyarrow.array(["1", "2"]),
    "bytes": pyarrow.array([b"1", b"2"]),
    "list": pyarrow.array([[1.0], [2.0]]),
    "record": pyarrow.array([{"x": 1.0}, {"x": 2.0}]),
    "nothing": pyarrow.nulls(2),
    "dictionary": pyarrow.array(["1", "2"]).dictionary_encode(),
}


@pytest.mark.parametrize("parts", [None, 2])
@pytest.mark.parametrize("kind", NOT_NUMERIC)
def test_columns_of_other_types_are_refused_by_name(file, kind: str, parts) -> None:
    path = file(NOT_NUMERIC[kind])
    with pytest.raises(RecordFileError, match="column 's': its type is not numeric") as caught:
        release_file(LaplaceInputPerturbation(1), path, parts=parts)
    assert caught.value.__context__ is None
    # What is not asked for may be anything.
    release_file(LaplaceInputPerturbation(1), path, columns=["a"], parts=parts)


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.float64(),
        pyarrow.float32(),
        pyarrow.float16(),
        pyarrow.int64(),
        pyarrow.uint8(),
        pyarrow.bool_(),
        pyarrow.decimal128(5, 2),
    ],
    ids=str,
)
def test_numbers_of_every_type_are_read_and_missing_ones_refused(file, kind) -> None:
    value = {pyarrow.bool_(): True, pyarrow.decimal128(5, 2): Decimal("0.25"), pyarrow.float16(): np.float16(1)}
    present, whole = value.get(kind, 1), float(value.get(kind, 1))
    with open_records(file(pyarrow.array([present] * 3, type=kind))) as source:
        assert np.vstack([block.records for block in source.blocks])[:, 1].tolist() == [whole] * 3
    for place in range(3):
        column = pyarrow.array([None if row == place else present for row in range(3)], type=kind)
        for parts in (None, 3):
            with pytest.raises(RecordFileError, match="column 's': there is no finite number") as caught:
                release_file(LaplaceInputPerturbation(1), file(column, row_group_size=1), parts=parts)
            assert caught.value.line == place + 1


def test_columns_of_one_name(file, tmp_path) -> None:
    with pytest.raises(RecordFileError, match="another one has the same name"):
        release_file(LaplaceInputPerturbation(1), file(pyarrow.array([0.1, 0.2]), name="a"))
    path = str(tmp_path / "dots.parquet")
    column = pyarrow.array([0.1, 0.2])
    parquet.write_table(pyarrow.Table.from_arrays([column, column], names=["a", "a.b"]), path)
    for columns in (["a"], ["a.b"]):
        with open_records(path, columns=columns) as source:
            assert [block.records.shape for block in source.blocks] == [(2, 1)]
    with pytest.raises(RecordFileError, match="other columns than those"):
        list(ParquetReader(path, ("a", "c"), (2,)).blocks(path, [0]))


def test_a_schema_names_the_columns(file) -> None:
    path = file(pyarrow.array([0.1, 0.2]))
    with pytest.raises(InvalidParameterError, match="a Parquet file names its columns"):
        release_file(LaplaceInputPerturbation(1), path, header=False)
    with pytest.raises(RecordFileError, match="the dimension is 3"):
        release_file(LaplaceInputPerturbation(1), path, dimension=3)
    assert release_file(LaplaceInputPerturbation(1), path, header=True, dimension=2).private


def test_a_damaged_file_is_refused_without_a_trace_of_it(file) -> None:
    path = Path(file(pyarrow.array(np.linspace(0.1, 0.2, 5000)), compression="snappy"))
    content = bytearray(path.read_bytes())
    content[100:4000] = b"\xff" * 3900
    path.write_bytes(content)
    with pytest.raises(RecordFileError) as caught:
        release_file(LaplaceInputPerturbation(1), str(path))
    assert caught.value.__context__ is None
