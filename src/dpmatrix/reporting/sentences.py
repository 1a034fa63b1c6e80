"""Long reasons in few words."""

from __future__ import annotations


def shortened(text: str) -> str:
    """Return whole sentences of a text, up to the first that ends after 120 characters."""
    sentences, length = [], 0
    for sentence in " ".join(text.split()).split(". "):
        sentences.append(sentence)
        length += len(sentence)
        if length >= 120:
            break
    return ". ".join(sentences).rstrip(".") + "."
