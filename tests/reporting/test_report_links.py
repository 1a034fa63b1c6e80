"""The report of the real specification: every claim, its code, its evidence and its counterexample reach each other."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from dpmatrix.claims import claim_of, findings
from dpmatrix.reporting.anchors import anchor
from dpmatrix.reporting.graph import STANDINGS, levels, picture
from dpmatrix.reporting.html import render
from dpmatrix.reporting.implementations import implementations
from dpmatrix.spec import catalogue, documents, load

REGISTRY = load()
MOST_BYTES = 5_000_000


class Page(HTMLParser):
    """Which links stand inside of which elements with an id; headings, captions and tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str | None]] = []
        self.links: dict[str, set[str]] = {}
        self.ids: list[str] = []
        self.tables: list[bool] = []
        self.headings: list[int] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        """Open a tag."""
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
            self.links.setdefault(found["id"], set())
        if tag == "a":
            for _, name in self.open:
                if name is not None:
                    self.links[name].add(found["href"].removeprefix("#"))
        if tag == "table":
            self.tables.append(False)
        if tag == "caption":
            self.tables[-1] = True
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in {"meta", "br", "input"}:
            self.open.append((tag, found.get("id")))

    def handle_endtag(self, tag) -> None:
        """Close the tag that was opened last."""
        assert self.open.pop()[0] == tag


@pytest.fixture(scope="module")
def text(invented_run) -> str:
    registry, ledger, described = invented_run
    found = findings(registry, ledger.evidence)
    return render(described, ledger, documents(), catalogue().pending, found=found)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_size_and_targets(text: str, page: Page) -> None:
    assert len(text.encode()) < MOST_BYTES
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert {target for targets in page.links.values() for target in targets} <= set(page.ids)


@pytest.mark.parametrize("claim", list(REGISTRY), ids=lambda claim: claim.id)
def test_from_a_claim_to_its_evidence_and_back(page: Page, claim) -> None:
    refuting = anchor("evidence", f"audit/test_refutes.py::test_it[{claim.id}]")
    assert refuting in page.links[claim.id]
    assert {claim.id, anchor("counterexample", claim.id)} <= page.links[refuting]
    evidence = {target for target in page.links[claim.id] if target.startswith("evidence-")}
    assert len(evidence) == 2
    assert all(claim.id in page.links[target] for target in evidence)
    assert {claim_of(use) for use in claim.uses} <= page.links[claim.id]
    assert all(claim.id in page.links[claim_of(use)] for use in claim.uses), "what rests on it is shown as well"


def test_from_a_claim_to_its_code_and_back(text: str, page: Page) -> None:
    code = implementations()
    assert code
    for implementation in code:
        place = anchor("code", implementation.name)
        cited = {citation.claim for citation in implementation.citations}
        assert page.links[place] == cited
        assert all(place in page.links[claim] for claim in cited)
        # Code, claim, evidence: two clicks.
        reached = {target for claim in cited for target in page.links[claim]}
        assert any(target.startswith("evidence-") for target in reached)
    assert "class SymmetrisedWishartMechanism(RoundedPerturbation):" in text


def test_it_can_be_read_without_seeing_it(text: str, page: Page) -> None:
    assert page.tables
    assert all(page.tables), "every table has a caption"
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    assert '<html lang="en">' in text
    assert text.count("<th>") == 0, "every heading of a table says what it heads"


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def schemes(text: str) -> list[dict[str, str]]:
    """Return the colours by day, and those in the dark."""
    found = [
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root {(.*?)}", text.replace("#fff;", "#ffffff;"), re.DOTALL)
    ]
    found = [block for block in found if block]
    assert len(found) == 2
    assert found[0].keys() == found[1].keys()
    assert luminance(found[0]["paper"]) > 0.8 > 0.05 > luminance(found[1]["paper"])
    return found


def test_contrast(text: str) -> None:
    """Words stand out from every ground that they may stand on, as WCAG 2 asks for: 4.5 to 1."""
    for colours in schemes(text):
        grounds = [colours["paper"], colours["soft"]]
        for name in ("ink", "good", "bad", "wait", "link"):
            assert all(contrast(colours[name], ground) >= 4.5 for ground in grounds), name
        assert all(contrast(colours["ink"], colours[f"node-{name}"]) >= 4.5 for name in (*STANDINGS, "unknown"))
        assert all(contrast(colours[name], colours["paper"]) >= 3 for name in ("rule", "link")), "lines and focus"


def test_words_have_no_colour_outside_of_the_schemes(text: str) -> None:
    """A colour that stands elsewhere would be that of one scheme in the other; drawings have a ground of their own."""
    style = text[text.index("<style>") : text.index("</style>")]
    rules = re.sub(r":root {.*?}", "", style, flags=re.DOTALL).replace(
        ".drawing { max-width: 100%; background: #fff; }", ""
    )
    assert not re.findall(r"#[0-9a-f]{3,6}\b|rgb|white(?!-)|black", rules)
    assert not re.search(
        r'(?:fill|stroke|style|color)="#?', text[text.index("<body>") :].replace('stroke-dasharray="', "")
    )


def test_findings_are_a_section(page: Page, text: str) -> None:
    assert "privacy broken: " in text
    assert "python -m pytest &#39;audit/test_refutes.py::test_it[wishart.theorem-4]&#39;" in text
    assert "findings" in page.ids


def test_levels_and_picture() -> None:
    assert levels({"a": [], "b": ["a"], "c": ["b", "a"], "d": ["gone"]}) == {"a": 0, "b": 1, "c": 2, "d": 0}
    loop = levels({"a": ["b"], "b": ["a"]})
    assert set(loop) == {"a", "b"}
    assert picture([]) == ("", 0)
    claims = [
        {"id": "x.<&>", "uses": ["x.b+repair"], "standing": None, "standing_note": "<changed>", "verdict": "holds"},
        {"id": "x.b", "uses": [], "standing": "earned", "standing_from": "run", "verdict": "refuted"},
        {"id": "x.c", "uses": [], "standing": "earned", "verdict": "holds"},
    ]
    drawn, alone = picture(claims)
    assert alone == 1
    assert drawn.count("<path") == 1
    assert "x.&lt;&amp;&gt;: holds, &lt;changed&gt;" in drawn
    assert "x.b: refuted, refutation confirmed by this run" in drawn
    assert drawn.count("node-earned") == 0, "a refutation is not green"
    assert drawn.count("node-confirmed") == drawn.count("node-open") == 1
