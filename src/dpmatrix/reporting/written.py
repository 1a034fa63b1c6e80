"""Evidence that is written in a file and that pytest never collected: an ignored file, a shadowed or misnamed item."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

from dpmatrix.claims import Evidence
from dpmatrix.reporting.citing import METHODS, Cited, cite

MARK = "evidence"


def written(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Citation and role of every item of evidence whose words are literals, in the order of the text."""
    cited = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        mark = _marker(call) if ast.unparse(call.func).endswith(f"mark.{MARK}") else _of_citation(call, cited)
        if mark is not None:
            yield mark


def _marker(call: ast.Call) -> tuple[str, str] | None:
    """Read ``mark.evidence(...)``."""
    role = next((keyword.value for keyword in call.keywords if keyword.arg == "role"), None)
    citation = call.args[0] if call.args else None
    if isinstance(citation, ast.Constant) and isinstance(role, ast.Constant):
        return str(citation.value), str(role.value)
    return None


def _of_citation(call: ast.Call, cited: Mapping[str, ast.Call]) -> tuple[str, str] | None:
    """Read ``cite(...).refutes(...)``, or the same through a name."""
    method = call.func
    if not (isinstance(method, ast.Attribute) and method.attr in METHODS):
        return None
    source = cited.get(method.value.id) if isinstance(method.value, ast.Name) else method.value
    if not (isinstance(source, ast.Call) and ast.unparse(source.func).rpartition(".")[2] == cite.__name__):
        return None
    words = [*source.args, *call.args]
    literals = [str(word.value) for word in words if isinstance(word, ast.Constant)]
    if not literals or len(literals) != len(words):
        return None
    claim, _, fingerprint = literals[0].partition("@")
    decorate = getattr(Cited(claim, fingerprint or None), method.attr)
    mark = decorate(*literals[1:], grade="", region="").mark
    return str(mark.args[0]), str(mark.kwargs["role"])


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
            name = path.relative_to(root).as_posix()
            source = path.read_text(encoding="utf-8")
            if f".{MARK}(" in source or f"{cite.__name__}(" in source:
                missing += [
                    f"{name}: {role} {citation} is written there and was not collected"
                    for citation, role in sorted(set(written(ast.parse(source))))
                    if (name, citation, role) not in collected
                ]
    return missing
