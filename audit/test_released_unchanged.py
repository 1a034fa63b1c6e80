"""A file that changes while it is read is not published, and neither is what its records alone would decide.

A record that moves may be read twice, so that the sum changes by more than one record can. A record of the only one, a
longer one, or a worker that finds another file are questions of the same kind: what is done must not depend on it, or
nothing is released and no noise is drawn. Nothing is statistical.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from dpmatrix.errors import DpmatrixError, InvalidParameterError, RecordFileError
from dpmatrix.files import FilePart, csv_records, open_source, release_file, split_records, streams
from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism
from dpmatrix.mechanisms.partitions import PartialGram
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

MECHANISM = LaplaceInputPerturbation(1, norm_bound=64)
ADDED = Adjacency.ADD_REMOVE_ONE
LINE = "0.0000,0.0000\n"
OTHER = "0.5000,0.5000\n"
LINES = 10_000
"""Two of the first and last 65,536 bytes, and more between them."""
MIDDLE = 5000


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Write a file that was changed long ago, so that no tick of a clock counts."""
    found = tmp_path / "records.csv"
    found.write_text(LINE * LINES, encoding="utf-8")
    os.utime(found, (10**9, 10**9))
    return str(found)


def written(path: str, line: str = OTHER, place: int = MIDDLE) -> None:
    """Write over a line."""
    with Path(path).open("r+b") as handle:
        handle.seek(place * len(LINE))
        handle.write(line.encode())


def hidden(path: str) -> None:
    """Write over a line, and set the clock of the file back."""
    written(path)
    os.utime(path, (10**9, 10**9))


def replaced(path: str) -> None:
    """Put a file of the same bytes and times in its place."""
    other = Path(path).with_name("other")
    other.write_bytes(Path(path).read_bytes())
    os.utime(other, (10**9, 10**9))
    other.replace(path)


def appended(path: str) -> None:
    """Add a line."""
    with Path(path).open("a", encoding="utf-8") as handle:
        handle.write(OTHER)


def cut(path: str) -> None:
    """Take the last line away."""
    os.truncate(path, len(LINE) * (LINES - 1))


CHANGES: dict[str, Callable[[str], object]] = {
    "written": written,
    "hidden": hidden,
    "touched": os.utime,
    "replaced": replaced,
    "appended": appended,
    "cut": cut,
    "removed": os.unlink,
}


