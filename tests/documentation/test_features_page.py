"""The table of features: what can be checked of it where the other libraries are not installed."""

from __future__ import annotations

import ast
from pathlib import Path

from dpmatrix.documentation import pages
from dpmatrix.estimators import DPPCA, DPSecondMoment

FEATURES = Path(__file__).resolve().parents[2] / "audit/peers/features.py"
(PAGE,) = (page.text for page in pages() if page.name == "features")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| question")
]


def test_every_question_of_the_table_is_one_that_is_asked() -> None:
    """`make peers` asks them; here the questions are compared, and that each is asked of three libraries."""
    (probes,) = (
        node.value
        for node in ast.parse(FEATURES.read_text(encoding="utf-8")).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "PROBES"
    )
    assert isinstance(probes, ast.Dict)
    assert [row[0] for row in ROWS] == [ast.literal_eval(key) for key in probes.keys if key is not None]
    assert all(isinstance(asked, ast.Dict) and len(asked.keys) == 3 for asked in probes.values)


def test_every_cell_answers() -> None:
    for row in ROWS:
        assert len(row) == 5, row
        assert all(cell.partition(":")[0] in ("yes", "no") for cell in row[1:4]), row
        assert row[4].partition(":")[0] in ("yes", "no", "not said"), row


def test_what_others_have_and_this_library_lacks_is_there() -> None:
    lacking = [row for row in ROWS if row[1].startswith("no") and any(cell.startswith("yes") for cell in row[2:])]
    assert len(lacking) >= 8


def test_own_names_in_the_table_exist() -> None:
    own = {name for row in ROWS for name in row[1].split("`")[1::2]}
    assert {"DPSecondMoment", "PrivacyBudget", "guarantee_", "mean", "adjacency", "random_state"} <= own
    assert {"mean", "adjacency", "random_state"} <= set(DPPCA().get_params())
    assert hasattr(DPPCA, "expected_error")
    assert hasattr(DPSecondMoment, "expected_error")
    assert "whiten" not in DPPCA().get_params()
