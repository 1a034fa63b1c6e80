"""Tests are collected wherever the extra `audit` is installed: what needs another package skips, and says so."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("audit", "tests", "proofs_checks")
OURS = {"dpmatrix", *FOLDERS, "mutation", "faults", "guards"}
IMPORTED = {
    "markdown-it-py": "markdown_it",
    "python-flint": "flint",
    "scikit-learn": "sklearn",
    "pytest-xdist": "xdist",
}
"""What a package is imported by, where that is not its name."""
COME_ALONG = {"_pytest", "joblib"}
"""Parts of pytest, and a package without which scikit-learn is not installed."""
ELSEWHERE = "audit/peers/"
"""A folder whose items are collected only where the libraries that they compare with are installed."""
BLOCKER = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"click", "dp_accounting"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
"""


def installed_with_the_extra() -> set[str]:
    """Return the names of the packages that `pip install dpmatrix[audit]` asks for, as they are imported."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["audit"], *extras["estimators"]]
    names = {re.split(r"[\[<>= ]", one)[0] for one in wanted}
    return {IMPORTED.get(name, name) for name in names}


def imported_at_once(path: Path) -> set[str]:
    """Return the first names of the modules that a file imports as soon as it is read itself."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_no_file_of_tests_needs_more_than_the_extra_to_be_read() -> None:
    allowed = OURS | COME_ALONG | installed_with_the_extra() | set(sys.stdlib_module_names)
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    told = {path.relative_to(ROOT).as_posix(): imported_at_once(path) - allowed for path in files}
    assert len(told) > 200
    assert {path: names for path, names in told.items() if names and not path.startswith(ELSEWHERE)} == {}


def test_without_the_accountant_its_tests_are_skipped_and_nothing_else_is_lost(tmp_path: Path) -> None:
    (tmp_path / "blocker.py").write_text(BLOCKER, encoding="utf-8")
    files = ("privacy/test_composition_of_losses.py", "privacy/test_composition_of_renyi_curves_and_groups.py")
    command = [sys.executable, "-m", "pytest", *(f"tests/{file}" for file in (*files, "release_certificates"))]
    done = subprocess.run(
        [*command, "-p", "blocker", "-p", "no:cacheprovider", "-k", "other_account or no_such_item", "-q"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("dp-accounting is an extra of its own") == 2
    assert "2 skipped" in done.stdout
