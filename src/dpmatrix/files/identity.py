"""That a file is the one that was meant, and that it stayed as it was while it was read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from dpmatrix.errors import RecordFileError

_SEEN_BYTES = 1 << 16

Stamp = tuple[int, ...]
"""Device, inode, size, and when the content and when anything was changed last: where a change leaves its mark."""


def stamp_of(place: int | str | Path) -> Stamp | None:
    """Return the stamp of a regular file, or of an open one; None for a pipe and the like, which is read once."""
    # A name is opened: some network file systems ask the server then, and not before.
    handle = place if isinstance(place, int) else os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        found = os.fstat(handle)
    finally:
        if handle != place:
            os.close(handle)
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@contextmanager
def unchanged(place: int | str | Path, path: str, before: Stamp | None = None) -> Iterator[None]:
    """Make sure that a file stayed as it was while it was read: a record that is moved meanwhile may be read twice.

    It goes by what `stamp_of` sees, so two changes within one tick of the file system's clock, a clock that is set
    back, or a system that keeps no times can hide one.

    Parameters
    ----------
    place
        The file, or the handle of an open one.
    path
        Its name, for messages.
    before
        Its stamp as it must be; as it is on entry by default.

    Raises
    ------
    RecordFileError
        If it changed. Nothing that was read of it may be released.
    """
    expected = stamp_of(place) if before is None else before
    yield
    try:
        found = stamp_of(place)
    except OSError:
        found = ()
    if found != expected:
        raise RecordFileError(path, None, None, "it changed while it was read; copy it, and read what stays as it is")


@frozen(kw_only=True)
class FileIdentity:
    """A file as the one saw it who cut it into parts.

    Attributes
    ----------
    path
        As the user wrote it, for messages.
    file
        The same from the root, since workers may run elsewhere.
    size
        In bytes.
    digest
        Of its first and last bytes; the last ones of a Parquet file describe all of it.
    """

    path: str
    file: Path
    size: int
    digest: str

    @classmethod
    def of(cls, path: str, file: Path) -> FileIdentity:
        """Look at a file."""
        with file.open("rb") as handle:
            size = os.fstat(handle.fileno()).st_size
            seen = hashlib.blake2b(handle.read(_SEEN_BYTES))
            handle.seek(max(0, size - _SEEN_BYTES))
            seen.update(handle.read(_SEEN_BYTES))
        return cls(path=path, file=file, size=size, digest=seen.hexdigest())

    def present_stamp(self) -> Stamp | None:
        """Return the stamp of what a worker finds there; see `check`."""
        try:
            return stamp_of(self.file)
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> RecordFileError:
        problem = f"a worker cannot read {self.file} ({error.strerror}); it must be there for every worker"
        return RecordFileError(self.path, None, None, problem)

    def check(self) -> None:
        """Make sure that the same file stands there.

        Raises
        ------
        RecordFileError
            If it does not: it was changed, or another machine has something else in its place.
        """
        try:
            found = FileIdentity.of(self.path, self.file)
        except OSError as error:
            raise self._unreadable(error) from error
        if found != self:
            problem = "a worker finds something else there, or it was changed; it must be the same for every worker"
            raise RecordFileError(self.path, None, None, problem)
