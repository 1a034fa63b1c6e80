"""What may become of a mutant."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs

from mutation.mutants import Mutant


class Outcome(Enum):
    """What became of a mutant."""

    ASSERTION = "killed by assertion"
    CRASH = "killed by a crash"
    IMPORT = "killed by import error"
    TIMEOUT = "killed by timeout"
    SURVIVED = "survived"
    UNSEEN = "changes no claim"
    BLIND = "noticed by evidence, not by a fingerprint"

    @property
    def word(self) -> str:
        """Its name in a file."""
        return self.name.lower()


KILLED = frozenset({Outcome.ASSERTION, Outcome.CRASH, Outcome.IMPORT, Outcome.TIMEOUT})

CRASHED = frozenset({Outcome.CRASH, Outcome.IMPORT})
"""What says that a change did not make another statement, but none."""


@attrs.frozen
class Verdict:
    """A mutant and what became of it.

    Parameters
    ----------
    mutant, outcome
        Which, and what.
    claims
        Claims whose fingerprint changed.
    node
        The item of evidence that noticed.
    reason
        What it said, in a line.
    seconds
        Time that the evidence took.
    """

    mutant: Mutant
    outcome: Outcome
    claims: tuple[str, ...] = ()
    node: str = ""
    reason: str = ""
    seconds: float = 0.0

    def fate(self) -> dict[str, Any]:
        """Everything but the mutant, for a file."""
        return {
            "outcome": self.outcome.word,
            "claims": list(self.claims),
            "node": self.node,
            "reason": self.reason,
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def of(cls, mutant: Mutant, fate: Mapping[str, Any]) -> Verdict:
        """Read what `fate` returned."""
        outcome, claims = Outcome[fate["outcome"].upper()], tuple(fate["claims"])
        return cls(mutant, outcome, claims, fate["node"], fate["reason"], fate["seconds"])
