"""Notebooks of the five documents: their format, and what their cells say when they are run in order."""

from __future__ import annotations

import contextlib
import io
import json
import re

import pytest
from markdown_it import MarkdownIt
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.claims import Truth
from dpmatrix.commands.completion import document_names
from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.reproduction import Reproduction
from dpmatrix.experiments.targets import TARGETS
from dpmatrix.notebooks import notebook, selection, show_table
from dpmatrix.notebooks.documents import BETWEEN, NO_POINT
from dpmatrix.notebooks.releases import AGAIN, RELEASES
from dpmatrix.notebooks.selection import fields_of, questions
from dpmatrix.notebooks.showing import MOST_ROWS
from dpmatrix.notebooks.wording import plain
from dpmatrix.points.text import parse
from dpmatrix.spec import committed_standings, documents, examples, load
from dpmatrix.typesetting.prose import in_signs

DOCUMENTS = ("wishart", "analyze-gauss", "compression", "near-optimal", "sliding-window")
TRUE_AS_STATED = {"holds", "holds, proof repaired", "well posed", "executable as printed", "reproduced"}
SAYS_NOTHING = {"open", "conditional"}
MARKDOWN = MarkdownIt()


def run(*arguments):
    return CliRunner().invoke(app, ["notebook", *map(str, arguments)])


def source(cell) -> str:
    return "".join(cell["source"])


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("notebooks"), {}
    for name in DOCUMENTS:
        path = folder / f"{name}.ipynb"
        result = run(name, "--output", path)
        assert (result.exit_code, result.output) == (0, f"wrote {path}\n")
        found[name] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_file_is_nbformat_4(written, document) -> None:
    """What its schema requires: of the notebook, of each cell, and of the ids, which are unique."""
    book = written[document]
    assert set(book) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert {"name", "display_name"} <= set(book["metadata"]["kernelspec"])
    assert book["metadata"]["language_info"]["name"] == "python"
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in book["cells"]:
        common = {"cell_type", "id", "metadata", "source"}
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == common | code
        assert cell["cell_type"] in {"code", "markdown"}
        assert re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", cell["id"])
        assert isinstance(cell["metadata"], dict)
        assert all(isinstance(line, str) and "\n" not in line[:-1] for line in cell["source"])
        assert all(line.endswith("\n") for line in cell["source"][:-1])
        assert not code or (cell["execution_count"], cell["outputs"]) == (None, [])


def executed(book):
    """Run the cells in one namespace; yield each with what it printed and the namespace after it."""
    names: dict[str, object] = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(source(cell), cell["id"], "exec"), names)
            yield cell, printed.getvalue(), names


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_cell_runs_and_shows_what_the_ledger_says(written, document) -> None:
    """The verdict is that of the accepted run: false where the statement is, true where it or its repair is."""
    standings, asked, more = committed_standings(), [], []
    for cell, printed, names in executed(written[document]):
        about = cell["metadata"].get("dpmatrix", {})
        if "statement" not in about:
            more.append((about, printed, dict(names)))
            continue
        name, found = about["statement"], names["found"]
        claim, repaired = name.removesuffix("+repair"), name.endswith("+repair")
        verdict = standings[claim]["verdict"]
        assert verdict not in SAYS_NOTHING or repaired
        expected = Truth.TRUE if repaired or verdict in TRUE_AS_STATED else Truth.FALSE
        assert found.statement.name == name
        assert (found.applies, found.answer) == (Truth.TRUE, expected)
        assert about["answer"] == expected.value
        assert printed.endswith(f"{found.verdict}\n")
        assert f"{expected.value:<11} the conclusion: margin" in printed
        asked.append(name)
    assert len(set(asked)) == len(asked) > 0
    setup, *ends = more
    assert setup[:2] == ({}, "")
    assert [about for about, _, _ in ends] == [
        *([{"again": AGAIN[document][0]}] if document in AGAIN else []),
        {"release": document},
    ]
    for about, printed, names in ends:
        if "again" in about:
            assert names["again"].target == about["again"]
            assert str(names["again"].rows[0][0]) in printed
        else:
            guarantee = names["release"].guarantee
            assert (guarantee is None) == (document == "compression")
            assert names["release"].private == (document != "compression")
            assert f"guarantee: {guarantee}" in printed


