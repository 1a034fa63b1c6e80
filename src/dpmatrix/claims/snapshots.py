"""The snapshot of an accepted run: verdict, standing and text of each claim, and the evidence that passed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from dpmatrix.claims.evidence import KERNEL_GRADES, Bound, Evidence, Grade, Outcome, Role
from dpmatrix.claims.fingerprint import Citation
from dpmatrix.claims.names import claim_of
from dpmatrix.claims.registry import Registry
from dpmatrix.claims.standing import Basis, Standing, State
from dpmatrix.errors import SnapshotError

GATED = ("verdict", "standing", "fingerprint")
"""What the gate compares with the committed snapshot; evidence may grow without asking it, and not shrink."""

_LINE = re.compile(
    rf"(?P<role>\S+) (?P<grade>\S+) (?P<target>[^\s:]+)( \((?P<bound>{'|'.join(one.value for one in Bound)})\))?"
    r": (?P<region>.*)",
    re.DOTALL,
)


@attrs.frozen(order=True)
class Piece:
    """One piece of evidence as a snapshot keeps it: which item, about which statement, in which role, and its worth.

    How its formula is bound is kept beside, and makes it no other piece; None where no run says.
    """

    node: str
    target: str
    role: str
    grade: str
    region: str
    bound: str | None = attrs.field(default=None, eq=False, order=False)

    @classmethod
    def of(cls, item: Evidence) -> Piece:
        """Keep what does not depend on how the item went."""
        bound = None if item.bound is None else item.bound.value
        return cls(item.node, item.citation.target, item.role.value, item.grade.value, item.region, bound)

    @property
    def claim(self) -> str:
        """The claim that it speaks about."""
        return claim_of(self.target)

    def item(self, fingerprint: str) -> Evidence:
        """Return it as evidence that passed; how long it took, and what it said, is not kept.

        A snapshot is the same with and without a proof assistant, and so does not say that a theorem was checked.
        """
        cited = Citation(self.claim, self.target, fingerprint)
        try:
            grade = Grade(self.grade)
            outcome = Outcome.UNCHECKED if grade in KERNEL_GRADES else Outcome.PASSED
            item = Evidence(self.node, cited, Role(self.role), grade, self.region, outcome)
        except ValueError as error:
            raise SnapshotError(f"the snapshot has evidence that cannot be read: {error}") from error
        return attrs.evolve(item, bound=None if self.bound is None else Bound(self.bound))

    @property
    def words(self) -> str:
        """All but the node and how it is bound."""
        return f"{self.role} {self.grade} {self.target}: {self.region}"

    @property
    def line(self) -> str:
        """All but the node, as the snapshot has it."""
        bound = "" if self.bound is None else f" ({self.bound})"
        return f"{self.role} {self.grade} {self.target}{bound}: {self.region}"


@attrs.frozen
class Recorded:
    """What a snapshot says of one claim.

    Parameters
    ----------
    verdict, standing
        In words.
    fingerprint
        Of the claim's text and mathematics.
    evidence
        What passed, in order; None where the snapshot is of the older kind that does not say.
    basis
        On what an earned verdict rests; None where it is not earned, or the snapshot is of the older kind.
    """

    verdict: str
    standing: str
    fingerprint: str
    evidence: tuple[Piece, ...] | None = None
    basis: Basis | None = None

    @property
    def state(self) -> State:
        """The standing.

        Raises
        ------
        SnapshotError
            If there is no such standing.
        """
        try:
            return State(self.standing)
        except ValueError as error:
            raise SnapshotError(f"the snapshot has a standing that cannot be read: {error}") from error

    def items(self) -> tuple[Evidence, ...]:
        """Return what passed, as evidence that was written for the text of that time.

        Raises
        ------
        SnapshotError
            If a piece has a role or a grade that there is not.
        """
        return tuple(piece.item(self.fingerprint) for piece in self.evidence or ())

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; one line for each piece of evidence, so that a difference of two can be read."""
        record: dict[str, Any] = {name: getattr(self, name) for name in GATED}
        if self.basis is not None:
            record["basis"] = self.basis.value
        if self.evidence is not None:
            nodes: dict[str, list[str]] = {}
            for piece in self.evidence:
                nodes.setdefault(piece.node, []).append(piece.line)
            record["evidence"] = nodes
        return record


