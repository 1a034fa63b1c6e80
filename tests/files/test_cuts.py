"""Where a file is cut: near equal distances, at beginnings of lines, and into parts that are worth a journey."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, RecordFileError
from dpmatrix.files import CsvPart, FileIdentity, ParquetPart, parquet_records, split_records, splitting
from dpmatrix.files.parquet_records import ParquetReader, parquet_reader


def expected_cuts(content: bytes, wanted: int) -> list[tuple[int, int]]:
    """List the parts by looking at every beginning of a line."""
    size = len(content)
    begins = [place for place in range(1, size) if content[place - 1 : place] == b"\n"] + [size]
    guesses = [size * place // wanted for place in range(1, wanted)]
    chosen = sorted({0, size, *(min(begin for begin in begins if begin >= guess) for guess in guesses if guess)})
    return list(pairwise(chosen))


@pytest.mark.parametrize(
    "content", [b"1\n2\n3\n4\n5\n", b"12\n34\n56\n78\n90\n", b"1\n23\n4\n567\n8\n90", b"1234567\n8", b"1"]
)
def test_parts_begin_at_the_first_line_after_every_equal_distance(file, content: bytes) -> None:
    path = file(content)
    for wanted in range(1, 2 * len(content)):
        parts = split_records(path, parts=wanted).parts
        assert [(part.start, part.stop) for part in parts] == expected_cuts(content, wanted)


def test_a_file_that_grows_is_read_up_to_where_it_ended(file, monkeypatch) -> None:
    path = file("1\n234")

    class Growing:
        @staticmethod
        def of(name: str, place: Path) -> FileIdentity:
            found = FileIdentity.of(name, place)
            place.write_bytes(b"1\n23456\n")
            return found

    monkeypatch.setattr(splitting, "FileIdentity", Growing)
    assert [(part.start, part.stop) for part in split_records(path, parts=5).parts] == [(0, 2), (2, 5)]


def test_a_part_has_sixteen_megabytes_where_nothing_else_is_said(tmp_path) -> None:
    path = tmp_path / "sparse.csv"
    with path.open("wb") as handle:
        handle.write(b"1\n")
        for place in range(1, 17):
            handle.seek((place << 22) - 1)
            handle.write(b"\n")
    assert len(split_records(str(path)).parts) == 4
    assert len(split_records(str(path), workers=3).parts) == 4
    assert len(split_records(str(path), workers=5).parts) == 5


def test_a_part_outweighs_four_sums_of_eight_bytes_an_entry(file, monkeypatch) -> None:
    monkeypatch.setattr(splitting, "PART_BYTES", 1)
    path = file((",".join(["1"] * 10) + "\n") * 6400)
    assert len(split_records(path).parts) == 40
    monkeypatch.setattr(splitting, "PART_BYTES", 3199)
    assert len(split_records(path).parts) == 40
    monkeypatch.setattr(splitting, "PART_BYTES", 6400)
    assert len(split_records(path).parts) == 20


@pytest.mark.parametrize("name", ["parts", "workers", "dimension"])
def test_numbers_that_are_not_positive_are_refused_by_name(file, name: str) -> None:
    for wrong in (0, -1, 1.5):
        with pytest.raises(InvalidParameterError) as caught:
            split_records(file("1,2\n"), **{name: wrong})
        assert caught.value.parameter == name


def test_what_is_no_file_cannot_be_cut(tmp_path) -> None:
    for path in ("-", str(tmp_path)):
        with pytest.raises(InvalidParameterError, match="cannot be cut into parts") as caught:
            split_records(path)
        assert caught.value.parameter == "file"


def test_a_dimension_and_a_first_line_are_checked_before_any_part_is_read(file) -> None:
    with pytest.raises(RecordFileError, match="records have 2 numbers, and the dimension is 3"):
        split_records(file("1,2\n"), dimension=3)
    with pytest.raises(RecordFileError, match="line 1, column 2: it is not a number") as caught:
        split_records(file("1,b\n"))
    assert caught.value.path == file("1,b\n")
    assert split_records(file("a;b\n1;2\n"), delimiter=";", columns=["b"], dimension=1).columns == ("b",)


def test_a_part_that_was_read_is_closed(file) -> None:
    path = file("1,2\n3,4\n")
    (part,) = split_records(path).parts
    handle = os.open(path, os.O_RDONLY)
    os.close(handle)
    blocks = part.blocks()
    assert len(next(blocks).records) == 2
    assert not list(blocks)
    again = os.open(path, os.O_RDONLY)
    os.close(again)
    assert again == handle


def test_lines_before_a_part_are_those_that_end_before_it(file) -> None:
    path = file("a\n1\n2\r\n3\n")
    reader = split_records(path, header=True).parts[0].reader
    identity = FileIdentity.of(path, Path(path))
    for start, lines in ((0, 0), (2, 1), (4, 2), (7, 3), (9, 4)):
        assert CsvPart(identity=identity, reader=reader, start=start, stop=9).lines_before() == lines


@pytest.fixture
def table(tmp_path):
    """Write rows in groups of seven, and return the path."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra of its own")

    def write(rows: int, size: int = 7, names: str = "ab") -> str:
        path = str(tmp_path / "records.parquet")
        columns = {name: np.arange(rows) + place / 4 for place, name in enumerate(names)}
        parquet.write_table(pyarrow.table(columns), path, row_group_size=size)
        return path

    return write


