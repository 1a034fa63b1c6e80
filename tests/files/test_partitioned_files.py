"""A file cut into parts is the same file: the same release from the same bits, the same errors at the same lines."""

from __future__ import annotations

import itertools
import os
import pickle
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import attrs
import numpy as np
import pytest
from attrs import frozen

from dpmatrix.errors import InvalidParameterError, MissingExtraError, RecordFileError, WorkerLostError
from dpmatrix.files import (
    FilePart,
    csv_records,
    open_records,
    parquet_records,
    release_file,
    split_records,
    splitting,
)
from dpmatrix.mechanisms import LaplaceInputPerturbation, LatticeGram, SymmetrisedWishartMechanism
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.mechanisms.partitions import PartialGram, sum_partitions
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

RECORDS = np.random.default_rng(8).uniform(-0.5, 0.5, (60, 3))
PARTS = (1, 2, 5, 1000)


def text_of(records: np.ndarray, end: str = "\n") -> str:
    return end.join(",".join(map(repr, row)) for row in records.tolist()) + end


@pytest.fixture(scope="module", params=["processes", "threads"])
def executor(request) -> Iterator[Executor]:
    kind = {"processes": ProcessPoolExecutor, "threads": ThreadPoolExecutor}[request.param]
    with kind(max_workers=2) as pool:
        yield pool


def built(name: str, **more):
    delta = {"delta": 1e-6} if name in {"gaussian", "gaussian-orthogonal", "mod-sulq"} else {}
    return {**MATRICES, **DIRECTIONS}[name](epsilon=1, **delta, **more)


def rows_of(path: str, parts: int, **options) -> list[np.ndarray]:
    """Read the records of every part."""
    split = split_records(path, parts=parts, **options)
    width = len(split.columns)
    return [
        np.vstack([np.empty((0, width)), *FilePart(part=part, longest=None).blocks()])
        for part in pickle.loads(pickle.dumps(split.parts))
    ]


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("mechanism", [*MATRICES, *DIRECTIONS])
def test_the_release_is_that_of_one_process(file, executor, mechanism: str, adjacency: Adjacency) -> None:
    path = file("a,b,c\n" + text_of(RECORDS))
    chosen = built(mechanism, adjacency=adjacency)
    alone = release_file(chosen, path, header=True, entropy=SeededEntropy(3))
    assert alone == chosen.release_blocks([RECORDS], 3, entropy=SeededEntropy(3))
    for parts in PARTS[:3]:
        for pool in (executor, None):
            options = {"header": True, "executor": pool, "workers": 2, "parts": parts}
            together = release_file(chosen, path, entropy=SeededEntropy(3), **options)
            assert together == alone
    assert release_file(chosen, path, header=True, executor=executor).private
    other = release_file(chosen, path, header=True, executor=executor, parts=2, entropy=SeededEntropy(4))
    assert not np.array_equal(other.integers, alone.integers)


@pytest.mark.parametrize("parts", range(1, 40))
@pytest.mark.parametrize(
    "text",
    [
        text_of(RECORDS[:7]),
        "a,b,c\n" + text_of(RECORDS[:7]),
        "\ufeffa,b,c\r\n" + text_of(RECORDS[:7], "\r\n"),
        '"a","b","c"\n"' + text_of(RECORDS[:7]).strip().replace(",", '","').replace("\n", '"\n"') + '"',
        text_of(RECORDS[:7], "\r"),
        text_of(RECORDS[:7]).rstrip(),
    ],
    ids=["plain", "named", "marked", "quoted", "returns", "unended"],
)
def test_every_record_is_in_one_part(file, text: str, parts: int) -> None:
    found = rows_of(file(text), parts, header="a" in text)
    assert np.array_equal(np.vstack(found), RECORDS[:7])
    if parts == 2 and "\r" not in text.replace("\r\n", ""):
        assert len(found) == 2
        assert all(len(part) for part in found)


