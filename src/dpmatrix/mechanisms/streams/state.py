"""Suspended windows: one file, read once, refused when it is not what was written."""

from __future__ import annotations

import hashlib
import hmac
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams.dyadic import DyadicSums
from dpmatrix.mechanisms.streams.histogram import WindowCheckpoint
from dpmatrix.mechanisms.streams.parameters import WindowParameters
from dpmatrix.mechanisms.streams.window import SlidingWindowGram
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy, SystemEntropy

VERSION = 1
_REMEDY = "go back to a file that `suspend` wrote, or begin a new window"


def suspend(window: SlidingWindowGram, path: Path, *, key: bytes = b"") -> None:
    """Write a window to a new file and end it: the object refuses to go on, so that no noise is used twice.

    Parameters
    ----------
    window
        What to suspend.
    path
        A file that does not exist yet.
    key
        Secret of the authentication code. Without one, accidents are noticed and forgeries are not.

    Raises
    ------
    FileExistsError
        If there is such a file; the window is left as it was.
    NotPrivateError
        If the window was suspended before.
    """
    with path.open("x", encoding="ascii") as file:
        sums, held = window.hand_over()
        text = json.dumps(_record(sums, held, private=window.guarantee is not None))
        file.write(_code(text, key) + "\n" + text + "\n")


def resume(path: Path, *, key: bytes = b"", entropy: Entropy | None = None) -> SlidingWindowGram:
    """Read a suspended window once: the file is renamed, so that nobody goes on from it a second time.

    A copy of the file cannot be recognised. Two windows that go on from one memory share the noise of the sums under
    way: whoever sees both outputs sees the difference of their rows.

    Parameters
    ----------
    path, key
        As given to `suspend`.
    entropy
        Source of the bits from now on; one that is not private makes the window as little so.

    Raises
    ------
    InvalidParameterError
        If there is no such file, or it is truncated, edited or of another key or version.
    """
    used = path.with_name(path.name + ".resumed")
    try:
        content = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameterError("path", f"{path.name} cannot be read", _REMEDY) from error
    code, _, rest = content.partition("\n")
    text = rest.removesuffix("\n")
    if rest == text or not hmac.compare_digest(code.encode(), _code(text, key).encode()):
        raise InvalidParameterError("path", f"{path.name} is not what was written with this key", _REMEDY)
    record = json.loads(text)
    if record["version"] != VERSION:
        raise InvalidParameterError("path", f"version {record['version']} is unknown", _REMEDY)
    try:
        path.rename(used)
    except OSError as error:
        raise InvalidParameterError("path", f"{path.name} cannot be marked as used", _REMEDY) from error
    return _window(record, entropy)


def _code(text: str, key: bytes) -> str:
    return hmac.new(key, text.encode("ascii"), hashlib.sha256).hexdigest()


def _record(sums: DyadicSums, held: tuple[WindowCheckpoint, ...], *, private: bool) -> dict[str, Any]:
    parameters = sums.parameters
    return {
        "version": VERSION,
        "dimension": parameters.dimension,
        "window": parameters.window,
        "epsilon": str(parameters.guarantee.epsilon),
        "delta": str(parameters.guarantee.delta),
        "adjacency": parameters.guarantee.adjacency.value,
        "leaf": parameters.leaf,
        "coordinate_bits": parameters.coordinate_bits,
        "eta": str(parameters.eta),
        "over_norm": parameters.over_norm,
        "private": private,
        "leaves_read": sums.leaf,
        "rows": sums.rows,
        "total": sums.total,
        "parts": sums.parts,
        "held": [[pair.leaf, pair.before] for pair in held],
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


def _window(record: dict[str, Any], entropy: Entropy | None) -> SlidingWindowGram:
    adjacency = Adjacency(record["adjacency"])
    parameters = WindowParameters(
        record["dimension"],
        record["window"],
        PrivacyGuarantee(Fraction(record["epsilon"]), Fraction(record["delta"]), adjacency),
        leaf=record["leaf"],
        coordinate_bits=record["coordinate_bits"],
        eta=Fraction(record["eta"]),
        over_norm=record["over_norm"],
    )
    parts = [None if part is None else (part[0], part[1]) for part in record["parts"]]
    sums = DyadicSums(parameters, record["leaves_read"], record["rows"], record["total"], parts)
    held = tuple(WindowCheckpoint(leaf, before) for leaf, before in record["held"])
    source: Entropy = SystemEntropy() if entropy is None else entropy
    if not record["private"]:
        source = _NotPrivate(source)
    return SlidingWindowGram(parameters, entropy=source, memory=(sums, held))
