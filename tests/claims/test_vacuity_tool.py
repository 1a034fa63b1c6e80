"""The tool that runs the evidence on emptied statements asks further items where the first ones left something open."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dpmatrix.claims import Evidence
from dpmatrix.claims.tried import Trial, Tried
from dpmatrix.reporting.trials import Trials

TOOL = Path(__file__).parents[2] / "audit" / "vacuity.py"
PROOF, CONTROL, TEST, AUDIT = (
    "proofs_checks/test_a.py::p",
    "proofs_checks/test_a.py::c",
    "tests/test_b.py::t",
    "audit/x",
)


@pytest.fixture(scope="module")
def vacuity() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vacuity_tool", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(
    vacuity: ModuleType, pieces: Sequence[tuple[str, str, str]], answers: Mapping[str, Mapping[str, Any]]
) -> tuple[Any, list[tuple[str, ...]]]:
    """Return evidence whose items answer as they are told, and the list of what was asked."""
    asked: list[tuple[str, ...]] = []

    class Told(vacuity.Evidence):  # type: ignore[misc, name-defined]  # a module loaded by its path has no types
        def run(self, nodes: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
            asked.append((*nodes, *options))
            said = [answers[node] for node in nodes]
            noticed = [[node, *one] for node, here in zip(nodes, said, strict=True) for one in here.get("evidence", ())]
            needs = {name: found for here in said for name, found in here.get("needs", {}).items()}
            return {"evidence": noticed, "needs": needs}

    return Told(1, tuple(pieces)), asked


def test_items_elsewhere_are_asked_of_a_margin_that_no_proof_noticed(vacuity: ModuleType) -> None:
    pieces = [(PROOF, "a", "supports"), (CONTROL, "b", "control"), (TEST, "a", "supports"), (AUDIT, "b", "control")]
    answers = {
        PROOF: {"evidence": [("a", "supports", False)]},
        CONTROL: {"evidence": [("b", "control", True)]},
        AUDIT: {"evidence": [("b", "control", False)]},
    }
    evidence, asked = told(vacuity, pieces, answers)
    found = evidence.tried("zero")
    first = ("--margins", "zero", "--turn", "0")
    assert asked == [(CONTROL, PROOF, *first), (AUDIT, *first)]
    assert [AUDIT, "b", "control", False] in found["evidence"]


def test_of_the_statements_of_an_item_one_is_emptied_at_a_time(vacuity: ModuleType) -> None:
    """Item p notices a and not b; that c is noticed by it need not be asked, since item c has noticed it."""
    pieces = [(PROOF, "a", "supports"), (PROOF, "b", "supports"), (PROOF, "c", "supports"), (CONTROL, "c", "control")]
    asked: list[tuple[str, ...]] = []

    class Told(vacuity.Evidence):  # type: ignore[misc, name-defined]  # a module loaded by its path has no types
        def run(self, nodes: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
            asked.append((*nodes, *options))
            said = {(PROOF, "0"): "a", (PROOF, "1"): "b", (PROOF, "2"): "c", (CONTROL, "0"): "c"}
            tried = [[node, said[node, options[-1]], "supports"] for node in nodes]
            return {"evidence": [[*one, one[1] == "b"] for one in tried], "needs": {}}

    found = Told(1, tuple(pieces)).tried("zero")
    assert asked == [
        (CONTROL, PROOF, "--margins", "zero", "--turn", "0"),
        (PROOF, "--margins", "zero", "--turn", "1"),
    ]
    assert [PROOF, "b", "supports", True] in found["evidence"]


def test_the_turn_of_a_statement_is_the_same_whichever_claims_are_tried(vacuity: ModuleType) -> None:
    """The item is about x.a as well, which comes first: y.b has the second turn, where its item empties it."""
    asked: list[tuple[str, ...]] = []

    class Told(vacuity.Evidence):  # type: ignore[misc, name-defined]  # a module loaded by its path has no types
        def run(self, nodes: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
            asked.append((*nodes, *options))
            return {"evidence": [[node, "y.b", "supports", False] for node in nodes], "needs": {}}

    pieces = ((PROOF, "x.a", "supports"), (PROOF, "y.b", "supports"), (CONTROL, "x.a", "control"))
    found = Told(1, pieces, frozenset({"y.b"})).tried("zero")
    assert asked == [(PROOF, "--margins", "zero", "--turn", "1")]
    assert found["evidence"] == [[PROOF, "y.b", "supports", False]]
    evidence = [
        Evidence.declare(PROOF, f"{target}@0", role=role, grade="derived", region="x") for _, target, role in pieces
    ]
    assert Trials("zero", hypotheses=False, turn=1).target(evidence) == "y.b"


def test_hypotheses_are_tried_where_a_statement_is_supported(vacuity: ModuleType) -> None:
    """A control in a proof meets no hypotheses: where the support stands elsewhere, that item is asked."""
    pieces = [
        (PROOF, "a", "supports"),
        (CONTROL, "b", "control"),
        (TEST, "b", "supports-repair"),
        (AUDIT, "c", "refutes"),
    ]
    answers = {
        PROOF: {"needs": {"a": {"x > 0": "needed"}}},
        CONTROL: {},
        TEST: {"needs": {"b": {"y > 0": "domain"}}},
    }
    evidence, asked = told(vacuity, pieces, answers)
    assert evidence.tried("hypotheses")["needs"] == {"a": {"x > 0": "needed"}, "b": {"y > 0": "domain"}}
    assert asked == [(CONTROL, PROOF, "--hypotheses"), (TEST, "--hypotheses")]


def test_what_was_found_is_kept_whoever_found_it(vacuity: ModuleType) -> None:
    """An item that met a statement and found nothing overrules no other; nor does a later item an earlier one."""
    pieces = [(PROOF, "a", "supports"), (TEST, "b", "supports")]
    answers = {
        PROOF: {"needs": {"a": {"x > 0": "needed"}, "b": {}}},
        TEST: {"needs": {"a": {}, "b": {"y > 0": "domain"}}},
    }
    evidence, _ = told(vacuity, [*pieces, (TEST, "c", "supports")], answers)
    assert evidence.tried("hypotheses")["needs"] == {"a": {"x > 0": "needed"}, "b": {"y > 0": "domain"}}


def test_a_part_that_is_tried_again_renews_its_own_record_alone(vacuity: ModuleType) -> None:
    """Claim b has changed and lost a step, c is new, d is no more; of a, which stands, nothing is touched."""
    old, new = Trial(("zero",), 1, {}), Trial((), 2, {})
    known = Tried({"x.a": old, "x.b": old, "x.b/step": old, "x.d": old}, {"x.a": "1", "x.b": "1", "x.d": "1"})
    now = {"x.a": "1", "x.b": "2", "x.c": "1"}
    changed = vacuity.changed_since(known, now)
    assert changed == ["x.b", "x.c"]
    tried = Tried({"x.a": new, "x.b": new, "x.c": new}, now)
    assert vacuity.renewed(known, tried, changed) == Tried({"x.a": old, "x.b": new, "x.c": new}, now)
    assert vacuity.changed_since(vacuity.renewed(known, tried, changed), now) == []
    assert vacuity.changed_since(vacuity.renewed(known, tried, ["x.b"]), now) == ["x.c"]
