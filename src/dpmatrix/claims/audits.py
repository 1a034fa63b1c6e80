"""What the audits of a run found, as data: one record for each side of a mechanism that was looked at."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs


class AuditVerdict(Enum):
    """What an audit says about a guarantee."""

    VIOLATED = "violated"
    """Counts refute the guarantee, at the stated confidence."""

    NOT_REFUTED = "not refuted"
    """Counts do not refute it; the note says what they would have."""

    BROKEN = "broken, computed"
    """A lower bound on delta exceeds the guaranteed one, or a computed loss exceeds epsilon where delta is 0."""

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
    guarantee
        The privacy that is claimed.
    epsilon_bound
        No smaller epsilon holds with the claimed delta; None where there is no such number.
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
    code
        Dotted name of the class of this library that was audited; empty where it is none.
    control
        Whether it was given too little noise for the guarantee, or too large a loss, on purpose: it has to be caught.
    adjacency
        Between the data sets; empty where it has no name.
    samples, training
        Outputs of each data set that were counted, and that the choice of the event took at most; None where nothing
        was counted. Where outputs of one data set are compared with a law, there is no training.
    smallest_epsilon
        The smallest loss on an event of probability one half that these samples would have certified; None where they
        are too few for any, or nothing was counted.
    smallest_leak
        The same for the probability of an event that is impossible on the other data set.
    power
        The probability of being caught that these two refer to.
    unnoticed
        What the audit might have passed over, in words; empty where that is not known.
    """

    mechanism: str
    view: str
    verdict: AuditVerdict
    guarantee: str
    epsilon_bound: float | None
    delta_bound: float | None
    confidence: str
    note: str = ""
    node: str = ""
    outcome: str = ""
    code: str = attrs.field(default="", kw_only=True)
    control: bool = attrs.field(default=False, kw_only=True)
    adjacency: str = attrs.field(default="", kw_only=True)
    samples: int | None = attrs.field(default=None, kw_only=True)
    training: int | None = attrs.field(default=None, kw_only=True)
    smallest_epsilon: float | None = attrs.field(default=None, kw_only=True)
    smallest_leak: float | None = attrs.field(default=None, kw_only=True)
    power: float | None = attrs.field(default=None, kw_only=True)
    unnoticed: str = attrs.field(default="", kw_only=True)

    @property
    def command(self) -> str:
        """What runs it again."""
        return f"python -m pytest {shlex.quote(self.node)}"

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; the inverse of `from_json`."""
        return attrs.asdict(self) | {"verdict": self.verdict.value}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> AuditRecord:
        """Read what `to_json` wrote."""
        return cls(**(dict(record) | {"verdict": AuditVerdict(record["verdict"])}))


def code_name(thing: object) -> str:
    """Return the dotted name of a class, or of the class of an object."""
    kind = thing if isinstance(thing, type) else type(thing)
    return f"{kind.__module__}.{kind.__qualname__}"
