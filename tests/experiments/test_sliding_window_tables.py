"""Tables 1 and 2 of `sliding-window`, reproduced with the verdicts on what they cite."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.experiments import sliding_window_tables as tables
from dpmatrix.spec import load
from dpmatrix.spec.sliding_window.result_table import TABLE_1


def rows(found):
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_entries_stand_beside_the_verdicts_on_their_theorems():
    found = rows(tables.result_reproduction())
    known = load().claims
    for row, number in zip(found, (3, 3, 6, 6, 7, 7, 8, 8, 15, 15), strict=True):
        name = f"sliding-window.theorem-{number}"
        expected = known[name].verdict.value if name in known else "not judged"
        assert row["verdict on the theorem"].startswith(f"{name}: {expected} (")
    # r = 10, k = 5, d = 100, eta = 1/10, epsilon = 1
    level = math.log(10**6)
    assert found[0]["printed"] == pytest.approx(100 * level**2)
    assert found[0]["of the theorem"] == pytest.approx(10 * level**2)
    assert found[1]["of the theorem"] == pytest.approx(10 * found[1]["printed"])
    assert found[8]["printed"] == pytest.approx(100 * (100 + level))
    assert found[9]["printed"] == found[9]["of the theorem"] == pytest.approx(10**7 * level)


def test_differences_are_those_of_the_claim():
    found = rows(tables.result_reproduction())
    notes = {step.name: step.note for step in TABLE_1.steps}
    for number, names in enumerate(tables.STEPS):
        for row, name in zip(found[2 * number : 2 * number + 2], names, strict=True):
            assert row["difference"] == (notes[name] or "none")
    assert [row["difference"] for row in found].count("none") == 2


def test_the_second_row_beats_the_last_in_its_own_measure():
    found = {row["row"]: row for row in rows(tables.component_reproduction())}
    assert found["this paper"]["error"] == pytest.approx(math.sqrt(5 * 10**6))
    assert found["Dwork and others"]["error"] == pytest.approx(5000)
    second = found["Dwork and others"]["in |A - AP|_F"]
    assert second == pytest.approx(math.sqrt(28 * 5 * 1000 * math.log(10**6)))
    assert second < found["this paper"]["in |A - AP|_F"]
    assert found["Hardt and Roth"]["verdict"] == "quoted, not judged"
    assert "theorem-19: refuted" in found["lower bound"]["verdict"]


@pytest.mark.parametrize(
    ("target", "verdict"),
    [("sliding-window.table-1", "verdict on the theorem"), ("sliding-window.table-2", "verdict")],
)
def test_the_command_prints_the_verdicts(tmp_path, target, verdict):
    result = CliRunner().invoke(app, ["reproduce", target, "--output", str(tmp_path)])
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / f"{target}.json").read_text())
    assert all(row[verdict] for row in record["rows"])
    assert "refuted" in result.output
    assert any("reproduced with a difference" in note for note in record["notes"])
