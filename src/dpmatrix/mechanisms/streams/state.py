"""Suspended windows: one file, read once, refused when it is not what was written."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dpmatrix.errors import DpmatrixError, InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams.counter import WindowCounter, begin, end, method_of
from dpmatrix.mechanisms.streams.record import REMEDY, read_record, sealed, text_of, window_of
from dpmatrix.mechanisms.streams.window import SlidingWindowGram, WindowMemory
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.single_use import DRAFT, sole_file


def suspend(
    window: SlidingWindowGram, path: Path, *, key: bytes | None = None, counter: WindowCounter | None = None
) -> None:
    """Write a window to a new file and end it: the object refuses to go on, so that no noise is used twice.

    The file appears under its name when it is complete and on the disk, or not at all. A process that is killed in the
    middle leaves a file ``.<name>.<random>.draft`` beside it, which nothing reads, and the stream has ended.

    Parameters
    ----------
    window
        What to suspend.
    path
        A file that does not exist yet, in a directory whose file system knows hard links.
    key
        Secret of the authentication code: without it nobody can make or change a file that `resume` accepts with it.
        Without a key, accidents are noticed and forgeries are not.
    counter
        What remembers that the window has gone on, wherever its file is copied to: a file that is kept elsewhere, so
        that who sets the directory back does not set it back, or what `MonotonicCounter` describes. It is told of the
        suspension before the file is there. Without one, the directory alone remembers.

    Raises
    ------
    InvalidParameterError
        If the key is empty, or the counter is none, fails, or answers otherwise than it should; nothing was written
        then, and the window goes on.
    OSError
        If the file exists or cannot be written; nothing was written then, and the window goes on.
    SingleUseError
        If the window was suspended before, or as in `SlidingWindowGram.add`. If the file cannot be written and it is
        not certain that nothing was, or if the counter refuses, since it knows a later suspension of the stream: the
        window has ended then.
    """
    _check_key(key)
    advance = None if counter is None else method_of(counter)
    memory = window.hand_over()
    # Held by what is written: neither this window nor another one can take it as long as the file may be there.
    memory.sums.take(memory)
    text = text_of(memory, keyed=key is not None, counted=advance is not None)
    try:
        if advance is not None:
            begin(advance, memory.stream, memory.suspensions)
            # A counter that forks comes back twice, and one of the two would write what the other goes on with.
            memory.sums.check_process()
        _write_new(path, sealed(text, key))
    except (OSError, InvalidParameterError):
        memory.sums.give(memory)
        window.take_back()
        raise


def resume(
    path: Path,
    *,
    key: bytes | None = None,
    entropy: Entropy | None = None,
    counter: WindowCounter | None = None,
) -> SlidingWindowGram:
    """Read a suspended window once: a mark is left beside the file, and the file is removed.

    *Without a counter* it is once in this directory. The mark is an empty file, ``<stream>-<number>.resumed``, and is
    never removed: a copy of the same suspension, or of an earlier one of a stream of which a later one was resumed, is
    refused where the mark is. In another directory a copy cannot be recognised, and a directory that is set back to an
    earlier state, or loses its marks, forgets.

    *With a counter* it is once, wherever the file is copied to and whatever becomes of its directory, as long as the
    counter itself is not set back. A counter file that is lost or emptied refuses what it has forgotten; so does every
    counter that keeps both rules of `MonotonicCounter.advance`.

    Two windows that go on from one memory share the noise of the sums under way: whoever sees both outputs sees the
    difference of their rows. So whenever the process is killed, the window goes on at most once, and may be lost. The
    mark is left first, then the counter is told, then the file is removed. Killed between mark and counter, the file is
    refused here and can be resumed in another directory; killed after the counter was told, it is refused everywhere,
    also if nothing went on. If the counter refuses or fails, the mark of this call is removed again.

    Without a key, the file is believed: who may write it may change the numbers, the guarantee and whether the bits
    were secret. A file that says that it has a key or a counter is refused without one, but a forger need not say so:
    only a reader who passes both is safe.

    Parameters
    ----------
    path, key
        As given to `suspend`. A symbolic link is followed, and the mark is left beside the file itself.
    entropy
        Source of the bits from now on; one that is not private makes the window as little so.
    counter
        The counter that the window was suspended with.

    Raises
    ------
    InvalidParameterError
        If there is no such file, or it is truncated, edited or of another key or version, or the key is empty; if the
        window was suspended with a counter and none is given, or without one and one is given; if the counter is none,
        fails, or answers otherwise than it should. The file stays where it is.
    SingleUseError
        If this suspension, or a later one of the stream, was resumed before, or the file has another name, a hard
        link. If the counter refuses: it is not that of the suspension, has lost it, or says that it was resumed.
    """
    _check_key(key)
    advance = None if counter is None else method_of(counter)
    try:
        found = sole_file(path)
    except OSError as error:
        raise InvalidParameterError("path", f"{path.name} cannot be read", REMEDY) from error
    record = read_record(found, key, counted=advance is not None)
    try:
        parameters, memory = window_of(record)
    except (LookupError, TypeError, ValueError, ArithmeticError, DpmatrixError) as error:
        raise InvalidParameterError("path", f"{path.name} holds no window: {error}", REMEDY) from error
    _use_up(found, memory, advance)
    return SlidingWindowGram(parameters, entropy=entropy, memory=memory)


def _use_up(path: Path, memory: WindowMemory, advance: Callable[[str, int], bool] | None) -> None:
    """Leave a mark beside a file and remove it, unless a mark or the counter says that its stream has gone on."""
    used = SingleUseError(f"{path.name} was resumed before: its noise must not be used twice", REMEDY)
    mark = path.with_name(f"{memory.stream}-{memory.suspensions}.resumed")
    try:
        # Looked at again once the mark is there: another process may resume a later suspension meanwhile.
        known = _last_mark(path.parent, memory.stream)
        if known < memory.suspensions:
            mark.touch(exist_ok=False)
            known = _last_mark(path.parent, memory.stream)
            if known == memory.suspensions:
                if advance is not None:
                    _count(advance, memory, mark)
                _to_disk(path.parent)
                path.unlink()
                return
    except FileExistsError as error:
        raise used from error
    except OSError as error:
        raise InvalidParameterError("path", f"{path.name} cannot be marked as used", REMEDY) from error
    raise used


def _count(advance: Callable[[str, int], bool], memory: WindowMemory, mark: Path) -> None:
    try:
        end(advance, memory.stream, memory.suspensions)
    except DpmatrixError:
        # Nothing goes on from here. Whether something may, the counter says again: another one may have been meant.
        with suppress(OSError):
            mark.unlink()
        raise
    # A counter that forks comes back twice, and the file is for the process that read it.
    memory.sums.check_process()


def _last_mark(directory: Path, stream: str) -> int:
    """Return the largest number of a mark of the stream, or -1."""
    mark = re.compile(re.escape(stream) + r"-(\d+)\.resumed")
    found = (mark.fullmatch(entry.name) for entry in directory.iterdir())
    return max((int(match[1]) for match in found if match), default=-1)


def _write_new(path: Path, content: str) -> None:
    """Write a whole file under a free name; an `OSError` means that nothing was written, a `SingleUseError` perhaps."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=DRAFT)
    draft = Path(name)
    try:
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            # Unlike renaming, this never replaces a file. Whatever fails after it must not look like a failure of it.
            path.hardlink_to(draft)
        except OSError as error:
            if not _same_file(path, draft):
                _discard(draft, path, error)
                raise
    finally:
        with suppress(OSError):
            draft.unlink()
    with suppress(OSError):
        _to_disk(path.parent)


def _same_file(path: Path, draft: Path) -> bool:
    """Whether a draft has got its name after all: a network file system may report an error of a link that it made."""
    try:
        return os.path.samestat(path.lstat(), draft.lstat())
    except OSError:
        return False


def _discard(draft: Path, path: Path, failure: OSError) -> None:
    """Remove a draft that got no name, and make sure that it got none."""
    try:
        # Opening it asks the server, where there is one, how many names it has.
        with draft.open("rb") as file:
            status = os.fstat(file.fileno())
        draft.unlink()
        certain = status.st_nlink == 1 and not (path.exists() and os.path.samestat(path.lstat(), status))
    except OSError:
        certain = False
    if not certain:
        problem = f"it is not certain that {path.name} was not written, so the window has ended"
        raise SingleUseError(
            problem, "look whether the file or a draft of it is there, and resume that one"
        ) from failure


def _to_disk(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_key(key: bytes | None) -> None:
    if key is not None and not key:
        raise InvalidParameterError("key", "it is empty, which everybody can guess", "pass a secret, or none at all")
