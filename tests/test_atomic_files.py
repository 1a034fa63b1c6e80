"""A file is written whole or not at all, and nothing but a regular file is ever replaced."""

from __future__ import annotations

import errno
import os
import socket
import stat
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.atomic_files import write_atomically, write_new
from dpmatrix.auditing.certify.checkpoint import AuditState, save
from dpmatrix.errors import InvalidParameterError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("broken", ["fsync", "fdopen"])
def test_an_interrupted_write_leaves_the_old_file_whole(tmp_path, monkeypatch, broken: str) -> None:
    path = tmp_path / "deep" / "ledger.json"
    write_atomically(path, "old")
    assert path.read_text() == "old"

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, broken, interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert names(path.parent) == ["ledger.json"]


def test_a_replacement_that_fails_leaves_the_old_file_whole(tmp_path, monkeypatch) -> None:
    path = tmp_path / "release.json"
    write_atomically(path, "old")

    def fail(*arguments, **options):
        raise OSError("no")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no"):
        write_atomically(path, "new")
    assert (path.read_text(), names(tmp_path)) == ("old", ["release.json"])


def test_no_name_can_be_prepared_for_the_draft_to_be_written_through(tmp_path) -> None:
    """A link where a draft of a foreseeable name would go: what it leads to stays as it was."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "shared"
    folder.mkdir()
    for name in (".release.json.draft", f".release.json.{os.getpid()}.draft", "release.json.tmp"):
        (folder / name).symlink_to(victim)
    write_atomically(folder / "release.json", "new")
    save(folder / "release.json", AuditState(facts={}, entropy=0))
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("made", ["link", "dangling", "folder", "pipe", "socket"])
def test_what_is_no_regular_file_is_left_alone(tmp_path, made: str) -> None:
    victim, path = tmp_path / "victim", tmp_path / "out"
    victim.write_text("precious")
    held = socket.socket(socket.AF_UNIX) if made == "socket" else None
    {
        "link": lambda: path.symlink_to(victim),
        "dangling": lambda: path.symlink_to(tmp_path / "nothing"),
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "socket": lambda: held.bind(str(path)),
    }[made]()
    before, listed = path.lstat(), names(tmp_path)
    with pytest.raises(InvalidParameterError, match="only a regular file is replaced"):
        write_atomically(path, "new")
    if held is not None:
        held.close()
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert victim.read_text() == "precious"
    assert names(tmp_path) == listed


def test_devices_are_left_alone(tmp_path) -> None:
    """A device made for the test: one of the system would be broken for everybody by a helper that replaces it."""
    path = tmp_path / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only the administrator makes devices; pipes and sockets are tried above")
    with pytest.raises(InvalidParameterError, match="a device"):
        write_atomically(path, "new")
    assert stat.S_ISCHR(path.lstat().st_mode)
    assert names(tmp_path) == ["null"]


def test_both_the_content_and_the_name_reach_the_disk(tmp_path, monkeypatch) -> None:
    synced = []

    def fsync(handle: int) -> None:
        synced.append((stat.S_ISDIR(os.fstat(handle).st_mode), (tmp_path / "a").exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    write_atomically(tmp_path / "a", "x")
    # The file before it has its name, the folder afterwards.
    assert synced == [(False, False), (True, True)]


def test_permissions_are_those_of_new_files_or_of_the_old_one(tmp_path) -> None:
    path = tmp_path / "a"
    before = os.umask(0o027)
    try:
        write_atomically(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        for mode in (0o600, 0o666, 0o644):
            path.chmod(mode)
            write_atomically(path, "again")
            assert stat.S_IMODE(path.stat().st_mode) == mode
    finally:
        os.umask(before)


def test_names_may_be_as_long_as_the_system_allows(tmp_path) -> None:
    path = tmp_path / ("a" * 255)
    write_atomically(path, "new")
    assert path.read_text() == "new"


def test_a_plot_is_no_way_around(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    victim, path = tmp_path / "victim", tmp_path / "plot.svg"
    victim.write_text("precious")
    path.symlink_to(victim)
    given = ["profile", "laplace", "--sensitivity", "1", "--scale", "1", "--epsilon", "0:1:3", "--plot", str(path)]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 2
    assert "plot: " in done.stderr
    assert victim.read_text() == "precious"


def no_links(*_given: object, **_more: object) -> None:
    """Be a file system without hard links."""
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_new_file_takes_a_free_name_and_no_other(tmp_path, monkeypatch, links: bool) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "deep" / "release.json"
    write_new(path, "né")
    assert path.read_text(encoding="utf-8") == "né"
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)
    assert path.stat().st_nlink == 1
    with pytest.raises(InvalidParameterError, match=r"output: .* is there already; name another file"):
        write_new(path, "new")
    with pytest.raises(InvalidParameterError, match="page: "):
        write_new(path, "new", "page")
    assert (path.read_text(encoding="utf-8"), names(path.parent)) == ("né", ["release.json"])


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
@pytest.mark.parametrize("made", ["link", "dangling", "folder", "pipe"])
def test_a_new_file_leaves_alone_whatever_has_its_name(tmp_path, monkeypatch, made: str, links: bool) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    victim, path = tmp_path / "victim", tmp_path / "out"
    victim.write_text("precious")
    {
        "link": lambda: path.symlink_to(victim),
        "dangling": lambda: path.symlink_to(tmp_path / "nothing"),
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
    }[made]()
    before, listed = path.lstat(), names(tmp_path)
    with pytest.raises(InvalidParameterError, match="is there already"):
        write_new(path, "new")
    assert (path.lstat().st_ino, path.lstat().st_mode, names(tmp_path)) == (before.st_ino, before.st_mode, listed)
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_name_that_is_taken_while_a_new_file_is_written_stays_taken(tmp_path, monkeypatch, links: bool) -> None:
    path, sync = tmp_path / "release.json", os.fsync

    def slow(handle: int) -> None:
        sync(handle)
        path.write_text("of somebody else")

    monkeypatch.setattr(os, "fsync", slow)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(InvalidParameterError, match="is there already"):
        write_new(path, "new")
    assert (path.read_text(), names(tmp_path)) == ("of somebody else", ["release.json"])


@pytest.mark.parametrize("error", [OSError("no"), KeyboardInterrupt()], ids=["error", "interrupt"])
@pytest.mark.parametrize("broken", ["fsync", "fdopen", "link", "replace"])
def test_a_new_file_that_is_not_finished_leaves_nothing(tmp_path, monkeypatch, broken: str, error) -> None:
    def fail(*_given: object, **_more: object) -> None:
        raise error

    if broken == "replace":
        monkeypatch.setattr(os, "link", no_links)
        monkeypatch.setattr(Path, "replace", fail)
    else:
        monkeypatch.setattr(os, broken, fail)
    with pytest.raises(type(error)):
        write_new(tmp_path / "release.json", "new")
    assert names(tmp_path) == []


def test_of_many_who_write_one_name_one_does(tmp_path) -> None:
    path, told = tmp_path / "entry.yaml", []
    together = threading.Barrier(8)

    def write(number: int) -> None:
        together.wait()
        try:
            write_new(path, str(number) * 10_000)
            told.append(number)
        except InvalidParameterError:
            pass

    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert len(told) == 1
    assert path.read_text() == str(told[0]) * 10_000
    assert names(tmp_path) == ["entry.yaml"]
