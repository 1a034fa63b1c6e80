"""What was found follows from verdicts and judged steps, and every finding can be shown again."""

from __future__ import annotations

import json
import re
import shlex

import attrs
import pytest
from flint import arb
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.claims import (
    GRAVE,
    Citation,
    Claim,
    Condition,
    Defect,
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
from dpmatrix.commands.findings import Grave, said, summary
from dpmatrix.reporting.sentences import opening, paragraphs, sentences
from dpmatrix.spec import load


def zero(p):
    return arb(0)


def other(p):
    return arb(p.x) - 1


BARE = Statement("x <= y", zero)
OF_STEPS = {
    Defect.LEAK: Severity.PRIVACY_BROKEN,
    Defect.CONCLUSION: Severity.STATEMENT_FALSE,
    Defect.HYPOTHESIS: Severity.HYPOTHESIS_MISSING,
    Defect.PROOF: Severity.PROOF_BROKEN,
    Defect.REMARK: Severity.REMARK_FALSE,
    Defect.FORMULA: Severity.FORMULA_WRONG,
    Defect.SLIP: Severity.SLIP,
}
BOUNDED = Statement("x <= y", zero, given=(Condition("x < 1", other),))
CHANGED = Statement("x <= 2 y", other)


def claim(kind: Kind, verdict: Verdict, repair: Statement | None = None, **more) -> Claim:
    changed = None if repair is None else Repair("a change", repair)
    return Claim("toy.one", kind, Locator("toy", "Lemma 1", "x <= y"), BARE, verdict, "reason", repair=changed, **more)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (claim(Kind.PRIVACY, Verdict.REFUTED, defect=Defect.LEAK), Severity.PRIVACY_BROKEN),
        (claim(Kind.UTILITY, Verdict.REFUTED, defect=Defect.LEAK), Severity.PRIVACY_BROKEN),
        (
            claim(Kind.PRIVACY, Verdict.HOLDS_WITH_REPAIR, BOUNDED, defect=Defect.HYPOTHESIS),
            Severity.HYPOTHESIS_MISSING,
        ),
        (claim(Kind.LEMMA, Verdict.HOLDS_WITH_REPAIR, BOUNDED, defect=Defect.FORMULA), Severity.FORMULA_WRONG),
        (claim(Kind.LEMMA, Verdict.HOLDS_WITH_REPAIR, CHANGED, defect=Defect.CONCLUSION), Severity.STATEMENT_FALSE),
        (claim(Kind.PRIVACY, Verdict.REFUTED), Severity.STATEMENT_FALSE),
        (claim(Kind.PRIVACY, Verdict.HOLDS_WITH_REPAIR, BOUNDED), Severity.STATEMENT_FALSE),
        (claim(Kind.LEMMA, Verdict.REFUTED), Severity.STATEMENT_FALSE),
        (claim(Kind.LEMMA, Verdict.REFUTED, CHANGED), Severity.STATEMENT_FALSE),
        (claim(Kind.UTILITY, Verdict.HOLDS_WITH_REPAIR, BOUNDED), Severity.STATEMENT_FALSE),
        (claim(Kind.UTILITY, Verdict.HOLDS_WITH_REPAIR, CHANGED), Severity.FORMULA_WRONG),
        (claim(Kind.LOWER_BOUND, Verdict.HOLDS_WITH_REPAIR), Severity.STATEMENT_FALSE),
        (claim(Kind.DEFINITION, Verdict.ILL_POSED), Severity.SLIP),
        (claim(Kind.ALGORITHM, Verdict.EXECUTABLE_WITH_REPAIR, CHANGED), Severity.SLIP),
        (claim(Kind.EXPERIMENT, Verdict.NOT_REPRODUCIBLE), Severity.SLIP),
    ],
)
def test_severity_follows_from_what_is_wrong(found: Claim, expected: Severity) -> None:
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
    for defect, grave in OF_STEPS.items():
        steps = (Step("fine", BARE, defect=None), Step("slip", CHANGED, defect=defect, note="the factor"))
        [finding] = findings(Registry.of([claim(kind, verdict, steps=steps)]))
        assert (finding.severity, finding.verdict) == (grave, defect.value), "whatever the kind of the claim"
        assert (finding.target, finding.says, finding.wrong) == ("toy.one/slip", "x <= 2 y", "the factor")


def test_what_is_wrong_with_sentences_only_is_not_said_of_a_statement() -> None:
    assert {*OF_STEPS} == {*Defect}
    for defect in (Defect.PROOF, Defect.REMARK, Defect.SLIP):
        with pytest.raises(ValueError, match="is said of steps"):
            claim(Kind.LEMMA, Verdict.REFUTED, defect=defect)


def item(node: str, target: str, role: Role, grade: Grade, seconds: float) -> Evidence:
    return Evidence(node, Citation.parse(target), role, grade, "everywhere", seconds=seconds)


