"""The command asks about the low bits of outputs where it is told to, and about nothing else then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpmatrix import __main__ as command_line
from tests.auditing.test_no_verdict import run

FEW = ("--training", "1000", "--confirmation", "10000", "--workers", "1")
MECHANISMS = """
import numpy as np

def float_laplace(data, size, generator):
    return np.sum(data**2) + generator.laplace(size=size)

def in_a_dictionary(data):
    noise = np.random.default_rng().laplace()
    return {"total": float(np.sum(data**2)) + noise, "kind": "a table"}

def whole(data, size, generator):
    return np.rint(8 * np.sum(data**2) + generator.laplace(scale=8, size=size))

def half_the_noise(data, size, generator):
    return np.rint(64 * np.sum(data**2) + generator.laplace(scale=32, size=size)) / 64

def half_the_float_noise(data, size, generator):
    return np.sum(data**2) + generator.laplace(scale=0.25, size=size)

SEEDED = np.random.default_rng(7)
TWICE = (noise for noise in iter(np.random.default_rng().laplace, None) for _ in range(2))

def kept_for_some(data):
    total = float(np.sum(data**2))
    return total + next(TWICE) if total > 0.9 else np.rint(8 * total + np.random.default_rng().laplace(scale=8))

def seeded(data):
    return float(np.sum(data**2)) + SEEDED.laplace()

def fails(data):
    raise ValueError("always")

def slow(data):
    import time
    time.sleep(0.05)
    return float(np.sum(data**2)) + np.random.default_rng().laplace()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("low_bits")
    (place / "mine.py").write_text(MECHANISMS, encoding="utf-8")
    return place


@pytest.mark.parametrize("name", ["float_laplace", "in_a_dictionary"])
def test_floats_that_leak_by_their_last_bits_are_refuted(folder: Path, name: str) -> None:
    done = run(folder, name, "--representation", *FEW)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "violated by the low bits of the outputs, confidence 1 - 1/1000000" in done.stdout
    assert "tried: neighbours by replace-one, n = 20, d = 3, norms at most 1; 25 of 25 pairs" in done.stdout
    assert "outputs: 1000 on each data set to choose an event, 10000 to count it" in done.stdout
    assert list(folder.glob("*.json")) == []


@pytest.mark.parametrize("name", ["whole", "half_the_noise"])
def test_what_has_no_low_bits_is_not_refuted_by_them(folder: Path, name: str) -> None:
    """Half of the noise is a violation that another question finds."""
    done = run(folder, name, "--representation", *FEW)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not refuted by low bits" in done.stdout
    assert "these alone were looked at" in done.stdout


def test_counts_that_refute_the_claim_are_a_violation_whatever_their_cause(folder: Path) -> None:
    done = run(folder, "half_the_float_noise", "--representation", *FEW)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "differential privacy is violated " in done.stdout


def test_outputs_that_repeat_where_they_were_counted_prove_nothing(folder: Path) -> None:
    """On the first pair they are whole and do not; on the second one they are kept."""
    sets = [{"data": [[first, 0, 0]], "neighbour": [[other, 0, 0]]} for first, other in ((0.5, 0), (1, 0.97))]
    (folder / "pairs.json").write_text(json.dumps(sets), encoding="utf-8")
    done = run(folder, "kept_for_some", "--representation", *FEW, "--pairs", "pairs.json")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "outputs that are not independent prove nothing" in done.stderr


def test_an_audit_of_the_rest_says_how_low_bits_are_asked_about(folder: Path) -> None:
    done = run(folder, "half_the_noise", *FEW)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "low bits: not looked at where outputs are rounded" in done.stdout
    assert "--representation of the command" in done.stdout


@pytest.mark.parametrize(
    ("name", "reason", "more"),
    [
        ("seeded", "two processes draw the same", FEW),
        ("fails", "the mechanism raised ValueError: always", FEW),
        ("slow", "allow more time", ("--budget", "12s")),
        ("float_laplace", "any leak would have passed", ("--training", "1000", "--confirmation", "10")),
    ],
)
def test_there_is_no_verdict_on_low_bits_either(folder: Path, name: str, reason: str, more: tuple[str, ...]) -> None:
    done = run(folder, name, "--representation", *more)
    assert done.returncode == 2, done.stdout + done.stderr
    assert reason in done.stderr
    assert done.stdout == ""


def test_the_files_of_continuous_integration_tell_it(folder: Path) -> None:
    done = run(folder, "float_laplace", "--representation", *FEW, "--sarif", "found.sarif", "--junit", "found.xml")
    assert done.returncode == 1
    result = json.loads((folder / "found.sarif").read_text(encoding="utf-8"))["runs"][0]["results"][0]
    assert "by the low bits" in result["message"]["text"]
    assert 'failures="1"' in (folder / "found.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "a.json"],
        ["--curve", "2"],
        ["--resume"],
        ["--checkpoint", "c"],
        ["--learned"],
        ["--replay", "a.json"],
    ],
)
def test_what_an_audit_of_low_bits_has_no_use_for_is_refused(folder: Path, arguments: list[str]) -> None:
    place = str(folder / "mine.py")
    done = CliRunner().invoke(command_line.app, ["audit", f"{place}:whole", "--representation", *arguments])
    assert done.exit_code == 2
    assert "an audit of low bits has no use for it" in done.output
