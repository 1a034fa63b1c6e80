"""How an audit ended, in the files that continuous integration reads: JUnit XML and SARIF 2.1.0."""

from __future__ import annotations

import ast
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from dpmatrix import __version__
from dpmatrix.commands.supervision import Job, Outcome

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_RULES = (
    ("privacy-violation", "PrivacyViolation", "A guarantee of differential privacy is violated.", "error"),
    ("no-verdict", "NoVerdict", "It is not known whether a guarantee of differential privacy is violated.", "warning"),
)
# Text that XML 1.0 has no way to hold.
_UNHEARD_OF = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _clean(text: str) -> str:
    return _UNHEARD_OF.sub("\ufffd", text)


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def name_of(job: Job) -> str:
    """Say what was audited."""
    return job.mechanism if job.mechanism is not None else f"the event of {job.replay}"


def junit_of(job: Job, outcome: Outcome, ended: float) -> str:
    """Return a suite of one test case: failed if the guarantee is violated, with an error if there is no verdict.

    Parameters
    ----------
    job, outcome
        What was audited, and how that ended.
    ended
        When, by ``time.time``.
    """
    violated, unknown = outcome.code == 1, outcome.code not in (0, 1)
    seconds = f"{max(0.0, ended - job.began):.3f}"
    counts = {"tests": "1", "failures": str(int(violated)), "errors": str(int(unknown))}
    suites = ElementTree.Element("testsuites", counts | {"time": seconds})
    began = datetime.fromtimestamp(job.began, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    about = {"name": "dpmatrix audit", "skipped": "0", "time": seconds, "timestamp": began}
    suite = ElementTree.SubElement(suites, "testsuite", counts | about)
    where, _, what = name_of(job).rpartition(":")
    claim = f"{what} is ({job.epsilon}, {job.delta})-differentially private by {job.adjacency}"
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "classname": _clean(where or "dpmatrix"),
            "name": _clean(what if job.mechanism is None else claim),
            "time": seconds,
        },
    )
    if violated or unknown:
        text = outcome.report if violated else outcome.reason
        kind = "failure" if violated else "error"
        told = {"message": _clean(_first_line(text)), "type": _RULES[int(unknown)][1]}
        ElementTree.SubElement(case, kind, told).text = _clean(text)
    elif outcome.report:
        ElementTree.SubElement(case, "system-out").text = _clean(outcome.report)
    ElementTree.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suites, encoding="unicode")}\n'


def sarif_of(job: Job, outcome: Outcome, ended: float) -> str:
    """Return a run with one result if the guarantee is violated or there is no verdict, and none if it is not refuted.

    That there is no verdict is a result, since a file without results is read as a pass. Parameters as for `junit_of`.
    """
    results: list[dict[str, Any]] = []
    if outcome.code != 0:
        index = int(outcome.code != 1)
        results.append(
            {
                "ruleId": _RULES[index][0],
                "ruleIndex": index,
                "level": _RULES[index][3],
                "message": {"text": outcome.report if outcome.code == 1 else outcome.reason or "no verdict"},
                "locations": [_location(job)],
            }
        )
    told = outcome.reason or outcome.report
    note = {"level": "note" if outcome.code in (0, 1) else "error", "message": {"text": told or "nothing was said"}}
    invocation = {
        "executionSuccessful": outcome.code in (0, 1),
        "exitCode": outcome.code,
        "startTimeUtc": _moment(job.began),
        "endTimeUtc": _moment(max(job.began, ended)),
        "toolExecutionNotifications": [note],
    }
    rules = [
        {"id": name, "name": kind, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for name, kind, text, level in _RULES
    ]
    driver = {"name": "dpmatrix audit", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    # Escapes keep what is no character out of the file.
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _location(job: Job) -> dict[str, Any]:
    """Say where the mechanism stands; the file is looked for below this folder, and not imported."""
    name = name_of(job)
    found: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": name}]}
    module, _, path = name.rpartition(":")
    file = Path(module) if module.endswith(".py") else Path(*module.split(".")).with_suffix(".py") if module else None
    if file is not None and file.is_file():
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
        line = _line_of(file, path.partition(".")[0])
        found["physicalLocation"] = place if line is None else place | {"region": {"startLine": line}}
    return found


def _uri(file: Path) -> str:
    absolute = file.absolute()
    if absolute.is_relative_to(Path.cwd()):
        return quote(absolute.relative_to(Path.cwd()).as_posix())
    return absolute.as_uri()


def _line_of(file: Path, name: str) -> int | None:
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return None
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node.lineno
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return node.lineno
    return None