@pytest.mark.parametrize("parts", [None, 1, 3])
@pytest.mark.parametrize("when", ["before", "between", "late"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_is_not_published(
    monkeypatch: pytest.MonkeyPatch, path: str, change: str, when: str, parts: int | None
) -> None:
    """After it was opened, while it is read, or with its last block; no noise is drawn."""
    monkeypatch.setattr(streams, "PIECE_BYTES", 50_000)
    monkeypatch.setattr(csv_records, "LINES", 4000)
    done: list[object] = []
    entropy = SeededEntropy(1)

    def tell(count: int) -> None:
        if not done and (when == "between" or count == LINES):
            done.append(CHANGES[change](path))

    with open_source(MECHANISM, path, parts=parts) as source:
        if when == "before":
            tell(LINES)
        with pytest.raises((RecordFileError, FileNotFoundError)):
            MECHANISM.release_blocks(source.read(tell), 2, entropy=entropy)
    assert done
    assert entropy.bits(64) == SeededEntropy(1).bits(64)


@pytest.mark.parametrize("parts", [None, 1, 3])
def test_a_file_that_stays_is_published(path: str, parts: int | None) -> None:
    """However often it is read, and whoever else reads it."""
    with open_source(MECHANISM, path, parts=parts) as source:
        Path(path).read_bytes()
        found = MECHANISM.release_blocks(source.read(lambda _: Path(path).read_bytes()), 2)
    assert found.private


# Workers


def parts_of(path: str, longest: Fraction | None = None) -> list[FilePart]:
    """Cut a file in three, as workers get it."""
    parts = [FilePart(part=part, longest=longest) for part in split_records(path, parts=3).parts]
    return list(pickle.loads(pickle.dumps(parts)))


@pytest.mark.parametrize("part", range(3))
def test_a_worker_that_finds_another_file_reads_none_of_it(path: str, part: int) -> None:
    """Another first line, last line, or length, or no file at all."""
    found = parts_of(path)[part]
    assert sum(len(block) for block in found.blocks()) > LINES // 4
    for change in (0, LINES - 1, None):
        if change is None:
            appended(path)
        else:
            written(path, place=change)
        with pytest.raises(RecordFileError):
            next(iter(found.blocks()))
        found = parts_of(path)[part]
    Path(path).unlink()
    with pytest.raises(RecordFileError):
        next(iter(found.blocks()))


@pytest.mark.parametrize("change", [name for name in CHANGES if name != "replaced"])
def test_a_worker_notices_that_a_file_changes_under_it(monkeypatch: pytest.MonkeyPatch, path: str, change: str) -> None:
    monkeypatch.setattr(streams, "PIECE_BYTES", 50_000)
    found = iter(parts_of(path)[1].blocks())
    next(found)
    CHANGES[change](path)
    with pytest.raises(RecordFileError):
        list(found)


def test_a_worker_reads_a_file_where_it_stands(monkeypatch: pytest.MonkeyPatch, path: str, tmp_path: Path) -> None:
    """And not where it finds another one of that name, of which no part was made."""
    monkeypatch.chdir(Path(path).parent)
    parts, other = parts_of(Path(path).name), tmp_path / "other"
    other.mkdir()
    (other / Path(path).name).write_text(OTHER * LINES, encoding="utf-8")
    for place in (other, Path("/")):
        monkeypatch.chdir(place)
        found = np.vstack([block for part in parts for block in part.blocks()])
        assert found.shape == (LINES, 2)
        assert not found.any()


# The only record


@pytest.mark.parametrize("parts", [None, 2])
@pytest.mark.parametrize("kind", [LaplaceInputPerturbation, SymmetrisedWishartMechanism])
def test_the_only_record_may_be_there_or_not(tmp_path: Path, kind: Any, parts: int | None) -> None:
    """A release from both files, or a refusal of both, which comes before either is looked at."""
    mechanism, path = kind(1, ADDED), tmp_path / "records.csv"
    for lines in (["0.1,0.2\n"], [], None):
        if lines is None:
            path.unlink()
        else:
            path.write_text("".join(lines), encoding="utf-8")
        for header in (None, False):
            with pytest.raises(InvalidParameterError):
                release_file(mechanism, str(path), header=header, parts=parts)
        if lines is None:
            continue
        for options in ({"dimension": 2}, {"columns": ["1", "2"]}, {"columns": ["2", "1"], "dimension": 2}):
            for header in (None, False):
                found = release_file(mechanism, str(path), header=header, parts=parts, **options)
                assert found.guarantee == mechanism.guarantee
                assert found.integers.shape == (2, 2)
        path.write_text("".join(["a,b\n", *lines]), encoding="utf-8")
        for header, columns in ((True, []), (None, ["b", "a"])):
            found = release_file(mechanism, str(path), parts=parts, header=header, columns=columns)
            assert found.guarantee == mechanism.guarantee
            assert found.integers.shape == (2, 2)


@pytest.mark.parametrize("parts", [None, 2])
def test_an_empty_file_is_published_as_no_record(tmp_path: Path, parts: int | None) -> None:
    mechanism, path = LaplaceInputPerturbation(1, ADDED), tmp_path / "records.csv"
    path.touch()
    for columns, dimension in (([], 3), (["1", "2", "3"], None), (["3", "1", "2"], 3)):
        found = release_file(
            mechanism, str(path), columns=columns, dimension=dimension, parts=parts, entropy=SeededEntropy(1)
        )
        assert found == mechanism.release_blocks([], 3, entropy=SeededEntropy(1))
    for wrong in (0, -1, 1.5, True):
        for text in ("", "1,2\n", "1\n"):
            path.write_text(text, encoding="utf-8")
            with pytest.raises(DpmatrixError):
                release_file(mechanism, str(path), dimension=wrong, parts=parts)  # type: ignore[arg-type]
    for dimension, columns in ((1, []), (3, []), (2, ["1"]), (1, ["1", "2"])):
        path.write_text("1,2\n", encoding="utf-8")
        with pytest.raises(RecordFileError):
            release_file(mechanism, str(path), dimension=dimension, columns=columns, parts=parts)


# Long records, and bits


@pytest.mark.parametrize("parts", [None, 1, 2])
def test_a_long_record_is_clipped_or_else_refused_alike_wherever_it_stands(tmp_path: Path, parts: int | None) -> None:
    path, said = tmp_path / "records.csv", set()
    strict = LaplaceInputPerturbation(1, norm_bound=2, over_norm="reject")
    for text in ("3,73519\n0,0\n0,0\n", "0,0\n0,0\n0,2.0625\n"):
        path.write_text(text, encoding="utf-8")
        records = np.loadtxt(text.split(), delimiter=",")
        clipped = release_file(evolve(strict, over_norm="clip"), str(path), parts=parts, entropy=SeededEntropy(1))
        expected = evolve(strict, over_norm="clip").release_blocks([records], 2, entropy=SeededEntropy(1))
        assert clipped == expected
        entropy = SeededEntropy(1)
        with pytest.raises(RecordFileError) as caught:
            release_file(strict, str(path), parts=parts, entropy=entropy)
        assert entropy.bits(64) == SeededEntropy(1).bits(64)
        said.add((str(caught.value), caught.value.line))
    assert len(said) == 1
    assert not any("73519" in words or "2.06" in words for words, _ in said)
    path.write_text("0,2\n", encoding="utf-8")
    assert release_file(strict, str(path), parts=parts).private, "control"


@pytest.mark.parametrize("parts", [None, 2])
def test_a_release_from_a_file_draws_its_own_secret_bits(path: str, parts: int | None) -> None:
    found = [release_file(MECHANISM, path, parts=parts) for _ in range(2)]
    assert [one.guarantee for one in found] == [PrivacyGuarantee(1, 0, Adjacency.REPLACE_ONE)] * 2
    assert found[0].integers.tolist() != found[1].integers.tolist(), "alike with probability below 2^-60"
    assert release_file(MECHANISM, path, parts=parts, entropy=SeededEntropy(1)).guarantee is None


def test_parts_are_summed_for_the_bound_of_the_mechanism(path: str) -> None:
    """A part says what it was summed for, and its records are told apart from the noise of the whole."""

    def sums() -> Iterator[PartialGram]:
        with open_source(MECHANISM, path, parts=3) as source:
            for found in source.read(lambda _: None):
                assert isinstance(found, PartialGram)
                yield found

    assert [part.norm_bound for part in sums()] == [64] * 3
    assert sum(part.gram.count for part in sums()) == LINES
