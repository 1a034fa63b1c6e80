"""The command line: what it prints, in which schema, and with which exit code."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import attrs
import pytest
from flint import arb
from typer.testing import CliRunner

import dpmatrix.commands.claims as claims_command
import dpmatrix.commands.line as command_line
import dpmatrix.commands.runs as runs
from dpmatrix.claims import (
    Catalogue,
    Citation,
    Claim,
    Condition,
    Defect,
    Evidence,
    Grade,
    Implementation,
    Kind,
    Ledger,
    Locator,
    Outcome,
    Registry,
    Repair,
    Role,
    Standing,
    State,
    Statement,
    Step,
    Verdict,
)
from dpmatrix.claims.evidence import Bound
from dpmatrix.claims.extents import Extent
from dpmatrix.claims.ledger import dump
from dpmatrix.claims.snapshots import Piece, Recorded, record_run
from dpmatrix.claims.traced import AT_SIZES, EVERYWHERE, NOT, Trace, Traces
from dpmatrix.printed.order import Stated
from dpmatrix.reporting.bindings import COULD_BE, NOT_ASKED
from dpmatrix.spec import Place

SCHEMA = {
    "id": str,
    "document": str,
    "kind": str,
    "label": str,
    "says": str,
    "printed": str,
    "margin": str,
    "given": list,
    "verdict": str,
    "headline": str,
    "because": str,
    "reading": str,
    "standing": str | None,
    "standing_from": str | None,
    "standing_note": str,
    "reasons": list,
    "repair": dict | None,
    "steps": list,
    "uses": list,
    "assumes": list,
    "fingerprint": str,
    "evidence": list,
    "implementations": list,
    "specified_in": str,
    "basis": str | None,
    "forms": list,
    "bindings": list,
    "place": str,
    "before": str | None,
    "after": str | None,
    "line_by_line": list,
}
ITEM_SCHEMA = {
    "node": str,
    "role": str,
    "grade": str,
    "region": str,
    "seen": dict | None,
    "outcome": str | None,
    "from": str | None,
    "bound": str | None,
    "not_by_expression": str,
}


def zero(p):
    return arb(0)


def one(p):
    return arb(1)


STATEMENT = Statement("[x] is [bold]so[/bold]", zero, given=(Condition("x > 0", one),))
REPAIRED = Claim(
    "toy.repaired",
    Kind.LEMMA,
    Locator("toy", "Lemma [1]", "x = [y]"),
    STATEMENT,
    Verdict.HOLDS_WITH_REPAIR,
    "a counterexample at x = 1",
    reading="x is a number",
    repair=Repair("drop the sign", Statement("[x] is [bold]so[/bold]", one)),
    steps=(Step("slip", STATEMENT, defect=Defect.PROOF, note="the sign"),),
    uses=("toy.base",),
)
BASE = Claim("toy.base", Kind.PRIVACY, Locator("toy", "Theorem 1", "y"), STATEMENT, Verdict.HOLDS, "as printed")
REGISTRY = Registry.of([BASE, REPAIRED])
ITEM = Evidence(
    "file.py::test[1]",
    Citation.parse("toy.repaired@0"),
    Role.REFUTES,
    Grade.INTERVAL,
    "[0, 1]",
    Outcome.PASSED,
    0.5,
    "x=1",
    Extent(24, 1, 3, (("dimension", (1.0, 5.0)), ("epsilon", (2.0, math.inf)), ("rank", (3.0, 3.0)))),
)
CODE = (Implementation("library.Doubling", (Citation.parse("toy.base"),)),)
EARNED, UNEARNED = Standing(State.EARNED), Standing(State.UNEARNED, ("no control [here]",))


def ledger(**standings: Standing) -> Ledger:
    found = {f"toy.{label}": standing for label, standing in standings.items()}
    verdicts = {claim.id: claim.verdict.value for claim in REGISTRY}
    return Ledger((ITEM,), found, REGISTRY.fingerprints, (), {"python": "3"}, verdicts)


@attrs.frozen
class Line:
    """The command line beside a small specification, in a folder of its own."""

    path: object

    def __call__(self, *arguments: str):
        """Run the command line in this process."""
        return CliRunner().invoke(command_line.app, list(arguments))

    def leave(self, run: Ledger | str) -> None:
        """Leave a ledger where `make audit` does."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(run if isinstance(run, str) else dump(run.to_json()))


