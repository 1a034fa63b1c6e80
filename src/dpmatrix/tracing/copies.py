"""Copies of the modules that margins run in, made from the same texts, that compute with symbols.

The modules themselves are never touched: a copy is another module, in no list of modules, whose imports lead to
other copies, to the stand-ins, or to what it does not compute with.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache, partial
from importlib.abc import InspectLoader
from typing import Any

import attrs
import flint

from dpmatrix.tracing.expressions import UntraceableError
from dpmatrix.tracing.matrices import Matrix
from dpmatrix.tracing.stand_ins import flint_stand_in, python_stand_ins
from dpmatrix.tracing.trusted import TRUSTED

COPIED = ["dpmatrix.spec", "dpmatrix.privacy", "dpmatrix.exact"]
"""The packages that margins compute with; `include` adds to them."""


def include(package: str) -> None:
    """Trace the statements of another specification as well: its modules are copied from now on, as ours are."""
    if package not in COPIED:
        COPIED.append(package)


def _is_copied(name: str) -> bool:
    return any(f"{name}.".startswith(f"{package}.") for package in COPIED)


class Copies:
    """The copies of modules, each made when it is first asked for."""

    def __init__(self) -> None:
        self._modules: dict[str, types.ModuleType] = {}
        self._flint = flint_stand_in()
        self._builtins = python_stand_ins(self._import)

    def module(self, name: str) -> types.ModuleType:
        """Return the copy of a module.

        Raises
        ------
        UntraceableError
            If the module has no text.
        """
        if name not in self._modules:
            self._modules[name] = self._copy(importlib.import_module(name))
        return self._modules[name]

    def _copy(self, original: types.ModuleType) -> types.ModuleType:
        name = original.__name__
        loader = None if original.__spec__ is None else original.__spec__.loader
        code = loader.get_code(name) if isinstance(loader, InspectLoader) else None
        if code is None:
            raise UntraceableError(f"the module {name} has no text")
        copy = self._modules[name] = types.ModuleType(name)
        content = vars(copy)
        kept = ("__package__", "__file__", "__path__", "__spec__")
        content.update({key: vars(original)[key] for key in kept if key in vars(original)})
        content["__builtins__"] = self._builtins
        content.update(self._given(original))
        exec(code, content)  # noqa: S102 - the text of our own module
        content.update({key: function for key, (function, _) in TRUSTED.get(name, {}).items()})
        return copy

    def _given(self, original: types.ModuleType) -> dict[str, object]:
        """Return names of flint and attrs that a module has, by whatever way it got them, as a copy has them."""
        kinds = {key: value for key, value in vars(original).items() if hasattr(value, "__module__")}
        own = {key: value for key, value in kinds.items() if value.__module__.partition(".")[0] in ("attr", "attrs")}
        numbers = {key: value for key, value in kinds.items() if getattr(flint, key, None) is value}
        return own | {key: getattr(self._flint, key) for key in numbers}

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - as Python calls it
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        if name == "flint":
            return self._flint
        if level or not (_is_copied(name) and fromlist):
            return __import__(name, globals, locals, fromlist or (), level)
        found = self.module(name)
        for wanted in fromlist:
            if not hasattr(found, wanted):
                setattr(found, wanted, self.module(f"{name}.{wanted}"))
        return found

    def counterpart(self, value: Any) -> Any:  # noqa: ANN401 - a function, or what it holds on to
        """Return a function, a class, a record or a number as the copies have it.

        Raises
        ------
        UntraceableError
            If it is something else.
        """
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, partial):
            options = {name: self.counterpart(option) for name, option in value.keywords.items()}
            return partial(self.counterpart(value.func), *map(self.counterpart, value.args), **options)
        if isinstance(value, type):
            return self._named(value) if _is_copied(value.__module__) else value
        if isinstance(value, Enum):
            return self.counterpart(type(value))[value.name] if _is_copied(type(value).__module__) else value
        if isinstance(value, tuple | list):
            return type(value)(map(self.counterpart, value))
        if isinstance(value, flint.fmpq_mat | flint.fmpz_mat):
            return Matrix(value.nrows(), value.ncols(), value.entries())
        if attrs.has(type(value)) and _is_copied(type(value).__module__):
            return self._record(value)
        if value is None or isinstance(value, int | float | str | flint.fmpq | flint.fmpz | flint.arb):
            return value
        raise UntraceableError(f"a margin that holds on to a {type(value).__name__}")

    def _named(self, thing: type) -> Any:  # noqa: ANN401 - a class of the copy
        found: Any = self.module(thing.__module__)
        for part in thing.__qualname__.split("."):
            found = getattr(found, part)
        return found

    def _record(self, value: Any) -> Any:  # noqa: ANN401 - an attrs instance
        copy = object.__new__(self._named(type(value)))
        for field in attrs.fields(type(value)):
            object.__setattr__(copy, field.name, self.counterpart(getattr(value, field.name)))
        return copy

    def _function(self, function: types.FunctionType) -> types.FunctionType:
        """Return a function of the same code that finds its names in a copy, and holds on to copies."""
        namespace = vars(self.module(function.__module__)) if _is_copied(function.__module__) else function.__globals__
        cells = tuple(types.CellType(self.counterpart(cell.cell_contents)) for cell in function.__closure__ or ())
        defaults = None if function.__defaults__ is None else tuple(map(self.counterpart, function.__defaults__))
        copy = types.FunctionType(function.__code__, namespace, function.__name__, defaults, cells)
        copy.__kwdefaults__ = {
            name: self.counterpart(value) for name, value in (function.__kwdefaults__ or {}).items()
        } or None
        return copy


@cache
def copies() -> Copies:
    """Return the copies that this process shares."""
    return Copies()
