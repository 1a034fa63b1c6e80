"""What a margin asserts, as relations between two sides, and what occurs in them more than once by a letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

import attrs

from dpmatrix.tracing.expressions import (
    INFINITY,
    ZERO,
    Apply,
    Choice,
    Comparison,
    Expression,
    Number,
    Sort,
    Undefined,
    Variable,
    children,
    inside_out,
)
from dpmatrix.tracing.facts import Facts
from dpmatrix.tracing.settling import POSITIVE, signs
from dpmatrix.tracing.writing import MINUS_INFINITY
from dpmatrix.typesetting.tidying import Term, factors, product, sum_of, terms

TURNED = {"<": ">", "≤": "≥", "=": "="}
NEGATED = {"<": "≥", "=": "≠"}


@attrs.frozen
class Relation:
    """Two sides and the sign between them: one of < ≤ = ≠ > ≥."""

    sign: str
    left: Expression
    right: Expression


@attrs.frozen
class Joined:
    """Several formulas: all of them hold, or some of them does."""

    every: bool
    formulas: tuple[Formula, ...]


@attrs.frozen
class Cases:
    """A formula for each of several conditions in a row, of which the first that is true counts; last, one without."""

    branches: tuple[tuple[Formula | None, Formula], ...]


@attrs.frozen
class Settled:
    """A formula without variables: it holds, it does not, or it has no meaning."""

    holds: bool | None


Formula: TypeAlias = Relation | Joined | Cases | Settled


def asserted(margin: Expression, strict: bool, facts: Facts) -> Formula:
    """Return what it says of a tidied margin that it is not negative, or positive when strict.

    Parameters
    ----------
    margin, strict
        What is asserted.
    facts
        What is known: a factor of all terms that is known to be positive is left out.
    """
    match margin:
        case Undefined():
            return Settled(None)
        case Number(value):
            return Settled(value > 0 or (value == 0 and not strict))
        case Apply("infinity", ()) | Apply("neg", (Apply("infinity", ()),)):
            return Settled(margin == INFINITY)
        case Choice():
            return cases((one, asserted(value, strict, facts)) for one, value in branches(margin))
        case Apply("min" | "max" as name, _):
            return joined(name == "min", (asserted(part, strict, facts) for part in flattened(name, margin)))
        case Apply("neg", (Apply("abs", (inside,)),)) if not strict:
            return _related("=", inside, facts)
    return _related("<" if strict else "≤", margin, facts)


def cases(rows: Iterable[tuple[Formula | None, Formula]]) -> Formula:
    """Write formulas for conditions; rows of one formula become one row."""
    kept: list[tuple[Formula | None, Formula]] = []
    for condition, formula in rows:
        if kept and kept[-1][1] == formula:
            before = kept.pop()[0]
            both = None if condition is None or before is None else joined(False, (before, condition))
            kept.append((both, formula))
        else:
            kept.append((condition, formula))
    return kept[0][1] if len(kept) == 1 else Cases(tuple(kept))


def joined(every: bool, formulas: Iterable[Formula]) -> Formula:
    """Join formulas; what decides all of it, or nothing, is left out."""
    kept: list[Formula] = []
    for formula in formulas:
        if isinstance(formula, Settled) and formula.holds is every:
            continue
        if isinstance(formula, Settled) and formula.holds is (not every):
            return formula
        if formula not in kept:
            kept.append(formula)
    if not kept:
        return Settled(every)
    return kept[0] if len(kept) == 1 else Joined(every, tuple(kept))


def flattened(name: str, expression: Expression) -> Iterator[Expression]:
    """Yield what a minimum, or a maximum, is taken of."""
    match expression:
        case Apply(other, (left, right)) if other == name:
            yield from flattened(name, left)
            yield from flattened(name, right)
        case _:
            yield expression


def branches(choice: Expression) -> Iterator[tuple[Relation | None, Expression]]:
    """Yield the conditions of a chain of choices with their values; the last one has none."""
    while isinstance(choice, Choice):
        condition = choice.condition
        if isinstance(choice.then, Choice) and not isinstance(choice.otherwise, Choice):
            yield Relation(NEGATED[condition.relation], condition.left, condition.right), choice.otherwise
            choice = choice.then
        else:
            yield compared(condition), choice.then
            choice = choice.otherwise
    yield None, choice


def compared(comparison: Comparison) -> Relation:
    """Write a comparison, its variable on the left where the other side is a number."""
    return _turned(Relation(comparison.relation, comparison.left, comparison.right))


def _turned(relation: Relation) -> Relation:
    if isinstance(relation.left, Number) and not isinstance(relation.right, Number):
        return Relation(TURNED[relation.sign], relation.right, relation.left)
    return relation


def _related(sign: str, margin: Expression, facts: Facts) -> Relation:
    """Write that zero stands in a relation to a sum, what is subtracted on the other side."""
    collected = terms(margin)
    if any(rest in (INFINITY, MINUS_INFINITY) for _, rest in collected):
        return _turned(Relation(sign, ZERO, margin))
    collected = terms(_without_common_factors(collected, facts))
    below = sum_of((-number, rest) for number, rest in collected if number < 0)
    above = sum_of((number, rest) for number, rest in collected if number > 0)
    return _turned(Relation(sign, below, above))


def _without_common_factors(collected: list[Term], facts: Facts) -> Expression:
    """Divide a sum by what all its terms have as a factor, or all as a divisor, and is known to be positive."""
    split = []
    for number, rest in collected:
        inside, powers_of_rest = factors(rest)
        split.append((number * inside, powers_of_rest))
    for factor in list(split[0][1]) if split else []:
        powers = [found[factor] for _, found in split]
        common = min(powers) if min(powers) > 0 else min(0, max(powers))
        if common and signs(factor, facts) == POSITIVE:
            for _, found in split:
                found[factor] -= common
    return sum_of((number, product(Fraction(1), found)) for number, found in split)


def sides(formula: Formula) -> Iterator[Expression]:
    """Yield every expression in a formula."""
    match formula:
        case Relation(_, left, right):
            yield left
            yield right
        case Joined(_, formulas):
            for one in formulas:
                yield from sides(one)
        case Cases(rows):
            for condition, one in rows:
                if condition is not None:
                    yield from sides(condition)
                yield from sides(one)


def depth(formula: Formula) -> int:
    """Return how deeply cases are nested in cases: 0 where there are none."""
    match formula:
        case Joined(_, formulas):
            return max(map(depth, formulas))
        case Cases(rows):
            return 1 + max(depth(one) for _, one in rows)
    return 0


def count_rows(formula: Formula) -> int:
    """Count the rows of all cases."""
    match formula:
        case Joined(_, formulas):
            return sum(map(count_rows, formulas))
        case Cases(rows):
            return len(rows) + sum(count_rows(one) for _, one in rows)
    return 0


def mapped(formula: Formula, values: Mapping[Expression, Expression]) -> Formula:
    """Return a formula with other expressions in place of its own."""
    match formula:
        case Relation(sign, left, right):
            return Relation(sign, values[left], values[right])
        case Joined(every, formulas):
            return Joined(every, tuple(mapped(one, values) for one in formulas))
        case Cases(rows):
            return Cases(
                tuple((condition and mapped(condition, values), mapped(one, values)) for condition, one in rows)
            )
    return formula


LEAST = 7
"""Parts of an expression that is called by a letter where it occurs again, at least."""


def size(expression: Expression) -> int:
    """Count the parts of an expression as they are written, repetitions included."""
    counted: dict[Expression, int] = {}
    for part in inside_out(expression):
        counted[part] = 1 + sum(counted[inner] for inner in children(part))
    return counted[expression]


@attrs.frozen
class Abbreviated:
    """A formula with letters for what it repeats, and what each letter stands for, in an order to be read in."""

    formula: Formula
    letters: tuple[tuple[Variable, Expression], ...]


def abbreviated(formula: Formula) -> Abbreviated:
    """Call by a letter every expression of some size that occurs more than once in a formula."""
    uses: Counter[Expression] = Counter(sides(formula))
    order = list(inside_out(*dict.fromkeys(sides(formula))))
    for part in order:
        uses.update(children(part))
    written: dict[Expression, Expression] = {}
    letters: list[tuple[Variable, Expression]] = []
    for part in order:
        new = _rebuilt(part, written)
        if uses[part] > 1 and isinstance(part, Apply) and size(new) >= LEAST:
            letter = Variable(f"letter {len(letters)}", Sort.REAL)
            letters.append((letter, new))
            new = letter
        written[part] = new
    return Abbreviated(mapped(formula, written), tuple(letters))


def _rebuilt(part: Expression, written: Mapping[Expression, Expression]) -> Expression:
    match part:
        case Apply(name, arguments):
            return Apply(name, tuple(written[argument] for argument in arguments))
        case Choice(condition, then, otherwise):
            asked = Comparison(condition.relation, written[condition.left], written[condition.right])
            return Choice(asked, written[then], written[otherwise])
    return part
