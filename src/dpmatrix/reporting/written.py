"""Evidence that is written in a file and that pytest never collected: an ignored file, a shadowed or misnamed item."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from dpmatrix.claims import Evidence

MARK = "evidence"


def _markers(source: str) -> Iterator[tuple[str, str]]:
    """Citation and role of every ``mark.evidence(...)`` whose words are literals."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith(f"mark.{MARK}")):
            continue
        role = next((keyword.value for keyword in node.keywords if keyword.arg == "role"), None)
        citation = node.args[0] if node.args else None
        if isinstance(citation, ast.Constant) and isinstance(role, ast.Constant):
            yield str(citation.value), str(role.value)


def uncollected(root: Path, folders: Iterable[str], patterns: Iterable[str], evidence: Iterable[Evidence]) -> list[str]:
    """List the evidence that stands in the folders' test files and is not among what was collected.

    Parameters
    ----------
    root, folders
        The checkout, and the folders of it that hold evidence.
    patterns
        Names of files that hold tests.
    evidence
        What was collected.
    """
    collected = set()
    for item in evidence:
        stamp = f"@{item.citation.fingerprint}" if item.citation.fingerprint else ""
        collected.add((item.node.partition("::")[0], item.citation.target + stamp, item.role.value))
    patterns = (*patterns, "test_*.py")
    missing = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            if not any(fnmatch(path.name, pattern) for pattern in patterns):
                continue
            source = path.read_text(encoding="utf-8")
            name = path.relative_to(root).as_posix()
            if f".{MARK}(" in source:
                missing += [
                    f"{name}: {role} {citation} is written there and was not collected"
                    for citation, role in sorted(set(_markers(source)))
                    if (name, citation, role) not in collected
                ]
    return missing
