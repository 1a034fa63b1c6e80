"""A part of the claims is judged alone, with what it rests on, and says that it is a part."""

from __future__ import annotations

import json

import pytest

from dpmatrix.claims import Catalogue
from dpmatrix.errors import UnknownClaimError
from dpmatrix.reporting.part import Part
from dpmatrix.spec import load

WORKS = "assert statement.at(Point(7)) is Truth.TRUE"


def test_a_part_has_its_foundations() -> None:
    registry = load()
    part = Part.of(registry, ["wishart.theorem-3"])
    assert "wishart.theorem-1" in part.names, "which it uses"
    assert {claim.id for claim in part.registry(registry)} == part.names
    assert part.catalogue(Catalogue(("a", "wishart.theorem-1"), frozenset({"a"}))).ids == ("wishart.theorem-1",)
    document = Part.of(registry, ["cross"])
    assert {claim.id for claim in registry if claim.document == "cross"} < document.names
    assert part.says.startswith(f"a part: {len(part.names)} of {len(registry)} claims (wishart.theorem-3")


def test_a_word_that_stands_for_nothing_is_refused() -> None:
    with pytest.raises(UnknownClaimError, match=r"wishart\.theorem-4"):
        Part.of(load(), ["wishart.theorem-44"])


def test_a_part_is_judged_and_nothing_is_written(toy) -> None:
    """The top claim rests on two others; a failure elsewhere is not of the part, and one within it closes the gate."""
    toy.edit("proofs_checks/test_three.py", toy.item("base", "supports"), toy.item("base", "supports", check=WORKS))
    toy.stamp()
    toy.audit("--accept-standings")
    before = toy.ledger.read_bytes(), toy.standings.read_bytes()
    toy.edit("audit/test_one.py", "def test_alpha_supports", "def broken_alpha_supports")
    run = toy.audit("--claims", "toy.top", "--accept-standings")
    assert run.code == 0, run.text
    assert "3 of 3 claims have earned" in run.text
    assert "gate: open" in run.text
    assert "gate: a part: 3 of 17 claims (toy.top, and what they use); no ledger and no report is written" in run.text
    assert (toy.ledger.read_bytes(), toy.standings.read_bytes()) == before
    toy.edit("proofs_checks/test_three.py", WORKS, "assert statement.at(Point(1)) is Truth.FALSE")
    run = toy.audit("--claims", "toy.top")
    assert run.code == 1
    assert "gate: toy.base: violated: failed" in run.text


def test_a_word_that_stands_for_no_claim_is_an_error_of_usage(toy) -> None:
    toy.stamp()
    run = toy.audit("--claims", "toy.nothing")
    assert run.code == 4
    assert "toy.nothing" in run.text


def test_what_was_tried_is_written_for_the_part(toy, tmp_path) -> None:
    """With a margin of one, whatever refutes notices; what only asks for truth does not."""
    toy.stamp()
    written = tmp_path / "tried.json"
    toy.pytest("proofs_checks", "--claims", "toy.repaired", "--margins", "one", "--tried", str(written))
    tried = json.loads(written.read_text())
    still = {(target, role): passed for _, target, role, passed in tried["evidence"]}
    assert still["toy.repaired", "refutes"] is False
    assert still["toy.repaired+repair", "supports-repair"] is True, tried
    toy.pytest("proofs_checks", "--claims", "toy.repaired", "--hypotheses", "--tried", str(written))
    assert json.loads(written.read_text())["needs"]["toy.repaired+repair"] == {"x >= 0": "needed"}


def test_an_item_that_crashes_on_an_emptied_margin_has_not_noticed_it(toy, tmp_path) -> None:
    """The same look at the same point, once with an objection and once with a crash."""
    look = "def test_repaired_refutes(statement):\n    assert statement.at(Point(1)) is Truth.FALSE"
    written, before = tmp_path / "tried.json", f"{look}\n"
    for error, still in (("AssertionError", False), ("AttributeError", True)):
        check = f"{look} or exec('raise {error}')\n"
        toy.edit("proofs_checks/test_three.py", before, check)
        before = check
        toy.stamp()
        toy.pytest("proofs_checks", "--claims", "toy.repaired", "--margins", "one", "--tried", str(written))
        pieces = {(target, role): passed for _, target, role, passed in json.loads(written.read_text())["evidence"]}
        assert pieces["toy.repaired", "refutes"] is still, error
