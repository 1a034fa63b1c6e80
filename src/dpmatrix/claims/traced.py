"""Which statements have an exact expression, and why the others have none: what the tracer found, kept for readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

EVERYWHERE, AT_SIZES, NOT = "at every point", "at small sizes", "not"
EXTENTS = (EVERYWHERE, AT_SIZES, NOT)
"""Where the expression of a statement holds."""


@attrs.frozen
class Trace:
    """What the tracer found of one statement.

    Parameters
    ----------
    extent
        Where its expressions hold: one of `EXTENTS`.
    reason
        Why not at every point; empty where they do.
    """

    extent: str
    reason: str = ""


@attrs.frozen
class Traces:
    """What the tracer found of statements, with the fingerprints of their claims at that time."""

    statements: Mapping[str, Trace]
    fingerprints: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; the inverse of `from_json`."""
        found = {name: [one.extent, *filter(None, [one.reason])] for name, one in sorted(self.statements.items())}
        return {"fingerprints": dict(self.fingerprints), "statements": found}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Traces:
        """Read what `to_json` wrote."""
        return cls({name: Trace(*words) for name, words in record["statements"].items()}, record["fingerprints"])
