"""Expressions as a person would write them: one quotient for many, like terms collected, no double signs.

What is tidied has the value of the expression wherever that is defined; it may be defined at more points, as where a
factor of a divisor cancels.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from dpmatrix.tracing.expressions import (
    ONE,
    ZERO,
    Apply,
    Choice,
    Comparison,
    Expression,
    Number,
    Undefined,
    UntraceableError,
    inside_out,
)
from dpmatrix.tracing.writing import INFINITE, apply

LARGEST_POWER = 12
"""Powers beyond are factors of their own."""

OPPOSITE = {"min": "max", "max": "min"}


def tidied(expression: Expression) -> Expression:
    """Return an expression of the same value, wherever the given one is defined, that is easier to read."""
    done: dict[Expression, Expression] = {}
    for part in inside_out(expression):
        done[part] = _tidied(part, done)
    return done[expression]


def _tidied(part: Expression, done: dict[Expression, Expression]) -> Expression:
    match part:
        case Choice(condition, then, otherwise):
            asked = Comparison(condition.relation, done[condition.left], done[condition.right])
            return done[then] if done[then] == done[otherwise] else Choice(asked, done[then], done[otherwise])
        case Apply(name, arguments):
            inside = tuple(done[argument] for argument in arguments)
            try:
                return _applied(name, inside)
            except UntraceableError:
                return Apply(name, inside)
    return part


def _applied(name: str, arguments: tuple[Expression, ...]) -> Expression:
    if any(argument in INFINITE or isinstance(argument, Undefined) for argument in arguments):
        return apply(name, *arguments)
    match name, arguments:
        case "+" | "-", _:
            return sum_of(terms(Apply(name, arguments)))
        case ("neg", (Apply("min" | "max" as other, (left, right)),)):
            return apply(OPPOSITE[other], _applied("neg", (left,)), _applied("neg", (right,)))
        case ("*" | "/" | "neg", _) | ("^", (_, Number())):
            return product(*factors(Apply(name, arguments)))
        case "abs", (Apply("neg", (inside,)),):
            return apply("abs", inside)
        case "sqrt", (Number(value),) if _root(value) is not None:
            return Number(_root(value) or 0)
    return apply(name, *arguments)


def _root(value: Fraction) -> Fraction | None:
    """Return the root of the square of a rational."""
    if value < 0:
        return None
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else None


Factors = tuple[Fraction, Counter[Expression]]
"""A number, and other factors with their powers, of which those of divisors are negative."""


def factors(expression: Expression) -> Factors:
    """Write an expression as a product of powers."""
    match expression:
        case Number(value):
            return value, Counter()
        case Apply("neg", (inside,)):
            number, powers = factors(inside)
            return -number, powers
        case Apply("*", (left, right)):
            return _times(factors(left), factors(right), 1)
        case Apply("/", (left, right)):
            divisor = factors(right)
            return _times(factors(left), divisor, -1) if divisor[0] else (Fraction(1), Counter({expression: 1}))
        case Apply("^", (base, Number(power))) if power.denominator == 1 and 0 < power <= LARGEST_POWER:
            number, powers = factors(base)
            return _normal(number ** int(power), {factor: count * int(power) for factor, count in powers.items()})
    return Fraction(1), Counter({expression: 1})


def _times(left: Factors, right: Factors, power: int) -> Factors:
    powers = Counter(left[1])
    for factor, count in right[1].items():
        powers[factor] += power * count
    return _normal(left[0] * right[0] ** power, powers)


def _normal(number: Fraction, powers: Mapping[Expression, int]) -> Factors:
    """Write squares of roots as what the root is taken of."""
    found: Counter[Expression] = Counter()
    for factor, count in powers.items():
        match factor:
            case Apply("sqrt", (inside,)):
                pairs = int(count / 2)
                found[factor] += count - 2 * pairs
                value, others = factors(inside) if pairs else (Fraction(1), Counter[Expression]())
                number *= value**pairs
                for other, power in others.items():
                    found[other] += power * pairs
            case _:
                found[factor] += count
    return number, found


def product(number: Fraction, powers: Counter[Expression]) -> Expression:
    """Write a product as one quotient; the sign of a lone sum goes inside."""
    if number == -1 and len(powers) == 1 and (alone := next(iter(powers))) and powers[alone] == 1 and _is_sum(alone):
        return sum_of([(-count, rest) for count, rest in terms(alone)])
    above = [Number(Fraction(abs(number.numerator)))] if abs(number.numerator) != 1 else []
    below = [Number(Fraction(number.denominator))] if number.denominator != 1 else []
    if number == 0:
        return ZERO
    top = _multiplied([*above, *_powers(powers, 1)])
    bottom = _multiplied([*below, *_powers(powers, -1)])
    found = top if bottom == ONE else apply("/", top, bottom)
    return apply("neg", found) if number < 0 else found


def _powers(powers: Counter[Expression], side: int) -> Iterable[Expression]:
    for factor, count in powers.items():
        if count * side > 0:
            yield apply("^", factor, Number(Fraction(count * side)))


def _multiplied(written: Iterable[Expression]) -> Expression:
    found: Expression = ONE
    for one in written:
        found = apply("*", found, one) if found != ONE else one
    return found


def _is_sum(expression: Expression) -> bool:
    return isinstance(expression, Apply) and expression.name in ("+", "-")


Term = tuple[Fraction, Expression]
"""A number and what it multiplies; that is one where the term is a number."""


def terms(expression: Expression) -> list[Term]:
    """Write an expression as a sum of multiples, like ones collected, in the order in which they occur."""
    found: dict[frozenset[tuple[Expression, int]], Term] = {}
    waiting: list[tuple[Expression, Fraction]] = [(expression, Fraction(1))]
    while waiting:
        part, sign = waiting.pop()
        match part:
            case Apply("+", (left, right)):
                waiting += [(right, sign), (left, sign)]
            case Apply("-", (left, right)):
                waiting += [(right, -sign), (left, sign)]
            case Apply("neg", (inside,)):
                waiting.append((inside, -sign))
            case _:
                number, powers = factors(part)
                key = frozenset((factor, power) for factor, power in powers.items() if power)
                before, rest = found.get(key, (Fraction(0), product(Fraction(1), powers)))
                found[key] = (before + sign * number, rest)
    return [one for one in found.values() if one[0]]


def term(number: Fraction, rest: Expression) -> Expression:
    """Write a multiple of something."""
    inside, powers = factors(rest)
    return product(number * inside, powers)


def sum_of(collected: Iterable[Term]) -> Expression:
    """Write a sum; where it would begin with a sign, what is added comes before what is subtracted."""
    listed = list(collected)
    if listed and listed[0][0] < 0:
        listed.sort(key=lambda one: one[0] < 0)
    found: Expression | None = None
    for number, rest in listed:
        if found is None:
            found = term(number, rest)
        else:
            found = apply("+" if number > 0 else "-", found, term(abs(number), rest))
    return ZERO if found is None else found
