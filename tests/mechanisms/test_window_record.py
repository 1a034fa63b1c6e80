"""What the file of a suspended window says, what its record may not say, and what is on the disk when."""

from __future__ import annotations

import json
import os
import re
import stat
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, resume, suspend
from dpmatrix.mechanisms.streams import state as state_module
from dpmatrix.mechanisms.streams.record import REMEDY, sealed, text_of, window_of
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy

PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
SMALL = WindowParameters(2, 12, PROMISE, leaf=3)
UNUSUAL = WindowParameters(
    3,
    20,
    PrivacyGuarantee(Fraction(3, 7), Fraction(1, 999), Adjacency.REPLACE_ONE),
    leaf=5,
    coordinate_bits=9,
    eta=Fraction(1, 7),
    tolerance=Fraction(2, 9),
    over_norm="reject",
)


def rows_of(count: int, dimension: int) -> np.ndarray:
    return np.random.default_rng(count).uniform(-0.5, 0.5, (count, dimension))


def record_of(path: Path) -> dict[str, object]:
    return json.loads(path.read_text(encoding="ascii").split("\n")[1])


def rewrite(path: Path, record: object) -> None:
    path.write_text(sealed(json.dumps(record), None), encoding="ascii")


@pytest.mark.parametrize("parameters", [SMALL, UNUSUAL], ids=["usual", "unusual"])
@pytest.mark.parametrize("leaves", range(14))
def test_a_record_is_read_as_it_was_written(parameters: WindowParameters, leaves: int) -> None:
    """Over three blocks, between leaves and at their ends; nothing of it is a default of what reads it."""
    for rows in range(0, parameters.leaf, 2):
        window = SlidingWindowGram(parameters, entropy=SeededEntropy(leaves))
        window.add(rows_of(leaves * parameters.leaf + rows, parameters.dimension))
        memory = attrs.evolve(window.hand_over(), suspensions=3, private=bool(leaves % 2))
        found, again = window_of(json.loads(text_of(memory, keyed=False, counted=False)))
        assert found == parameters
        assert again.sums.parameters == parameters
        assert (again.sums.leaf, again.sums.rows) == (leaves, rows)
        assert again.sums.total == memory.sums.total
        assert again.sums.parts == [part if part is None else tuple(part) for part in memory.sums.parts]
        assert again.held == memory.held
        assert (again.stream, again.suspensions, again.private) == (memory.stream, 3, bool(leaves % 2))


def test_the_words_of_a_record(tmp_path) -> None:
    path = tmp_path / "window"
    for key in (None, b"secret"):
        suspend(SlidingWindowGram(UNUSUAL), path, key=key)
        record = record_of(path)
        assert (record["version"], record["keyed"], record["counted"]) == (3, key is not None, False)
        assert (record["dimension"], record["window"], record["leaf"], record["coordinate_bits"]) == (3, 20, 5, 9)
        assert (record["epsilon"], record["delta"], record["adjacency"]) == ("3/7", "1/999", "replace-one")
        assert (record["eta"], record["tolerance"], record["over_norm"]) == ("1/7", "2/9", "reject")
        assert (record["leaves_read"], record["rows"], record["suspensions"], record["private"]) == (0, 0, 1, True)
        path.unlink()


@pytest.mark.parametrize("version", [1, 2, 4, "3", None])
def test_another_version_is_unknown(tmp_path, version: object) -> None:
    path = tmp_path / "window"
    suspend(SlidingWindowGram(SMALL), path)
    rewrite(path, record_of(path) | {"version": version})
    with pytest.raises(InvalidParameterError, match=f"version {version} is unknown"):
        resume(path)


@pytest.mark.parametrize(
    ("leaf", "held", "sound"),
    [
        (9, [5, 7, 9], True),
        (9, [0, 9], True),
        (9, [5, 6, 7, 8, 9], True),
        (9, [6, 9], False),
        (9, [9], False),
        (9, [5, 5, 9], False),
        (9, [5, 9, 9], False),
        (9, [5, 8, 7, 9], False),
        (9, [5, 8], False),
        (9, [5, 10], False),
        (3, [0, 3], True),
        (3, [1, 3], False),
        (4, [0, 4], True),
        (4, [1, 4], False),
        (5, [1, 5], True),
        (0, [0], True),
        (0, [0, 0], False),
    ],
)
def test_checkpoints_rise_from_the_beginning_of_the_window_to_the_last_leaf(leaf: int, held: list[int], sound) -> None:
    """In a window of four leaves the first one is at most at the last leaf but four, or at the very beginning."""
    window = SlidingWindowGram(SMALL, entropy=SeededEntropy(1))
    window.add(np.zeros((3 * leaf, 2)))
    record = json.loads(text_of(window.hand_over(), keyed=False, counted=False))
    record["held"] = [[each, [1, 2, 3]] for each in held]
    if sound:
        assert [pair.leaf for pair in window_of(record)[1].held] == held
        return
    with pytest.raises(InvalidParameterError, match="contradict"):
        window_of(record)


