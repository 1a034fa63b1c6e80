"""A window is used once: attacks by forks, copies, links, older files, threads and signals on noise that is under way.

Two publications that share their noise differ by the rows alone; so each attack ends with an error, and not with both.
"""

from __future__ import annotations

import copy
import ctypes
import gc
import json
import multiprocessing
import os
import pickle
import platform
import shutil
import signal
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.mechanisms import OnlinePerturbedLeader
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, resume, suspend
from dpmatrix.mechanisms.streams.record import sealed
from dpmatrix.mechanisms.streams.window import WindowMemory
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from tests.forks import in_a_fork

PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
SMALL = WindowParameters(2, 12, PROMISE, leaf=3)
ROW = [[0.5, 0.5]]


class PicklableEntropy:
    """A private source that can be copied and pickled, unlike `SystemEntropy`."""

    private = True
    description = "a source of its own"

    def bits(self, count: int) -> int:
        """Draw from the system."""
        return SystemEntropy().bits(count)

    def words(self, count: int) -> np.ndarray:
        """Draw from the system."""
        return SystemEntropy().words(count)


def begun(entropy=None) -> SlidingWindowGram:
    window = SlidingWindowGram(SMALL, entropy=entropy)
    window.add(ROW * 4)
    return window


ACTS: dict[str, Callable[[SlidingWindowGram, Path], object]] = {
    "add": lambda window, _: window.add(ROW),
    "publish": lambda window, _: window.publish(),
    "suspend": suspend,
    "hand_over": lambda window, _: window.hand_over(),
}


@pytest.mark.parametrize("act", list(ACTS))
def test_a_fork_may_not_use_the_window_and_its_parent_goes_on(tmp_path, act: str) -> None:
    window = begun()
    assert in_a_fork(lambda: ACTS[act](window, tmp_path / "window")).startswith("SingleUseError")
    assert not any(tmp_path.iterdir())
    ACTS[act](window, tmp_path / "window")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the number of the system call is that of x86-64")
def test_a_fork_that_python_was_not_told_of_may_not_use_the_window(tmp_path) -> None:
    """The system call itself runs no hook, and in a name space of its own the child has its parent's number."""
    window, number, said = begun(), os.getpid(), tmp_path / "said"
    child = ctypes.PyDLL(None).syscall(56, signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os.getpid = lambda: number
        try:
            window.publish()
        except BaseException as error:
            said.write_text(type(error).__name__, encoding="ascii")
        os._exit(0)
    os.waitpid(child, 0)
    assert said.read_text(encoding="ascii") == "SingleUseError"
    window.publish()


def test_a_fork_of_a_fork_may_not_either() -> None:
    window = begun()
    assert "SingleUseError" in in_a_fork(lambda: pytest.fail(in_a_fork(window.publish)))


def test_a_fork_may_not_take_what_a_window_handed_over() -> None:
    memory = begun().hand_over()
    assert in_a_fork(lambda: SlidingWindowGram(SMALL, memory=memory)).startswith("SingleUseError")
    SlidingWindowGram(SMALL, memory=memory).publish()


def test_a_fork_may_begin_a_window_of_its_own_and_resume_a_file(tmp_path) -> None:
    suspend(begun(), tmp_path / "window")

    def own() -> None:
        SlidingWindowGram(SMALL).add(ROW)
        resume(tmp_path / "window").add(ROW)

    assert in_a_fork(own) == "none"
    with pytest.raises(InvalidParameterError):
        resume(tmp_path / "window")


def _publish(window: SlidingWindowGram, results) -> None:
    try:
        results.put(window.publish().private)
    except NotPrivateError:
        results.put("refused")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_of_multiprocessing_may_not_use_the_window(method: str) -> None:
    context = multiprocessing.get_context(method)
    window, results = begun(PicklableEntropy()), context.SimpleQueue()
    worker = context.Process(target=_publish, args=(window, results))
    if method == "spawn":
        with pytest.raises(NotPrivateError, match="pickled"):
            worker.start()
        return
    worker.start()
    assert results.get() == "refused"
    worker.join()


@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        lambda thing: copy.deepcopy([thing]),
        lambda thing: pickle.dumps((thing,), 2),
    ],
)
@pytest.mark.parametrize("entropy", [SystemEntropy, PicklableEntropy])
def test_copies_are_refused_when_they_are_made(duplicate, entropy) -> None:
    window = begun(entropy())
    with pytest.raises(NotPrivateError, match=r"cannot be (copied|pickled).*suspend"):
        duplicate(window)
    window.publish()
    memory = window.hand_over()
    if duplicate is not copy.copy:
        with pytest.raises(NotPrivateError, match=r"cannot be (copied|pickled)"):
            duplicate(memory)
    SlidingWindowGram(SMALL, memory=memory).publish()


