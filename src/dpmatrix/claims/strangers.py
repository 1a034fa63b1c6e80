"""What a statement may not compute with: what no fingerprint covers, and what has another value when asked again."""

from __future__ import annotations

import builtins
import dis
import functools
import types
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from typing import Any

import flint

SPECIFICATION = "dpmatrix.spec"
TRUSTED_BASE = ("dpmatrix.exact", "dpmatrix.privacy")
"""What statements compute with beside the specification; nothing else of the library enters a fingerprint."""
_DESCRIBED = (SPECIFICATION, *TRUSTED_BASE)
_GIVEN = frozenset(
    {
        *("flint", "attrs", "attr", "dpmatrix.errors", "dpmatrix.claims"),
        *("builtins", "collections", "contextlib", "enum", "fractions", "functools", "itertools", "math"),
        *("numbers", "operator", "typing", "typing_extensions", "abc"),
    }
)
"""What else a statement may name: functions of numbers and of data, and nothing that tells time, chance or place."""
_BUILT_IN = frozenset(
    {
        "abs",
        "all",
        "any",
        "bool",
        "callable",
        "dict",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "frozenset",
        "getattr",
        "hasattr",
        "int",
        "isinstance",
        "issubclass",
        "len",
        "list",
        "map",
        "max",
        "min",
        "next",
        "object",
        "pow",
        "property",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "sorted",
        "str",
        "sum",
        "super",
        "tuple",
        "type",
        "zip",
        "NotImplemented",
    }
)
"""The built-in names that a statement may use, beside those of errors: what reads no file, no address and no text."""
_CONSTANTS = (
    *(bool, int, float, complex, str, bytes, range, type(None), type(Ellipsis), Fraction),
    *(types.ModuleType, types.BuiltinFunctionType, types.GenericAlias, types.UnionType),
    *(flint.acb, flint.fmpz, flint.fmpq, type(flint.ctx)),
)


_OPERATIONS = frozenset({"IMPORT_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_GLOBAL", "LOAD_NAME"})


@functools.cache
def _is_below(module: str, packages: tuple[str, ...] | frozenset[str]) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def is_described(module: str) -> bool:
    """Whether a module is of the specification, or of what it computes with."""
    return _is_below(module, _DESCRIBED)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of a function, and that of its comprehensions and inner functions."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


@functools.cache
def names(code: types.CodeType) -> frozenset[str]:
    """Global names and attributes that a function uses, also those inside its comprehensions and inner functions."""
    return frozenset(name for inner in _codes(code) for name in inner.co_names)


@functools.cache
def _steps(code: types.CodeType) -> tuple[tuple[str, str, str], ...]:
    """Operations of a function that reach for names, each with the name and the code that it is in; code is frozen."""
    return tuple(
        (step.opname, str(step.argval), inner.co_name)
        for inner in _codes(code)
        for step in dis.get_instructions(inner)
        if step.opname in _OPERATIONS
    )


def refuse_unnamed(function: types.FunctionType) -> None:
    """Refuse what a function reaches by no name of its module: by an import of its own, or by a built-in name.

    Raises
    ------
    TypeError
        If it imports, or changes a name of its module, or uses a built-in name that is no mathematics.
    """
    whose = f"{function.__module__}.{function.__qualname__}"
    for operation, name, inside in _steps(function.__code__):
        if operation == "IMPORT_NAME":
            raise TypeError(f"{whose} imports {name} where it computes; import it at the head of its module")
        if operation in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            raise TypeError(f"{whose} changes {name} where it computes; return it instead")
        if name not in function.__globals__:
            value = getattr(builtins, name, None)
            error = isinstance(value, type) and issubclass(value, BaseException)
            if not error and name not in _BUILT_IN and inside != "__annotate__":
                raise TypeError(f"{whose} computes with the built-in {name}, which is no mathematics")


def refuse_name(value: object, function: types.FunctionType) -> None:
    """Refuse a name whose meaning no fingerprint covers and that is no mathematics.

    Raises
    ------
    TypeError
        If a function of a statement names such a thing.
    """
    named = isinstance(value, types.ModuleType | types.FunctionType | types.BuiltinFunctionType | type)
    home = (value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)) or "builtins"
    own = function.__module__.partition(".")[0]
    known = _is_below(home, _GIVEN) or home in (function.__module__, "_operator")
    together = own == home.partition(".")[0] != SPECIFICATION.partition(".")[0]  # a specification of another project
    if named and not known and not together and not is_described(home):
        whose = f"{function.__module__}.{function.__qualname__}"
        raise TypeError(f"{whose} computes with {home}, which no fingerprint covers; write it in the specification")


def refuse_state(value: Any, near: str) -> None:  # noqa: ANN401 - any constant
    """Refuse a constant that can change, or that has no description which is the same in every process.

    Raises
    ------
    TypeError
        If it is no number, word, name, or exact datum.
    """
    if isinstance(value, list | set | dict | bytearray):
        raise TypeError(f"a {type(value).__name__} in {near} can be changed; use a tuple or a frozenset")
    if not isinstance(value, (*_CONSTANTS, Enum)):
        raise TypeError(
            f"{type(value).__name__} in {near} has no stable description; use a number, a record or a named function"
        )
