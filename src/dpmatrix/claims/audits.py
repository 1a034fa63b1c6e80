"""What the audits of a run found, as data: one record for each side of a mechanism that was looked at."""

from __future__ import annotations

import math
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


class Way(Enum):
    """How an audit looks at a mechanism that claims an epsilon."""

    CALIBRATION = "its calibration, recomputed"
    LOSSES = "losses of pairs of data sets"
    LAW = "the law of its noise"
    EVENTS = "a search for events"


FINENESS = 1e-3
"""Relative, of an epsilon that was searched for by halving."""


@attrs.frozen
class Excess:
    """The largest epsilon that an audit would have passed over where it stands in place of the claimed one.

    Parameters
    ----------
    way
        How the audit looks.
    claimed
        The epsilon that is claimed.
    epsilon
        The one that would not have been noticed: at least the claimed one, and None where none would.
    certain
        Whether it passes, as for what is computed, and one that is larger by more than `FINENESS` does not. Otherwise a
        larger one is noticed with probability 0.99, and a smaller one may be.
    """

    way: Way
    claimed: float
    epsilon: float | None
    certain: bool

    @property
    def factor(self) -> float:
        """How many times the claimed epsilon that is."""
        return math.inf if self.epsilon is None else self.epsilon / self.claimed

    @property
    def amount(self) -> str:
        """Say how much, in numbers."""
        if self.epsilon == self.claimed:
            return f"{self.claimed * (1 + FINENESS):.6g} instead of {self.claimed:.5g}"
        return f"{'any' if self.epsilon is None else f'{self.epsilon:.5g}'} instead of {self.claimed:.5g}"

    @property
    def words(self) -> str:
        """Say what would not have been noticed, in a sentence without an end."""
        if self.epsilon is None:
            return f"an epsilon of any size instead of {self.claimed:.5g} would not have been noticed"
        if self.epsilon == self.claimed:
            return f"an epsilon of {self.amount} would have been noticed"
        return f"an epsilon of up to {self.amount} {'would' if self.certain else 'might'} not have been noticed"


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
        The epsilon that the audit would have passed over; None where that is not known.
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
    unnoticed: Excess | None = attrs.field(default=None, kw_only=True)

    @property
    def command(self) -> str:
        """What runs it again."""
        return f"python -m pytest {shlex.quote(self.node)}"

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; the inverse of `from_json`."""
        return attrs.asdict(
            self, value_serializer=lambda _record, _field, value: value.value if isinstance(value, Enum) else value
        )

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> AuditRecord:
        """Read what `to_json` wrote."""
        told = record.get("unnoticed")
        # Ledgers of an older form told it in words.
        unnoticed = None if not isinstance(told, Mapping) else Excess(**(dict(told) | {"way": Way(told["way"])}))
        return cls(**(dict(record) | {"verdict": AuditVerdict(record["verdict"]), "unnoticed": unnoticed}))


def code_name(thing: object) -> str:
    """Return the dotted name of a class, or of the class of an object."""
    kind = thing if isinstance(thing, type) else type(thing)
    return f"{kind.__module__}.{kind.__qualname__}"
