"""An index has each printed unit once, and names statements that exist; a change of either side is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpmatrix.commands.line import app
from dpmatrix.commands.sentences import indexes
from dpmatrix.printed.copies import FORMS, VARIABLE, read_copies, wanted
from dpmatrix.printed.index import Index, Kind, SentencesError
from dpmatrix.printed.units import units
from dpmatrix.spec import load

TEXT = "1 Start\n\nNoise is private. We like noise.\n\nIt is large. It took 3 s."
KEYS = [unit.key for unit in units(TEXT)]
INDEX = f"""["Section 1"]
{KEYS[0]} = "heading"
{KEYS[1]} = ["wishart.theorem-4", "wishart.theorem-4/common-support"]
{KEYS[2]} = "motivation"
{KEYS[3]} = {{ unjudged = "the noise exceeds something" }}
{KEYS[4]} = {{ needs-data = "what took 3 s; the machine is not at hand" }}
"""


@pytest.fixture
def index(tmp_path: Path) -> Index:
    path = tmp_path / "sentences.toml"
    path.write_text(INDEX, encoding="utf-8")
    return Index.read(path)


def test_an_index_fits_its_document_and_no_other(index: Index) -> None:
    assert index.differences(units(TEXT)) == []
    assert index.counts()[Kind.JUDGED] == index.counts()[Kind.UNJUDGED] == 1
    assert [entry.key for entry in index.naming(lambda name: name == "wishart.theorem-4/common-support")] == [KEYS[1]]
    assert index.naming(lambda name: name == "wishart.theorem-44") == []
    assert [entry.asserts for entry in index.entries if entry.kind is Kind.NEEDS_DATA] == [
        "what took 3 s; the machine is not at hand"
    ]
    changed = index.differences(units(TEXT.replace("large", "small")))
    assert len(changed) == 2
    assert "is not in the index" in changed[0]
    assert changed[1] == f"{KEYS[3]} (Section 1) is not in the document"
    swapped = TEXT.replace("Noise is private. We like noise.", "We like noise. Noise is private.")
    assert index.differences(units(swapped)) == [f"{KEYS[1]} is out of order"]
    assert len(index.differences(units(f"{TEXT}\n\nIt is large."))) == 1, "said twice, known once"


def test_names_that_nothing_has_are_told(index: Index) -> None:
    names = {"wishart.theorem-4"}
    assert index.unknown(names) == [f"{KEYS[1]} (Section 1): there is no statement wishart.theorem-4/common-support"]
    assert index.unknown({*names, "wishart.theorem-4/common-support"}) == []


@pytest.mark.parametrize(
    "value",
    [
        *('"praise"', '"judged"', "[]", "[1]", '{ unjudged = " " }', '{ unjudged = "x", other = "y" }', "3"),
        *('"needs-data"', '{ needs-data = "" }', "{ needs-data = 3 }", '{ judged = "x" }', '{ notation = "x" }'),
    ],
)
def test_other_values_are_refused(tmp_path: Path, value: str) -> None:
    path = tmp_path / "sentences.toml"
    path.write_text(f'["Section 1"]\nab-1 = {value}\n', encoding="utf-8")
    with pytest.raises(SentencesError, match="ab-1"):
        Index.read(path)


def test_a_key_stands_once(tmp_path: Path) -> None:
    path = tmp_path / "sentences.toml"
    path.write_text('["Section 1"]\nab-1 = "heading"\n["Section 2"]\nab-1 = "heading"\n', encoding="utf-8")
    with pytest.raises(SentencesError, match="ab-1 stands twice"):
        Index.read(path)
    path.write_text("[", encoding="utf-8")
    with pytest.raises(SentencesError):
        Index.read(path)
    assert Index.read(tmp_path / "nothing.toml").entries == ()


def test_copies_are_told_apart_by_what_they_print(tmp_path: Path, index: Index) -> None:
    copies = tmp_path / "copies"
    with pytest.raises(SentencesError, match="is no folder"):
        read_copies(copies, {"wishart": index})
    copies.mkdir()
    (copies / "other.txt").write_text("Another text.", encoding="utf-8")
    with pytest.raises(SentencesError, match="no file holds most of what wishart prints"):
        read_copies(copies, {"wishart": index})
    (copies / "any name.txt").write_text(TEXT, encoding="utf-8")
    assert read_copies(copies, {"wishart": index}) == {"wishart": units(TEXT)}
    (copies / "twice.txt").write_text(TEXT, encoding="utf-8")
    with pytest.raises(SentencesError, match=r"twice\.txt holds most"):
        read_copies(copies, {"wishart": index})


def test_every_committed_index_names_statements_that_exist() -> None:
    statements = {name for claim in load() for name in claim.statements()}
    found = indexes()
    assert found
    assert [line for index in found.values() for line in index.unknown(statements)] == []


def test_the_command_says_that_it_compared_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    result = CliRunner().invoke(app, ["sentences"])
    assert result.exit_code == 0
    assert "not compared with the documents" in result.output
    assert "difference" not in result.output
    assert CliRunner().invoke(app, ["sentences", "wishart.theorem-44"]).exit_code == 2


@pytest.mark.parametrize("words", [["wishart.theorem-4"], ["--document", "wishart"]])
def test_the_command_says_which_file_it_wants(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    result = CliRunner().invoke(app, ["sentences", *words])
    assert result.exit_code == 0
    assert result.output.endswith(wanted(["wishart"]) + "\n")
    assert "the text of each of these in a .txt file of any name: wishart." in result.output
    assert "index of wishart was made of the text of an HTML page" in result.output
    assert "Markdown" not in result.output


def test_it_is_known_of_what_each_index_was_made() -> None:
    assert sorted(name for names in FORMS.values() for name in names) == sorted(indexes())


def test_the_command_refuses_a_folder_without_the_documents(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["sentences", "--documents", str(tmp_path)])
    assert result.exit_code == 2
    assert "SentencesError" in result.output
