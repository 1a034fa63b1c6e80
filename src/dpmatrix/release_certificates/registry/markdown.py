"""Sentences of a certificate as Markdown, in which nothing of them is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dpmatrix.reporting.sentences import counted

MOST_NAMES = 60
_MARKUP = re.compile(r"[*`<\[\]~]|(?<!\w)_|_(?!\w)")


def escaped(text: str) -> str:
    """Keep a sentence from being read as markup.

    Parameters
    ----------
    text
        A sentence.
    """
    return _MARKUP.sub(lambda found: f"\\{found[0]}", text.replace("\\", "&#92;"))


def listed(items: Iterable[tuple[str, str]]) -> str:
    """Return a list, an item for each name with its words.

    Parameters
    ----------
    items
        Names and words.
    """
    return "\n".join(f"- {escaped(name)}: {escaped(words)}" for name, words in items)


def columns(names: tuple[str, ...]) -> str:
    """Name the columns, but for those that could be taken for markup or a link.

    Parameters
    ----------
    names
        Of the columns.
    """
    shown = [f"`{name}`" for name in names[:MOST_NAMES] if _is_harmless(name)]
    left = len(names) - len(shown)
    more = f"{counted(left, 'name')} that {'stands' if left == 1 else 'stand'} in the file of the release alone"
    return f"Columns: {', '.join([*shown, *([more] if left else [])])}."


def _is_harmless(name: str) -> bool:
    return all(one.isalnum() or one in " _-.,()%" for one in name) and name == name.strip()
