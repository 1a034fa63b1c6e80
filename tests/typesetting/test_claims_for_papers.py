"""A claim in LaTeX, with what cites it, and formulas where readers look."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpmatrix.commands.line import app
from dpmatrix.spec import documents, load_with_foundations
from dpmatrix.typesetting.papers import AUTHORS, PROJECT, latex

ROOT = Path(__file__).resolve().parents[2]


def printed(name: str) -> str:
    registry = load_with_foundations(name)
    return latex(registry[name], registry.fingerprints[name], documents()[registry[name].document])


def test_the_project_is_cited_as_its_citation_file_says():
    said = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'title: "{PROJECT}"' in said
    assert f"name: {AUTHORS}" in said


def test_a_claim_has_its_repair_its_verdict_and_two_entries():
    text = printed("wishart.theorem-4")
    assert r"\[ \exp\left(-\frac{\varepsilon}{3}\right) \ge 1 \]" in text
    assert r"\paragraph{Theorem 4, repaired.}" in text
    assert "% Verdict: refuted" in text
    assert re.findall(r"^@(\w+)\{(.*),$", text, re.MULTILINE) == [
        ("misc", "dpmatrix:wishart.theorem-4"),
        ("inproceedings", "wishart"),
    ]
    assert "author = {Jiang, Wuxuan and Xie, Cong and Zhang, Zhihua}" in text
    assert "year = {2016}" in text
    assert "doi = {10.1609/aaai.v30i1.10185}" in text
    assert "eprint = {1511.05680}" in text


def test_a_lecture_has_an_entry_and_so_has_its_paper():
    text = printed("analyze-gauss.algorithm-1")
    assert re.findall(r"^@(\w+)\{(.*),$", text, re.MULTILINE)[1:] == [
        ("misc", "analyze-gauss"),
        ("inproceedings", "analyze-gauss:paper"),
    ]
    assert "that of the slides, and not that of the paper" in text
    assert "year = {2014}" in text


def test_a_document_that_nobody_published_has_its_title():
    assert printed("cross.adjacency").endswith("@misc{cross,\n  title = {{Between the documents}},\n}")


@pytest.mark.parametrize("name", ["analyze-gauss.algorithm-1", "cross.adjacency", "wishart.lemma-2"])
def test_braces_of_the_whole_are_in_pairs(name):
    text = re.sub(r"^%.*$", "", printed(name), flags=re.MULTILINE)
    assert len(re.findall(r"(?<!\\)\{", text)) == len(re.findall(r"(?<!\\)\}", text))
    assert text.count(r"\[") == text.count(r"\]") > 0


def test_a_document_whose_authors_are_no_plain_names_has_its_title_alone():
    entry = printed("analyze-gauss.algorithm-1").rpartition("@misc{analyze-gauss,")[2].partition("\n}")[0]
    assert "author" not in entry
    assert documents()["analyze-gauss"] in entry


def test_a_claim_without_formula_says_where_its_expression_is():
    assert "% It has no formula that is short enough to read" in printed("wishart.theorem-9")


@pytest.mark.parametrize("arguments", [["--latex"], ["wishart", "--latex"]])
def test_a_paper_takes_one_claim(arguments):
    done = CliRunner().invoke(app, ["claims", *arguments])
    assert done.exit_code == 2


def test_latex_goes_with_no_other_form():
    done = CliRunner().invoke(app, ["claims", "wishart.theorem-4", "--latex", "--json"])
    assert done.exit_code == 2


def test_a_terminal_shows_formulas():
    done = CliRunner().invoke(app, ["claims", "wishart.nuclear-norm-bound"])
    assert "√((v_squared + w_squared)² − 4 · inner²) ≤ 3" in done.stdout