@pytest.fixture
def line(monkeypatch, tmp_path) -> Line:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command_line, "load", lambda: REGISTRY)
    monkeypatch.setattr(command_line, "implementations", lambda: CODE)
    monkeypatch.setattr(claims_command, "load", lambda: REGISTRY)
    monkeypatch.setattr(
        claims_command, "load_with_foundations", lambda *ids: ([REGISTRY[one] for one in ids], REGISTRY)[1]
    )
    monkeypatch.setattr(claims_command, "cited_in_sources", lambda: CODE)
    monkeypatch.setattr(claims_command, "accepted_run", dict)
    monkeypatch.setattr(claims_command, "documents", lambda: {"toy": "A [toy]"})
    monkeypatch.setattr(claims_command, "in_order", lambda _: (Stated("toy.repaired"), Stated("toy.base")))
    monkeypatch.setattr(
        claims_command, "about_the_place", lambda _: {"place": "Section [2]", "before": None, "after": "toy.base"}
    )
    monkeypatch.setattr(claims_command, "places", lambda: {"toy.repaired": Place("toy", "spec/toy.py", 7)})
    monkeypatch.setattr(command_line, "documents", lambda: {"toy": "A toy"})
    monkeypatch.setattr(runs, "documents", lambda: {"toy": "A toy"})
    monkeypatch.setattr(command_line, "catalogue", lambda: Catalogue(("toy.base", "toy.repaired"), frozenset()))
    return Line(tmp_path / command_line.DEFAULT_LEDGER)


def words(text: str) -> str:
    """Return a message without the box around it."""
    return " ".join(text.replace("│", " ").split())


def check_schema(claims: list[dict[str, object]]) -> None:
    for claim in claims:
        assert claim.keys() == SCHEMA.keys()
        for key, kind in SCHEMA.items():
            assert isinstance(claim[key], kind), key
        for item in claim["evidence"]:
            assert item.keys() >= ITEM_SCHEMA.keys()
            assert all(isinstance(item[key], kind) for key, kind in ITEM_SCHEMA.items())
        for name in claim["implementations"]:
            assert all(part.isidentifier() for part in name.split("."))


def test_claims_before_a_run(line) -> None:
    result = line("claims", "--json")
    assert result.exit_code == 0
    claims = json.loads(result.stdout)
    check_schema(claims)
    assert [claim["id"] for claim in claims] == ["toy.base", "toy.repaired"]
    assert all(claim["standing"] is None and claim["evidence"] == [] for claim in claims)
    assert claims[0]["implementations"] == ["library.Doubling"]
    assert claims[1]["repair"]["change"] == "drop the sign"
    assert "2 claims, or what they rest on, changed since any run" in result.stderr


def test_claims_after_a_run(line) -> None:
    line.leave(ledger(base=EARNED, repaired=EARNED))
    result = line("claims", "--json")
    assert result.exit_code == 0
    claims = json.loads(result.stdout)
    check_schema(claims)
    assert [claim["standing"] for claim in claims] == ["earned", "earned"]
    (item,) = claims[1]["evidence"]
    assert {key: item[key] for key in ITEM_SCHEMA} == {
        "node": "file.py::test[1]",
        "role": "refutes",
        "grade": "interval",
        "region": "[0, 1]",
        "seen": {
            "points": 24,
            "boxes": 1,
            "compared": 3,
            "ranges": {"dimension": [1, 5], "epsilon": [2, None], "rank": [3, 3]},
        },
        "outcome": "passed",
        "from": "run",
        "bound": None,
        "not_by_expression": "",
    }


def accept(monkeypatch, registry: Registry = REGISTRY, **standings: Standing) -> None:
    """Let a snapshot of these standings be committed, of the claims as they are in a registry."""
    run = ledger(**standings)
    verdicts = {claim.id: claim.verdict.value for claim in registry}
    found = record_run(verdicts, run.standings, registry.fingerprints, run.evidence)
    monkeypatch.setattr(claims_command, "accepted_run", lambda: found)


