"""What is tidied: the same value wherever the expression has one, and shorter."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.tracing.evaluation import Evaluator, UndecidedComparisonError
from dpmatrix.tracing.expressions import Apply, Choice, Comparison, Expression, Number, Sort, Variable
from dpmatrix.tracing.facts import Facts
from dpmatrix.tracing.rendering import render
from dpmatrix.tracing.writing import apply
from dpmatrix.typesetting.formulas import Relation, asserted
from dpmatrix.typesetting.tidying import tidied

X, Y, Z = (Variable(name, Sort.REAL) for name in "xyz")
EXPRESSIONS = 4000
BITS = 256


def number(value) -> Number:
    return Number(Fraction(value))


def drawn(source: random.Random, depth: int) -> Expression:
    """Return a random expression of the operations that are rewritten, unsimplified."""
    if depth == 0:
        return source.choice([X, Y, Z, number(source.choice([-2, -1, 1, 2, 3, Fraction(1, 2), Fraction(-3, 4)]))])
    name = source.choice(["+", "-", "*", "/", "^", "neg", "sqrt", "abs", "min", "max", "exp", "if"])
    one = drawn(source, depth - 1)
    if name in ("neg", "sqrt", "abs"):
        return Apply(name, (one,))
    if name == "exp":
        return Apply("exp", (Apply("/", (one, number(8))),))
    if name == "^":
        return Apply("^", (one, number(source.choice([2, 2, 3]))))
    other = drawn(source, depth - 1)
    if name == "if":
        return Choice(Comparison("<", drawn(source, 1), drawn(source, 0)), one, other)
    return Apply(name, (one, other))


def point(source: random.Random) -> dict[Variable, fmpq]:
    return {one: fmpq(source.randint(-12, 12), source.choice([1, 2, 5])) for one in (X, Y, Z)}


def test_random_expressions_keep_their_values():
    source, compared = random.Random(5), 0
    for _ in range(EXPRESSIONS):
        expression, values = drawn(source, source.randint(2, 5)), point(source)
        with precision(BITS):
            there = Evaluator(values)
            try:
                before, after = there.value(expression), there.value(tidied(expression))
            except UndecidedComparisonError:
                continue
            if before.is_finite() and abs(before) < arb(10) ** 30:
                assert abs(before - after) <= (1 + abs(before)) * arb(10) ** -20, (render(expression), values)
                compared += 1
    assert compared > EXPRESSIONS / 4


def test_random_margins_keep_their_truth():
    """With x, y and z known to be positive, so that common factors are left out."""
    source, seen = random.Random(6), Counter()
    facts = Facts([(Comparison("<", number(0), one), True) for one in (X, Y, Z)])
    for _ in range(EXPRESSIONS):
        margin = Apply("-", (drawn(source, 2), drawn(source, 2)))
        formula = asserted(tidied(margin), False, facts)
        if not isinstance(formula, Relation) or formula.sign not in ("\u2264", "\u2265"):
            continue
        values = {one: abs(value) + fmpq(1, 7) for one, value in point(source).items()}
        left, right = (formula.left, formula.right) if formula.sign == "\u2264" else (formula.right, formula.left)
        with precision(BITS):
            there = Evaluator(values)
            try:
                value, below, above = (there.value(one) for one in (margin, left, right))
            except UndecidedComparisonError:
                continue
            if value.is_finite():
                assert not (value > 0 and below > above), render(margin)
                assert not (value < 0 and below < above), render(margin)
                seen[bool(value > 0)] += 1
    assert min(seen[True], seen[False]) > EXPRESSIONS / 20


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (apply("^", apply("*", apply("sqrt", number(2)), X), number(2)), "2 * x^2"),
        (apply("*", apply("sqrt", number(2)), apply("*", X, apply("sqrt", number(2)))), "2 * x"),
        (apply("/", number(1), apply("/", number(3), apply("*", number(2), X))), "2 * x / 3"),
        (apply("/", apply("/", X, Y), apply("/", Z, Y)), "x / z"),
        (apply("-", X, apply("neg", Y)), "x + y"),
        (apply("neg", apply("-", X, Y)), "y - x"),
        (apply("neg", apply("max", apply("neg", X), apply("neg", Y))), "min(x, y)"),
        (apply("-", apply("*", X, Y), apply("*", Y, X)), "0"),
        (apply("sqrt", number(Fraction(9, 4))), "3/2"),
        (apply("^", apply("/", apply("+", X, number(1)), Y), number(2)), "(x + 1)^2 / y^2"),
    ],
)
def test_what_is_tidied_reads_as_a_person_writes(expression, text):
    assert render(tidied(expression)) == text


def test_a_known_factor_is_left_out_and_an_unknown_one_is_not():
    margin = apply("-", apply("/", X, Z), apply("/", Y, Z))
    positive = Facts([(Comparison("<", number(0), Z), True)])
    assert asserted(tidied(margin), False, positive) == Relation("\u2264", Y, X)
    assert asserted(tidied(margin), False, Facts()) == Relation("\u2264", apply("/", Y, Z), apply("/", X, Z))
