"""The documentation as HTML: offline, without a dead link, and with every verdict read from the registry."""

from __future__ import annotations

import doctest
import html
import re
import types
from html.parser import HTMLParser
from pathlib import Path

import attrs
import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.claims import Basis, Grade, Registry, State, Verdict
from dpmatrix.documentation import pages
from dpmatrix.documentation.docstrings import parse
from dpmatrix.documentation.reference import MODULES, public_module, signature
from dpmatrix.documentation.site import Site
from dpmatrix.documentation.sources import DOCUMENTS, Page, markdown
from dpmatrix.documentation.theorems import theorems
from dpmatrix.documentation.verdicts import AS_PRINTED, GROUPS, Contents
from dpmatrix.reporting.implementations import implementations
from dpmatrix.reporting.sentences import paragraphs
from dpmatrix.spec import documents, load
from dpmatrix.typesetting.prose import in_signs

ROOT = Path(__file__).resolve().parents[2]


class Anchors(HTMLParser):
    """Collects ids and links, and refuses what would be loaded from elsewhere or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note what a tag names and where it leads."""
        found = dict(attributes)
        assert tag not in ("script", "img", "iframe", "link"), tag
        assert "src" not in found
        self.ids += [found["id"]] if found.get("id") else []
        self.links += [found["href"]] if tag == "a" and found.get("href") else []


@pytest.fixture(scope="module")
def site() -> Site:
    return Site.read()


@pytest.fixture(scope="module")
def files(site) -> dict[str, str]:
    return site.files()


def test_every_link_leads_somewhere(files) -> None:
    read = {name: Anchors(text) for name, text in files.items()}
    links = [(name, link) for name, page in read.items() for link in page.links]
    assert len(links) > 500
    for name, link in links:
        file, _, place = link.partition("#")
        target = read[file or name]
        assert not place or place in target.ids, f"{name} links to {link}"
    for name, page in read.items():
        assert len(set(page.ids)) == len(page.ids), f"{name} has two places of one name"


def test_nothing_is_loaded_from_elsewhere(files) -> None:
    for text in files.values():
        assert "://" not in re.sub(r"<code>.*?</code>", "", text, flags=re.DOTALL)
        assert "default-src 'none'" in text


def test_every_document_has_a_page_and_every_claim_a_place(site, files) -> None:
    assert set(documents()) <= set(DOCUMENTS)
    shown = {name: html.unescape(re.sub(r"<[^>]*>", "", text)) for name, text in files.items()}
    for entry in site.contents.entries:
        page = f"{entry.claim.document}.html"
        assert f'<details id="{entry.claim.id}">' in files[page]
        for paragraph in paragraphs(entry.claim.because):
            assert in_signs(paragraph).replace("`", "") in shown[page].replace("`", "")


def test_names_of_claims_in_the_prose_exist(site) -> None:
    seen = 0
    for page in pages():
        inline = [token for token in markdown().parse(page.text) if token.children]
        for token in (child for parent in inline for child in parent.children if child.type == "code_inline"):
            if token.content.split(".")[0] in DOCUMENTS and " " not in token.content:
                assert site.contents.knows(token.content), f"{page.name}: {token.content}"
                seen += 1
            elif re.fullmatch(r"[A-Z][a-z]+[A-Za-z]*", token.content):
                assert site.links.place(token.content), f"{page.name}: nothing public is called {token.content}"
    assert seen > 30


def with_verdict(contents: Contents, claim: str, verdict: Verdict) -> Contents:
    """Return the contents as they would be, had the claim another verdict."""
    entries = tuple(
        attrs.evolve(entry, claim=attrs.evolve(entry.claim, verdict=verdict)) if entry.claim.id == claim else entry
        for entry in contents.entries
    )
    registry = Registry({entry.claim.id: entry.claim for entry in entries})
    return Contents(registry, entries, contents.titles)


def test_verdicts_are_read_from_the_registry(site) -> None:
    """Had a theorem another verdict, its page would say so without a word being changed."""

    def row(shown: Site) -> str:
        page = shown.files()["wishart.html"]
        return next(line for line in page.splitlines() if line.startswith('<tr><td><a href="#wishart.theorem-4">'))

    other = attrs.evolve(site, contents=with_verdict(site.contents, "wishart.theorem-4", Verdict.HOLDS), modules=())
    assert "<td>refuted</td>" in row(site)
    assert "<td>holds</td>" in row(other)
    assert Verdict.HOLDS in AS_PRINTED
    assert Verdict.REFUTED not in AS_PRINTED


def test_a_claim_that_changed_since_the_run_says_so(site, monkeypatch: pytest.MonkeyPatch) -> None:
    bases = [f", {basis.value}" for basis in Basis]
    assert {entry.standing for entry in site.contents.entries} <= {
        *(f"earned{basis} (accepted run)" for basis in bases),
        *(f"refutation confirmed by the accepted run{basis}" for basis in bases),
        "open (accepted run)",
        "changed since",
    }
    monkeypatch.setattr("dpmatrix.documentation.verdicts.accepted_run", dict)
    assert {entry.standing for entry in Contents.read().entries} == {"changed since"}


