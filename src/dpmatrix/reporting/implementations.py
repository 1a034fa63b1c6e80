"""Find the code that implements claims, by walking the rooms that may hold it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType

from dpmatrix.claims import Implementation

ROOMS = ("dpmatrix.mechanisms", "dpmatrix.experiments", "dpmatrix.privacy", "dpmatrix.streaming")


def _modules(room: str) -> Iterator[ModuleType]:
    package = importlib.import_module(room)
    yield package
    for module in pkgutil.walk_packages(package.__path__, prefix=f"{room}."):
        yield importlib.import_module(module.name)


def _must_cite(thing: object) -> bool:
    """Report whether a class is a mechanism: it releases something and can be built."""
    if not inspect.isclass(thing) or inspect.isabstract(thing):
        return False
    return hasattr(thing, "release") and not getattr(thing, "_is_protocol", False)


def implementations(rooms: Iterable[str] = ROOMS) -> list[Implementation]:
    """List every mechanism, and every other class or function that cites a claim."""
    found: dict[str, Implementation] = {}
    for room in rooms:
        for module in _modules(room):
            for thing in vars(module).values():
                if getattr(thing, "__module__", None) != module.__name__:
                    continue
                if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                    continue
                implementation = Implementation.of(thing)
                if implementation.citations or _must_cite(thing):
                    found[implementation.name] = implementation
    return sorted(found.values(), key=lambda implementation: implementation.name)
