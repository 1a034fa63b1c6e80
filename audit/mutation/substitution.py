"""Import the specification anew with the text of one module exchanged, in a process that may hold it already."""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import flint

from dpmatrix.reporting.vacuity import MARGINS
from mutation.imports import Imports


@attrs.frozen
class Vacuous:
    """Put something empty in the place of a margin, as `dpmatrix.reporting.vacuity` knows it by its kind."""

    kind: str

    def __call__(self, margin: flint.arb) -> flint.arb:
        """Return what stands in the place of the margin."""
        return MARGINS[self.kind](margin)


VACUOUS = {kind: f"vacuous_{kind.replace('-', '_')}" for kind in MARGINS}
"""What the text of a mutant calls each kind of an empty margin."""

NAMES = {"fmpq": flint.fmpq, "evolve": attrs.evolve, **{name: Vacuous(kind) for kind, name in VACUOUS.items()}}
"""What the text of a mutant may use beyond what its module imports."""


@attrs.frozen
class Substitute(importlib.abc.MetaPathFinder):
    """Finds one module in another file, with the names that changes use."""

    name: str
    file: Path

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the protocol has them
        target: types.ModuleType | None = None,  # noqa: ARG002 - the protocol has them
    ) -> importlib.machinery.ModuleSpec | None:
        """Answer for the one module only."""
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.file, loader=_Loader(fullname, str(self.file)))


class _Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: types.ModuleType) -> None:
        for name, value in NAMES.items():
            setattr(module, name, value)
        super().exec_module(module)


class StaleError(RuntimeError):
    """A module still holds what belongs to a text that was exchanged: a change of it might not be seen."""


def folder_of(package: str) -> Path:
    """Return the folder of a package, without importing it; of a module, its own file."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no package {package!r}")
    return Path(spec.submodule_search_locations[0] if spec.submodule_search_locations else spec.origin)


def exchange(imports: Imports, name: str, source: str, drafts: Path, gone: frozenset[str] | None = None) -> Path:
    """Forget a module and all that imported it, so that the next import reads another text.

    Parameters
    ----------
    imports
        Which module imports which.
    name
        The module.
    source
        Its new text.
    drafts
        A folder for the text, since the sources of classes are read from files.
    gone
        The modules to forget, where an exchange of the same module was looked at before; None to find them out, and to
        look.

    Returns
    -------
    Path
        The file of the text.

    Raises
    ------
    StaleError
        If it looks, and a module that stays still holds a function or a class of one that goes.
    """
    file = drafts / f"{os.getpid()}_{name.replace('.', '_')}.py"
    file.write_text(source, encoding="utf-8")
    known = gone is not None
    gone = gone or imports.dependents(name, [*sys.modules])
    for other in gone:
        parent, _, leaf = other.rpartition(".")
        module = sys.modules.pop(other)
        if parent in sys.modules and vars(sys.modules[parent]).get(leaf) is module:
            delattr(sys.modules[parent], leaf)
    if not known:
        _refuse_leftovers(imports, gone)
    sys.dont_write_bytecode = True
    sys.meta_path.insert(0, Substitute(name, file))
    importlib.invalidate_caches()
    return file


def _refuse_leftovers(imports: Imports, gone: Collection[str]) -> None:
    for name in imports.files.keys() & sys.modules.keys():
        for word, value in vars(sys.modules[name]).items():
            home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
            if isinstance(value, types.FunctionType | type | types.ModuleType) and home in gone:
                raise StaleError(f"{name}.{word} is still that of {home}")


def known_fingerprints(known: Mapping[str, str]) -> None:
    """Let this process take fingerprints for known: a run of pytest would compute those of all claims."""
    registry: Any = importlib.import_module("dpmatrix.claims.registry")
    registry.fingerprint = lambda claim: known.get(claim.id, "")


def hand_out(package: str, claims: Mapping[str, Any]) -> None:
    """Let this process load some claims only: a run of pytest would import those of all documents."""
    registry = importlib.import_module("dpmatrix.claims").Registry
    vars(importlib.import_module(package))["load"] = lambda: registry(claims)


def warm_up(modules: Sequence[str]) -> None:
    """Import what the evidence imports, and wake up sympy, once for all processes."""
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    if "sympy" in modules:
        sympy = importlib.import_module("sympy")
        x = sympy.Symbol("x", positive=True)
        sympy.simplify(sympy.integrate(x * sympy.exp(-x), (x, 0, sympy.oo)) - 1 + sympy.sqrt(x).subs(x, 2).evalf(50))
