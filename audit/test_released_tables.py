"""A release from a Parquet file is that of all its rows: each counts once, and a number that is missing is an error.

A row that is passed over or filled in, one that two workers read, or text that is taken for numbers would each break
the guarantee, which is of the rows that stand in the file. From the same bits the integers are compared with those of
the matrix. Nothing is statistical.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.released.files import FromKnownBits
from dpmatrix.errors import InvalidParameterError, RecordFileError
from dpmatrix.files import FilePart, open_source, parquet_records, split_records
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.privacy import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra of its own")

BOUND = 2**72
MECHANISM = LaplaceInputPerturbation(1, norm_bound=BOUND)
FROM_BITS = FromKnownBits(MECHANISM)
published, of_matrix = FROM_BITS.of_file, FROM_BITS.of_matrix
RECORDS = np.random.default_rng(3).integers(-999, 1000, (17, 3)) / 32
SECRET = 73519


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., str]:
    """Write columns in groups of rows, and return the name of the file."""

    def write(columns: dict[str, Any], size: int = 1 << 20, **options: Any) -> str:
        path = str(tmp_path / "records.parquet")
        parquet.write_table(pyarrow.table(columns), path, row_group_size=size, **options)
        return path

    return write


def named(records: np.ndarray, names: str = "abc") -> dict[str, Any]:
    """Name the columns of records."""
    return dict(zip(names, records.T, strict=True))


def refused(path: str, **options: Any) -> RecordFileError:
    """Return the refusal, which holds nothing of the file, and nor does what comes with it."""
    with pytest.raises(RecordFileError) as caught:
        published(path, **options)
    error: BaseException | None = caught.value
    while error is not None:
        assert isinstance(error, RecordFileError)
        assert str(SECRET) not in str(error) + repr(error)
        error = error.__cause__ or error.__context__
    return caught.value


@pytest.mark.parametrize("cells", [2, 7, 1 << 20])
@pytest.mark.parametrize("size", [1, 5, 100])
def test_every_row_counts_once_in_whichever_group_and_part_it_is(
    monkeypatch: pytest.MonkeyPatch, table: Callable[..., str], size: int, cells: int
) -> None:
    monkeypatch.setattr(parquet_records, "CELLS", cells)
    path = table({**named(RECORDS), "words": ["x"] * len(RECORDS)}, size)
    with ThreadPoolExecutor(2) as pool:
        for options in ({}, {"parts": 1}, {"parts": 2}, {"parts": 500}, {"executor": pool, "workers": 2}):
            for order in ("a b c", "c 1"):
                names = order.split()
                places = ["abc".index(name) if name in "abc" else int(name) - 1 for name in names]
                assert published(path, columns=names, **options) == of_matrix(RECORDS[:, places])
                with open_source(MECHANISM, path, columns=names, **options) as source:
                    assert source.columns == tuple("abc"[place] for place in places)
    assert published(path, columns=["a", "b", "c"]) != of_matrix(RECORDS[1:]), "control"


@pytest.mark.parametrize("groups", [0, 1])
@pytest.mark.parametrize("rows", [0, 1])
def test_the_only_row_may_be_there_or_not(table: Callable[..., str], rows: int, groups: int) -> None:
    """Its columns are named by the file, which has one group of rows, or none where there are none."""
    mechanism = LaplaceInputPerturbation(1, Adjacency.ADD_REMOVE_ONE, norm_bound=BOUND)
    path = table(named(RECORDS[:rows]))
    if not groups:
        schema = parquet.read_schema(path)
        with parquet.ParquetWriter(path, schema) as writer:
            if rows:
                writer.write_table(pyarrow.table(named(RECORDS[:rows])))
    for parts in (None, 1, 3):
        assert published(path, mechanism, parts=parts) == of_matrix(RECORDS[:rows], mechanism)
        assert published(path, mechanism, parts=parts, dimension=3) == of_matrix(RECORDS[:rows], mechanism)
        for dimension in (2, 4):
            assert refused(path, dimension=dimension, parts=parts)
        with pytest.raises(InvalidParameterError):
            published(path, mechanism, header=False, parts=parts)


KINDS: dict[str, tuple[Any, list[Any]]] = {
    "double": (pyarrow.float64(), [1.5, 1e-300, -(2.0**70)]),
    "single": (pyarrow.float32(), [1.5, 0.25, -3.0]),
    "half": (pyarrow.float16(), [np.float16(1.5), np.float16(0.25), np.float16(-3)]),
    "long": (pyarrow.int64(), [2**62 + 1, -(2**53) - 1, 3]),
    "unsigned": (pyarrow.uint64(), [2**64 - 1, 2**53 + 1, 0]),
    "byte": (pyarrow.int8(), [-128, 127, 0]),
    "truth": (pyarrow.bool_(), [True, False, True]),
    "decimal": (pyarrow.decimal128(22, 3), [Decimal("0.125"), Decimal("-9007199254740993.001"), Decimal("0.1")]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_every_type_are_the_nearest_floats_and_none_is_missing(table: Callable[..., str], kind: str) -> None:
    """Where one is, in whichever row and group, the first such row is named."""
    form, values = KINDS[kind]
    first = np.arange(3) / 4
    for size in (1, 2, 3):
        path = table({"a": first, "b": pyarrow.array(values, type=form)}, size)
        for parts in (None, 2):
            assert published(path, parts=parts) == of_matrix(np.column_stack([first, np.array(values, dtype=float)]))
        for place in range(3):
            for more in {place, 2}:
                holes = [None if row in (place, more) else value for row, value in enumerate(values)]
                path = table({"a": first, "b": pyarrow.array(holes, type=form)}, size)
                for parts in (None, 3):
                    error = refused(path, parts=parts)
                    assert (error.line, error.column) == (place + 1, "column 'b'")
                assert published(path, columns=["a"]) == of_matrix(first[:, None]), "a record stays one"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("cells", [2, 1 << 20])
def test_a_number_that_is_not_finite_is_an_error_of_its_row(
    monkeypatch: pytest.MonkeyPatch, table: Callable[..., str], cells: int, value: float
) -> None:
    monkeypatch.setattr(parquet_records, "CELLS", cells)
    for row, column in ((0, 2), (9, 0), (16, 1)):
        records = RECORDS.copy()
        records[row, column] = records[16, 2] = value
        for size in (5, 100):
            path = table(named(records), size)
            for parts in (None, 1, 3):
                error = refused(path, parts=parts)
                assert (error.line, error.column) == (row + 1, f"column {'abc'[column]!r}")


DAY = datetime.datetime(2020, 1, 1)
OTHERS = {
    "times": [DAY, DAY],
    "times-and-none": [DAY, None],
    "durations": [datetime.timedelta(1), None],
    "dates": [DAY.date(), DAY.date()],
    "texts": [str(SECRET), "2"],
    "bytes": [b"73519", b"2"],
    "lists": [[1.0], [2.0]],
    "records": [{"x": 1.0}, {"x": 2.0}],
    "nothing": [None, None],
}


@pytest.mark.parametrize("kind", [*OTHERS, "codes"])
def test_what_is_no_number_is_refused_by_the_name_of_its_column(table: Callable[..., str], kind: str) -> None:
    values = OTHERS.get(kind, [str(SECRET), "2"])
    column = pyarrow.array(values) if kind in OTHERS else pyarrow.array(values).dictionary_encode()
    path = table({"a": [0.5, 0.25], "s": column})
    for parts in (None, 2):
        assert refused(path, parts=parts).column == "column 's'"
        assert refused(path, columns=["2"], parts=parts).column == "column 's'"
        assert published(path, columns=["a"], parts=parts) == of_matrix(np.array([[0.5], [0.25]]))


def test_columns_of_one_name_are_not_taken_for_each_other(tmp_path: Path) -> None:
    path = str(tmp_path / "records.parquet")
    columns = [pyarrow.array([value, value]) for value in (0.5, 0.25, 0.125)]
    parquet.write_table(pyarrow.Table.from_arrays(columns, names=["a", "a", "b"]), path)
    for parts in (None, 2):
        for asked in ([], ["a"], ["1"], ["2", "b"], ["x"], ["4"], ["0"], ["b", "3"]):
            assert refused(path, columns=asked, parts=parts)
        assert published(path, columns=["3"], parts=parts) == of_matrix(np.array([[0.125], [0.125]]))
    parquet.write_table(pyarrow.Table.from_arrays(columns[:2], names=["a", "a.b"]), path)
    for place, name in enumerate(["a", "a.b"]):
        expected = of_matrix(np.full((2, 1), [0.5, 0.25][place]))
        assert published(path, columns=[name]) == published(path, columns=[str(place + 1)]) == expected


def test_a_damaged_file_is_refused_without_a_trace_of_it(tmp_path: Path, table: Callable[..., str]) -> None:
    path = Path(table({"a": np.arange(5000.0) + SECRET}, 2500, compression="snappy"))
    whole = path.read_bytes()
    for content in (whole[:100] + b"\xff" * 3900 + whole[4000:], whole[:-9], whole[:100], b"PAR1", b"73519,1\n", b""):
        path.write_bytes(content)
        for parts in (None, 2):
            assert refused(str(path), parts=parts)


@pytest.mark.parametrize("parts", [None, 1, 3])
def test_a_table_that_changes_is_not_published(table: Callable[..., str], parts: int | None) -> None:
    path = table(named(RECORDS), 5)
    content = Path(path).read_bytes()
    for late in (False, True):
        Path(path).write_bytes(content)
        os.utime(path, (10**9, 10**9))
        entropy = SeededEntropy(1)
        with open_source(MECHANISM, path, parts=parts) as source:
            if not late:
                os.utime(path)
            with pytest.raises(RecordFileError):
                MECHANISM.release_blocks(source.read(lambda _: os.utime(path)), 3, entropy=entropy)
        assert entropy.bits(64) == SeededEntropy(1).bits(64)


def test_a_long_row_is_clipped_or_else_refused(table: Callable[..., str]) -> None:
    path = table(named(np.array([[3.0, SECRET, 0], [0, 0, 1]])), 1)
    for parts in (None, 2):
        clipping = LaplaceInputPerturbation(1, norm_bound=2)
        assert published(path, clipping, parts=parts) == of_matrix(np.array([[3.0, SECRET, 0], [0, 0, 1]]), clipping)
        strict = LaplaceInputPerturbation(1, norm_bound=2, over_norm="reject")
        assert refused(path, mechanism=strict, parts=parts).line is None


def test_a_part_is_read_where_its_file_stands(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, table: Callable[..., str]
) -> None:
    """And not where a worker finds another file of that name, of which no part was made."""
    path, other = Path(table(named(RECORDS), 5)), tmp_path / "other"
    monkeypatch.chdir(path.parent)
    parts = [FilePart(part=part, longest=None) for part in split_records(path.name, parts=3).parts]
    other.mkdir()
    parquet.write_table(pyarrow.table(named(RECORDS + 1)), other / path.name, row_group_size=5)
    monkeypatch.chdir(other)
    assert np.array_equal(np.vstack([block for part in parts for block in part.blocks()]), RECORDS)
