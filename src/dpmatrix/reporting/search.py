"""Find claims by words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from dpmatrix.claims import Claim
from dpmatrix.errors import NothingFoundError

_ALIKE = 0.75
_WORD = re.compile(r"[a-z]{3,}")
NEARLY = 4
"""Claims that are named where none has all words."""


def _fields(claim: Claim, titles: Mapping[str, str]) -> list[tuple[int, str]]:
    """Return what is looked at, each with its weight: what names a claim weighs more than what explains it."""
    stated = [claim.source.says, claim.statement.says, *(condition.says for condition in claim.statement.given)]
    argued = [claim.reading, claim.because]
    if claim.repair is not None:
        argued += [claim.repair.change, claim.repair.statement.says]
    steps = [words for step in claim.steps for words in (step.name, step.statement.says, step.note)]
    named = [claim.headline, claim.kind.value, claim.verdict.value, titles.get(claim.document, "")]
    weighted = [(16, [claim.id, claim.source.label]), (8, named), (4, stated), (2, argued), (1, steps)]
    return [(weight, "\n".join(words).casefold()) for weight, words in weighted]


def _pattern(word: str) -> re.Pattern[str]:
    """Return what finds a word where it stands, or begins a longer one; a number stands whole."""
    return re.compile(rf"(?<![a-z0-9]){re.escape(word)}" + (r"(?![0-9])" if word[-1].isdigit() else ""))


def search(claims: Iterable[Claim], words: str, titles: Mapping[str, str]) -> list[Claim]:
    """Return the claims that have every word, the best first.

    A word counts by the best place that it has: id and label, then headline, kind, verdict and document, then what is
    stated, then why, then the steps. Claims that count alike stay in their order.

    Parameters
    ----------
    claims
        Where to look.
    words
        Words or beginnings of words, in capitals or not.
    titles
        The title of each document by its name.

    Raises
    ------
    NothingFoundError
        If there is no such claim; it names words that may have been meant.
    """
    wanted = words.casefold().split()
    patterns = [_pattern(word) for word in wanted]
    texts = [(claim, _fields(claim, titles)) for claim in claims]
    scores = [
        [max((weight for weight, text in fields if pattern.search(text)), default=0) for pattern in patterns]
        for _, fields in texts
    ]
    found = [(sum(score), claim) for (claim, _), score in zip(texts, scores, strict=True) if score and all(score)]
    if not found:
        counts = [sum(score[place] > 0 for score in scores) for place in range(len(wanted))]
        known = "\n".join(text for _, fields in texts for _, text in fields)
        raise NothingFoundError(words, _meant(wanted, counts, known) + _nearly(texts, scores))
    return [claim for _, claim in sorted(found, key=lambda one: -one[0])]


def _nearly(texts: Sequence[tuple[Claim, object]], scores: Sequence[Sequence[int]]) -> str:
    """Name the claims that have most of several words, the best first."""
    counted = [(sum(weight > 0 for weight in score), sum(score)) for score in scores]
    most = max((count for count, _ in counted), default=0)
    if not most or len(scores[0]) == 1:
        return ""
    best = [(weight, claim.id) for (claim, _), (count, weight) in zip(texts, counted, strict=True) if count == most]
    names = [name for _, name in sorted(best, key=lambda one: -one[0])[:NEARLY]]
    return f"; with {most} of these {len(scores[0])} words: {', '.join(names)}"


def _meant(wanted: Sequence[str], counts: Sequence[int], known: str) -> str:
    """Say which words no claim has, and how those that some claim has are spelt; or that no claim has all of them."""
    missing = [word for word, count in zip(wanted, counts, strict=True) if not count]
    if not missing:
        return ", ".join(f"{word} in {count}" for word, count in zip(wanted, counts, strict=True))
    vocabulary = sorted(set(_WORD.findall(known)))
    lines = []
    for word in missing:
        close = difflib.get_close_matches(word, vocabulary, n=3, cutoff=_ALIKE)
        lines.append(f"{word!r} is nowhere" + (f"; did you mean {' or '.join(close)}?" if close else ""))
    return ", ".join(lines)