def changed(claim: Claim) -> Registry:
    """Return the registry with another text of a claim."""
    other = attrs.evolve(claim, reading="as of old")
    return Registry({**REGISTRY.claims, claim.id: other})


SYMBOLIC = {"citation": Citation.parse("toy.repaired+repair@0"), "role": Role.SUPPORTS_REPAIR, "grade": Grade.SYMBOLIC}


def bindings(line, monkeypatch, bound: Bound | None, extent: str, reason: str = "") -> dict[str, object]:
    """Describe the repaired claim after a run in which one item supports it, and a second one has no formula."""
    found = ledger(base=EARNED, repaired=EARNED)
    items = [attrs.evolve(ITEM, **SYMBOLIC, bound=bound)]
    items.append(attrs.evolve(items[0], grade=Grade.INTERVAL, bound=Bound.NOTHING))
    line.leave(attrs.evolve(found, evidence=tuple(items)))
    traces = Traces({"toy.repaired+repair": Trace(extent, reason)}, REGISTRY.fingerprints)
    monkeypatch.setattr(claims_command, "traced", lambda: traces)
    return json.loads(line("claims", "toy.repaired", "--json").stdout)


@pytest.mark.parametrize(
    ("bound", "extent", "reason", "told", "page"),
    [
        (Bound.EXPRESSION, EVERYWHERE, "", "", "bound by expression\n"),
        (Bound.POINTS, EVERYWHERE, "", COULD_BE, f"bound at points, not by expression: {COULD_BE}"),
        (Bound.POINTS, AT_SIZES, "sizes", "sizes", "bound at points, not by expression: sizes"),
        (Bound.NOTHING, NOT, "an [integral]", "an [integral]", "bound to no formula, not by expression: an [integral]"),
        (None, NOT, "an integral", "an integral", "no run says how its formula is bound (an integral)"),
    ],
)
def test_a_claim_says_how_its_formulas_are_bound_and_why_not_better(
    line, monkeypatch, bound, extent, reason, told, page
) -> None:
    claim = bindings(line, monkeypatch, bound, extent, reason)
    first, second = claim["evidence"]
    assert (first["bound"], first["not_by_expression"]) == (None if bound is None else bound.value, told)
    assert (second["bound"], second["not_by_expression"]) == ("to no formula", ""), "subdivision has no formula"
    (row,) = claim["bindings"]
    assert (row["statement"], row["traced"], row["not_by_expression"]) == ("toy.repaired+repair", extent, told)
    assert sum(row["items"].values()) == 1
    shown = line("claims", "toy.repaired").stdout
    assert page in shown
    assert shown.count("bound") == 1


def test_statements_are_counted_by_how_they_are_bound(line, monkeypatch) -> None:
    bindings(line, monkeypatch, Bound.POINTS, EVERYWHERE)
    rows = json.loads(line("claims", "--bindings", "--json").stdout)
    assert [row["statement"] for row in rows] == ["toy.base", "toy.repaired+repair"]
    text = line("claims", "--bindings").stdout
    assert "not bound by expression, though an expression is known: 1\n" in text
    assert "toy.repaired+repair: at points, 0 derived items" in text
    cells = [row.split("│")[1:-1] for row in text.splitlines() if row.startswith("│ has an expression")]
    assert [cell.strip() for cell in cells[0][1:]] == ["0", "1", "0", "0", "1"]


def test_nothing_is_said_of_expressions_of_a_claim_that_changed(line, monkeypatch) -> None:
    bindings(line, monkeypatch, Bound.POINTS, NOT, "an integral")
    monkeypatch.setattr(claims_command, "traced", lambda: Traces({"toy.repaired+repair": Trace(NOT, "x")}, {}))
    assert json.loads(line("claims", "toy.repaired", "--json").stdout)["bindings"][0]["traced"] is None
    assert NOT_ASKED in line("claims", "toy.repaired").stdout