def test_a_second_object_around_the_same_noise_is_refused() -> None:
    """By hand, past the refusal of copies: the noise knows which window holds it."""
    window = begun()
    twin = object.__new__(SlidingWindowGram)
    twin.__dict__.update(window.__dict__)
    for act in (twin.publish, lambda: twin.add(ROW), twin.hand_over):
        with pytest.raises(NotPrivateError):
            act()
    window.publish()


@pytest.mark.parametrize(
    "again", [lambda memory: memory, copy.copy, attrs.evolve, lambda memory: WindowMemory(memory.sums, memory.held)]
)
def test_a_memory_is_taken_once(again) -> None:
    memory = begun().hand_over()
    window = SlidingWindowGram(SMALL, memory=memory)
    with pytest.raises(NotPrivateError, match="held by another"):
        SlidingWindowGram(SMALL, memory=again(memory))
    window.add(ROW)


def test_a_memory_is_not_free_because_its_window_is_gone() -> None:
    memory = begun().hand_over()
    SlidingWindowGram(SMALL, memory=memory).publish()
    gc.collect()
    with pytest.raises(NotPrivateError):
        SlidingWindowGram(SMALL, memory=memory)


def test_a_window_does_not_take_back_what_another_one_took() -> None:
    window = begun()
    memory = window.hand_over()
    with pytest.raises(NotPrivateError):
        window.publish()
    other = SlidingWindowGram(SMALL, memory=memory)
    with pytest.raises(NotPrivateError):
        window.take_back()
    with pytest.raises(NotPrivateError):
        window.publish()
    assert other.time == 4
    alone = begun()
    alone.hand_over()
    alone.take_back()
    alone.publish()


def test_a_window_does_not_take_back_what_was_written(tmp_path) -> None:
    window = begun()
    suspend(window, tmp_path / "window")
    with pytest.raises(NotPrivateError, match="held by another"):
        window.take_back()
    with pytest.raises(NotPrivateError):
        window.publish()
    assert resume(tmp_path / "window").time == 4


def test_a_memory_keeps_its_parameters_and_the_bits_that_it_was_made_of() -> None:
    stronger = attrs.evolve(SMALL, guarantee=PrivacyGuarantee(Fraction(1, 100), PROMISE.delta, PROMISE.adjacency))
    memory = begun().hand_over()
    with pytest.raises(InvalidParameterError, match="other parameters"):
        SlidingWindowGram(stronger, memory=memory)
    assert SlidingWindowGram(SMALL, memory=memory).publish().private
    seeded = SeededEntropy(1)
    assert begun(seeded).entropy is seeded
    known = begun(seeded).hand_over()
    assert not SlidingWindowGram(SMALL, memory=known).publish().private


