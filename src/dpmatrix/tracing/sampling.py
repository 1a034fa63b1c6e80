"""Rational points of a traced case, at random and always the same, inside its hypotheses where some are found."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction

from flint import fmpq

from dpmatrix.exact import precision
from dpmatrix.tracing.evaluation import Evaluator, UndecidedComparisonError, Values
from dpmatrix.tracing.expressions import Apply, Expression, Sort, Variable, parts
from dpmatrix.tracing.facts import Facts, linear
from dpmatrix.tracing.tracer import Case, conjuncts, equation

BITS = 256
ATTEMPTS = 40
"""Points that are drawn for each one that is wanted, at most."""

PASSES = 2
"""How often a drawn point is moved towards the hypotheses."""


def draw(case: Case, count: int, seed: str) -> Iterator[tuple[Values, bool]]:
    """Yield points of a case, and whether each certainly meets the hypotheses: those that do first.

    Parameters
    ----------
    case
        The case.
    count
        Number of points; fewer where the case has no variables.
    seed
        The same points belong to the same text.
    """
    source = random.Random(f"{seed} {case.fixed}")  # noqa: S311 - points to look at, no secrets
    known = Facts(case.known)
    outside: list[Values] = []
    found: list[Values] = []
    for _ in range(ATTEMPTS * count if case.variables else 1):
        values = _draw(case, known, source)
        if meets(case, values):
            found.append(values)
        else:
            outside.append(values)
        if len(found) == count:
            break
    yield from ((values, True) for values in found)
    yield from ((values, False) for values in outside[: count - len(found)])


def meets(case: Case, values: Values) -> bool:
    """Whether a point certainly meets every hypothesis."""
    with precision(BITS):
        evaluator = Evaluator(values)
        try:
            return all(
                evaluator.value(hypothesis.margin).is_finite()
                and evaluator.holds(hypothesis.holds[0]) is hypothesis.holds[1]
                for hypothesis in case.hypotheses
            )
        except UndecidedComparisonError:
            return False


def _draw(case: Case, known: Facts, source: random.Random) -> Values:
    values: dict[Variable, fmpq] = {variable: fmpq(value) for variable, value in case.counts.items()}
    for variable in case.variables:
        value = _number(variable, known, source)
        values[variable] = fmpq(value.numerator, value.denominator)
    for _ in range(PASSES):
        for hypothesis in case.hypotheses:
            for margin in conjuncts(hypothesis.margin):
                _mend(margin, values, source)
    return values


def _number(variable: Variable, known: Facts, source: random.Random) -> Fraction:
    bounds = known.bounds(variable)
    low = bounds.lower if isinstance(bounds.lower, Fraction) else None
    high = bounds.upper if isinstance(bounds.upper, Fraction) else None
    if variable.sort is Sort.INTEGER:
        least = math.ceil(low) if low is not None else math.floor(high) - 6 if high is not None else -3
        most = math.floor(high) if high is not None else least + 6
        return Fraction(source.randint(least, max(least, min(most, least + 12))))
    denominator = source.choice((1, 2, 3, 7, 20, 100))
    if low is not None and high is not None:
        return low + (high - low) * Fraction(source.randint(0, 2 * denominator), 2 * denominator)
    size = Fraction(source.randint(0, 3 * denominator), denominator) * source.choice((1, 1, 1, 10))
    if low is not None:
        return low + size
    return high - size if high is not None else size * source.choice((-1, 1))


def _mend(margin: Expression, values: dict[Variable, fmpq], source: random.Random) -> None:
    """Change a variable that stands in a margin by itself, so that an equation holds or a negative margin does not."""
    sides = equation(margin)
    terms, constant = linear(margin if sides is None else Apply("-", sides))
    alone = [
        term
        for term, factor in terms.items()
        if isinstance(term, Variable) and factor and not any(term in parts(other) for other in terms if other != term)
    ]
    if not alone:
        return
    chosen = alone[-1] if sides is not None else source.choice(alone)
    with precision(BITS):
        evaluator = Evaluator(values)
        try:
            rest = [(evaluator.rational(term), factor) for term, factor in terms.items() if term != chosen]
        except UndecidedComparisonError:
            return
    exact = [number * fmpq(factor.numerator, factor.denominator) for number, factor in rest if number is not None]
    if len(exact) < len(rest):
        return
    slope = fmpq(terms[chosen].numerator, terms[chosen].denominator)
    others = sum(exact, fmpq(constant.numerator, constant.denominator))
    if sides is None and others + slope * values[chosen] >= 0:
        return
    aim = fmpq(0 if sides is not None else source.randint(0, 8), source.choice((1, 4)))
    found = (aim - others) / slope
    if chosen.sort is Sort.REAL or found.q == 1:
        values[chosen] = found
