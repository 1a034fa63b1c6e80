"""Exact expressions: what a margin computes, written down. Small, immutable, compared by structure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import attrs


class UntraceableError(Exception):
    """A margin that does not run on symbols; the text says why."""


class Sort(Enum):
    """The numbers that a variable stands for."""

    INTEGER = "integer"
    REAL = "real"


@attrs.frozen(cache_hash=True)
class Number:
    """A rational number."""

    value: Fraction = attrs.field(converter=Fraction)


@attrs.frozen(cache_hash=True)
class Variable:
    """A field of a point, by its dotted path."""

    name: str
    sort: Sort


@attrs.frozen(cache_hash=True)
class Apply:
    """An operation of `ARITIES` and its arguments."""

    name: str
    arguments: tuple[Expression, ...]


class UnknownCountError(UntraceableError):
    """Something is counted or indexed with an integer that has no value."""

    def __init__(self, variable: Variable) -> None:
        self.variable = variable
        super().__init__("a loop, a length or a place by an integer that has no value")


@attrs.frozen(cache_hash=True)
class Comparison:
    """``left < right``, or ``left = right``; every other comparison is one of these or its negation."""

    relation: str
    left: Expression
    right: Expression


@attrs.frozen(cache_hash=True)
class Choice:
    """One expression where a comparison is true, another one where it is not."""

    condition: Comparison
    then: Expression
    otherwise: Expression


@attrs.frozen(cache_hash=True)
class Undefined:
    """No value: the margin is not a number here, or refuses to be one."""

    reason: str


Expression: TypeAlias = Number | Variable | Apply | Choice | Undefined

ELEMENTARY = {
    "+": 2,
    "-": 2,
    "*": 2,
    "/": 2,
    "^": 2,
    "neg": 1,
    "abs": 1,
    "min": 2,
    "max": 2,
    "floor": 1,
    "sqrt": 1,
    "exp": 1,
    "log": 1,
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "sinh": 1,
    "cosh": 1,
    "tanh": 1,
    "pi": 0,
    "infinity": 0,
}
"""Number of arguments of each operation whose laws are used."""

SPECIAL = {
    "erf": 1,
    "erfc": 1,
    "gamma": 1,
    "lgamma": 1,
    "gamma_upper": 2,
    "gamma_lower": 2,
    "gamma_upper_regularized": 2,
    "gamma_lower_regularized": 2,
    "beta_lower": 3,
    "beta_lower_regularized": 3,
    "hypgeom_u": 3,
    "zeta": 1,
    "numerator": 1,
    "denominator": 1,
}
"""Number of arguments of each function that is a name and nothing more; parameters come before the point."""

ARITIES = ELEMENTARY | SPECIAL
ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))
INFINITY = Apply("infinity", ())
KEEPS_INTEGERS = frozenset({"+", "-", "*", "neg", "abs", "min", "max"})


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions directly inside another one."""
    match expression:
        case Apply(_, arguments):
            return arguments
        case Choice(condition, then, otherwise):
            return condition.left, condition.right, then, otherwise
    return ()


def parts(*expressions: Expression) -> Iterator[Expression]:
    """Yield every expression inside some, themselves included, each once and always in the same order."""
    waiting, seen = list(reversed(expressions)), set[Expression]()
    while waiting:
        expression = waiting.pop()
        if expression not in seen:
            seen.add(expression)
            yield expression
            waiting += reversed(children(expression))


def inside_out(*expressions: Expression) -> Iterator[Expression]:
    """Yield every expression inside some, themselves included, each once and after all that it is made of."""
    seen = set[Expression]()
    for top in expressions:
        waiting = [top]
        while waiting:
            unseen = [inner for inner in children(waiting[-1]) if inner not in seen]
            waiting += unseen
            if not unseen:
                expression = waiting.pop()
                if expression not in seen:
                    seen.add(expression)
                    yield expression


def variables(*expressions: Expression) -> tuple[Variable, ...]:
    """Return the variables of expressions, in the order in which they occur."""
    return tuple(part for part in parts(*expressions) if isinstance(part, Variable))


@lru_cache(maxsize=1 << 16)
def is_integer(expression: Expression) -> bool:
    """Whether an expression is an integer by its form, wherever it is defined."""
    match expression:
        case Number(value):
            return value.denominator == 1
        case Variable(_, sort):
            return sort is Sort.INTEGER
        case Apply("floor" | "numerator" | "denominator", _):
            return True
        case Apply("^", (base, Number(power))):
            return power.denominator == 1 and power >= 0 and is_integer(base)
        case Apply(name, arguments):
            return name in KEEPS_INTEGERS and all(is_integer(argument) for argument in arguments)
        case Choice(_, then, otherwise):
            return is_integer(then) and is_integer(otherwise)
    return False


@attrs.frozen
class Requirement:
    """What must be so for an expression to be defined: a comparison's answer, after the answers that lead there.

    Parameters
    ----------
    answers
        The comparisons on the way and their answers.
    comparison, answer
        What must hold there; None where nothing would help.
    """

    answers: tuple[tuple[Comparison, bool], ...]
    comparison: Comparison | None
    answer: bool = True


def _own_requirements(expression: Expression) -> tuple[tuple[Comparison, bool], ...]:
    match expression:
        case Apply("/", (_, divisor)):
            return ((Comparison("=", divisor, ZERO), False),)
        case Apply("^", (base, power)) if not is_integer(power):
            return ((Comparison("<", ZERO, base), True),)
        case Apply("^", (base, power)) if not (isinstance(power, Number) and power.value >= 0):
            return ((Comparison("=", base, ZERO), False),)
        case Apply("log", (argument,)):
            return ((Comparison("<", ZERO, argument), True),)
        case Apply("sqrt", (argument,)):
            return ((Comparison("<", argument, ZERO), False),)
        case Apply("asin" | "acos", (argument,)):
            return (
                (Comparison("<", argument, Number(Fraction(-1))), False),
                (Comparison("<", ONE, argument), False),
            )
    return ()


def requirements(expression: Expression, answers: tuple[tuple[Comparison, bool], ...] = ()) -> Iterator[Requirement]:
    """Yield what makes an expression defined, from the inside out: its divisors, logarithms, roots and powers.

    The domain of a special function is its own affair: it is a name here.
    """
    if isinstance(expression, Undefined):
        yield Requirement(answers, None)
    elif isinstance(expression, Choice):
        condition = expression.condition
        yield from requirements(condition.left, answers)
        yield from requirements(condition.right, answers)
        yield from requirements(expression.then, (*answers, (condition, True)))
        yield from requirements(expression.otherwise, (*answers, (condition, False)))
    else:
        for child in children(expression):
            yield from requirements(child, answers)
        for comparison, answer in _own_requirements(expression):
            if not _plain(comparison, answer):
                yield Requirement(answers, comparison, answer)


def _plain(comparison: Comparison, answer: bool) -> bool:
    """Whether a requirement is about numbers and met."""
    match comparison:
        case Comparison("=", Number(left), Number(right)):
            return (left == right) is answer
        case Comparison("<", Number(left), Number(right)):
            return (left < right) is answer
    return False


@lru_cache(maxsize=1 << 16)
def is_total(expression: Expression) -> bool:
    """Whether an expression is a number everywhere, by its form."""
    return (
        not isinstance(expression, Undefined | Choice)
        and not (isinstance(expression, Apply) and (expression.name in SPECIAL or expression.name == "infinity"))
        and all(_plain(*needed) for needed in _own_requirements(expression))
        and all(is_total(child) for child in children(expression))
    )
