"""A project for a document of one's own: its verdict is earned, and whatever breaks it closes the gate."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import attrs
import pytest
from typer.testing import CliRunner

import dpmatrix.new_document
from dpmatrix.commands.line import app
from dpmatrix.new_document.projects import FILES, name_of, requirement
from tests.reporting.toy import environment
from tests.warm import runs

EVIDENCE = "audit/test_theorem_1.py"
CONTROL = '@theorem_1.controls(grade="interval", region="epsilon = 1")\n'
READER = """from dpmatrix.exact import ball

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dpmatrix.exact import Real
"""


@attrs.frozen
class Project:
    """A project in a folder of its own."""

    root: Path

    def audit(self, *arguments: str) -> tuple[int, str, list[str]]:
        """Return the exit code of the gate, what was printed, and the gate's objections."""
        done = runs().run(["-m", "pytest", "audit", *arguments], cwd=self.root, env=environment(), timeout=120)
        text = done.stdout + done.stderr
        lines = [line for line in text.splitlines() if line.startswith("gate: ")]
        return done.returncode, text, [line for line in lines if line[6:] != "open" and "CLOSED" not in line]

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace a piece of text that stands in a file once."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, (file, old)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def restamp(self) -> None:
        """Say that the evidence was read again."""
        done = CliRunner().invoke(app, ["restamp", "all", "--root", str(self.root), "--specification", "statements"])
        assert done.exit_code == 0, done.output


def made(folder: Path, *options: str):
    return CliRunner().invoke(app, ["new-document", str(folder), *options])


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """Make a project and accept its first run."""
    folder = tmp_path_factory.mktemp("made") / "coins"
    done = made(folder, "--title", "A lecture <on> coins")
    assert done.exit_code == 0, done.output
    code, text, objections = Project(folder).audit("--accept-standings")
    assert (code, objections) == (0, []), text
    return folder


@pytest.fixture
def project(template, tmp_path) -> Project:
    """Copy the project, to be broken."""
    return Project(Path(shutil.copytree(template, tmp_path / "coins")))


