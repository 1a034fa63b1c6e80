"""Long reasons in few words, and counts in the right number."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a count with its noun: "1 finding", "2 findings"."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def pieces_of_evidence(nodes: Sequence[str]) -> str:
    """Say how many pieces of evidence there are, each known by its test item, and from how many items."""
    pieces = counted(len(nodes), "piece of evidence", "pieces of evidence")
    return f"{pieces} from {counted(len(set(nodes)), 'test item')}"


def shortened(text: str) -> str:
    """Return whole sentences of a text, up to the first that ends after 120 characters."""
    sentences, length = [], 0
    for sentence in " ".join(text.split()).split(". "):
        sentences.append(sentence)
        length += len(sentence)
        if length >= 120:
            break
    return ". ".join(sentences).rstrip(".") + "."
