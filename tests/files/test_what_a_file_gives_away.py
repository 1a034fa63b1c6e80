"""What a file of records says to the public and to whoever sees an error, and that every line of it is a record."""

from __future__ import annotations

import json
import os
import threading
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.errors import DpmatrixError, InvalidParameterError, RecordFileError
from dpmatrix.files import csv_records, open_records, release_file, split_records, streams
from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

pytestmark = pytest.mark.usefixtures("reader")

SECRET = "SSN 123-45-6789"


def read(path: str, **options) -> tuple[tuple[str, ...], np.ndarray]:
    with open_records(path, **options) as source:
        return source.columns, np.vstack([block.records for block in source.blocks])


def run(*arguments: object):
    return CliRunner().invoke(app, ["pca", *map(str, arguments), "--epsilon", "1", "--norm-bound", "1", "--json"])


# The first line


@pytest.mark.parametrize("first", ["alice smith,HIV+", "?,?", "\u0661,\u0662", "x,y", '"0.5 ","a"', "\ufeffa,b", ","])
def test_a_first_line_that_may_be_a_record_is_not_published(file, first: str) -> None:
    path = file(f"{first}\n0.1,0.2\n0.3,0.1\n")
    done = run(path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "pass --header (header=True) if line 1 names the columns, --no-header" in done.stderr
    for cell in first.split(","):
        assert not cell or cell.strip('"') not in done.stderr.removeprefix(f"RecordFileError: {path}")[:20]
    for parts in (None, 2):
        with pytest.raises(RecordFileError, match="pass --header"):
            release_file(LaplaceInputPerturbation(1), path, parts=parts)
    assert run(path, "--no-header").exit_code == 2
    assert json.loads(run(path, "--header").stdout)["records"] == 2


def test_names_are_published_where_somebody_says_that_they_are_names(file) -> None:
    path = file("name,height,mass\nann,0.1,0.2\nbob,0.3,0.1\n")
    done = json.loads(run(path, "--columns", "mass,height").stdout)
    assert (done["columns"], done["records"]) == (["mass", "height"], 2)
    # A number says nothing of names.
    assert run(path, "--columns", "2,3").exit_code == 2
    done = json.loads(run(path, "--columns", "2,3", "--header").stdout)
    assert (done["columns"], done["records"]) == (["height", "mass"], 2)
    path = file("ann,0.1,0.2\nbob,0.3,0.1\n")
    done = json.loads(run(path, "--columns", "2,3").stdout)
    assert (done["columns"], done["records"]) == (["column 2", "column 3"], 2)
    with pytest.raises(RecordFileError, match="there is no column 'mass'"):
        read(path, columns=["mass"])


def test_a_first_line_of_numbers_is_a_record_unless_somebody_says_otherwise(file) -> None:
    path = file("0,1\n0.5,0.5\n")
    for header in (None, False):
        assert np.array_equal(read(path, header=header)[1], [[0, 1], [0.5, 0.5]])
    columns, found = read(path, header=True)
    assert columns == ("0", "1")
    assert np.array_equal(found, [[0.5, 0.5]])


def test_names_that_several_columns_have(file) -> None:
    path = file("a,b,a\n1,2,3\n")
    assert np.array_equal(read(path, columns=["3", "b"], header=True)[1], [[3, 2]])
    for columns, problem in ((["a"], "more than one"), (["b", "2"], "asked for twice"), (["1", "1"], "twice")):
        with pytest.raises(RecordFileError, match=problem):
            read(path, columns=columns, header=True)


def test_names_that_cannot_be_printed_are_refused(file) -> None:
    done = run(file(b"a,\xff\n0.1,0.2\n"), "--header")
    assert done.exit_code == 2
    assert "column 2: its name is not UTF-8" in done.stderr


# Blank lines


@pytest.mark.parametrize("parts", [None, 1, 2])
@pytest.mark.parametrize(
    ("delimiter", "text", "line"),
    [
        (",", "0.5\n\n0.3\n", 2),
        (",", "0.5\n0.3\n\n", 3),
        (",", "0.5\n \n0.3\n", 2),
        ("\t", "0.5\t0.5\n\t\n0.3\t0.1\n", 2),
        ("\t", "\t\n0.3\t0.1\n", 1),
        (" ", "0.5 0.5\n \n0.3 0.1\n", 2),
        (" ", "0.5\n \n0.3\n", 2),
        (";", "0.5;0.5\r\n\r\n0.3;0.1\r\n", 2),
        (",", "0.5,0.5\n,\n0.3,0.1\n", 2),
        (",", "0.5\n\x0b\n0.3\n", 2),
        (",", '0.5\n""\n0.3\n', 2),
        (",", "\n0.5\n", 1),
    ],
)
def test_a_record_without_numbers_is_never_passed_over(file, delimiter, text, line, parts) -> None:
    path = file(text)
    with pytest.raises(RecordFileError) as caught:
        release_file(LaplaceInputPerturbation(1), path, delimiter=delimiter, header=False, parts=parts)
    assert caught.value.line == line


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
def test_the_end_of_the_last_line_is_no_record(file, end: str) -> None:
    assert np.array_equal(read(file((end or "\n").join(["0.5", "0.25"]) + end))[1], [[0.5], [0.25]])


# Errors


def chain_of(error: BaseException) -> list[BaseException]:
    """Return an error with all that it keeps of others, shown or not."""
    found: list[BaseException] = []
    left = [error]
    while left:
        if (last := left.pop()) is not None and last not in found:
            found.append(last)
            left += [last.__cause__, last.__context__]
    return found


@pytest.mark.parametrize("lines", [1, 8192])
@pytest.mark.parametrize("columns", [[], ["1", "2"]])
@pytest.mark.parametrize(
    "spoiled",
    [f"0.1,{SECRET}", f'0.1,"{SECRET}', f"0.1,{SECRET},1", SECRET, f'0.1,"{SECRET}"x', f"0.1,{SECRET}" * 20000],
)
def test_no_error_holds_a_cell(file, monkeypatch, columns, spoiled: str, lines: int) -> None:
    monkeypatch.setattr(csv_records, "LINES", lines)
    mechanism = LaplaceInputPerturbation(1)
    for text in (f"0.1,0.2\n{spoiled}\n0.3,0.1\n", f"{spoiled}\n0.3,0.1\n"):
        path = file(text)
        for header in (None, False):
            for parts in (None, 2):
                with pytest.raises(RecordFileError) as caught:
                    release_file(mechanism, path, header=header, columns=columns, parts=parts)
                for error in chain_of(caught.value):
                    assert isinstance(error, RecordFileError)
                    assert "123-45" not in repr(error) + str(error)


def test_no_error_of_a_worker_holds_a_cell(file) -> None:
    path = file(f"0.1,0.2\n0.1,{SECRET}\n")
    with ProcessPoolExecutor(1) as pool, pytest.raises(RecordFileError) as caught:
        release_file(LaplaceInputPerturbation(1), path, executor=pool, parts=2)
    assert not any("123-45" in repr(error) + str(error) for error in chain_of(caught.value))


def test_the_command_shows_no_cell(file) -> None:
    for options in ([], ["--header"], ["--no-header"], ["--workers", "2"]):
        done = run(file(f"0.1,0.2\n0.1,{SECRET}\n"), *options)
        assert done.exit_code == 2
        assert "line 2, column 2" in done.stderr
        assert "123-45" not in done.output
        assert not any("123-45" in repr(error) for error in chain_of(done.exception))


def test_which_record_is_too_long_is_not_said(file) -> None:
    messages = set()
    for text in ("3,4\n0,0\n", "0,0\n0,0\n7,8\n"):
        path = file(text)
        for parts in (None, 2):
            with pytest.raises(RecordFileError) as caught:
                release_file(LaplaceInputPerturbation(1, over_norm="reject"), path, parts=parts)
            messages.add(str(caught.value))
    (message,) = messages
    assert "no guarantee covers this refusal: choose --norm-bound without looking at the records" in message
    assert "leave out --no-clip" in message


# Memory


@pytest.mark.parametrize("columns", [[], ["1", "2"]])
def test_long_lines_are_not_gathered(monkeypatch, columns: list[str]) -> None:
    """A pipe that gives 60,000 characters a line: what is held at a time does not grow with their number."""
    monkeypatch.setattr(csv_records, "BLOCK_CHARACTERS", 1 << 18)
    monkeypatch.setattr(streams, "PIECE_BYTES", 1 << 18)
    peaks = []
    for lines in (8, 64):
        reader, writer = os.pipe()

        def write(writer: int = writer, lines: int = lines) -> None:
            with os.fdopen(writer, "w") as pipe:
                for _ in range(lines):
                    pipe.write("0.001," * 10_000 + "1\n")

        thread = threading.Thread(target=write)
        thread.start()
        tracemalloc.start()
        with open_records(f"/dev/fd/{reader}", columns=columns) as source:
            assert sum(len(block.records) for block in source.blocks) == lines
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        os.close(reader)
        thread.join()
    assert peaks[1] < 1.5 * peaks[0]


def test_cells_of_very_many_characters_are_refused_wherever_a_block_ends(file, monkeypatch) -> None:
    for lines in (1, 8192):
        monkeypatch.setattr(csv_records, "LINES", lines)
        with pytest.raises(RecordFileError, match="a cell is too long") as caught:
            read(file("1,2\n" + "0" * 200_000 + ",1\nx,1\n"))
        assert caught.value.line == 2


def test_lines_of_very_many_cells_are_refused(file, monkeypatch) -> None:
    monkeypatch.setattr(csv_records, "MOST_COLUMNS", 100)
    for text, line in (("1" + ",1" * 100, 1), ("1,2\n1" + ",1" * 100, 2)):
        with pytest.raises(RecordFileError, match="more than 100 cells") as caught:
            read(file(text))
        assert caught.value.line == line


# A file that changes


@pytest.mark.parametrize("parts", [None, 3])
def test_a_record_that_is_moved_while_the_file_is_read_is_not_counted_twice(file, monkeypatch, parts) -> None:
    """The same size, the same ends: only the time tells, and the old one is long past, so no tick of a clock counts."""
    monkeypatch.setattr(csv_records, "LINES", 1000)
    monkeypatch.setattr(streams, "PIECE_BYTES", 14_000)
    blank, record = "0.0000,0.0000\n" * 30_000, "0.5000,0.5000\n"
    size = len(record)
    path = file(blank)
    content = bytearray(blank.encode())
    content[6000 * size : 6001 * size] = record.encode()
    Path(path).write_bytes(content)
    os.utime(path, (10**9, 10**9))
    seen = []

    block_of = csv_records.CsvReader._block

    def moved(table, start):
        if not seen and 0.5 in table:
            seen.append(True)
            with Path(path).open("r+b") as handle:
                handle.seek(6000 * size)
                handle.write(blank[:size].encode())
                handle.seek(24_000 * size)
                handle.write(record.encode())
        return block_of(table, start)

    monkeypatch.setattr(csv_records.CsvReader, "_block", staticmethod(moved))
    entropy = SeededEntropy(1)
    with pytest.raises(RecordFileError, match="changed"):
        release_file(LaplaceInputPerturbation(1), path, parts=parts, entropy=entropy)
    assert seen
    # No noise was drawn, so nothing can have been released.
    assert entropy.bits(64) == SeededEntropy(1).bits(64)


def test_a_change_between_parts_is_noticed_when_the_last_one_is_done(file, monkeypatch) -> None:
    """Each part is read from a file that stays as it is; the change is between two of them, in its middle."""
    path = file("0.0000,0.0000\n" * 30_000)
    os.utime(path, (10**9, 10**9))

    def change(mechanism, partition, dimension):
        found = mechanism.partial_gram(partition.blocks(), dimension)
        with Path(path).open("r+b") as handle:
            handle.seek(14 * 15_000)
            handle.write(b"0.5000,0.5000\n")
        return found

    monkeypatch.setattr("dpmatrix.mechanisms.partitions.sum_partition", change)
    with pytest.raises(RecordFileError, match="changed"):
        release_file(LaplaceInputPerturbation(1), path, parts=3)


def test_a_file_that_is_replaced_is_noticed(file, tmp_path, monkeypatch) -> None:
    path = file("0.0000,0.0000\n" * 30_000)

    def replace(mechanism, partition, dimension):
        found = mechanism.partial_gram(partition.blocks(), dimension)
        other = tmp_path / "other"
        other.write_bytes(Path(path).read_bytes())
        os.utime(other, ns=(Path(path).stat().st_atime_ns, Path(path).stat().st_mtime_ns))
        other.replace(path)
        return found

    monkeypatch.setattr("dpmatrix.mechanisms.partitions.sum_partition", replace)
    with pytest.raises(RecordFileError, match="changed"):
        release_file(LaplaceInputPerturbation(1), path, parts=3)


def test_a_file_that_is_only_read_elsewhere_is_released(file) -> None:
    path = file("0.1,0.2\n" * 100)
    with open_records(path) as source:
        read(path)
        assert sum(len(block.records) for block in source.blocks) == 100


# The empty data set


@pytest.mark.parametrize("mechanism", [LaplaceInputPerturbation, SymmetrisedWishartMechanism])
@pytest.mark.parametrize("parts", [None, 2])
def test_the_only_record_can_be_taken_away(file, mechanism, parts) -> None:
    """What is done does not depend on whether it is there: a release from both, or from neither."""
    chosen = mechanism(1, adjacency=Adjacency.ADD_REMOVE_ONE)
    for text in ("0.1,0.2\n", ""):
        path = file(text)
        for header in (None, False):
            with pytest.raises(InvalidParameterError, match="pass --dimension"):
                release_file(chosen, path, header=header, parts=parts)
            for options in ({"dimension": 2}, {"columns": ["1", "2"]}, {"columns": ["2", "1"], "dimension": 2}):
                assert release_file(chosen, path, header=header, parts=parts, **options).private
        assert release_file(chosen, file(f"a,b\n{text}"), header=True, parts=parts).private
        assert release_file(chosen, file(f"a,b\n{text}"), columns=["b"], parts=parts).private
    empty = release_file(chosen, file(""), dimension=2, parts=parts, entropy=SeededEntropy(1))
    assert empty == chosen.release_blocks([], 2, entropy=SeededEntropy(1))


def test_a_missing_file_is_not_looked_for_before_the_dimension_is_known(tmp_path) -> None:
    chosen = LaplaceInputPerturbation(1, adjacency=Adjacency.ADD_REMOVE_ONE)
    with pytest.raises(InvalidParameterError, match="dimension"):
        release_file(chosen, str(tmp_path / "none.csv"))


def test_the_command_takes_the_only_record_away(file) -> None:
    for text in ("0.1,0.2\n", ""):
        path = file(text)
        done = run(path, "--adjacency", "add-remove-one", "--dimension", "2")
        assert json.loads(done.stdout)["columns"] == ["column 1", "column 2"]
        done = run(path, "--adjacency", "add-remove-one")
        assert (done.exit_code, done.stdout) == (2, "")
        assert "pass --dimension" in done.stderr


def test_a_dimension_is_checked(file) -> None:
    path = file("1,2\n")
    for parts in (None, 2):
        for dimension, options in ((3, {}), (1, {}), (2, {"columns": ["1"]}), (0, {}), (1.5, {})):
            with pytest.raises(DpmatrixError):
                release_file(LaplaceInputPerturbation(1), path, dimension=dimension, parts=parts, **options)


# Output


def test_an_output_that_is_no_file_is_refused_before_anything_is_read(file, tmp_path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "link.json"
    victim.write_text("precious")
    link.symlink_to(victim)
    os.mkfifo(tmp_path / "pipe")
    for output in (link, tmp_path / "pipe", tmp_path):
        done = run(tmp_path / "missing.csv", "--output", output)
        assert done.exit_code == 2
        assert "only a regular file is replaced" in done.stderr
    assert victim.read_text() == "precious"


def test_a_prepared_draft_is_not_written_through(file, tmp_path) -> None:
    victim, output = tmp_path / "victim", tmp_path / "release.json"
    victim.write_text("precious")
    (tmp_path / ".release.json.draft").symlink_to(victim)
    assert run(file("0.1,0.2\n0.3,0.1\n"), "--output", output).exit_code == 0
    assert victim.read_text() == "precious"
    assert json.loads(output.read_text())["records"] == 2


def test_help_says_what_no_guarantee_covers() -> None:
    told = " ".join(CliRunner().invoke(app, ["pca", "--help"], env={"COLUMNS": "200"}).stdout.split())
    assert "the guarantee does not cover an error" in told


def test_parts_of_an_empty_file(file) -> None:
    split = split_records(file(""), parts=3, dimension=4)
    assert (split.parts, split.columns) == ((), ("column 1", "column 2", "column 3", "column 4"))
