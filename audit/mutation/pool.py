"""A pool that forks one process per task, with a limit of processor time for each."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import pickle
import resource
import selectors
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import attrs

Task = TypeVar("Task")

CHUNK = 1 << 16

PATIENCE = 20
"""How many seconds of the clock go by, per second of the limit, until a process that only sleeps is killed."""

FAULTS = frozenset({signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV})
"""Signals by which a library in C ends a process that asks for what it cannot do."""


@attrs.define
class _Child:
    task: int
    pid: int
    deadline: float
    answer: bytes = b""


def _serve(work: Callable[[Task], Any], task: Task, seconds: float, pipe: int) -> None:
    """Body of a forked process: never returns."""
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
        answer = pickle.dumps(("value", work(task)))
        status = 0
    except BaseException:  # the traceback is the answer
        answer = pickle.dumps(("error", traceback.format_exc()))
    try:
        with os.fdopen(pipe, "wb") as stream:
            stream.write(answer)
    finally:
        os._exit(status)


def _kill(child: _Child) -> None:
    """End a process that was forked here, and whatever it started."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            kill(child.pid, signal.SIGKILL)
    os.waitpid(child.pid, 0)


def _end(_number: int, _frame: object) -> None:
    """Leave by an exception, so that what was forked is ended as well."""
    raise SystemExit(128 + signal.SIGTERM)


@contextlib.contextmanager
def _orderly_end() -> Iterator[None]:
    """Turn a request to end into an exception, where that can be done: in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Put a request to end off until the block has ended: a process is forked and noted, or neither."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class ForkedError(RuntimeError):
    """A task raised, or its process died; the message is its traceback."""


def streamed(work: Callable[[Callable[[Any], None]], None]) -> Iterator[Any]:
    """Yield what a function says in a process of its own, as soon as it says it.

    Parameters
    ----------
    work
        It is given a function that says something which can be pickled.

    Raises
    ------
    ForkedError
        If it raises.
    """
    heard, said = multiprocessing.Pipe(duplex=False)
    with _undisturbed():
        pid = os.fork()
        if pid == 0:
            _tell(work, said)
        child = _Child(0, pid, math.inf)
    said.close()
    try:
        with _orderly_end():
            while True:
                kind, value = heard.recv()
                if kind == "error":
                    raise ForkedError(value)
                if kind == "end":
                    return
                yield value
    except EOFError:
        raise ForkedError("the process died without an answer") from None
    finally:
        heard.close()
        _kill(child)


def _tell(work: Callable[[Callable[[Any], None]], None], said: Connection) -> None:
    """Body of a forked process: never returns."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        os.setsid()
        work(lambda value: said.send(("value", value)))
        said.send(("end", None))
    except BaseException:  # the traceback is the answer
        said.send(("error", traceback.format_exc()))
    finally:
        os._exit(0)


def forked(
    work: Callable[[Task], Any],
    tasks: Sequence[Task],
    seconds: Callable[[Task], float],
    *,
    workers: int,
    fault: Callable[[Task, str], Any] | None = None,
) -> Iterator[tuple[int, Any]]:
    """Yield the index of each task with its answer, in the order of completion.

    Parameters
    ----------
    work
        Function of a task; it runs in a process of its own, and what it returns is pickled.
    tasks
        The tasks; they are not copied, the processes inherit them.
    seconds
        Processor time after which a task's process is killed; its answer is then None. Time on the clock would depend
        on what else the machine does.
    workers
        Number of processes at a time.
    fault
        The answer for a task whose process one of `FAULTS` ended, of the task and the signal's name; without it such
        an end is an error.

    Raises
    ------
    ForkedError
        If a task raises.
    """
    waiting = list(range(len(tasks)))[::-1]
    running: dict[int, _Child] = {}
    selector = selectors.DefaultSelector()

    @_undisturbed()
    def start() -> None:
        task = waiting.pop()
        limit = seconds(tasks[task])
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            _serve(work, tasks[task], limit, write)
        os.close(write)
        running[read] = _Child(task, pid, time.monotonic() + PATIENCE * limit)
        selector.register(read, selectors.EVENT_READ)

    @_undisturbed()
    def finish(pipe: int) -> tuple[int, Any]:
        child = running.pop(pipe)
        selector.unregister(pipe)
        os.close(pipe)
        if time.monotonic() >= child.deadline and not child.answer:
            _kill(child)
            return child.task, None
        _, status = os.waitpid(child.pid, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
            return child.task, None
        if fault and os.WIFSIGNALED(status) and os.WTERMSIG(status) in FAULTS:
            return child.task, fault(tasks[child.task], signal.Signals(os.WTERMSIG(status)).name)
        kind, value = pickle.loads(child.answer) if child.answer else ("error", "the process died without an answer")
        if kind == "error":
            raise ForkedError(value)
        return child.task, value

    try:
        with _orderly_end():
            while waiting or running:
                while waiting and len(running) < workers:
                    start()
                patience = max(0.0, min(child.deadline for child in running.values()) - time.monotonic())
                for key, _ in selector.select(patience):
                    pipe = key.fd
                    part = os.read(pipe, CHUNK)
                    if part:
                        running[pipe].answer += part
                    else:
                        yield finish(pipe)
                now = time.monotonic()
                for pipe in [pipe for pipe, child in running.items() if now >= child.deadline and not child.answer]:
                    yield finish(pipe)
    finally:
        for child in running.values():
            _kill(child)
        selector.close()
