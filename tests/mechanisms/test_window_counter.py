"""Counters of suspended windows: attacks that the directory of the file cannot notice, each ended by an error."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpmatrix
from dpmatrix.errors import DpmatrixError, InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, resume, suspend
from dpmatrix.mechanisms.streams import counter as counter_module
from dpmatrix.mechanisms.streams.counter import CounterFile
from dpmatrix.mechanisms.streams.record import sealed
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy
from tests.forks import in_a_fork

PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
SMALL = WindowParameters(2, 12, PROMISE, leaf=3)
ROW = [[0.5, 0.5]]


class Place:
    """A directory with a window, a directory of an attacker, and a counter elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.here, self.there, self.vault = (folder / name for name in ("here", "there", "vault"))
        for made in (self.here, self.there, self.vault):
            made.mkdir()
        self.path, self.counter = self.here / "window", self.vault / "counter"

    def suspended(self, **options: object) -> Path:
        """Suspend a window of four rows and keep a copy in the attacker's directory."""
        window = SlidingWindowGram(SMALL)
        window.add(ROW * 4)
        suspend(window, self.path, **{"counter": self.counter} | options)
        return self.kept()

    def kept(self, name: str = "kept") -> Path:
        """Copy the file."""
        return Path(shutil.copy(self.path, self.there / name))

    def refused(self, path: Path, match: str, kind: type[DpmatrixError] = SingleUseError, **options: object) -> None:
        """Assert that a file is refused, stays, and that no mark of the attempt stays beside it."""
        before = sorted(entry.name for entry in path.parent.iterdir())
        with pytest.raises(kind, match=match) as caught:
            resume(path, **{"counter": self.counter} | options)
        assert sorted(entry.name for entry in path.parent.iterdir()) == before
        if isinstance(caught.value, InvalidParameterError):
            assert caught.value.parameter == "counter"
            assert caught.value.remedy


@pytest.fixture
def place(tmp_path) -> Place:
    return Place(tmp_path)


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """End a test that waits for a lock of its own: a minute is thirty times what the slowest one takes."""

    def waited(*_: object) -> None:
        pytest.fail("it waits for ever")

    before = signal.signal(signal.SIGALRM, waited)
    signal.setitimer(signal.ITIMER_REAL, 60)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


REFUSED = "the counter does not say"


def test_a_chain_of_suspensions_goes_on_exactly_as_without_a_counter(place) -> None:
    found = []
    for counter in (None, place.counter, CounterFile(place.vault / "object")):
        window, published = SlidingWindowGram(SMALL, entropy=SeededEntropy(1)), []
        for number in range(5):
            window.add(ROW * 4)
            published.append((window.publish().integers.tolist(), window.stamps, window.memory))
            suspend(window, place.path, counter=counter, key=b"k")
            window = resume(place.path, counter=counter, key=b"k", entropy=SeededEntropy(number + 2))
        found.append(published)
    assert found[0] == found[1] == found[2]
    assert [entry.name for entry in place.vault.iterdir() if entry.name.startswith(".")] == [], "no draft is left"


def test_streams_share_a_counter(place) -> None:
    windows = [SlidingWindowGram(SMALL) for _ in range(3)]
    for number, window in enumerate(windows):
        window.add(ROW * (number + 1))
        suspend(window, place.here / str(number), counter=place.counter)
    for number in (1, 0, 2):
        assert resume(place.here / str(number), counter=place.counter).time == number + 1


def test_a_copy_in_another_directory_is_refused_and_so_is_the_original_after_it(place) -> None:
    kept = place.suspended()
    again = Path(shutil.copy(kept, place.there / "again"))
    resume(place.path, counter=place.counter)
    place.refused(kept, REFUSED)
    kept.rename(place.vault / "moved")
    place.refused(place.vault / "moved", REFUSED)
    place.path.parent.joinpath("fresh").mkdir()
    shutil.copy(again, place.here / "fresh" / "window")
    place.refused(place.here / "fresh" / "window", REFUSED)


