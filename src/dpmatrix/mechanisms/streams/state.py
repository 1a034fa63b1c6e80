"""Suspended windows: one file, read once, refused when it is not what was written."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import tempfile
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import DpmatrixError, InvalidParameterError, NotPrivateError
from dpmatrix.mechanisms.streams.dyadic import DyadicSums
from dpmatrix.mechanisms.streams.histogram import WindowCheckpoint
from dpmatrix.mechanisms.streams.parameters import WindowParameters
from dpmatrix.mechanisms.streams.window import SlidingWindowGram, WindowMemory
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy, SystemEntropy

VERSION = 2
_REMEDY = "go back to a file that `suspend` wrote, or begin a new window"


def suspend(window: SlidingWindowGram, path: Path, *, key: bytes = b"") -> None:
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
        Secret of the authentication code. Without one, accidents are noticed and forgeries are not.

    Raises
    ------
    OSError
        If the file exists or cannot be written; nothing was written then, and the window goes on.
    NotPrivateError
        If the window was suspended before.
    """
    memory = window.hand_over()
    text = json.dumps(_record(memory, private=window.entropy.private))
    try:
        _write_new(path, _code(text, key) + "\n" + text + "\n")
    except OSError:
        window.take_back()
        raise


def resume(path: Path, *, key: bytes = b"", entropy: Entropy | None = None) -> SlidingWindowGram:
    """Read a suspended window once: a mark is left beside the file, and the file is removed.

    The mark is an empty file, ``<stream>-<number>.resumed``, and is never removed: a copy of the same suspension, or of
    an earlier one of the same stream, is refused in this directory. Without the marks, or elsewhere, a copy cannot be
    recognised. Two windows that go on from one memory share the noise of the sums under way: whoever sees both
    outputs sees the difference of their rows.

    Parameters
    ----------
    path, key
        As given to `suspend`.
    entropy
        Source of the bits from now on; one that is not private makes the window as little so.

    Raises
    ------
    InvalidParameterError
        If there is no such file, or it is truncated, edited or of another key or version; it stays where it is.
    NotPrivateError
        If this suspension was resumed before.
    """
    record = _read(path, key)
    try:
        parameters = _parameters(record)
        memory = _memory(record, parameters)
        private = bool(record["private"])
    except (LookupError, TypeError, ValueError, ArithmeticError, DpmatrixError) as error:
        raise InvalidParameterError("path", f"{path.name} holds no window: {error}", _REMEDY) from error
    mark = path.with_name(f"{memory.stream}-{memory.suspensions}.resumed")
    try:
        mark.touch(exist_ok=False)
        _to_disk(mark.parent)
        path.unlink()
    except FileExistsError as error:
        raise NotPrivateError(f"{path.name} was resumed before: its noise must not be used twice") from error
    except OSError as error:
        raise InvalidParameterError("path", f"{path.name} cannot be marked as used", _REMEDY) from error
    source: Entropy = SystemEntropy() if entropy is None else entropy
    return SlidingWindowGram(parameters, entropy=source if private else _NotPrivate(source), memory=memory)


def _write_new(path: Path, content: str) -> None:
    """Write a whole file under a name that is free, or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".draft")
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # Unlike renaming, this never replaces a file. Whatever fails after it must not look like a failure of it.
        path.hardlink_to(draft)
    finally:
        with suppress(OSError):
            draft.unlink()
    with suppress(OSError):
        _to_disk(path.parent)


def _to_disk(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(path: Path, key: bytes) -> dict[str, Any]:
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
    return record


def _code(text: str, key: bytes) -> str:
    return hmac.new(key, text.encode("ascii"), hashlib.sha256).hexdigest()


def _record(memory: WindowMemory, *, private: bool) -> dict[str, Any]:
    sums, parameters = memory.sums, memory.sums.parameters
    return {
        "version": VERSION,
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
        "private": private,
        "leaves_read": sums.leaf,
        "rows": sums.rows,
        "total": sums.total,
        "parts": sums.parts,
        "held": [[pair.leaf, pair.before] for pair in memory.held],
    }


class _NotPrivate:
    """Bits that were not secret before the window was suspended void the promise of what follows."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy

    @property
    def private(self) -> bool:
        return False

    @property
    def description(self) -> str:
        return f"{self._entropy.description}, after bits that were not secret"

    def bits(self, count: int) -> int:
        return self._entropy.bits(count)

    def words(self, count: int) -> npt.NDArray[np.uint64]:
        return self._entropy.words(count)


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
    return WindowMemory(sums, held, record["stream"], record["suspensions"])


def _triangle(values: list[int]) -> list[int]:
    if not all(type(value) is int for value in values):
        raise InvalidParameterError("path", "a sum holds what is no integer", _REMEDY)
    return list(values)
