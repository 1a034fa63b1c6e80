"""Where a prose is told by an item, and where it is excepted."""

from __future__ import annotations

from collections.abc import Iterable

from dpmatrix.reporting.prose import Telling


def spans(text: str, templates: Iterable[str]) -> set[tuple[int, int]]:
    """Return where the figures stand that the templates have places for."""
    return {(found.start, found.end) for words in templates for places in Telling(words).read(text) for found in places}


def excepted(text: str, phrases: Iterable[str]) -> list[range]:
    """Return where the excepted pieces of a text stand."""
    found = []
    for phrase in phrases:
        start = text.find(phrase)
        while start >= 0:
            found.append(range(start, start + len(phrase)))
            start = text.find(phrase, start + 1)
    return found
