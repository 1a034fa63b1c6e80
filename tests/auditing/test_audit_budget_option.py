"""``pytest audit --audit-budget``: how many audits of the suite there are, and that they take their time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from audit.test_zoo_audits import seconds_each
from audit.zoo import correct_specimens, faulty_specimens

ROOT = Path(__file__).resolve().parents[2]
EVERY = len(correct_specimens()) + sum(creature.is_demanded() for creature in faulty_specimens())


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "audit/test_zoo_audits.py", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("budget", ["deep", "30m"])
def test_a_budget_asks_for_every_mechanism(budget: str) -> None:
    done = run("--collect-only", "-q", f"--audit-budget={budget}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("::test_") == EVERY > 100


@pytest.mark.parametrize("budget", ["soon", "0m", "-1h", "5"])
def test_what_is_no_time_is_refused(budget: str) -> None:
    with pytest.raises(pytest.UsageError, match="such as 30m or 2h"):
        seconds_each(budget)


def test_a_run_with_what_is_no_time_does_not_begin() -> None:
    done = run("--collect-only", "--audit-budget=soon")
    assert done.returncode not in (0, 5)
    assert "such as 30m or 2h" in done.stdout + done.stderr


def test_a_correct_mechanism_is_audited_until_the_time_is_over(tmp_path: Path) -> None:
    """The small audit of the default takes a fraction of these three seconds."""
    file = tmp_path / "out.xml"
    name = "test_correct_mechanism_passes[randomised-response]"
    done = run("-k", name, f"--audit-budget={3 * EVERY}s", f"--junitxml={file}")
    assert done.returncode == 0, done.stdout + done.stderr
    (case,) = ElementTree.parse(file).getroot().iter("testcase")
    assert float(case.get("time", "0")) >= 3


def test_a_junit_report_of_audits_is_written_and_holds_their_findings(tmp_path: Path) -> None:
    """With the project's own settings, in which every warning is an error; what audits found is JSON there."""
    file = tmp_path / "out.xml"
    command = [sys.executable, "-m", "pytest", "audit/test_exact_losses.py", "-k", "one_neighbour_cannot_give"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", f"--junitxml={file}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    root = ElementTree.parse(file).getroot()
    found = [value.get("value", "") for value in root.iter("property") if value.get("name") == "audit"]
    assert found
    assert all(json.loads(text)["mechanism"] for text in found)