def test_a_copy_that_was_resumed_elsewhere_ends_the_original(place) -> None:
    kept = place.suspended()
    assert resume(kept, counter=place.counter).time == 4
    place.refused(place.path, REFUSED)


@pytest.mark.parametrize("attack", ["set back", "marks removed"])
def test_a_directory_that_is_set_back_is_refused(place, attack: str) -> None:
    place.suspended()
    backup = shutil.copytree(place.here, place.there / "backup")
    resume(place.path, counter=place.counter)
    if attack == "set back":
        shutil.rmtree(place.here)
        shutil.copytree(backup, place.here)
    else:
        for mark in place.here.glob("*.resumed"):
            mark.unlink()
        shutil.copy(backup / "window", place.path)
    place.refused(place.path, REFUSED)


def test_older_suspensions_are_refused_elsewhere_before_and_after_later_ones(place) -> None:
    kept = [place.suspended()]
    for number in range(3):
        window = resume(place.path, counter=place.counter)
        window.add(ROW)
        suspend(window, place.path, counter=place.counter)
        for old in kept:
            place.refused(old, REFUSED)
        kept.append(place.kept(f"kept-{number}"))
    assert resume(place.path, counter=place.counter).time == 7
    for old in kept:
        place.refused(old, REFUSED)


def test_what_a_counter_does_not_promise(place) -> None:
    """The control of the attacks: with a counter that is set back, or none, they end with the same noise twice."""
    place.suspended()
    kept, old = place.kept(), shutil.copy(place.counter, place.vault / "old")
    windows = [resume(place.path, counter=place.counter)]
    shutil.copy(old, place.counter)
    windows.append(resume(kept, counter=place.counter))
    assert windows[0].memory == windows[1].memory
    suspend(windows[0], place.path)
    resume(place.kept())
    assert resume(place.path).time == 4


def test_a_file_says_whether_it_has_a_counter(place) -> None:
    kept = place.suspended()
    place.refused(kept, "was suspended with one", InvalidParameterError, counter=None)
    suspend(resume(kept, counter=place.counter), place.there / "plain")
    place.refused(place.there / "plain", "was suspended without one", InvalidParameterError)
    assert resume(place.there / "plain").time == 4


def test_a_file_that_was_edited_to_have_no_counter_is_refused_by_who_passes_one_and_by_the_key(place) -> None:
    kept = place.suspended(key=b"secret")
    text = kept.read_text(encoding="ascii").split("\n")[1].replace('"counted": true', '"counted": false')
    text = text.replace('"keyed": true', '"keyed": false')
    kept.write_text(sealed(text, None), encoding="ascii")
    place.refused(kept, "was suspended without one", InvalidParameterError)
    with pytest.raises(InvalidParameterError, match="this key"):
        resume(kept, key=b"secret")
    for said in ("1", "null", '"no"'):
        kept.write_text(sealed(text.replace('"counted": false', f'"counted": {said}'), None), encoding="ascii")
        for counter in (None, place.counter):
            with pytest.raises(InvalidParameterError, match="does not say"):
                resume(kept, counter=counter)
    assert resume(place.path, key=b"secret", counter=place.counter).time == 4


def test_another_counter_does_not_know_the_stream_and_costs_nothing(place) -> None:
    kept, other = place.suspended(), place.vault / "other"
    place.refused(kept, "cannot be read", InvalidParameterError, counter=other)
    assert not other.exists(), "only a suspension makes the file"
    suspend(SlidingWindowGram(SMALL), place.here / "else", counter=other)
    place.refused(kept, REFUSED, counter=other)
    assert resume(kept, counter=place.counter).time == 4


def test_a_counter_with_a_second_name_is_refused_under_both(place) -> None:
    """A file that is replaced under one name keeps its old numbers under the other."""
    kept = place.suspended()
    other = place.vault / "other"
    other.hardlink_to(place.counter)
    for name in (place.counter, other):
        place.refused(kept, "counter (counter|other) has another name", counter=name)
    window = SlidingWindowGram(SMALL)
    with pytest.raises(SingleUseError, match="another name"):
        suspend(window, place.here / "else", counter=other)
    other.unlink()
    assert resume(kept, counter=place.counter).time == 4