@pytest.mark.parametrize("document", DOCUMENTS)
def test_each_claim_is_told_with_its_verdict_and_asked_or_not_with_a_word(written, document) -> None:
    book, standings = written[document], committed_standings()
    asked = {cell["metadata"]["dpmatrix"].get("statement") for cell in book["cells"] if cell["metadata"]}
    texts = [source(cell) for cell in book["cells"] if cell["cell_type"] == "markdown"]
    claims = [claim for claim in load() if claim.document == document]
    assert f"The {len(claims)} claims" in texts[0]
    for claim in claims:
        (text,) = (one for one in texts if one.startswith("## ") and f": `{claim.id}`\n\n**Statement" in one)
        assert f"**Verdict: {standings[claim.id]['verdict']}**" in text
        assert plain(claim.statement.says) in text
        assert (NO_POINT.format(name=claim.id) in text) == (claim.id not in asked)
        if claim.repair is not None:
            name = claim.repair.statement.name
            (text,) = (one for one in texts if one.startswith(f"**The change** (`{name}`): "))
            assert plain(claim.repair.change) in text
            assert plain(claim.repair.statement.says) in text
            assert (NO_POINT.format(name=name) in text) == (name not in asked)


def test_every_refuted_theorem_with_a_kept_counterexample_is_asked_there(written) -> None:
    names = {cell["metadata"]["dpmatrix"].get("statement") for cell in written["wishart"]["cells"] if cell["metadata"]}
    assert {"wishart.theorem-4", "wishart.theorem-4+repair", "wishart.theorem-2"} <= names
    assert {"wishart.theorem-9", "wishart.lemma-5"} & names == set(), "the kept points of these agree"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_formulas_are_closed(written, document) -> None:
    """Dollars that are not escaped come in pairs, and braces inside of formulas match."""
    shown = 0
    for cell in written[document]["cells"]:
        if cell["cell_type"] == "markdown":
            bare = re.sub(r"\\\$", "", source(cell))
            pieces = re.split(r"\$\$?", re.sub(r"`[^`]*`", "", bare))
            assert len(pieces) % 2 == 1
            shown += len(pieces) // 2
            for formula in pieces[1::2]:
                inside = re.sub(r"\\[{}]", "", formula)
                assert inside.count("{") == inside.count("}")
                assert formula.count(r"\begin{") == formula.count(r"\end{")
    assert shown > 0


def test_a_changed_cell_answers_at_the_changed_point(written) -> None:
    (cell,) = (
        cell
        for cell in written["wishart"]["cells"]
        if cell["metadata"].get("dpmatrix", {}).get("statement") == "wishart.theorem-2"
    )
    assert "epsilon=10," in source(cell)
    names: dict[str, object] = {}
    exec(source(written["wishart"]["cells"][2]), names)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(source(cell).replace("epsilon=10,", "epsilon=1,").replace("sigma=0.231", "sigma=5/2"), names)
    assert (names["found"].applies, names["found"].answer) == (Truth.TRUE, Truth.TRUE)
    assert "agrees with the statement" in printed.getvalue()


def test_points_that_do_not_show_the_verdict_are_left_out(monkeypatch) -> None:
    claim = load()["wishart.theorem-4"]
    assert [one.statement.name for one in questions(claim)] == ["wishart.theorem-4", "wishart.theorem-4+repair"]
    good = dict(examples())
    for point in ("dimension=1,records=1,epsilon=-3", "dimension=1,records=1", "records=1,no=3", "x", "["):
        monkeypatch.setattr(selection, "examples", lambda point=point: good | {"wishart.theorem-4": point})
        assert [one.statement.name for one in questions(claim)] == ["wishart.theorem-4+repair"]
    outside = "epsilon=10,delta=0.1,sensitivity=1,c=2.3,sigma=0.01"  # false there, but sigma is below c s / epsilon
    monkeypatch.setattr(selection, "examples", lambda: {"wishart.theorem-2": outside})
    assert not list(questions(load()["wishart.theorem-2"]))
    monkeypatch.setattr(selection, "examples", dict)
    assert not list(questions(claim))


def test_a_statement_that_is_open_is_not_asked() -> None:
    assert "sliding-window.conjecture-1" in examples()
    assert not list(questions(load()["sliding-window.conjecture-1"]))


