"""Compare traced expressions with the margins themselves, in balls, at many points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
from flint import arb

from dpmatrix.exact import precision
from dpmatrix.tracing.evaluation import Evaluator, UndecidedComparisonError, Values
from dpmatrix.tracing.expressions import Expression
from dpmatrix.tracing.paths import REFUSALS
from dpmatrix.tracing.points import point
from dpmatrix.tracing.sampling import BITS, draw
from dpmatrix.tracing.tracer import Case, Traced

DIGITS = 25


@attrs.frozen
class Agreement:
    """What comparing traced expressions with margins came to.

    Parameters
    ----------
    terms
        Number of expressions, hypotheses and conclusions, that were compared at least once.
    values
        Number of values that agree.
    undefined
        Number of values that are no number on either side, or, outside the hypotheses, in the expression.
    inside
        Number of points that certainly meet their hypotheses.
    open
        Number of values that balls do not tell apart or together.
    differences
        Where both sides differ, in words.
    """

    terms: int = 0
    values: int = 0
    undefined: int = 0
    inside: int = 0
    open: int = 0
    differences: tuple[str, ...] = ()

    def __add__(self, other: Agreement) -> Agreement:
        pairs = zip(attrs.astuple(self, recurse=False), attrs.astuple(other, recurse=False), strict=True)
        return Agreement(*(one + two for one, two in pairs))


def compare(traced: Traced, count: int = 6) -> Agreement:
    """Compare every expression of a traced statement with what the margin itself gives.

    Parameters
    ----------
    traced
        The statement in expressions.
    count
        Number of points for each case.
    """
    total = Agreement()
    statement = traced.statement
    for case in traced.cases:
        drawn = list(draw(case, count, statement.name))
        total += Agreement(inside=sum(inside for _, inside in drawn))
        margins = [condition.margin for condition in statement.given]
        kept = {hypothesis.says: hypothesis.margin for hypothesis in case.hypotheses}
        pairs = [
            (kept[condition.says], margin)
            for condition, margin in zip(statement.given, margins, strict=True)
            if condition.says in kept
        ]
        for expression, margin in (*pairs, (case.conclusion.margin, statement.formula)):
            total += _compared(case, expression, margin, drawn, statement.name)
        within = [entry for entry in drawn if entry[1]]
        total += _compared(case, case.inside.margin, statement.formula, within, statement.name)
    return total


def _compared(
    case: Case, expression: Expression, margin: Callable[[Any], arb], drawn: list[tuple[Values, bool]], name: str
) -> Agreement:
    found = (_at(case, expression, margin, values, inside, name) for values, inside in drawn)
    total = sum(found, Agreement())
    return attrs.evolve(total, terms=int(total.values > 0))


def _at(
    case: Case, expression: Expression, margin: Callable[[Any], arb], values: Values, inside: bool, name: str
) -> Agreement:
    with precision(BITS):
        try:
            traced = Evaluator(values).value(expression)
        except UndecidedComparisonError:
            return Agreement(open=1)
        try:
            itself = margin(point(case.layout, values))
        except REFUSALS:
            itself = arb.nan()
        if not traced.is_finite() and (not itself.is_finite() or not inside):
            return Agreement(undefined=1)
        if abs(traced - itself) < (1 + abs(itself)) * arb(10) ** -DIGITS:
            return Agreement(values=1)
        if traced.overlaps(itself) and itself.is_finite():
            return Agreement(open=1)
    place = ", ".join(f"{variable.name} = {value}" for variable, value in values.items())
    return Agreement(differences=(f"{name} at {place}: traced {traced.str(12)}, itself {itself.str(12)}",))
