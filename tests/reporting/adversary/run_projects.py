"""Run pytest in several projects, each in a fork of one process that has imported what all of them need.

Called as a program with a file of jobs: a list of ``{"root": ..., "arguments": [...], "without": [...]}``, where the
last are names of guards that are taken away. Each job leaves what it printed in ``output.txt`` of its root, and its
exit code, as a parent sees it, in ``code.txt``.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from pathlib import Path

import pytest
from _pytest.config import default_plugins  # what every run of pytest imports
from guards import take_away

PLUGIN = "dpmatrix.reporting.pytest_plugin"
IMPORTED = (
    *("conduct", "environment", "html", "implementations", "intact", "kernel_run", "outcomes", "part", "record"),
    *("restamp", "snapshots", "terminal", "vacuity", "written"),
)
"""What the session needs; pytest imports the plugin and the session, which find what is left of the guards."""


def _stamp(root: Path, without: list[str]) -> None:
    """Bring the fingerprints in all citations up to date."""
    take_away(without)
    sys.path[:0] = [str(root), str(root / "src")]
    restamp = importlib.import_module("dpmatrix.reporting.restamp").restamp
    restamp(root, dict(importlib.import_module("toyspec").load().fingerprints))


def _in_a_fork(root: Path, work) -> int:
    """Do something in a child whose output goes to a file; return its exit code."""
    child = os.fork()
    if child == 0:
        os.chdir(root)
        output = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.exit(work())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _judge(job: dict) -> int:
    take_away(job["without"])
    return pytest.main(["-p", PLUGIN, "audit", *job["arguments"]])


def main(jobs: list[dict]) -> None:
    """Run every job, one after the other."""
    for name in (
        *(f"_pytest.{name}" for name in default_plugins),
        *(f"dpmatrix.reporting.{name}" for name in IMPORTED),
    ):
        importlib.import_module(name)
    templates = importlib.import_module("dpmatrix.reporting.html").templates()
    for name in templates.list_templates():
        templates.get_template(name)
    gc.collect()
    gc.freeze()  # a fork need not look through all of it when it collects
    for job in jobs:
        root = Path(job["root"])
        _in_a_fork(root, lambda root=root, job=job: _stamp(root, job["without"]))
        code = _in_a_fork(root, lambda job=job: _judge(job))
        (root / "code.txt").write_text(str(code))


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
