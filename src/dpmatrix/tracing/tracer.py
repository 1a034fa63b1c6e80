"""Trace statements: each hypothesis and the conclusion as one exact expression."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import attrs

from dpmatrix.claims import Condition, Statement
from dpmatrix.claims.records import record_of
from dpmatrix.errors import InvalidParameterError
from dpmatrix.tracing.copies import copies
from dpmatrix.tracing.expressions import (
    ZERO,
    Apply,
    Comparison,
    Expression,
    Number,
    Undefined,
    UnknownCountError,
    UntraceableError,
    Variable,
    parts,
)
from dpmatrix.tracing.facts import Facts
from dpmatrix.tracing.paths import Decisions, explore
from dpmatrix.tracing.points import (
    Fixed,
    Layout,
    Size,
    fields_of,
    is_sized,
    layouts,
    point_type,
    symbolic_point,
    variables_of,
)
from dpmatrix.tracing.settling import settled
from dpmatrix.tracing.symbolic import expression_of

SIZES = (2, 3, 4)
"""Lengths of tuples and orders of matrices at which statements about any are traced."""

COUNTS = (1, 2, 3, 4)
"""Values of integers that a margin counts or indexes with."""

MOST_CASES = 256
MOST_PARTS = 4096
"""Different expressions inside one, beyond which nobody reads it or computes with it."""


@attrs.frozen
class Assertion:
    """``margin >= 0``, or ``margin > 0`` when strict."""

    says: str
    margin: Expression
    strict: bool

    @property
    def holds(self) -> tuple[Comparison, bool]:
        """The comparison, and its answer, that say that the assertion is true."""
        return (
            (Comparison("<", ZERO, self.margin), True) if self.strict else (Comparison("<", self.margin, ZERO), False)
        )

    def of(self, margin: Expression) -> Assertion:
        """Return the same assertion of another margin."""
        return attrs.evolve(self, margin=margin)

    @property
    def fails(self) -> bool:
        """Whether the assertion is false or undefined by its form, whatever the variables are."""
        if isinstance(self.margin, Number):
            return self.margin.value < 0 or (self.strict and self.margin.value == 0)
        return isinstance(self.margin, Undefined)


def conjuncts(margin: Expression) -> Iterator[Expression]:
    """Yield the margins of which one is the smallest: all of them have the sign of the smallest or a better one."""
    match margin:
        case Apply("min", (left, right)):
            yield from conjuncts(left)
            yield from conjuncts(right)
        case _:
            yield margin


def equation(margin: Expression) -> tuple[Expression, Expression] | None:
    """Return the two sides that are equal where a margin of the form -|a - b| is not negative."""
    match margin:
        case Apply("neg", (Apply("abs", (Apply("-", (left, right)),)),)):
            return left, right
    return None


@attrs.frozen
class Case:
    """A statement on the points of one layout.

    Parameters
    ----------
    layout
        Where the variables stand in a point, and which flags and members it has.
    counts
        Integers that have a value here, since something is counted with them.
    hypotheses, conclusion
        What is asserted, in the variables of the layout.
    """

    layout: Layout
    counts: Mapping[Variable, int]
    hypotheses: tuple[Assertion, ...]
    conclusion: Assertion

    @property
    def known(self) -> Decisions:
        """The comparisons, and their answers, that the hypotheses amount to."""
        known: list[tuple[Comparison, bool]] = []
        for hypothesis in self.hypotheses:
            for margin in conjuncts(hypothesis.margin):
                known.append(hypothesis.of(margin).holds)
                sides = equation(margin)
                if sides is not None and not hypothesis.strict:
                    known.append((Comparison("=", *sides), True))
        return tuple(known)

    @property
    def inside(self) -> Assertion:
        """The conclusion as it is where the hypotheses hold and it is defined."""
        return self.conclusion.of(settled(self.conclusion.margin, Facts(self.known)))

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The numbers that are free, in the order of the fields."""
        return tuple(variable for variable in variables_of(self.layout) if variable not in self.counts)

    @property
    def fixed(self) -> dict[str, object]:
        """The value of every field that is none of the variables."""
        chosen: dict[str, object] = {
            field.path: field.value for field in fields_of(self.layout) if isinstance(field, Fixed)
        }
        return chosen | {variable.name: value for variable, value in self.counts.items()}


