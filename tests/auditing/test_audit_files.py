"""The files for continuous integration: what their formats ask for, and each outcome in them.

What is checked of the formats is what the schemas of JUnit (as Jenkins reads it) and of SARIF 2.1.0 require of the
parts that are written here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import attrs
import pytest
from typer.testing import CliRunner

from dpmatrix import __main__ as command_line
from dpmatrix import __version__
from dpmatrix.commands.audit_files import junit_of, sarif_of
from dpmatrix.commands.supervision import Job, Outcome

JOB = Job(
    mechanism="mine.py:f",
    replay=None,
    epsilon="1",
    delta="0",
    adjacency="replace-one",
    delete_rows=True,
    records=20,
    dimension=3,
    norm_bound=1.0,
    pairs=None,
    data_from=None,
    domain=None,
    failure_probability="1/1000000",
    began=1_800_000_000.25,
    seconds=60.0,
    learned=None,
    representation=False,
    curve=[],
    workers=1,
    training=None,
    confirmation=None,
    seed=None,
    checkpoint=None,
    resume=False,
)
ENDED = JOB.began + 12.5
VIOLATED = Outcome(code=1, report="(1, 0)-differential privacy is violated\npair: a & b <c>")
PASSED = Outcome(code=0, report="(1, 0)-differential privacy is not refuted")
NO_VERDICT = Outcome(code=2, reason="no verdict: the mechanism raised ValueError: \x00\x1b[31m\ud800")
INTERRUPTED = Outcome(code=130, reason="interrupted: nothing was learned")
OUTCOMES = [VIOLATED, PASSED, NO_VERDICT, INTERRUPTED]
CASE_PARTS = {"failure", "error", "skipped", "system-out", "system-err"}
SUITE = {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}


def read_junit(text: str) -> ElementTree.Element:
    """Parse a file as JUnit, and return its only test case."""
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n')
    suites = ElementTree.fromstring(text.encode("utf-8"))
    assert suites.tag == "testsuites"
    assert set(suites.attrib) <= {"name", "tests", "failures", "errors", "time", "disabled"}
    (suite,) = suites
    assert suite.tag == "testsuite"
    assert {"name", "tests"} <= set(suite.attrib) <= SUITE
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    (case,) = suite
    assert case.tag == "testcase"
    assert {"name", "classname"} <= set(case.attrib) <= {"name", "classname", "time"}
    assert float(case.attrib["time"]) >= 0
    tags = [part.tag for part in case]
    assert set(tags) <= CASE_PARTS
    assert len(tags) == len(set(tags))
    for parent in (suites, suite):
        assert parent.attrib["tests"] == "1"
        assert parent.attrib["failures"] == str(tags.count("failure"))
        assert parent.attrib["errors"] == str(tags.count("error"))
    for part in case:
        assert set(part.attrib) <= {"message", "type"}
        assert ("type" in part.attrib) == (part.tag in ("failure", "error"))
    return case


def read_sarif(text: str) -> dict[str, Any]:
    """Parse a file as SARIF, and return its only run."""
    log = json.loads(text)
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("/sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    assert set(run) == {"tool", "invocations", "results"}
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert driver["version"] == __version__
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert set(rule) <= {"id", "name", "shortDescription", "defaultConfiguration"}
        assert rule["shortDescription"]["text"]
    for invocation in run["invocations"]:
        assert isinstance(invocation["executionSuccessful"], bool)
        assert isinstance(invocation["exitCode"], int)
        for name in ("startTimeUtc", "endTimeUtc"):
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", invocation[name])
        for note in invocation["toolExecutionNotifications"]:
            assert note["message"]["text"]
            assert note["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert set(result) == {"ruleId", "ruleIndex", "level", "message", "locations"}
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("warning", "error")
        assert result["message"]["text"]
        assert result["locations"]
        for location in result["locations"]:
            assert set(location) <= {"logicalLocations", "physicalLocation"}
            place = location.get("physicalLocation")
            assert place is None or re.fullmatch(r"[A-Za-z0-9_.~/:%-]+", place["artifactLocation"]["uri"])
            assert place is None or place.get("region", {"startLine": 1})["startLine"] >= 1
    return dict(run)


@pytest.mark.parametrize(
    ("outcome", "tag", "word"),
    [
        (VIOLATED, "failure", "PrivacyViolation"),
        (PASSED, "system-out", None),
        (NO_VERDICT, "error", "NoVerdict"),
        (INTERRUPTED, "error", "NoVerdict"),
    ],
)
def test_a_test_case_is_as_the_outcome(outcome: Outcome, tag: str, word: str | None) -> None:
    case = read_junit(junit_of(JOB, outcome, ENDED))
    assert case.attrib == {
        "classname": "mine.py",
        "name": "f is (1, 0)-differentially private by replace-one",
        "time": "12.500",
    }
    (part,) = case
    assert (part.tag, part.get("type")) == (tag, word)
    if outcome is VIOLATED:
        assert part.text == outcome.report
        assert part.get("message") == "(1, 0)-differential privacy is violated"
    if outcome is NO_VERDICT:
        assert part.get("message") == "no verdict: the mechanism raised ValueError: \ufffd\ufffd[31m\ufffd"


@pytest.mark.parametrize(
    ("outcome", "rule", "level"),
    [
        (VIOLATED, "privacy-violation", "error"),
        (NO_VERDICT, "no-verdict", "warning"),
        (INTERRUPTED, "no-verdict", "warning"),
    ],
)
def test_a_run_has_a_result_unless_the_guarantee_is_not_refuted(outcome: Outcome, rule: str, level: str) -> None:
    run = read_sarif(sarif_of(JOB, outcome, ENDED))
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == (rule, level)
    assert result["message"]["text"] == (outcome.report or outcome.reason)
    assert run["invocations"][0]["executionSuccessful"] == (outcome.code == 1)
    assert run["invocations"][0]["exitCode"] == outcome.code


def test_a_pass_has_no_result_and_says_what_it_means() -> None:
    run = read_sarif(sarif_of(JOB, PASSED, ENDED))
    assert run["results"] == []
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == PASSED.report
    assert (invocation["startTimeUtc"], invocation["endTimeUtc"]) == ("2027-01-15T08:00:00Z", "2027-01-15T08:00:12Z")


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_event_that_is_counted_again_is_named_by_its_file(outcome: Outcome) -> None:
    job = attrs.evolve(JOB, mechanism=None, replay="found.json")
    assert read_junit(junit_of(job, outcome, ENDED)).attrib["name"] == "the event of found.json"
    for result in read_sarif(sarif_of(job, outcome, ENDED))["results"]:
        assert result["locations"] == [{"logicalLocations": [{"fullyQualifiedName": "the event of found.json"}]}]


@pytest.mark.parametrize(
    ("mechanism", "uri", "line"),
    [
        ("mine.py:f", "mine.py", 3),
        ("mine.py:Kept.method", "mine.py", 6),
        ("mine.py:m", "mine.py", 9),
        ("mine.py:imported", "mine.py", None),
        ("a folder/mine, too.py:f", "a folder/mine, too.py", 1),
        ("package.module:f", "package/module.py", 1),
        ("broken.py:f", "broken.py", None),
        ("elsewhere.module:f", None, None),
        ("nowhere.py:f", None, None),
    ],
)
def test_a_result_stands_where_the_mechanism_does(
    mechanism: str, uri: str | None, line: int | None, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "import sys\n\ndef f(data):\n    sys.exit(3)\n\nclass Kept:\n    def method(self, data):\n        pass\nm = f\n"
    )
    for name in ("a folder", "package"):
        (tmp_path / name).mkdir()
    for name in ("a folder/mine, too.py", "package/module.py"):
        (tmp_path / name).write_text("def f(data):\n    pass\n")
    (tmp_path / "broken.py").write_text("def f(:\n")
    (result,) = read_sarif(sarif_of(attrs.evolve(JOB, mechanism=mechanism), VIOLATED, ENDED))["results"]
    (location,) = result["locations"]
    assert location["logicalLocations"] == [{"fullyQualifiedName": mechanism}]
    place = location.get("physicalLocation")
    assert (None if place is None else unquote(place["artifactLocation"]["uri"])) == uri
    assert (None if place is None else place.get("region", {}).get("startLine")) == line
    absolute = attrs.evolve(JOB, mechanism=f"{tmp_path}/mine.py:f")
    (result,) = read_sarif(sarif_of(absolute, VIOLATED, ENDED))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "mine.py"


SIZES = ["--training", "100", "--confirmation", "3000", "--records", "1", "--dimension", "1", "--workers", "1"]
MECHANISMS = """
def wrong(data, size, generator):
    return data.sum() + generator.laplace(scale=0.3, size=size)