def test_parts_that_hold_nothing(file, executor) -> None:
    mechanism = LaplaceInputPerturbation(1)
    alone = release_file(mechanism, file(text_of(RECORDS[:2])), entropy=SeededEntropy(1))
    # The first part is the header alone.
    path = file(f"{'a' * 200},b,c\n" + text_of(RECORDS[:2]))
    sizes = [len(part) for part in rows_of(path, 2, header=True)]
    assert sizes == [0, 2]
    options = {"header": True, "executor": executor, "parts": 2}
    assert release_file(mechanism, path, entropy=SeededEntropy(1), **options) == alone
    empty = file("a,b\n")
    with pytest.raises(InvalidParameterError, match="no record"):
        release_file(mechanism, empty, header=True, executor=executor)
    other = attrs.evolve(mechanism, adjacency=Adjacency.ADD_REMOVE_ONE)
    assert release_file(other, empty, header=True, executor=executor).private
    for header in (True, False, None):
        with pytest.raises(RecordFileError, match="nothing in the file"):
            release_file(mechanism, file(""), header=header, executor=executor)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        ("0.1,x,0.1", "column 2 .'b'.: it is not a finite number"),
        ("0.1,nan,0.1", "column 2 .'b'.: it is not a finite number"),
        ("", "blank"),
        ("0.1,0.1", "2 cells and not 3"),
        ("0.9,0.9,0.9", "longer than 1; no guarantee covers"),
        ('0.1,0.1,"0.1', "does not end on its line"),
    ],
)
def test_an_error_in_any_part_names_the_line_of_the_file(file, executor, end: str, spoiled: str, words: str) -> None:
    lines = ["a,b,c", *text_of(RECORDS).split()]
    mechanism = LaplaceInputPerturbation(1, over_norm="reject")
    for wrong in (1, 30, 45, 60):
        changed = [*lines]
        # A later one as well: the first in the order of the file is named, whoever is faster.
        changed[wrong] = changed[60] = spoiled
        path = file(end.join(changed) + end)
        for pool, parts in ((None, None), *((executor, parts) for parts in PARTS)):
            with pytest.raises(RecordFileError, match=words) as caught:
                release_file(mechanism, path, header=True, executor=pool, workers=3, parts=parts)
            # Which record is too long is not said.
            line = None if "longer" in words else wrong + 1
            assert (caught.value.path, caught.value.line) == (path, line)


@pytest.mark.parametrize("lines", [1, 2, 8192])
@pytest.mark.parametrize("columns", [[], ["a", "b"]])
def test_a_cell_that_goes_on_in_the_next_line_is_refused_wherever_the_file_is_cut(
    file, monkeypatch, columns: list[str], lines: int
) -> None:
    """Else the end of a part, or of the file, would end the cell, and what is read would depend on the cut."""
    monkeypatch.setattr(csv_records, "LINES", lines)
    mechanism = LaplaceInputPerturbation(1)
    for text, line in (
        ('"a",b,"c\nd"\n1,2,3\n', 1),
        ('a,b,c\n1,2,3\n1,2,"3\n4"\n1,2,3\n', 3),
        ('a,b,c\n1,2,"3\n1,2,3\n', 2),
        ('a,b,c\n1,2,3\n1,2,"3', 3),
        ('a,b,c\n1,2,3\n"1\n",2,3\n', 3),
    ):
        for parts in (None, *PARTS):
            with pytest.raises(RecordFileError, match="write every record on one line") as caught:
                release_file(mechanism, file(text), header=True, columns=columns, parts=parts)
            assert caught.value.line == line


@pytest.mark.parametrize("counted", [1, 2, 3, 1 << 20])
def test_lines_are_counted_whatever_ends_them(file, monkeypatch, counted: int) -> None:
    monkeypatch.setattr("dpmatrix.files.parts.COUNTED_BYTES", counted)
    path = file("1\r\n2\r3\n\n\r4\r\n5\n6")
    lines = 0
    for start, piece in itertools.pairwise(split_records(path, parts=100).parts):
        lines += len(Path(path).read_bytes()[start.start : start.stop].decode().splitlines())
        assert piece.lines_before() == lines
    assert lines == 7


def test_quotes_within_a_line_are_read(file) -> None:
    path = file('name,b\n"a, ""b""",1\n5" pipe,2\n')
    for parts in PARTS:
        assert np.array_equal(np.vstack(rows_of(path, parts, columns=["b"])), [[1], [2]])


def test_longer_records_are_clipped_in_the_parts(file, executor) -> None:
    path = file("3,4\n0.1,0.2\n6,8\n")
    mechanism = LaplaceInputPerturbation(1)
    alone = release_file(mechanism, path, entropy=SeededEntropy(2))
    for parts in PARTS:
        assert release_file(mechanism, path, executor=executor, parts=parts, entropy=SeededEntropy(2)) == alone
    assert alone == mechanism.release_blocks([[[3, 4], [0.1, 0.2], [6, 8]]], 2, entropy=SeededEntropy(2))


