"""Decide whether two expressions are equal wherever some comparisons hold. A yes is never found by numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import sympy
from sympy.polys.polyerrors import BasePolynomialError

from dpmatrix.tracing.algebra import symbol, to_sympy
from dpmatrix.tracing.expressions import (
    Choice,
    Comparison,
    Expression,
    Sort,
    Undefined,
    Variable,
    parts,
    variables,
)
from dpmatrix.tracing.facts import Facts
from dpmatrix.tracing.paths import Decisions
from dpmatrix.tracing.rendering import render, render_comparison
from dpmatrix.tracing.settling import question, settled

MOST_SPLITS = 10
"""Comparisons in a row that two expressions are split at."""


class NotEqualError(Exception):
    """Two expressions were not shown to be equal; the text says where."""


def show_equal(left: Expression, right: Expression, known: Decisions, splits: int = MOST_SPLITS) -> None:
    """Show that two expressions are equal at every point where some comparisons hold and both are defined.

    Both are split at their choices, and where that does not help at their minima, maxima and absolute values; parts
    that contradict what is known are left out. In each part the difference is rewritten to zero.

    Parameters
    ----------
    left, right
        The expressions.
    known
        Comparisons and their answers.
    splits
        How often to split.

    Raises
    ------
    NotEqualError
        If it was not shown, be they equal or not.
    """
    facts = Facts(known)
    if facts.contradictory:
        return
    left, right = settled(left, facts), settled(right, facts)
    undefined = [part for part in (left, right) if isinstance(part, Undefined)]
    if len(undefined) == 1:
        raise NotEqualError(f"{_where(known)}: one of both is undefined: {undefined[0].reason}")
    if undefined:
        return
    choices = [part.condition for part in parts(left, right) if isinstance(part, Choice)]
    asked = next(iter(choices), None) or next(_hidden(left, right), None)
    if not choices and _rewritten_to_zero(left, right, facts, QUICK):
        return
    if asked is None and _rewritten_to_zero(left, right, facts, SLOW):
        return
    if asked is None or not splits:
        raise NotEqualError(f"{_where(known)}: {render(left)} is not rewritten to {render(right)}")
    for answer in (True, False):
        show_equal(left, right, (*known, (asked, answer)), splits - 1)


def _where(known: Decisions) -> str:
    return "where " + ", ".join(render_comparison(*decision) for decision in known) if known else "everywhere"


def _hidden(*expressions: Expression) -> Iterator[Comparison]:
    for part in parts(*expressions):
        asked = question(part)
        if asked is not None:
            yield asked


def _rewritten_to_zero(left: Expression, right: Expression, facts: Facts, ways: tuple[Rewrite, ...]) -> bool:
    """Whether sympy rewrites a difference to zero, in its own symbols or with a variable's bounds put in."""
    if left == right:
        return True
    free = variables(left, right)
    for place in (symbol, _inside_its_bounds):
        symbols = {variable: place(variable, facts) for variable in free}
        try:
            difference = to_sympy(left, symbols) - to_sympy(right, symbols)
            if any(rewrite(difference) == 0 for rewrite in ways):
                return True
        except (ValueError, TypeError, NotImplementedError, BasePolynomialError):
            continue  # sympy does not compute with what it finds to be complex
    return False


def _by_exponentials(difference: Any) -> Any:  # noqa: ANN401 - sympy's own
    """Write powers of unknown exponents as exponentials, and exponentials of sums as products."""

    def is_power(part: Any) -> bool:  # noqa: ANN401
        return isinstance(part, sympy.Pow) and not part.exp.is_number

    powers = difference.replace(is_power, lambda part: sympy.exp(part.exp * sympy.log(part.base)))
    return sympy.expand(sympy.expand(sympy.expand_log(sympy.factor_terms(powers))))


Rewrite: TypeAlias = Callable[[Any], Any]

QUICK: tuple[Rewrite, ...] = (
    lambda difference: difference,
    sympy.expand,
    lambda difference: sympy.expand(sympy.numer(sympy.together(difference))),
    lambda difference: sympy.expand(sympy.expand_log(sympy.expand_power_base(difference))),
    _by_exponentials,
)
SLOW: tuple[Rewrite, ...] = (
    sympy.simplify,
    lambda difference: sympy.simplify(sympy.expand_func(sympy.expand_log(difference))),
)
"""Ways to write a difference that may turn it into zero; each of them keeps its value."""


def _inside_its_bounds(variable: Variable, facts: Facts) -> sympy.Expr:
    """Return a variable as a function of a positive or non-negative number, onto the interval of its bounds.

    Then the signs of its distances from its bounds are those of sums and quotients of positive numbers.
    """
    bounds = facts.bounds(variable)
    low, high = (
        sympy.Rational(end.numerator, end.denominator) if isinstance(end, Fraction) else None
        for end in (bounds.lower, bounds.upper)
    )
    name = f"{variable.name} beyond its bound"
    if variable.sort is Sort.INTEGER:
        beyond = sympy.Symbol(name, integer=True, nonnegative=True)
        return low + beyond if low is not None else high - beyond if high is not None else symbol(variable, facts)
    above = sympy.Symbol(name, **({"positive": True} if bounds.lower_open else {"nonnegative": True}))
    below = sympy.Symbol(name, **({"positive": True} if bounds.upper_open else {"nonnegative": True}))
    if low is not None and high is not None and bounds.lower_open:
        return low + (high - low) / (1 + below)
    if low is not None and high is not None:
        return high - (high - low) / (1 + above) if bounds.upper_open else symbol(variable, facts)
    if low is not None:
        return low + above
    return high - below if high is not None else symbol(variable, facts)
