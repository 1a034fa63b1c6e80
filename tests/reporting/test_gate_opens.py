"""The gate opens on a project in good order, and only the whole run is the gate."""

from __future__ import annotations

import json

import pytest

from dpmatrix.claims import read_snapshot


@pytest.mark.parametrize("parallel", [(), ("-n", "2")], ids=["one-process", "two-workers"])
def test_a_project_in_good_order_passes(stamped, parallel) -> None:
    run = stamped.audit(*parallel)
    assert run.code == 0, run.text
    assert "gate: open" in run.text
    earned = "16 of 17 claims have earned their verdict (14 by machine, 2 by samples), on 34 pieces of evidence"
    assert f"{earned} from 34 test items" in run.text
    record = json.loads(stamped.ledger.read_text())
    standings = {claim: entry["standing"] for claim, entry in record["standings"].items()}
    assert standings.pop("toy.question") == "open"
    assert set(standings.values()) == {"earned"}
    assert record["violations"] == []
    assert (stamped.ledger.parent / "report.html").exists()
    bound = {item["role"]: item["bound"] for item in record["evidence"]}
    assert bound == {"supports": "to no formula", "supports-repair": "to no formula", "refutes": None, "control": None}
    kept = [piece for entry in read_snapshot(stamped.standings.read_text(), "it").values() for piece in entry.items()]
    assert {item.role.value: item.bound and item.bound.value for item in kept} == bound


def test_a_formula_that_is_bound_less_tightly_closes_the_gate(stamped) -> None:
    """The item is the same, and its checks are fewer."""
    loose = "assert certify(statement, BOX).answer is Truth.TRUE"
    stamped.add(
        "audit/test_one.py",
        stamped.item(
            "alpha",
            "supports",
            "symbolic",
            name="bound",
            check=f"bind(statement, [(Point(x), x + 1) for x in range(20)])\n    {loose}",
        ),
    )
    stamped.stamp()
    accepted = stamped.audit("--accept-standings")
    assert accepted.code == 0, accepted.text
    stamped.edit(
        "audit/test_one.py", "bind(statement, [(Point(x), x + 1) for x in range(20)])", "statement.at(Point(1))"
    )
    told = "test_bound: its formula was bound to toy.alpha at points, now to no formula"
    stamped.audit().objects_to(told)


def test_ordinary_tests_of_other_folders_are_not_part_of_the_gate(stamped) -> None:
    stamped.add("tests/test_two.py", "\n\ndef test_that_fails():\n    assert False\n")
    run = stamped.audit()
    assert run.code == 0, run.text
    assert "2 deselected" in run.text


def test_a_failing_ordinary_test_of_the_audit_fails_the_run(stamped) -> None:
    stamped.add("audit/test_one.py", "\n\ndef test_that_fails():\n    assert False\n")
    run = stamped.audit()
    assert run.code == 1, run.text
    assert "gate: open" in run.text


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit/test_one.py",),
        ("audit/test_one.py::test_alpha_supports",),
        ("tests", "proofs_checks"),
        ("audit", "--co"),
    ],
    ids=["one-file", "one-item", "other-folders", "collection"],
)
def test_a_partial_run_does_not_claim_to_be_the_gate(stamped, arguments) -> None:
    before = stamped.standings.read_bytes()
    run = stamped.pytest(*arguments, "--accept-standings")
    assert run.code == 0, run.text
    assert "gate: not asked" in run.text
    assert "gate: open" not in run.text
    assert not stamped.ledger.exists()
    assert stamped.standings.read_bytes() == before


def test_assertions_cannot_be_switched_off(stamped) -> None:
    run = stamped.audit("-W", "ignore", python=["-O"])
    assert run.code == 4, run.text
    assert "drops assertions" in run.text


def test_asking_for_the_gate_in_other_words(stamped) -> None:
    run = stamped.pytest("./tests/../audit/", "tests")
    assert run.code == 0, run.text
    assert "gate: open" in run.text
    assert "on 34 pieces of evidence from 34 test items" in run.text


def report(toy) -> dict:
    """Return what the last run wrote beside its page."""
    return json.loads(toy.ledger.with_name("report.json").read_text())


def test_the_report_of_a_run_says_what_changed_since_the_snapshot(stamped) -> None:
    """Evidence that is lost closes the gate where the rest carries the verdict as well; the report names it."""
    assert stamped.audit().code == 0
    assert report(stamped)["changes"]["nothing"] is True
    record = json.loads(stamped.standings.read_text())
    record["toy.alpha"]["evidence"]["audit/test_one.py::test_dropped"] = ["supports symbolic toy.alpha: x < 3"]
    stamped.standings.write_text(json.dumps(record))
    run = stamped.audit()
    run.objects_to("audit/test_one.py::test_dropped: the committed snapshot has its evidence")
    (changed,) = report(stamped)["changes"]["changed"]
    assert changed["claim"] == "toy.alpha"
    assert changed["fields"] == {"evidence": ["3", "2"]}
    assert [lost["piece"]["node"] for lost in changed["lost"]] == ["audit/test_one.py::test_dropped"]
    assert "audit/test_one.py::test_dropped" in stamped.ledger.with_name("report.html").read_text()


AUDITED = """

def test_of_two_views(record_property):
    import json
    from dpmatrix.claims import AuditRecord, AuditVerdict
    for view, verdict in (("state", AuditVerdict.VIOLATED), ("output", AuditVerdict.NOT_REFUTED)):
        found = AuditRecord("toy mechanism", view, verdict, "(1, 0)", 2.5, 0.25, "1 - 1e-9", "an event")
        record_property("audit", json.dumps(found.to_json()))
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["here", "workers"])
def test_what_audits_record_is_in_the_ledger_and_in_the_report(stamped, workers) -> None:
    stamped.add("audit/test_one.py", AUDITED)
    run = stamped.audit(*workers)
    assert run.code == 0, run.text
    records = json.loads(stamped.ledger.read_text(encoding="utf-8"))["audits"]
    assert [(record["view"], record["verdict"]) for record in records] == [
        ("output", "not refuted"),
        ("state", "violated"),
    ]
    assert {record["node"] for record in records} == {"audit/test_one.py::test_of_two_views"}
    assert {record["outcome"] for record in records} == {"passed"}
    report = stamped.ledger.with_name("report.html").read_text(encoding="utf-8")
    assert report.count("toy mechanism") == 2


MISSED = """

def test_of_a_mechanism(record_property):
    import json
    from dpmatrix.claims import AuditRecord, AuditVerdict, Excess, Way
    found = AuditRecord(
        "toy mechanism", "output", AuditVerdict.NOT_REFUTED, "(1, 0)", 0.5, 0.0, "1 - 1e-9", code="toy.Mechanism",
        adjacency="replace-one", unnoticed=Excess(Way.EVENTS, 1.0, 3.83, certain=False),
    )
    record_property("audit", json.dumps(found.to_json()))
"""


def test_a_run_ends_with_what_its_audits_would_have_missed(stamped) -> None:
    assert "audits of mechanisms" not in stamped.audit().text
    stamped.add("audit/test_one.py", MISSED)
    run = stamped.audit()
    assert run.code == 0, run.text
    assert "audits of mechanisms" in run.text
    (row,) = [line for line in run.text.splitlines() if "3.83 instead of 1" in " ".join(line.split())]
    assert row.split("\u2502")[1:3] == [" Mechanism ", " replace-one "], row