def test_a_link_made_while_the_lock_is_waited_for_is_refused(place, monkeypatch) -> None:
    kept, lock = place.suspended(), counter_module.fcntl.flock

    def linked(file: object, operation: int) -> None:
        lock(file, operation)
        if not (place.vault / "other").exists():
            (place.vault / "other").hardlink_to(place.counter)

    monkeypatch.setattr(counter_module.fcntl, "flock", linked)
    place.refused(kept, "another name")


def test_a_counter_moved_while_the_lock_is_waited_for_is_refused(place, monkeypatch) -> None:
    """Else the number would be written under the old name, and could be taken again from the moved file."""
    kept, moved, lock = place.suspended(), place.vault / "moved", counter_module.fcntl.flock

    def moving(file: object, operation: int) -> None:
        lock(file, operation)
        if not moved.exists():
            place.counter.rename(moved)

    monkeypatch.setattr(counter_module.fcntl, "flock", moving)
    place.refused(kept, "cannot be read", InvalidParameterError)
    monkeypatch.undo()
    assert resume(place.path, counter=moved).time == 4
    place.refused(kept, REFUSED, counter=moved)


def test_a_file_that_is_another_one_at_every_look_is_given_up(place, monkeypatch) -> None:
    """As on a file system that numbers files anew whenever they are opened."""
    kept, looks = place.suspended(), []
    assert counter_module.MOST_REPLACED == 10_000
    monkeypatch.setattr(counter_module.os.path, "samestat", lambda *_: looks.append(1))
    monkeypatch.setattr(counter_module, "MOST_REPLACED", 10)
    place.refused(kept, "cannot be read", InvalidParameterError)
    assert len(looks) == 10


def test_a_fork_does_not_keep_the_lock(place, monkeypatch) -> None:
    """Another thread forks while the file is locked; the child has the open file as well, and lives on."""
    place.suspended()
    waits, go = os.pipe()
    children, read = [], CounterFile._numbers

    def forked(self: CounterFile, content: str) -> dict[str, int]:
        child = os.fork()
        if child == 0:
            os.close(go)
            os.read(waits, 1)
            os._exit(0)
        children.append(child)
        return read(self, content)

    monkeypatch.setattr(CounterFile, "_numbers", forked)
    assert not CounterFile(place.counter).advance("unknown", 2)
    with place.counter.open("r+") as file:
        counter_module.fcntl.flock(file, counter_module.fcntl.LOCK_EX | counter_module.fcntl.LOCK_NB)
    os.close(go)
    os.waitpid(children[0], 0)
    os.close(waits)


def test_a_symbolic_link_is_the_counter_that_it_leads_to(place) -> None:
    kept, link = place.suspended(), place.there / "link"
    link.symlink_to(place.counter)
    resume(place.path, counter=link)
    assert link.is_symlink(), "the file is replaced, not the link"
    for counter in (link, place.counter):
        place.refused(kept, REFUSED, counter=counter)
    (place.there / "nowhere").symlink_to(place.vault / "nothing")
    (place.there / "loop").symlink_to("loop")
    for name in ("nowhere", "loop"):
        place.refused(kept, "cannot be read", InvalidParameterError, counter=place.there / name)
        window = SlidingWindowGram(SMALL)
        with pytest.raises(InvalidParameterError, match="counter"):
            suspend(window, place.here / "else", counter=place.there / name)
        window.add(ROW)
    assert not (place.vault / "nothing").exists()


def test_what_is_no_file_is_no_counter(place) -> None:
    kept = place.suspended()
    os.mkfifo(place.vault / "pipe")
    for name in (place.vault, place.vault / "pipe", Path(os.devnull)):
        place.refused(kept, "no regular file", InvalidParameterError, counter=name)
    place.refused(kept, "cannot be read", InvalidParameterError, counter=place.vault / "no" / "counter")
    assert resume(kept, counter=place.counter).time == 4


