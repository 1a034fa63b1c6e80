"""That a file is the one that was meant: its first and last bytes, and where a change leaves its mark."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from dpmatrix.errors import RecordFileError
from dpmatrix.files.identity import FileIdentity, stamp_of, unchanged


def next_handle(path: Path) -> int:
    handle = os.open(path, os.O_RDONLY)
    os.close(handle)
    return handle


@pytest.mark.parametrize("size", [0, 10, 1 << 16, (1 << 16) + 1, 1 << 18])
def test_the_digest_is_that_of_the_first_and_the_last_bytes(tmp_path, size: int) -> None:
    path = tmp_path / "file"
    content = bytes(place * place % 251 for place in range(size))
    path.write_bytes(content)
    identity = FileIdentity.of("name", path)
    assert (identity.path, identity.file, identity.size) == ("name", path, size)
    seen = content[: 1 << 16] + content[max(0, size - (1 << 16)) :]
    assert identity.digest == hashlib.blake2b(seen).hexdigest()


def test_a_file_that_is_not_there_cannot_be_checked(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"1\n")
    identity = FileIdentity.of("name", path)
    identity.check()
    path.unlink()
    for attempt in (identity.check, identity.present_stamp):
        with pytest.raises(RecordFileError) as caught:
            attempt()
        assert (caught.value.path, caught.value.line, caught.value.column) == ("name", None, None)
        assert caught.value.problem == (
            f"a worker cannot read {path} (No such file or directory); it must be there for every worker"
        )


def test_a_file_with_other_bytes_is_another_one(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"1\n" * 100_000)
    identity = FileIdentity.of("name", path)
    for place in (0, 200_000 - 2):
        with path.open("r+b") as handle:
            handle.seek(place)
            handle.write(b"2")
        with pytest.raises(RecordFileError, match="a worker finds something else there, or it was changed"):
            identity.check()
        path.write_bytes(b"1\n" * 100_000)


def test_a_stamp_tells_the_file_its_size_and_its_times(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"1\n")
    os.utime(path, ns=(10**18, 10**18 + 7))
    found = path.stat()
    assert stamp_of(path) == (found.st_dev, found.st_ino, 2, 10**18 + 7, found.st_ctime_ns)
    with path.open("rb") as handle:
        assert stamp_of(handle.fileno()) == stamp_of(str(path))
        assert handle.read() == b"1\n"


def test_a_file_that_was_opened_for_its_stamp_is_closed(tmp_path) -> None:
    path = tmp_path / "file"
    path.touch()
    before = next_handle(path)
    for _ in range(3):
        stamp_of(path)
    assert next_handle(path) == before


def test_a_pipe_has_no_stamp_and_is_not_waited_for(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert stamp_of(tmp_path / "pipe") is None


def test_a_system_without_non_blocking_files_reads_them(tmp_path, monkeypatch) -> None:
    path = tmp_path / "file"
    path.touch()
    flags = []
    opened = os.open
    monkeypatch.delattr(os, "O_NONBLOCK")
    monkeypatch.setattr(os, "open", lambda place, flag: flags.append(flag) or opened(place, flag))
    assert stamp_of(path) is not None
    assert flags == [os.O_RDONLY]


@pytest.mark.parametrize("early", [False, True])
def test_a_change_is_noticed_at_the_end(tmp_path, early: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"1\n")
    os.utime(path, (10**9, 10**9))
    before = stamp_of(path)
    with unchanged(path, "name"), unchanged(path, "name", before):
        pass
    if early:
        path.write_bytes(b"2\n")
        with unchanged(path, "name"):
            pass

    def change() -> None:
        with unchanged(path, "name", before if early else None):
            if not early:
                path.write_bytes(b"2\n")

    with pytest.raises(RecordFileError, match="it changed while it was read; copy it") as caught:
        change()
    assert (caught.value.path, caught.value.line, caught.value.column) == ("name", None, None)


def test_a_file_that_is_gone_was_changed(tmp_path) -> None:
    path = tmp_path / "file"
    path.touch()

    def remove() -> None:
        with unchanged(path, "name"):
            path.unlink()

    with pytest.raises(RecordFileError, match="changed"):
        remove()