@attrs.frozen
class Traced:
    """A statement in exact expressions.

    Parameters
    ----------
    statement
        The statement.
    cases
        One for each combination of flags, members of enumerations, sizes and counts.
    sizes
        Lengths of tuples and numbers of rows of matrices; none where there are no tuples and matrices.
    counted
        Names of the integers that have the values `COUNTS` only.
    """

    statement: Statement
    cases: tuple[Case, ...]
    sizes: tuple[int, ...]
    counted: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether the cases cover every point."""
        return not (self.sizes or self.counted)


def trace(statement: Statement) -> Traced:
    """Return the hypotheses and the conclusion of a statement as exact expressions.

    Raises
    ------
    UntraceableError
        If it does not run on symbols; the text says why.
    """
    name, hint = point_type((statement.source, *(condition.margin for condition in statement.given)))
    path = name
    if isinstance(hint, type) and attrs.has(hint):
        path = ""
        # A margin that does not say what it takes leaves it to the first hypothesis that does.
        with suppress(InvalidParameterError):
            hint = record_of(statement)
    if not is_sized(hint):
        return _traced(statement, _cases(statement, layouts(hint, path, Size.square(0))), ())
    for size in Size.square, Size.with_columns:
        if found := _at_sizes(statement, hint, path, size):
            return found
    raise UntraceableError("not defined for tuples of one length and matrices of as many rows, square or of one column")


def _at_sizes(statement: Statement, hint: Any, path: str, size: Callable[[int], Size]) -> Traced | None:  # noqa: ANN401
    """Return the statement at the sizes at which it is defined, up to the first that resists; None if at none."""
    cases: list[Case] = []
    sizes = []
    for order in SIZES:
        try:
            found = _cases(statement, layouts(hint, path, size(order)))
        except UntraceableError:
            if not cases:
                raise
            break
        if found:
            cases += found
            sizes.append(order)
    return _traced(statement, cases, tuple(sizes)) if cases else None


def _traced(statement: Statement, cases: list[Case], sizes: tuple[int, ...]) -> Traced:
    if not cases:
        raise UntraceableError("not defined, or outside the hypotheses, whatever the numbers are")
    counted = dict.fromkeys(variable.name for case in cases for variable in case.counts)
    return Traced(statement, tuple(cases), sizes, tuple(counted))


def _cases(statement: Statement, choices: Iterator[Layout]) -> list[Case]:
    cases: list[Case] = []
    for layout in choices:
        cases += _with_counts(statement, layout, {})
        if len(cases) > MOST_CASES:
            raise UntraceableError("too many combinations of flags and counts")
    return cases


def _with_counts(statement: Statement, layout: Layout, counts: Mapping[Variable, int]) -> Iterator[Case]:
    """Yield the case of a layout, or, where something is counted with integers, one for each of their values."""
    try:
        case = _case(statement, layout, counts)
    except UnknownCountError as unknown:
        for value in COUNTS:
            yield from _with_counts(statement, layout, {**counts, unknown.variable: value})
    else:
        if case is not None:
            yield case


def _case(statement: Statement, layout: Layout, counts: Mapping[Variable, int]) -> Case | None:
    """Return the case of a layout; None where a hypothesis fails by its form, or nothing is asserted."""
    hypotheses = []
    for condition in statement.given:
        hypothesis = _assertion(condition, layout, counts)
        if hypothesis.fails:
            return None
        if not (isinstance(hypothesis.margin, Number) and counts):
            hypotheses.append(hypothesis)
    conclusion = _assertion(statement, layout, counts)
    if isinstance(conclusion.margin, Undefined):
        return None
    return Case(layout, counts, tuple(hypotheses), conclusion)


def _assertion(asserted: Condition | Statement, layout: Layout, counts: Mapping[Variable, int]) -> Assertion:
    margin = _counterpart(asserted)
    expression = explore(lambda: expression_of(margin(symbolic_point(layout, counts))))
    if sum(1 for _ in parts(expression)) > MOST_PARTS:
        raise UntraceableError("an expression of thousands of parts")
    return Assertion(asserted.says, expression, asserted.strict)


def _counterpart(asserted: Condition | Statement) -> Callable[[Any], Any]:
    """Return what computes the margin of symbols; that of a law is the difference of its two sides."""
    law = asserted.law if isinstance(asserted, Statement) else None
    if law is None:
        found: Callable[[Any], Any] = copies().counterpart(
            asserted.formula if isinstance(asserted, Statement) else asserted.margin
        )
        return found
    quantity, bound = copies().counterpart(law.quantity), copies().counterpart(law.bound)
    return lambda point: bound(point) - quantity(point) if law.at_most else -(bound(point) - quantity(point))
