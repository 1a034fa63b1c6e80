"""A window is suspended into one file and goes on from it once: links, older files, cuts, races and crashes.

Two windows that go on with the same noise publish differences of rows alone. So each attack on the file has to end
with an error; the control beside it is the one window that goes on. Nothing is statistical.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from audit.released.windows import ROW, begun, record_of, rewrite
from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams import resume, suspend
from dpmatrix.mechanisms.streams import state as state_module


def test_a_key_is_no_empty_word_and_nothing_else_opens_what_it_closed(tmp_path) -> None:
    """Nor is a file with a key read without one, whoever has written its code anew."""
    path, window = tmp_path / "window", begun()
    with pytest.raises(InvalidParameterError):
        suspend(window, path, key=b"")
    suspend(window, path, key=b"secret")
    genuine, record = path.read_bytes(), record_of(path)
    for key in (None, b"", b"another"):
        with pytest.raises(InvalidParameterError):
            resume(path, key=key)
    rewrite(path, record)
    for key in (None, b"secret"):
        with pytest.raises(InvalidParameterError):
            resume(path, key=key)
    path.write_bytes(genuine.replace(b'"rows": 1', b'"rows": 2'))
    with pytest.raises(InvalidParameterError):
        resume(path, key=b"secret")
    path.write_bytes(genuine)
    assert resume(path, key=b"secret").time == 4, "control"


@pytest.mark.parametrize("key", [None, b"secret"])
def test_a_file_that_is_cut_off_or_has_more_is_refused(tmp_path, key: bytes | None) -> None:
    path = tmp_path / "window"
    suspend(begun(), path, key=key)
    content = path.read_bytes()
    cuts = [content[:length] for length in (*range(0, len(content), 9), len(content) - 2, len(content) - 1)]
    for other in (*cuts, content + b"\n", b"\xff" + content):
        path.write_bytes(other)
        with pytest.raises(InvalidParameterError):
            resume(path, key=key)
    path.write_bytes(content)
    assert resume(path, key=key).time == 4, "control"


def test_a_file_with_a_second_name_and_what_is_no_file_are_refused(tmp_path) -> None:
    path, other = tmp_path / "window", tmp_path / "elsewhere" / "window"
    other.parent.mkdir()
    suspend(begun(), path)
    other.hardlink_to(path)
    for name in (path, other):
        with pytest.raises(SingleUseError):
            resume(name)
    other.unlink()
    os.mkfifo(other)
    for name in (other, tmp_path, tmp_path / "nothing"):
        with pytest.raises(InvalidParameterError):
            resume(name)
    assert resume(path).time == 4, "control"


def test_an_older_suspension_is_refused_after_a_later_one(tmp_path) -> None:
    """After numbers of one digit and of two; a copy under another name is the same suspension."""
    path, window, copies = tmp_path / "window", begun(), []
    for number in range(11):
        suspend(window, path)
        copies.append(Path(shutil.copy(path, tmp_path / f"copy-{number}")))
        window = resume(path)
        assert not path.exists()
        with pytest.raises(SingleUseError):
            resume(copies[-1])
    for older in copies:
        with pytest.raises(SingleUseError):
            resume(older)
    for mark in tmp_path.glob("*-?.resumed"):
        mark.unlink()
    for older in copies:
        with pytest.raises(SingleUseError):
            resume(older)
    suspend(window, path)
    assert resume(path).time == 4, "control"


@pytest.mark.parametrize("later", [1, 2])
def test_of_two_that_resume_at_once_one_goes_on(tmp_path, monkeypatch, later: int) -> None:
    """The other one, or a later suspension, leaves its mark after this one has looked for marks."""
    path, touch = tmp_path / "window", Path.touch
    suspend(begun(), path)
    stream = record_of(path)["stream"]

    def late(mark: Path, **options: bool) -> None:
        touch(mark.with_name(f"{stream}-{later}.resumed"))
        touch(mark, **options)

    monkeypatch.setattr(Path, "touch", late)
    with pytest.raises(SingleUseError):
        resume(path)
    assert path.exists()


def test_what_is_on_the_disk_before_a_window_goes_on(tmp_path, monkeypatch) -> None:
    """The whole draft, then its name; and the mark, while the file is there: else a power cut gives it back."""
    path, found = tmp_path / "window", []

    def noted(handle: int) -> None:
        sizes = {entry.name.rpartition(".")[2]: entry.stat().st_size for entry in tmp_path.iterdir()}
        found.append((stat.S_ISDIR(os.fstat(handle).st_mode), sizes))

    monkeypatch.setattr(state_module.os, "fsync", noted)
    suspend(begun(), path)
    size = path.stat().st_size
    assert found == [(False, {"draft": size}), (True, {"window": size})]
    found.clear()
    resume(path)
    assert found == [(True, {"window": size, "resumed": 0})]


@pytest.mark.parametrize("made", [True, False])
def test_a_link_that_reports_an_error_ends_the_window_if_it_was_made(tmp_path, monkeypatch, made: bool) -> None:
    """As on a network file system that loses an answer; no draft is left from which a second one could go on."""
    window, path, link = begun(), tmp_path / "window", Path.hardlink_to

    def failing(name: Path, target: Path) -> None:
        if made:
            link(name, target)
        raise FileExistsError(17, "said the network file system")

    monkeypatch.setattr(Path, "hardlink_to", failing)
    if made:
        suspend(window, path)
        with pytest.raises(SingleUseError):
            window.publish()
        assert [entry.name for entry in tmp_path.iterdir()] == ["window"]
        return
    with pytest.raises(FileExistsError):
        suspend(window, path)
    assert not any(tmp_path.iterdir())
    window.publish()


@pytest.mark.parametrize("lost", ["lstat", "unlink"])
def test_a_window_ends_where_nobody_can_tell_whether_it_was_written(tmp_path, monkeypatch, lost: str) -> None:
    window, path, link = begun(), tmp_path / "window", Path.hardlink_to

    def failing(name: Path, target: Path) -> None:
        if lost == "lstat":
            link(name, target)
        raise FileExistsError(17, "said the network file system")

    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "input/output error")

    monkeypatch.setattr(Path, "hardlink_to", failing)
    monkeypatch.setattr(Path, lost, broken)
    with pytest.raises(SingleUseError):
        suspend(window, path)
    monkeypatch.undo()
    for act in (window.publish, lambda: window.add(ROW), lambda: suspend(window, tmp_path / "another")):
        with pytest.raises(SingleUseError):
            act()


def test_a_file_is_not_replaced_and_a_window_that_was_not_written_goes_on(tmp_path) -> None:
    window, path = begun(), tmp_path / "window"
    suspend(begun(), path)
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        suspend(window, path)
    assert path.read_bytes() == before
    window.publish()
    suspend(window, tmp_path / "another")
    with pytest.raises(SingleUseError):
        window.take_back()
    assert resume(tmp_path / "another").time == 4, "control"
