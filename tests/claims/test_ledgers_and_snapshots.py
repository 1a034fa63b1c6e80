"""Ledgers, snapshots and descriptions: read back as written, whole or not at all, and never staler than they say."""

from __future__ import annotations

import json

import attrs
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dpmatrix.claims import (
    AuditRecord,
    AuditVerdict,
    Catalogue,
    Citation,
    Claim,
    Evidence,
    Grade,
    Implementation,
    Kind,
    Ledger,
    Locator,
    Outcome,
    Registry,
    Role,
    Standing,
    State,
    Statement,
    Verdict,
    describe,
    snapshot,
    violations,
)
from dpmatrix.claims.evidence import Bound
from dpmatrix.claims.ledger import dump
from dpmatrix.claims.snapshots import Piece, read_snapshot


def zero(p):
    return arb(0)


CLAIM = Claim("toy.claim", Kind.LEMMA, Locator("toy", "Lemma 1", "x"), Statement("so", zero), Verdict.HOLDS, "why")
REGISTRY = Registry.of([CLAIM])
ITEM = Evidence("file.py::test", Citation.parse("toy.claim@12"), Role.CONTROL, Grade.NUMERIC, "x", Outcome.PASSED, 0.5)
LEDGER = Ledger(
    (ITEM,),
    {"toy.claim": Standing(State.EARNED)},
    REGISTRY.fingerprints,
    ("a",),
    {"python": "3"},
    {"toy.claim": "holds"},
)

texts = st.dictionaries(st.text(), st.text(), max_size=3)
numbers = st.none() | st.floats(0, 9)
audits = st.builds(
    AuditRecord, st.text(), st.text(), st.sampled_from(AuditVerdict), st.text(), numbers, numbers, st.text(), st.text()
)
BOUND = attrs.evolve(ITEM, role=Role.SUPPORTS, bound=Bound.POINTS)
ledgers = st.builds(
    Ledger,
    evidence=st.lists(st.sampled_from([ITEM, attrs.evolve(ITEM, outcome=None), BOUND])).map(tuple),
    standings=st.dictionaries(
        st.text(), st.builds(Standing, st.sampled_from(State), st.lists(st.text(), max_size=3).map(tuple)), max_size=3
    ),
    fingerprints=texts,
    violations=st.lists(st.text(), max_size=3).map(tuple),
    environment=texts,
    verdicts=texts,
    audits=st.lists(audits, max_size=2).map(tuple),
)


@given(ledgers)
def test_ledgers_are_read_back(ledger: Ledger) -> None:
    assert Ledger.from_json(json.loads(dump(ledger.to_json()))) == ledger


def test_dumps_do_not_depend_on_order() -> None:
    assert dump({"b": 1, "a": "é"}) == dump({"a": "é", "b": 1}) == '{\n "a": "é",\n "b": 1\n}\n'


def test_snapshots_hold_verdict_standing_fingerprint_and_what_passed() -> None:
    failed = attrs.evolve(ITEM, node="file.py::test_other", outcome=Outcome.FAILED)
    assert snapshot(REGISTRY, LEDGER.standings, (ITEM, failed)) == {
        "toy.claim": {
            "verdict": "holds",
            "standing": "earned",
            "fingerprint": REGISTRY.fingerprints["toy.claim"],
            "evidence": {"file.py::test": ["control numeric toy.claim: x"]},
        }
    }


@pytest.mark.parametrize("bound", [None, *Bound])
def test_a_snapshot_keeps_how_a_formula_is_bound_and_takes_it_for_the_same_piece(bound) -> None:
    """In a region, the words of a binding are words of its author."""
    item = attrs.evolve(ITEM, role=Role.SUPPORTS, region="x (at points): y", bound=bound)
    kept = snapshot(REGISTRY, LEDGER.standings, [item])
    (read,) = read_snapshot(dump(kept), "it")["toy.claim"].items()
    assert read.bound is bound
    assert read.region == item.region
    assert Piece.of(read) == Piece.of(attrs.evolve(item, bound=None))


@pytest.mark.parametrize(
    ("then", "now", "objects"),
    [
        (Bound.EXPRESSION, Bound.POINTS, True),
        (Bound.POINTS, Bound.NOTHING, True),
        (Bound.POINTS, Bound.EXPRESSION, False),
        (Bound.NOTHING, Bound.NOTHING, False),
        (None, Bound.NOTHING, False),
        (Bound.EXPRESSION, None, False),
    ],
)
def test_the_gate_closes_where_a_formula_is_bound_less_tightly(then, now, objects) -> None:
    """Of an item without a binding now the gate says anyway that it did not pass."""
    item = attrs.evolve(ITEM, role=Role.SUPPORTS, bound=then)
    kept = snapshot(REGISTRY, LEDGER.standings, [item])
    here = [attrs.evolve(item, bound=now)]
    found = violations(REGISTRY, Catalogue(("toy.claim",), frozenset()), here, (), LEDGER.standings, kept)
    told = [one for one in found if "its formula was bound to toy.claim" in one]
    assert bool(told) is objects
    assert all(f"{then.value}, now {now.value}" in one for one in told)


def test_a_description_carries_the_standing_of_a_run_of_this_very_claim() -> None:
    code = [Implementation("toy.Code", (Citation.parse("toy.claim"),)), Implementation("toy.Other", ())]
    (described,) = describe(REGISTRY, LEDGER, code)
    assert described["standing"] == "earned"
    assert described["implementations"] == ["toy.Code"]
    assert [item["node"] for item in described["evidence"]] == ["file.py::test"]
    json.dumps(described)


@pytest.mark.parametrize(
    "claim",
    [
        attrs.evolve(CLAIM, verdict=Verdict.REFUTED),
        attrs.evolve(CLAIM, reading="another"),
        attrs.evolve(CLAIM, statement=Statement("so", zero, strict=True)),
    ],
    ids=["verdict", "reading", "statement"],
)
def test_a_run_says_nothing_of_a_claim_that_changed_since(claim) -> None:
    (described,) = describe(Registry.of([claim]), LEDGER, ())
    assert described["standing"] is None
    assert described["reasons"] == []


def test_without_a_run_nothing_is_known() -> None:
    (described,) = describe(REGISTRY, None, ())
    assert (described["standing"], described["standing_from"], described["evidence"]) == (None, None, [])


def test_registries_refuse_two_claims_with_one_id() -> None:
    assert len(Registry.of([CLAIM, CLAIM])) == 1, "one claim found under two names"
    with pytest.raises(ValueError, match=r"two claims have the id 'toy\.claim'"):
        Registry.of([CLAIM, attrs.evolve(CLAIM, verdict=Verdict.REFUTED)])


def test_registries_know_their_statements_and_fingerprints() -> None:
    current = REGISTRY.fingerprints["toy.claim"]
    assert REGISTRY.knows(Citation.parse("toy.claim"))
    assert not REGISTRY.knows(Citation.parse("toy.claim+repair"))
    assert not REGISTRY.knows(Citation.parse("toy.claim/step"))
    assert not REGISTRY.knows(Citation.parse("toy.other"))
    assert REGISTRY.current(Citation.parse(f"toy.claim@{current}"))
    assert not REGISTRY.current(Citation.parse("toy.claim@0"))
    assert not REGISTRY.current(Citation.parse("toy.claim"))


def test_a_ledger_from_before_the_audits_is_read() -> None:
    record = LEDGER.to_json()
    del record["audits"]
    assert Ledger.from_json(record) == LEDGER
