"""Take a document apart into what it prints: sentences, formula lines, lines of algorithms, and rows of tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

from attrs import frozen

DIGITS = 10
"""Hexadecimal digits of a hash that a unit is known by."""

_ENDS = re.compile(r"(?<=[.!?])[)\]’”\"*]*\s+(?=[A-Z0-9(\[“*$?])")
_ABBREVIATIONS = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|etc|cf|vs|resp|w\.r\.t|i\.i\.d|a\.s|s\.t|Fig|Figs|Eq|Eqs|Thm|Lem|Prop|Cor|Def|Sec|Alg"
    r"|App|Ref|No|pp|vol|eds?|[A-Z])|^\(?\d+|^(?:Theorem|Lemma|Definition|Proposition|Corollary|Claim|Remark"
    r"|Algorithm|Figure|Table|Assumption|Conjecture|Fact|Example)\s[\w.]*)\.$"
)
_MARKS = re.compile(r"^\s*(?:#+|>|[-*•]\s|\d+[.:)]\s)")


@frozen
class Unit:
    """Something that a document prints.

    Attributes
    ----------
    key
        Hash of its words, and which of those with the same words it is, counted from 1.
    text
        Its words, in one line.
    paragraph
        Number of the paragraph that it stands in, counted from 1.
    """

    key: str
    text: str
    paragraph: int


def units(text: str) -> list[Unit]:
    """Return all that a document prints, in order.

    Parameters
    ----------
    text
        The document: paragraphs are parted by empty lines.
    """
    seen: Counter[str] = Counter()
    found = []
    paragraphs = [one for one in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\f", "\n\n")) if one.strip()]
    for number, paragraph in enumerate(paragraphs, start=1):
        for words in _split(paragraph):
            digest = sha256(words.encode()).hexdigest()[:DIGITS]
            seen[digest] += 1
            found.append(Unit(f"{digest}-{seen[digest]}", words, number))
    return found


def _split(paragraph: str) -> Iterator[str]:
    """Yield the sentences of a paragraph; a line that begins a list, a heading or a row of a table begins a new one."""
    lines: list[str] = []
    for line in paragraph.splitlines():
        if line.lstrip().startswith("|") or _MARKS.match(line):
            yield from _sentences(" ".join(lines))
            lines = []
        lines.append(line)
        if line.lstrip().startswith("|"):
            yield from _sentences(" ".join(lines))
            lines = []
    yield from _sentences(" ".join(lines))


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of some lines; a period behind an abbreviation, a label or an initial ends none."""
    plain = " ".join(text.split())
    start = 0
    for end in _ENDS.finditer(plain):
        before = plain[start : end.start()]
        if _ABBREVIATIONS.search(before) or before.count("$") % 2:
            continue
        yield plain[start : end.end()].strip()
        start = end.end()
    if plain[start:]:
        yield plain[start:]
