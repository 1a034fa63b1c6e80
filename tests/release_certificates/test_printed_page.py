"""On paper the certificate comes first, on two pages, and its appendix from a new one; no fact is lost to either."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import attrs
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from dpmatrix.claims import AuditVerdict, Excess, Ledger, State, Way, code_name
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.release_certificates.contents import UNKNOWN, Contents, contents
from dpmatrix.release_certificates.foundations import Foundation, Theorem
from dpmatrix.release_certificates.page import Signature, fits_paper, render
from dpmatrix.release_certificates.reading import read_release
from dpmatrix.typesetting.prose import in_signs
from tests.release_certificates.releases import AUDIT, NAMES, released, standing_run, written

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PARTS = ("numbers", "unit", "utility", "claims", "audits", "hazards", "vouched")
APPENDED = ("details", "statements", "nist")
LONG = Fraction(10**60 + 1, 10**60)


def said(folder: Path, name: str = "laplace", ledger: Ledger | None = None, **settings: object) -> Contents:
    return contents(read_release(written(folder, released(name, **settings))), ledger)


def page(found: Contents) -> str:
    return render(found, "2026-01-01")


def words(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def halves(text: str) -> tuple[str, str]:
    """Return the certificate and its appendix."""
    before, _, after = text[text.index("<body>") :].partition('<section class="appendix">')
    return before, after


def every_audit() -> Ledger:
    """Return a run with audits of every mechanism, in all ways, whose words are the longest."""
    ways = [Excess(way, 1.0, 1.2345, certain=False) for way in Way]
    tried = [
        attrs.evolve(AUDIT, code=code_name(mechanism), adjacency=adjacency.value, unnoticed=excess, verdict=verdict)
        for mechanism in (*MATRICES.values(), *DIRECTIONS.values())
        for adjacency in Adjacency
        for excess in ways
        for verdict in (AuditVerdict.NOT_REFUTED, AuditVerdict.KEPT, AuditVerdict.BROKEN)
    ]
    return attrs.evolve(standing_run(State.EARNED), audits=tuple(tried))


def test_the_parts_stand_in_their_order(tmp_path) -> None:
    first, second = halves(page(said(tmp_path)))
    assert re.findall(r'<h2 id="(\w+)">', first) == list(PARTS)
    assert re.findall(r'<h[23] id="(\w+)">', second) == ["appendix", *APPENDED]
    head = first[: first.index('<h2 id="numbers">')]
    assert re.findall(r'href="#(\w+)"', head) == ["appendix", *APPENDED], "the first page names the appendix"


def test_the_appendix_begins_on_a_new_page(tmp_path) -> None:
    text = page(said(tmp_path))
    printing = text[text.rindex("@media print {") : text.index("</style>")]
    assert re.search(r"\.appendix { break-before: page; }", printing)
    assert text.count('class="appendix"') == 1


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("name", NAMES)
def test_no_fact_is_lost(name, adjacency, tmp_path) -> None:
    found = said(tmp_path, name, ledger=None, adjacency=adjacency)
    first, second = map(words, halves(page(found)))
    for title, told in (*found.facts, *found.utility, *found.hazards):
        assert " ".join(f"{title} {told}".split()) in first
    for title, told in found.details:
        assert " ".join(f"{title} {told}".split()) in second
    for told in (*found.promise, *found.audits, *UNKNOWN):
        assert " ".join(told.split()) in first
    for one in found.foundations:
        for told in (one.target, in_signs(one.says), one.printed, *map(in_signs, one.checked)):
            assert " ".join(told.split()) in first
        for theorem in one.theorems:
            assert " ".join(in_signs(theorem.words).split()) in second
        assert one.formulas is None or one.target in second
    assert found.file.sha256 in first
    assert all(column in second for column in found.file.columns)
    assert [topic.question in second for topic in found.topics] == [True] * len(found.topics)


def test_what_is_not_private_is_no_certificate_on_paper_either(tmp_path) -> None:
    first, second = halves(page(said(tmp_path, entropy=SeededEntropy(1))))
    headings = re.findall(r"<(?:h1|h2|caption)[^>]*>.*?</", first + second)
    assert "This release is NOT private" in headings[0]
    assert not [heading for heading in headings if "ertificate" in heading]
    assert "by-hand" not in first, "there is nothing to sign"
    assert "by-hand" in halves(page(said(tmp_path)))[0]


def foundation(*seen: str) -> Foundation:
    theorems = tuple(Theorem(f"t{place}", "something", how) for place, how in enumerate(seen))
    return Foundation(
        "a.b", "privacy", "x", "holds", ("Proved by hand.",), theorems, "earned", "holds", "earned", True, None
    )


def test_theorems_are_counted_by_who_checked_them() -> None:
    """Those that nobody checked here are not counted with those of the run at hand."""
    here, elsewhere = "checked in the run at hand", "in the kernel's certificate of 2026-01-01, not checked here"
    one = foundation(here, elsewhere, elsewhere)
    start = "In a proof assistant, about ideal laws of real numbers:"
    assert one.checked == (
        "Proved by hand.",
        f"{start} 1 theorem ({here}); what it states stands in the appendix.",
        f"{start} 2 theorems ({elsewhere}); what they state stands in the appendix.",
    )
    assert foundation().checked == ("Proved by hand.",)
    signed = [f"{start} something (Theorem t{k}: {how}.)" for k, how in enumerate((here, elsewhere, elsewhere))]
    assert one.to_json()["proof"] == ["Proved by hand.", *signed]


def test_a_formula_that_is_too_wide_for_paper_is_printed_in_signs(tmp_path) -> None:
    found = said(tmp_path)
    wide, narrow = (one.formulas for one in found.foundations)
    assert wide is not None
    assert narrow is not None
    assert not fits_paper(wide)
    assert fits_paper(narrow)
    _, second = halves(page(found))
    assert html.unescape(second).count(wide.text) == second.count('<pre class="on-paper">') == 1
    assert second.count('<div class="on-screen">') == 1


def test_long_numbers_stand_in_full_in_the_appendix(tmp_path) -> None:
    first, second = halves(page(said(tmp_path, epsilon=LONG, norm_bound=LONG)))
    assert "(epsilon, delta) = (about 1.000, 0)" in words(first)
    assert str(LONG) not in first
    assert f"Exact numbers epsilon = {LONG}; norm bound = {LONG}." in words(second)
    assert "Exact numbers" not in page(said(tmp_path, epsilon=Fraction(100, 7)))


def test_the_page_names_its_signature_and_the_key(certify) -> None:
    key = Ed25519PrivateKey.generate()
    Path("key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    assert certify(released()).exit_code == 0
    first, _ = halves(Path("release.html").read_text(encoding="utf-8"))
    assert "Not signed: no key was named" in first
    assert certify(released(), "--key", "key.pem").exit_code == 0
    first, _ = halves(Path("release.html").read_text(encoding="utf-8"))
    raw = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    told = words(first)
    assert "Not signed" not in told
    assert "Signature release.intoto.jsonl beside this page holds a statement" in told
    assert f"the SHA-256 {sha256(raw).hexdigest()} . This line alone shows nothing" in told
    envelope = json.loads(Path("release.intoto.jsonl").read_text(encoding="utf-8"))
    assert envelope["signatures"][0]["keyid"] == sha256(raw).hexdigest()


def pages_of(text: str, paper: str, folder: Path) -> int:
    """Print a page and count the sheets."""
    sized, changes = re.subn(r"@page \{ margin", f"@page {{ size: {paper}; margin", text)
    assert changes == 1
    path, printed = folder / "page.html", folder / "page.pdf"
    path.write_text(sized, encoding="utf-8")
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += ["--no-pdf-header-footer", f"--print-to-pdf={printed}", path.as_uri()]
    subprocess.run(command, capture_output=True, timeout=400, check=True)
    return len(re.findall(rb"/Type /Page\b", printed.read_bytes()))


@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")
@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("name", ["coupled-traces", "laplace", "gaussian"])
def test_two_sheets_hold_the_certificate(name, paper, tmp_path) -> None:
    """With a signature, audits in every way, theorems and every hazard: of the most claims, theorems and parameters."""
    given = {"delta": Fraction(1, 3)} if name == "gaussian" else {}
    given |= {"adjacency": Adjacency.ADD_REMOVE_ONE, "epsilon": Fraction(100, 7), "over_norm": "reject"}
    found = said(tmp_path, name, **given)
    audited = attrs.evolve(found, audits=said(tmp_path, name, every_audit(), **given).audits)
    text = render(audited, "2026-01-01", Signature("release.intoto.jsonl", "0" * 64))
    first, second = halves(text)
    top = text[: text.index("<body>")]
    certificate = pages_of(f"{top}{first}</main></body></html>", paper, tmp_path)
    assert certificate == 2
    appendix = pages_of(f'{top}<body><main><section class="appendix">{second}', paper, tmp_path)
    assert pages_of(text, paper, tmp_path) == certificate + appendix


MEASURE = """
var width = document.documentElement.clientWidth, beyond = [];
document.querySelectorAll("main *").forEach(function (node) {
  if (node.getBoundingClientRect().right > width + 1) { beyond.push(node.tagName); }
});
document.title = JSON.stringify(beyond.slice(0, 5));
"""


@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")
@pytest.mark.parametrize("name", ["laplace", "symmetrised-wishart", "gaussian"])
def test_nothing_runs_off_the_paper(name, tmp_path) -> None:
    """At the width of A4 between its margins, 182 mm; a formula that stays on a line of its own would be cut off."""

    def beyond(text: str) -> list[str]:
        text = re.sub(r"<meta http-equiv[^>]*>", "", text).replace("@media print {", "@media all {")
        path = tmp_path / "page.html"
        path.write_text(text.replace("</body>", f"<script>{MEASURE}</script></body>"), encoding="utf-8")
        command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--window-size=688,900", "--dump-dom"]
        command += [f"--user-data-dir={tmp_path / 'profile'}", path.as_uri()]
        document = subprocess.run(command, capture_output=True, text=True, timeout=400, check=True).stdout
        (found,) = re.findall(r"<title>(.*?)</title>", document)
        return json.loads(html.unescape(found))

    text = page(said(tmp_path, name))
    assert beyond(text) == []
    if name == "laplace":
        assert beyond(text.replace('class="on-screen"', "")), "the control: the formula as the screen has it"
