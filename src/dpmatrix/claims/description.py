"""Describe what a claim computes as text: the same in every process, and different when the mathematics differs."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
from flint import arb

from dpmatrix.claims.conditions import Condition
from dpmatrix.claims.statement import Statement
from dpmatrix.claims.strangers import is_described, names, refuse_name, refuse_state, refuse_unnamed


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
    return module == near or is_described(module)


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
        yield "tuple of 3"
        for part in (value.func, value.args):
            yield from _describe_value(part, near, seen)
        yield from _describe_entries("list", tuple(value.keywords.items()), near, seen)
    elif callable(value) and hasattr(value, "__wrapped__"):
        yield from _describe_value(value.__wrapped__, near, seen)
    elif isinstance(value, arb):
        yield _describe_ball(value)
    elif type(value).__module__.startswith("flint.") and hasattr(value, "entries"):
        yield f"{type(value).__name__} {value.nrows()} x {value.ncols()}"
        yield from _describe_entries("list", value.entries(), near, seen)
    elif isinstance(value, tuple):
        yield from _describe_entries(type(value).__name__, value, near, seen)
    elif isinstance(value, frozenset):
        yield repr(sorted("\0".join(_describe_value(entry, near, {})) for entry in value))
    elif attrs.has(type(value)):
        yield type(value).__qualname__
        for field in attrs.fields(type(value)):
            yield from _describe_value(getattr(value, field.name), near, seen)
    else:
        refuse_state(value, near)
        yield repr(value)


def _describe_entries(kind: str, entries: Sequence[Any], near: str, seen: dict[int, int]) -> Iterator[str]:
    yield f"{kind} of {len(entries)}"
    for entry in entries:
        yield from _describe_value(entry, near, seen)


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


def _describe_names(function: types.FunctionType, seen: dict[int, int]) -> Iterator[str]:
    """Describe what the names in a function stand for: helpers and records of the specification, and constants."""
    near, named = function.__module__, names(function.__code__)
    refuse_unnamed(function)
    annotated = {word for note in function.__annotations__.values() for word in re.findall(r"\w+", str(note))}
    for name in sorted(named | annotated):
        value = function.__globals__.get(name)
        if name not in named and not isinstance(value, type):
            continue
        refuse_name(value, function)
        if isinstance(value, types.ModuleType):
            members = [getattr(value, other, None) for other in sorted(named)] if _inside(value) else []
            values = [member for member in members if member is not None]
        else:
            values = [] if value is None else [value]
        for entry in values:
            refuse_name(entry, function)
            by_name = callable(entry) and not isinstance(entry, functools.partial) and not attrs.has(type(entry))
            if not by_name:
                yield f"{name}="
            if not by_name or _of_specification(inspect.unwrap(entry), near):
                yield from _describe_value(entry, near, seen)


def _inside(module: types.ModuleType) -> bool:
    return is_described(module.__name__)


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
