"""The command line: what it prints, in which schema, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys

import attrs
import pytest
from flint import arb
from typer.testing import CliRunner

import dpmatrix.__main__ as command_line
from dpmatrix.claims import (
    Catalogue,
    Citation,
    Claim,
    Condition,
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
from dpmatrix.claims.ledger import dump

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
    "because": str,
    "reading": str,
    "standing": str | None,
    "reasons": list,
    "repair": dict | None,
    "steps": list,
    "uses": list,
    "assumes": list,
    "fingerprint": str,
    "evidence": list,
    "implementations": list,
}
ITEM_SCHEMA = {"node": str, "role": str, "grade": str, "region": str, "outcome": str | None}


def zero(p):
    return arb(0)


STATEMENT = Statement("[x] is [bold]so[/bold]", zero, given=(Condition("x > 0", zero),))
REPAIRED = Claim(
    "toy.repaired",
    Kind.LEMMA,
    Locator("toy", "Lemma [1]", "x = [y]"),
    STATEMENT,
    Verdict.HOLDS_WITH_REPAIR,
    "a counterexample at x = 1",
    reading="x is a number",
    repair=Repair("drop the sign", STATEMENT),
    steps=(Step("slip", STATEMENT, sound=False, note="the sign"),),
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
)
CODE = (Implementation("rooms.Doubling", (Citation.parse("toy.base"),)),)
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
    monkeypatch.setattr(command_line, "documents", lambda: {"toy": "A toy"})
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
    assert claims[0]["implementations"] == ["rooms.Doubling"]
    assert claims[1]["repair"]["change"] == "drop the sign"
    assert "standings are unknown until `make audit`" in result.stderr


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
        "outcome": "passed",
    }


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
        "x = [y]",
        "[x] is [bold]so[/bold]",
        "holds with repair (standing: unearned)",
        "drop the sign",
        "Step slip: BROKEN",
        "no control [here]",
        "[passed] refutes, interval: [0, 1]",
        "file.py::test[1]",
        "toy.base",
    ):
        assert part in page, part
    assert json.loads(line("claims", "toy.repaired", "--json").stdout)["id"] == "toy.repaired"


def test_unknown_claims_are_refused(line) -> None:
    for arguments in (("claims", "toy.nobody"), ("claims", "toy.nobody", "--json"), ("restamp", "toy.nobody")):
        result = line(*arguments)
        assert result.exit_code == 2
        assert "toy.nobody" in result.stderr
        assert result.stdout == ""


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
    assert all(claim["standing"] is None for claim in claims)
    wrong = subprocess.run([*command[:3], "no-such-command"], capture_output=True, check=False, timeout=120)
    assert wrong.returncode == 2
