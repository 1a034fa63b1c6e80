"""``python -m dpmatrix trace``."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from dpmatrix.commands.line import app
from dpmatrix.spec import load


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["trace", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_claim_is_shown_with_the_expression_of_each_statement():
    shown = run("wishart.nuclear-norm-bound")
    assert "given v_squared * w_squared - inner^2 >= 0" in shown
    assert "3 - sqrt((v_squared + w_squared)^2 - 4 * inner^2) >= 0" in shown
    assert "defined where (v_squared + w_squared)^2 - 4 * inner^2 >= 0" in shown


def test_a_statement_that_is_not_traced_has_its_reason():
    assert "wishart.lemma-3: not traced: eigenvalues of an unknown matrix" in run("wishart.lemma-3")


def test_json_has_a_record_for_each_statement():
    records = json.loads(run("wishart.theorem-4", "--json"))
    repair = next(record for record in records if record["statement"] == "wishart.theorem-4+repair")
    assert repair["traced"] == "at every point"
    assert [case["fixed"] for case in repair["cases"]] == [
        {"adjacency": "replace-one"},
        {"adjacency": "add-remove-one"},
    ]
    assert repair["cases"][0]["variables"]["dimension"] == "integer"


def test_the_check_says_what_was_compared():
    assert " 0 differ" in run("wishart.nuclear-norm-bound", "--check")


def test_statements_are_counted_by_document_and_by_role_and_reasons_by_their_number(monkeypatch):
    claims = [load()[name] for name in ("wishart.lemma-3", "wishart.nuclear-norm-bound", "near-optimal.lemma-10")]
    monkeypatch.setattr("dpmatrix.commands.trace.load", lambda: claims)
    count = sum(len(claim.statements()) for claim in claims)
    lines = run().splitlines()
    assert sum(line.startswith("│ all ") and line.rstrip("│ ").endswith(f" {count}") for line in lines) == 2
    assert any("eigenvalues of an unknown matrix" in line for line in lines)
