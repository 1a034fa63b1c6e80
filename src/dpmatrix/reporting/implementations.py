"""Find the code that implements claims, by walking the packages that may hold it."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from dpmatrix.claims import Citation, Implementation

PACKAGES = ("dpmatrix.mechanisms", "dpmatrix.experiments", "dpmatrix.privacy", "dpmatrix.streaming")


def _modules(name: str) -> Iterator[ModuleType]:
    package = importlib.import_module(name)
    yield package
    for module in pkgutil.walk_packages(package.__path__, prefix=f"{name}."):
        yield importlib.import_module(module.name)


def _must_cite(thing: object) -> bool:
    """Report whether a class is a mechanism: it releases something and can be built."""
    if not inspect.isclass(thing) or inspect.isabstract(thing):
        return False
    return hasattr(thing, "release") and not getattr(thing, "_is_protocol", False)


def implementations(packages: Iterable[str] = PACKAGES) -> list[Implementation]:
    """List every mechanism, and every other class or function that cites a claim."""
    found: dict[str, Implementation] = {}
    for package in packages:
        for module in _modules(package):
            for thing in vars(module).values():
                if getattr(thing, "__module__", None) != module.__name__:
                    continue
                if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                    continue
                implementation = Implementation.of(thing)
                if implementation.citations or _must_cite(thing):
                    found[implementation.name] = implementation
    return sorted(found.values(), key=lambda implementation: implementation.name)


def cited_in_sources(packages: Iterable[str] = PACKAGES) -> list[Implementation]:
    """List the classes and functions that cite a claim, from their sources: nothing is imported.

    What the gate asks is `implementations`, which sees what is run; a test holds the two together.
    """
    found = []
    for package in packages:
        folder = Path(__file__).parents[1].joinpath(*package.split(".")[1:])
        for path in sorted(folder.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "@implements(" not in text:
                continue
            inside = path.relative_to(folder).with_suffix("")
            module = ".".join((package, *(part for part in inside.parts if part != "__init__")))
            for node in ast.parse(text).body:
                citations = _citations(node)
                if citations:
                    found.append(Implementation(f"{module}.{getattr(node, 'name', '')}", citations))
    return sorted(found, key=lambda implementation: implementation.name)


def _citations(node: ast.stmt) -> tuple[Citation, ...]:
    """Return what the decorators of a class or function cite, the first decorator first."""
    decorators = node.decorator_list if isinstance(node, ast.ClassDef | ast.FunctionDef) else []
    calls = [one for one in decorators if isinstance(one, ast.Call) and ast.unparse(one.func) == "implements"]
    return tuple(Citation.parse(ast.literal_eval(argument)) for call in calls for argument in call.args)
