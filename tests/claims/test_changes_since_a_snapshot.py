"""What changed since a snapshot: every difference is named, equal things are not; what is no snapshot is refused."""

from __future__ import annotations

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpmatrix.claims import (
    Citation,
    Evidence,
    Grade,
    Ledger,
    Origin,
    Outcome,
    Role,
    Standing,
    State,
    changes,
    read_snapshot,
)
from dpmatrix.claims.ledger import dump
from dpmatrix.claims.snapshots import Piece, Recorded, record_run
from dpmatrix.errors import DpmatrixError, SnapshotError

ORIGIN = Origin("spec/standings.json", "0123456789abcdef", "2026-01-02T03:04:05+00:00")


def item(node: str, target: str = "toy.a", role=Role.SUPPORTS, grade=Grade.SYMBOLIC, region="all d") -> Evidence:
    return Evidence(f"test_x.py::{node}", Citation.parse(f"{target}@aa"), role, grade, region, Outcome.PASSED, 1.0)


ITEMS = (item("one"), item("two", "toy.a+repair", Role.SUPPORTS_REPAIR), item("one", "toy.b/step", Role.CONTROL))
RUN = Ledger(
    ITEMS,
    {"toy.a": Standing(State.EARNED), "toy.b": Standing(State.OPEN)},
    {"toy.a": "aa", "toy.b": "aa"},
    (),
    {},
    {"toy.a": "holds", "toy.b": "open"},
)


def accepted(run: Ledger = RUN) -> dict[str, Recorded]:
    """Write and read the snapshot of a run."""
    entries = record_run(run.verdicts, run.standings, run.fingerprints, run.evidence)
    text = dump({claim: entry.to_json() for claim, entry in entries.items()})
    assert read_snapshot(text, "x") == entries
    return read_snapshot(text, "x")


def compare(now: Ledger, before: dict[str, Recorded] | None = None):
    return changes(now, accepted() if before is None else before, ORIGIN)


def only(now: Ledger):
    """Return the one claim that changed."""
    (change,) = compare(now).changed
    json.dumps(compare(now).to_json())
    return change


def test_nothing_changed() -> None:
    found = compare(RUN)
    assert found.nothing
    assert found.unknown == ()
    assert found.to_json() == {
        "since": attrs.asdict(ORIGIN),
        "nothing": True,
        "evidence_unknown": [],
        "new": {},
        "gone": {},
        "changed": [],
        "outdated": [],
    }


def test_seconds_details_and_order_are_no_change() -> None:
    other = tuple(attrs.evolve(each, seconds=9.0, detail="so") for each in reversed(ITEMS))
    assert compare(attrs.evolve(RUN, evidence=other)).nothing


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"verdicts": {"toy.a": "refuted", "toy.b": "open"}}, {"verdict": ("holds", "refuted")}),
        (
            {"standings": {"toy.a": Standing(State.VIOLATED), "toy.b": Standing(State.OPEN)}},
            {"standing": ("earned", "violated")},
        ),
        ({"fingerprints": {"toy.a": "bb", "toy.b": "aa"}}, {"fingerprint": ("aa", "bb")}),
    ],
    ids=["verdict", "standing", "fingerprint"],
)
def test_what_a_claim_says_of_itself(changed, fields) -> None:
    change = only(attrs.evolve(RUN, **changed))
    assert (change.claim, change.fields) == ("toy.a", fields)
    assert (change.gained, change.lost, change.altered) == ((), (), ())


def test_evidence_gained() -> None:
    change = only(attrs.evolve(RUN, evidence=(*ITEMS, item("three"))))
    assert change.fields == {"evidence": ("2", "3")}
    assert [piece.node for piece in change.gained] == ["test_x.py::three"]
    assert (change.lost, change.altered) == ((), ())


def test_evidence_lost() -> None:
    change = only(attrs.evolve(RUN, evidence=ITEMS[1:]))
    assert change.fields == {"evidence": ("2", "1")}
    assert [(lost.piece.node, lost.outcome) for lost in change.lost] == [("test_x.py::one", "gone")]


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.SKIPPED, Outcome.UNBOUND])
def test_evidence_that_no_longer_passes_is_lost_and_says_how(outcome) -> None:
    change = only(attrs.evolve(RUN, evidence=(attrs.evolve(ITEMS[0], outcome=outcome), *ITEMS[1:])))
    assert [(lost.piece.node, lost.outcome) for lost in change.lost] == [("test_x.py::one", outcome.value)]


