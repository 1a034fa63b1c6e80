"""Docstrings in the numpy style, taken apart: prose, and sections of named entries."""

from __future__ import annotations

import inspect
import re

from attrs import frozen

_HEADING = re.compile(r"^(?P<name>[A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
_ROLE = re.compile(r":[a-z]+:`([^`]*)`")
_DISPLAY = re.compile(r"^\.\. math::[ ]*(.*(?:\n[ ]+\S.*)*)", re.MULTILINE)


@frozen
class Section:
    """A section such as Parameters.

    Attributes
    ----------
    heading
        Its name.
    entries
        Names, or types where they are all that is said, and what is said of each, in Markdown.
    """

    heading: str
    entries: tuple[tuple[str, str], ...]


@frozen
class Docstring:
    """A docstring: prose in Markdown, and its sections."""

    prose: str
    sections: tuple[Section, ...]


def _plain(text: str) -> str:
    """Turn the few roles and formulas that docstrings use into Markdown."""
    text = _DISPLAY.sub(lambda found: "```\n" + " ".join(found[1].split()) + "\n```", text)
    return _ROLE.sub(r"`\1`", text)


def _entries(text: str) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, list[str]]] = []
    for line in text.strip("\n").splitlines():
        if line and not line.startswith(" "):
            found.append((line, []))
        elif found:
            found[-1][1].append(line)
    return tuple((name, _plain(inspect.cleandoc("\n".join(["", *lines])))) for name, lines in found)


def parse(thing: object) -> Docstring:
    """Take the docstring of a module, class or function apart.

    Raises
    ------
    LookupError
        If it has none: what is public says what it is.
    """
    text = inspect.getdoc(thing)
    if not text:
        raise LookupError(f"{thing!r} has no docstring")
    pieces = _HEADING.split(text)
    sections = (Section(pieces[at], _entries(pieces[at + 1])) for at in range(1, len(pieces), 2))
    return Docstring(_plain(pieces[0]), tuple(sections))
