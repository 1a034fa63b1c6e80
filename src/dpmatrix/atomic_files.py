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
    with _draft(path, text, _mode_of(path, parameter)) as draft:
        draft.replace(path)
    _sync_folder(path.parent)


def write_new(path: Path, text: str, parameter: str = "output") -> None:
    """Write a whole file under a name that is free, or nothing: whatever stands there is never replaced.

    The name is taken in one step, so that of several who write it at the same time one does, and a link that somebody
    puts there is not followed. Otherwise as `write_atomically`.

    Parameters
    ----------
    path
        Nothing yet. Folders that lead to it are made.
    text
        What to write, in UTF-8.
    parameter
        Name of the argument, for messages.

    Raises
    ------
    InvalidParameterError
        If something stands there, of whatever kind, a link that leads nowhere included.
    OSError
        If it cannot be written; also where the file system knows no hard links.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    refuse_unless_regular(path, parameter)
    with _draft(path, text, None) as draft:
        try:
            path.hardlink_to(draft)  # unlike renaming, this never replaces anything
        except FileExistsError:
            remedy = "name another file, or remove it"
            raise InvalidParameterError(parameter, f"{str(path)!r} exists already", remedy) from None
    _sync_folder(path.parent)


@contextmanager
def _draft(path: Path, text: str, mode: int | None) -> Iterator[Path]:
    """Write a text beside a path, to the disk; what has no other name afterwards is removed."""
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