def test_a_symbolic_link_is_the_file_that_it_leads_to(tmp_path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    suspend(begun(), one / "window")
    kept = tmp_path / "kept"
    shutil.copy(one / "window", kept)
    (two / "latest").symlink_to(Path("..") / "one" / "window")
    assert resume(two / "latest").time == 4
    with pytest.raises(InvalidParameterError):
        resume(one / "window")
    assert not list(two.glob("*.resumed")), "the mark is beside the file"
    shutil.copy(kept, one / "window")
    with pytest.raises(NotPrivateError):
        resume(one / "window")
    (two / "loop").symlink_to("loop")
    with pytest.raises(InvalidParameterError):
        resume(two / "loop")


def test_a_link_to_the_directory_is_followed_too(tmp_path) -> None:
    one = tmp_path / "one"
    one.mkdir()
    suspend(begun(), one / "window")
    (tmp_path / "two").symlink_to("one")
    shutil.copy(one / "window", tmp_path / "kept")
    resume(tmp_path / "two" / "window")
    shutil.copy(tmp_path / "kept", one / "window")
    with pytest.raises(NotPrivateError):
        resume(one / "window")


def test_a_file_with_a_second_name_is_refused_under_both(tmp_path) -> None:
    path, other = tmp_path / "window", tmp_path / "elsewhere" / "window"
    other.parent.mkdir()
    suspend(begun(), path)
    other.hardlink_to(path)
    for name in (path, other):
        with pytest.raises(NotPrivateError, match="another name"):
            resume(name)
    other.unlink()
    assert resume(path).time == 4


def test_a_directory_that_cannot_be_read_refuses_and_keeps_the_file(tmp_path, monkeypatch) -> None:
    path = tmp_path / "window"
    suspend(begun(), path)

    def unreadable(_: Path) -> None:
        raise PermissionError(13, "permission denied")

    monkeypatch.setattr(Path, "iterdir", unreadable)
    with pytest.raises(InvalidParameterError, match="cannot be marked"):
        resume(path)
    monkeypatch.undo()
    assert resume(path).time == 4


def test_of_two_suspensions_that_are_resumed_at_once_the_older_one_is_refused(tmp_path, monkeypatch) -> None:
    """The mark of the later one appears between the look at the marks and the mark of the older one."""
    path = tmp_path / "window"
    suspend(begun(), path)
    stream = json.loads(path.read_text(encoding="ascii").split("\n")[1])["stream"]
    touch = Path.touch

    def late(mark: Path, **options: bool) -> None:
        touch(mark.with_name(f"{stream}-2.resumed"))
        touch(mark, **options)

    monkeypatch.setattr(Path, "touch", late)
    with pytest.raises(NotPrivateError, match="resumed before"):
        resume(path)


def test_what_is_no_file_is_refused(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InvalidParameterError, match="no regular file"):
            resume(path)


def test_an_older_suspension_is_refused_where_a_later_one_was_resumed(tmp_path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    suspend(begun(), first / "window")
    shutil.copy(first / "window", second / "old")
    window = resume(first / "window")
    for _ in range(11):  # numbers of one and of two digits
        window.add(ROW)
        suspend(window, second / "window")
        shutil.copy(second / "window", second / f"kept-{window._suspensions}")
        window = resume(second / "window")
    for old in ("old", "kept-2", "kept-10"):
        if (second / old).exists():
            with pytest.raises(NotPrivateError):
                resume(second / old)
    suspend(window, second / "window")
    assert resume(second / "window").time == 15


def failing_link(real, *, made: bool):
    def link(path: Path, target: Path) -> None:
        if made:
            real(path, target)
        raise FileExistsError(17, "said the network file system")

    return link


def test_a_link_that_was_made_although_an_error_was_reported(tmp_path, monkeypatch) -> None:
    """As a network file system may do when an answer is lost: the file is there, so the window has ended."""
    window, path = begun(), tmp_path / "window"
    monkeypatch.setattr(Path, "hardlink_to", failing_link(Path.hardlink_to, made=True))
    suspend(window, path)
    monkeypatch.undo()
    with pytest.raises(NotPrivateError):
        window.publish()
    assert resume(path).time == 4
    assert not list(tmp_path.glob(".*")), "no draft is left"


def test_a_link_that_was_not_made_leaves_the_window_as_it_was(tmp_path, monkeypatch) -> None:
    window, path = begun(), tmp_path / "window"
    monkeypatch.setattr(Path, "hardlink_to", failing_link(Path.hardlink_to, made=False))
    with pytest.raises(FileExistsError):
        suspend(window, path)
    monkeypatch.undo()
    assert not any(tmp_path.iterdir())
    window.publish()


@pytest.mark.parametrize("lost", ["lstat", "unlink"])
def test_where_nobody_can_tell_the_window_has_ended(tmp_path, monkeypatch, lost: str) -> None:
    """The link may have been made and cannot be looked at; or a whole draft stays, from which one could go on."""
    window, path = begun(), tmp_path / "window"

    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "input/output error")

    monkeypatch.setattr(Path, "hardlink_to", failing_link(Path.hardlink_to, made=lost == "lstat"))
    monkeypatch.setattr(Path, lost, broken)
    with pytest.raises(NotPrivateError, match="not certain"):
        suspend(window, path)
    monkeypatch.undo()
    with pytest.raises(NotPrivateError):
        window.add(ROW)


def test_a_file_with_a_key_is_refused_without_one(tmp_path) -> None:
    path = tmp_path / "window"
    suspend(begun(), path, key=b"secret")
    genuine = path.read_bytes()
    text = genuine.split(b"\n")[1].decode("ascii")
    path.write_text(sealed(text, None), encoding="ascii")
    with pytest.raises(InvalidParameterError, match="key"):
        resume(path)
    with pytest.raises(InvalidParameterError, match="this key"):
        resume(path, key=b"secret")
    path.write_bytes(genuine)
    assert resume(path, key=b"secret").time == 4


def test_an_empty_key_is_none_that_keeps_a_secret(tmp_path) -> None:
    window, path = begun(), tmp_path / "window"
    with pytest.raises(InvalidParameterError, match="empty"):
        suspend(window, path, key=b"")
    suspend(window, path)
    with pytest.raises(InvalidParameterError, match="empty"):
        resume(path, key=b"")
    assert resume(path).time == 4


class Rows:
    """One row, whose reading is told of."""

    def __init__(self, told: Callable[[], object]) -> None:
        self.told = told

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        self.told()
        return np.array(ROW)


class Told(SeededEntropy):
    """Seeded words, whose drawing is told of."""

    told: Callable[[], object] = staticmethod(lambda: None)

    def words(self, count: int) -> np.ndarray:
        """Tell, and draw."""
        self.told()
        return super().words(count)


def test_threads_take_turns() -> None:
    """One thread is held back while it reads its row, the other one while it draws, until the first one has added.

    Where both are let in, the first row is added to sums of which one is about to be replaced. The bits are fixed, and
    the rows are equal, so that any order of whole calls gives one and the same memory. Neither waits for longer than
    half a second, so that the calls end also where the threads wait for each other.
    """
    plain, entropy = SlidingWindowGram(SMALL, entropy=SeededEntropy(1)), Told(1)
    plain.add(ROW * 7)
    window = SlidingWindowGram(SMALL, entropy=entropy)
    window.add(ROW * 5)
    drawing, added, reading = threading.Event(), threading.Event(), threading.Event()
    errors: list[BaseException] = []

    def read() -> None:
        reading.set()
        drawing.wait(0.5)

    def draw() -> None:
        drawing.set()
        added.wait(0.5)

    def add(rows: object, done: threading.Event) -> None:
        try:
            window.add(rows)
        except BaseException as error:
            errors.append(error)
        done.set()

    entropy.told = draw
    first = threading.Thread(target=add, args=(Rows(read), added))
    first.start()
    reading.wait(10)
    second = threading.Thread(target=add, args=(ROW, threading.Event()))
    second.start()
    first.join()
    second.join()
    assert errors == []
    assert window.memory == plain.memory
    assert window.time == 7


def test_a_call_from_within_a_call_is_refused_and_changes_nothing() -> None:
    window = begun()
    before = window.memory
    for act in (lambda: window.add(ROW), window.publish, window.hand_over, window.take_back):
        with pytest.raises(NotPrivateError):
            window.add(Rows(act))
        assert window.memory == before
    window.add(ROW)


def test_a_signal_handler_in_a_call_gets_an_error_and_not_half_a_state() -> None:
    entropy = Told(1)
    window = SlidingWindowGram(SMALL, entropy=entropy)
    entropy.told = lambda: signal.raise_signal(signal.SIGUSR1)
    before = signal.signal(signal.SIGUSR1, lambda *_: window.publish())
    try:
        with pytest.raises(NotPrivateError):
            window.add(ROW * 6)
    finally:
        signal.signal(signal.SIGUSR1, before)
    with pytest.raises(NotPrivateError, match="interrupted"):
        window.add(ROW)


def test_a_stream_of_perturbed_leaders_is_not_gone_on_with_in_a_fork() -> None:
    """The child would publish as many releases again, of one guarantee."""
    leader = OnlinePerturbedLeader(1, Adjacency.ADD_REMOVE_ONE, steps=3, delta=Fraction(1, 10**6))
    releases = leader.releases(iter(np.full((3, 2), 0.5)), 2)
    next(releases)
    assert in_a_fork(lambda: next(releases)).startswith("SingleUseError")
    assert len(list(releases)) == 2
