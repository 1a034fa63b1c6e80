"""Write operations down: numbers are computed, and what says nothing is left out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from weakref import WeakValueDictionary

import flint

from dpmatrix.tracing.expressions import (
    INFINITY,
    ONE,
    ZERO,
    Apply,
    Expression,
    Number,
    Undefined,
    UntraceableError,
    is_integer,
    is_total,
)

MINUS_INFINITY = Apply("neg", (INFINITY,))
INFINITE = (INFINITY, MINUS_INFINITY)
LARGEST_POWER = 64
"""Powers of numbers beyond stay as they are written."""


def rational_number(value: object) -> Fraction | None:
    """Read a number that is known exactly; None for anything else."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, flint.fmpz):
        return Fraction(int(value))
    if isinstance(value, flint.fmpq):
        return Fraction(int(value.p), int(value.q))
    if isinstance(value, float) and value - value == 0:
        return Fraction(value)
    if isinstance(value, flint.arb) and value.is_exact() and value.is_finite():
        mantissa, exponent = value.man_exp()
        return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return None


_EXACTLY: dict[str, Callable[..., Fraction]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "neg": lambda a: -a,
    "abs": abs,
    "min": min,
    "max": max,
    "floor": lambda a: Fraction(a.numerator // a.denominator),
    "numerator": lambda a: Fraction(a.numerator),
    "denominator": lambda a: Fraction(a.denominator),
}


_known: WeakValueDictionary[Apply, Apply] = WeakValueDictionary()
"""What was written already: equal expressions are one object, so that to compare large ones takes no time."""


def apply(name: str, *arguments: Expression) -> Expression:
    """Write an operation; numbers are computed, and what says nothing is left out."""
    for argument in arguments:
        if isinstance(argument, Undefined):
            return argument
    if any(argument in INFINITE for argument in arguments):
        return _with_infinity(name, *arguments)
    values = [argument.value for argument in arguments if isinstance(argument, Number)]
    if len(values) == len(arguments) and name in _EXACTLY:
        if name == "/" and values[1] == 0:
            return Undefined("division by zero")
        return Number(_EXACTLY[name](*values))
    match name, arguments:
        case ("+", (Number(0), other)) | ("+" | "-", (other, Number(0))) | ("*", (Number(1), other)):
            return other
        case "*" | "/" | "^", (other, Number(1)):
            return other
        case ("-", (Number(0), other)):
            return apply("neg", other)
        case ("*", (Number(0), other)) | ("*", (other, Number(0))) if is_total(other):
            return ZERO
        case ("neg", (Apply("neg", (inside,)),)):
            return inside
        case ("floor", (inside,)) if is_integer(inside):
            return inside
        case ("min" | "max", (left, right)) if left == right:
            return left
        case ("^", (base, Number(0))) if is_total(base):
            return ONE
        case ("^", (base, Number(power))) if power == Fraction(1, 2):
            return apply("sqrt", base)
        case ("^", (Number(base), Number(power))) if power.denominator == 1 and abs(power) <= LARGEST_POWER:
            return Number(base**power.numerator) if base or power >= 0 else Undefined("division by zero")
        case ("exp", (Number(0),)):
            return ONE
        case ("log", (Number(1),)):
            return ZERO
    found = Apply(name, arguments)
    return _known.setdefault(found, found)


def _with_infinity(name: str, *arguments: Expression) -> Expression:
    match name, arguments:
        case "neg", (inside,):
            return MINUS_INFINITY if inside == INFINITY else INFINITY
        case "min" | "max", (left, right):
            neutral = INFINITY if name == "min" else MINUS_INFINITY
            if neutral in (left, right):
                return right if left == neutral else left
            return MINUS_INFINITY if name == "min" else INFINITY
        case "-", (left, right):
            return _with_infinity("+", left, apply("neg", right))
        case "+", (left, right) if left in INFINITE and right in INFINITE and left != right:
            return Undefined("infinity minus infinity")
        case "+", (left, right) if left == right or (left not in INFINITE and is_total(left)):
            return right
        case "+", (left, right) if right not in INFINITE and is_total(right):
            return left
        case "*", (Number(factor), infinite) | (infinite, Number(factor)) if factor:
            return infinite if factor > 0 else apply("neg", infinite)
        case "/", (left, _) if left not in INFINITE:
            return apply("*", ZERO, left)
    raise UntraceableError("arithmetic with infinity")
