"""A long reason of a verdict is told in paragraphs, each of which begins and ends with a whole sentence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from dpmatrix.reporting.sentences import sentences
from dpmatrix.spec import load

LONG_REASON = 110
"""From so many words on a reason has paragraphs."""
LONG_PARAGRAPH = 130
SHORT_PARAGRAPH = 15
"""With fewer words a paragraph is a remark that belongs to its neighbour."""


def words(text: str) -> int:
    return len(text.split())


def begins_with_a_sentence(before: str, after: str) -> bool:
    """Tell whether a sentence ends, with a full stop, where one paragraph gives way to the next."""
    return before.endswith(".") and sentences(f"{before} {after}") == [*sentences(before), *sentences(after)]


def faults(reason: str) -> Iterator[str]:
    """Yield what is wrong with the paragraphs of a reason."""
    paragraphs = reason.split("\n\n")
    if words(reason) >= LONG_REASON and len(paragraphs) == 1:
        yield f"one paragraph of {words(reason)} words"
    for paragraph in paragraphs:
        if paragraph != " ".join(paragraph.split()) or not paragraph:
            yield f"stray white space: {paragraph!r}"
        if words(paragraph) > LONG_PARAGRAPH:
            yield f"{words(paragraph)} words in the paragraph {paragraph[:40]!r}"
        if len(paragraphs) > 1 and words(paragraph) < SHORT_PARAGRAPH:
            yield f"{words(paragraph)} words only in the paragraph {paragraph!r}"
    for before, after in pairwise(paragraphs):
        if not begins_with_a_sentence(before, after):
            yield f"inside a sentence: {before[-20:]!r} | {after[:20]!r}"


def test_long_reasons_are_told_in_paragraphs() -> None:
    found = {claim.id: list(faults(claim.because)) for claim in load().claims.values()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def told(count: int, first: str = "The", last: str = "end.") -> str:
    """Return a paragraph of so many words."""
    return " ".join([first, *["word"] * (count - 2), last])


@pytest.mark.parametrize("first", ["Repaired,", "(5)", "4", "|A|", "'All'", "[0, 1]"])
def test_a_paragraph_may_begin_with_a_capital_a_digit_a_bracket_or_a_symbol(first: str) -> None:
    assert not list(faults(f"{told(60)}\n\n{told(60, first)}"))


@pytest.mark.parametrize(
    ("reason", "fault"),
    [
        (told(LONG_REASON), "one paragraph"),
        (told(LONG_PARAGRAPH + 1) + "\n\n" + told(60), "131 words"),
        (told(60) + "\n\n" + told(60, "and"), "inside a sentence"),
        (told(60, last="fails:") + "\n\n" + told(60), "inside a sentence"),
        (told(60, last="Theorem") + "\n\n" + told(60, "4"), "inside a sentence"),
        (told(60, last="cf.") + "\n\n" + told(60, "Theorem"), "inside a sentence"),
        (told(60, "(The") + "\n\n" + told(60, last="end.)"), "inside a sentence"),
        (told(60) + "\n\n" + "Open.", "1 words only"),
        (told(60) + "\n\n\n" + told(60), "stray white space"),
        (told(60) + " \n\n" + told(60), "stray white space"),
        (told(60) + "\n" + told(60), "stray white space"),
        (told(60) + "\n\n" + told(60) + "\n\n", "stray white space"),
    ],
)
def test_a_planted_fault_is_found(reason: str, fault: str) -> None:
    assert any(fault in found for found in faults(reason))


def test_a_reason_below_the_bound_needs_no_paragraphs() -> None:
    assert not list(faults(told(LONG_REASON - 1)))
    assert not list(faults("Open."))
