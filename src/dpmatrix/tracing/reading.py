"""Read formulas that are written with sympy."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from dpmatrix.tracing.expressions import ONE, SPECIAL, Choice, Comparison, Expression, Number, Undefined, Variable
from dpmatrix.tracing.writing import apply


class UnreadableError(ValueError):
    """A formula holds something that no margin is made of."""


@cache
def _names() -> Mapping[Any, str]:
    same = ("floor", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "erf", "erfc")
    named = {getattr(sympy, name): name for name in (*same, "gamma", "zeta")}
    others = {
        sympy.Abs: "abs",
        sympy.loggamma: "lgamma",
        sympy.uppergamma: "gamma_upper",
        sympy.lowergamma: "gamma_lower",
    }
    return named | others


def read(formula: Any, variables: Mapping[sympy.Symbol, Variable]) -> Expression:  # noqa: ANN401 - sympy's own
    """Return a formula as an expression.

    Parameters
    ----------
    formula
        The formula, of sympy.
    variables
        What each of its symbols stands for.

    Raises
    ------
    UnreadableError
        If it has other symbols, rounded numbers, or functions that are not known here.
    """

    def inside(part: Any) -> Expression:  # noqa: ANN401
        return read(part, variables)

    if isinstance(formula, sympy.Rational):
        return Number(Fraction(int(formula.p), int(formula.q)))
    if formula == sympy.pi:
        return apply("pi")
    if formula == sympy.E:
        return apply("exp", ONE)
    if isinstance(formula, sympy.Symbol) and formula in variables:
        return variables[formula]
    if isinstance(formula, sympy.Add | sympy.Mul | sympy.Min | sympy.Max):
        operators = {sympy.Add: "+", sympy.Mul: "*", sympy.Min: "min", sympy.Max: "max"}
        name = operators[formula.func]
        return reduce(lambda one, other: apply(name, one, other), map(inside, formula.args))
    if isinstance(formula, sympy.Pow):
        return apply("^", inside(formula.base), inside(formula.exp))
    if isinstance(formula, sympy.ceiling):
        return apply("neg", apply("floor", apply("neg", inside(formula.args[0]))))
    if isinstance(formula, sympy.betainc_regularized | sympy.betainc) and formula.args[2] == 0:
        a, b, _, x = formula.args
        regularized = isinstance(formula, sympy.betainc_regularized)
        return apply("beta_lower_regularized" if regularized else "beta_lower", inside(a), inside(b), inside(x))
    if isinstance(formula, sympy.Piecewise):
        return _choices(formula, variables)
    if formula is sympy.nan:
        return Undefined("not a number")
    if isinstance(formula, AppliedUndef) and SPECIAL.get(formula.func.__name__) == len(formula.args):
        return apply(formula.func.__name__, *map(inside, formula.args))
    if getattr(formula, "func", None) in _names():
        return apply(_names()[formula.func], *map(inside, formula.args))
    raise UnreadableError(f"{formula} is not understood: {type(formula).__name__}")


def _choices(formula: sympy.Piecewise, variables: Mapping[sympy.Symbol, Variable]) -> Expression:
    *first, (last, always) = formula.args
    if always != sympy.true:
        raise UnreadableError(f"{formula} has no value where none of its conditions holds")
    found = read(last, variables)
    for value, condition in reversed(first):
        found = _branches(condition, read(value, variables), found, variables)
    return found


RELATIONS: Mapping[Any, tuple[str, bool, bool]] = {
    sympy.Lt: ("<", False, True),
    sympy.Gt: ("<", True, True),
    sympy.Ge: ("<", False, False),
    sympy.Le: ("<", True, False),
    sympy.Eq: ("=", False, True),
    sympy.Ne: ("=", False, False),
}
"""For each relation of sympy: the comparison, whether its sides are exchanged, and the answer that is meant."""


def _branches(
    condition: Any,  # noqa: ANN401 - sympy's own
    then: Expression,
    otherwise: Expression,
    variables: Mapping[sympy.Symbol, Variable],
) -> Expression:
    """Return one expression where a condition holds, and another one elsewhere."""

    def branch(part: Any, yes: Expression, no: Expression) -> Expression:  # noqa: ANN401
        return _branches(part, yes, no, variables)

    if condition in (sympy.true, sympy.false):
        return then if condition == sympy.true else otherwise
    if isinstance(condition, sympy.Not):
        return branch(condition.args[0], otherwise, then)
    if isinstance(condition, sympy.And):
        return reduce(lambda inside, part: branch(part, inside, otherwise), reversed(condition.args), then)
    if isinstance(condition, sympy.Or):
        return reduce(lambda inside, part: branch(part, then, inside), reversed(condition.args), otherwise)
    if isinstance(condition, sympy.ITE):
        asked, yes, no = condition.args
        return branch(asked, branch(yes, then, otherwise), branch(no, then, otherwise))
    if condition.func not in RELATIONS:
        raise UnreadableError(f"the condition {condition} is no comparison")
    relation, exchanged, answer = RELATIONS[condition.func]
    sides = read(condition.lhs, variables), read(condition.rhs, variables)
    comparison = Comparison(relation, *(sides[::-1] if exchanged else sides))
    return Choice(comparison, then, otherwise) if answer else Choice(comparison, otherwise, then)
