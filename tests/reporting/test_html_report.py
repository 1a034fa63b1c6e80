"""The HTML report: well formed, one file without outside references, and every text escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from flint import arb

from dpmatrix.claims import (
    AuditRecord,
    AuditVerdict,
    Basis,
    Citation,
    Claim,
    Condition,
    Defect,
    Evidence,
    Grade,
    Implementation,
    Kind,
    Ledger,
    Locator,
    Outcome,
    Registry,
    Repair,
    Role,
    Standing,
    State,
    Statement,
    Step,
    Verdict,
    describe,
)
from dpmatrix.claims.extents import Extent
from dpmatrix.reporting.html import render

SCRIPT = files("dpmatrix.reporting") / "templates" / "report.js"
EVIL = "<script>alert(\"x\")</script> & 'so' <b>"
VOID = {"meta", "br", "link", "img", "hr", "input"}


def zero(p):
    return arb(0)


def one(p):
    return arb(1)


STATEMENT = Statement(EVIL, zero, given=(Condition(EVIL, one),))
CLAIMS = [
    Claim(
        "toy.repaired",
        Kind.LEMMA,
        Locator("toy", EVIL, EVIL),
        STATEMENT,
        Verdict.HOLDS_WITH_REPAIR,
        EVIL,
        reading=EVIL,
        repair=Repair(EVIL, Statement(EVIL, one)),
        steps=(Step("slip", STATEMENT, defect=Defect.PROOF, note=EVIL), Step("fine", STATEMENT, defect=None)),
        uses=("toy.base", "toy.other+repair"),
    ),
    Claim("toy.base", Kind.LEMMA, Locator("toy", "Lemma 1", "x"), STATEMENT, Verdict.HOLDS, "plain"),
    Claim("toy.other", Kind.LEMMA, Locator("toy", "Lemma 2", "x"), STATEMENT, Verdict.REFUTED, "plain"),
]
REGISTRY = Registry.of(CLAIMS)
ITEM = Evidence(
    f"file.py::test[{EVIL}]",
    Citation.parse("toy.repaired@0"),
    Role.CONTROL,
    Grade.NUMERIC,
    EVIL,
    Outcome.FAILED,
    1.5,
    EVIL,
    Extent(7, 0, 0, ((EVIL, (1.0, 2.0)),)),
)


AUDITS = (
    AuditRecord(EVIL, EVIL, AuditVerdict.VIOLATED, EVIL, 1.25, 0.5, EVIL, EVIL, EVIL, "passed"),
    AuditRecord("toy", "state", AuditVerdict.KEPT, "(1, 0)", None, None, "certain"),
)


class Reader(HTMLParser):
    """Checks that tags are closed in order, and keeps attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a tag."""
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the tag that was opened last."""
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.text += data


@pytest.fixture(params=[(), (EVIL, "another")], ids=["open", "closed"])
def report(request) -> tuple[str, Reader]:
    standing = Standing(State.UNEARNED, (EVIL,))
    verdicts = {claim.id: claim.verdict.value for claim in CLAIMS}
    found = {"toy.repaired": standing, "toy.base": Standing(State.EARNED, basis=Basis.WRITTEN)}
    ledger = Ledger((ITEM,), found, REGISTRY.fingerprints, request.param, {"python": EVIL}, verdicts, AUDITS)
    code = [Implementation("library.Doubling", (Citation.parse("toy.repaired"),))]
    text = render(describe(REGISTRY, ledger, code), ledger, {"toy": EVIL, "later": "Later"}, {"later.one"})
    reader = Reader()
    reader.feed(text)
    reader.close()
    return text, reader


def test_it_is_well_formed(report) -> None:
    text, reader = report
    assert text.startswith("<!doctype html>")
    assert reader.stack == []
    assert {"html", "title", "main", "h1", "table", "details"} <= reader.tags
    identifiers = [value for name, value in reader.attributes if name == "id"]
    assert len(identifiers) == len(set(identifiers))


def test_it_refers_to_nothing_outside(report) -> None:
    text, reader = report
    assert not re.search(r"https?:|//\w|url\(|@import", text)
    assert not reader.tags & {"link", "img", "iframe", "object", "embed"}
    assert "default-src 'none'" in text
    targets = {value for name, value in reader.attributes if name in ("href", "src", "action")}
    identifiers = {value for name, value in reader.attributes if name == "id"}
    assert targets
    assert targets <= {f"#{identifier}" for identifier in identifiers}


def test_every_text_is_escaped_and_kept(report) -> None:
    text, reader = report
    # One script of our own, without a word of the claims in it.
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script.strip() == SCRIPT.read_text(encoding="utf-8").strip()
    assert text.count("<script") == 1
    assert "<b>" not in text
    assert not any(EVIL in value for _, value in reader.attributes)
    assert reader.text.count(EVIL) >= 15


def test_it_says_what_the_run_found(report) -> None:
    _, reader = report
    closed = "Closed: 2 objections" in reader.text
    assert closed != ("Open: nothing to object to" in reader.text)
    for part in (
        "holds with repair",
        "unearned",
        "a line of a proof is false",
        "library.Doubling",
        "control",
        "failed",
        "1.50 s",
        "later.one",
        "kept, computed",
        "violated",
        "1.25",
        "seen in the run",
        "7 points; ",
        "earned, by a written proof",
        "On what these rest: 1 by a written proof.",
    ):
        assert part in " ".join(reader.text.split()), part
    assert "None" not in reader.text, "a claim without a standing is said to be so in words"
    assert "changed since the run" in reader.text
