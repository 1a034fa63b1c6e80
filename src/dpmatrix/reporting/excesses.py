"""The smallest excess that the audits of a run would have noticed, for each mechanism, relation and way of looking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dpmatrix.claims import AuditRecord, AuditVerdict, Excess, Outcome, Way

HEADINGS = ("mechanism", "relation", *(way.value for way in Way))
CAPTION = (
    "the largest epsilon that would not have been noticed in place of the claimed one, in the audit that saw most; "
    "of events and laws, where a larger one is noticed with probability 0.99"
)
_NOT_LOOKED_AT = "not looked at"


def sharpest(audits: Iterable[AuditRecord]) -> dict[tuple[str, Way], Excess]:
    """Return, for each relation and way of looking, the least excess that audits which passed would have passed over.

    Controls are left out, and audits that found something or do not know what they miss.
    """
    found: dict[tuple[str, Way], Excess] = {}
    for audit in audits:
        excess, passed = audit.unnoticed, audit.outcome == Outcome.PASSED.value
        if excess is None or audit.control or not passed or audit.verdict is not AuditVerdict.NOT_REFUTED:
            continue
        key = audit.adjacency, excess.way
        if key not in found or excess.factor < found[key].factor:
            found[key] = excess
    return found


def excess_words(audits: Iterable[AuditRecord]) -> str:
    """Say for each relation what would not have been noticed, by each way; nothing where nothing is known."""
    found = sharpest(audits)
    return " ".join(
        f"{adjacency}: {'; '.join(_by(way, found.get((adjacency, way))) for way in Way)}."
        for adjacency in sorted({adjacency for adjacency, _ in found})
    )


def _by(way: Way, excess: Excess | None) -> str:
    return f"by {way.value}, {_NOT_LOOKED_AT if excess is None else excess.words}"


def excess_rows(audits: Iterable[AuditRecord]) -> list[tuple[str, ...]]:
    """Return the rows of a table below `HEADINGS`: classes of this library of which something is known."""
    by_code: dict[str, list[AuditRecord]] = {}
    for audit in audits:
        if audit.code:
            by_code.setdefault(audit.code, []).append(audit)
    return [row for code in sorted(by_code) for row in _rows(code.rpartition(".")[2], sharpest(by_code[code]))]


def _rows(name: str, found: Mapping[tuple[str, Way], Excess]) -> list[tuple[str, ...]]:
    return [
        (name, adjacency, *(found[adjacency, way].amount if (adjacency, way) in found else "-" for way in Way))
        for adjacency in sorted({adjacency for adjacency, _ in found})
    ]
