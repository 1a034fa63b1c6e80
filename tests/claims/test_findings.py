"""What was found follows from verdicts and judged steps, and every finding can be shown again."""

from __future__ import annotations

import json
import shlex

import attrs
import pytest
from flint import arb
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.claims import (
    Citation,
    Claim,
    Condition,
    Evidence,
    Grade,
    Kind,
    Locator,
    Registry,
    Repair,
    Role,
    Severity,
    Statement,
    Step,
    Verdict,
    findings,
)
from dpmatrix.commands.findings import Grave, summary
from dpmatrix.reporting.sentences import shortened
from dpmatrix.spec import load


def zero(p):
    return arb(0)


BARE = Statement("x <= y", zero)
BOUNDED = Statement("x <= y", zero, given=(Condition("x < 1", zero),))
CHANGED = Statement("x <= 2 y", zero)


def claim(kind: Kind, verdict: Verdict, repair: Statement | None = None, **more) -> Claim:
    changed = None if repair is None else Repair("a change", repair)
    return Claim("toy.one", kind, Locator("toy", "Lemma 1", "x <= y"), BARE, verdict, "reason", repair=changed, **more)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (claim(Kind.PRIVACY, Verdict.REFUTED), Severity.PRIVACY_BROKEN),
        (claim(Kind.PRIVACY, Verdict.HOLDS_WITH_REPAIR, BOUNDED), Severity.PRIVACY_BROKEN),
        (claim(Kind.LEMMA, Verdict.REFUTED), Severity.BOUND_FALSE),
        (claim(Kind.LEMMA, Verdict.REFUTED, CHANGED), Severity.BOUND_FALSE),
        (claim(Kind.UTILITY, Verdict.HOLDS_WITH_REPAIR, BOUNDED), Severity.BOUND_FALSE),
        (claim(Kind.UTILITY, Verdict.HOLDS_WITH_REPAIR, CHANGED), Severity.CONSTANT_WRONG),
        (claim(Kind.LOWER_BOUND, Verdict.HOLDS_WITH_REPAIR), Severity.BOUND_FALSE),
        (claim(Kind.DEFINITION, Verdict.ILL_POSED), Severity.SLIP),
        (claim(Kind.ALGORITHM, Verdict.EXECUTABLE_WITH_REPAIR, CHANGED), Severity.SLIP),
        (claim(Kind.EXPERIMENT, Verdict.NOT_REPRODUCIBLE), Severity.SLIP),
    ],
)
def test_severity_follows_from_kind_and_verdict(found: Claim, expected: Severity) -> None:
    [finding] = findings(Registry.of([found]))
    assert (finding.severity, finding.target, finding.wrong) == (expected, "toy.one", "reason")
    assert finding.verdict == found.verdict.value
    assert finding.command == "python -m dpmatrix claims toy.one"


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        (Kind.PRIVACY, Verdict.HOLDS),
        (Kind.LEMMA, Verdict.HOLDS_PROOF_REPAIRED),
        (Kind.LEMMA, Verdict.OPEN),
        (Kind.DEFINITION, Verdict.WELL_POSED),
        (Kind.ALGORITHM, Verdict.EXECUTABLE),
        (Kind.EXPERIMENT, Verdict.REPRODUCED),
    ],
)
def test_what_stands_as_printed_is_no_finding_but_its_broken_steps_are(kind: Kind, verdict: Verdict) -> None:
    assert findings(Registry.of([claim(kind, verdict)])) == []
    steps = (Step("fine", BARE, sound=True), Step("slip", CHANGED, sound=False, note="the factor"))
    [finding] = findings(Registry.of([claim(kind, verdict, steps=steps)]))
    printed = kind in (Kind.DEFINITION, Kind.ALGORITHM, Kind.EXPERIMENT)
    assert finding.severity is (Severity.SLIP if printed else Severity.PROOF_BROKEN)
    assert (finding.target, finding.says, finding.wrong) == ("toy.one/slip", "x <= 2 y", "the factor")