def test_a_counter_that_is_gone_refuses_what_it_knew_and_begins_again_with_the_next_suspension(place) -> None:
    kept = place.suspended()
    window = resume(place.path, counter=place.counter)
    window.add(ROW)
    suspend(window, place.path, counter=place.counter)
    later = place.kept("later")
    place.counter.unlink()
    for file in (kept, later):
        place.refused(file, "cannot be read", InvalidParameterError)
    suspend(SlidingWindowGram(SMALL), place.here / "else", counter=place.counter)
    for file in (kept, later):
        place.refused(file, REFUSED)
    window = resume(place.here / "else", counter=place.counter)
    place.counter.write_bytes(b"")
    suspend(window, place.here / "else", counter=place.counter)
    assert resume(place.here / "else", counter=place.counter).time == 0
    for file in (kept, later):
        place.refused(file, REFUSED)


def test_a_counter_that_was_truncated_or_edited_is_refused(place) -> None:
    kept = place.suspended()
    content = place.counter.read_bytes()
    resume(place.path, counter=place.counter)
    after = place.counter.read_bytes()
    assert after != content
    place.counter.write_bytes(b"")
    place.refused(kept, REFUSED)
    text = after.decode("ascii").split("\n")[1]
    broken = [after[:length] for length in range(1, len(after))]
    broken += [after.replace(b": 2}", b": 1}"), content.split(b"\n")[0] + after[64:], after + b"\n", b"\xff" + after]
    edits = ["null", "[]", "{}", '{"version": 1}', text.replace("1,", "9,"), text.replace(": 2}", ': "1"}')]
    edits += [text.replace(": 2}", ": true}"), text.replace(": 2}", ": 1.0}")]
    for damaged in [*broken, *(sealed(edit, None).encode() for edit in edits)]:
        place.counter.write_bytes(damaged)
        place.refused(kept, "counter", InvalidParameterError)
        with pytest.raises(InvalidParameterError, match="counter"):
            suspend(SlidingWindowGram(SMALL), place.here / "else", counter=place.counter)
        assert place.counter.read_bytes() == damaged, "it is left as it was found"


def test_what_a_counter_file_says(place) -> None:
    place.counter.write_text(sealed('{"version": 1, "numbers": {"stream": 3}}', None), encoding="ascii")
    counter = CounterFile(place.counter)
    assert not counter.advance("stream", 3)
    assert counter.advance("stream", 4)
    text = place.counter.read_text(encoding="ascii")
    assert text == sealed('{"version": 1, "numbers": {"stream": 4}}', None)
    place.counter.write_text(sealed('{"version": 2, "numbers": {"stream": 4}}', None), encoding="ascii")
    with pytest.raises(InvalidParameterError, match="counter is not what was written"):
        counter.advance("stream", 5)
    place.counter.write_text("\N{GREEK SMALL LETTER EPSILON}", encoding="utf-8")
    with pytest.raises(InvalidParameterError, match="cannot be read and written") as caught:
        counter.advance("stream", 5)
    assert isinstance(caught.value.__cause__, UnicodeDecodeError), "whatever the locale says"