def test_the_command_runs_the_best_refutation_of_the_statement_itself() -> None:
    step = Step("slip", CHANGED, defect=Defect.PROOF)
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
    assert json.loads(json.dumps(whole.to_json()))["severity"] == "statement false"


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
    number = done.stdout.count("    stated: ")
    assert f"\n{number} finding: {number} privacy guarantee broken, 0 statements false" in done.stdout
    assert run.invoke(app, ["findings", "--document", "other"]).exit_code == 2


def test_numbers_of_findings_are_words() -> None:
    one = findings(load())[:1]
    assert summary(one) == (
        "1 finding: 1 privacy guarantee broken, 0 statements false, 0 hypotheses missing, 0 proof steps broken, "
        "0 remarks false, 0 formulas wrong, 0 slips"
    )
    assert summary([]).startswith("0 findings: 0 privacy guarantees broken")
    assert [Severity.HYPOTHESIS_MISSING.counted(n) for n in (1, 2)] == ["1 hypothesis missing", "2 hypotheses missing"]


def test_an_accusation_of_privacy_names_the_output_and_what_it_breaks() -> None:
    """No noise that suffices wherever it exists, and no theorem that lacks a standing assumption, is called broken."""
    listed = {finding.claim: finding for finding in findings(load()) if finding.target == finding.claim}
    broken = {name for name, finding in listed.items() if finding.severity is Severity.PRIVACY_BROKEN}
    assert {"wishart.theorem-4", "analyze-gauss.subspace-privacy", "sliding-window.theorem-16"} <= broken
    assert not broken & {"wishart.theorem-2", "compression.theorem-3-2", "near-optimal.sulq"}
    assert "near-optimal.theorem-5" not in listed, "true wherever (5) has a value"
    assert "near-optimal.theorem-7" not in listed, "its bound holds as it is displayed"
    for name in broken:
        assert re.search(r"output|loss|noise|row|projection", listed[name].headline), name


FAILS = r"fail|false|break|refute|lacks|missing|\bnot\b|\bno\b|[Nn]othing|wrong|too few|cannot|[Nn]o private|\bNo\b"


def test_a_grave_finding_states_its_conclusion_in_one_whole_sentence() -> None:
    grave = [f for f in findings(load()) if f.severity in GRAVE and f.target == f.claim]
    assert len(grave) > 40
    for finding in grave:
        assert said(finding) == finding.headline, finding.target
        assert len(sentences(finding.headline)) == 1, finding.headline
        assert re.search(FAILS, finding.headline), finding.headline
    theorem = next(finding for finding in grave if finding.claim == "wishart.theorem-4")
    assert "1 - exp(-epsilon/3)" in said(theorem)
    assert "cannot give" in said(theorem)


def test_no_finding_ends_in_the_middle() -> None:
    for finding in findings(load()):
        words = said(finding)
        assert re.search(r"[.!?]['\")]*$", words), words
        assert not re.search(r"\.\.\.$|…", words), words
        assert words.count("(") == words.count(")"), words
        if finding.target != finding.claim:
            assert words.rstrip(".") == " ".join(finding.wrong.split()).rstrip(".")


@pytest.mark.parametrize(
    "headline", ["no period", "x" * 200 + ".", "It fails. It ends in the middle"], ids=["open", "long", "two"]
)
def test_a_headline_is_one_sentence(headline: str) -> None:
    with pytest.raises(ValueError, match="headline"):
        claim(Kind.LEMMA, Verdict.REFUTED, headline=headline)


def test_a_reason_has_paragraphs_and_its_opening_none() -> None:
    text = "One.\nTwo.\n\n  Three. \n \nFour."
    assert paragraphs(text) == ["One. Two.", "Three.", "Four."]
    assert paragraphs("") == []
    assert opening(text, least=8) == "One. Two."


def test_defects_go_with_false_statements() -> None:
    false = {claim.id for claim in load() if claim.verdict in (Verdict.REFUTED, Verdict.HOLDS_WITH_REPAIR)}
    assert {claim.id for claim in load() if claim.defect is not None} <= false
    assert findings(Registry.of([claim(Kind.LEMMA, Verdict.HOLDS, defect=Defect.LEAK)])) == []


def test_the_opening_of_a_reason_is_whole_sentences() -> None:
    assert opening("One. Two.") == "One. Two."
    long = "x" * 130
    assert opening(f"{long}. Two.") == f"{long}."
    assert opening(f"{long}. two. Three.") == f"{long}. two."
    assert sentences("Noise, i.i.d. Gaussian, fails (see A. B. too). It is 0.5, cf. Lemma 4. 'All' hold.") == [
        "Noise, i.i.d. Gaussian, fails (see A. B. too).",
        "It is 0.5, cf. Lemma 4.",
        "'All' hold.",
    ]
    assert opening("no end") == "no end"
    assert opening("") == ""
