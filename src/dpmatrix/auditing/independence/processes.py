"""Outputs to be tested for repetitions: drawn here, by an executor, or in new processes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import IO, Any

from attrs import frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.independence.repeats import CALLS, Drawn
from dpmatrix.auditing.independence.replay import FreshCalls
from dpmatrix.auditing.targets.sampling import generator_for
from dpmatrix.auditing.targets.target import Target, draw_batch, told
from dpmatrix.errors import NoVerdictError

INSIDE = "DPMATRIX_AUDITED_PROCESS"
"""Set in a new process, which starts none itself."""

_PROBE = 8
_SIZES = (CALLS, 240, 1792)
_QUICK = 0.05
_WAITING = 0.5
_PROGRAM = "from dpmatrix.auditing.independence.processes import serve; serve()"
Sides = tuple[tuple[FloatArray, ...], ...]


def draw_probe(target: Target, sides: Sequence[FloatArray], entropy: int, number: int) -> Sides:
    """Draw from every data set in turn, `CALLS` outputs first and then more while that is quick.

    Quick is what takes little time of this thread, and not much on the wall: a busy machine is not a slow mechanism.

    Every process that draws does so in the same order, with generators made from its ``number``.
    """
    found: list[list[FloatArray]] = [[] for _ in sides]
    begin, used, drawn = time.perf_counter(), time.thread_time(), 0
    for step, size in enumerate(_SIZES):
        expected = (time.perf_counter() - begin) / drawn * size if step else 0.0
        if step and (time.thread_time() - used > _QUICK or expected > _WAITING):
            break
        drawn += size
        source = target if step else FreshCalls(target)
        for side, data in enumerate(sides):
            key = (_PROBE, number, step, side)
            found[side].append(draw_batch(source, data, size, generator_for(entropy, key)))
    return tuple(tuple(batches) for batches in found)


def _probe_of_worker(target: Target, sides: Sequence[FloatArray], entropy: int, number: int) -> tuple[int, Sides]:
    begin = time.perf_counter()
    found = draw_probe(target, sides, entropy, number)
    # So long that the other workers are handed theirs meanwhile.
    time.sleep(max(0.0, 2 * _QUICK - (time.perf_counter() - begin)))
    return os.getpid(), found


def probes_here(
    target: Target, sides: Sequence[FloatArray], entropy: int, executor: Executor | None, workers: int, timeout: float
) -> list[tuple[Drawn, ...]]:
    """Draw twice in this process, or twice for every worker of an executor; a `Drawn` for every data set and time.

    Raises
    ------
    NoVerdictError
        If an executor does not answer in time.
    """
    if executor is None:
        found = [(0, draw_probe(target, sides, entropy, number)) for number in range(2)]
    else:
        jobs: list[Future[tuple[int, Sides]]] = [
            executor.submit(_probe_of_worker, target, sides, entropy, number) for number in range(2 * workers)
        ]
        deadline = time.monotonic() + timeout
        try:
            found = [job.result(max(0.0, deadline - time.monotonic())) for job in jobs]
        except TimeoutError as error:
            raise NoVerdictError(f"the first calls of the mechanism did not return within {timeout:.0f} s") from error
    return [tuple(Drawn(process, batches) for batches in drawn) for process, drawn in found]


@frozen(eq=False)
class _Failure:
    """What a new process says that could not draw."""

    sentence: str
    exits: bool


class FreshProcess:
    """A new process, which imports everything anew, to draw in.

    Parameters
    ----------
    target
        As bytes, pickled.
    entropy, number
        As in `draw_probe`.
    """

    def __init__(self, target: bytes, entropy: int, number: int) -> None:
        path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, with a fixed program
            [sys.executable, "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": path, INSIDE: "1"},
        )
        self._number = number
        self._write((target, entropy, number))

    def ask(self, sides: Sequence[FloatArray]) -> None:
        """Ask for outputs on some data sets."""
        self._answers: list[Any] = []
        self._reader = threading.Thread(target=_read, args=(self._process.stdout, self._answers), daemon=True)
        self._reader.start()
        self._write(tuple(sides))

    def _write(self, message: object) -> None:
        pipe = self._process.stdin
        if pipe is not None:
            try:
                pickle.dump(message, pipe)
                pipe.flush()
            except OSError:
                return  # the answer says that the process has ended

    def wait(self, timeout: float) -> bool:
        """Wait for the answer at most so many seconds; tell whether it is there."""
        self._reader.join(max(0.0, timeout))
        return not self._reader.is_alive()

    def answer(self, timeout: float) -> tuple[Drawn, ...] | str:
        """Return what was drawn, a `Drawn` for every data set, or a sentence that says why it cannot be.

        Raises
        ------
        NoVerdictError
            If the process ends or exits instead of answering, or takes longer than ``timeout`` seconds.
        """
        if not self.wait(timeout):
            self.end()
            raise NoVerdictError("a new process that runs the mechanism did not answer in time")
        if not self._answers:
            code = self._process.wait()
            raise NoVerdictError(f"a new process that runs the mechanism ends in a call, exit code {code}")
        found = self._answers[0]
        if isinstance(found, _Failure):
            if found.exits:
                raise NoVerdictError(found.sentence)
            return found.sentence
        return tuple(Drawn(-1 - self._number, batches) for batches in found)

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue


def _read(pipe: IO[bytes], answers: list[Any]) -> None:
    try:
        answers.append(pickle.load(pipe))  # noqa: S301 - written by a process of ours
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        return


def serve() -> None:
    """Answer until nobody asks: read a target, then data sets, again and again."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the mechanism prints is no answer
    questions = sys.stdin.buffer
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    loaded: tuple[Target, int, int] | _Failure
    try:
        loaded = _loaded(questions)
    except (Exception, SystemExit) as error:
        loaded = _Failure(told(error), isinstance(error, SystemExit))
    while True:
        try:
            sides = pickle.load(questions)  # noqa: S301 - written by the process that started this one
        except EOFError:
            return
        answer: Sides | _Failure
        if isinstance(loaded, _Failure):
            answer = loaded
        else:
            try:
                answer = draw_probe(loaded[0], sides, *loaded[1:])
            except (Exception, SystemExit) as error:
                cause = error.__cause__
                sentence = str(error) if isinstance(error, NoVerdictError) else told(error)
                answer = _Failure(sentence, isinstance(error, SystemExit) or isinstance(cause, SystemExit))
        pickle.dump(answer, answers)
        answers.flush()


def _leave_with_parent() -> None:
    """End this process, also in the middle of a call, once the one that asks is gone."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _loaded(questions: IO[bytes]) -> tuple[Target, int, int]:
    payload, entropy, number = pickle.load(questions)  # noqa: S301 - written by the process that started this one
    target: Target = pickle.loads(payload)  # noqa: S301
    return target, int(entropy), int(number)


def fresh_processes(target: Target, entropy: int, *, first: int = 0, number: int = 2) -> list[FreshProcess]:
    """Start processes to draw in; none for a target that cannot be imported by its name.

    Parameters
    ----------
    target, entropy
        As in `draw_probe`.
    first
        Number of the first of them: processes with different numbers have different generators.
    number
        How many.
    """
    if os.environ.get(INSIDE):
        return []
    try:
        payload = pickle.dumps(target)
    except (pickle.PicklingError, TypeError, AttributeError):
        return []
    # What the main program defines is nowhere to be imported from.
    if b"__main__" in payload:
        return []
    # Each gets a number of its own, beyond those of the probes in this process.
    return [FreshProcess(payload, entropy, 10**6 + place) for place in range(first, first + number)]