@pytest.mark.parametrize(("mask", "mode"), [(0, 0o666), (0o022, 0o644), (0o077, 0o600)])
def test_a_new_counter_has_the_permissions_of_new_files(place, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        CounterFile(place.counter).advance("stream", 1)
    finally:
        os.umask(before)
    assert place.counter.stat().st_mode & 0o777 == mode


def test_a_counter_that_is_made_with_a_second_name_is_refused(place, monkeypatch) -> None:
    """Somebody links the new file before it is looked at."""
    create = os.open

    def linked(path: Path, flags: int, mode: int = 0o777) -> int:
        handle = create(path, flags, mode)
        place.counter.with_name("other").hardlink_to(place.counter)
        return handle

    monkeypatch.setattr(counter_module.os, "open", linked)
    with pytest.raises(SingleUseError, match="the counter counter has another name"):
        CounterFile(place.counter).advance("stream", 1)


def test_a_counter_that_becomes_a_link_before_it_is_written_is_refused_by_its_name(place, monkeypatch) -> None:
    place.suspended()
    read = CounterFile._numbers

    def exchanged(self: CounterFile, content: str) -> dict[str, int]:
        place.counter.rename(place.vault / "moved")
        place.counter.symlink_to(place.vault / "moved")
        return read(self, content)

    monkeypatch.setattr(CounterFile, "_numbers", exchanged)
    with pytest.raises(InvalidParameterError) as caught:
        CounterFile(place.counter).advance("stream", 1)
    assert caught.value.parameter == "counter"
    assert "link" in str(caught.value)


def raises(*_: object) -> bool:
    raise ConnectionError("a host and its password")


ANSWERS: dict[str, object] = {
    "raises": raises,
    "None": lambda *_: None,
    "one": lambda *_: 1,
    "a word": lambda *_: "taken",
    "numpy": lambda *_: np.True_,
    "a list": lambda *_: [True],
    "too few arguments": lambda: True,
}


@pytest.mark.parametrize("answer", list(ANSWERS))
def test_only_true_and_false_are_answers(place, answer: str) -> None:
    """Whatever else comes back, nothing goes on, nothing is written, and nothing is lost."""
    window = SlidingWindowGram(SMALL)
    window.add(ROW)
    with pytest.raises(InvalidParameterError, match=r"^counter: .*; ") as caught:
        suspend(window, place.path, counter=ANSWERS[answer])
    assert "password" not in str(caught.value)
    assert not any(place.here.iterdir())
    window.add(ROW)
    suspend(window, place.path, counter=place.counter)
    place.refused(place.path, "^counter: ", InvalidParameterError, counter=ANSWERS[answer])
    kept = place.kept()
    assert resume(place.path, counter=place.counter).time == 2
    place.refused(kept, REFUSED)


@pytest.mark.parametrize("counter", ["vault/counter", 7, b"counter", object(), {}])
def test_what_is_no_counter_is_refused_before_anything_happens(place, counter: object) -> None:
    window = SlidingWindowGram(SMALL)
    with pytest.raises(InvalidParameterError, match="counter: it is of type"):
        suspend(window, place.path, counter=counter)
    suspend(window, place.path, counter=place.counter)
    place.refused(place.path, "it is of type", InvalidParameterError, counter=counter)


def test_a_counter_that_always_agrees_is_noticed_when_it_is_first_used(place) -> None:
    window = SlidingWindowGram(SMALL)
    with pytest.raises(InvalidParameterError, match="counter: it took one number twice"):
        suspend(window, place.path, counter=lambda *_: True)
    assert not any(place.here.iterdir())
    window.add(ROW)


class Careless:
    """A counter that can fail before or after it has taken a number."""

    def __init__(self, path: Path) -> None:
        self.file, self.fail = CounterFile(path), ""
        self.seen: list[int] = []

    def advance(self, stream: str, number: int) -> bool:
        """Take a number, or fail."""
        if self.fail == "before":
            raises()
        taken = self.file.advance(stream, number)
        self.seen.append(number)
        if self.fail == "after":
            raises()
        return taken


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_window_goes_on_after_a_counter_failed_and_can_be_suspended_later(place, moment: str) -> None:
    """Also where the number was taken before the error: the next attempt has another number."""
    counter, window = Careless(place.counter), SlidingWindowGram(SMALL)
    counter.fail = moment
    for _ in range(2):
        with pytest.raises(InvalidParameterError, match="counter: it failed with ConnectionError"):
            suspend(window, place.path, counter=counter)
        window.add(ROW)
    counter.fail = ""
    suspend(window, place.path, counter=counter)
    kept = place.kept()
    assert resume(place.path, counter=counter).time == 2
    place.refused(kept, REFUSED, counter=counter)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_suspension_is_lost_at_worst_where_the_counter_fails(place, moment: str) -> None:
    kept, counter = place.suspended(), Careless(place.counter)
    counter.fail = moment
    place.refused(place.path, "it failed with ConnectionError", InvalidParameterError, counter=counter)
    counter.fail = ""
    if moment == "after":
        place.refused(place.path, REFUSED)
    else:
        assert resume(place.path, counter=counter).time == 4
    place.refused(kept, REFUSED)


def test_the_numbers_of_a_stream(place) -> None:
    """Suspension n takes 2n - 1, is asked about it again, and takes 2n; a file that exists costs a number."""
    counter, window = Careless(place.counter), SlidingWindowGram(SMALL)
    suspend(window, place.path, counter=counter)
    window = resume(place.path, counter=counter)
    (place.here / "taken").touch()
    with pytest.raises(FileExistsError):
        suspend(window, place.here / "taken", counter=counter)
    window.add(ROW)
    suspend(window, place.path, counter=counter)
    assert resume(place.path, counter=counter).time == 1
    assert counter.seen == [1, 1, 2, 3, 3, 5, 5, 6]


def test_the_file_takes_each_number_once_and_only_upwards(place) -> None:
    counter = CounterFile(place.counter)
    order = [(1, True), (1, False), (2, True), (2, False), (1, False), (4, False), (7, True), (6, False), (5, False)]
    for number, taken in [*order, (8, True), (7, False), (8, False)]:
        assert counter.advance("stream", number) is taken
    assert counter.advance("another", 1)
    assert not counter.advance("unknown", 2)


def test_two_windows_with_one_noise_are_noticed_when_they_come_to_one_counter(place) -> None:
    """The file had no counter and was copied; the second window that is suspended has ended."""
    kept = place.suspended(counter=None)
    first, second = resume(place.path), resume(kept)
    suspend(first, place.path, counter=place.counter)
    with pytest.raises(SingleUseError, match="counter knows a later suspension"):
        suspend(second, place.there / "window", counter=place.counter)
    with pytest.raises(SingleUseError):
        second.publish()
    assert [entry.name for entry in place.there.iterdir()] == [next(place.there.glob("*.resumed")).name]
    assert resume(place.path, counter=place.counter).time == 4


def test_a_fork_may_resume_and_then_its_parent_may_not(place) -> None:
    kept = place.suspended()
    assert in_a_fork(lambda: resume(kept, counter=place.counter).add(ROW)) == "none"
    place.refused(place.path, REFUSED)
    assert in_a_fork(lambda: resume(place.path, counter=place.counter)).startswith("SingleUseError")


@pytest.mark.parametrize("when", ["suspend", "resume"])
def test_a_counter_that_forks_gives_the_window_to_one_process(place, when: str) -> None:
    """Both come back from the counter with the same answer; a child that would go on is refused."""
    receiver, sender = os.pipe()
    children = []

    def forking(stream: str, number: int) -> bool:
        taken = CounterFile(place.counter).advance(stream, number)
        if taken:
            children.append(os.fork())
            if children[0]:
                os.waitpid(children[0], 0)  # the child goes on first
        return taken

    parent, window = os.getpid(), SlidingWindowGram(SMALL)
    if when == "resume":
        place.suspended()
    try:
        if when == "suspend":
            suspend(window, place.path, counter=forking)
        else:
            window = resume(place.path, counter=forking)
        said = "went on"
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
    if os.getpid() != parent:
        os.write(sender, said.encode())
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, encoding="utf-8") as pipe:
        child = pipe.read()
    assert (said, child.partition(":")[0]) == ("went on", "SingleUseError")
    if when == "suspend":
        window = resume(place.path, counter=place.counter)
    window.publish()