@pytest.mark.parametrize("altered", [{"grade": Grade.INTERVAL}, {"region": "d <= 3"}], ids=["grade", "region"])
def test_grade_and_region_of_the_same_item(altered) -> None:
    """As many pieces as before, and still a change."""
    change = only(attrs.evolve(RUN, evidence=(attrs.evolve(ITEMS[0], **altered), *ITEMS[1:])))
    assert change.fields == {}
    (pair,) = change.altered
    assert pair.before == Piece.of(ITEMS[0])
    assert pair.now == Piece.of(attrs.evolve(ITEMS[0], **altered))
    assert (change.gained, change.lost) == ((), ())


def test_another_role_is_another_piece() -> None:
    change = only(attrs.evolve(RUN, evidence=(attrs.evolve(ITEMS[0], role=Role.REFUTES), *ITEMS[1:])))
    assert [piece.role for piece in change.gained] == ["refutes"]
    assert [lost.piece.role for lost in change.lost] == ["supports"]


def test_new_claims_and_claims_that_are_gone() -> None:
    less = attrs.evolve(RUN, verdicts={"toy.a": "holds"}, evidence=ITEMS[:2])
    found = compare(RUN, accepted(less))
    assert list(found.new) == ["toy.b"]
    assert not found.nothing
    assert found.to_json()["new"]["toy.b"]["standing"] == "open"
    found = compare(less)
    assert list(found.gone) == ["toy.b"]
    assert found.gone["toy.b"].evidence is not None
    assert len(found.gone["toy.b"].evidence) == 1


def test_evidence_that_was_written_for_another_text() -> None:
    """Here the snapshot agrees with the run, and the stamps of the evidence with neither."""
    now = attrs.evolve(RUN, fingerprints={"toy.a": "cc", "toy.b": "aa"})
    found = compare(now, accepted(now))
    assert found.changed == ()
    assert not found.nothing
    assert [(each.piece.target, each.stamped, each.now) for each in found.outdated] == [
        ("toy.a", "aa", "cc"),
        ("toy.a+repair", "aa", "cc"),
    ]


def test_an_older_snapshot_says_nothing_of_evidence_and_the_answer_says_so() -> None:
    old = {claim: attrs.evolve(entry, evidence=None) for claim, entry in accepted().items()}
    found = compare(attrs.evolve(RUN, evidence=ITEMS[:1]), old)
    assert found.unknown == ("toy.a", "toy.b")
    assert found.changed == ()
    assert compare(attrs.evolve(RUN, verdicts={"toy.a": "refuted", "toy.b": "open"}), old).changed[0].fields


def test_without_a_snapshot_nothing_is_compared() -> None:
    found = changes(RUN, {}, Origin("x", problem="there is none"))
    assert not found.nothing
    assert (found.new, found.gone, found.changed) == ({}, {}, ())


WORDS = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(WORDS, st.sampled_from(["toy.a", "toy.a+repair", "toy.a/step-1"]), WORDS), max_size=5))
def test_any_region_and_any_name_are_read_back(found) -> None:
    pieces = tuple(sorted(Piece(node, target, "control", "numeric", region) for node, target, region in found))
    entry = Recorded("holds", "earned", "aa", pieces)
    assert read_snapshot(json.dumps({"toy.a": entry.to_json()}), "x") == {"toy.a": entry}
    assert all(piece.claim == "toy.a" for piece in pieces)


GOOD = {"verdict": "holds", "standing": "earned", "fingerprint": "aa"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        '{"toy.a": null}',
        '{"toy.a": {}}',
        json.dumps({"toy.a": {"verdict": "holds", "standing": "earned"}}),
        json.dumps({"toy.a": GOOD | {"standing": 3}}),
        json.dumps({"toy.a": GOOD | {"evidence": ["x"]}}),
        json.dumps({"toy.a": GOOD | {"evidence": {"test_x.py::one": "supports"}}}),
        json.dumps({"toy.a": GOOD | {"evidence": {"test_x.py::one": ["supports symbolic"]}}}),
        json.dumps({"toy.a": GOOD | {"evidence": {"test_x.py::one": [3]}}}),
        json.dumps(RUN.to_json()),
    ],
)
def test_what_is_no_snapshot_is_refused(text) -> None:
    with pytest.raises(SnapshotError, match=r"that\.json is not a snapshot of standings") as raised:
        read_snapshot(text, "that.json")
    assert isinstance(raised.value, DpmatrixError)