def test_without_a_run_the_accepted_one_answers_and_says_so(line, monkeypatch) -> None:
    accept(monkeypatch, base=EARNED, repaired=EARNED)
    result = line("claims", "--json")
    claims = json.loads(result.stdout)
    check_schema(claims)
    assert [(claim["standing"], claim["standing_from"]) for claim in claims] == [("earned", "accepted run")] * 2
    assert [(item["outcome"], item["from"]) for item in claims[1]["evidence"]] == [("passed", "accepted run")]
    assert "standings are those of the accepted run" in result.stderr
    page = line("claims", "toy.repaired").stdout
    assert "holds with repair (standing: earned (accepted run))" in page
    assert "[passed in the accepted run] refutes, interval\n    region, in the author's words: [0, 1]\n" in page
    assert "seen in the run" not in page, "the accepted run does not say"
    assert "earned (accepted run)" in line("claims").stdout


def test_a_run_on_this_text_comes_first(line, monkeypatch) -> None:
    accept(monkeypatch, base=EARNED, repaired=EARNED)
    line.leave(ledger(base=EARNED, repaired=UNEARNED))
    result = line("claims", "--json")
    assert [claim["standing"] for claim in json.loads(result.stdout)] == ["earned", "unearned"]
    assert result.stderr == ""
    assert "accepted" not in line("claims").stdout


@pytest.mark.parametrize("claim", [REPAIRED, BASE], ids=["itself", "what-it-rests-on"])
def test_nothing_is_earned_by_a_snapshot_of_another_text(line, monkeypatch, claim) -> None:
    """A claim stands on those that it uses: where one of them has changed, nobody knows how it stands."""
    accept(monkeypatch, changed(claim), base=EARNED, repaired=EARNED)
    found = json.loads(line("claims", "toy.repaired", "--json").stdout)
    assert (found["standing"], found["standing_from"]) == (None, None)
    page = line("claims", "toy.repaired").stdout
    which = "the claim" if claim is REPAIRED else "toy.base"
    assert f"{which} has changed since the accepted run" in page
    assert "earned" not in page
    assert "earned" in line("claims", "toy.base").stdout or claim is BASE


def test_a_snapshot_of_another_verdict_counts_for_nothing(line, monkeypatch) -> None:
    other = Registry({**REGISTRY.claims, BASE.id: attrs.evolve(BASE, verdict=Verdict.HOLDS_PROOF_REPAIRED)})
    accept(monkeypatch, other, base=EARNED, repaired=EARNED)
    assert "earned" not in line("claims").stdout


@pytest.mark.parametrize("field", ["standing", "evidence"])
def test_a_snapshot_that_cannot_be_read_is_refused_in_one_line(line, monkeypatch, field) -> None:
    piece = Piece("f.py::t", "toy.base", "supports", "wonderful", "x")
    wrong = {"standing": {"standing": "wonderful"}, "evidence": {"evidence": (piece,)}}[field]
    kept = attrs.evolve(Recorded("holds", "earned", REGISTRY.fingerprints["toy.base"]), **wrong)
    monkeypatch.setattr(claims_command, "accepted_run", lambda: {"toy.base": kept})
    result = line("claims", "toy.base")
    assert result.exit_code == 2
    assert result.stderr.startswith("SnapshotError: ")
    assert len(result.stderr.splitlines()) == 1


def test_a_run_that_is_older_than_the_text_gives_way_and_it_is_said(line, monkeypatch) -> None:
    accept(monkeypatch, base=EARNED, repaired=EARNED)
    run = ledger(base=EARNED, repaired=UNEARNED)
    line.leave(attrs.evolve(run, fingerprints=changed(REPAIRED).fingerprints))
    result = line("claims", "--json")
    assert [claim["standing_from"] for claim in json.loads(result.stdout)] == ["run", "accepted run"]
    assert "the last run is older than 1 claim" in result.stderr
    page = line("claims", "toy.repaired").stdout
    assert "the claim has changed since the last run" in page
    assert "unearned" not in page