def first_cells(page: Page) -> set[str]:
    """Return what the first columns of the tables of a page name."""
    rows = [line for line in page.text.splitlines() if line.startswith("|") and not line.startswith("|--")]
    return {word.strip() for row in rows for word in row.split("|")[1].split(",")} | {
        row.split("|")[1].strip() for row in rows
    }


@pytest.mark.parametrize("words", [Verdict, State, Grade], ids=lambda words: words.__name__)
def test_every_word_of_a_verdict_is_explained(words) -> None:
    page = next(page for page in pages() if page.name == "verdicts")
    assert {word.value for word in words} <= first_cells(page)
    assert "probably" not in first_cells(page)


def test_table_of_documents_counts_every_claim(site, files) -> None:
    table = files["index.html"].partition("What was judged")[2].partition("</table>")[0]
    rows = [list(map(int, re.findall(r"<td>(\d+)</td>", row))) for row in table.split("<tr>")[2:]]
    assert len(rows) == len(DOCUMENTS)
    assert all(len(row) == 1 + len(GROUPS) for row in rows)
    assert all(row[0] == sum(row[1:]) > 0 for row in rows)
    assert sum(row[0] for row in rows) == len(site.contents.entries)


def test_an_unknown_table_is_refused(site) -> None:
    with pytest.raises(ValueError, match="no table 'what pleases'"):
        attrs.evolve(
            site, written=(Page("wishart", "# Wishart\n\n*The built pages show here: [[what pleases]]*\n"),), modules=()
        ).files()


def test_markdown_cannot_smuggle_html(site) -> None:
    written = (Page("wishart", "# Wishart\n\n<script>1</script> `<b>`\n\n```python\n>>> '<i>'\n```\n"),)
    text = attrs.evolve(site, written=written, modules=()).files()["wishart.html"]
    assert not re.search(r"<(script|b|i)>", text)
    assert "&lt;script&gt;" in text


def test_reference_shows_every_public_name_with_its_docstring(files) -> None:
    for name in MODULES:
        for member in public_module(name).members:
            assert f'<h3 id="{member.name}">' in files[f"{name}.html"]
            assert member.kind == "value" or member.docstring, member.name


def test_what_a_page_imports_is_in_the_reference(site) -> None:
    """Statements have pages of their own, which are made from the specification."""
    imported = {
        name for page in site.written for name in re.findall(r">>> (?:from|import) (dpmatrix[a-z_.]*)", page.text)
    }
    assert len(imported) > 10
    assert {name for name in imported if not name.startswith("dpmatrix.spec.")} <= set(MODULES)


def test_every_mechanism_that_cites_a_claim_is_in_the_reference(site) -> None:
    cited = {found.name.rpartition(".")[2] for found in implementations(["dpmatrix.mechanisms"]) if found.citations}
    public = {member.name.rpartition(".")[2] for shown in site.modules for member in shown.members}
    methods = {inner.name for shown in site.modules for member in shown.members for inner in member.members}
    assert len(cited & public) >= 15
    assert cited - public - methods <= {name for name in cited if not name[0].isupper()}


def test_a_docstring_is_taken_apart() -> None:
    def function(first: int, *, second: str = "x") -> None:
        """Do a thing with :math:`x` in it.

        Parameters
        ----------
        first, second
            Both of them,
            at length.

        Raises
        ------
        ValueError
            Never.
        """

    found = parse(function)
    assert found.prose.strip() == "Do a thing with `x` in it."
    assert [section.heading for section in found.sections] == ["Parameters", "Raises"]
    assert found.sections[0].entries == (("first, second", "Both of them,\nat length."),)
    assert signature(function) == "(first: int, *, second: str = 'x')"


def test_what_is_public_needs_a_docstring() -> None:
    with pytest.raises(LookupError, match="has no docstring"):
        parse(types.ModuleType("silent"))


def test_examples_in_docstrings_run() -> None:
    for name in MODULES:
        module = __import__(name, fromlist=["*"])
        result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
        assert result.failed == 0, name


def test_command_writes_the_pages(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["documentation", "--output", str(tmp_path / "made")])
    assert done.exit_code == 0, done.output
    assert {page.name for page in pages()} <= {path.stem for path in (tmp_path / "made").glob("*.html")}
    assert not list((tmp_path / "made").glob(".*"))


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = CliRunner().invoke(app, ["documentation", "--output", str(tmp_path / "file" / "below")])
    assert done.exit_code == 2
    assert "Error" in done.stderr


def test_every_theorem_is_shown_beside_its_statement(files) -> None:
    shown = theorems(load())
    assert len(shown) > 100
    page = files["kernel.html"]
    assert page.count("<dt>In Rocq</dt>") == len(shown)
    assert all(html.escape(one.statement) in page and one.python and one.rocq for one in shown)


DENIED = re.compile(r"none is checked by a proof assistant|no proof assistant has checked")


@pytest.mark.parametrize("name", ["README", "SECURITY", *(page.name for page in pages())])
def test_no_page_denies_that_a_proof_assistant_checks_proofs(name: str) -> None:
    file = ROOT / f"{name}.md"
    path = file if file.is_file() else ROOT / "src/dpmatrix/documentation/pages" / file.name
    assert not DENIED.search(" ".join(path.read_text(encoding="utf-8").split()))


def test_without_a_checkout_no_theorem_is_shown(tmp_path) -> None:
    assert theorems(load(), tmp_path) == []
