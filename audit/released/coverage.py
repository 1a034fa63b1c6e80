"""Which classes publish, read from the library, and which of them the audits of releases know."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

from audit.released.directions import DIRECTIONS
from audit.released.matrices import MATRICES
from audit.released.staircase import Staircase
from audit.released.streams import STREAMS
from audit.released.subjects import Subject
from audit.released.subspaces import SUBSPACES
from dpmatrix.claims import code_name
from dpmatrix.experiments.sketched_window import SketchedWindow
from dpmatrix.mechanisms import (
    GaussianCompression,
    PrintedSubspaceRecovery,
    TruncatedCompression,
    WishartMechanism,
)
from dpmatrix.mechanisms.stairs import Stairs
from dpmatrix.mechanisms.streams.dyadic import DyadicSums
from dpmatrix.mechanisms.streams.window import WindowMemory
from dpmatrix.reporting.certificates import is_mechanism
from dpmatrix.reporting.implementations import PACKAGES

SUBJECTS: tuple[Subject, ...] = (*MATRICES, Staircase(), *DIRECTIONS, *SUBSPACES, *STREAMS)
"""Everything that releases with a guarantee."""

WITHOUT_GUARANTEE: dict[type, Callable[[], Any]] = {
    WishartMechanism: lambda: WishartMechanism(1, acknowledge="wishart.theorem-4"),
    GaussianCompression: lambda: GaussianCompression(2, acknowledge="compression.corollary-3-7"),
    TruncatedCompression: lambda: TruncatedCompression(
        130, reference=[[1, 0], [0, 1]], delta_max=1, acknowledge="compression.corollary-3-7"
    ),
    PrintedSubspaceRecovery: lambda: PrintedSubspaceRecovery(
        1, rank=1, delta=0.1, acknowledge="analyze-gauss.subspace-privacy"
    ),
}
"""The documents' forms that keep none: what they publish must say so."""

NO_RELEASE = (DyadicSums, SketchedWindow, Stairs, WindowMemory)
"""They take random bits or publish numbers and attach no guarantee: parts of a window or noise, a form for study."""

FUNCTIONS = {"dpmatrix.mechanisms.streams.state.resume": "resume"}
"""Public functions that take random bits, and the method of a subject on which each is audited."""


def modules(packages: Iterable[str]) -> Iterator[ModuleType]:
    """Import packages with all that is in them."""
    for name in packages:
        package = importlib.import_module(name)
        yield package
        for module in pkgutil.walk_packages(package.__path__, prefix=f"{name}."):
            yield importlib.import_module(module.name)


def publishes(function: Any) -> bool:
    """Whether something callable takes random bits or says that it returns a release."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    returned = str(signature.return_annotation)
    return "entropy" in signature.parameters or ("Release" in returned and "PostProcessed" not in returned)


def methods(kind: type) -> set[str]:
    """List the public methods of a class that publish."""
    return {
        name
        for name, function in inspect.getmembers(kind, callable)
        if not name.startswith("_") and (name in ("release", "publish") or publishes(function))
    }


def releasing(packages: Iterable[str] = PACKAGES) -> dict[str, type]:
    """Find the classes that publish: those of a public method that does, and those with a privacy certificate."""
    found = {}
    for module in modules(packages):
        for name, thing in vars(module).items():
            own = inspect.isclass(thing) and thing.__module__ == module.__name__
            if not own or name.startswith("_") or inspect.isabstract(thing) or getattr(thing, "_is_protocol", False):
                continue
            if methods(thing) or is_mechanism(thing):
                found[code_name(thing)] = thing
    return found


def public_functions(packages: Iterable[str]) -> set[str]:
    """List the functions that packages export and that publish."""
    exported = [
        getattr(package, name) for package in map(importlib.import_module, packages) for name in package.__all__
    ]
    return {code_name_of(thing) for thing in exported if inspect.isfunction(thing) and publishes(thing)}


def code_name_of(function: Any) -> str:
    """Return the dotted name of a function."""
    return f"{function.__module__}.{function.__qualname__}"


def unaudited(packages: Iterable[str] = PACKAGES) -> list[str]:
    """List the classes that publish and that no audit of releases takes, and such methods of the others."""
    missing = []
    for name, kind in sorted(releasing(packages).items()):
        known = {method for subject in SUBJECTS if subject.kind is kind for method in subject.methods}
        if kind in WITHOUT_GUARANTEE or kind in NO_RELEASE:
            continue
        if not known:
            missing.append(name)
        missing += [f"{name}.{method}" for method in sorted(methods(kind) - known) if known]
    return missing
