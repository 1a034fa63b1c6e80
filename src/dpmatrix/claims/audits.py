"""What the audits of a run found, as data: one record for each side of a mechanism that was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs


class AuditVerdict(Enum):
    """What an audit says about a promise."""

    VIOLATED = "violated"
    """Counts refute the promise, at the stated confidence."""

    NOT_REFUTED = "not refuted"
    """Counts do not refute it; the note says what they would have."""

    BROKEN = "broken, computed"
    """A lower bound on delta exceeds the promised one."""

    KEPT = "kept, computed"
    """An upper bound on delta does not."""

    NOT_EXECUTABLE = "not executable"
    """The printed lines do not come to an end, so there is nothing to see."""


@attrs.frozen
class AuditRecord:
    """One finding.

    Parameters
    ----------
    mechanism
        What was audited, for a reader.
    view
        What of it was looked at.
    verdict
        What was found.
    promise
        The privacy that is claimed.
    epsilon_bound
        No smaller epsilon holds with the claimed delta (for an audit that counts); None where there is no such number.
    delta_bound
        Bound on delta at the claimed epsilon: from below, or from above where the verdict is `KEPT`.
    confidence
        Of the finding, as a text: "1 - 1e-9", or "certain" for what is computed.
    note
        The event, or how the bound was computed.
    node
        The item that found it; filled in by the run.
    outcome
        Of the item: "passed", or what else.
    """

    mechanism: str
    view: str
    verdict: AuditVerdict
    promise: str
    epsilon_bound: float | None
    delta_bound: float | None
    confidence: str
    note: str = ""
    node: str = ""
    outcome: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; the inverse of `from_json`."""
        return attrs.asdict(self) | {"verdict": self.verdict.value}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> AuditRecord:
        """Read what `to_json` wrote."""
        return cls(**(dict(record) | {"verdict": AuditVerdict(record["verdict"])}))