@frozen
class Dies:
    """Ends the process that reads it, or waits to be read."""

    status: int

    def blocks(self) -> Iterator[np.ndarray]:
        """Read it."""
        if self.status:
            os._exit(self.status)
        yield RECORDS


def test_a_worker_that_dies_ends_the_release() -> None:
    entropy = SeededEntropy(1)
    mechanism = LaplaceInputPerturbation(1)
    with ProcessPoolExecutor(max_workers=2) as pool:
        sums = sum_partitions(mechanism, [Dies(0), Dies(3), *[Dies(0)] * 5], 3, executor=pool, workers=2)
        with pytest.raises(WorkerLostError, match="before its part"):
            mechanism.release_blocks(sums, 3, entropy=entropy)
    # No noise was drawn, so nothing can have been released.
    assert entropy.bits(64) == SeededEntropy(1).bits(64)
    with pytest.raises(WorkerLostError):
        next(sum_partitions(mechanism, [Dies(0)], 3, executor=_Cancelled(), workers=2))


class _Cancelled(Executor):
    """Cancels whatever it is given, as a cluster that is shut down."""

    def submit(self, work, /, *arguments, **options):  # noqa: ARG002
        future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_large_files_are_cut_into_parts_that_outweigh_their_sums(file, monkeypatch) -> None:
    monkeypatch.setattr(splitting, "PART_BYTES", 100)
    path = file(text_of(RECORDS))
    size = Path(path).stat().st_size
    assert len(split_records(path, workers=2).parts) == -(-size // 288) > 10
    assert len(split_records(path, workers=2, columns=["1"]).parts) == -(-size // 100)
    monkeypatch.setattr(splitting, "PART_BYTES", 1 << 24)
    assert len(split_records(path, workers=3).parts) == 3


def test_few_parts_are_under_way_at_a_time() -> None:
    asked = []

    def partitions() -> Iterator[Dies]:
        for place in range(20):
            asked.append(place)
            yield Dies(0)

    with ThreadPoolExecutor(2) as pool:
        sums = sum_partitions(LaplaceInputPerturbation(1), partitions(), 3, executor=pool, workers=2)
        next(sums)
        assert len(asked) <= 4
        assert sum(found.gram.count for found in sums) == 19 * len(RECORDS)


def test_a_file_that_is_not_the_one_that_was_cut_is_refused(file, tmp_path) -> None:
    path = file("a,b,c\n" + text_of(RECORDS))
    parts = [FilePart(part=part, longest=None) for part in split_records(path, header=True, parts=3).parts]
    changed = Path(path).read_bytes().replace(b"\n", b"\n0", 1)
    for content in (changed, changed[: len(Path(path).read_bytes())], b""):
        Path(path).write_bytes(content)
        for part in parts:
            with pytest.raises(RecordFileError, match="it must be the same for every worker"):
                list(part.blocks())
    Path(path).unlink()
    with pytest.raises(RecordFileError, match=r"cannot read .* must be there for every worker"):
        list(parts[1].blocks())


def test_what_cannot_be_cut(file, tmp_path) -> None:
    mechanism = LaplaceInputPerturbation(1)
    for path in ("-", str(tmp_path)):
        with pytest.raises(InvalidParameterError, match="cannot be cut"):
            release_file(mechanism, path, parts=2)
    with pytest.raises(FileNotFoundError):
        release_file(mechanism, str(tmp_path / "none"), parts=2)
    for options in ({"delimiter": "1"}, {"columns": ["d"]}, {"parts": 0}, {"parts": 1.5}, {"workers": 0}):
        with pytest.raises((InvalidParameterError, RecordFileError)):
            release_file(mechanism, file(text_of(RECORDS)), **{"parts": 2, **options})


def test_sums_are_those_of_the_mechanism_that_releases() -> None:
    mechanism = LaplaceInputPerturbation(1)
    part = mechanism.partial_gram([RECORDS], 3)
    multiples = np.trunc(RECORDS * 2**20).astype(int)
    assert np.array_equal(part.gram.matrix(), multiples.T @ multiples)
    release = mechanism.release_blocks([RECORDS[:5], part, RECORDS[5:7]], 3, entropy=SeededEntropy(1))
    whole = mechanism.release_blocks([RECORDS, RECORDS[:7]], 3, entropy=SeededEntropy(1))
    assert release == whole
    with pytest.raises(InvalidParameterError, match="allowed a norm of 2, more than 1"):
        mechanism.release_blocks([LaplaceInputPerturbation(1, norm_bound=2).partial_gram([RECORDS], 3)], 3)
    for other in (LaplaceInputPerturbation(1, coordinate_bits=21), SymmetrisedWishartMechanism(1, norm_bound=0.5)):
        with pytest.raises(InvalidParameterError, match="the same form"):
            mechanism.release_blocks([other.partial_gram([RECORDS / 2], 3)], 3)
    with pytest.raises(InvalidParameterError, match="the same form"):
        mechanism.release_blocks([PartialGram(gram=LatticeGram(2, 20), norm_bound=mechanism.norm_bound)], 3)


def test_errors_survive_the_journey() -> None:
    for error in (
        MissingExtraError("pyarrow", "parquet"),
        RecordFileError("file", 3, "column 1", "problem"),
        InvalidParameterError("a", "b", "c"),
        WorkerLostError("lost"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))


def test_parquet_in_parts(tmp_path, executor, monkeypatch) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
    from pyarrow import parquet

    monkeypatch.setattr(parquet_records, "CELLS", 12)
    path = str(tmp_path / "records.parquet")
    names = ["a", "b", "c"]
    mechanism = SymmetrisedWishartMechanism(1)

    def write(records: np.ndarray) -> None:
        parquet.write_table(pyarrow.table(dict(zip(names, records.T, strict=True))), path, row_group_size=7)

    write(RECORDS)
    alone = release_file(mechanism, path, columns=["c", "a"], entropy=SeededEntropy(5))
    for parts in PARTS:
        assert len(split_records(path, parts=parts).parts) == min(parts, 9)
        assert np.array_equal(np.vstack(rows_of(path, parts)), RECORDS)
        options = {"columns": ["c", "a"], "executor": executor, "workers": 2, "parts": parts}
        assert release_file(mechanism, path, entropy=SeededEntropy(5), **options) == alone
    for wrong, value in ((31, np.nan), (7, 3.0), (59, np.inf)):
        spoiled = RECORDS.copy()
        spoiled[[wrong, 59], [2, 1]] = value
        spoiled[wrong, 1] = value
        write(spoiled)
        for pool, parts in ((None, None), *((executor, parts) for parts in PARTS)):
            with pytest.raises(RecordFileError, match="longer" if value == 3 else "column 'b'") as caught:
                release_file(attrs.evolve(mechanism, over_norm="reject"), path, executor=pool, parts=parts)
            assert caught.value.line == (None if value == 3 else wrong + 1)
    write(RECORDS[:0])
    with pytest.raises(InvalidParameterError, match="no record"):
        release_file(mechanism, path, executor=executor)


def test_a_cluster_releases_the_same(file) -> None:
    """The executor of a `distributed` cluster, two processes of this machine."""
    distributed = pytest.importorskip("distributed", reason="a cluster is an extra of its own")
    path = file("a,b,c\n" + text_of(RECORDS))
    mechanism = SymmetrisedWishartMechanism(1)
    alone = release_file(mechanism, path, header=True, entropy=SeededEntropy(7))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        pool = client.get_executor()
        for parts in (2, 5):
            options = {"header": True, "executor": pool, "workers": 2, "parts": parts}
            found = release_file(mechanism, path, entropy=SeededEntropy(7), **options)
            assert found == alone
        Path(path).write_text(text_of(np.vstack([RECORDS[:40], 9 * RECORDS[40:]])), encoding="utf-8")
        with pytest.raises(RecordFileError, match="a record is longer"):
            release_file(attrs.evolve(mechanism, over_norm="reject"), path, executor=pool, workers=2, parts=5)


def test_serial_reading_and_parts_have_the_same_columns(file) -> None:
    path = file("x;a;b\nann;1;2\nbob;3;4\n")
    with open_records(path, delimiter=";", columns=["b", "2"]) as source:
        assert source.columns == split_records(path, parts=2, delimiter=";", columns=["b", "2"]).columns == ("b", "a")
    assert np.array_equal(np.vstack(rows_of(path, 2, delimiter=";", columns=["b", "2"])), [[2, 1], [4, 3]])
