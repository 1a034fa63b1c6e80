"""Evidence: what a test item says about a claim, and what became of it in a run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs

from dpmatrix.claims.extents import Extent
from dpmatrix.claims.fingerprint import Citation


class Role(Enum):
    """What a passing item says about its statement."""

    SUPPORTS = "supports"
    REFUTES = "refutes"
    SUPPORTS_REPAIR = "supports-repair"
    CONTROL = "control"


class Grade(Enum):
    """Who or what checked that an item shows what it says, all over its region; the strongest first."""

    KERNEL_LAW = "kernel-law"
    """A proof assistant: laws of outputs, with the definition of the guarantee, or matrices of every size."""
    KERNEL_MARGIN = "kernel-margin"
    """A proof assistant: the executable statement itself, written down as a proposition, or its negation."""
    SYMBOLIC = "symbolic"
    """An identity, a decision procedure or exact arithmetic, with no prose in between."""
    INTERVAL = "interval"
    """Ball arithmetic: a box by subdivision, or a point."""
    DERIVED = "derived"
    """A written proof, read by people; the machine checked its formulas against the statement, and its algebra."""
    STATISTICAL = "statistical"
    """Outputs or samples, at a stated level of confidence."""
    NUMERIC = "numeric"
    """Numbers without a bound on their error: an indication, which earns nothing alone."""


KERNEL_GRADES = frozenset({Grade.KERNEL_LAW, Grade.KERNEL_MARGIN})
"""Grades of which a run without a proof assistant has no more than a certificate."""
MACHINE_GRADES = KERNEL_GRADES | {Grade.SYMBOLIC, Grade.INTERVAL}
"""Grades under which a machine checked all of the region."""
PROOF_GRADES = MACHINE_GRADES | {Grade.DERIVED}


class Outcome(Enum):
    """What became of an item in a run."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    DESELECTED = "deselected"
    UNCHECKED = "unchecked"
    """The item passed and has a kernel grade, and the proof assistant was not asked in this run: it earns nothing."""
    UNBOUND = "unbound"
    """The item passed without evaluating the statement that it names, or what it saw does not fit its role."""


class Bound(Enum):
    """How an item that supports a statement compared the statement's margin with a formula; the strongest first."""

    EXPRESSION = "by expression"
    """It showed that they are equal wherever the hypotheses hold."""
    POINTS = "at points"
    """It compared their values at some points."""
    NOTHING = "to no formula"
    """It evaluated the statement itself, or a formula of its own beside it."""

    @classmethod
    def of(cls, met: Mapping[str, Any]) -> Bound:
        """Read what a run says of where a statement was met."""
        if met["expressed"]:
            return cls.EXPRESSION
        return cls.POINTS if met["compared"] else cls.NOTHING


BOUNDS = tuple(Bound)


@attrs.frozen
class Evidence:
    """One test item that speaks about one statement of a claim.

    Parameters
    ----------
    node
        The pytest node id.
    citation
        The claim or statement that it speaks about, with the fingerprint that its author read.
    role, grade
        What passing says, and how much it is worth.
    region
        Where it speaks, in its author's words: all parameters, a box, a point.
    outcome
        None before a run.
    seconds
        Wall time of the item.
    detail
        What the item recorded with ``record_property("detail", ...)``: a bound, an event, a counterexample.
    seen
        Of an item that supports: where the run saw it meet the statement. None of others, and where no run says.
    bound
        Of an item that supports: how its formula is bound to the statement. None of others, and where no run says.
    """

    node: str
    citation: Citation
    role: Role
    grade: Grade
    region: str
    outcome: Outcome | None = None
    seconds: float = 0.0
    detail: str = ""
    seen: Extent | None = None
    bound: Bound | None = None

    @classmethod
    def declare(cls, node: str, citation: str, *, role: str, grade: str, region: str) -> Evidence:
        """Build evidence from the words of a marker.

        Raises
        ------
        ValueError
            If a word is not of the vocabulary, the region is empty, or role and target do not fit together.
        """
        cited = Citation.parse(citation)
        evidence = cls(node, cited, Role(role), Grade(grade), region)
        if not region.strip():
            raise ValueError("the region is empty; say where the evidence speaks")
        of_repair = cited.target.endswith("+repair")
        if (evidence.role is Role.SUPPORTS_REPAIR and not of_repair) or (evidence.role is Role.SUPPORTS and of_repair):
            raise ValueError(f"role {role!r} does not fit the target {cited.target!r}")
        return evidence

    @property
    def proves(self) -> bool:
        """Whether the item passed and its grade counts as proof."""
        return self.outcome is Outcome.PASSED and self.grade in PROOF_GRADES

    @property
    def accepted(self) -> bool:
        """Whether a snapshot keeps it: what passed, and theorems whether or not the run could check them."""
        return self.outcome is Outcome.PASSED or (self.outcome is Outcome.UNCHECKED and self.grade in KERNEL_GRADES)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; the inverse of `from_json`."""
        return {
            "node": self.node,
            "target": self.citation.target,
            "fingerprint": self.citation.fingerprint,
            "role": self.role.value,
            "grade": self.grade.value,
            "region": self.region,
            "seen": None if self.seen is None else self.seen.to_json(),
            "bound": None if self.bound is None else self.bound.value,
            "outcome": None if self.outcome is None else self.outcome.value,
            "seconds": round(self.seconds, 3),
            "detail": self.detail,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Evidence:
        """Read what `to_json` wrote."""
        stamp = f"@{record['fingerprint']}" if record["fingerprint"] else ""
        return cls(
            record["node"],
            Citation.parse(record["target"] + stamp),
            Role(record["role"]),
            Grade(record["grade"]),
            record["region"],
            None if record["outcome"] is None else Outcome(record["outcome"]),
            record["seconds"],
            record["detail"],
            None if record.get("seen") is None else Extent.of(record["seen"]),
            None if record.get("bound") is None else Bound(record["bound"]),
        )