def item(node: str, target: str, role: Role, grade: Grade, seconds: float) -> Evidence:
    return Evidence(node, Citation.parse(target), role, grade, "everywhere", seconds=seconds)


def test_the_command_runs_the_best_refutation_of_the_statement_itself() -> None:
    step = Step("slip", CHANGED, sound=False)
    registry = Registry.of([claim(Kind.LEMMA, Verdict.REFUTED, steps=(step,))])
    evidence = [
        item("a.py::statistical", "toy.one", Role.REFUTES, Grade.STATISTICAL, 0.1),
        item("a.py::slow", "toy.one", Role.REFUTES, Grade.INTERVAL, 2.0),
        item("a.py::fast[x y]", "toy.one", Role.REFUTES, Grade.INTERVAL, 1.0),
        item("a.py::control", "toy.one", Role.CONTROL, Grade.SYMBOLIC, 0.0),
        item("a.py::step", "toy.one/slip", Role.REFUTES, Grade.NUMERIC, 0.0),
    ]
    whole, part = findings(registry, evidence)
    assert shlex.split(whole.command) == ["python", "-m", "pytest", "a.py::fast[x y]"]
    assert shlex.split(part.command)[-1] == "a.py::step"
    assert json.loads(json.dumps(whole.to_json()))["severity"] == "bound false"


def test_the_gravest_come_first_and_nothing_is_left_out() -> None:
    registry = load()
    found = findings(registry)
    assert [finding.severity for finding in found] == sorted(finding.severity for finding in found)
    clean = {
        Verdict.HOLDS,
        Verdict.HOLDS_PROOF_REPAIRED,
        Verdict.CONDITIONAL,
        Verdict.OPEN,
        Verdict.WELL_POSED,
        Verdict.EXECUTABLE,
        Verdict.REPRODUCED,
    }
    expected = {claim.id for claim in registry if claim.verdict not in clean}
    expected |= {step.statement.name for claim in registry for step in claim.steps if not step.sound}
    assert [finding.target for finding in found if finding.target not in expected] == []
    assert {finding.target for finding in found} == expected
    assert len(found) == len(expected)
    assert (
        next(finding for finding in found if finding.claim == "wishart.theorem-4").severity is Severity.PRIVACY_BROKEN
    )


def test_a_verdict_moves_its_finding() -> None:
    registry = load()
    saved = attrs.evolve(registry["wishart.theorem-4"], verdict=Verdict.HOLDS)
    found = findings(Registry({**registry.claims, saved.id: saved}))
    assert saved.id not in {finding.target for finding in found}


def test_command_line(tmp_path, monkeypatch) -> None:
    assert [grave.value for grave in Grave] == [severity.words for severity in Severity]
    run = CliRunner()
    # Away from a checkout no evidence can be collected, and the claims themselves are shown.
    monkeypatch.chdir(tmp_path)
    done = run.invoke(app, ["findings", "--json"])
    assert done.exit_code == 0
    assert [entry["target"] for entry in json.loads(done.stdout)] == [finding.target for finding in findings(load())]
    done = run.invoke(app, ["findings", "--document", "wishart", "--severity", "privacy broken"])
    assert "privacy broken: wishart.theorem-4 (Theorem 4), refuted" in done.stdout
    assert "$ python -m dpmatrix claims wishart.theorem-4" in done.stdout
    assert "slip:" not in done.stdout
    assert "near-optimal" not in done.stdout
    number = done.stdout.count("    printed: ")
    assert f"\n{number} findings: {number} privacy broken, 0 bound false" in done.stdout
    assert run.invoke(app, ["findings", "--document", "other"]).exit_code == 2


def test_one_finding_is_not_findings() -> None:
    one = findings(load())[:1]
    assert summary(one) == "1 finding: 1 privacy broken, 0 bound false, 0 proof broken, 0 constant wrong, 0 slip"
    assert summary([]).startswith("0 findings: ")


def test_long_reasons_are_shortened_to_whole_sentences() -> None:
    assert shortened("One. Two.") == "One. Two."
    long = "x" * 130
    assert shortened(f"{long}. Two.") == f"{long}."
