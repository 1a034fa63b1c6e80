"""Suspended windows: one file, read once, refused when it is not what was written."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import tempfile
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from dpmatrix.errors import DpmatrixError, InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams.dyadic import DyadicSums
from dpmatrix.mechanisms.streams.histogram import WindowCheckpoint
from dpmatrix.mechanisms.streams.parameters import WindowParameters
from dpmatrix.mechanisms.streams.window import SlidingWindowGram, WindowMemory
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.single_use import DRAFT, sole_file

VERSION = 2
_REMEDY = "go back to a file that `suspend` wrote, or begin a new window"


def suspend(window: SlidingWindowGram, path: Path, *, key: bytes | None = None) -> None:
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

    Raises
    ------
    InvalidParameterError
        If the key is empty.
    OSError
        If the file exists or cannot be written; nothing was written then, and the window goes on.
    SingleUseError
        If the window was suspended before, or as in `SlidingWindowGram.add`. If the file cannot be written and it is
        not certain that nothing was: the window has ended then.
    """
    _check_key(key)
    memory = window.hand_over()
    # Held by what is written: neither this window nor another one can take it as long as the file may be there.
    memory.sums.take(memory)
    text = json.dumps(_record(memory, keyed=key is not None))
    try:
        _write_new(path, _code(text, key) + "\n" + text + "\n")
    except OSError:
        memory.sums.give(memory)
        window.take_back()
        raise


def resume(path: Path, *, key: bytes | None = None, entropy: Entropy | None = None) -> SlidingWindowGram:
    """Read a suspended window once: a mark is left beside the file, and the file is removed.

    The mark is an empty file, ``<stream>-<number>.resumed``, and is never removed: a copy of the same suspension, or of
    an earlier one of a stream of which a later one was resumed, is refused in this directory. Without the marks, or in
    another directory, a copy cannot be recognised, and a directory that is set back to an earlier state forgets. Two
    windows that go on from one memory share the noise of the sums under way: whoever sees both outputs sees the
    difference of their rows.

    Without a key, the file is believed: who may write it may change the numbers, the guarantee and whether the bits
    were secret. A file that says that it has a key is refused without one, but a forger need not say so: only a reader
    who passes the key is safe.

    Parameters
    ----------
    path, key
        As given to `suspend`. A symbolic link is followed, and the mark is left beside the file itself.
    entropy
        Source of the bits from now on; one that is not private makes the window as little so.

    Raises
    ------
    InvalidParameterError
        If there is no such file, or it is truncated, edited or of another key or version, or the key is empty; it stays
        where it is.
    SingleUseError
        If this suspension, or a later one of the stream, was resumed before, or the file has another name, a hard
        link.
    """
    _check_key(key)
    try:
        found = sole_file(path)
    except OSError as error:
        raise InvalidParameterError("path", f"{path.name} cannot be read", _REMEDY) from error
    record = _read(found, key)
    try:
        parameters = _parameters(record)
        memory = _memory(record, parameters)
    except (LookupError, TypeError, ValueError, ArithmeticError, DpmatrixError) as error:
        raise InvalidParameterError("path", f"{path.name} holds no window: {error}", _REMEDY) from error
    _use_up(found, memory)
    return SlidingWindowGram(parameters, entropy=entropy, memory=memory)


def _use_up(path: Path, memory: WindowMemory) -> None:
    """Leave a mark beside a file and remove it, unless a mark says that its stream has gone on from there."""
    used = SingleUseError(f"{path.name} was resumed before: its noise must not be used twice", _REMEDY)
    try:
        # Looked at again once the mark is there: another process may resume a later suspension meanwhile.
        known = _last_mark(path.parent, memory.stream)
        if known < memory.suspensions:
            path.with_name(f"{memory.stream}-{memory.suspensions}.resumed").touch(exist_ok=False)
            known = _last_mark(path.parent, memory.stream)
            if known == memory.suspensions:
                _to_disk(path.parent)
                path.unlink()
                return
    except FileExistsError as error:
        raise used from error
    except OSError as error:
        raise InvalidParameterError("path", f"{path.name} cannot be marked as used", _REMEDY) from error
    raise used


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


