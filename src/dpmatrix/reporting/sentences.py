"""The first sentences of long reasons, counts in the right number, and the bounds of audits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dpmatrix.claims import AuditRecord, AuditVerdict, Outcome, State
from dpmatrix.claims.evidence import Bound
from dpmatrix.claims.extents import Extent
from dpmatrix.claims.provenance import RunKind
from dpmatrix.claims.standing import FAILED

_END = re.compile(r"[.!?]['\")]*(?= [A-Z0-9'\"(\[|])")
_ABBREVIATED = re.compile(r"(?:\.[a-z]|\b(?:cf|vs|resp|eq|Eq|Def|Thm|no|No))\.$")

UNCHECKED = "certificate, not checked here"
"""The outcome of a theorem's item in a run that did not ask Rocq."""


def outcome_words(item: Mapping[str, Any]) -> str:
    """Say what became of a piece of evidence in a run, as `dpmatrix.claims.Evidence.to_json` returns it."""
    return UNCHECKED if item["outcome"] == Outcome.UNCHECKED.value else str(item["outcome"] or "not run")


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a count with its noun: "1 finding", "2 findings"."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def pieces_of_evidence(nodes: Sequence[str]) -> str:
    """Say how many pieces of evidence there are, each known by its test item, and from how many items."""
    pieces = counted(len(nodes), "piece of evidence", "pieces of evidence")
    return f"{pieces} from {counted(len(set(nodes)), 'test item')}"


def seen_words(item: Mapping[str, Any]) -> str:
    """Say where a run saw a piece of evidence meet its statement; nothing where no run says.

    Parameters
    ----------
    item
        As `dpmatrix.claims.Evidence.to_json` returns it.
    """
    return Extent.of(item["seen"]).words if item["seen"] else ""


def binding_words(item: Mapping[str, Any]) -> str:
    """Say how the formula of a piece of evidence is bound to its statement; nothing where it has none.

    Parameters
    ----------
    item
        As `dpmatrix.claims.Evidence.to_json` returns it, with the reason that `dpmatrix.reporting.bindings` adds.
    """
    reason = item.get("not_by_expression", "")
    if item["bound"] == Bound.EXPRESSION.value:
        return "bound by expression"
    if not reason:
        return ""
    if item["bound"] is None:
        return f"no run says how its formula is bound ({reason})"
    return f"bound {item['bound']}, not by expression: {reason}"


def bounds(audit: AuditRecord) -> str:
    """Say what an audit bounds; nothing where it has no number."""
    if audit.epsilon_bound == audit.delta_bound == 0:
        return "no epsilon and no delta above 0"
    words = []
    if audit.epsilon_bound is not None:
        words.append(f"epsilon at least {audit.epsilon_bound:.4g}")
    if audit.delta_bound is not None:
        side = "most" if audit.verdict is AuditVerdict.KEPT else "least"
        words.append(f"delta at {side} {audit.delta_bound:.3g}")
    return "; ".join(words)


_REFUTATIONS = frozenset(verdict.value for verdict in FAILED)


def standing_words(claim: Mapping[str, Any]) -> str:
    """Say how a claim stands and by which run; a verdict that only refutes is confirmed, and never "earned".

    Parameters
    ----------
    claim
        As `dpmatrix.claims.describe` returns it.
    """
    standing = claim["standing"]
    if standing is None:
        return str(claim.get("standing_note") or "no run yet")
    accepted = claim.get("standing_from") == RunKind.ACCEPTED_RUN.value
    basis = f", {claim['basis']}" if claim.get("basis") else ""
    if standing == State.EARNED.value and claim["verdict"] in _REFUTATIONS:
        return f"refutation confirmed by {'the accepted run' if accepted else 'this run'}{basis}"
    return f"{standing}{basis} (accepted run)" if accepted else f"{standing}{basis}"


def standing_class(claim: Mapping[str, Any]) -> str:
    """Name the colour of a standing: that of what is earned is kept from verdicts that only refute."""
    if claim["standing"] == State.EARNED.value and claim["verdict"] in _REFUTATIONS:
        return "confirmed"
    return str(claim["standing"] or "open")


def sentences(text: str) -> list[str]:
    """Split a text into its sentences; a period in an abbreviation, a number or a bracket ends none."""
    found, start = [], 0
    text = " ".join(text.split())
    for end in _END.finditer(text):
        sentence = text[start : end.end()]
        if _ABBREVIATED.search(sentence) is None and sentence.count("(") == sentence.count(")"):
            found.append(sentence)
            start = end.end() + 1
    return [*found, text[start:]] if start < len(text) else found


def paragraphs(text: str) -> list[str]:
    """Split a text where a line is empty, each paragraph in one line."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def opening(text: str, least: int = 120) -> str:
    """Return the first sentences of a text, whole, until they have so many characters or the text ends."""
    kept: list[str] = []
    for sentence in sentences(text):
        kept.append(sentence)
        if sum(map(len, kept)) >= least:
            break
    return " ".join(kept)
