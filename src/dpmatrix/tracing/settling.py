"""Leave out of expressions what known comparisons decide: choices, minima, maxima and absolute values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

from dpmatrix.tracing.expressions import ONE, ZERO, Apply, Choice, Comparison, Expression, Number, Variable
from dpmatrix.tracing.facts import Facts
from dpmatrix.tracing.writing import apply

Signs = frozenset[int]
"""The signs that a number may have."""

ANY, POSITIVE, NONNEGATIVE = Signs((-1, 0, 1)), Signs((1,)), Signs((0, 1))


def settled(expression: Expression, facts: Facts) -> Expression:
    """Return what an expression is where some comparisons hold and it is defined."""
    done: dict[Expression, Expression] = {}

    def settle(part: Expression) -> Expression:
        if part not in done:
            done[part] = _settle(part, settle, facts)
        return done[part]

    # What lies deepest comes first: expressions are nested more deeply than Python's calls may be.
    for part in reversed(_levels(expression)):
        settle(part)
    return done[expression]


def _levels(expression: Expression) -> list[Expression]:
    """Return an expression, what it is computed from, what that is computed from, and so on; not inside choices."""
    found, level = [expression], [expression]
    while level:
        level = [inner for part in level if isinstance(part, Apply) for inner in part.arguments]
        level = list(dict.fromkeys(level))
        found += level
    return found


def question(part: Expression) -> Comparison | None:
    """Return the comparison that decides a minimum, a maximum or an absolute value."""
    match part:
        case Apply("min" | "max", (left, right)):
            return Comparison("<", left, right)
        case Apply("abs", (inside,)):
            return Comparison("<", inside, ZERO)
    return None


def answer(comparison: Comparison, facts: Facts) -> bool | None:
    """Return whether a comparison is true where both sides are defined, or None where that is not known."""
    known = facts.answer(comparison)
    if known is not None:
        return known
    found = signs(apply("-", comparison.left, comparison.right), facts)
    wanted = -1 if comparison.relation == "<" else 0
    return True if found == {wanted} else False if wanted not in found else None


def signs(expression: Expression, facts: Facts) -> Signs:
    """Return the signs that an expression may have where some comparisons hold and it is defined."""
    if expression not in facts.signs:
        facts.signs[expression] = _signs(expression, facts)
    return facts.signs[expression]


def _signs(expression: Expression, facts: Facts) -> Signs:
    bounds = facts.bounds(expression)
    lower = POSITIVE if bounds.lower > 0 or (bounds.lower == 0 and bounds.lower_open) else NONNEGATIVE
    upper = _opposite(POSITIVE if bounds.upper < 0 or (bounds.upper == 0 and bounds.upper_open) else NONNEGATIVE)
    by_bounds = (lower if bounds.lower >= 0 else ANY) & (upper if bounds.upper <= 0 else ANY)
    if not isinstance(expression, Apply):
        return by_bounds
    return by_bounds & _signs_of(expression, facts)


def _signs_of(expression: Apply, facts: Facts) -> Signs:
    inside = [signs(argument, facts) for argument in expression.arguments]
    match expression.name, expression.arguments:
        case "exp" | "pi" | "cosh", _:
            return POSITIVE
        case "sqrt" | "abs", _:
            return Signs(sign * sign for sign in inside[0])
        case "neg", _:
            return _opposite(inside[0])
        case "*" | "/", _:
            divisor = inside[1] - {0} if expression.name == "/" else inside[1]
            return Signs(one * other for one, other in itertools.product(inside[0], divisor))
        case "+", _:
            return _of_sums(*inside)
        case "-", _:
            return _of_sums(inside[0], _opposite(inside[1]))
        case "min", _:
            return Signs(min(pair) for pair in itertools.product(*inside))
        case "max", _:
            return Signs(max(pair) for pair in itertools.product(*inside))
        case "^", (_, Number(power)) if power.denominator == 1 and power.numerator % 2 == 0 and power:
            return Signs(sign * sign for sign in inside[0])
        case "^", _ if inside[0] == POSITIVE:
            return POSITIVE
        case "log", (argument,):
            return signs(apply("-", argument, ONE), facts)
    return ANY


def _opposite(found: Iterable[int]) -> Signs:
    return Signs(-sign for sign in found)


def _of_sums(one: Signs, other: Signs) -> Signs:
    pairs = itertools.product(one, other)
    return Signs().union(*(ANY if left * right < 0 else {left or right} for left, right in pairs))


def _settle(part: Expression, settle: Callable[[Expression], Expression], facts: Facts) -> Expression:
    match part:
        case Variable():
            value = facts.bounds(part).point
            return part if value is None else Number(value)
        case Choice(condition, then, otherwise):
            inside = Comparison(condition.relation, settle(condition.left), settle(condition.right))
            known = answer(inside, facts)
            if known is None:
                return Choice(inside, settle(then), settle(otherwise))
            return settle(then if known else otherwise)
        case Apply(name, arguments):
            found = apply(name, *map(settle, arguments))
            asked = question(found)
            known = None if asked is None else answer(asked, facts)
            return found if known is None else answered(found, known)
    return part


def answered(part: Expression, known: bool) -> Expression:
    """Return what a minimum, a maximum or an absolute value is, by the answer to its `question`."""
    match part:
        case Apply("min", (left, right)):
            return left if known else right
        case Apply("max", (left, right)):
            return right if known else left
        case Apply("abs", (inside,)):
            return apply("neg", inside) if known else inside
    return part