def test_the_command_says_what_to_write_for_a_package_that_no_index_has(tmp_path):
    folder = tmp_path / "coins"
    told = made(folder).stdout.splitlines()
    (named,) = [
        line for line in (folder / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")
    ]
    assert named == requirement() == f"dpmatrix[audit]=={dpmatrix.__version__}"
    assert told[1:] == [
        f"requirements.txt names {named}, which is in no package index yet;",
        "before you install from it, write the path of a checkout or a wheel of dpmatrix there instead: PATH[audit]",
        "the workflow installs from it as well, and needs a path within the project",
    ]


def test_the_first_run_earns_the_verdict_and_asks_for_acceptance(tmp_path):
    folder = tmp_path / "coins"
    assert made(folder).exit_code == 0
    code, text, objections = Project(folder).audit()
    assert code == 1
    assert "1 of 1 claims have earned their verdict (1 by a written proof)" in text
    assert len(objections) == 1
    assert "the committed snapshot has None" in objections[0]


def test_an_accepted_project_is_open_and_has_the_same_report(project):
    code, text, objections = project.audit()
    assert (code, objections) == (0, []), text
    assert "gate: open" in text
    page = (project.root / "build/audit/report.html").read_text(encoding="utf-8")
    assert "A lecture &lt;on&gt; coins" in page
    assert 'id="coins.theorem-1"' in page
    ledger = json.loads((project.root / "build/audit/ledger.json").read_text(encoding="utf-8"))
    (claim,) = ledger["claims"]
    assert (claim["verdict"], claim["standing"]) == ("holds", "earned")


def test_the_report_shows_the_statement_in_symbols(project):
    project.audit()
    page = (project.root / "build/audit/report.html").read_text(encoding="utf-8")
    shown = page.partition("In symbols, as it is computed")[2].partition("</dd>")[0]
    assert "<mi>log</mi>" in shown
    assert "<mo>≤</mo><mrow><mi>ε</mi></mrow>" in shown


@pytest.mark.parametrize(
    ("file", "old", "new", "objection"),
    [
        ("statements.py", "ball(point.epsilon) / 6", "ball(point.epsilon) / 4", "fingerprint"),
        (EVIDENCE, CONTROL, "", "no control"),
        (EVIDENCE, "assert certify(statement, WHOLE).answer is Truth.TRUE", "assert True", "slope"),
        ("catalogue.toml", '"theorem-1"', '"theorem-1", "theorem-2"', "coins.theorem-2"),
        ("catalogue.toml", '"theorem-1"', "", "coins.theorem-1"),
        ("statements.py", "Verdict.HOLDS", "Verdict.REFUTED", "coins.theorem-1"),
    ],
)
def test_what_breaks_the_project_closes_the_gate(project, file, old, new, objection):
    project.edit(file, old, new)
    code, text, objections = project.audit()
    assert code == 1, text
    assert "gate: CLOSED" in text
    assert any(objection in line for line in objections), objections


def test_a_false_theorem_stays_shut_when_its_evidence_was_stamped_and_accepted(project):
    project.edit("statements.py", "ball(point.epsilon) / 6", "ball(point.epsilon) / 4")
    project.restamp()
    code, text, objections = project.audit("--accept-standings")
    assert code == 1, text
    assert any("test_the_loss_is_at_most_epsilon: evidence was failed" in line for line in objections)
    assert "0 of 1 claims have earned their verdict" in text


def test_a_statement_that_does_not_run_on_symbols_is_reported_in_words_alone(project):
    """Types that are imported for a type checker alone are unknown to the tracer."""
    project.edit("statements.py", "from dpmatrix.exact import Real, ball\n", READER)
    project.restamp()
    code, text, objections = project.audit("--accept-standings")
    assert (code, objections) == (0, []), text
    page = (project.root / "build/audit/report.html").read_text(encoding="utf-8")
    assert 'id="coins.theorem-1"' in page
    assert "<math" not in page


def test_restamping_needs_the_module_of_the_claims(project):
    words = ["restamp", "all", "--root", str(project.root), "--specification"]
    assert CliRunner().invoke(app, [*words, "elsewhere"]).exit_code == 2
    assert CliRunner().invoke(app, ["restamp", "coins.theorem-2", *words[2:], "statements"]).exit_code == 2


def test_restamping_says_where_nothing_cites_the_claims_and_where_all_is_stamped(project):
    """Without the module of the claims these are the library's, which no project of one's own cites."""
    words = ["restamp", "all", "--root", str(project.root)]
    library = CliRunner().invoke(app, words)
    assert library.exit_code == 2
    assert "nothing in src, audit, tests, proofs_checks of" in library.output
    assert "in a project of your own pass --specification MODULE" in library.output
    own = [*words, "--specification", "statements"]
    stamped = CliRunner().invoke(app, own)
    assert stamped.exit_code == 0, stamped.output
    assert stamped.output == "nothing to write; citations that have the present fingerprint: 1\n"
    shutil.rmtree(project.root / "audit")
    empty = CliRunner().invoke(app, own)
    assert empty.exit_code == 2
    assert "cites these claims; pass --root" in empty.output


@pytest.mark.parametrize(
    "options",
    [
        ["--name", "Coins"],
        ["--name", "a"],
        ["--name", "a.b"],
        ["--title", 'a "b"'],
        ["--title", "a\nb"],
        ["--title", " "],
    ],
)
def test_names_that_cannot_be_used_are_refused_and_nothing_is_written(tmp_path, options):
    done = made(tmp_path / "coins", *options)
    assert done.exit_code == 2
    assert not (tmp_path / "coins").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("kept")
    assert made(tmp_path, "--name", "coins").exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(("folder", "name"), [("Coin Lecture 2", "coin-lecture"), ("wishart", "wishart")])
def test_a_document_is_called_as_its_folder(tmp_path, folder, name):
    assert name_of(tmp_path / folder) == name


def test_every_shipped_file_is_written():
    folder = Path(dpmatrix.new_document.__file__).parent / "files"
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.txt")} == set(FILES.values())
