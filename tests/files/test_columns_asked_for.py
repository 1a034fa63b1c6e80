"""Which columns are used: by name or by number, and how an error shows a name."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from dpmatrix.errors import RecordFileError
from dpmatrix.files import FilePart, ParquetPart, open_records, open_source, split_records
from dpmatrix.files.blocks import is_number, places_of, shown
from dpmatrix.files.parquet_records import ParquetReader
from dpmatrix.mechanisms import LaplaceInputPerturbation


def test_what_readers_hand_on_is_built_by_name_alone(file) -> None:
    path = file("1,2\n3,4\n")
    split = split_records(path, parts=1)
    part = FilePart(part=split.parts[0], longest=None)
    with open_records(path) as records, open_source(LaplaceInputPerturbation(1), path) as source:
        (block,) = records.blocks
    assert np.array_equal(block.records, *part.blocks())
    table = ParquetPart(identity=part.part.identity, reader=ParquetReader(path, ("a",), (5,)), groups=(0,))
    assert table.lines_before() == 0
    for one in (block, records, source, split, part, part.part, table, table.identity):
        with pytest.raises(TypeError, match="positional"):
            type(one)(*attrs.astuple(one, recurse=False))


def test_a_name_is_shown_in_forty_characters_at_most() -> None:
    assert shown("a" * 38) == repr("a" * 38)
    assert shown("a" * 39) == "'" + "a" * 36 + "..."
    assert shown("é\n") == r"'\xe9\n'"


def test_a_number_of_a_column_has_nine_digits_at_most() -> None:
    assert is_number("123456789")
    assert not any(map(is_number, ("1234567890", "", "-1", "1.0", "a", "\u0661")))


def test_columns_are_found_by_name_and_else_by_number() -> None:
    names = ["a", "3", "b"]
    assert places_of("name", names, []) == (0, 1, 2)
    assert places_of("name", names, ["b", "1"]) == (2, 0)
    assert places_of("name", names, ["3", "a"]) == (1, 0)
    assert places_of("name", ["a"], ["1"]) == (0,)
    for column in ("0", "4", "c"):
        with pytest.raises(RecordFileError, match=f"there is no column '{column}'") as caught:
            places_of("name", names, [column])
        assert (caught.value.path, caught.value.line, caught.value.column) == ("name", None, None)
    with pytest.raises(RecordFileError, match="column '1' is asked for twice"):
        places_of("name", names, ["a", "1"])
    with pytest.raises(RecordFileError, match="more than one column is called 'a'; use its number"):
        places_of("name", ["a", "a"], ["a"])
