"""Expressions as sympy has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import sympy

from dpmatrix.tracing.expressions import (
    Apply,
    Choice,
    Comparison,
    Expression,
    Number,
    Sort,
    Undefined,
    Variable,
)
from dpmatrix.tracing.facts import Facts


@cache
def functions() -> Mapping[str, Callable[..., Any]]:
    """Return what each operation is to sympy."""
    return {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
        "^": lambda a, b: a**b,
        "neg": lambda a: -a,
        "abs": sympy.Abs,
        "min": sympy.Min,
        "max": sympy.Max,
        "floor": sympy.floor,
        "sqrt": sympy.sqrt,
        "exp": sympy.exp,
        "log": sympy.log,
        "sin": sympy.sin,
        "cos": sympy.cos,
        "tan": sympy.tan,
        "asin": sympy.asin,
        "acos": sympy.acos,
        "atan": sympy.atan,
        "sinh": sympy.sinh,
        "cosh": sympy.cosh,
        "tanh": sympy.tanh,
        "pi": lambda: sympy.pi,
        "infinity": lambda: sympy.oo,
        "erf": sympy.erf,
        "erfc": sympy.erfc,
        "gamma": sympy.gamma,
        "lgamma": sympy.loggamma,
        "gamma_upper": sympy.uppergamma,
        "gamma_lower": sympy.lowergamma,
        "gamma_upper_regularized": lambda s, x: sympy.uppergamma(s, x) / sympy.gamma(s),
        "gamma_lower_regularized": lambda s, x: sympy.lowergamma(s, x) / sympy.gamma(s),
        "beta_lower": lambda a, b, x: sympy.betainc(a, b, 0, x),
        "beta_lower_regularized": lambda a, b, x: sympy.betainc_regularized(a, b, 0, x),
        "hypgeom_u": sympy.Function("hypgeom_u"),
        "zeta": sympy.zeta,
        "numerator": sympy.Function("numerator"),
        "denominator": sympy.Function("denominator"),
    }


def symbol(variable: Variable, facts: Facts | None = None) -> sympy.Symbol:
    """Return the symbol of a variable, with the sign that is known of it."""
    sort = {"integer": True} if variable.sort is Sort.INTEGER else {"real": True}
    sign = {}
    known = None if facts is None else facts.bounds(variable)
    if known is not None and known.lower >= 0:
        sign = {"positive": True} if known.lower > 0 or known.lower_open else {"nonnegative": True}
    elif known is not None and known.upper <= 0:
        sign = {"negative": True} if known.upper < 0 or known.upper_open else {"nonpositive": True}
    return sympy.Symbol(variable.name, **sort, **sign)


def to_sympy(expression: Expression, symbols: Mapping[Variable, Any] | None = None) -> sympy.Expr:
    """Return an expression as sympy has it.

    Parameters
    ----------
    expression
        The expression.
    symbols
        What stands for each variable; a symbol of its name and sort where nothing is given.
    """
    known: dict[Expression, Any] = {}

    def convert(part: Expression) -> Any:  # noqa: ANN401 - sympy's own
        if part not in known:
            known[part] = compute(part)
        return known[part]

    def compute(part: Expression) -> Any:  # noqa: ANN401
        match part:
            case Number(value):
                return sympy.Rational(value.numerator, value.denominator)
            case Variable():
                return symbol(part) if symbols is None or part not in symbols else symbols[part]
            case Apply(name, arguments):
                return functions()[name](*map(convert, arguments))
            case Choice(condition, then, otherwise):
                return sympy.Piecewise((convert(then), relation(condition)), (convert(otherwise), True))
            case Undefined():
                return sympy.nan

    def relation(comparison: Comparison) -> Any:  # noqa: ANN401
        make = sympy.Lt if comparison.relation == "<" else sympy.Eq
        return make(convert(comparison.left), convert(comparison.right))

    return convert(expression)