def test_row_groups_are_shared_out_evenly(table) -> None:
    path = table(35)
    for wanted, groups in ((1, [(0, 1, 2, 3, 4)]), (2, [(0, 1, 2), (3, 4)]), (9, [(0,), (1,), (2,), (3,), (4,)])):
        assert [part.groups for part in split_records(path, parts=wanted).parts] == groups
    assert [part.lines_before() for part in split_records(path, parts=2).parts] == [0, 21]
    assert len(split_records(path).parts) == 1
    assert len(split_records(path, workers=3).parts) == 3
    assert split_records(path, dimension=2).columns == ("a", "b")
    with pytest.raises(RecordFileError, match="there are 2 columns, and the dimension is 3"):
        split_records(path, dimension=3)


def test_a_table_is_found_where_it_stands_and_named_as_it_was_called(table, monkeypatch) -> None:
    path = Path(table(7))
    monkeypatch.chdir(path.parent)
    (part,) = split_records(path.name).parts
    assert (part.reader.path, part.identity.path, part.identity.file) == (path.name, path.name, path)
    monkeypatch.chdir("/")
    assert len(list(part.blocks())) == 1


def test_a_large_table_is_cut_by_its_size(table, monkeypatch) -> None:
    path = table(70)
    size = Path(path).stat().st_size
    monkeypatch.setattr(splitting, "PART_BYTES", -(-size // 4))
    assert len(split_records(path).parts) == 4


def test_a_table_without_rows_is_one_part_without_groups(table) -> None:
    parts = split_records(table(0), parts=3).parts
    assert len(parts) == 1
    assert not sum(len(block.records) for block in parts[0].blocks())
    empty = ParquetPart(identity=parts[0].identity, reader=parts[0].reader, groups=())
    assert empty.lines_before() == 0
    assert not list(empty.blocks())


def test_rows_are_read_so_many_cells_at_a_time_and_numbered_from_one(table, monkeypatch) -> None:
    for cells, names, sizes in (
        (8, "ab", [4, 4, 4, 2]),
        (5, "a", [5, 5, 4]),
        (3, "abcd", [1] * 14),
        (1, "a", [1] * 14),
    ):
        monkeypatch.setattr(parquet_records, "CELLS", cells)
        path = table(14, 14, names)
        blocks = list(ParquetReader(path, tuple(names), (14,)).blocks(path, [0]))
        assert [len(block.records) for block in blocks] == sizes
        numbers = [block.line_of(place) for block in blocks for place in range(len(block.records))]
        assert numbers == list(range(1, 15))


def test_a_million_cells_are_read_at_a_time(table) -> None:
    path = table((1 << 20) + 1, 1 << 21, "a")
    sizes = [len(block.records) for block in ParquetReader(path, ("a",), (1,)).blocks(path, [0])]
    assert sizes == [1 << 20, 1]


def test_a_table_without_columns_is_refused(table) -> None:
    with pytest.raises(RecordFileError, match="it has no columns"):
        split_records(table(0, names=""))


def test_a_table_is_read_where_it_stands_and_named_as_it_was_called(table) -> None:
    path = table(14)
    reader = parquet_reader(path, "name", None, ["b"])
    assert reader == ParquetReader("name", ("b",), (7, 7))
    (block,) = reader.blocks(path, [1])
    assert block.records.tolist() == [[place + 0.25] for place in range(7, 14)]
    Path(path).write_bytes(b"PAR1")
    for attempt in (lambda: parquet_reader(path, "name", None, []), lambda: list(reader.blocks(path, [0]))):
        with pytest.raises(RecordFileError, match="it is not a Parquet file") as caught:
            attempt()
        assert caught.value.path == "name"


def test_the_row_from_which_a_table_cannot_be_read_is_named(table, monkeypatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra of its own")
    monkeypatch.setattr(parquet_records, "CELLS", 7)
    path = Path(table(21, names="a"))
    with parquet.ParquetFile(path) as opened:
        place = opened.metadata.row_group(1).column(0).dictionary_page_offset
    content = bytearray(path.read_bytes())
    content[place : place + 30] = b"\xff" * 30
    path.write_bytes(content)
    blocks = ParquetReader("name", ("a",), (7, 7, 7)).blocks(str(path), [0, 1, 2], 5)
    assert next(blocks).line_of(0) == 5
    with pytest.raises(RecordFileError, match="from here on the file cannot be read") as caught:
        next(blocks)
    assert (caught.value.path, caught.value.line, caught.value.column) == ("name", 12, None)
    assert caught.value.__context__ is None
