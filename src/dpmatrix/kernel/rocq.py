"""Expressions as terms of Rocq over the real numbers of its standard library.

`x / 0`, `ln` of what is not positive and `sqrt` of what is negative have values there; what makes an expression
defined is written beside it, by `dpmatrix.kernel.propositions`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from dpmatrix.tracing.expressions import (
    SPECIAL,
    Apply,
    Choice,
    Comparison,
    Expression,
    Number,
    Sort,
    Undefined,
    UntraceableError,
    Variable,
    is_integer,
)

_LOOSE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(6)
"""How firmly the parts of a text hold together: the levels of Rocq's own notations."""

INFIX: Mapping[str, tuple[int, int, int]] = {
    "+": (_SUM, _SUM, _PRODUCT),
    "-": (_SUM, _SUM, _PRODUCT),
    "*": (_PRODUCT, _PRODUCT, _SIGN),
    "/": (_PRODUCT, _PRODUCT, _SIGN),
}
FUNCTIONS: Mapping[str, str] = {
    "abs": "Rabs",
    "min": "Rmin",
    "max": "Rmax",
    "sqrt": "sqrt",
    "exp": "exp",
    "log": "ln",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
}
INTEGER_FUNCTIONS: Mapping[str, str] = {"abs": "Z.abs", "min": "Z.min", "max": "Z.max"}
WITHOUT_A_TERM = frozenset({"infinity", "numerator", "denominator"})
"""What is no function of real numbers."""

OPAQUE = frozenset(SPECIAL) - WITHOUT_A_TERM
"""Functions of which a proposition says nothing: they are its parameters."""

_KEYWORDS = (
    "as at cofix do else end exists exists2 fix for forall fun if in let match mod move then using where with by",
    "return Prop Set Type SProp R Z PI IZR Int_part Rpower powerRZ pow Rlt_dec Req_EM_T not and or",
)
_RESERVED = {word for words in _KEYWORDS for word in words.split()} | OPAQUE | set(FUNCTIONS.values())


def identifier(name: str) -> str:
    """Write a dotted path as a name of Rocq."""
    found = re.sub(r"\W+", "_", name).strip("_")
    return f"{found}_" if found in _RESERVED else found


def term(expression: Expression) -> str:
    """Write an expression as a term of type R.

    Raises
    ------
    UntraceableError
        If it holds what is no function of real numbers.
    """
    return _real(expression, _LOOSE)


def comparison(compared: Comparison, answer: bool = True) -> str:
    """Write a comparison of real numbers, or its negation, as a proposition."""
    sign = {("<", True): "<", ("=", True): "=", ("=", False): "<>"}.get((compared.relation, answer))
    if sign is None:
        return f"{_real(compared.right, _SUM)} <= {_real(compared.left, _SUM)}"
    return f"{_real(compared.left, _SUM)} {sign} {_real(compared.right, _SUM)}"


def _bracketed(text: str, firmness: int, least: int) -> str:
    return text if firmness >= least else f"({text})"


def _real(expression: Expression, least: int) -> str:
    return _bracketed(*_parts(expression), least)


def _applied(function: str, arguments: tuple[Expression, ...]) -> tuple[str, int]:
    return " ".join((function, *(_real(argument, _ATOM + 1) for argument in arguments))), _ATOM


def _parts(expression: Expression) -> tuple[str, int]:
    match expression:
        case Number(value):
            return _number(value)
        case Variable(name, sort):
            return (f"IZR {identifier(name)}", _ATOM) if sort is Sort.INTEGER else (identifier(name), _ATOM + 1)
        case Apply(name, (left, right)) if name in INFIX:
            firmness, one, other = INFIX[name]
            return f"{_real(left, one)} {name} {_real(right, other)}", firmness
        case Apply("neg", (inside,)):
            return f"- {_real(inside, _POWER)}", _SIGN
        case Apply("^", (base, power)):
            return _power(base, power)
        case Apply("pi", ()):
            return "PI", _ATOM + 1
        case Apply("floor", (inside,)):
            return f"IZR (Int_part {_real(inside, _ATOM + 1)})", _ATOM
        case Apply(name, arguments) if name in FUNCTIONS:
            return _applied(FUNCTIONS[name], arguments)
        case Apply(name, arguments) if name in OPAQUE:
            return _applied(name, arguments)
        case Apply(name, _):
            raise UntraceableError(f"`{name}` is no function of real numbers")
        case Choice(condition, then, otherwise):
            return f"if {_decided(condition)} then {term(then)} else {term(otherwise)}", _LOOSE
        case Undefined():
            return "0", _ATOM + 1


def _number(value: Fraction) -> tuple[str, int]:
    size = abs(value)
    text, firmness = (
        (str(size), _ATOM + 1) if size.denominator == 1 else (f"{size.numerator} / {size.denominator}", _PRODUCT)
    )
    return (text, firmness) if value >= 0 else (f"- {_bracketed(text, firmness, _POWER)}", _SIGN)


def _power(base: Expression, power: Expression) -> tuple[str, int]:
    if isinstance(power, Number) and power.value.denominator == 1:
        positive = f"{_real(base, _ATOM)} ^ {abs(power.value)}"
        return (positive, _POWER) if power.value >= 0 else (f"/ {positive}", _SIGN)
    if is_integer(power):
        return f"powerRZ {_real(base, _ATOM + 1)} {_integer(power, _ATOM + 1)}", _ATOM
    return _applied("Rpower", (base, power))


def _decided(condition: Comparison) -> str:
    decision = {"<": "Rlt_dec", "=": "Req_EM_T"}[condition.relation]
    return f"{decision} {_real(condition.left, _ATOM + 1)} {_real(condition.right, _ATOM + 1)}"


def _integer(expression: Expression, least: int) -> str:
    """Write an integer as a term of type Z, inside its own scope."""
    return _bracketed(*_integer_parts(expression), least)


def _integer_parts(expression: Expression) -> tuple[str, int]:
    match expression:
        case Number(value) if value.denominator == 1:
            return (str(value), _ATOM + 1) if value >= 0 else (f"- {-value}", _SIGN)
        case Variable(name, Sort.INTEGER):
            return identifier(name), _ATOM + 1
        case Apply("+" | "-" | "*" as name, (left, right)):
            firmness, one, other = INFIX[name]
            return f"{_integer(left, one)} {name} {_integer(right, other)}", firmness
        case Apply("neg", (inside,)):
            return f"- {_integer(inside, _POWER)}", _SIGN
        case Apply("floor", (inside,)):
            return f"Int_part {_real(inside, _ATOM + 1)}", _ATOM
        case Apply(name, arguments) if name in INTEGER_FUNCTIONS:
            return " ".join((INTEGER_FUNCTIONS[name], *(_integer(one, _ATOM + 1) for one in arguments))), _ATOM
        case Choice(condition, then, otherwise):
            branches = f"{_integer(then, _LOOSE)} else {_integer(otherwise, _LOOSE)}"
            return f"if {_decided(condition)} then {branches}", _LOOSE
    raise UntraceableError("an integer that is written with a quotient or a power")