def test_a_refutation_is_confirmed_and_never_earned(line, monkeypatch) -> None:
    refuted = Registry({**REGISTRY.claims, BASE.id: attrs.evolve(BASE, verdict=Verdict.REFUTED)})
    for module in (command_line, claims_command):
        monkeypatch.setattr(module, "load", lambda: refuted)
    monkeypatch.setattr(claims_command, "load_with_foundations", lambda *_: refuted)
    verdicts = {claim.id: claim.verdict.value for claim in refuted}
    run = attrs.evolve(ledger(base=EARNED, repaired=EARNED), verdicts=verdicts)
    line.leave(attrs.evolve(run, fingerprints=refuted.fingerprints))
    assert "refuted (standing: refutation confirmed by this run)" in line("claims", "toy.base").stdout
    assert json.loads(line("claims", "toy.base", "--json").stdout)["standing"] == "earned"
    line("report", "--output", "report.html")
    page = (line.path.parents[2] / "report.html").read_text()
    rows = [row.partition("</tr>")[0] for row in page.split("<tr") if "toy.base</a>" in row]
    assert sum("refutation confirmed by this run" in row for row in rows) >= 2
    assert [row for row in rows if "earned" in row and "toy.repaired" not in row] == []
    assert "1 refutation confirmed" in page


@pytest.mark.parametrize(
    "standing", [UNEARNED, Standing(State.VIOLATED, ("failed: x",))], ids=lambda one: one.state.value
)
def test_a_claim_that_is_not_earned_shows_in_the_exit_code(line, standing) -> None:
    line.leave(ledger(base=EARNED, repaired=standing))
    assert line("claims").exit_code == 1
    assert line("claims", "--json").exit_code == 1
    assert line("claims", "toy.repaired").exit_code == 1
    assert line("claims", "toy.base").exit_code == 0, "of this claim alone"
    assert line("report").exit_code == 1


def test_the_table_and_the_page(line) -> None:
    """Brackets in a text are text, not markup."""
    line.leave(ledger(base=EARNED, repaired=UNEARNED))
    table = line("claims").stdout
    assert "toy.repaired" in table
    assert "unearned" in table
    page = line("claims", "toy.repaired").stdout
    for part in (
        "toy.repaired  lemma, Lemma [1]",
        "Specified in\nspec/toy.py:7\n",
        "Place in the document\nSection [2]\nafter it toy.base\n",
        "x = [y]",
        "[x] is [bold]so[/bold]",
        "holds with repair (standing: unearned)",
        "drop the sign",
        "Step slip: a line of a proof is false",
        "no control [here]",
        "[passed] refutes, interval\n    region, in the author's words: [0, 1]\n",
        "seen in the run: 24 points, 1 box, 3 compared with a formula;",
        "dimension 1 to 5, epsilon 2 to inf, rank 3",
        "file.py::test[1]",
        "toy.base",
    ):
        assert part in page, part
    assert json.loads(line("claims", "toy.repaired", "--json").stdout)["id"] == "toy.repaired"


def test_a_document_is_shown_in_its_order(line) -> None:
    line.leave(ledger(base=EARNED, repaired=UNEARNED))
    found = line("claims", "toy", "--json")
    claims = json.loads(found.stdout)
    check_schema(claims)
    assert [claim["id"] for claim in claims] == ["toy.repaired", "toy.base"]
    assert found.exit_code == 1
    shown = line("claims", "toy").stdout
    assert shown.index("repaired") < shown.index("base")
    for part in ("Section [2]", "Lemma [1]", "toy.py:7", "unearned", "A [toy]"):
        assert part in shown, part
    rows = json.loads(line("claims", "toy", "--table", "--json").stdout)
    assert [row["id"] for row in rows] == ["toy.repaired", "toy.base"]


def test_claims_are_found_by_words(line, monkeypatch) -> None:
    line.leave(ledger(base=EARNED, repaired=UNEARNED))
    assert [claim["id"] for claim in json.loads(line("claims", "--find", "LEMMA", "--json").stdout)] == ["toy.repaired"]
    assert "toy.base" not in line("claims", "--find", "lemma").stdout
    assert line("claims", "--find", "lemma").exit_code == 1, "of what is shown, a claim is not earned"
    assert line("claims", "toy", "--find", "theorem").exit_code == 0
    monkeypatch.setattr(claims_command, "MOST", 1)
    shown = line("claims", "--find", "toy").stdout
    assert "toy.repaired" not in shown
    assert "and 1 claim more" in shown
    for arguments in (("--find", "lemmma"), ("--find", "lemma as"), ("--find", " ")):
        missing = line("claims", *arguments)
        assert missing.exit_code == 2
        assert missing.stderr.startswith("NothingFoundError: ")
        assert missing.stdout == ""
    assert "did you mean lemma?" in line("claims", "--find", "lemmma").stderr
    assert line("claims", "toy.base", "--find", "lemma").exit_code == 2


