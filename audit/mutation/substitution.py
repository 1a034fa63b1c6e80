"""Import the specification with the text of one module exchanged; nothing is written."""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import sys
import types
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
import flint

from dpmatrix.claims import Registry

NAMES = {"fmpq": flint.fmpq, "evolve": attrs.evolve}
"""What the text of a mutant may use beyond what its module imports."""


class Substitute(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds and loads one module from a text."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source
        self.file = f"{name}:changed"

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the protocol has them
        target: types.ModuleType | None = None,  # noqa: ARG002 - the protocol has them
    ) -> importlib.machinery.ModuleSpec | None:
        """Answer for the one module only."""
        if fullname != self.name:
            return None
        spec = importlib.util.spec_from_loader(fullname, self, origin=self.file, is_package=False)
        if spec is not None:
            spec.has_location = True  # sets __file__, by which the source of a class is found
        return spec

    def get_source(self, fullname: str) -> str:  # noqa: ARG002 - the protocol has it
        """Return the changed text, which is also what fingerprints read."""
        return self.source

    def get_code(self, fullname: str) -> types.CodeType:  # noqa: ARG002 - the protocol has it
        """Compile the changed text under a name that is no file."""
        linecache.cache[self.file] = (len(self.source), None, self.source.splitlines(keepends=True), self.file)
        return self.source_to_code(self.source, self.file)

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the changed text, with the names that changes use."""
        for name, value in NAMES.items():
            setattr(module, name, value)
        super().exec_module(module)


def folder_of(package: str) -> Path:
    """Return the folder of a package, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"no package {package!r}")
    return Path(spec.submodule_search_locations[0])


def load(package: str, name: str | None = None, source: str = "") -> Registry:
    """Import a specification, in a process that has not imported it yet, with one module's text exchanged."""
    if package in sys.modules:
        raise RuntimeError(f"{package} is imported already; a change would not be seen")
    if name is not None:
        sys.meta_path.insert(0, Substitute(name, source))
    registry: Registry = importlib.import_module(package).load()
    return registry


def warm_up(modules: Sequence[str]) -> None:
    """Import what the evidence imports, and wake up sympy, once for all processes."""
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    if "sympy" in modules:
        sympy = importlib.import_module("sympy")
        x = sympy.Symbol("x", positive=True)
        sympy.simplify(sympy.integrate(x * sympy.exp(-x), (x, 0, sympy.oo)) - 1 + sympy.sqrt(x).subs(x, 2).evalf(50))


def fingerprints(registry: Registry) -> Mapping[str, str]:
    """Fingerprint of every claim."""
    return dict(registry.fingerprints)
