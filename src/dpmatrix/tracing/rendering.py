"""Expressions as text that a person reads.

Another notation is another table of this kind: one entry for each operation of `ARITIES`, and one rule for choices.
"""

from __future__ import annotations

from collections.abc import Mapping

from dpmatrix.tracing.expressions import Apply, Choice, Comparison, Expression, Number, Undefined, Variable

_LOOSE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(6)
"""How firmly the parts of a text hold together."""

INFIX: Mapping[str, tuple[str, int, int, int]] = {
    "+": ("{} + {}", _SUM, _SUM, _SUM),
    "-": ("{} - {}", _SUM, _SUM, _PRODUCT),
    "*": ("{} * {}", _PRODUCT, _PRODUCT, _SIGN),
    "/": ("{} / {}", _PRODUCT, _PRODUCT, _SIGN),
    "^": ("{}^{}", _POWER, _ATOM, _ATOM),
}
"""For each operator: its text, how firmly it holds together, and how firmly its two sides have to."""


def render(expression: Expression) -> str:
    """Write an expression in one line."""
    return _text(expression, _LOOSE)


def render_comparison(comparison: Comparison, answer: bool = True) -> str:
    """Write a comparison, or its negation."""
    sign = {("<", True): "<", ("<", False): ">=", ("=", True): "=", ("=", False): "!="}[comparison.relation, answer]
    return f"{_text(comparison.left, _SUM)} {sign} {_text(comparison.right, _SUM)}"


def _text(expression: Expression, least: int) -> str:
    text, firmness = _parts(expression)
    return text if firmness >= least else f"({text})"


def _parts(expression: Expression) -> tuple[str, int]:
    match expression:
        case Number(value):
            return str(value), _SIGN if value < 0 else _PRODUCT if value.denominator != 1 else _ATOM
        case Variable(name, _):
            return name, _ATOM
        case Apply(name, (left, right)) if name in INFIX:
            form, firmness, one, other = INFIX[name]
            return form.format(_text(left, one), _text(right, other)), firmness
        case Apply("neg", (inside,)):
            return f"-{_text(inside, _SIGN)}", _SIGN
        case Apply("abs", (inside,)):
            return f"|{_text(inside, _LOOSE)}|", _ATOM
        case Apply(name, ()):
            return name, _ATOM
        case Apply(name, arguments):
            return f"{name}({', '.join(_text(argument, _LOOSE) for argument in arguments)})", _ATOM
        case Choice(condition, then, otherwise):
            branches = f"{_text(then, _SUM)} else {_text(otherwise, _LOOSE)}"
            return f"if {render_comparison(condition)} then {branches}", _LOOSE
        case Undefined(reason):
            return f"undefined [{reason}]", _ATOM
