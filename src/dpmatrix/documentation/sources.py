"""The pages as they are written: Markdown, with code blocks and with places for tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

from attrs import frozen
from markdown_it import MarkdownIt

DOCUMENTS = ("wishart", "analyze-gauss", "compression", "near-optimal", "sliding-window", "cross", "beyond")
"""Documents that have a page of their own, what connects them, and what the project adds."""

ORDER = (
    "index",
    "auditor",
    "regulator",
    "guidelines",
    "researcher",
    "estimators",
    "new-document",
    "verdicts",
    "kernel",
    "releases",
    "command-line",
    "other-libraries",
    "features",
    "benchmarks",
    *DOCUMENTS,
)
"""The pages in the order of reading."""

PLACE = re.compile(r"^\*The built pages show here: \[\[([a-z ]+)\]\]\*$", re.MULTILINE)
"""A line that a table takes; who reads the file itself is told so."""


def markdown() -> MarkdownIt:
    """Return the reader of the pages and docstrings: CommonMark with tables, without raw HTML."""
    return MarkdownIt("commonmark", {"html": False}).enable("table")


@frozen
class Page:
    """One page as it is written.

    Attributes
    ----------
    name
        Name of its file without the ending.
    text
        The Markdown.
    """

    name: str
    text: str

    @property
    def title(self) -> str:
        """Its first heading."""
        return self.text.partition("\n")[0].removeprefix("# ")

    def parts(self) -> Iterator[tuple[str, str]]:
        """Split at the places of tables: pairs of prose and the name of the table that follows, empty at the end."""
        pieces = PLACE.split(self.text)
        for index in range(0, len(pieces), 2):
            yield pieces[index], pieces[index + 1] if index + 1 < len(pieces) else ""


@frozen
class Block:
    """One code block.

    Attributes
    ----------
    language
        ``python`` for a session or a file, ``console`` for commands with their output.
    file
        Name of the file that the block is; empty for a session.
    text
        What stands between the fences.
    line
        The line of the page on which it begins.
    """

    language: str
    file: str
    text: str
    line: int


def pages() -> list[Page]:
    """Read all pages."""
    folder = files("dpmatrix.documentation") / "pages"
    return [Page(name, (folder / f"{name}.md").read_text(encoding="utf-8")) for name in ORDER]


def blocks(page: Page) -> list[Block]:
    """List the code blocks of a page."""
    found = []
    for token in markdown().parse(page.text):
        if token.type in ("fence", "code_block"):
            language, _, file = token.info.strip().partition(" ")
            found.append(Block(language, file, token.content, token.map[0] + 1 if token.map else 0))
    return found
