"""What copies of the specification compute with in place of flint and of some of Python's own names."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from types import ModuleType

import flint

from dpmatrix.tracing.expressions import INFINITY, ONE, Expression, Undefined, UntraceableError, is_integer
from dpmatrix.tracing.matrices import Matrix
from dpmatrix.tracing.symbolic import Symbolic, binary, constant, expression_of
from dpmatrix.tracing.writing import MINUS_INFINITY, apply

WORDS: Mapping[str, Expression] = {"inf": INFINITY, "-inf": MINUS_INFINITY, "nan": Undefined("not a number")}
"""Balls that are made from a word."""


class Kind(type):
    """A type of numbers: called, it makes symbolic numbers, which are exact, so that none of them is a ball."""

    originals: tuple[type, ...]
    make: Callable[..., object]
    exact: bool
    whole: bool

    def __instancecheck__(cls, value: object) -> bool:
        if isinstance(value, Symbolic):
            return cls.exact and (is_integer(value.expression) or not cls.whole)
        return isinstance(value, cls.originals)

    def __call__(cls, *arguments: object) -> object:  # noqa: D102 - the class says it
        return cls.make(*arguments)

    def __getattr__(cls, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        raise UntraceableError(f"`{name}` of {cls.__name__}")


def _ball(value: object = 0) -> Symbolic:
    return Symbolic(WORDS[value] if isinstance(value, str) else expression_of(value))


def _quotient(numerator: object = 0, denominator: object = 1) -> Symbolic:
    found = binary("/", numerator, denominator)
    if found.is_nan():
        raise ZeroDivisionError("division by zero")
    return found


def _whole(value: object = 0, *base: object) -> object:
    """Return an integer: towards zero, as Python has it."""
    if not isinstance(value, Symbolic):
        return builtins.int(value, *base)  # type: ignore[call-overload]  # as it was called
    if is_integer(value.expression):
        return value
    return value.floor() if value >= 0 else -((-value).floor())


def _kind(name: str, original: type, make: Callable[..., object], **members: Callable[..., object]) -> Kind:
    static = {member: staticmethod(function) for member, function in members.items()}
    sort = {"exact": original is not flint.arb, "whole": original in (int, flint.fmpz)}
    return Kind(name, (), {"originals": (original,), "make": staticmethod(make), **sort, **static})


ARB = _kind(
    "arb",
    flint.arb,
    _ball,
    pi=lambda: constant("pi"),
    const_e=lambda: Symbolic(apply("exp", ONE)),
    nan=lambda: Symbolic(WORDS["nan"]),
    pos_inf=lambda: Symbolic(INFINITY),
    neg_inf=lambda: Symbolic(MINUS_INFINITY),
    mid=lambda number: number,
)
FMPQ = _kind("fmpq", flint.fmpq, _quotient)
FMPZ = _kind("fmpz", flint.fmpz, _whole)
INT = _kind("int", int, _whole)


class _Precision:
    """Stands for flint's context: a margin that asks for it computes with rounding."""

    def __getattr__(self, name: str) -> object:
        raise UntraceableError("arithmetic that depends on the working precision")


def flint_stand_in() -> ModuleType:
    """Return a module in place of `flint`."""
    module = ModuleType("flint")
    matrices = {"fmpq_mat": Matrix, "fmpz_mat": Matrix, "arb_mat": Matrix}
    numbers = {"arb": ARB, "fmpq": FMPQ, "fmpz": FMPZ, "ctx": _Precision()}
    vars(module).update(numbers | matrices | {"__getattr__": _other_name})
    return module


class _Other:
    """Stands for anything else of flint: complex numbers, polynomials, power series."""

    def __init__(self, name: str) -> None:
        self._reason = OTHERS.get(name, f"`{name}` of flint")

    def __call__(self, *_: object) -> object:
        raise UntraceableError(self._reason)

    def __getattr__(self, name: str) -> object:
        raise UntraceableError(self._reason)


OTHERS = {"acb": "an integral or complex numbers", "acb_mat": "eigenvalues of an unknown matrix"}


def _other_name(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(name)
    return _Other(name)


_ABSENT = object()


def _extreme(name: str) -> Callable[..., object]:
    original = getattr(builtins, name)

    def call(*values: object, key: Callable[[object], object] | None = None, default: object = _ABSENT) -> object:
        entries = list(values[0]) if len(values) == 1 and isinstance(values[0], Iterable) else list(values)
        if not entries and default is not _ABSENT:
            return default
        plain = not any(isinstance(entry, Symbolic) for entry in entries)
        if plain or (key is not None and any(key(entry) is not entry for entry in entries)):
            return original(entries, key=key)
        return reduce(lambda one, other: binary(name, one, other), entries)

    return call


def python_stand_ins(importer: Callable[..., ModuleType]) -> dict[str, object]:
    """Return Python's own names, with another way to import, and with integers and extremes of symbols."""
    return {
        **vars(builtins),
        "__import__": importer,
        "int": INT,
        "min": _extreme("min"),
        "max": _extreme("max"),
    }
