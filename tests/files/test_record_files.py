"""Records from files: the numbers that stand there, in blocks, and the place of every one that does not belong."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, MissingExtraError, RecordFileError
from dpmatrix.files import csv_records, open_records, parquet_records, streams

pytestmark = pytest.mark.usefixtures("reader")


def read(path: Path, **options) -> tuple[tuple[str, ...], np.ndarray]:
    with open_records(str(path), **options) as source:
        return source.columns, np.vstack([block.records for block in source.blocks])


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str | bytes) -> Path:
        path = tmp_path / "records.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.mark.parametrize("lines", [1, 3, 7, 8192])
def test_every_number_is_read_as_it_stands(file, monkeypatch, lines: int) -> None:
    monkeypatch.setattr(csv_records, "LINES", lines)
    records = np.random.default_rng(0).standard_normal((50, 4)) * 10.0 ** np.arange(-200, 200, 100)
    text = "\n".join(",".join(map(repr, row)) for row in records.tolist())
    columns, found = read(file(text))
    assert columns == ("column 1", "column 2", "column 3", "column 4")
    assert np.array_equal(found, records)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        "\ufeffa,b\n1,2\n3,4",
        '"a","b"\n"1","2"\n" 3 ", 4',
        "a,b\n+1.0,2e0\n0.3e1,4.\n",
    ],
)
def test_ways_to_write_two_records(file, text: str) -> None:
    columns, found = read(file(text), header=True)
    assert columns == ("a", "b")
    assert np.array_equal(found, [[1, 2], [3, 4]])


def test_header(file) -> None:
    path = file("1,2\n3,4\n")
    assert len(read(path)[1]) == 2
    columns, found = read(path, header=True)
    assert columns == ("1", "2")
    assert np.array_equal(found, [[3, 4]])
    with pytest.raises(RecordFileError, match=r"line 1, column 2: it is not a number; pass --header"):
        read(file("1,b\n3,4\n"))
    with pytest.raises(RecordFileError, match="line 1, column 1: it is not a finite number"):
        read(file("a,b\n3,4\n"), header=False)


def test_columns_are_chosen_by_name_or_number(file) -> None:
    path = file("name;height;mass\nann;1;2\nbob;3;4\n")
    assert np.array_equal(read(path, delimiter=";", columns=["mass", "2"])[1], [[2, 1], [4, 3]])
    assert read(path, delimiter=";", columns=["mass", "2"])[0] == ("mass", "height")
    for wrong in ("0", "4", "age", "-1"):
        with pytest.raises(RecordFileError, match="no column"):
            read(path, delimiter=";", columns=[wrong])
    with pytest.raises(RecordFileError, match="line 3: there are 4 cells and not 3"):
        read(file("a;b;c\nx;1;2\ny;3;4;5\n"), delimiter=";", columns=["b"])


@pytest.mark.parametrize("lines", [1, 2, 8192])
@pytest.mark.parametrize(
    "cell", ["nan", "inf", "-Infinity", "1e999", "", "x", "1_0", "0x1", "\u0661", "1 2", "x" * 50, "SSN 123-45-6789"]
)
def test_what_is_no_finite_number_is_named_by_line_and_column(file, monkeypatch, cell, lines: int) -> None:
    monkeypatch.setattr(csv_records, "LINES", lines)
    path = file(f"a,b\n1,2\n3,4\n5,{cell}\n7,8\n")
    with pytest.raises(RecordFileError) as caught:
        read(path, header=True)
    assert (caught.value.line, caught.value.column) == (4, "column 2 ('b')")
    assert caught.value.problem.startswith("it is not a finite number; ")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "nothing in the file"),
        ("\n1,2\n", 1, "blank"),
        ("1,2\n1\n", 2, "1 cells and not 2"),
        ("1,2\n3,4\n1,2,3\n", 3, "3 cells and not 2"),
        ("1,2\n1,2,\n", 2, "3 cells"),
        (b"1,2\n1,\xff\n", 2, "it is not a finite number"),
        (b"1,2\n1,\x00\n", 2, "is not a finite number"),
    ],
)
def test_lines_that_are_no_records(file, text, line: int, problem: str) -> None:
    with pytest.raises(RecordFileError, match=problem) as caught:
        read(file(text))
    assert caught.value.line == line


def test_a_line_without_end_is_refused_in_bounded_memory(file, monkeypatch) -> None:
    monkeypatch.setattr(streams, "LONGEST_LINE", 100)
    with pytest.raises(RecordFileError, match="line 2: the line has 100"):
        read(file("1,2\n" + "1" * 500))


def test_a_file_is_read_no_further_than_it_is_asked_for(file, monkeypatch) -> None:
    monkeypatch.setattr(csv_records, "LINES", 10)
    monkeypatch.setattr(streams, "PIECE_BYTES", 37)
    with open_records(str(file("1,2\n" * 25 + "x,2\n"))) as source:
        assert [len(next(source.blocks).records) for _ in range(2)] == [10, 10]
        with pytest.raises(RecordFileError, match="line 26, column 1"):
            next(source.blocks)


def test_delimiters_that_stand_in_numbers_are_refused(file) -> None:
    for delimiter in ("", ",,", ".", "1", "e", '"', "\n"):
        with pytest.raises(InvalidParameterError, match="delimiter"):
            read(file("1,2\n"), delimiter=delimiter)


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "records.parquet").touch()
    with pytest.raises(MissingExtraError, match=r"pyarrow is not installed; install dpmatrix\[parquet\]"):
        read(tmp_path / "records.parquet")


def test_parquet(tmp_path, monkeypatch) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
    from pyarrow import parquet

    path = tmp_path / "records.parquet"
    records = np.random.default_rng(1).standard_normal((100, 2))
    table = {"a": records[:, 0], "b": records[:, 1].astype(np.float32), "n": np.arange(100), "s": ["x"] * 100}
    parquet.write_table(pyarrow.table(table), path, row_group_size=30)
    for cells in (7, 1 << 20):
        monkeypatch.setattr(parquet_records, "CELLS", cells)
        columns, found = read(path, columns=["n", "a", "b"])
        assert columns == ("n", "a", "b")
        assert np.array_equal(found, np.column_stack([table["n"], table["a"], table["b"]]))
        with pytest.raises(
            RecordFileError, match=r"parquet, column 's': its type is not numeric; name the others in --columns"
        ):
            read(path)
    parquet.write_table(pyarrow.table({"a": [1.0, 2.0, None]}), path)
    with pytest.raises(RecordFileError, match="line 3, column 'a': there is no finite number"):
        read(path)
    path.write_bytes(b"not a table")
    with pytest.raises(RecordFileError, match="not a Parquet file"):
        read(path)
