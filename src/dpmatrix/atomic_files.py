"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpmatrix.errors import InvalidParameterError

_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK)
"""How file systems say that they have no hard links, or allow none here."""


def refuse_unless_regular(path: Path, parameter: str = "output") -> None:
    """Make sure that a path names a regular file, or nothing yet; a link is not followed.

    Raises
    ------
    InvalidParameterError
        If something else stands there: a symbolic link, a directory, a device, a pipe or a socket.
    OSError
        If it cannot be looked at.
    """
    _mode_of(path, parameter)


def write_atomically(path: Path, text: str, parameter: str = "output") -> None:
    """Write a whole file or nothing: it appears under its name when it is complete and on the disk.

    An error or an interrupt leaves the old content and no draft. A process that is killed in the middle leaves the old
    content, and may leave a draft ``.dpmatrix-<random>.draft`` beside it, which nothing reads. A new file has the
    permissions that the process gives to new files; an old one keeps its own.

    Parameters
    ----------
    path
        A regular file, or nothing yet. Folders that lead to it are made.
    text
        What to write, in UTF-8.
    parameter
        Name of the argument, for messages.

    Raises
    ------
    InvalidParameterError
        As `refuse_unless_regular`.
    OSError
        If it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = _mode_of(path, parameter)
    with _draft_of(path, text, mode) as draft:
        draft.replace(path)
    _sync_folder(path.parent)


def write_new(path: Path, text: str, parameter: str = "output") -> None:
    """Write a whole file or nothing under a name that nothing has; see `write_atomically`.

    Whatever took the name first is left as it was, also where that was a moment before. On a file system without hard
    links the name is taken by an empty file first, which a process that is killed in that moment leaves behind.

    Parameters
    ----------
    path
        Names nothing yet. Folders that lead to it are made.
    text
        What to write, in UTF-8.
    parameter
        Name of the argument, for messages.

    Raises
    ------
    InvalidParameterError
        If something stands there, be it a file, a directory or a link.
    OSError
        If it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _draft_of(path, text, None) as draft:
        try:
            _take_name(draft, path)
        except FileExistsError as error:
            raise InvalidParameterError(parameter, f"{path} is there already", "name another file") from error
    _sync_folder(path.parent)


def _take_name(draft: Path, path: Path) -> None:
    """Give a draft its name, which must be free.

    Raises
    ------
    FileExistsError
        If it is not.
    """
    try:
        os.link(draft, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    else:
        return
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        draft.replace(path)
    except BaseException:
        path.unlink()
        raise


@contextmanager
def _draft_of(path: Path, text: str, mode: int | None) -> Iterator[Path]:
    """Yield a complete file beside a path, which is gone afterwards under this name."""
    draft = path.with_name(f".dpmatrix-{secrets.token_hex(16)}.draft")
    # A name that is taken is an error, and a link is never followed: nobody can have put something there to be written.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(draft, flags, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _mode_of(path: Path, parameter: str) -> int | None:
    """Return the permissions of a regular file, or None where there is nothing."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        problem = f"{path} is {_kind(mode)}, and only a regular file is replaced"
        raise InvalidParameterError(parameter, problem, "name a regular file, or one that does not exist yet")
    return mode & 0o777


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    return "a directory" if stat.S_ISDIR(mode) else "a device, a pipe or a socket"


def _sync_folder(folder: Path) -> None:
    """Make sure that a name is on the disk as well, where the system can say so."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems have no such thing for folders.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):
            raise
    finally:
        os.close(handle)
