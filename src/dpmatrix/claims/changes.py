"""What changed between a snapshot and a run: claims, their verdicts, standings and texts, and their evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs

from dpmatrix.claims.ledger import Ledger
from dpmatrix.claims.snapshots import Piece, Recorded, record_run


@attrs.frozen
class Origin:
    """Where a snapshot comes from.

    Parameters
    ----------
    name
        The file, or the revision that it was read from.
    commit, date
        The commit that holds it, and when it was made; empty where that is not known.
    problem
        Why there is nothing to compare with; empty where there is.
    """

    name: str
    commit: str = ""
    date: str = ""
    problem: str = ""


@attrs.frozen
class Altered:
    """The same item about the same statement in the same role, with another grade or region."""

    before: Piece
    now: Piece


@attrs.frozen
class Lost:
    """A piece of evidence that passed at the time of the snapshot and not in the run."""

    piece: Piece
    outcome: str
    """What became of it: "failed" and the like, or "gone" where there is no such piece any more."""


@attrs.frozen
class ClaimChange:
    """What is different about one claim.

    Parameters
    ----------
    claim
        Its id.
    fields
        What changed, by name (``verdict``, ``standing``, ``fingerprint``, ``evidence``): before, and now.
    gained, lost, altered
        Its evidence; empty where the snapshot does not say what there was.
    """

    claim: str
    fields: Mapping[str, tuple[str, str]]
    gained: tuple[Piece, ...] = ()
    lost: tuple[Lost, ...] = ()
    altered: tuple[Altered, ...] = ()


@attrs.frozen
class Outdated:
    """A piece of evidence that was written for another text of its claim."""

    piece: Piece
    stamped: str
    now: str


@attrs.frozen
class Changes:
    """What is different in a run.

    Parameters
    ----------
    origin
        What it is compared with.
    new, gone
        Claims that only the run, or only the snapshot has.
    changed
        Claims that both have.
    outdated
        Evidence of the run whose stamp is not the fingerprint of its claim.
    unknown
        Claims of which the snapshot does not say what evidence there was.
    """

    origin: Origin
    new: Mapping[str, Recorded] = attrs.Factory(dict)
    gone: Mapping[str, Recorded] = attrs.Factory(dict)
    changed: tuple[ClaimChange, ...] = ()
    outdated: tuple[Outdated, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether nothing changed."""
        return not (self.origin.problem or self.new or self.gone or self.changed or self.outdated)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object."""
        return {
            "since": attrs.asdict(self.origin),
            "nothing": self.nothing,
            "evidence_unknown": list(self.unknown),
            "new": {claim: entry.to_json() for claim, entry in self.new.items()},
            "gone": {claim: entry.to_json() for claim, entry in self.gone.items()},
            "changed": [
                attrs.asdict(change) | {"fields": {name: list(pair) for name, pair in change.fields.items()}}
                for change in self.changed
            ],
            "outdated": [attrs.asdict(item) for item in self.outdated],
        }


def changes(ledger: Ledger, before: Mapping[str, Recorded], origin: Origin) -> Changes:
    """Compare a run with a snapshot.

    Parameters
    ----------
    ledger
        The run.
    before
        The snapshot, as `read_snapshot` returns it.
    origin
        Where that comes from; with a problem, nothing is compared but the stamps of the evidence.
    """
    outdated = tuple(
        Outdated(Piece.of(item), item.citation.fingerprint or "no stamp", ledger.fingerprints[item.citation.claim])
        for item in ledger.evidence
        if item.citation.claim in ledger.fingerprints
        and item.citation.fingerprint != ledger.fingerprints[item.citation.claim]
    )
    if origin.problem:
        return Changes(origin, outdated=outdated)
    now = record_run(ledger.verdicts, ledger.standings, ledger.fingerprints, ledger.evidence)
    outcomes = {Piece.of(item): "not run" if item.outcome is None else item.outcome.value for item in ledger.evidence}
    compared = (_compare(claim, before[claim], now[claim], outcomes) for claim in now if claim in before)
    return Changes(
        origin,
        {claim: entry for claim, entry in now.items() if claim not in before},
        {claim: entry for claim, entry in before.items() if claim not in now},
        tuple(change for change in compared if change is not None),
        outdated,
        tuple(claim for claim, entry in before.items() if entry.evidence is None),
    )


def _compare(claim: str, before: Recorded, now: Recorded, outcomes: Mapping[Piece, str]) -> ClaimChange | None:
    """Return what is different about one claim; None if nothing is."""
    pairs = {name: (getattr(before, name), getattr(now, name)) for name in ("verdict", "standing", "fingerprint")}
    fields = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    if before.evidence is None or now.evidence is None:
        return ClaimChange(claim, fields) if fields else None
    if len(before.evidence) != len(now.evidence):
        fields["evidence"] = (str(len(before.evidence)), str(len(now.evidence)))
    old, new = Counter(before.evidence) - Counter(now.evidence), Counter(now.evidence) - Counter(before.evidence)
    altered, lost = [], []
    fresh = sorted(new.elements())
    for piece in sorted(old.elements()):
        same = [other for other in fresh if _subject(other) == _subject(piece)]
        if same:
            altered.append(Altered(piece, same[0]))
            fresh.remove(same[0])
        else:
            lost.append(Lost(piece, outcomes.get(piece, "gone")))
    if not (fields or fresh or lost or altered):
        return None
    return ClaimChange(claim, fields, tuple(fresh), tuple(lost), tuple(altered))


def _subject(piece: Piece) -> tuple[str, str, str]:
    return piece.node, piece.target, piece.role