def race(acts: list[Callable[[], object]]) -> list[str]:
    """Let forked children do something as soon as they hear that all of them are there; give the names of errors."""
    start, go = os.pipe()
    readers, children = [], []
    for act in acts:
        receiver, sender = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(go)
            os.read(start, 1)  # ends when the parent closes the other end
            said = "none"
            try:
                act()
            except BaseException as error:
                said = type(error).__name__
            os.write(sender, said.encode())
            os._exit(0)
        os.close(sender)
        readers.append(receiver)
        children.append(child)
    os.close(go)
    os.close(start)
    for child in children:
        os.waitpid(child, 0)
    found = []
    for receiver in readers:
        with os.fdopen(receiver, encoding="utf-8") as pipe:
            found.append(pipe.read())
    return found


@pytest.mark.parametrize("files", ["copies", "one file"])
def test_of_processes_that_resume_at_once_one_wins(place, files: str) -> None:
    for number in range(6):
        place.suspended()
        paths = [place.path] * 4
        if files == "copies":
            paths = []
            for each in range(4):
                folder = place.there / f"{number}-{each}"
                folder.mkdir()
                paths.append(Path(shutil.copy(place.path, folder)))
        said = race([functools.partial(resume, path, counter=place.counter) for path in paths])
        losers = {"SingleUseError"} if files == "copies" else {"SingleUseError", "InvalidParameterError"}
        assert said.count("none") == 1
        assert {name for name in said if name != "none"} <= losers
        place.path.unlink(missing_ok=True)


