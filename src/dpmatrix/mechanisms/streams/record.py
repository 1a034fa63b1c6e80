"""What the file of a suspended window says: one record in one line, after the authentication code of that line."""

from __future__ import annotations

import hashlib
import hmac
import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams.dyadic import DyadicSums
from dpmatrix.mechanisms.streams.histogram import WindowCheckpoint
from dpmatrix.mechanisms.streams.parameters import WindowParameters
from dpmatrix.mechanisms.streams.window import WindowMemory
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee

VERSION = 3
REMEDY = "go back to a file that `suspend` wrote, or begin a new window"


def sealed(text: str, key: bytes | None) -> str:
    """Return a line with its authentication code before it."""
    return f"{code_of(text, key)}\n{text}\n"


def unsealed(content: str, key: bytes | None) -> str | None:
    """Return the line of which `sealed` made this; None if it made something else."""
    code, _, rest = content.partition("\n")
    text = rest.removesuffix("\n")
    genuine = rest != text and hmac.compare_digest(code.encode(), code_of(text, key).encode())
    return text if genuine else None


def code_of(text: str, key: bytes | None) -> str:
    """Compute the authentication code; without a key it is a checksum."""
    return hmac.new(key or b"", text.encode("ascii"), hashlib.sha256).hexdigest()


def read_record(path: Path, key: bytes | None, *, counted: bool) -> dict[str, Any]:
    """Read a file and check that it was written so: with this key, in this version, with a counter or without one.

    Raises
    ------
    InvalidParameterError
        If it was not.
    """
    try:
        content = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameterError("path", f"{path.name} cannot be read", REMEDY) from error
    text = unsealed(content, key)
    if text is None:
        raise InvalidParameterError("path", f"{path.name} is not what was written with this key", REMEDY)
    try:
        record: dict[str, Any] = json.loads(text)
        version, said = record["version"], record.get("counted")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidParameterError("path", f"{path.name} holds no window", REMEDY) from error
    if version != VERSION:
        raise InvalidParameterError("path", f"version {version} is unknown", REMEDY)
    if record.get("keyed") and key is None:
        raise InvalidParameterError("key", f"{path.name} was written with one", "pass the same key")
    if type(said) is not bool:
        raise InvalidParameterError("path", f"{path.name} does not say whether it has a counter", REMEDY)
    if said and not counted:
        raise InvalidParameterError("counter", f"{path.name} was suspended with one", "pass the same counter")
    if counted and not said:
        remedy = "resume it without one where it was written, and suspend it with the counter from then on"
        raise InvalidParameterError("counter", f"{path.name} was suspended without one", remedy)
    return record


def text_of(memory: WindowMemory, *, keyed: bool, counted: bool) -> str:
    """Write a window in one line."""
    return json.dumps(_record(memory) | {"keyed": keyed, "counted": counted})


def window_of(record: dict[str, Any]) -> tuple[WindowParameters, WindowMemory]:
    """Read the parameters and the memory.

    Raises
    ------
    InvalidParameterError
        If they contradict themselves or each other; also other errors of what can be wrong in a record.
    """
    parameters = _parameters(record)
    return parameters, _memory(record, parameters)


def _record(memory: WindowMemory) -> dict[str, Any]:
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
    formed = [size == parameters.height or (sums.leaf >> size) % 2 == 0 for size in range(parameters.height + 1)]
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
        raise InvalidParameterError("path", "its numbers contradict each other", REMEDY)
    return WindowMemory(sums, held, record["stream"], record["suspensions"], private=record["private"] is True)


def _triangle(values: list[int]) -> list[int]:
    if not all(type(value) is int for value in values):
        raise InvalidParameterError("path", "a sum holds what is no integer", REMEDY)
    return list(values)
