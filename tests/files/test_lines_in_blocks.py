"""How many lines are read at a time, how many cells a line may have, and what an empty file says of its columns."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, RecordFileError
from dpmatrix.files import csv_records, open_records, streams
from dpmatrix.files.csv_records import CsvReader, csv_reader


@pytest.fixture
def slow(monkeypatch) -> None:
    """Let numpy read, also where pyarrow is installed."""
    monkeypatch.setattr(csv_records, "arrow_reader", lambda *_: None)


def sizes(path: str, **options) -> list[int]:
    with open_records(path, **options) as source:
        return [len(block.records) for block in source.blocks]


@pytest.mark.usefixtures("slow")
def test_numpy_reads_8192_lines_at_a_time(file) -> None:
    assert sizes(file("1\n" * 16385)) == [8192, 8192, 1]


@pytest.mark.usefixtures("slow")
def test_numpy_reads_sixteen_megabytes_and_the_rest_of_a_line_at_a_time(file) -> None:
    line = "1" + " " * 65_534 + "\n"
    assert sizes(file(line * 257)) == [256, 1]


@pytest.mark.usefixtures("slow")
def test_a_block_ends_with_the_line_that_fills_it(file, monkeypatch) -> None:
    monkeypatch.setattr(csv_records, "BLOCK_CHARACTERS", 8)
    assert sizes(file("1\n23\n456\n7\n12345678901\n1\n2\n")) == [3, 2, 2]
    assert sizes(file("1\n23\n4\n5\n6\n")) == [4, 1]


def test_a_line_has_a_million_cells_at_most() -> None:
    most = 1 << 20
    assert csv_reader("1," * (most - 1) + "1", "name", False, [], ",").width == most
    with pytest.raises(RecordFileError, match=f"there are more than {most} cells") as caught:
        csv_reader("1," * most + "1", "name", False, [], ",")
    assert (caught.value.path, caught.value.line, caught.value.column) == ("name", 1, None)


def test_an_empty_file_has_as_many_columns_as_somebody_asks_for(monkeypatch) -> None:
    monkeypatch.setattr(csv_records, "MOST_COLUMNS", 100)
    for columns, dimension, found in (
        ([], 2, ("column 1", "column 2")),
        (["3", "2"], None, ("column 3", "column 2")),
        ([], 100, tuple(f"column {place}" for place in range(1, 101))),
    ):
        reader = csv_reader("", "name", None, columns, ",", dimension)
        assert reader.columns == found
        assert list(reader.all_blocks("", io.BytesIO())) == []
    with pytest.raises(RecordFileError, match="records have 100 numbers, and the dimension is 101") as caught:
        csv_reader("", "name", None, [], ",", 101)
    assert (caught.value.path, caught.value.line, caught.value.column) == ("name", 1, None)
    for name in ("a", "column 1"):
        with pytest.raises(RecordFileError, match=f"there is no column '{name}'"):
            csv_reader("", "name", False, [name], ",")
    for header, columns, dimension in ((True, ["1"], 1), (None, ["a"], 1), (None, [], None)):
        with pytest.raises(RecordFileError, match="there is nothing in the file") as caught:
            csv_reader("", "name", header, columns, ",", dimension)
        assert caught.value.line == 1


def test_a_delimiter_is_one_character_that_stands_in_no_number() -> None:
    for delimiter in ("", ";;", *'"\r\n.+-eE0123456789'):
        with pytest.raises(InvalidParameterError) as caught:
            csv_reader("1", "name", None, [], delimiter)
        assert caught.value.parameter == "delimiter"
    for delimiter in ",;\t| \u00a7":
        assert csv_reader(f"1{delimiter}2", "name", None, [], delimiter).width == 2


def test_names_may_hold_what_utf_8_can_write_up_to_its_ends() -> None:
    for name in ("\ud7ff", "\ue000"):
        assert csv_reader(f"a,{name} ", "name", True, [], ",").names == ("a", name)
    for name in ("\ud800", "\udc80", "\udfff"):
        with pytest.raises(RecordFileError, match="its name is not UTF-8") as caught:
            csv_reader(f"a,b{name}", "name", True, [], ",")
        assert (caught.value.path, caught.value.line, caught.value.column) == ("name", 1, "column 2")


def test_a_wrong_cell_of_the_first_line_is_named_by_its_column() -> None:
    with pytest.raises(RecordFileError, match="it is not a number; pass --header") as caught:
        csv_reader("a,1,b", "name", None, ["2", "3"], ",")
    assert (caught.value.path, caught.value.line, caught.value.column) == ("name", 1, "column 3")
    assert csv_reader("a,1,b", "name", None, ["2"], ",").named is False
    assert csv_reader("a,1,b", "name", None, ["b"], ",").named is True


NO_NUMBER = "it is not a finite number; a column of text is left out where --columns (columns=) names the others"


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("lines", [1, 2, 8192])
def test_errors_name_path_line_and_column(file, monkeypatch, lines: int) -> None:
    monkeypatch.setattr(csv_records, "LINES", lines)
    for text, options, line, column, problem in (
        ("1,2\n3,4\n5,x\n", {}, 3, "column 2", NO_NUMBER),
        ("a,b\n3,4\n5,x\n", {"header": True}, 3, "column 2 ('b')", NO_NUMBER),
        ("1,2\n3,4\n5\n", {}, 3, None, "there are 1 cells and not 2"),
        ("1,2\n3,4\n5\n", {"columns": ["1"]}, 3, None, "there are 1 cells and not 2"),
        ('1,2\n3,4\n"5,6"\n', {"columns": ["1"]}, 3, None, "there are 1 cells and not 2"),
        ("1,2\n3,4\n\n", {}, 3, None, "the line is blank, and every line is a record"),
        ("1,2\n3,4\n5,6#7\n", {}, 3, "column 2", NO_NUMBER),
    ):
        path = file(text)
        with pytest.raises(RecordFileError) as caught, open_records(path, **options) as source:
            list(source.blocks)
        found = caught.value
        assert (found.path, found.line, found.column, found.problem) == (path, line, column, problem)


def test_a_first_line_that_is_a_record_may_hold_anything_in_a_column_that_is_not_used(file) -> None:
    with open_records(file(b"\xff,1\nb,2\n"), header=False, columns=["2"]) as source:
        assert [block.records.tolist() for block in source.blocks] == [[[1], [2]]]


@pytest.mark.usefixtures("slow")
def test_lines_that_numpy_refuses_for_no_reason_are_not_passed_over(file, monkeypatch) -> None:
    monkeypatch.setattr(csv_records, "LINES", 2)
    read = np.loadtxt

    def fussy(lines: list[str], **options) -> np.ndarray:
        if lines[0] == "3\n":
            raise ValueError
        return read(lines, **options)

    monkeypatch.setattr(np, "loadtxt", fussy)
    path = file("1\n2\n3\n4\n")
    with pytest.raises(RecordFileError, match="from here on the lines cannot be read as numbers") as caught:
        sizes(path)
    assert (caught.value.path, caught.value.line, caught.value.column) == (path, 3, None)
    assert caught.value.__context__ is None


@pytest.mark.usefixtures("slow")
def test_quoted_cells_are_numbers_and_may_hold_the_delimiter(file) -> None:
    path = file('"a,b","1",2\n"c","3","4"\n')
    with open_records(path, columns=["3", "2"]) as source:
        assert [block.records.tolist() for block in source.blocks] == [[[2, 1], [4, 3]]]


@pytest.mark.usefixtures("slow")
def test_a_cell_may_be_as_long_as_the_csv_module_allows(file) -> None:
    limit = csv.field_size_limit()
    for length, good in ((limit, True), (limit + 1, False)):
        path = file("1;2\n" + "0" * length + ";2\n" + "0" * 10 + ";3\n")
        if good:
            assert sizes(path, delimiter=";") == [3]
            continue
        with pytest.raises(RecordFileError, match="a cell is too long, or the line cannot be cut into cells") as caught:
            sizes(path, delimiter=";")
        assert (caught.value.line, caught.value.column) == (2, None)


def test_blocks_of_pieces_and_of_lines_are_numbered_on(file, monkeypatch) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
    monkeypatch.setattr(csv_records, "LINES", 2)
    monkeypatch.setattr(streams, "PIECE_BYTES", 4)
    # The third piece holds a quote, so the rest is left to numpy.
    with open_records(file('1\n2\n3\n4\n"5"\n6\n7\n8\n9\n')) as source:
        blocks = list(source.blocks)
    assert [block.records.ravel().tolist() for block in blocks] == [[1, 2], [3, 4], [5, 6], [7, 8], [9]]
    assert [[block.line_of(place) for place in range(len(block.records))] for block in blocks] == [
        [1, 2],
        [3, 4],
        [5, 6],
        [7, 8],
        [9],
    ]
    assert np.array_equal(CsvReader("name", False, ("a", "b"), (1,), ",").columns, ["b"])
