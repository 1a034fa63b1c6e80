"""Binding a proof to its statement: the whole formula, at enough points, with the very hypotheses."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
import sympy
from flint import arb, ctx

from dpmatrix.claims import Condition, Statement, WrongFormulaError, bind, bind_hypotheses
from dpmatrix.exact import Real, ball


@attrs.frozen
class Point:
    """What the statements speak about."""

    x: Real


def margin(p):
    return ball(p.x).sqrt() - ball(p.x) / 3


def positive(p):
    return ball(p.x)


def small(p):
    return 100 - ball(p.x)


STATEMENT = Statement("", margin, given=(Condition("x > 0", positive, strict=True), Condition("x <= 100", small)))
POINTS = [Point(Fraction(n, 7)) for n in range(1, 21)]


def exact(point, factor=1):
    value = sympy.Rational(point.x)
    return (sympy.sqrt(value) - factor * value / 3).evalf(50)


def test_the_right_formula_is_bound_at_any_precision() -> None:
    before = ctx.prec
    bind(STATEMENT, [(point, exact(point)) for point in POINTS])
    assert ctx.prec == before


def test_exact_values_and_balls_are_taken_as_they_are() -> None:
    squares = [Point(n * n) for n in range(1, 21)]
    bind(STATEMENT, [(point, Fraction(n) - Fraction(n * n, 3)) for n, point in enumerate(squares, 1)])
    bind(STATEMENT, ((point, ball(point.x).sqrt() - ball(point.x) / 3) for point in POINTS))


@pytest.mark.parametrize("change", [Fraction(11, 10), 1 + Fraction(1, 10**38)])
def test_a_neighbouring_formula_is_refused(change) -> None:
    with pytest.raises(WrongFormulaError, match=r"margin .* formula"):
        bind(STATEMENT, [(point, exact(point, sympy.Rational(change))) for point in POINTS])


@pytest.mark.parametrize("value", ["nan", arb("nan"), arb("0 +/- inf")])
def test_a_value_that_says_nothing_is_refused(value) -> None:
    with pytest.raises(WrongFormulaError):
        bind(STATEMENT, [(point, value) for point in POINTS])


def test_too_few_points_are_refused() -> None:
    with pytest.raises(WrongFormulaError, match="bound at 19 points, need 20"):
        bind(STATEMENT, [(point, exact(point)) for point in POINTS[:-1]])
    with pytest.raises(WrongFormulaError, match="bound at 0 points"):
        bind(STATEMENT, [])


def test_hypotheses_are_bound_by_name_and_by_point() -> None:
    outside = {"x > 0": Point(0), "x <= 100": Point(101)}
    bind_hypotheses(STATEMENT, Point(1), outside)
    for inside, wrong in [
        (Point(1), {"x > 0": Point(0)}),
        (Point(1), outside | {"x >= 1": Point(0)}),
        (Point(1), outside | {"x > 0": Point(1)}),
        (Point(1), {"x > 0": Point(101), "x <= 100": Point(0)}),
        (Point(0), outside),
        (Point(1), outside | {"x <= 100": Point(arb("nan"))}),
        (Point(1), outside | {"x <= 100": Point(arb("100 +/- 1"))}),
    ]:
        with pytest.raises(WrongFormulaError):
            bind_hypotheses(STATEMENT, inside, wrong)


def test_a_hypothesis_is_tried_where_another_is_undefined() -> None:
    def inverse(p):
        return ball(1 / Fraction(p.x))

    statement = Statement("", margin, given=(*STATEMENT.given, Condition("1/x > 0", inverse, strict=True)))
    outside = {"x > 0": Point(0), "x <= 100": Point(101), "1/x > 0": Point(-1)}
    bind_hypotheses(statement, Point(1), outside)
    with pytest.raises(WrongFormulaError, match="'1/x > 0' is not violated"):
        bind_hypotheses(statement, Point(1), outside | {"1/x > 0": Point(1)})