@pytest.mark.parametrize(
    ("point", "fields"),
    [
        ("a=1", ["a=1"]),
        ("a=[1,2],b=(c=3,d=[[1,2],[3,4]]),e=5", ["a=[1,2]", "b=(c=3,d=[[1,2],[3,4]])", "e=5"]),
        ('a="x,[y",b=2', ['a="x,[y"', "b=2"]),
    ],
)
def test_fields_are_split_where_they_end(point, fields) -> None:
    assert fields_of(point) == fields


def test_fields_on_lines_of_their_own_are_the_same_point() -> None:
    for point in examples().values():
        assert parse(",\n    ".join(fields_of(point)), "--at") == parse(point, "--at")


def shown(text: str) -> str:
    """Return what a reader of Markdown sees of a paragraph."""
    (_, inline, _) = MARKDOWN.parse(text)
    return "".join(token.content for token in inline.children)


def test_words_are_shown_as_they_are() -> None:
    texts = {statement.says for claim in load() for statement in claim.statements().values()}
    texts |= {claim.because.split("\n\n")[0] for claim in load()}
    texts.add("a * b_c _d_ <e> [f](g) # ~~h~~ $i$ &amp; | \\j ` k")
    for text in texts:
        expected = " ".join(in_signs(" ".join(text.split())).replace("`", "").split())
        assert " ".join(shown(f"A. {plain(text)}").replace("`", "").split()) == f"A. {expected}"
        bare = re.sub(r"`[^`]*`", "", plain(text).replace("\\\\", "").replace(r"\`", ""))
        assert not re.search(r"(?<!\\)\$", bare)


def test_a_file_that_is_there_is_kept_unless_one_says_so(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "wishart.ipynb"
    mine.write_text("mine")
    refused = run("wishart")
    assert refused.exit_code == 2
    assert refused.output.startswith("InvalidParameterError: output: 'wishart.ipynb' is there already")
    assert "--overwrite" in refused.output
    assert mine.read_text() == "mine"
    assert run("wishart", "--overwrite").exit_code == 0
    assert json.loads(mine.read_text(encoding="utf-8"))["nbformat"] == 4
    assert [path.name for path in tmp_path.iterdir()] == ["wishart.ipynb"]


def test_a_link_is_not_followed(tmp_path) -> None:
    (tmp_path / "target").write_text("mine")
    link = tmp_path / "link.ipynb"
    link.symlink_to(tmp_path / "target")
    for options in ((), ("--overwrite",)):
        refused = run("wishart", "--output", link, *options)
        assert (refused.exit_code, "a symbolic link" in refused.output) == (2, True)
    dangling = tmp_path / "dangling.ipynb"
    dangling.symlink_to(tmp_path / "nothing")
    assert run("wishart", "--output", dangling).exit_code == 2
    assert (tmp_path / "target").read_text() == "mine"
    assert not (tmp_path / "nothing").exists()


def test_other_names_are_refused(tmp_path) -> None:
    assert "does not end in .ipynb" in run("wishart", "--output", tmp_path / "a.json").output
    for name in (*BETWEEN, "wishard", "nothing-like-it", ""):
        with pytest.raises(InvalidParameterError, match="none of the documents"):
            notebook(name)
    assert "did you mean wishart?" in run("wishard", "--output", tmp_path / "a.ipynb").output
    assert not list(tmp_path.iterdir())


def test_the_five_documents_are_all_documents_and_have_their_ends() -> None:
    assert set(DOCUMENTS) == set(documents()) - set(BETWEEN) == set(RELEASES)
    assert {name for name, _ in document_names("")} >= set(DOCUMENTS)
    own = {target.partition(".")[0] for target in TARGETS} - set(BETWEEN)
    assert set(AGAIN) == own, "each document that has a target has one in its notebook"
    assert {target for target, _ in AGAIN.values()} <= set(TARGETS)


def test_a_long_table_is_cut(capsys) -> None:
    rows = tuple((place, None if place else 0.5) for place in range(MOST_ROWS + 2))
    show_table(Reproduction("a.b", ("x", "y"), rows, ("one note",)))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["not private; one note", "x   y", "0   0.5"]
    assert (lines[-1], len(lines)) == ("and 2 rows more", MOST_ROWS + 3)
