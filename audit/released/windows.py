"""A small window, and its file taken apart, for the audits of what is used once."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.mechanisms.streams.record import sealed
from dpmatrix.privacy import Adjacency, PrivacyGuarantee

GUARANTEE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
SMALL = WindowParameters(2, 12, GUARANTEE, leaf=3)
ROW = [[0.5, 0.5]]


def begun() -> SlidingWindowGram:
    """Begin a window, and read a row of its second leaf."""
    window = SlidingWindowGram(SMALL)
    window.add(ROW * 4)
    return window


def record_of(path: Path) -> dict[str, object]:
    """Read the record of a suspended window, below its code."""
    found: dict[str, object] = json.loads(path.read_text(encoding="ascii").split("\n")[1])
    return found


def rewrite(path: Path, record: object) -> None:
    """Write another record, with the code of a file without a key."""
    path.write_text(sealed(json.dumps(record), None), encoding="ascii")