def _read(path: Path, key: bytes | None) -> dict[str, Any]:
    try:
        content = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameterError("path", f"{path.name} cannot be read", _REMEDY) from error
    code, _, rest = content.partition("\n")
    text = rest.removesuffix("\n")
    if rest == text or not hmac.compare_digest(code.encode(), _code(text, key).encode()):
        raise InvalidParameterError("path", f"{path.name} is not what was written with this key", _REMEDY)
    try:
        record: dict[str, Any] = json.loads(text)
        version = record["version"]
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidParameterError("path", f"{path.name} holds no window", _REMEDY) from error
    if version != VERSION:
        raise InvalidParameterError("path", f"version {version} is unknown", _REMEDY)
    if record.get("keyed", False) and key is None:
        raise InvalidParameterError("key", f"{path.name} was written with one", "pass the same key")
    return record


def _code(text: str, key: bytes | None) -> str:
    return hmac.new(key or b"", text.encode("ascii"), hashlib.sha256).hexdigest()


def _record(memory: WindowMemory, *, keyed: bool) -> dict[str, Any]:
    sums, parameters = memory.sums, memory.sums.parameters
    return {
        "version": VERSION,
        "keyed": keyed,
        "stream": memory.stream,
        "suspensions": memory.suspensions,
        "dimension": parameters.dimension,
        "window": parameters.window,
        "epsilon": str(parameters.guarantee.epsilon),
        "delta": str(parameters.guarantee.delta),
        "adjacency": parameters.guarantee.adjacency.value,
        "leaf": parameters.leaf,
        "coordinate_bits": parameters.coordinate_bits,
        "eta": str(parameters.eta),
        "tolerance": str(parameters.tolerance),
        "over_norm": parameters.over_norm,
        "private": memory.private,
        "leaves_read": sums.leaf,
        "rows": sums.rows,
        "total": sums.total,
        "parts": sums.parts,
        "held": [[pair.leaf, pair.before] for pair in memory.held],
    }


def _parameters(record: dict[str, Any]) -> WindowParameters:
    adjacency = Adjacency(record["adjacency"])
    return WindowParameters(
        record["dimension"],
        record["window"],
        PrivacyGuarantee(Fraction(record["epsilon"]), Fraction(record["delta"]), adjacency),
        leaf=record["leaf"],
        coordinate_bits=record["coordinate_bits"],
        eta=Fraction(record["eta"]),
        tolerance=Fraction(record["tolerance"]),
        over_norm=record["over_norm"],
    )


def _memory(record: dict[str, Any], parameters: WindowParameters) -> WindowMemory:
    """Read the memory, and check what does not depend on the rows: shapes, counters and stamps."""
    parts = [None if part is None else (_triangle(part[0]), _triangle(part[1])) for part in record["parts"]]
    sums = DyadicSums(parameters, record["leaves_read"], record["rows"], _triangle(record["total"]), parts)
    held = tuple(WindowCheckpoint(leaf, _triangle(before)) for leaf, before in record["held"])
    triangles = [sums.total, *(pair.before for pair in held), *(one for part in parts if part for one in part)]
    counters = (sums.leaf, sums.rows, record["suspensions"], *(pair.leaf for pair in held))
    leaves = [pair.leaf for pair in held]
    place = sums.leaf % (1 << parameters.height)
    formed = [size == parameters.height or (place >> size) % 2 == 0 for size in range(parameters.height + 1)]
    sound = (
        all(type(count) is int and count >= 0 for count in counters)
        and sums.rows < parameters.leaf
        and all(len(one) == parameters.entries for one in triangles)
        and [part is not None for part in parts] == formed
        and all(earlier < later for earlier, later in pairwise(leaves))
        and leaves[-1] == sums.leaf
        and leaves[0] <= max(0, sums.leaf - parameters.leaves)
        and isinstance(record["stream"], str)
        and record["stream"].isalnum()
    )
    if not sound:
        raise InvalidParameterError("path", "its numbers contradict each other", _REMEDY)
    return WindowMemory(sums, held, record["stream"], record["suspensions"], private=record["private"] is True)


def _triangle(values: list[int]) -> list[int]:
    if not all(type(value) is int for value in values):
        raise InvalidParameterError("path", "a sum holds what is no integer", _REMEDY)
    return list(values)
