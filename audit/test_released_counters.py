"""A counter elsewhere remembers that a window has gone on: what it is told, when, and what it answers.

With a counter a suspension goes on once wherever its file is copied to. So a counter that answers anything but that it
took the number now, that is kept twice, or was set back to nothing, has to end the attempt. Nothing is statistical.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from audit.released.windows import ROW, SMALL
from dpmatrix.errors import DpmatrixError, InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams import SlidingWindowGram, resume, suspend
from dpmatrix.mechanisms.streams import counter as counter_module
from dpmatrix.mechanisms.streams.counter import CounterFile
from dpmatrix.mechanisms.streams.record import sealed


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """End an item that waits for a lock of its own: a minute is far more than what the slowest one takes."""

    def waited(*_: object) -> None:
        pytest.fail("it waits for ever")

    before = signal.signal(signal.SIGALRM, waited)
    signal.setitimer(signal.ITIMER_REAL, 60)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


class Place:
    """A directory with a window, one of an attacker, and a counter elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.here, self.there, self.vault = (folder / name for name in ("here", "there", "vault"))
        for made in (self.here, self.there, self.vault):
            made.mkdir()
        self.path, self.counter = self.here / "window", self.vault / "counter"

    def suspended(self) -> Path:
        """Suspend a window of four rows, and keep a copy in the attacker's directory."""
        window = SlidingWindowGram(SMALL)
        window.add(ROW * 4)
        suspend(window, self.path, counter=self.counter)
        return Path(shutil.copy(self.path, self.there / "kept"))

    def refused(self, path: Path, kind: type[DpmatrixError] = SingleUseError, counter: object = None) -> None:
        """Assert that a file is refused, stays, and that no mark of the attempt stays beside it."""
        before = sorted(entry.name for entry in path.parent.iterdir())
        with pytest.raises(kind):
            resume(path, counter=self.counter if counter is None else counter)
        assert sorted(entry.name for entry in path.parent.iterdir()) == before


@pytest.fixture
def place(tmp_path) -> Place:
    return Place(tmp_path)


def test_a_counter_is_asked_before_anything_is_there_and_while_the_file_is(place) -> None:
    """Suspension n takes 2n - 1, is asked about it again, and takes 2n while its mark is beside the file."""
    seen: list[tuple[int, int]] = []

    def advance(stream: str, number: int) -> bool:
        assert stream.isalnum()
        seen.append((number, len(list(place.here.iterdir()))))
        return CounterFile(place.counter).advance(stream, number)

    window = SlidingWindowGram(SMALL)
    for _ in range(2):
        suspend(window, place.path, counter=advance)
        window = resume(place.path, counter=advance)
        shutil.rmtree(place.here)
        place.here.mkdir()
    assert seen == [(1, 0), (1, 0), (2, 2), (3, 0), (3, 0), (4, 2)]


def test_the_file_takes_each_number_once_and_only_upwards_and_an_even_one_only_next(place) -> None:
    counter = CounterFile(place.counter)
    order = [(1, True), (1, False), (2, True), (2, False), (1, False), (4, False), (7, True), (6, False), (5, False)]
    for number, taken in [*order, (8, True), (7, False), (8, False)]:
        assert counter.advance("stream", number) is taken
    assert counter.advance("another", 1)
    assert not counter.advance("unknown", 2)
    assert not counter.advance("stream", 8), "other streams are kept"


@pytest.mark.parametrize("attack", ["a copy elsewhere", "the directory set back", "an older suspension", "emptied"])
def test_a_suspension_goes_on_once(place, attack: str) -> None:
    kept = place.suspended()
    window = resume(place.path, counter=place.counter)
    if attack == "the directory set back":
        shutil.rmtree(place.here)
        place.here.mkdir()
        shutil.copy(kept, place.path)
        kept = place.path
    if attack == "an older suspension":
        suspend(window, place.path, counter=place.counter)
    if attack == "emptied":
        place.counter.write_bytes(b"")
    place.refused(kept)
    if attack == "an older suspension":
        assert resume(place.path, counter=place.counter).time == 4, "control"
        place.refused(kept)


def test_another_counter_and_none_are_refused(place) -> None:
    kept = place.suspended()
    place.refused(kept, InvalidParameterError, counter=place.vault / "other")
    assert not (place.vault / "other").exists(), "only a suspension makes the file"
    suspend(SlidingWindowGram(SMALL), place.here / "else", counter=place.vault / "other")
    place.refused(kept, counter=place.vault / "other")
    with pytest.raises(InvalidParameterError):
        resume(kept)
    suspend(resume(kept, counter=place.counter), place.there / "plain")
    place.refused(place.there / "plain", InvalidParameterError)
    assert resume(place.there / "plain").time == 4, "control"


def raises(*_: object) -> bool:
    raise ConnectionError("a host and its password")


