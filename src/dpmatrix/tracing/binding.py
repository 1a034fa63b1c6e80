"""Tie a formula of sympy to the statement that it is meant to be the margin of, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, WrongFormulaError
from dpmatrix.claims.observation import tell_expression
from dpmatrix.exact import precision
from dpmatrix.tracing.algebra import symbol, to_sympy
from dpmatrix.tracing.equality import NotEqualError, show_equal
from dpmatrix.tracing.evaluation import Evaluator, UndecidedComparisonError, Values
from dpmatrix.tracing.expressions import Expression, UntraceableError, Variable
from dpmatrix.tracing.facts import Facts
from dpmatrix.tracing.points import point, values_at
from dpmatrix.tracing.reading import read
from dpmatrix.tracing.sampling import BITS, draw
from dpmatrix.tracing.tracer import Case, trace

POINTS = 8
"""Points of each case at which the statement is evaluated."""


DIGITS = 40
"""Values that agree to so many digits refuse nothing."""


class UndecidedFormulaError(WrongFormulaError):
    """A formula that may be the margin, but was not shown to be."""


def bind_expression(
    statement: Statement,
    formula: sympy.Expr | Callable[[Mapping[str, Any]], sympy.Expr],
    *,
    fields: Mapping[str, sympy.Symbol] | None = None,
    points: Iterable[Any] = (),
) -> None:
    """Show that a statement's margin is a formula, at every point that meets the hypotheses and where it is defined.

    The margin is traced, and the difference of both expressions is rewritten to zero in every part of the domain that
    their choices make; values at points only ever refuse. The statement is evaluated at some points that meet its
    hypotheses, which marks it as examined, and as bound by expression.

    Parameters
    ----------
    statement
        The statement.
    formula
        The formula in symbols that are named as the fields of the point, or a function that returns it for given
        flags and members of enumerations, by the names of their fields.
    fields
        The symbol of a field, by its dotted name, where it is named otherwise.
    points
        Points that meet the hypotheses, in addition to those that are found at random.

    Raises
    ------
    WrongFormulaError
        If the formula is another one.
    UndecidedFormulaError
        If neither was shown, or no point is known that meets the hypotheses.
    UntraceableError
        If the margin has no expression for all points; the text says why.
    """
    traced = trace(statement)
    if not traced.complete:
        raise UntraceableError(f"{statement.name}: traced at some sizes and counts only")
    given = list(points)
    examined = 0
    for case in traced.cases:
        wanted = formula if isinstance(formula, sympy.Basic) else formula(case.fixed)
        try:
            expression = _canonical(case, wanted, _symbols(case, wanted, fields or {}))
        except ValueError as error:  # unreadable, or sympy itself refuses to compare complex numbers
            raise WrongFormulaError(f"{statement.name}: {error}") from error
        examined += _examine(statement, case, expression, given)
        try:
            show_equal(_margin(case), expression, case.known)
        except NotEqualError as error:
            raise UndecidedFormulaError(f"{statement.name}{_named(case)}, {error}") from error
    if not examined:
        raise UndecidedFormulaError(f"{statement.name}: no point is known that meets the hypotheses; give some")
    tell_expression(statement)


def _named(case: Case) -> str:
    return "".join(f", {name} = {value}" for name, value in case.fixed.items())


def _symbols(case: Case, formula: sympy.Basic, fields: Mapping[str, sympy.Symbol]) -> dict[sympy.Symbol, Variable]:
    """Pair the symbols of a formula with the fields of their names, whatever else is assumed of them."""
    named = {variable.name: variable for variable in case.variables}
    given = {each: named[field] for field, each in fields.items() if field in named}
    free = {each: named[each.name] for each in formula.free_symbols if each.name in named}
    return free | given


def _own(case: Case) -> dict[Variable, sympy.Symbol]:
    facts = Facts(case.known)
    return {variable: symbol(variable, facts) for variable in case.variables}


def _canonical(case: Case, formula: sympy.Expr, symbols: Mapping[sympy.Symbol, Variable]) -> Expression:
    """Read a formula as sympy writes it when it knows the signs that the hypotheses give: equal parts look alike."""
    own = _own(case)
    written = formula.xreplace({each: own[variable] for each, variable in symbols.items()})
    return read(written, {each: variable for variable, each in own.items()})


def _margin(case: Case) -> Expression:
    """Return the margin inside the hypotheses as sympy writes it, or as it is where sympy brings in complex numbers."""
    try:
        return _canonical(case, to_sympy(case.inside.margin, _own(case)), {})
    except ValueError:
        return case.inside.margin


def _examine(statement: Statement, case: Case, formula: Expression, given: list[Any]) -> int:
    """Evaluate a statement at points of a case that meet its hypotheses, and return their number.

    Raises
    ------
    WrongFormulaError
        If the formula has certainly another value at one of them.
    UntraceableError
        If it has not, and the traced expression has.
    """
    drawn: list[tuple[Values, Any]] = [
        (values, point(case.layout, values)) for values, inside in draw(case, POINTS, statement.name) if inside
    ]
    own = [(values_at(case.layout, each), each) for each in given]
    drawn += [(values, each) for values, each in own if values is not None]
    count, astray = 0, []
    for values, place in drawn:
        if statement.applies(place) is not Truth.TRUE:
            continue
        count += 1
        statement.at(place)
        with precision(BITS):
            margin = statement.margin(place)
            if _differ(values, formula, margin):
                raise WrongFormulaError(f"{statement.name} at {place}: the margin is {margin.str(20)}, the formula not")
            if _differ(values, case.conclusion.margin, margin):
                astray.append(place)
    if astray:
        raise UntraceableError(f"{statement.name} at {astray[0]}: the traced expression is not the margin")
    return count


def _differ(values: Values, expression: Expression, margin: arb) -> bool:
    """Whether an expression has certainly another value than a margin, which may take an end of a ball for the ball."""
    try:
        value = Evaluator(values).value(expression)
    except UndecidedComparisonError:
        return False
    return bool(abs(value - margin) > (1 + abs(margin)) * arb(10) ** -DIGITS)