def snapshot(
    registry: Registry, found: Mapping[str, Standing], evidence: Iterable[Evidence] = ()
) -> dict[str, dict[str, Any]]:
    """Return what is committed of a run: verdict, standing and fingerprint of each claim, and what passed."""
    verdicts = {claim.id: claim.verdict.value for claim in registry}
    recorded = record_run(verdicts, found, registry.fingerprints, evidence)
    return {claim: entry.to_json() for claim, entry in recorded.items()}


def record_run(
    verdicts: Mapping[str, str],
    found: Mapping[str, Standing],
    fingerprints: Mapping[str, str],
    evidence: Iterable[Evidence],
) -> dict[str, Recorded]:
    """Return what a snapshot of a run says, by claim."""
    passed: dict[str, list[Piece]] = {}
    for item in evidence:
        if item.accepted:
            passed.setdefault(item.citation.claim, []).append(Piece.of(item))
    return {
        claim: Recorded(
            verdict,
            found[claim].state.value,
            fingerprints[claim],
            tuple(sorted(passed.get(claim, ()))),
            found[claim].basis,
        )
        for claim, verdict in verdicts.items()
        if claim in found and claim in fingerprints
    }


def gated(entry: object) -> object:
    """Return the part of a snapshot's entry that the gate compares; an entry that is none, as it is."""
    if not isinstance(entry, Mapping):
        return entry
    return {name: entry.get(name) for name in GATED}


def accepted_evidence(committed: Mapping[str, object]) -> tuple[Piece, ...]:
    """Return every piece of evidence that a snapshot has; entries without evidence have none."""
    recorded = [entry for entry in committed.values() if isinstance(entry, Mapping)]
    nodes = [entry.get("evidence") for entry in recorded]
    return tuple(sorted(piece for table in nodes if table is not None for piece in _pieces(table, "the snapshot")))


def read_snapshot(text: str, name: str) -> dict[str, Recorded]:
    """Read a snapshot.

    Parameters
    ----------
    text
        Its JSON.
    name
        What to call it in an error.

    Raises
    ------
    SnapshotError
        If it is none: the error says what is wrong with it.
    """
    try:
        record = json.loads(text)
    except ValueError as error:
        raise SnapshotError(f"{name} is not a snapshot of standings: {error}") from error
    if not isinstance(record, dict):
        raise SnapshotError(f"{name} is not a snapshot of standings: it is no table of claims")
    return {claim: _entry(entry, f"{name} is not a snapshot of standings: {claim}") for claim, entry in record.items()}


def _entry(entry: object, where: str) -> Recorded:
    if not isinstance(entry, dict):
        raise SnapshotError(f"{where} has no verdict")
    for field in GATED:
        if not isinstance(entry.get(field), str):
            raise SnapshotError(f"{where} has no {field}")
    evidence = entry.get("evidence")
    pieces = None if evidence is None else tuple(sorted(_pieces(evidence, where)))
    return Recorded(entry["verdict"], entry["standing"], entry["fingerprint"], pieces, _basis(entry, where))


def _basis(entry: Mapping[str, Any], where: str) -> Basis | None:
    try:
        return None if entry.get("basis") is None else Basis(entry["basis"])
    except ValueError as error:
        raise SnapshotError(f"{where} has a basis that cannot be read: {error}") from error


def _pieces(nodes: object, where: str) -> list[Piece]:
    if not isinstance(nodes, dict) or not all(isinstance(lines, list) for lines in nodes.values()):
        raise SnapshotError(f"{where} has evidence that is no table of lists")
    pieces = []
    for node, lines in nodes.items():
        for line in lines:
            match = _LINE.fullmatch(line) if isinstance(line, str) else None
            if match is None:
                raise SnapshotError(f"{where} has evidence that cannot be read: {line!r}")
            words = match.group("target", "role", "grade", "region", "bound")
            pieces.append(Piece(node, *words))
    return pieces