ANSWERS: dict[str, object] = {
    "an error": raises,
    "None": lambda *_: None,
    "one": lambda *_: 1,
    "a word": lambda *_: "taken",
    "numpy": lambda *_: np.True_,
    "always": lambda *_: True,
    "no method": object(),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_only_true_and_false_are_answers_and_true_is_one_once(place, answer: str) -> None:
    window = SlidingWindowGram(SMALL)
    with pytest.raises(InvalidParameterError) as caught:
        suspend(window, place.path, counter=ANSWERS[answer])
    assert "password" not in str(caught.value)
    assert not any(place.here.iterdir())
    window.add(ROW)
    suspend(window, place.path, counter=place.counter)
    if answer != "always":
        place.refused(place.path, InvalidParameterError, counter=ANSWERS[answer])
    assert resume(place.path, counter=place.counter).time == 1, "control"


def test_a_counter_that_knows_a_later_suspension_ends_the_window(place) -> None:
    """Two windows have the same noise, since their file had no counter and was copied."""
    suspend(SlidingWindowGram(SMALL), place.path)
    kept = Path(shutil.copy(place.path, place.there / "kept"))
    first, second = resume(place.path), resume(kept)
    suspend(first, place.path, counter=place.counter)
    with pytest.raises(SingleUseError):
        suspend(second, place.there / "window", counter=place.counter)
    assert not (place.there / "window").exists()
    with pytest.raises(SingleUseError):
        second.publish()
    assert resume(place.path, counter=place.counter).time == 0, "control"


def test_a_counter_that_was_cut_off_or_edited_is_refused(place) -> None:
    kept = place.suspended()
    before = place.counter.read_bytes()
    resume(place.path, counter=place.counter)
    after = place.counter.read_bytes()
    text = after.decode("ascii").split("\n")[1]
    assert json.loads(text)["version"] == 1
    broken = [after[:length] for length in range(1, len(after), 3)]
    broken += [after[:-1], after + b"\n", b"\xff" + after, before.split(b"\n")[0] + after[64:]]
    edits = ["null", "[]", "{}", '{"version": 1}', text.replace('"version": 1', '"version": 9')]
    edits += [text.replace(": 2}", other) for other in (': "1"}', ": true}", ": 1.0}")]
    for damaged in [*broken, *(sealed(edit, None).encode() for edit in edits)]:
        place.counter.write_bytes(damaged)
        place.refused(kept, InvalidParameterError)
        with pytest.raises(InvalidParameterError):
            suspend(SlidingWindowGram(SMALL), place.here / "else", counter=place.counter)
        assert place.counter.read_bytes() == damaged, "it is left as it was found"


def test_a_counter_with_a_second_name_keeps_older_numbers_there_and_is_refused(place, monkeypatch) -> None:
    """Linked before it is opened, or between that and the lock."""
    kept, other, lock = place.suspended(), place.vault / "other", fcntl.flock
    other.hardlink_to(place.counter)
    for name in (place.counter, other):
        place.refused(kept, counter=name)
    other.unlink()

    def linked(file: object, operation: int) -> None:
        lock(file, operation)
        if not other.exists():
            other.hardlink_to(place.counter)

    monkeypatch.setattr(counter_module.fcntl, "flock", linked)
    place.refused(kept)
    monkeypatch.undo()
    other.unlink()
    (place.there / "link").symlink_to(place.counter)
    assert resume(place.path, counter=place.there / "link").time == 4, "control: the file that it leads to"
    place.refused(kept)


def test_a_counter_that_is_moved_before_it_is_locked_is_not_written_anew(place, monkeypatch) -> None:
    kept, moved, lock = place.suspended(), place.vault / "moved", fcntl.flock

    def moving(file: object, operation: int) -> None:
        lock(file, operation)
        if not moved.exists():
            place.counter.rename(moved)

    monkeypatch.setattr(counter_module.fcntl, "flock", moving)
    place.refused(kept, InvalidParameterError)
    monkeypatch.undo()
    assert resume(place.path, counter=moved).time == 4, "control"
    place.refused(kept, counter=moved)


def test_a_second_thread_and_a_call_from_within_take_no_number(place, monkeypatch) -> None:
    """They come between reading and writing; the thread waits, and is waited for no longer than half a second."""
    kept, write = place.suspended(), counter_module.write_atomically
    again = Path(shutil.copy(kept, place.there / "again"))
    found: list[object] = []

    def other() -> None:
        try:
            found.append(resume(kept, counter=place.counter))
        except SingleUseError as error:
            found.append(error)

    thread = threading.Thread(target=other)

    def slowly(*arguments: object) -> None:
        if thread.ident is None:
            place.refused(again)
            thread.start()
            thread.join(0.5)
        write(*arguments)

    monkeypatch.setattr(counter_module, "write_atomically", slowly)
    assert resume(place.path, counter=place.counter).time == 4
    thread.join(60)
    assert [type(one) for one in found] == [SingleUseError]


@pytest.mark.parametrize("when", ["suspend", "resume"])
def test_a_counter_that_forks_gives_the_window_to_one_process(place, when: str) -> None:
    """Both come back from the counter with the same answer, the child first."""
    children: list[int] = []

    def forking(stream: str, number: int) -> bool:
        taken = CounterFile(place.counter).advance(stream, number)
        if taken:
            children.append(os.fork())
            if children[0]:
                children.append(os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]))
        return taken

    acts: dict[str, Callable[[], object]] = {
        "suspend": lambda: suspend(SlidingWindowGram(SMALL), place.path, counter=forking),
        "resume": lambda: resume(place.path, counter=forking),
    }
    if when == "resume":
        place.suspended()
    parent = os.getpid()
    try:
        acts[when]()
    except SingleUseError:
        if os.getpid() != parent:
            os._exit(7)
        raise
    finally:
        if os.getpid() != parent:
            os._exit(1)
    assert children[1] == 7
