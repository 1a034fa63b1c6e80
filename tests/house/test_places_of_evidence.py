"""`proofs_checks/` mirrors `spec/`: the evidence of a claim stands in the file of the module that specifies it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from dpmatrix.claims import Citation, claim_of
from dpmatrix.reporting.written import written
from dpmatrix.spec import load, places

ROOT = Path(__file__).resolve().parents[2]
CHECKS = ROOT / "proofs_checks"
FILES = sorted(path.relative_to(CHECKS).as_posix() for path in CHECKS.rglob("test_*.py"))
COMMON = "common/"
"""Checks of what is no claim."""

KERNEL = "kernel/"
"""Theorems: one file for each document, in which nothing is written but its name."""


def module_of(file: str) -> str:
    """Return the module of the specification whose claims a file is about."""
    document, _, name = file.partition("/test_")
    return f"spec/cross_{name}" if document == "cross" else f"spec/{document}/{name}"


def first_targets(text: str) -> Iterator[tuple[str, str]]:
    """Name of every item of evidence in a file, and the statement that it cites first."""
    tree = ast.parse(text)
    cited = [node for node in tree.body if isinstance(node, ast.Assign)]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for citation, _ in written(ast.Module([*cited, node], [])):
                yield node.name, Citation.parse(citation).target
                break


@cache
def homes(target: str) -> frozenset[str]:
    """Files of the specification in which a claim, or what one of its statements computes, is written."""
    claim = claim_of(target)
    source = load()[claim].statements()[target].source
    code = inspect.getsourcefile(inspect.unwrap(getattr(source, "func", source)))
    own = Path(code or "").resolve().relative_to(ROOT).as_posix()
    return frozenset({places()[claim].file, own})


def misplaced(file: str, text: str) -> list[str]:
    """List the items of a file that cite first a statement that another module specifies."""
    return [
        f"{file}::{name} is about {target}, which is specified in {' and '.join(sorted(homes(target)))}"
        for name, target in first_targets(text)
        if module_of(file) not in homes(target)
    ]


@pytest.mark.parametrize("file", FILES)
def test_evidence_stands_where_its_claim_is_specified(file) -> None:
    text = (CHECKS / file).read_text(encoding="utf-8")
    if file.startswith(COMMON):
        assert not list(first_targets(text)), "what is about a claim has a place of its own"
        return
    if file.startswith(KERNEL):
        document = file.removeprefix(f"{KERNEL}test_").removesuffix(".py")
        assert f'about("{document.replace("_", "-")}")' in text
        assert not list(first_targets(text))
        return
    assert (ROOT / module_of(file)).is_file()
    assert list(first_targets(text))
    assert misplaced(file, text) == []


def test_all_documents_are_mirrored() -> None:
    documents = {path.parent.name for path in (ROOT / "spec").glob("*/__init__.py")}
    assert {file.partition("/")[0] for file in FILES} == documents | {"cross", COMMON.strip("/"), KERNEL.strip("/")}


TEXT = """
closer = cite("wishart.theorem-7")
smaller = cite("wishart.lemma-1")

@closer.supports(grade="symbolic", region="x")
@smaller.supports(grade="symbolic", region="x")
def test_both(): ...

@smaller.supports(grade="symbolic", region="x")
@closer.supports(grade="symbolic", region="x")
def test_other_first(): ...

def test_plain(): ...
"""


def test_an_item_in_the_wrong_file_is_told() -> None:
    assert list(first_targets(TEXT)) == [("test_both", "wishart.theorem-7"), ("test_other_first", "wishart.lemma-1")]
    found = "wishart/test_closeness.py::test_other_first is about wishart.lemma-1, which is specified in"
    assert misplaced("wishart/test_closeness.py", TEXT) == [f"{found} spec/wishart/wishart_tail.py"]
    assert len(misplaced("cross/test_wishart.py", TEXT)) == 2
