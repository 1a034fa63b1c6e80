"""Describe what a claim computes as text: the same in every process, and different when the mathematics differs."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
from flint import arb

from dpmatrix.claims.statement import Condition, Statement

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


def _without_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


@functools.cache
def _normal_source(thing: Any) -> str:  # noqa: ANN401 - a function or a class
    node = _classes(inspect.getsourcefile(thing) or "").get(thing.__qualname__) if isinstance(thing, type) else None
    tree: ast.AST = node or ast.parse(textwrap.dedent(inspect.getsource(thing)))
    return ast.unparse(_without_docstrings(tree))


@functools.cache
def _classes(file: str) -> dict[str, ast.ClassDef]:
    """Parse a file once, which `inspect` does for each class: the classes in it that are defined once, by name."""
    found = [node for node in ast.parse(Path(file).read_bytes()).body if isinstance(node, ast.ClassDef)]
    names = [node.name for node in found]
    return {node.name: node for node in found if names.count(node.name) == 1}


def _of_specification(thing: object, near: str) -> bool:
    module = getattr(thing, "__module__", None) or ""
    return module == near or _is_described(module)


def _is_described(module: str) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in _DESCRIBED)


def _describe_ball(value: arb) -> str:
    """Every digit of a ball, whatever the working precision prints."""
    parts = (value.mid(), value.rad())
    return repr(tuple(part.man_exp() for part in parts)) if value.is_finite() else str(value)


def _describe_value(value: Any, near: str, seen: dict[int, int]) -> Iterator[str]:  # noqa: ANN401 - any constant
    """Describe a constant exactly and the same in every process: no rounding, no hash order, no address."""
    if isinstance(value, types.FunctionType):
        yield from _describe_function(value, seen)
    elif isinstance(value, types.MethodType):
        yield from _describe_value((value.__func__, value.__self__), near, seen)
    elif isinstance(value, type):
        yield from _describe_class(value, near, seen)
    elif isinstance(value, functools.partial):
        yield from _describe_value((value.func, value.args, value.keywords), near, seen)
    elif callable(value) and hasattr(value, "__wrapped__"):
        yield from _describe_value(value.__wrapped__, near, seen)
    elif isinstance(value, arb):
        yield _describe_ball(value)
    elif type(value).__module__.startswith("flint.") and hasattr(value, "entries"):
        yield f"{type(value).__name__} {value.nrows()} x {value.ncols()}"
        yield from _describe_value(value.entries(), near, seen)
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__} of {len(value)}"
        for entry in value:
            yield from _describe_value(entry, near, seen)
    elif isinstance(value, set | frozenset):
        yield repr(sorted("\0".join(_describe_value(entry, near, {})) for entry in value))
    elif isinstance(value, dict):
        yield from _describe_value(list(value.items()), near, seen)
    elif attrs.has(type(value)):
        yield type(value).__qualname__
        for field in attrs.fields(type(value)):
            yield from _describe_value(getattr(value, field.name), near, seen)
    else:
        text = repr(value)
        if " at 0x" in text:
            raise TypeError(f"{text} in {near} has no stable description; use a number, a record or a named function")
        yield text


def _describe_class(thing: type, near: str, seen: dict[int, int]) -> Iterator[str]:
    """Name of a class, and its source and what its methods name when it belongs to the specification."""
    yield thing.__qualname__
    if not _of_specification(thing, near) or id(thing) in seen:
        return
    seen[id(thing)] = len(seen)
    yield _normal_source(thing)
    for member in vars(thing).values():
        method = getattr(member, "fget", getattr(member, "__func__", member))
        if isinstance(method, types.FunctionType) and method.__code__.co_filename == inspect.getsourcefile(thing):
            yield from _describe_names(method, seen)


def _names(code: types.CodeType) -> set[str]:
    """Global names of a function, also those inside its comprehensions and inner functions."""
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return {*code.co_names}.union(*inner)


def _describe_names(function: types.FunctionType, seen: dict[int, int]) -> Iterator[str]:
    """Describe what the names in a function stand for: helpers and records of the specification, and constants."""
    near, names = function.__module__, _names(function.__code__)
    annotated = {word for note in function.__annotations__.values() for word in re.findall(r"\w+", str(note))}
    for name in sorted(names | annotated):
        value = function.__globals__.get(name)
        if name not in names and not isinstance(value, type):
            continue
        _refuse_strangers(value, function)
        if isinstance(value, types.ModuleType):
            members = [getattr(value, other, None) for other in sorted(names)] if _inside(value) else []
            values = [member for member in members if member is not None]
        else:
            values = [] if value is None else [value]
        for entry in values:
            named = callable(entry) and not isinstance(entry, functools.partial) and not attrs.has(type(entry))
            if not named:
                yield f"{name}="
            if not named or _of_specification(inspect.unwrap(entry), near):
                yield from _describe_value(entry, near, seen)


def _refuse_strangers(value: object, function: types.FunctionType) -> None:
    """Refuse a name whose meaning no fingerprint covers and that is no mathematics.

    Raises
    ------
    TypeError
        If a function of a statement names such a thing.
    """
    named = isinstance(value, types.ModuleType | types.FunctionType | types.BuiltinFunctionType | type)
    home = (value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)) or "builtins"
    own = function.__module__.partition(".")[0]
    known = any(f"{home}.".startswith(f"{name}.") for name in _GIVEN) or home in (function.__module__, "_operator")
    together = own == home.partition(".")[0] != SPECIFICATION.partition(".")[0]  # a specification of another project
    if named and not known and not together and not _is_described(home):
        whose = f"{function.__module__}.{function.__qualname__}"
        raise TypeError(f"{whose} computes with {home}, which no fingerprint covers; write it in the specification")


def _inside(module: types.ModuleType) -> bool:
    return _is_described(module.__name__)


def _describe_function(function: types.FunctionType, seen: dict[int, int]) -> Iterator[str]:
    """Source of a function, of what it closes over and defaults to, and of what it names."""
    if id(function) in seen:
        yield f"again {seen[id(function)]}"
        return
    seen[id(function)] = len(seen)
    yield _normal_source(function)
    for cell in function.__closure__ or ():
        yield from _describe_value(cell.cell_contents, function.__module__, seen)
    for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield from _describe_value(default, function.__module__, seen)
    yield from _describe_names(function, seen)


def describe_statement(condition: Condition | Statement, seen: dict[int, int]) -> Iterator[str]:
    """Describe a statement or a hypothesis: its words, its margin, and its own hypotheses.

    Parameters
    ----------
    condition
        What to describe.
    seen
        Order in which functions and classes were first met; shared by the statements of one claim.
    """
    yield condition.says
    yield str(condition.strict)
    margin = condition.formula if isinstance(condition, Statement) else condition.margin
    yield from _describe_value(margin, margin.__module__, seen)
    if isinstance(condition, Statement):
        yield from (form.value for form in condition.forms)
        yield from _describe_value((condition.exists, condition.data), margin.__module__, seen)
        for hypothesis in condition.given:
            yield from describe_statement(hypothesis, seen)
