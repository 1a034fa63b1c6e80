"""The command that judges printed noise, and its table in the report: every number is that of the library."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from typer.testing import CliRunner

import dpmatrix.__main__ as command_line
from dpmatrix.claims import Ledger
from dpmatrix.commands.constants import report_section
from dpmatrix.experiments.constants_table import constants_table
from dpmatrix.experiments.printed_noise import PRINTED, Setting, judge, margin
from dpmatrix.experiments.printed_truncation import CLAIM, SAYS, judge_truncation
from dpmatrix.reporting.html import render


def run(text: str):
    result = CliRunner().invoke(command_line.app, text.split())
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="module")
def constants() -> list[dict[str, object]]:
    return json.loads(run("constants --json").stdout)


def test_the_schema_of_the_constants(constants) -> None:
    expected = [*((noise.claim, noise.says) for noise in PRINTED), (CLAIM, SAYS)]
    assert [(row["claim"], row["says"]) for row in constants] == expected
    keys = {"claim", "says", "parameter", "adjacency", "pure", "judged", "keeps", "fails", "fails_first", "excess"}
    for row in constants:
        assert row.keys() == keys
        assert row["keeps"] + row["fails"] <= row["judged"]
        assert (row["fails"] == 0) == (row["fails_first"] is None)
        assert len(row["excess"]) == 3


def test_every_breakdown_and_excess_is_that_of_the_library(constants) -> None:
    for row, noise in zip(constants[:-1], PRINTED, strict=True):
        first = row["fails_first"]
        if first is not None:
            fails = Setting(Fraction(first["epsilon"]), Fraction(first["delta"]), first["dimension"])
            assert margin(noise, fails) < 0
            if first["kept"] is not None:
                kept = Setting(Fraction(first["kept"]), Fraction(first["delta"]), first["dimension"])
                assert not margin(noise, kept) < 0
                assert 0 < Fraction(first["epsilon"]) - Fraction(first["kept"]) <= Fraction(first["kept"]) / 100
        for shown in row["excess"]:
            setting = Setting(Fraction(shown["epsilon"]), Fraction(shown["delta"]), shown["dimension"])
            assert judge(noise, setting).excess == shown["excess"]


def test_the_loss_of_a_truncated_sketch_is_the_last_row(constants) -> None:
    """The printed bound covers the exact supremum at every setting, and wastes a factor from 1.4 to 16."""
    row = constants[-1]
    assert (row["keeps"], row["fails"], row["judged"]) == (60, 0, 60)
    for shown in row["excess"]:
        found = judge_truncation(shown["size"], Fraction(shown["correlation"]), shown["rows"])
        assert found.excess == shown["excess"]
        assert found.covers
    assert min(shown["excess"] for shown in row["excess"]) < 1.5
    assert max(shown["excess"] for shown in row["excess"]) > 10
    # Control: with the tail left out of the printed bound it does not cover.
    small = judge_truncation(2, Fraction(1, 1000), 50)
    assert small.printed / 2 < small.exact


def test_known_verdicts_of_the_constants(constants) -> None:
    """The printed Wishart scale keeps no guarantee; the classical Gaussian constant fails for large epsilon alone."""
    found = {(row["claim"], row["says"]): row for row in constants}
    wishart = next(row for (claim, _), row in found.items() if claim == "wishart.algorithm-2")
    assert wishart["keeps"] == 0
    assert wishart["fails_first"]["kept"] is None
    classical = next(row for (claim, _), row in found.items() if claim == "wishart.theorem-2")
    assert Fraction(classical["fails_first"]["epsilon"]) > 1
    laplace = next(row for (claim, _), row in found.items() if claim == "wishart.theorem-1")
    assert [shown["excess"] for shown in laplace["excess"]] == [1.0, 1.0, 1.0]


def test_the_table_of_constants_for_a_person() -> None:
    text = run("constants").stdout
    for row in constants_table():
        assert row.noise.claim in text
    assert CLAIM in text
    assert "no noise" in text
    assert "above 1 is waste" in text


def test_the_report_has_the_table_of_constants() -> None:
    """Words of the table are text in the page; without a table there is no section."""
    empty = Ledger((), {}, {}, (), {}, {})
    section = {"explanation": "<judged>", "headings": ("claim", "keeps"), "rows": [("toy.one", "1 & 2")]}
    page = render([], empty, {}, (), section)
    for part in ('<h2 id="printed-constants">', "&lt;judged&gt;", "<td>toy.one</td><td>1 &amp; 2</td>"):
        assert part in page
    assert "printed-constants" not in render([], empty, {}, ())
    found = report_section()
    assert len(found["rows"]) == len(PRINTED) + 1
    assert all(len(row) == len(found["headings"]) for row in found["rows"])
