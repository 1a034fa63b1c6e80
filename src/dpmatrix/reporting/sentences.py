"""Long reasons in few words, counts in the right number, and the bounds of audits."""

from __future__ import annotations

from collections.abc import Sequence

from dpmatrix.claims import AuditRecord, AuditVerdict


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a count with its noun: "1 finding", "2 findings"."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def pieces_of_evidence(nodes: Sequence[str]) -> str:
    """Say how many pieces of evidence there are, each known by its test item, and from how many items."""
    pieces = counted(len(nodes), "piece of evidence", "pieces of evidence")
    return f"{pieces} from {counted(len(set(nodes)), 'test item')}"


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


def shortened(text: str) -> str:
    """Return whole sentences of a text, up to the first that ends after 120 characters."""
    sentences, length = [], 0
    for sentence in " ".join(text.split()).split(". "):
        sentences.append(sentence)
        length += len(sentence)
        if length >= 120:
            break
    return ". ".join(sentences).rstrip(".") + "."
