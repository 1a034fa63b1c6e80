"""The report in a browser: links open what they lead to, two clicks there and back, and nothing runs off the page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape

import attrs
import pytest

from dpmatrix.claims import (
    AuditRecord,
    AuditVerdict,
    Origin,
    changes,
    code_name,
    findings,
    read_snapshot,
    snapshot,
)
from dpmatrix.claims.ledger import dump
from dpmatrix.mechanisms import SymmetrisedWishartMechanism
from dpmatrix.mechanisms.streams import SlidingWindowGram
from dpmatrix.reporting.anchors import anchor
from dpmatrix.reporting.html import render
from dpmatrix.spec import catalogue, documents, traced
from dpmatrix.typesetting.registries import typeset_claims

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")

MECHANISM = code_name(SymmetrisedWishartMechanism)
CERTIFICATE, OTHER = anchor("certificate", MECHANISM), anchor("certificate", code_name(SlidingWindowGram))
EVIDENCE = anchor("evidence", "audit/test_refutes.py::test_it[wishart.theorem-4]")
AUDIT = AuditRecord(
    "symmetrised Wishart mechanism",
    "simulation, d = 5",
    AuditVerdict.NOT_REFUTED,
    "(1, 0)",
    0.25,
    0.0,
    "1 - 1e-9",
    "a note of many words that says what would have been caught",
    "audit/test_a_rather_long_name_of_a_file.py::test_with_a_rather_long_name[and a parameter]",
    "passed",
    code=MECHANISM,
    adjacency="replace-one",
    samples=10_000,
    training=500,
    smallest_epsilon=1.75,
    smallest_leak=0.012,
    power=0.99,
)
CLICK = """
var steps = %s, seen = [];
function step() {
  if (!steps.length) { document.title = JSON.stringify(seen); return; }
  var pair = steps.shift();
  var link = document.getElementById(pair[0]).querySelector('a[href="#' + pair[1] + '"]');
  link.click();
  setTimeout(function () {
    var place = document.getElementById(pair[1]), box = place.getBoundingClientRect();
    seen.push([location.hash.slice(1), place.closest("details").open, box.top > -1 && box.top < window.innerHeight]);
    step();
  }, 50);
}
setTimeout(step, 50);
"""
MEASURE = """
document.querySelectorAll("details").forEach(function (node) { node.open = true; });
var width = document.documentElement.clientWidth, beyond = [];
document.querySelectorAll("main *").forEach(function (node) {
  if (node.getBoundingClientRect().right > width + 1 && !node.closest(".scroll")) { beyond.push(node.tagName); }
});
document.title = JSON.stringify([document.documentElement.scrollWidth - width, beyond.slice(0, 5)]);
"""


@pytest.fixture(scope="module")
def visit(invented_run, tmp_path_factory) -> Callable[..., str]:
    """Open the report of a run with an audit and a changed verdict; return the document after its scripts have run."""
    registry, run, described = invented_run
    run = attrs.evolve(run, audits=(AUDIT,))
    entries = snapshot(registry, run.standings, run.evidence)
    entries["wishart.theorem-4"]["verdict"] = "holds"
    changed = changes(run, read_snapshot(dump(entries), "x"), Origin("spec/standings.json"))
    found = findings(registry, run.evidence)
    formulas = typeset_claims(registry, traced())
    text = render(described, run, documents(), catalogue().pending, found=found, changes=changed, formulas=formulas)
    folder = tmp_path_factory.mktemp("browser")

    def opened(place: str = "", script: str = "", width: int = 1280) -> str:
        path = folder / "report.html"
        path.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
        command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
        command += [f"--window-size={width},900", "--virtual-time-budget=4000", "--dump-dom"]
        command.append(path.as_uri() + (f"#{place}" if place else ""))
        return subprocess.run(command, capture_output=True, text=True, timeout=400, check=True).stdout

    return opened


def title(document: str) -> list:
    """Return what a script left in the title."""
    found = re.search(r"<title>(.*?)</title>", document, re.DOTALL)
    assert found is not None
    return json.loads(unescape(found[1]))


def test_a_link_opens_what_it_leads_to(visit, invented_run) -> None:
    document = visit("wishart.theorem-4")
    opened = re.findall(r'<details id="([^"]*)" class="claim"[^>]* open=""', document)
    assert opened == ["wishart.theorem-4"]
    assert f"{len(invented_run[0])} claims shown" in document
    assert '<li id="to-filters"><a href="#filters">' in document
    assert '<form id="filters" aria-label' in document, "the filters are there once there is a script to run them"


def test_two_clicks_from_a_claim_to_code_evidence_and_counterexample_and_back(visit) -> None:
    code, counterexample = anchor("code", MECHANISM), anchor("counterexample", "wishart.theorem-4")
    clicks = [
        ("wishart.theorem-4", code),
        (code, "wishart.theorem-4"),
        ("wishart.theorem-4", EVIDENCE),
        (EVIDENCE, counterexample),
        ("wishart.theorem-4", EVIDENCE),
        (EVIDENCE, "wishart.theorem-4"),
        (CERTIFICATE, code),
        (CERTIFICATE, "wishart.theorem-4"),
    ]
    seen = title(visit(script=CLICK % json.dumps(clicks)))
    assert seen == [[target, True, True] for _, target in clicks]


def test_what_changed_is_a_click_away_and_leads_to_the_claim(visit) -> None:
    document = visit("changes")
    section = document[document.index('<h2 id="changes"') : document.index('<h2 id="findings"')]
    assert "holds → refuted" in section
    assert 'href="#wishart.theorem-4"' in section
    assert '<a href="#changes">' in document[: document.index("<main")]


def test_a_certificate_opens_and_can_be_printed_by_itself(visit) -> None:
    document = visit(CERTIFICATE)
    assert re.findall(r'<details class="certificate" id="([^"]*)" open=""', document) == [CERTIFICATE]
    assert '<button type="button" class="print">' in document
    assert '<td data-label="power: would have been caught">epsilon 1.75' in document
    assert "Not audited in this run:" in document
    printing = f"""
    var shown = [];
    window.print = function () {{ shown = [document.body.className, document.querySelectorAll(".printed").length]; }};
    document.getElementById("{OTHER}").querySelector("button").click();
    document.title = JSON.stringify([shown, document.body.className, document.querySelectorAll(".printed").length]);
    """
    assert title(visit(script=printing)) == [["alone", 1], "", 0]


SEARCH = """
var field = document.querySelector('input[type="search"]');
field.value = "WISHART theorem-4 ";
field.dispatchEvent(new Event("input", {bubbles: true}));
var rows = function () { return Array.from(document.querySelectorAll("tr[data-verdict]:not([hidden])")).length; };
var left = Array.from(document.querySelectorAll("details.claim:not([hidden])"));
var claims = left.map(function (node) { return node.id; });
var found = [claims, rows(), document.getElementById("shown").textContent];
field.value = "zyzzyva";
field.dispatchEvent(new Event("input", {bubbles: true}));
document.title = JSON.stringify(found.concat([document.getElementById("shown").textContent, rows()]));
"""


def test_words_are_looked_for_in_claims(visit) -> None:
    claims, rows, shown, none, left = title(visit(script=SEARCH))
    assert "wishart.theorem-4" in claims
    assert 1 <= len(claims) < 20
    assert rows == 2 * len(claims), "in the table of the document, and in that of the evidence"
    assert shown == ("1 claim shown" if len(claims) == 1 else f"{len(claims)} claims shown")
    assert (none, left) == ("0 claims shown", 0)


COPY = """
var before = document.querySelectorAll("#%(evidence)s .copy").length;
document.getElementById("%(evidence)s").open = true;
setTimeout(function () {
  var buttons = document.querySelectorAll("#%(evidence)s .copy");
  buttons[0].click();
  document.title = JSON.stringify([before, buttons.length, getSelection().toString(), buttons[0].ariaLabel]);
}, 200);
"""


def test_a_command_has_a_button_that_takes_it_whole(visit) -> None:
    before, buttons, taken, label = title(visit(script=COPY % {"evidence": EVIDENCE}))
    assert (before, buttons) == (0, 1), "made when it is opened, and once"
    assert taken == "python -m pytest 'audit/test_refutes.py::test_it[wishart.theorem-4]'"
    assert label == f"Copy {taken}"


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_off_the_page_with_everything_open(visit, width: int) -> None:
    """A headless browser may make its window no narrower than 500 pixels."""
    assert title(visit(script=MEASURE, width=width)) == [0, []]


FRACTIONS = """
document.querySelectorAll("details").forEach(function (node) { node.open = true; });
var fractions = Array.from(document.querySelectorAll(".mathematics mfrac"));
var flat = fractions.filter(function (node) {
  var above = node.children[0].getBoundingClientRect(), below = node.children[1].getBoundingClientRect();
  return above.height < 1 || above.bottom > below.top + 1;
});
document.title = JSON.stringify([fractions.length, flat.length]);
"""


def test_formulas_are_drawn_and_not_spelt(visit) -> None:
    """Numerators stand above denominators, as they do only where the browser takes it for a formula."""
    fractions, flat = title(visit(script=FRACTIONS))
    assert fractions > 100
    assert flat == 0
