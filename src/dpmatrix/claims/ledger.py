"""The ledger of one run, and the claims as it leaves them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from dpmatrix.claims.audits import AuditRecord
from dpmatrix.claims.evidence import Evidence
from dpmatrix.claims.provenance import look_up
from dpmatrix.claims.registry import Implementation, Registry
from dpmatrix.claims.snapshots import Recorded
from dpmatrix.claims.standing import Basis, Standing, State


@attrs.frozen
class Ledger:
    """What one run found.

    Parameters
    ----------
    evidence
        Every item of evidence with its outcome.
    standings
        The standing of every claim.
    fingerprints
        The fingerprint of every claim at the time of the run.
    violations
        What the gate objects to; empty when it is satisfied.
    environment
        Versions and machine facts, for the reader.
    verdicts
        The verdict of every claim at the time of the run.
    audits
        What audits recorded, by mechanism and view.
    """

    evidence: tuple[Evidence, ...]
    standings: Mapping[str, Standing]
    fingerprints: Mapping[str, str]
    violations: tuple[str, ...]
    environment: Mapping[str, str]
    verdicts: Mapping[str, str] = attrs.Factory(dict)
    audits: tuple[AuditRecord, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; the inverse of `from_json`."""
        return {
            "environment": dict(self.environment),
            "violations": list(self.violations),
            "standings": {
                claim_id: {
                    "standing": standing.state.value,
                    "reasons": list(standing.reasons),
                    "basis": None if standing.basis is None else standing.basis.value,
                }
                for claim_id, standing in self.standings.items()
            },
            "fingerprints": dict(self.fingerprints),
            "verdicts": dict(self.verdicts),
            "evidence": [item.to_json() for item in self.evidence],
            "audits": [audit.to_json() for audit in self.audits],
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Ledger:
        """Read what `to_json` wrote."""
        return cls(
            tuple(Evidence.from_json(item) for item in record["evidence"]),
            {
                claim_id: Standing(
                    State(value["standing"]),
                    tuple(value["reasons"]),
                    None if value.get("basis") is None else Basis(value["basis"]),
                )
                for claim_id, value in record["standings"].items()
            },
            record["fingerprints"],
            tuple(record["violations"]),
            record["environment"],
            record["verdicts"],
            tuple(AuditRecord.from_json(audit) for audit in record.get("audits", ())),
        )


def describe(
    registry: Registry,
    ledger: Ledger | None,
    implementations: Iterable[Implementation],
    accepted: Mapping[str, Recorded] | None = None,
    only: Iterable[str] | None = None,
) -> list[dict[str, Any]]:
    """Return claims as JSON objects, with the standing of a run that saw them, and what they rest on, as they are now.

    Parameters
    ----------
    registry, implementations
        The claims and the code that cites them.
    ledger
        The last run, or None.
    accepted
        The committed snapshot, asked where the last run does not fit; by default it is not.
    only
        Ids of the claims to describe; all by default.
    """
    implementations = tuple(implementations)
    described = []
    wanted = tuple(registry.claims) if only is None else tuple(only)
    for name, seen in look_up(registry, ledger, accepted or {}, wanted).items():
        claim = registry[name]
        standing = seen.standing
        described.append(
            {
                "id": claim.id,
                "document": claim.document,
                "kind": claim.kind.value,
                "label": claim.source.label,
                "says": claim.statement.says,
                "printed": claim.source.says,
                "margin": _name(claim.statement.source),
                "given": [condition.says for condition in claim.statement.given],
                "forms": [form.value for form in claim.statement.forms],
                "verdict": claim.verdict.value,
                "headline": claim.headline,
                "because": claim.because,
                "reading": claim.reading,
                "standing": None if standing is None else standing.state.value,
                "basis": None if standing is None or standing.basis is None else standing.basis.value,
                "standing_from": None if seen.run is None else seen.run.value,
                "standing_note": seen.note,
                "reasons": [] if standing is None else list(standing.reasons),
                "repair": None
                if claim.repair is None
                else {
                    "change": claim.repair.change,
                    "says": claim.repair.statement.says,
                    "forms": [form.value for form in claim.repair.statement.forms],
                    "given": [condition.says for condition in claim.repair.statement.given],
                },
                "steps": [
                    {
                        "name": step.name,
                        "says": step.statement.says,
                        "sound": step.sound,
                        "defect": step.defect.value if step.defect else None,
                        "note": step.note,
                    }
                    for step in claim.steps
                ],
                "uses": list(claim.uses),
                "assumes": list(claim.assumes),
                "fingerprint": registry.fingerprints[claim.id],
                "evidence": [
                    item.to_json() | {"from": None if seen.run is None else seen.run.value} for item in seen.evidence
                ],
                "implementations": [
                    implementation.name
                    for implementation in implementations
                    if any(citation.claim == claim.id for citation in implementation.citations)
                ],
            }
        )
    return described


def _name(function: Callable[..., Any]) -> str:
    """Return the dotted name of a function, or nothing for one that has none."""
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"


def dump(record: object) -> str:
    """Serialise with stable order and a final newline."""
    return json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
