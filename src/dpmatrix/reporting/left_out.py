"""What a run that judges a part of the claims does not look at: it passes over files, and says at the end how much."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from dpmatrix.reporting.mentions import may_concern
from dpmatrix.reporting.sentences import counted

KEY = "left_out"


class LeftOut:
    """A plugin that passes over files of tests which cannot cite the part.

    Parameters
    ----------
    config
        Of the run.
    names
        The ids of the part's claims.
    """

    def __init__(self, config: pytest.Config, names: Collection[str]) -> None:
        self.config = config
        self.names = names
        self.patterns: Iterable[str] = config.getini("python_files")
        self.files: set[str] = set()
        self.items = 0

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Pass over a file that cites no claim of the part, before it is imported."""
        if not collection_path.is_file() or not any(fnmatch(collection_path.name, one) for one in self.patterns):
            return None
        if may_concern(collection_path, self.config.rootpath, self.names):
            return None
        self.files.add(collection_path.relative_to(self.config.rootpath).as_posix())
        return True

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Count the items of the other files that are about something else."""
        self.items += len(items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:  # noqa: ANN401 - a type of pytest-xdist
        """Take over what a worker left out; each leaves out the same."""
        files, items = getattr(node, "workeroutput", {}).get(KEY, ((), 0))
        self.files.update(files)
        self.items = max(self.items, items)

    def pytest_sessionfinish(self) -> None:
        """Tell whoever decides, from a worker."""
        if hasattr(self.config, "workerinput"):
            output: dict[str, object] = self.config.workeroutput  # type: ignore[attr-defined] # added by pytest-xdist
            output[KEY] = [sorted(self.files), self.items]

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how much was left out."""
        if not hasattr(self.config, "workerinput"):
            unread = counted(len(self.files), "file of tests", "files of tests")
            others = f"{counted(self.items, 'item')} of the other files"
            terminalreporter.write_line(f"--claims: passed over {unread} that cannot cite the part, and {others}")
