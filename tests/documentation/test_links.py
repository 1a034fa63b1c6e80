"""Links between files: each leads to a file that is there, and in the built pages to the page made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import attrs
import pytest
from markdown_it.token import Token

from dpmatrix.documentation.links import built, heading_place
from dpmatrix.documentation.site import Site
from dpmatrix.documentation.sources import PLACE, Page, markdown, pages

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "src" / "dpmatrix" / "documentation" / "pages"
FILES = [*sorted(ROOT.glob("[A-Z]*.md")), *sorted(PAGES.glob("*.md"))]


def inline(text: str) -> Iterator[tuple[Token, Token]]:
    """Yield what opens each piece of running text, with the piece."""
    tokens = markdown().parse(text)
    yield from ((before, token) for before, token in pairwise(tokens) if token.type == "inline")


def links(text: str) -> list[str]:
    """Return where the links of a file lead, but for those to other hosts."""
    found = [
        str(child.attrGet("href"))
        for _, token in inline(text)
        for child in token.children or ()
        if child.type == "link_open"
    ]
    return [link for link in found if "://" not in link]


def headings(text: str) -> set[str]:
    return {
        heading_place("".join(child.content for child in token.children or ()))
        for before, token in inline(text)
        if before.type == "heading_open"
    }


def broken(path: Path, text: str) -> list[str]:
    """Return the links of a file that lead to no file, or to no heading of it."""
    wrong = []
    for link in links(text):
        file, _, place = link.partition("#")
        target = path.parent / file if file else path
        held = target.read_text(encoding="utf-8") if target.is_file() else ""
        if not target.is_file() or (place and place not in headings(held)):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_link_of_a_file_leads_to_a_file_and_a_heading(path: Path) -> None:
    assert not broken(path, path.read_text(encoding="utf-8"))


def test_pages_link_to_each_other() -> None:
    assert sum(len(links(page.text)) for page in pages()) > 20


@pytest.mark.parametrize("link", ["verdicts.html", "verdict.md", "verdicts.md#a-tea", "#a-tea"])
def test_a_broken_link_is_noticed(link: str) -> None:
    assert broken(PAGES / "index.md", f"# Page\n\n[x]({link}) and [y](verdicts.md#a-verdict)\n") == [link]


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("verdicts.md", "verdicts.html"),
        ("verdicts.md#a-verdict", "verdicts.html#a-verdict"),
        ("tea.md", "tea.md"),
        ("#here", "#here"),
        ("verdicts", "verdicts"),
    ],
)
def test_a_link_to_a_page_leads_to_the_built_page(link: str, page: str) -> None:
    assert built(link) == page


@pytest.mark.parametrize(
    ("heading", "place"),
    [
        ("What is private, and what is not", "what-is-private-and-what-is-not"),
        ("Choosing data_norm without looking at the data", "choosing-data_norm-without-looking-at-the-data"),
        ("What scikit-learn's PCA has", "what-scikit-learns-pca-has"),
    ],
)
def test_a_heading_has_the_place_that_code_hosts_give_it(heading: str, place: str) -> None:
    assert heading_place(heading) == place


def test_the_built_page_has_the_places_and_the_links() -> None:
    text = "# W\n\n## Who's `first` & last\n\n[up](#whos-first--last), [over](verdicts.md#a-verdict)\n"
    shown = attrs.evolve(Site.read(), written=(Page("wishart", text),), modules=()).files()["wishart.html"]
    assert not broken(PAGES / "wishart.md", text.replace("#whos-first--last", "verdicts.md"))
    assert headings(text) == {"w", "whos-first--last"}
    assert '<h2 id="whos-first--last">' in shown
    assert '<a href="verdicts.html#a-verdict">over</a>' in shown


def test_a_place_of_a_table_can_be_read_in_the_file() -> None:
    named = [line for page in pages() for line in page.text.splitlines() if re.search(r"\[\[[a-z ]+\]\]", line)]
    assert len(named) > 20
    assert all(PLACE.fullmatch(line) for line in named)
    assert [table for _, table in Page("x", f"# X\n\n{named[0]}\n").parts()] == [PLACE.fullmatch(named[0])[1], ""]
