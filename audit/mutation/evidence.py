"""Which items of evidence there are, and what becomes of them in one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from dpmatrix.claims import Evidence, Grade, OutsideHypothesesError

JUDGEMENTS = (AssertionError, OutsideHypothesesError, KeyError, pytest.fail.Exception)
"""An item that raises one of these has looked and objected; anything else is a crash."""


TAIL = 1500
"""How many characters of pytest's output are kept when no item says what went wrong."""


class NoEvidenceError(RuntimeError):
    """The evidence could not be collected, or does not pass as it is."""


def collect(root: Path) -> dict[str, frozenset[str]]:
    """Ask pytest which items speak about which claims; items of statistical grade are left out.

    Returns
    -------
    dict
        For each claim id the node ids of its evidence.
    """
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "declared.json"
        command = [sys.executable, "-m", "pytest", "audit", "--collect-only", "-q", "--declared-evidence", str(listing)]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not listing.exists():
            raise NoEvidenceError(f"the evidence could not be collected:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        declared = [Evidence.from_json(record) for record in json.loads(listing.read_text(encoding="utf-8"))]
    found: dict[str, set[str]] = {}
    for item in declared:
        if item.grade is not Grade.STATISTICAL:
            found.setdefault(item.citation.claim, set()).add(item.node)
    return {claim: frozenset(nodes) for claim, nodes in found.items()}


@attrs.define(eq=False)  # pytest keeps its plugins in sets
class Recorder:
    """A pytest plugin that keeps durations and the first failure."""

    seconds: dict[str, float] = attrs.Factory(dict)
    failed: str = ""
    reason: str = ""
    judged: bool = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the time of an item."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Look at the exception itself, which a report no longer has."""
        report = yield
        if call.excinfo is not None and not self.failed:
            self.failed = item.nodeid
            self.reason = f"{call.excinfo.type.__name__}: {call.excinfo.value}".splitlines()[0][:200]
            self.judged = isinstance(call.excinfo.value, JUDGEMENTS)
        return report


def _divert() -> int:
    """Send what the process prints to a file without a name; return its descriptor."""
    with tempfile.TemporaryFile() as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        return os.dup(file.fileno())


def run(root: Path, nodes: Iterable[str], *, first_failure: bool) -> tuple[int, Recorder]:
    """Run items in this process, in the given order; return pytest's exit code and what was recorded."""
    printed = _divert()
    os.chdir(root)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    recorder = Recorder()
    options = ["-q", "-p", "no:cacheprovider", *(["-x"] if first_failure else [])]
    code = int(pytest.main([*options, *nodes], plugins=[recorder]))
    if code != pytest.ExitCode.OK and not recorder.failed:
        size = os.lseek(printed, 0, os.SEEK_END)
        recorder.reason = os.pread(printed, TAIL, max(0, size - TAIL)).decode(errors="replace")
    return code, recorder


def in_order(nodes: Iterable[str], seconds: Mapping[str, float]) -> Sequence[str]:
    """Quick items first, so that a mutant falls early."""
    return sorted(nodes, key=lambda node: (seconds.get(node, 0.0), node))
