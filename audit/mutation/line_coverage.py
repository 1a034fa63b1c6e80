"""Which items of a suite run which lines: one traced run, kept in a file, from which a mutant's items are chosen."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import attrs
import pytest

from dpmatrix.atomic_files import write_atomically
from mutation.evidence import NoEvidenceError
from mutation.substitution import folder_of

FORMAT = "lines by items, 1"


def digest_of(files: Iterable[Path]) -> str:
    """Hash the texts of files and their places."""
    whole = hashlib.sha256()
    for file in sorted(files):
        whole.update(f"{file} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def library(name: str) -> list[Path]:
    """Return the files of a package, in order."""
    return sorted(folder_of(name).rglob("*.py"))


def texts(root: Path, suite: Sequence[str], package: str = "dpmatrix") -> set[Path]:
    """Return the files of the package, of the specification, and of the folders in which a suite stands."""
    places = [Path(word.partition("::")[0]) for word in suite]
    folders = {"spec", *(place.parts[0] for place in places if (root / place).exists())}
    found = {path for folder in folders for path in (root / folder).rglob("*.py") if not path.name.startswith("mutat")}
    return {path for path in found if "mutation" not in path.parts} | {*library(package)}


@attrs.define(eq=False)  # pytest keeps its plugins in sets
class LineRecorder:
    """A pytest plugin that notes the lines of some files while an item runs, in all threads of this process."""

    files: frozenset[str]
    lines: dict[str, dict[int, set[str]]] = attrs.Factory(dict)
    seconds: dict[str, float] = attrs.Factory(dict)
    failed: list[str] = attrs.Factory(list)
    _node: str = ""

    def _call(self, frame: FrameType, _event: str, _value: object) -> Any:
        if frame.f_code.co_filename not in self.files:
            return None
        self._line(frame, "line", None)
        return self._line

    def _line(self, frame: FrameType, _event: str, _value: object) -> Any:
        self.lines.setdefault(frame.f_code.co_filename, {}).setdefault(frame.f_lineno, set()).add(self._node)
        return self._line

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Trace an item with its fixtures."""
        self._node = item.nodeid
        threading.settrace(self._call)
        sys.settrace(self._call)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the time of an item."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.append(report.nodeid)


@attrs.frozen
class Coverage:
    """What one traced run found.

    Parameters
    ----------
    suite
        What was asked: the arguments of pytest.
    against
        Digest of the traced files and of those that hold the items.
    seconds
        Time of each item while it was traced.
    lines
        For each file, and each line of it, the items that ran it.
    """

    suite: tuple[str, ...]
    against: str
    seconds: Mapping[str, float]
    lines: Mapping[str, Mapping[int, frozenset[str]]]

    def write(self, path: Path) -> None:
        """Write it to a file."""
        nodes = sorted(self.seconds)
        places = {node: place for place, node in enumerate(nodes)}
        found = {
            "format": FORMAT,
            "suite": self.suite,
            "against": self.against,
            "seconds": [[node, round(self.seconds[node], 4)] for node in nodes],
            "lines": {
                file: {str(line): sorted(places[node] for node in run) for line, run in sorted(lines.items())}
                for file, lines in sorted(self.lines.items())
            },
        }
        write_atomically(path, json.dumps(found) + "\n", "coverage")

    @classmethod
    def read(cls, path: Path, texts: Callable[[Sequence[str]], Iterable[Path]]) -> Coverage:
        """Read what `write` wrote.

        Raises
        ------
        NoEvidenceError
            If it is none, or a file has changed since.
        """
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise NoEvidenceError(f"{path} holds no traced run ({error}); make one with --trace") from error
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise NoEvidenceError(f"{path} holds no traced run; make one with --trace")
        if found["against"] != digest_of(texts(found["suite"])):
            raise NoEvidenceError(f"{path} is of other texts than those that stand here; make it anew with --trace")
        nodes = [node for node, _ in found["seconds"]]
        lines = {
            file: {int(line): frozenset(nodes[place] for place in run) for line, run in run_by.items()}
            for file, run_by in found["lines"].items()
        }
        return cls(tuple(found["suite"]), found["against"], dict(found["seconds"]), lines)

    def items(self, file: str, tree: ast.Module, line: int) -> frozenset[str]:
        """Return the items that run the statement of a line; of one that an import runs, those that run the file."""
        lines = self.lines.get(file, {})
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        inside = [one for one in functions if one.body[0].lineno <= line <= (one.end_lineno or line)]
        if not inside:
            return frozenset[str]().union(*lines.values())
        statements = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line)
        ]
        innermost = max(statements, key=lambda node: node.lineno)
        return frozenset[str]().union(*(lines.get(number, frozenset()) for number in range(innermost.lineno, line + 1)))


def trace(root: Path, suite: Sequence[str], files: Sequence[Path], texts: Iterable[Path]) -> Coverage:
    """Run a suite in this process, traced.

    Parameters
    ----------
    root
        Where pytest runs.
    suite
        Its arguments: files, folders, items, options.
    files
        Whose lines are noted.
    texts
        Files on which the lines and the items depend.

    Raises
    ------
    NoEvidenceError
        If an item fails, or there is none.
    """
    recorder = LineRecorder(frozenset(str(file) for file in files))
    os.chdir(root)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    code = int(pytest.main(["-q", "--tb=short", "-p", "no:cacheprovider", *suite], plugins=[recorder]))
    if code != pytest.ExitCode.OK or recorder.failed:
        raise NoEvidenceError(f"the suite fails before anything is changed (exit code {code}): {recorder.failed[:5]}")
    lines = {
        file: {line: frozenset(nodes) for line, nodes in by_line.items()} for file, by_line in recorder.lines.items()
    }
    return Coverage(tuple(suite), digest_of(texts), recorder.seconds, lines)