def test_of_processes_that_make_the_counter_at_once_all_are_counted(place) -> None:
    for number in range(4):
        counter = place.vault / str(number)

        def begin(name: str, counter: Path = counter) -> None:
            suspend(SlidingWindowGram(SMALL), place.here / name, counter=counter)

        names = [f"{number}-{each}" for each in range(4)]
        assert race([functools.partial(begin, name) for name in names]) == ["none"] * 4
        for name in names:
            assert resume(place.here / name, counter=counter).time == 0


def test_a_second_thread_waits_until_the_first_one_has_written(place, monkeypatch) -> None:
    """It comes between reading and writing, and is waited for no longer than half a second: it waits itself."""
    kept, write = place.suspended(), counter_module.write_atomically
    found: list[object] = []

    def other() -> None:
        try:
            found.append(resume(kept, counter=place.counter))
        except SingleUseError as error:
            found.append(error)

    thread = threading.Thread(target=other)

    def slowly(*arguments: object) -> None:
        if thread.ident is None:
            thread.start()
            thread.join(0.5)
        write(*arguments)

    monkeypatch.setattr(counter_module, "write_atomically", slowly)
    assert resume(place.path, counter=place.counter).time == 4
    thread.join(60)
    assert [type(one) for one in found] == [SingleUseError]


def test_a_call_from_within_the_counter_is_refused_and_does_not_wait_for_itself(place, monkeypatch) -> None:
    """As a signal handler does that resumes while the file is locked."""
    kept, write = place.suspended(), counter_module.write_atomically

    def interrupted(*arguments: object) -> None:
        place.refused(kept, "in use by the call")
        write(*arguments)

    monkeypatch.setattr(counter_module, "write_atomically", interrupted)
    resume(place.path, counter=place.counter)
    monkeypatch.undo()
    place.refused(kept, REFUSED)


def test_a_counter_that_resumes_the_same_file_gives_it_to_nobody(place) -> None:
    place.suspended()

    def greedy(stream: str, number: int) -> bool:
        resume(place.path, counter=place.counter)
        return CounterFile(place.counter).advance(stream, number)

    place.refused(place.path, "resumed before", counter=greedy)
    assert resume(place.path, counter=place.counter).time == 4


def test_a_database_as_a_counter(place) -> None:
    """Both rules of the protocol in one statement each."""
    rising = (
        "INSERT INTO windows VALUES (:stream, :number) ON CONFLICT (stream) DO UPDATE SET number = :number "
        "WHERE number < :number"
    )
    next_one = "UPDATE windows SET number = :number WHERE stream = :stream AND number = :number - 1"
    with closing(sqlite3.connect(place.vault / "database")) as base:
        base.execute("CREATE TABLE windows (stream TEXT PRIMARY KEY, number INTEGER)")

        def advance(stream: str, number: int) -> bool:
            with base:
                done = base.execute(rising if number % 2 else next_one, {"stream": stream, "number": number})
            return done.rowcount == 1

        for _ in range(3):
            kept = place.suspended(counter=advance)
            window = resume(place.path, counter=advance)
            place.refused(kept, REFUSED, counter=advance)
            suspend(window, place.path, counter=advance)
            base.execute("DELETE FROM windows")
            place.refused(place.path, REFUSED, counter=advance)
            place.path.unlink()


