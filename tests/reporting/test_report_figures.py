"""Reproduced figures in the report: shown where they were made, with the command that makes them again."""

from __future__ import annotations

import base64
import json
import re

import pytest

from dpmatrix.claims import Ledger
from dpmatrix.reporting.figures import MOST_BYTES, MOST_ROWS, reproduced
from dpmatrix.reporting.html import render

DRAWING = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


def record(rows: int, **changes) -> str:
    cells = [{"method": f"<b>{row}</b>", "cost": row / 3} for row in range(rows)]
    return json.dumps({"seed": 7, "notes": ["ten draws"], "rows": cells} | changes)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "toy.figure.json").write_text(record(2))
    (tmp_path / "toy.figure.svg").write_text(DRAWING)
    (tmp_path / "toy.table.json").write_text(record(2))
    (tmp_path / "toy.long.json").write_text(record(MOST_ROWS + 1))
    (tmp_path / "toy.large.json").write_text(record(2))
    (tmp_path / "toy.large.svg").write_text(DRAWING + " " * MOST_BYTES)
    return tmp_path


def test_what_was_made_is_read(folder) -> None:
    figure, table, long, large, absent = reproduced(
        ["toy.figure", "toy.table", "toy.long", "toy.large", "toy.absent"], folder
    )
    assert figure.drawing is not None
    assert base64.b64decode(figure.drawing.removeprefix("data:image/svg+xml;base64,")).decode() == DRAWING
    assert (figure.command, figure.rows) == ("python -m dpmatrix reproduce toy.figure --seed 7", ())
    assert (table.columns, table.rows) == (("method", "cost"), (("<b>0</b>", "0"), ("<b>1</b>", "0.3333")))
    assert table.drawing is None
    assert (long.rows, long.notes) == ((), ("ten draws",))
    assert large.drawing is None
    assert len(large.rows) == 2
    assert (absent.seed, absent.command) == (None, "python -m dpmatrix reproduce toy.absent")


def test_the_command_has_the_parameters_of_a_reader(tmp_path) -> None:
    chosen = {
        "parameters": {"n": [10, 20], "epsilons": [0.1, 1.0], "deltas": [0.01]},
        "own_parameters": ["n", "epsilons"],
        "own_data": {"file": "my records.csv", "rank": 3, "header": True},
    }
    (tmp_path / "toy.figure.json").write_text(record(2, **chosen))
    (figure,) = reproduced(["toy.figure"], tmp_path)
    options = "--n 10,20 --epsilons 0.1,1.0 --data 'my records.csv' --rank 3 --header"
    assert figure.command == f"python -m dpmatrix reproduce toy.figure --seed 7 {options}"
    for same in ({**chosen, "own_parameters": [], "own_data": None}, {"parameters": {}}):
        (tmp_path / "toy.figure.json").write_text(record(2, **same))
        assert reproduced(["toy.figure"], tmp_path)[0].command == "python -m dpmatrix reproduce toy.figure --seed 7"


@pytest.mark.parametrize("broken", ["{", "[]", '{"seed": 1, "notes": [], "rows": 3}', json.dumps({"seed": 1})])
def test_a_broken_record_is_refused(tmp_path, broken) -> None:
    (tmp_path / "toy.figure.json").write_text(broken)
    with pytest.raises(ValueError, match=r"toy\.figure\.json is not the record of a reproduction; make it"):
        reproduced(["toy.figure"], tmp_path)


def test_the_report_shows_figures_and_runs_nothing_of_them(folder) -> None:
    shown = reproduced(["toy.figure", "toy.table", "toy.absent"], folder)
    empty = Ledger((), {}, {}, (), {})
    page = render([], empty, {}, (), figures=shown)
    assert page.count("<img") == 1
    assert "alert(1)" not in page
    assert "&lt;b&gt;0&lt;/b&gt;" in page
    for figure in shown:
        assert figure.command in page
    assert 'alt="Reproduction of toy.figure: ten draws"' in page
    assert 'id="figures"' not in render([], empty, {}, ())


def test_a_policy_that_forbids_outside_images_lets_these_through(folder) -> None:
    page = render([], Ledger((), {}, {}, (), {}), {}, (), figures=reproduced(["toy.figure"], folder))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert {"default-src 'none'", "img-src data:"} <= {part.strip() for part in policy.split(";")}
