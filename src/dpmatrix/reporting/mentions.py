"""Which files of tests may hold evidence about some claims, told from their text, so that a part is judged sooner.

A file is passed over only if it can be told from what is written that no item in it cites one of the claims. Where an
item is marked by anything but a literal, nothing can be told, and the file is read.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import cache
from pathlib import Path

import attrs

from dpmatrix.reporting.citing import cite
from dpmatrix.reporting.conduct import SPECIFIED, imported
from dpmatrix.reporting.written import MARK

CITES = cite.__name__
MAKERS = frozenset(
    {
        *("about", "Cited", "Mark", "MarkDecorator", "MarkGenerator", "add_marker", "own_markers", "_mark"),
        *("exec", "eval", "globals", "__import__", "import_module", "run_path", "run_module"),
    }
)
"""Names of what marks items, or brings in items, with words that do not stand in their file."""
MARKS = "mark"
_LOOKED_AT = (ast.Import, ast.ImportFrom, ast.Call, ast.Attribute, ast.Name, ast.Constant)


@attrs.frozen
class Written:
    """What one file has written in it.

    Parameters
    ----------
    constants
        The strings that have a dot, as the names of claims do.
    unclear
        Whether something in it may cite a claim whose name does not stand in it.
    imports
        The files of the checkout that it imports, the specification and the library aside.
    """

    constants: tuple[str, ...]
    unclear: bool
    imports: tuple[Path, ...]


def may_concern(path: Path, root: Path, names: Collection[str]) -> bool:
    """Tell whether a file of tests may hold evidence about one of some claims.

    Parameters
    ----------
    path, root
        The file, and the checkout. What it imports from the checkout is looked at too, the specification and the
        library aside, and so is each ``conftest.py`` that pytest reads with it.
    names
        The ids of the claims.
    """
    try:
        found = _read_with(path, root)
    except (SyntaxError, ValueError):  # pytest shall say what is wrong with it
        return True
    return any(one.unclear or any(name in text for text in one.constants for name in names) for one in found)


def _read_with(path: Path, root: Path) -> list[Written]:
    """Read a file, the conftests above it, and what these import from the checkout."""
    asked = [path, *(folder / "conftest.py" for folder in path.parents if root in (folder, *folder.parents))]
    asked = [one for one in asked if one.is_file()]
    known, found = set(asked), []
    for one in asked:  # grows while it is read
        found.append(_written(one, root))
        asked += [other for other in found[-1].imports if other not in known]
        known.update(found[-1].imports)
    return found


@cache
def _written(path: Path, root: Path) -> Written:
    nodes = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, _LOOKED_AT)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    # a marker that is called with a literal, and ``mark`` where a name follows it, say what they do
    plain = {id(node.func) for node in nodes if isinstance(node, ast.Call) and _has_literal(node)}
    plain |= {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    unclear = not texts.isdisjoint({MARK, MARKS}) or any(_is_unclear(node, plain) for node in nodes)
    places = (root, path.parent, *(root / folder for folder in path.relative_to(root).parts[:1]))
    found = dict.fromkeys(one for one in imported(nodes, places) if one.is_file())
    imports = tuple(one for one in found if SPECIFIED.isdisjoint(one.relative_to(root).parts[:1]))
    return Written(tuple(text for text in texts if "." in text), unclear, imports)


def _has_literal(call: ast.Call) -> bool:
    return bool(call.args) and isinstance(call.args[0], ast.Constant)


def _is_unclear(node: ast.AST, plain: Collection[int]) -> bool:
    """Whether something stands there by which items may be marked, and it is not seen how."""
    if isinstance(node, ast.ImportFrom | ast.Import):
        # a relative name is looked up elsewhere
        return (isinstance(node, ast.ImportFrom) and node.level > 0) or any(map(_brings_unclear, node.names))
    if isinstance(node, ast.Attribute):
        return node.attr in MAKERS or (node.attr in {MARK, CITES, MARKS} and id(node) not in plain)
    return isinstance(node, ast.Name) and (node.id in MAKERS or (node.id == CITES and id(node) not in plain))


def _brings_unclear(alias: ast.alias) -> bool:
    name = alias.name.rpartition(".")[2]
    return name in {*MAKERS, MARK, MARKS} or (name == CITES and alias.asname is not None)
