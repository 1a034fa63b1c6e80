"""The mutation tool catches what it should, reports what nobody notices, and wants no idle explanations."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

SETTINGS = """
[pytest]
addopts = -p dpmatrix.reporting.pytest_plugin --import-mode=importlib
specification = toy_specification
"""

PACKAGE = """
from dpmatrix.claims import Registry


def load():
    from toy_specification.bound import BOUND

    return Registry.of([BOUND])
"""

MODULE = """
import attrs
from flint import arb

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Verdict


@attrs.frozen
class Point:
    x: int


def bound_margin(p):
    return 3 - arb(p.x)


def small_margin(p):
    return 2 - arb(p.x)


BOUND = Claim(
    id="toy.bound",
    kind=Kind.LEMMA,
    source=Locator("toy", "Bound", "x <= 3"),
    statement=Statement("x <= 3", bound_margin, given=(Condition("x <= 2", small_margin),)),
    verdict=Verdict.HOLDS,
    because="2 < 3",
)
"""

EVIDENCE = '''
import pytest

from dpmatrix.claims import Truth, bind_hypotheses
from toy_specification.bound import Point


@pytest.mark.evidence("toy.bound", role="supports", grade="symbolic", region="whole x")
def test_bound(statement):
    """The bound is pinned at its end; the hypothesis only between whole numbers."""
    assert statement.conclusion(Point(3)) is Truth.TRUE
    assert float(statement.margin(Point(1))) == 2.0
    bind_hypotheses(statement, Point(2), {"x <= 2": Point(3)})
'''

EXPLAINED = """
[bound]
"small_margin: 2 -> fmpq(11, 5)" = "x is a whole number, so 2.2 says the same."
"""

IDLE = """
"bound_margin: 3 -> fmpq(33, 10)" = "idle: the evidence notices this one"
"bound_margin: 7 -> fmpq(77, 10)" = "idle: there is no 7"
"""


def mutate(root: Path, evidence: str, survivors: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tool on a toy specification."""
    files = {
        "pytest.ini": SETTINGS,
        "toy_specification/__init__.py": PACKAGE,
        "toy_specification/bound.py": MODULE,
        "audit/test_toy.py": evidence,
        "survivors.toml": survivors,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    toy = {"--root": root, "--specification": "toy_specification", "--survivors": root / "survivors.toml"}
    arguments = [str(word) for pair in toy.items() for word in pair] + [
        "--json",
        str(root / "out.json"),
        *options,
        "--warm",
    ]
    command = [sys.executable, str(REPOSITORY / "audit" / "mutate.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], dict[str, dict]]:
    """Return the process, and its records by key."""
    root = tmp_path_factory.mktemp("toy")
    done = mutate(root, EVIDENCE, EXPLAINED + IDLE)
    assert (root / "out.json").exists(), done.stdout + done.stderr
    return done, {record["key"]: record for record in json.loads((root / "out.json").read_text(encoding="utf-8"))}


@pytest.mark.parametrize(
    "key",
    [
        "bound_margin: 3 -> fmpq(33, 10)",
        "bound_margin: 3 -> fmpq(27, 10)",
        "bound_margin: return X -> return -(X)",
        "bound_margin: 3 - -> + arb(p.x)",
        "small_margin: 2 -> fmpq(9, 5)",
        "small_margin: return X -> return -(X)",
        "BOUND: drop 'x <= 2'",
        "BOUND: Statement strict=True",
        "BOUND: Condition strict=True",
    ],
)
def test_planted_mutants_are_caught(outcome, key) -> None:
    record = outcome[1][key]
    assert record["outcome"] == "assertion"
    assert record["claims"] == ["toy.bound"]
    assert record["node"] == "audit/test_toy.py::test_bound"


def test_a_planted_survivor_is_reported_with_its_lines(outcome) -> None:
    done, records = outcome
    survivors = [key for key, record in records.items() if record["outcome"] == "survived"]
    assert survivors == ["small_margin: 2 -> fmpq(11, 5)"]
    assert records[survivors[0]]["diff"] == ["-    return 2 - arb(p.x)", "+    return fmpq(11, 5) - arb(p.x)"]
    assert records[survivors[0]]["explained"]
    assert "no item of evidence notices" not in done.stdout, "every survivor is explained"


def test_idle_explanations_are_errors(outcome) -> None:
    done, _ = outcome
    assert done.returncode == 1
    assert "explained, but it is killed by assertion" in done.stdout
    assert "explained, but no such mutant exists" in done.stdout


def test_evidence_that_fails_unchanged_is_refused(tmp_path) -> None:
    done = mutate(tmp_path, EVIDENCE.replace("== 2.0", "== 2.5"), "", "--module", "bound")
    assert done.returncode == 2
    assert "fails before anything is changed" in done.stdout
    assert not (tmp_path / "out.json").exists()


def test_a_clean_run_succeeds(tmp_path) -> None:
    done = mutate(tmp_path, EVIDENCE, EXPLAINED, "--sample", "2", "--claims", "toy.bound")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))) == 2