def right(data, size, generator):
    return data.sum() + generator.laplace(scale=2, size=size)

def fails(data):
    raise ValueError("no")

def kills(data):
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("name", "code", "tag", "results"),
    [("wrong", 1, "failure", 1), ("right", 0, "system-out", 0), ("fails", 2, "error", 1), ("kills", 2, "error", 1)],
)
def test_the_command_writes_both_and_its_exit_code_is_the_same(
    name: str, code: int, tag: str, results: int, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(MECHANISMS)
    files = ["--junit", "out.xml", "--sarif", "out.sarif", "--json", "out.json"]
    done = subprocess.run(
        [sys.executable, "-m", "dpmatrix", "audit", f"mine.py:{name}", *SIZES, "--no-learned", "--seed", "1", *files],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    (part,) = read_junit((tmp_path / "out.xml").read_text(encoding="utf-8"))
    assert part.tag == tag
    assert len(read_sarif((tmp_path / "out.sarif").read_text(encoding="utf-8"))["results"]) == results
    assert (tmp_path / "out.json").exists() == (code != 2)
    left = {path.name for path in tmp_path.iterdir()} - {"mine.py", "__pycache__", "out.xml", "out.sarif", "out.json"}
    assert not left


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--junit", "none/out.xml"], "junit: there is no folder none"),
        (["--sarif", "none/out.sarif"], "sarif: there is no folder none"),
        (["--sarif", "folder"], "sarif: "),
        (["--junit", "link.xml"], "junit: "),
        (["--junit", "out.xml", "--sarif", "./out.xml"], "is the file of --junit as well"),
        (["--json", "out.xml", "--junit", "out.xml"], "is the file of --json as well"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_audit(
    arguments: list[str], problem: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.xml").symlink_to("elsewhere.xml")
    done = CliRunner().invoke(command_line.app, ["audit", "there-is-no-such.py:f", *SIZES, *arguments])
    assert done.exit_code == 2
    assert problem in done.stderr
    assert "cannot be imported" not in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "link.xml"}