BEGIN = """
import fcntl, os, signal, sys, tempfile
from fractions import Fraction
from pathlib import Path
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, counter, resume, state, suspend
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
promise = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
window = SlidingWindowGram(WindowParameters(2, 12, promise, leaf=3))
window.add([[0.5, 0.5]] * 4)
path, kept, file = map(Path, sys.argv[1:])
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
def after(real):
    def act(*arguments, **options):
        real(*arguments, **options)
        die()
    return act
"""
SUSPEND = "suspend(window, path, counter=file)\n"
RESUME = "kept.write_bytes(path.read_bytes())\n{}resume(path, counter=file)\n"
MOMENTS = {
    "suspended, before the counter is locked": ("fcntl.flock = die\n" + SUSPEND, 0),
    "suspended, before the counter is replaced": ("Path.replace = die\n" + SUSPEND, 0),
    "suspended, when the counter is replaced": ("Path.replace = after(Path.replace)\n" + SUSPEND, 0),
    "suspended, when the counter was told": ("tempfile.mkstemp = die\n" + SUSPEND, 0),
    "suspended, before the file has its name": ("Path.hardlink_to = die\n" + SUSPEND, 1),
    "suspended, when the file has its name": ("Path.hardlink_to = after(Path.hardlink_to)\n" + SUSPEND, 1),
    "resumed, before the mark": (SUSPEND + RESUME.format("Path.touch = die\n"), 1),
    "resumed, when the mark is there": (SUSPEND + RESUME.format("Path.touch = after(Path.touch)\n"), 1),
    "resumed, before the counter is replaced": (SUSPEND + RESUME.format("Path.replace = die\n"), 1),
    "resumed, when the counter is replaced": (SUSPEND + RESUME.format("Path.replace = after(Path.replace)\n"), 0),
    "resumed, when the counter was told": (SUSPEND + RESUME.format("state.end = after(state.end)\n"), 0),
    "resumed, before the file is removed": (SUSPEND + RESUME.format("state._to_disk = die\n"), 0),
    "resumed, when the file is removed": (SUSPEND + RESUME.format("state.SlidingWindowGram = die\n"), 0),
}
"""What is done, and how often the window can go on from its file, drafts and copies of them afterwards."""


@pytest.mark.parametrize("moment", list(MOMENTS))
def test_a_window_goes_on_at_most_once_whenever_its_process_is_killed(place, moment: str) -> None:
    code, times = MOMENTS[moment]
    kept = place.there / "kept"
    sources = os.environ | {"PYTHONPATH": str(Path(dpmatrix.__file__).parents[1])}
    arguments = [sys.executable, "-c", BEGIN + code, str(place.path), str(kept), str(place.counter)]
    done = subprocess.run(arguments, check=False, timeout=60, env=sources)
    assert done.returncode == -signal.SIGKILL
    files = [path for path in (place.path, kept, *place.here.glob(".*.draft")) if path.exists()]
    for number, path in enumerate(list(files)):
        folder = place.vault / str(number)
        folder.mkdir()
        files.append(Path(shutil.copy(path, folder / "window")))
    went_on = 0
    for path in files:
        try:
            went_on += resume(path, counter=place.counter).time == 4
        except DpmatrixError:
            assert path.exists() or path.name.endswith(".draft")
    assert went_on == times
    fresh = SlidingWindowGram(SMALL)
    suspend(fresh, place.there / "fresh", counter=place.counter)
    assert resume(place.there / "fresh", counter=place.counter).time == 0
