"""House rules as tests: types, style and the direction of imports, checked by the tools that `make lint` runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.long_files_first import LONG

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
TEXT = ("*.py", "*.md", "*.toml", "*.j2", "Makefile", "*.json")


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",), ("lint-imports",)],
    ids=lambda command: " ".join(command),
)
def test_tool_is_satisfied(command: tuple[str, ...]) -> None:
    run(str(BIN / command[0]), *command[1:])


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-peers.txt"])
def test_requirements_are_pinned_hashed_and_name_no_registry(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert "://" not in text
    pins = [line for line in text.splitlines() if re.match(r"[A-Za-z0-9]", line)]
    assert pins
    assert all("==" in line for line in pins)
    assert text.count("--hash=sha256:") >= len(pins)


def test_specification_is_packaged_once() -> None:
    """``dpmatrix.spec`` is the top-level folder ``spec``, and a wheel carries it."""
    link = ROOT / "src" / "dpmatrix" / "spec"
    assert link.is_symlink()
    assert link.resolve() == ROOT / "spec"


def test_no_suppressed_type_error_is_without_a_reason() -> None:
    silent = [
        f"{path}:{number}"
        for path in (ROOT / "src").rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"type: ignore\[[a-z-]+\]\s*$", line) or re.search(r"type: ignore(?!\[)", line)
    ]
    assert not silent


def test_files_that_are_begun_first_exist() -> None:
    assert [file for file in LONG if not (ROOT / file).is_file()] == []
    assert len(set(LONG)) == len(LONG)
