"""Counters of suspended windows: what remembers, away from a file, that its window has gone on."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol, TypeAlias

from dpmatrix.atomic_files import write_atomically
from dpmatrix.errors import DpmatrixError, InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams.record import sealed, unsealed
from dpmatrix.single_use import sole_file

VERSION = 1
MOST_REPLACED = 10_000
"""How often a file may be replaced while one process waits for it; some file systems never show a file twice."""
_THIS_THREAD = threading.local()


class MonotonicCounter(Protocol):
    """What remembers of each stream a number that only grows.

    Suspension number n of a stream takes the number 2n - 1 when it is written, and 2n when it is resumed. A counter has
    to be kept where nobody sets it back: one in the memory of a process is forgotten with it, and copied by its forks.
    """

    def advance(self, stream: str, number: int) -> bool:
        """Take a number for a stream, and remember it for ever.

        The decision is atomic: of two calls with one number, wherever they come from, at most one is told True, and
        only when the number is on the disk, or wherever else it stays. `suspend` asks twice, and refuses a counter that
        takes its number twice.

        Parameters
        ----------
        stream
            Name of the stream: letters and digits.
        number
            At least 1.

        Returns
        -------
        bool
            True if the number was taken now. False, and nothing has changed, if a number as large was taken before;
            also if the number is even and the last one of the stream is not the one before it. Without the second
            rule, a counter that was emptied accepts what it has forgotten.
        """
        ...


WindowCounter: TypeAlias = Path | MonotonicCounter | Callable[[str, int], bool]
"""A file, something with a method `advance`, or such a method by itself."""


def method_of(counter: WindowCounter) -> Callable[[str, int], bool]:
    """Find what is to be called.

    Raises
    ------
    InvalidParameterError
        If there is nothing.
    """
    method = CounterFile(counter).advance if isinstance(counter, Path) else getattr(counter, "advance", counter)
    if not callable(method):
        problem = f"it is of type {type(counter).__name__}"
        raise InvalidParameterError("counter", problem, "pass a pathlib.Path or what `MonotonicCounter` describes")
    return method


def takes(advance: Callable[[str, int], object], stream: str, number: int) -> bool:
    """Ask a counter to take a number; nothing but True and False is an answer.

    Raises
    ------
    InvalidParameterError
        If it raises an error that is none of this library, or returns something else.
    """
    try:
        taken = advance(stream, number)
    except DpmatrixError:
        raise
    except Exception as error:
        remedy = "mend it and try again; if the number was taken before the error, this suspension is lost"
        raise InvalidParameterError("counter", f"it failed with {type(error).__name__}", remedy) from error
    if not isinstance(taken, bool):
        problem = f"it returned something of type {type(taken).__name__}"
        raise InvalidParameterError("counter", problem, "return True if the number was taken now, and False if not")
    return taken


def begin(advance: Callable[[str, int], bool], stream: str, suspension: int) -> None:
    """Take the number of a suspension that is about to be written, and see that it cannot be taken again.

    Raises
    ------
    InvalidParameterError
        As `takes`, or if the counter takes the number twice.
    SingleUseError
        If the counter knows a later number: a window with the same noise has gone on.
    """
    number = 2 * suspension - 1
    if not takes(advance, stream, number):
        problem = "the counter knows a later suspension of this stream, so another window has its noise"
        raise SingleUseError(f"{problem}, and this one has ended", "go on with that one, or begin a new window")
    if takes(advance, stream, number):
        raise InvalidParameterError("counter", "it took one number twice", "let it take a number once, see `advance`")


def end(advance: Callable[[str, int], bool], stream: str, suspension: int) -> None:
    """Take the number of a suspension that is about to go on.

    Raises
    ------
    InvalidParameterError
        As `takes`.
    SingleUseError
        If the counter does not know the suspension, or as one that has gone on.
    """
    if not takes(advance, stream, 2 * suspension):
        problem = "the counter does not say that this suspension is the last one of its stream and was not resumed"
        remedy = "pass the counter that it was suspended with; if this is the one, begin a new window"
        raise SingleUseError(problem, remedy)


class CounterFile:
    """A counter in a file: one number for each stream, replaced atomically and locked for as long as that takes.

    Whoever may write the file can set it back, and so can whoever restores a backup of it. The lock is `flock` on the
    file itself: where the file system does not know it, as some of networks do not, processes are not kept apart.

    Parameters
    ----------
    path
        The file. It is made by the first suspension; a symbolic link to a file is followed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def advance(self, stream: str, number: int) -> bool:
        """Take a number, as `MonotonicCounter.advance`.

        Raises
        ------
        InvalidParameterError
            If the file is missing and the number is even, is no regular file, is not what was written, or cannot be
            read or written.
        SingleUseError
            If the file has another name, under which it would be an older one; from within another call.
        """
        try:
            with self._locked(new=number % 2 == 1) as (found, content):
                numbers = self._numbers(content)
                last = numbers.get(stream, 0)
                if not (number > last if number % 2 else number == last + 1):
                    return False
                text = json.dumps({"version": VERSION, "numbers": numbers | {stream: number}})
                write_atomically(found, sealed(text, None), "counter")
                return True
        except (OSError, UnicodeDecodeError) as error:
            remedy = "pass the file that the window was suspended with, where this process may read and write it"
            raise InvalidParameterError("counter", f"{self.path.name} cannot be read and written", remedy) from error

    @contextmanager
    def _locked(self, *, new: bool) -> Iterator[tuple[Path, str]]:
        """Lock the file that has the name, and read it; nobody replaces it meanwhile."""
        if getattr(_THIS_THREAD, "inside", False):
            raise SingleUseError("a counter is in use by the call that this one interrupts", "call it afterwards")
        _THIS_THREAD.inside = True
        try:
            for _ in range(MOST_REPLACED):
                found = self._found(new=new)
                # For writing: only then do some file systems lock it.
                with found.open("r+", encoding="ascii") as file:
                    fcntl.flock(file, fcntl.LOCK_EX)
                    try:
                        # While this one waited, the file may have been replaced: then the new one is waited for.
                        status = os.fstat(file.fileno())
                        if status.st_nlink == 1 and os.path.samestat(status, found.lstat()):
                            yield found, file.read()
                            return
                    finally:
                        # Closing alone would leave the lock to a fork that another thread has made meanwhile.
                        fcntl.flock(file, fcntl.LOCK_UN)
            raise OSError(errno.EDEADLK, "the file was another one at every look")
        finally:
            _THIS_THREAD.inside = False

    def _found(self, *, new: bool) -> Path:
        try:
            return sole_file(self.path, "counter")
        except FileNotFoundError:
            if not new:
                raise
        # An empty file knows no number. Exclusively: a link that leads nowhere is an error, as is a second process.
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        return sole_file(self.path, "counter")

    def _numbers(self, content: str) -> dict[str, int]:
        if not content:
            return {}
        try:
            text = unsealed(content, None)
            record = json.loads(text or "null")
            numbers = dict(record["numbers"])
            sound = record["version"] == VERSION and all(type(number) is int for number in numbers.values())
        except (KeyError, TypeError, ValueError):
            sound, numbers = False, {}
        if not sound:
            problem = f"{self.path.name} is not what was written"
            remedy = "remove it: what was suspended with it is lost, since older content might let it be used twice"
            raise InvalidParameterError("counter", problem, remedy)
        return numbers