@pytest.mark.parametrize(
    ("said", "private"), [(True, True), (False, False), (1, False), ("true", False), (None, False)]
)
def test_only_the_word_true_says_that_bits_were_secret(tmp_path, said: object, private: bool) -> None:
    path = tmp_path / "window"
    suspend(SlidingWindowGram(SMALL), path)
    rewrite(path, record_of(path) | {"private": said})
    window = resume(path)
    assert window.publish().private is private
    assert window.guarantee == (PROMISE if private else None)


def test_a_file_that_says_nothing_of_a_key_is_read_without_one(tmp_path) -> None:
    path = tmp_path / "window"
    suspend(SlidingWindowGram(SMALL), path)
    record = record_of(path)
    del record["keyed"]
    rewrite(path, record)
    assert resume(path).time == 0


def test_what_is_not_ascii_cannot_be_read(tmp_path) -> None:
    """Whatever the locale says."""
    path = tmp_path / "window"
    path.write_text("\N{GREEK SMALL LETTER EPSILON}", encoding="utf-8")
    with pytest.raises(InvalidParameterError, match="window cannot be read") as caught:
        resume(path)
    assert isinstance(caught.value.__cause__, UnicodeDecodeError)


@pytest.mark.parametrize("secret", [True, False])
def test_a_window_goes_on_with_the_bits_that_it_is_given(tmp_path, secret: bool) -> None:
    path, source = tmp_path / "window", SystemEntropy() if secret else SeededEntropy(1)
    suspend(SlidingWindowGram(SMALL), path)
    window = resume(path, entropy=source)
    assert window.entropy is source
    assert window.publish().private is secret


def looks(monkeypatch: pytest.MonkeyPatch, directory: Path) -> list[tuple[bool, dict[str, int]]]:
    """Note at each order to the disk whether it is of a directory, and which names there are with which sizes."""
    found: list[tuple[bool, dict[str, int]]] = []

    def noted(handle: int) -> None:
        sizes = {entry.name: entry.stat().st_size for entry in directory.iterdir()}
        found.append((stat.S_ISDIR(os.fstat(handle).st_mode), sizes))

    monkeypatch.setattr(state_module.os, "fsync", noted)
    return found


def test_what_is_on_the_disk_when_a_window_is_suspended_and_when_it_goes_on(tmp_path, monkeypatch) -> None:
    """First the whole draft, then its name in the directory; and the mark while the file is still there."""
    path, found = tmp_path / "window", looks(monkeypatch, tmp_path)
    suspend(SlidingWindowGram(SMALL), path)
    size, stream = path.stat().st_size, record_of(path)["stream"]
    (of_directory, first), then = found
    ((draft, written),) = first.items()
    assert not of_directory
    assert re.fullmatch(r"\.window\..+\.draft", draft)
    assert written == size
    assert then == (True, {"window": size})
    found.clear()
    resume(path)
    assert found == [(True, {"window": size, f"{stream}-1.resumed": 0})]


def test_no_file_stays_open(tmp_path) -> None:
    """The number of the next file to be opened is no larger afterwards."""

    def next_number() -> int:
        handle = os.open(os.devnull, os.O_RDONLY)
        os.close(handle)
        return handle

    window, before = SlidingWindowGram(SMALL), next_number()
    for _ in range(3):
        suspend(window, tmp_path / "window")
        window = resume(tmp_path / "window")
    assert next_number() <= before


def test_a_mark_counts_by_its_number(tmp_path) -> None:
    """Also where it is written otherwise; marks of other streams and other names do not count."""
    path = tmp_path / "window"
    suspend(SlidingWindowGram(SMALL), path)
    stream = record_of(path)["stream"]
    assert state_module._last_mark(tmp_path, stream) == -1
    for name in (f"{stream}-0.resumed", f"x{stream}-7.resumed", f"{stream}-7.resumed2", f"{stream}-.resumed"):
        (tmp_path / name).touch()
    assert state_module._last_mark(tmp_path, stream) == 0
    (tmp_path / f"{stream}-001.resumed").touch()
    assert state_module._last_mark(tmp_path, stream) == 1
    with pytest.raises(SingleUseError) as caught:
        resume(path)
    assert str(caught.value) == f"window was resumed before: its noise must not be used twice; {REMEDY}"
    assert not (tmp_path / f"{stream}-1.resumed").exists()
    assert path.exists()


def test_of_two_processes_that_leave_the_mark_at_once_one_is_refused(tmp_path, monkeypatch) -> None:
    """The other one leaves it between the look at the marks and this one's attempt."""
    path, touch = tmp_path / "window", Path.touch
    suspend(SlidingWindowGram(SMALL), path)

    def late(mark: Path, **options: bool) -> None:
        touch(mark)
        touch(mark, **options)

    monkeypatch.setattr(Path, "touch", late)
    with pytest.raises(SingleUseError, match="window was resumed before") as caught:
        resume(path)
    assert isinstance(caught.value.__cause__, FileExistsError)
    assert path.exists()
