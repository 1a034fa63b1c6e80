"""A file as it is opened for a release: who is told how many records there were, and what is left open afterwards."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, RecordFileError
from dpmatrix.files import csv_records, open_records, open_source, release_file, streams
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.randomness.entropy import SeededEntropy

MECHANISM = LaplaceInputPerturbation(1)


class Counting(Executor):
    """Works at once, and counts what it was given."""

    def __init__(self) -> None:
        self.count = 0

    def submit(self, work, /, *arguments, **options):
        """Do it."""
        self.count += 1
        future = Future()
        future.set_result(work(*arguments, **options))
        return future


def test_the_number_of_records_so_far_is_told_after_each_block(file, monkeypatch) -> None:
    monkeypatch.setattr(csv_records, "LINES", 4)
    monkeypatch.setattr(streams, "PIECE_BYTES", 32)
    told = []
    with open_source(MECHANISM, file("0.1,0.2\n" * 10)) as source:
        told.extend(len(block) for block in source.read(lambda count: told.append((count,))))
    assert told == [4, (4,), 4, (8,), 2, (10,)]


def test_the_number_of_records_so_far_is_told_after_each_part(file) -> None:
    told = []
    with open_source(MECHANISM, file("0.1,0.2\n" * 10), parts=3) as source:
        assert sum(part.gram.count for part in source.read(told.append)) == 10
    assert told == [4, 7, 10]


def test_one_part_is_read_where_nothing_is_said(file) -> None:
    path = file("0.1,0.2\n" * 10)
    for executor, options in ((Counting(), {}), (Counting(), {"workers": 3})):
        count = options.get("workers", 1)
        release_file(MECHANISM, path, executor=executor, **options)
        assert executor.count == count
        with open_source(MECHANISM, path, executor=executor, **options) as source:
            assert len(list(source.read(lambda _: None))) == count


def test_one_part_more_than_are_read_at_a_time_is_kept_waiting(file) -> None:
    path = file("0.1,0.2\n" * 10)
    for count in (1, 3):
        executor = Counting()
        with open_source(MECHANISM, path, executor=executor, workers=count, parts=10) as source:
            next(iter(source.read(lambda _: None)))
        assert executor.count == count + 1


@pytest.mark.parametrize("parts", [None, 2])
@pytest.mark.parametrize("late", [False, True])
def test_a_change_before_the_first_record_is_read_is_noticed(file, parts, late: bool) -> None:
    path = file("0.1,0.2\n" * 10)
    os.utime(path, (10**9, 10**9))
    with open_source(MECHANISM, path, parts=parts) as source:
        blocks = iter(source.read(lambda _: None))
        if late:
            next(blocks)
        Path(path).touch()
        with pytest.raises(RecordFileError, match="it changed while it was read"):
            list(blocks)


def test_a_table_that_changes_before_it_is_read_is_noticed(tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra of its own")
    path = tmp_path / "records.parquet"
    parquet.write_table(pyarrow.table({"a": [0.5, 0.25]}), path)
    os.utime(path, (10**9, 10**9))
    with open_records(str(path)) as source:
        path.touch()
        with pytest.raises(RecordFileError, match="changed") as caught:
            list(source.blocks)
    assert caught.value.path == str(path)
    with pytest.raises(RecordFileError, match="the dimension is 2"), open_records(str(path), dimension=2):
        pass


def handles_of(path: str) -> list[str]:
    """List the handles of this process that are of the file; the one that lists them is gone afterwards."""
    return [handle.name for handle in Path("/proc/self/fd").iterdir() if os.path.realpath(handle) == path]


def test_a_file_is_closed_and_the_standard_input_is_not(file) -> None:
    path = file("0.1,0.2\n0.3,0.4\n")
    with open_records(path) as source:
        assert source.columns == ("column 1", "column 2")
        assert len(handles_of(path)) == 1
    assert not handles_of(path)
    kept = os.dup(0)
    try:
        handle = os.open(path, os.O_RDONLY)
        os.dup2(handle, 0)
        os.close(handle)
        with open_records("-") as source:
            assert np.vstack([block.records for block in source.blocks]).tolist() == [[0.1, 0.2], [0.3, 0.4]]
        os.fstat(0)
        assert handles_of(path) == ["0"]
    finally:
        os.dup2(kept, 0)
        os.close(kept)


def test_a_dimension_that_is_not_positive_is_refused_by_name(file) -> None:
    for wrong in (0, 1.5):
        with pytest.raises(InvalidParameterError) as caught, open_records(file("1,2\n"), dimension=wrong):
            pass
        assert caught.value.parameter == "dimension"


def test_a_record_that_is_too_long_is_refused_only_where_that_is_asked_for(file) -> None:
    path = file("0.1,0.2\n3,4\n")
    strict = LaplaceInputPerturbation(1, over_norm="reject")
    for parts in (None, 2):
        entropy = SeededEntropy(1)
        assert release_file(MECHANISM, path, parts=parts, entropy=entropy) == MECHANISM.release(
            [[0.1, 0.2], [3, 4]], entropy=SeededEntropy(1)
        )
        with pytest.raises(RecordFileError, match="a record is longer than 1") as caught:
            release_file(strict, path, parts=parts)
        assert (caught.value.path, caught.value.line) == (path, None)
    wide = LaplaceInputPerturbation(1, over_norm="reject", norm_bound=5)
    for parts in (None, 2):
        assert release_file(wide, path, parts=parts).private
