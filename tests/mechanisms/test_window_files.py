"""Files of suspended windows: whole or absent whatever kills the process, read once, and refused when not genuine."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpmatrix
from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, resume, suspend
from dpmatrix.mechanisms.streams import state as state_module
from dpmatrix.privacy import Adjacency, PrivacyGuarantee

PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
SMALL = WindowParameters(2, 12, PROMISE, leaf=3)
ROWS = np.full((5, 2), 0.5)

BEGIN = """
import os, signal, sys
from fractions import Fraction
from pathlib import Path
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, resume, suspend
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
promise = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
window = SlidingWindowGram(WindowParameters(2, 12, promise, leaf=3))
window.add([[0.5, 0.5]] * 5)
path = Path(sys.argv[1])
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
"""
HALF = """
real = os.fdopen
class Half:
    def __init__(self, *arguments, **options):
        self.file = real(*arguments, **options)
    def __enter__(self):
        return self
    def __exit__(self, *_):
        pass
    def write(self, text):
        self.file.write(text[: len(text) // 2])
        self.file.flush()
        die()
os.fdopen = Half
"""
MOMENTS = {
    "half of the file is written": (HALF, False),
    "it is written and not flushed": ("os.fsync = die\n", False),
    "it has no name yet": ("Path.hardlink_to = die\n", False),
    "it has its name": ("Path.unlink = die\n", True),
}
SOURCES = os.environ | {"PYTHONPATH": str(Path(dpmatrix.__file__).parents[1])}
"""A process of its own imports the same library."""


def killed(code: str, path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False, timeout=60, env=SOURCES)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("moment", list(MOMENTS))
def test_a_process_killed_while_it_writes_leaves_a_whole_file_or_none(tmp_path, moment: str) -> None:
    sabotage, there = MOMENTS[moment]
    path = tmp_path / "window"
    killed(BEGIN + sabotage + "suspend(window, path)\n", path)
    assert path.exists() is there
    if there:
        assert resume(path).time == 5
        return
    with pytest.raises(InvalidParameterError):
        resume(path)
    (draft,) = tmp_path.iterdir()
    if moment == "half of the file is written":
        draft.rename(path)
        with pytest.raises(InvalidParameterError):
            resume(path)
    suspend(SlidingWindowGram(SMALL), tmp_path / "other")


def test_a_process_killed_while_it_reads_has_used_the_file(tmp_path) -> None:
    """Between the mark and the removal: nobody knows whether the window went on, so it does not go on again."""
    path = tmp_path / "window"
    killed(BEGIN + "suspend(window, path)\nPath.unlink = die\nresume(path)\n", path)
    assert path.exists()
    with pytest.raises(NotPrivateError):
        resume(path)


def test_killed_at_any_moment(tmp_path) -> None:
    """A process suspends and resumes for ever; whenever it dies, what is there is whole, and goes on at most once."""
    options = {"stdout": subprocess.PIPE, "env": SOURCES}
    loop = "print('ready', flush=True)\nwhile True:\n    suspend(window, path)\n    window = resume(path)\n"
    for number, delay in enumerate((0.0, 0.011, 0.023, 0.037)):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "window"
        with subprocess.Popen([sys.executable, "-c", BEGIN + loop, str(path)], **options) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(delay)
            process.kill()
        if path.exists():
            copy = folder / "copy"
            shutil.copy(path, copy)
            try:
                window = resume(path)
            except NotPrivateError:
                continue  # killed between the mark and the removal
            assert window.time == 5
            with pytest.raises(NotPrivateError):
                resume(copy)


def test_a_stream_rolled_back_is_refused(tmp_path) -> None:
    """Copies of every suspension, put back under any name in the directory, before and after later suspensions."""
    window, path = SlidingWindowGram(SMALL), tmp_path / "window"
    copies = []
    for number in range(3):
        window.add(ROWS)
        suspend(window, path, key=b"k")
        copies.append(tmp_path / f"copy-{number}")
        shutil.copy(path, copies[-1])
        window = resume(path, key=b"k")
        assert not path.exists()
    for copy in copies:
        for name in ("window", "another"):
            shutil.copy(copy, tmp_path / name)
            with pytest.raises(NotPrivateError):
                resume(tmp_path / name, key=b"k")
            (tmp_path / name).unlink()
    suspend(window, path, key=b"k")
    assert resume(path, key=b"k").time == 15, "the stream itself goes on"


def test_other_streams_share_the_directory(tmp_path) -> None:
    first, second = SlidingWindowGram(SMALL), SlidingWindowGram(SMALL)
    suspend(first, tmp_path / "window")
    resume(tmp_path / "window")
    suspend(second, tmp_path / "window")
    assert resume(tmp_path / "window").time == 0


def test_a_file_is_never_replaced_and_a_failure_leaves_the_window_as_it_was(tmp_path, monkeypatch) -> None:
    window, path = SlidingWindowGram(SMALL), tmp_path / "window"
    path.write_text("precious", encoding="ascii")
    with pytest.raises(FileExistsError):
        suspend(window, path)
    assert path.read_text(encoding="ascii") == "precious"
    assert [found.name for found in tmp_path.iterdir()] == ["window"], "no draft is left"
    window.add(ROWS)

    def full(_handle: int) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(state_module.os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        suspend(window, tmp_path / "new")
    monkeypatch.undo()
    assert [found.name for found in tmp_path.iterdir()] == ["window"]
    window.add(ROWS)
    with pytest.raises(FileNotFoundError):
        suspend(window, tmp_path / "nowhere" / "window")
    suspend(window, tmp_path / "new")
    assert resume(tmp_path / "new").time == 10


def test_an_interruption_after_the_file_is_there_does_not_revive_the_window(tmp_path, monkeypatch) -> None:
    window, path = SlidingWindowGram(SMALL), tmp_path / "window"

    def failing(_path: Path) -> None:
        raise OSError(5, "input/output error")

    monkeypatch.setattr(state_module, "_to_disk", failing)
    suspend(window, path)
    with pytest.raises(NotPrivateError):
        window.add(ROWS)
    monkeypatch.undo()
    assert resume(path).time == 0


CHANGES = {
    "no stream": {"stream": None},
    "a path for a stream": {"stream": "../x"},
    "fewer parts": {"parts": []},
    "parts not formed": {"parts": [None, None, None]},
    "more rows than a leaf": {"rows": 3},
    "negative time": {"leaves_read": -1},
    "a truth for a time": {"leaves_read": True},
    "no leaves held": {"held": []},
    "other leaves held": {"held": [[0, [0, 0, 0]]]},
    "short total": {"total": [1, 2]},
    "total of floats": {"total": [0.5, 1, 2]},
    "another height": {"window": 48},
    "no adjacency": {"adjacency": "none"},
    "no epsilon": {"epsilon": "1/0"},
    "pure": {"delta": "0"},
    "old": {"version": 1},
    "no number": {"suspensions": "1"},
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_an_edit_with_a_matching_code_is_refused_where_it_contradicts_itself(tmp_path, change: str) -> None:
    """Without a secret anybody can write the code; what then decides are the numbers themselves."""
    window, path = SlidingWindowGram(SMALL), tmp_path / "window"
    window.add(ROWS)
    suspend(window, path)
    record = json.loads(path.read_text(encoding="ascii").split("\n")[1])

    def write(content: object) -> None:
        text = json.dumps(content)
        code = hmac.new(b"", text.encode("ascii"), hashlib.sha256).hexdigest()
        path.write_text(f"{code}\n{text}\n", encoding="ascii")

    write(record | CHANGES[change])
    with pytest.raises(InvalidParameterError):
        resume(path)
    assert path.exists(), "a file that is refused is not marked as used"
    for content in ([1], 7, {name: value for name, value in record.items() if name != "rows"}):
        write(content)
        with pytest.raises(InvalidParameterError):
            resume(path)
    write(record)
    assert resume(path).time == 5


def test_every_truncation_is_refused(tmp_path) -> None:
    path = tmp_path / "window"
    suspend(SlidingWindowGram(SMALL), path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(InvalidParameterError):
            resume(path)
    path.write_bytes(content)
    assert resume(path).time == 0
