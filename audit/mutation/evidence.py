"""Which items of evidence there are, and what becomes of them in one process."""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from dpmatrix.claims import Evidence, Grade
from dpmatrix.claims.evidence import KERNEL_GRADES
from mutation.pool import forked

FOLDERS = ("proofs_checks", "tests", "audit")

SECONDS_OF_COLLECTION = 1800.0
"""Processor time after which the collection is given up."""
OVERHEAD = 0.01
"""Seconds that an item takes beside its own."""
TAIL = 1500
"""How many characters of pytest's output are kept when no item says what went wrong."""


class NoEvidenceError(RuntimeError):
    """The evidence could not be collected, or does not pass as it is."""


def _files(root: Path, claims: Collection[str]) -> list[str]:
    """Files whose text cites one of the claims; all folders when none is chosen."""
    if not claims:
        return ["audit"]
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("test_*.py"))]
    cited = tuple(f'"{claim}{end}' for claim in claims for end in ('"', "@", "+", "/"))
    named = [path for path in files if any(words in path.read_text(encoding="utf-8") for words in cited)]
    if not named:
        raise NoEvidenceError(f"no file of evidence cites {', '.join(sorted(claims))}")
    return [str(path.relative_to(root)) for path in named]


def collect(root: Path, claims: Collection[str]) -> dict[str, frozenset[str]]:
    """Ask pytest which items speak about which claims.

    Items of statistical grade are left out, and those about theorems: they compare texts, and notice any change.

    Parameters
    ----------
    root
        The checkout.
    claims
        Claims for which only the files that cite them are asked; empty for all claims.

    Returns
    -------
    dict
        For each claim id the node ids of its evidence.
    """
    files = _files(root, claims)
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "declared.json"
        [(_, (code, said))] = forked(
            lambda _: _declared(root, files, listing), [None], lambda _: SECONDS_OF_COLLECTION, workers=1
        )
        if code != 0 or not listing.exists():
            raise NoEvidenceError(f"the evidence could not be collected:\n{said}")
        declared = [Evidence.from_json(record) for record in json.loads(listing.read_text(encoding="utf-8"))]
    found: dict[str, set[str]] = {}
    for item in declared:
        if item.grade is not Grade.STATISTICAL and item.grade not in KERNEL_GRADES:
            found.setdefault(item.citation.claim, set()).add(item.node)
    return {claim: frozenset(nodes) for claim, nodes in found.items()}


def _declared(root: Path, files: Sequence[str], listing: Path) -> tuple[int, str]:
    """Have pytest write down in this process what evidence there is; return its exit code and the end of its output."""
    printed = _divert()
    os.chdir(root)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # as `run` asks
    options = ["--collect-only", "-q", "-p", "no:cacheprovider", "--declared-evidence", str(listing)]
    code = int(pytest.main([*files, *options]))
    return code, _end_of(printed, 2 * TAIL)


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
        if report.failed and not self.failed:
            self.failed = item.nodeid
            if call.excinfo is None:  # it was meant to fail, and passed
                self.reason, self.judged = "passed", True
                return report
            self.reason = f"{call.excinfo.type.__name__}: {call.excinfo.value}".splitlines()[0][:200]
            judges = importlib.import_module("dpmatrix.reporting.judgements").judges  # may be imported anew
            # an item that names a hypothesis which is gone has looked for it
            self.judged = isinstance(call.excinfo.value, KeyError) or judges(call.excinfo.value)
        return report


def _divert() -> int:
    """Send what the process prints to a file without a name; return its descriptor."""
    with tempfile.TemporaryFile() as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        return os.dup(file.fileno())


def _end_of(printed: int, size: int) -> str:
    sys.stdout.flush()
    sys.stderr.flush()
    end = os.lseek(printed, 0, os.SEEK_END)
    return os.pread(printed, size, max(0, end - size)).decode(errors="replace")


def run(root: Path, nodes: Iterable[str], *, first_failure: bool) -> tuple[int, Recorder]:
    """Run items in this process, in the given order; return pytest's exit code and what was recorded."""
    printed = _divert()
    os.chdir(root)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    recorder = Recorder()
    # a native traceback is the one that reads no source again
    options = ["-q", "--tb=native", "-p", "no:cacheprovider", *(["-x"] if first_failure else [])]
    try:
        code = int(pytest.main([*options, *nodes], plugins=[recorder]))
    except (pytest.PytestUnraisableExceptionWarning, ExceptionGroup) as warning:  # what is left open at the very end
        code = int(pytest.ExitCode.TESTS_FAILED)
        if not recorder.failed:
            recorder.failed, recorder.reason = [*recorder.seconds][-1], str(warning).splitlines()[0][:200]
    if code != pytest.ExitCode.OK and not recorder.failed:
        recorder.reason = _end_of(printed, TAIL)
    return code, recorder


def with_items(root: Path, files: Iterable[str], plugins: Sequence[object]) -> tuple[int, str]:
    """Have pytest collect files in this process, for a plugin that runs its items.

    Returns
    -------
    tuple
        Pytest's exit code, and the end of what it printed.
    """
    printed = _divert()
    os.chdir(root)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    # what is printed is kept in the memory of each process: a file would be shared with those that are forked
    options = ["-q", "--tb=native", "--capture=sys", "-p", "no:cacheprovider"]
    code = int(pytest.main([*options, *files], plugins=[*plugins]))
    return code, _end_of(printed, TAIL)


def in_order(
    nodes: Iterable[str], seconds: Mapping[str, float], kills: Mapping[str, int], last: str | None = None
) -> Sequence[str]:
    """Put first what noticed this change, then what noticed most of its function a second, then what is quick."""

    def rate(node: str) -> float:
        return kills.get(node, 0) / (OVERHEAD + seconds.get(node, 0.0))

    return sorted(nodes, key=lambda node: (node != last, -rate(node), seconds.get(node, 0.0), node))