def test_unknown_claims_are_refused(line) -> None:
    for arguments in (("claims", "toy.nobody"), ("claims", "toy.nobody", "--json"), ("restamp", "toy.nobody")):
        result = line(*arguments)
        assert result.exit_code == 2
        assert "toy.nobody" in result.stderr
        assert result.stdout == ""
    assert "did you mean toy.base?" in line("claims", "toy.bas").stderr
    assert "did you mean toy.base?" in line("claims", "base").stderr
    assert "did you mean toy.base?" in words(line("restamp", "toy.bass").stderr)
    assert "pass --specification MODULE as well" in words(line("restamp", "toy.nobody").stderr)


CORRUPT = {
    "empty": "",
    "cut-short": dump(ledger(base=EARNED).to_json())[:200],
    "list": "[]",
    "number": "3",
    "no-keys": "{}",
    "no-outcome": dump(ledger(base=EARNED).to_json()).replace('"passed"', '"perhaps"'),
    "no-state": dump(ledger(base=EARNED).to_json()).replace('"earned"', '"wonderful"'),
    "wrong-shape": json.dumps(ledger(base=EARNED).to_json() | {"standings": []}),
}


@pytest.mark.parametrize("text", CORRUPT.values(), ids=CORRUPT)
def test_a_corrupt_ledger_is_named_and_refused(line, text) -> None:
    line.leave(text)
    for command in ("claims", "report"):
        result = line(command)
        assert result.exit_code == 2, result.output
        assert "is not a ledger" in words(result.stderr)
        assert not isinstance(result.exception, AttributeError | KeyError | TypeError)


def test_a_folder_is_no_ledger(line, tmp_path) -> None:
    assert line("claims", "--ledger", str(tmp_path)).exit_code == 2


def test_a_report_needs_a_run(line, tmp_path) -> None:
    result = line("report")
    assert result.exit_code == 2
    assert "`make audit` first" in words(result.stderr)
    line.leave(ledger(base=EARNED, repaired=EARNED))
    assert line("report", "--output", "deep/report.html").exit_code == 0
    assert "toy.repaired" in (tmp_path / "deep/report.html").read_text()


def test_restamping_from_the_command_line(line, tmp_path) -> None:
    path = tmp_path / "proofs_checks/test_x.py"
    path.parent.mkdir()
    path.write_text('CITATION = "toy.base@0"\nOTHER = "toy.repaired@0"\n')
    result = line("restamp", "toy.base")
    assert result.exit_code == 0
    assert "test_x.py: 1" in result.stdout
    stamped = REGISTRY.fingerprints["toy.base"]
    assert path.read_text() == f'CITATION = "toy.base@{stamped}"\nOTHER = "toy.repaired@0"\n'


def test_the_module_runs_on_the_specification_itself(tmp_path) -> None:
    command = [sys.executable, "-m", "dpmatrix", "claims", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    claims = json.loads(done.stdout)
    check_schema(claims)
    assert claims
    assert {claim["standing_from"] for claim in claims} <= {"accepted run", None}
    assert sum(claim["standing"] == "earned" for claim in claims) > 100
    wrong = subprocess.run([*command[:3], "no-such-command"], capture_output=True, check=False, timeout=120)
    assert wrong.returncode == 2


def test_a_ledger_of_another_specification_is_left_aside(line, monkeypatch) -> None:
    line.leave(ledger(base=Standing(State.EARNED), repaired=Standing(State.EARNED)))
    monkeypatch.setattr(runs, "documents", lambda: {"other": "Another"})
    result = line("claims", "--json")
    assert result.exit_code == 0
    assert "is the ledger of another specification: it is left aside" in words(result.stderr)
    assert all(claim["standing"] is None for claim in json.loads(result.stdout))
