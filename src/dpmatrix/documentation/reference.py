"""The reference of what is public, read from the library itself: names, signatures, docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from types import ModuleType
from typing import Any

import attrs
from attrs import frozen

from dpmatrix.documentation.docstrings import Docstring, parse

MODULES = (
    "dpmatrix.mechanisms",
    "dpmatrix.mechanisms.streams",
    "dpmatrix.mechanisms.menu",
    "dpmatrix.mechanisms.partitions",
    "dpmatrix.files",
    "dpmatrix.estimators",
    "dpmatrix.privacy",
    "dpmatrix.auditing",
    "dpmatrix.auditing.density",
    "dpmatrix.auditing.pairs.strategies",
    "dpmatrix.streaming",
    "dpmatrix.claims",
    "dpmatrix.spec",
    "dpmatrix.tracing",
    "dpmatrix.kernel.propositions",
    "dpmatrix.reporting.implementations",
    "dpmatrix.randomness.entropy",
    "dpmatrix.randomness.discrete",
    "dpmatrix.randomness.integer_noise",
    "dpmatrix.randomness.lazy",
    "dpmatrix.notebooks",
    "dpmatrix.points.asking",
    "dpmatrix.experiments",
    "dpmatrix.experiments.again",
    "dpmatrix.experiments.reproduction",
    "dpmatrix.experiments.subspaces",
    "dpmatrix.experiments.approximate_noise",
    "dpmatrix.experiments.window_noise",
    "dpmatrix.release_certificates.contents",
    "dpmatrix.release_certificates.reading",
    "dpmatrix.release_certificates.topics",
    "dpmatrix.exact",
    "dpmatrix.errors",
    "dpmatrix.single_use",
)
"""What a user imports, and every module but those of the specification that a page of the documentation imports."""

EXTRAS = {"dpmatrix.estimators": "sklearn"}
"""Modules that need a package that is not installed with the library, and that package."""

_STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


@frozen
class Member:
    """A public name.

    Attributes
    ----------
    name
        Dotted name under which it is imported.
    kind
        ``class``, ``function``, ``method``, ``property`` or ``value``.
    signature
        How it is called; the value of a member of an enumeration; else empty.
    docstring
        What it says of itself; None for a value.
    members
        Methods and properties of a class, those of its public bases included.
    """

    name: str
    kind: str
    signature: str
    docstring: Docstring | None
    members: tuple[Member, ...] = ()


@frozen
class PublicModule:
    """A public module and what it offers; without members where the package that it needs is missing."""

    name: str
    docstring: Docstring | None
    members: tuple[Member, ...]


def _default(value: object) -> str:
    """Return a default as a reader would write it."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, Fraction):
        return str(value)
    text = repr(value)
    return "..." if " at 0x" in text or value is attrs.NOTHING else text


def _annotation(parameter: inspect.Parameter) -> str:
    """Return an annotation without the modules of its names."""
    words = (
        parameter.annotation
        if isinstance(parameter.annotation, str)
        else inspect.formatannotation(parameter.annotation)
    )
    return re.sub(r"(?:\b[A-Za-z_]\w*\.)+([A-Za-z_]\w*)", r"\1", words.strip("'"))


_STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def signature(thing: Any) -> str:  # noqa: ANN401 - anything that can be called
    """Return the parameters of a callable as a reader needs them; empty for what is never called by its name."""
    if inspect.isclass(thing) and (issubclass(thing, Enum) or getattr(thing, "_is_protocol", False)):
        return ""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return ""
    shown, starred = [], False
    for parameter in parameters:
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        text = _STARS.get(parameter.kind.name, "") + parameter.name
        if parameter.annotation is not parameter.empty:
            text += f": {_annotation(parameter)}"
        if parameter.default is not parameter.empty:
            text += f" = {_default(parameter.default)}"
        shown.append(text)
    return f"({', '.join(shown)})"


def _methods(thing: type) -> Iterator[Member]:
    if issubclass(thing, Enum):
        yield from (Member(name, "value", f" = {value.value!r}", None) for name, value in thing.__members__.items())
    for name, value in inspect.getmembers_static(thing):
        owner = next((base for base in thing.__mro__ if name in vars(base)), thing)
        if name.startswith("_") or not str(owner.__module__).startswith("dpmatrix"):
            continue
        if isinstance(value, property):
            yield Member(name, "property", "", _docstring(value))
        elif inspect.isroutine(value) or isinstance(value, classmethod | staticmethod):
            bound = getattr(thing, name)
            yield Member(name, "method", signature(bound), _docstring(bound))


def _docstring(thing: object) -> Docstring | None:
    return parse(thing) if inspect.getdoc(thing) else None


def _class_docstring(thing: type) -> Docstring:
    """Return the docstring of a class, with the parameters that only its base describes."""
    found = parse(thing)
    if not found.sections:
        bases = (_docstring(base) for base in thing.__mro__[1:] if base.__module__.startswith("dpmatrix."))
        inherited = next((base.sections for base in bases if base is not None and base.sections), ())
        return attrs.evolve(found, sections=inherited)
    return found


def _public(module: ModuleType) -> list[str]:
    listed: list[str] | None = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__
        if inspect.isclass(thing) or inspect.isfunction(thing)
    ]


def _member(module: ModuleType, name: str) -> Member:
    thing, dotted = getattr(module, name), f"{module.__name__}.{name}"
    if inspect.isclass(thing):
        return Member(dotted, "class", signature(thing), _class_docstring(thing), tuple(_methods(thing)))
    if inspect.isroutine(thing):
        return Member(dotted, "function", signature(thing), parse(thing))
    return Member(dotted, "value", "", None)


def public_module(name: str) -> PublicModule:
    """Read a public module.

    Raises
    ------
    LookupError
        If something public has no docstring.
    """
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if name in EXTRAS and error.name == EXTRAS[name]:
            return PublicModule(name, None, ())
        raise
    return PublicModule(name, parse(module), tuple(_member(module, public) for public in _public(module)))


def public_modules() -> list[PublicModule]:
    """Read every public module."""
    return [public_module(name) for name in MODULES]
