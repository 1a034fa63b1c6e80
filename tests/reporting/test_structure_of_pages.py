"""What a page needs for keyboards, for readers of screens and for the dark, in its structure; no browser is asked."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import attrs
import pytest

from dpmatrix.documentation.site import Site
from dpmatrix.release_certificates.contents import contents
from dpmatrix.release_certificates.page import render as certified
from dpmatrix.release_certificates.reading import read_release
from dpmatrix.reporting.environment import environment, run_facts
from dpmatrix.reporting.figures import Reproduced
from dpmatrix.reporting.history import UNKNOWN, commit_of, git_says
from dpmatrix.reporting.html import render
from dpmatrix.spec import catalogue, documents
from tests.release_certificates.releases import released, written

FOCUSABLE = {"a", "button", "input", "select", "summary", "textarea"}
VOID = {"meta", "br", "input", "img"}
NAMES = ("aria-label", "aria-labelledby")


class Structure(HTMLParser):
    """Notes what cannot be reached, has no name, or is in the way."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str]]] = []
        self.first: dict[str, str] | None = None
        self.main: dict[str, str] | None = None
        self.language = ""
        self.wrong: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Judge a tag by its attributes and by what it stands in."""
        given = {name: value or "" for name, value in attrs}
        inside = [name for name, _ in self.open]
        if tag == "html":
            self.language = given.get("lang", "")
        if tag == "main":
            self.main = given
        if tag in FOCUSABLE and self.first is None:
            self.first = given
        self.wrong += self._faults(tag, given, inside)
        if tag not in VOID:
            self.open.append((tag, given))

    def _faults(self, tag: str, given: dict[str, str], inside: list[str]) -> list[str]:
        named = any(given.get(name) for name in NAMES)
        scrolls = "scroll" in given.get("class", "").split()
        hidden_links = any(other.get("role") == "img" for _, other in self.open)
        faults = {
            "an image without words": tag == "img" and not given.get("alt"),
            "a picture without a name": tag == "svg" and not (named and given.get("role")),
            "something to press inside of an image": tag in FOCUSABLE and hidden_links,
            "a field without a label": tag in ("input", "select") and not named and "label" not in inside,
            "a part that scrolls out of reach of keys": scrolls and given.get("tabindex") != "0",
            "a part of the page without a name": tag != "p" and scrolls and not (named and given.get("role")),
            "an order of its own": int(given.get("tabindex", "0")) > 0,
            "a link to press in a link": tag == "a" and "a" in inside,
            "a navigation without a name": tag == "nav" and not named,
        }
        return [f"{words}: {tag} {given}" for words, wrong in faults.items() if wrong]

    def handle_endtag(self, tag: str) -> None:
        """Close the tag that was opened last."""
        assert self.open.pop()[0] == tag


@pytest.fixture(scope="module")
def report(invented_run) -> str:
    _, run, described = invented_run
    figure = Reproduced("a.table", "a command", 1, ("noted",), "data:image/svg+xml;base64,AA==", ("one",), (("1",),))
    run = attrs.evolve(run, environment={"commit": "0123abc", "finished": "2026-01-01 00:00 UTC", "numpy": "1"})
    return render(described, run, documents(), catalogue().pending, figures=[figure])


@pytest.fixture(scope="module")
def pages(report: str, tmp_path_factory) -> dict[str, str]:
    record = written(tmp_path_factory.mktemp("release"), released("symmetrised-wishart"))
    site = Site.read().files()
    chosen = {name: site[name] for name in ("index.html", "wishart.html", "verdicts.html", "guidelines.html")}
    return {"report": report, "certificate": certified(contents(read_release(record), None), "2026-01-01"), **chosen}


def test_nothing_is_out_of_reach_or_without_a_name(pages) -> None:
    for name, text in pages.items():
        page = Structure(text)
        assert page.wrong == [], name
        assert page.language == "en"
        assert page.open == []


def test_the_first_key_leads_past_the_navigation(pages) -> None:
    for name, text in pages.items():
        page = Structure(text)
        if "<nav" not in text:
            continue
        assert page.first == {"class": "skip", "href": "#main"}, name
        assert page.main == {"id": "main", "tabindex": "-1"}, name


def test_focus_is_seen_and_both_schemes_are_there(pages) -> None:
    for text in pages.values():
        style = text[text.index("<style>") : text.index("</style>")]
        assert re.search(r":focus-visible { outline: 3px solid var\(--link\)", style)
        assert "@media screen and (prefers-color-scheme: dark)" in style, "paper stays light"
        assert not re.search(r"(?<!main:focus { )outline: (?:none|0)", style)


FAULTS = [
    '<img src="data:,">',
    '<svg role="img"></svg>',
    '<svg role="img" aria-label="x"><a href="#x">x</a></svg>',
    "<select></select>",
    '<div class="scroll" role="region" aria-label="x"></div>',
    '<div class="scroll" tabindex="0"></div>',
    '<p tabindex="2"></p>',
    "<nav></nav>",
]


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_would_be_seen(fault: str) -> None:
    assert len(Structure(f"<body>{fault}</body>").wrong) == 1


def test_the_first_page_says_which_run_it_was(report: str) -> None:
    top = report[: report.index('<h2 id="gate">')]
    assert "<caption>The run</caption>" in top
    assert '<th scope="row">commit</th><td>0123abc</td>' in top
    assert '<th scope="row">finished</th><td>2026-01-01 00:00 UTC</td>' in top
    assert '<th scope="row">numpy</th>' not in top, "other versions stand at the end"


def test_a_ledger_without_a_commit_says_nothing_of_one() -> None:
    assert run_facts({"platform": "x"}) == []


def test_the_commit_of_a_checkout(tmp_path) -> None:
    assert commit_of(tmp_path / "gone") == UNKNOWN
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), (*author, "commit", "-q", "--allow-empty", "-m", "x")):
        assert git_says(tmp_path, *command) is not None
    clean = commit_of(tmp_path)
    assert re.fullmatch("[0-9a-f]{40,64}", clean)
    (tmp_path / "new").write_text("x", encoding="utf-8")
    assert commit_of(tmp_path) == f"{clean}, and files that differ from it"
    facts = environment(tmp_path)
    assert facts["commit"].startswith(clean)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", facts["finished"])
