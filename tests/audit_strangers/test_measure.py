"""The measurement of strangers: what it calls, what it knows already, and what its table says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from attrs import asdict, evolve

from audit.strangers import STRANGERS
from audit.strangers import measure as module
from audit.strangers.later import LATER
from audit.strangers.measure import Measured, command, known, measure, source_of, summary, table

FAULTY = next(stranger for stranger in STRANGERS if not stranger.right)
RIGHT = next(stranger for stranger in STRANGERS if stranger.right)
FOUND = Measured(FAULTY.name, source_of(FAULTY), "found", 60.0, 50.0, 4.25, 1000, "")


def test_the_command_is_given_the_claim_and_every_default() -> None:
    options = {word for word in command(FAULTY, Path("result.json")) if word.startswith("--")}
    assert options == {"--epsilon", "--delta", "--adjacency", "--json"}


def test_results_of_the_same_function_are_known_and_others_are_not(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    assert known(results) == {}
    results.write_text(json.dumps(asdict(FOUND)) + "\n", encoding="utf-8")
    assert known(results) == {FAULTY.name: FOUND}
    results.write_text(json.dumps(asdict(evolve(FOUND, source="another"))) + "\n", encoding="utf-8")
    assert known(results) == {}


def test_the_table_has_what_was_measured() -> None:
    text = table({FAULTY.name: FOUND})
    assert sum(line.startswith("| ") for line in text.splitlines()) == 2
    assert "| found | 4.25 | 1000 | 60 | 50 |" in text
    assert f"1 found, 0 missed, 0 no verdict, 0 passed, 0 false alarm, 0 starved; {len(STRANGERS) - 1} of" in text
    assert summary({}).startswith("0 found")


@pytest.mark.parametrize(
    ("outcome", "seconds", "processor_seconds", "starved"),
    [
        ("missed", 70.0, 5.0, True),
        ("no verdict", 70.0, 5.0, True),
        ("missed", 70.0, 100.0, False),
        ("no verdict", 9.0, 5.0, False),  # it ended early, of itself
        ("found", 70.0, 5.0, False),
    ],
)
def test_a_result_without_processors_means_nothing_unless_it_refutes(
    outcome: str, seconds: float, processor_seconds: float, starved: bool
) -> None:
    result = evolve(FOUND, outcome=outcome, seconds=seconds, processor_seconds=processor_seconds)
    assert result.starved == starved
    assert result.word == ("starved" if starved else outcome)


@pytest.mark.parametrize(
    ("code", "violated", "faulty", "right"),
    [(0, False, "missed", "passed"), (1, True, "found", "false alarm"), (1, None, *["no verdict"] * 2)],
)
def test_exit_codes_are_read_with_the_truth(
    monkeypatch: pytest.MonkeyPatch, code: int, violated: bool | None, faulty: str, right: str
) -> None:
    """A command that leaves no file has no verdict, whatever its exit code."""
    record = {"epsilon_lower_bound": 2.0, "counts": {"trials": 10}}

    def instead(stranger: object, path: Path) -> list[str]:
        write = "pass" if violated is None else f"pathlib.Path({str(path)!r}).write_text({json.dumps(record)!r})"
        return [sys.executable, "-c", f"import pathlib, sys; {write}; sys.exit({code})"]

    monkeypatch.setattr(module, "command", instead)
    assert measure(FAULTY).outcome == faulty
    assert measure(RIGHT).outcome == right


def test_the_second_set_has_a_table_of_its_own(tmp_path: Path) -> None:
    missed = next(stranger for stranger in LATER if not stranger.right)
    result = Measured(missed.name, source_of(missed), "missed", 60.0, 50.0, None, 1000, "")
    results = tmp_path / "results.jsonl"
    results.write_text(json.dumps(asdict(result)) + "\n", encoding="utf-8")
    assert known(results) == {}
    assert known(results, LATER) == {missed.name: result}
    text = table({missed.name: result}, LATER)
    assert "`audit/strangers/later`" in text
    assert f"1 missed, 0 no verdict, 0 passed, 0 false alarm, 0 starved; {len(LATER) - 1} of {len(LATER)} not" in text
    assert len(LATER) == 60
    assert sum(not stranger.right for stranger in LATER) == 40
    assert not {stranger.name for stranger in LATER} & {stranger.name for stranger in STRANGERS}
