"""What evidence may not do: reach for the judge, for the interpreter, or for the inside of a statement.

A program that shares a process with its judge can do anything; this looks at what is written. Whoever reads a file of
evidence then reads mathematics and checks of it, and nothing that decides about them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

MODULES = frozenset(
    {
        *("gc", "ctypes", "atexit", "sys.monitoring", "signal", "_thread", "importlib.reload", "builtins"),
        *("dpmatrix.claims.observation", "dpmatrix.claims.decisions", "dpmatrix.claims.plain"),
        *(f"dpmatrix.reporting.{name}" for name in ("session", "pytest_plugin", "outcomes", "intact", "conduct")),
        *("_pytest", "xdist"),
    }
)
"""What evidence does not import."""
NAMES = frozenset(
    {
        *("_getframe", "_current_frames", "currentframe", "get_objects", "get_referrers", "_exit", "_os_exit"),
        *("_margin", "_observing", "__setattr__", "__code__", "__closure__", "cell_contents", "__setstate__"),
        *(
            "gi_frame",
            "cr_frame",
            "tb_frame",
            "f_locals",
            "f_back",
            "f_globals",
            "collect_ignore",
            "collect_ignore_glob",
        ),
        *("__globals__", "__builtins__", "__init_subclass__", "__defaults__", "__kwdefaults__", "__class__"),
        *("stash", "pluginmanager", "user_properties", "iniconfig", "workerinput", "workeroutput"),
        *("pytest_runtest_call", "pytest_runtest_setup", "pytest_runtest_teardown", "pytest_runtest_logreport"),
        *("pytest_pyfunc_call", "pytest_runtest_protocol", "pytest_sessionfinish", "pytest_configure"),
        *("pytest_collection_modifyitems", "pytest_collection_finish", "pytest_report_teststatus"),
    }
)
"""What evidence does not name."""
SPECIFIED = frozenset({"src", "spec"})
"""Folders that are no evidence; other rules hold there."""
PATCHED = ("dpmatrix.claims", "dpmatrix.reporting", "dpmatrix.spec", "dpmatrix.exact", "dpmatrix.privacy", "flint")
"""What evidence does not patch by the words of its path."""


def misconduct(root: Path, files: Iterable[str]) -> list[str]:
    """List what files of evidence do that they may not, the modules of the checkout that they import, and conftests.

    Parameters
    ----------
    root
        The checkout.
    files
        The files that hold evidence, relative to it.
    """
    asked = [root / name for name in sorted(set(files))]
    found = []
    for path in asked:  # grows while it is read
        tree = ast.parse(path.read_bytes())
        places = (root, path.parent, *(root / folder for folder in path.relative_to(root).parts[:1]))
        beside = [folder / "conftest.py" for folder in path.parents if root in (folder, *folder.parents)]
        for other in (*_imported(tree, places), *beside):
            own = SPECIFIED.isdisjoint(other.relative_to(root).parts[:1])
            if own and other not in asked and other.is_file():
                asked.append(other)
        name = path.relative_to(root).as_posix()
        found += [f"{name}:{line}: evidence does not {what}" for line, what in sorted(set(_found(tree)))]
    return sorted(found)


def _imported(tree: ast.AST, folders: Iterable[Path]) -> Iterator[Path]:
    """Yield files that a module may import from one of the folders."""
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    for name in names:
        for folder in folders:
            path = folder.joinpath(*name.split("."))
            yield path.with_suffix(".py")
            yield path / "__init__.py"


def _found(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            origin = "" if isinstance(node, ast.Import) else f"{node.module}."
            for alias in node.names:
                whole = f"{origin}{alias.name}"
                if any(f"{whole}.".startswith(f"{name}.") for name in MODULES):
                    yield node.lineno, f"import {whole}"
                if alias.name in NAMES:
                    yield node.lineno, f"name {alias.name}"
        elif isinstance(node, ast.Attribute | ast.Name | ast.FunctionDef):
            name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", getattr(node, "name", ""))
            if name in NAMES:
                yield node.lineno, f"name {name}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value in NAMES:
                yield node.lineno, f"name {node.value}"
            if " " not in node.value and any(f"{node.value}.".startswith(f"{name}.") for name in PATCHED):
                yield node.lineno, f"reach {node.value} by its path"
