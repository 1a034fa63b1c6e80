"""One row a claim: what sort of sentence it is, on what it stands, and what was tried on it by machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dpmatrix.claims import Claim, Grade, Recorded, Registry, Role, Statement
from dpmatrix.claims.tried import NEEDS, Tried
from dpmatrix.reporting.terminal import table_text

_HEADINGS = ("claim", "verdict", "form", "support", *NEEDS, "unnoticed")
_GRADES = tuple(Grade)
_NOT_TRIED = "not tried"


def survey(registry: Registry, accepted: Mapping[str, Recorded], tried: Tried | None) -> list[dict[str, Any]]:
    """Return one record a claim.

    Parameters
    ----------
    registry
        The claims as they are now.
    accepted
        The committed snapshot; a claim that changed since counts as without evidence.
    tried
        What was tried by machine; nothing is told of a claim that changed since.

    Returns
    -------
    list
        For the statement that carries each verdict: its forms, the strongest grade of support (of refutation where
        the verdict refutes), what was found of each hypothesis, and
        which replacements of its margin no item notices.
    """
    return [_row(claim, registry.fingerprints[claim.id], accepted.get(claim.id), tried) for claim in registry]


def _carrying(claim: Claim) -> Statement:
    """Return the statement that is held to be true: the repaired one where there is one."""
    return claim.statement if claim.repair is None else claim.repair.statement


def _row(claim: Claim, fingerprint: str, accepted: Recorded | None, tried: Tried | None) -> dict[str, Any]:
    statement = _carrying(claim)
    current = accepted is not None and accepted.fingerprint == fingerprint
    pieces = (accepted.evidence or ()) if accepted is not None and current else ()
    roles = (Role.SUPPORTS.value, Role.SUPPORTS_REPAIR.value, Role.REFUTES.value)
    supports = [Grade(one.grade) for one in pieces if one.target == statement.name and one.role in roles]
    fresh = tried is not None and tried.fingerprints.get(claim.id) == fingerprint
    trial = tried.trials.get(statement.name) if tried is not None and fresh else None
    return {
        "id": claim.id,
        "verdict": claim.verdict.value,
        "statement": statement.name,
        "forms": [form.value for form in statement.forms],
        "stated_forms": [form.value for form in claim.statement.forms],
        "support": min(supports, key=_GRADES.index).value if supports else None,
        "hypotheses": len(statement.given),
        "needs": None if trial is None else dict(trial.needs),
        "unnoticed": None if trial is None else list(trial.unnoticed),
    }


def survey_table(rows: list[dict[str, Any]]) -> str:
    """Return the records as a table for a person."""
    return table_text(_HEADINGS, [tuple(_cells(row)) for row in rows], _caption(rows))


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    yield row["id"]
    yield row["verdict"]
    yield ", ".join(row["forms"])
    yield row["support"] or "none"
    for word in NEEDS:
        yield _NOT_TRIED if row["needs"] is None else str(sum(found == word for found in row["needs"].values()))
    yield _NOT_TRIED if row["unnoticed"] is None else ", ".join(row["unnoticed"]) or "none"


def _caption(rows: list[dict[str, Any]]) -> str:
    total = dict.fromkeys(NEEDS, 0)
    for row in rows:
        for found in (row["needs"] or {}).values():
            total[found] += 1
    tried = sum(row["needs"] is not None for row in rows)
    counts = ", ".join(f"{count} {word}" for word, count in total.items())
    return (
        f"of the statement that carries the verdict, the repaired one where there is one; {tried} of {len(rows)} were "
        f"tried since they last changed; hypotheses: {counts}; unnoticed: margins that may stand in its place"
    )
