"""What evidence may not do: reach for the judge, for the interpreter, or for the inside of a statement.

A program that shares a process with its judge can do anything; this looks at what is written. Whoever reads a file of
evidence then reads mathematics and checks of it, and nothing that decides about them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from dpmatrix.reporting.citing import METHODS
from dpmatrix.reporting.written import MARK

MODULES = frozenset(
    {
        *("gc", "ctypes", "atexit", "sys.monitoring", "signal", "_thread", "importlib.reload", "builtins"),
        *("dpmatrix.claims.observation", "dpmatrix.claims.decisions", "dpmatrix.claims.plain"),
        *(f"dpmatrix.reporting.{name}" for name in ("session", "pytest_plugin", "outcomes", "intact", "conduct")),
        *("_pytest", "xdist"),
    }
)
"""What evidence does not import."""
TRACING = "dpmatrix.tracing"
BINDS = frozenset({f"{TRACING}.{name}" for name in ("bind_expression", "UndecidedFormulaError", "UntraceableError")})
"""What evidence imports of the tracer, and nothing else: a traced margin is no formula that somebody proved."""
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
        *("settrace", "setprofile", "getinnerframes", "getouterframes", "walk_stack", "run_path", "run_module"),
        *(
            "observing",
            "Observed",
            "tell",
            "tell_family",
            "tell_comparison",
            "tell_expression",
            "tell_excluded",
            "decided",
        ),
        "tracing",
        *("execv", "execve", "execl", "fork_exec", "abort", "TestReport", "import_module"),
    }
)
"""What evidence does not name."""
HOOKS = frozenset({"pytest_addoption"})
"""The hooks that a conftest beside evidence may define."""
MADE_OF_TEXT = frozenset({"exec", "eval", "compile", "__import__", "setattr", "delattr", "globals"})
"""Functions that do what no reader sees written."""
_IN_PIECES = (ast.BinOp, ast.JoinedStr, ast.Call, ast.Subscript)
"""What a name is made by, where no reader sees it written."""
_DECORATED = re.compile(rf"^\s*@[\w.()\"@+/-]*\b({'|'.join([MARK, *sorted(METHODS)])})\(", re.MULTILINE)
SPECIFIED = frozenset({"src", "spec"})
"""Folders that are no evidence; other rules hold there."""
PATCHED = ("dpmatrix.claims", "dpmatrix.reporting", "dpmatrix.spec", "dpmatrix.exact", "dpmatrix.privacy", "flint")
"""What evidence does not patch by the words of its path."""


def misconduct(root: Path, folders: Iterable[str], files: Iterable[str] = ()) -> list[str]:
    """List what files of evidence do that they may not, the modules of the checkout that they import, and conftests.

    Parameters
    ----------
    root, folders
        The checkout, and the folders of it whose files are looked at if they mark an item as evidence.
    files
        Other files that hold evidence, relative to the checkout.
    """
    found, asked = [], [root / name for name in sorted(files)]
    asked += [path for folder in folders for path in sorted((root / folder).rglob("*.py")) if _marks(path)]
    asked = list(dict.fromkeys(asked))
    for path in asked:  # grows while it is read
        tree = _tree(path)
        places = (root, path.parent, *(root / folder for folder in path.relative_to(root).parts[:1]))
        beside = [folder / "conftest.py" for folder in path.parents if root in (folder, *folder.parents)]
        for other in (*imported(ast.walk(tree), places), *beside):
            own = SPECIFIED.isdisjoint(other.relative_to(root).parts[:1])
            if own and other not in asked and other.is_file():
                asked.append(other)
        name = path.relative_to(root).as_posix()
        found += [f"{name}:{line}: evidence does not {what}" for line, what in sorted(set(_found(tree)))]
    return sorted(found)


def unread(root: Path, nodes: Iterable[str]) -> set[str]:
    """Return the files of items that nothing in them marks as evidence, so that no look at marked files sees them."""
    return {name for name in {node.partition("::")[0] for node in nodes} if not _marks(root / name)}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def _marks(path: Path) -> bool:
    """Whether something in a file is decorated as an item of evidence, and not in a text that it holds."""
    if _DECORATED.search(path.read_text(encoding="utf-8")) is None:
        return False
    nodes = [node for node in ast.walk(_tree(path)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    calls = [one.func for node in nodes for one in node.decorator_list if isinstance(one, ast.Call)]
    return any(isinstance(call, ast.Attribute) and call.attr in {MARK, *METHODS} for call in calls)


def imported(nodes: Iterable[ast.AST], folders: Iterable[Path]) -> Iterator[Path]:
    """Yield files that a module, given by the nodes of its tree, may import from one of the folders."""
    names = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    folders = tuple(folders)
    for name in dict.fromkeys(names):
        parts = name.split(".")
        for folder in folders:
            if _holds(folder, parts[0]):
                path = folder.joinpath(*parts)
                yield path.with_suffix(".py")
                yield path / "__init__.py"


@cache
def _holds(folder: Path, name: str) -> bool:
    return (folder / name).is_dir() or (folder / f"{name}.py").is_file()


def _found(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            origin = "" if isinstance(node, ast.Import) else f"{node.module}."
            for alias in node.names:
                whole = f"{origin}{alias.name}"
                traces = f"{whole}.".startswith(f"{TRACING}.") and whole not in BINDS
                if traces or any(f"{whole}.".startswith(f"{name}.") for name in MODULES):
                    yield node.lineno, f"import {whole}"
                if alias.name in NAMES:
                    yield node.lineno, f"name {alias.name}"
        elif isinstance(node, ast.Attribute | ast.Name):
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            if name in NAMES or (name == "__init__" and not ast.unparse(node).startswith("super()")):
                yield node.lineno, f"name {name}"
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("pytest_") and node.name not in HOOKS:
            yield node.lineno, f"define {node.name}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in MADE_OF_TEXT:
                yield node.lineno, f"call {node.func.id}"
            if node.func.id == "getattr" and any(isinstance(word, _IN_PIECES) for word in node.args[1:2]):
                yield node.lineno, "ask for an attribute whose name it makes"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value in NAMES:
                yield node.lineno, f"name {node.value}"
            if " " not in node.value and any(f"{node.value}.".startswith(f"{name}.") for name in PATCHED):
                yield node.lineno, f"reach {node.value} by its path"
