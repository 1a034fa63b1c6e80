"""Whether the modules that statements compute with are still what was imported."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import FunctionType

from flint import arb, fmpq, fmpz

_GONE = object()
_SHADOWED = frozenset(vars(builtins))
"""Names that a module need not have for its functions to find them; one that is new there hides the built-in one."""
_NUMBERS = (Fraction, arb, fmpq, fmpz)
_CACHED = frozenset({"__abstractmethods__", "_abc_impl", "__annotations__", "__annotations_cache__", "__doc__"})
"""Names of a class that Python itself may set late."""


class Modules:
    """What the names of some modules stood for when this was made, those of their classes, and the code of functions.

    Parameters
    ----------
    packages
        Dotted names; the modules of that name and below that are imported now are watched.
    """

    def __init__(self, packages: Iterable[str]) -> None:
        wanted = tuple(packages)
        modules = {
            name: module
            for name, module in sorted(sys.modules.items())
            if any(f"{name}.".startswith(f"{package}.") for package in wanted)
        }
        modules["builtins"] = builtins
        self._modules = modules
        self._first: dict[str, Mapping[str, object]] = {name: dict(vars(module)) for name, module in modules.items()}
        own = [
            (f"{name}.{place}", value)
            for name, first in self._first.items()
            for place, value in first.items()
            if getattr(value, "__module__", None) == name
        ]
        self._classes = [(name, value, dict(vars(value))) for name, value in own if isinstance(value, type)]
        self._classes += [(kind.__name__, kind, dict(vars(kind))) for kind in _NUMBERS]
        members = [(f"{name}.{place}", value) for name, _, first in self._classes for place, value in first.items()]
        self._functions = [
            (name, value, _code(value)) for name, value in (*own, *members) if isinstance(value, FunctionType)
        ]

    def replaced(self) -> tuple[str, ...]:
        """Return the dotted names that stand for something else than at first, or for nothing any more."""
        found: list[str] = []
        for module, first in self._first.items():
            now = vars(self._modules[module])
            found += [f"{module}.{name}" for name, value in first.items() if now.get(name, _GONE) is not value]
            found += [f"{module}.{name}" for name in now.keys() & _SHADOWED - first.keys()]
            if module in sys.modules and sys.modules[module] is not self._modules[module]:
                found.append(module)
        for name, kind, first in self._classes:
            here = vars(kind)
            places = [place for place, value in first.items() if here.get(place, _GONE) is not value]
            # Python itself adds what it caches; a method that was not there before hides one of a base.
            if places or len(here) != len(first):
                places = sorted({*places, *(here.keys() - first.keys())} - _CACHED)
                found += [f"{name}.{place}" for place in places]
        found += [
            name
            for name, function, (code, defaults, by_name) in self._functions
            if function.__code__ is not code
            or function.__defaults__ is not defaults
            or function.__kwdefaults__ is not by_name
        ]
        return tuple(found)


def _code(function: FunctionType) -> tuple[object, object, object]:
    return function.__code__, function.__defaults__, function.__kwdefaults__
