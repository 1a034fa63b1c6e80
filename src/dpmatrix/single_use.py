"""What must not be used twice: noise that is under way, accounts, and the files that keep them.

One rule for all of them. Whatever keeps noise or an account lives in one process, is one object, is used by one thread
at a time, and is kept in one file:

* A child of `os.fork` may not use what it inherits; the process that made it goes on. `multiprocessing` either forks,
  or pickles, which is refused.
* A copy and a pickle are refused when they are tried.
* A thread waits until another one is done. A call from within a call, by a signal handler or from the data, is refused.
* A file counts by what it is, not by its name; see `sole_file`.
* A second object that is given the attributes of the first refuses to be used.

Python hides nothing: who takes private attributes apart can still build a second object.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.randomness.entropy import process_identity

DRAFT = ".draft"
"""How the name of a file ends that is not finished, or was left when its process was killed."""


class SingleUse:
    """Base of what keeps noise or an account: one process, one object, one thread at a time.

    Attributes
    ----------
    what
        How error messages call it.
    remedy
        What a caller can do who wanted a second one.
    """

    what: ClassVar[str]
    remedy: ClassVar[str]

    def __init__(self) -> None:
        self._process = process_identity()
        # Whoever copies the attributes into a second object copies this too, and it tells the two apart.
        self._object = weakref.ref(self)
        self._lock = threading.RLock()
        self._busy = False

    def check_process(self) -> None:
        """Refuse to be used in another process than the one that made the object.

        Raises
        ------
        SingleUseError
            In a child process, or in an object that was given the attributes of another one.
        """
        if self._object() is not self:
            raise SingleUseError(f"{self.what} cannot be copied: both would be used", self.remedy)
        if self._process != process_identity():
            raise SingleUseError(f"{self.what} belongs to the process that made it, and this is a fork", self.remedy)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Use the object: other threads wait.

        Raises
        ------
        SingleUseError
            In a child process, or from within another use by the same thread.
        """
        self.check_process()
        with self._lock:
            # Only the thread that holds the lock can see this: a lock that it cannot pass would never open for it.
            if self._busy:
                raise SingleUseError(
                    f"{self.what} is in use by the call that this one interrupts", "call it afterwards"
                )
            self._busy = True
            try:
                yield
            finally:
                self._busy = False

    def __copy__(self) -> Any:  # noqa: ANN401 - a subclass may return itself
        """Refuse to be copied."""
        self._refuse("copied")

    def __deepcopy__(self, _memo: dict[int, Any]) -> Any:  # noqa: ANN401
        """Refuse to be copied."""
        self._refuse("copied")

    def __reduce_ex__(self, _protocol: Any) -> Any:  # noqa: ANN401
        """Refuse to be pickled."""
        self._refuse("pickled")

    def _refuse(self, verb: str) -> NoReturn:
        raise SingleUseError(f"{self.what} cannot be {verb}: both would be used", self.remedy)


def sole_file(path: Path, parameter: str = "path") -> Path:
    """Find the file behind a path, without symbolic links, and make sure that it has no other name.

    Drafts of the file that were left beside it by a process that was killed are removed first.

    Parameters
    ----------
    path
        Path of the file.
    parameter
        Name of the argument, for messages.

    Raises
    ------
    OSError
        If there is no such file.
    InvalidParameterError
        If it is no regular file.
    SingleUseError
        If it has another name, under which it could be used again.
    """
    try:
        found = path.resolve(strict=True)
    except RuntimeError as error:
        raise OSError(errno.ELOOP, "the symbolic links go round in circles") from error
    status = found.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InvalidParameterError(parameter, f"{path.name} is no regular file", "pass the file itself")
    if status.st_nlink > 1:
        _remove_drafts(found.parent, status)
        if found.stat().st_nlink > 1:
            problem = f"the {parameter} {path.name} has another name, a hard link"
            raise SingleUseError(problem, "remove all of its names but this one")
    return found


def _remove_drafts(directory: Path, status: os.stat_result) -> None:
    for entry in directory.iterdir():
        if entry.name.startswith(".") and entry.name.endswith(DRAFT):
            with suppress(OSError):
                if os.path.samestat(entry.lstat(), status):
                    entry.unlink()
