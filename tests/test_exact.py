"""What every package reads its parameters with: numbers as they are, or a refusal that names the parameter."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq, fmpz

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import (
    ball,
    decimal_fraction,
    decimal_text,
    fraction,
    nonnegative_root,
    positive_integer,
    precision,
    rational,
    square,
    whole_number,
)


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), fmpz(3)])
def test_integers_of_every_kind_are_read(value):
    for read in (whole_number, positive_integer):
        assert read(value, "records") == 3
        assert type(read(value, "records")) is int


@pytest.mark.parametrize("value", [True, 3.0, "3", None, Fraction(3), fmpq(3), np.float64(3), np.array([3]), -1])
def test_anything_else_is_refused_by_name(value):
    with pytest.raises(InvalidParameterError, match=r"^records: .*pass an integer of at least 0"):
        whole_number(value, "records")


def test_the_least_is_allowed_and_one_less_is_not():
    assert whole_number(0, "records") == 0
    assert whole_number(-2, "records", least=-2) == -2
    with pytest.raises(InvalidParameterError, match="at least 1"):
        positive_integer(0, "rank")
    with pytest.raises(InvalidParameterError, match="at least -2"):
        whole_number(-3, "records", least=-2)


@pytest.mark.parametrize(
    ("value", "exact"),
    [(0.1, Fraction(0.1)), (np.float32(0.1), Fraction(float(np.float32(0.1)))), (fmpq(1, 10), Fraction(1, 10))],
)
def test_fractions_are_exact(value, exact):
    assert fraction(value) == exact
    assert fraction(2**1100) == 2**1100


@pytest.mark.parametrize("value", [0.1, np.float64(0.1), np.float32(0.1), np.float16(0.1), np.longdouble("0.1")])
def test_a_float_is_read_as_the_decimal_that_it_prints_as(value):
    assert decimal_fraction(value) == Fraction(1, 10)
    assert decimal_fraction(-value) == -Fraction(1, 10)


@pytest.mark.parametrize("value", [1, 0.5, 1e-6, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, 2**53 + 1.0, 1 / 3])
def test_decimals_are_read_back_as_the_float(value):
    assert float(decimal_fraction(value)) == value
    assert Fraction(decimal_text(decimal_fraction(value))) == decimal_fraction(value)


class Loud(float):
    """A float that prints as something else."""

    def __repr__(self) -> str:
        return "2"

    __str__ = __repr__


def test_a_subclass_of_float_is_its_value():
    assert decimal_fraction(Loud(0.5)) == Fraction(1, 2)


@pytest.mark.parametrize("value", [3, Fraction(1, 3), fmpq(1, 10), fmpz(3), Fraction(0.1)])
def test_what_is_no_float_is_read_as_it_is(value):
    assert decimal_fraction(value) == fraction(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("-inf"), np.longdouble("1e400"), "0.1", None])
def test_what_is_no_finite_number_is_refused_as_a_decimal(value):
    with pytest.raises(InvalidParameterError, match="epsilon"):
        decimal_fraction(value, "epsilon")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1), "1"),
        (Fraction(-1, 4), "-0.25"),
        (Fraction(1, 10**6), "1e-06"),
        (Fraction(4, 3), "4/3"),
        (Fraction(10**30 + 1, 10**30), "about 1.0000000000000000"),
        (Fraction(10) ** 5000 / 3, "about 3.3333333333333333e+4999"),
        (Fraction(1, 10**5000), "about 1e-5000"),
        (Fraction(10**20 - 1, 7), "99999999999999999999/7"),
        (Fraction(10**20, 3), "about 3.3333333333333333e+19"),
    ],
)
def test_rationals_are_written_for_a_reader(value, text):
    assert decimal_text(value) == text


@pytest.mark.parametrize("middle", [Fraction(0), Fraction(1, 10**6), Fraction(1, 100), Fraction(4)])
@pytest.mark.parametrize("radius", [Fraction(0), Fraction(1, 10**9), Fraction(1, 50), Fraction(9)])
def test_a_root_is_enclosed_also_where_its_ball_reaches_below_zero(middle, radius):
    ball = arb(fmpq(middle.numerator, middle.denominator), fmpq(radius.numerator, radius.denominator))
    root = nonnegative_root(ball)
    low, high = max(middle - radius, Fraction(0)), middle + radius
    for inside in (low, middle, high):
        assert root.contains(arb(fmpq(inside.numerator, inside.denominator)).sqrt().mid())
    assert root.upper() <= 2 * (1 + ball.upper()).sqrt()
    assert radius or root.rad() < 1e-9, "an exact number has a root that is known"


def test_the_root_of_what_is_not_known_is_not_known():
    assert not nonnegative_root(arb("nan")).is_finite()
    assert nonnegative_root(arb(0)) == 0
    assert nonnegative_root(arb(-1)) == 0, "what is below zero by rounding alone is zero"


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (3, fmpq(3)),
        (fmpz(-4), fmpq(-4)),
        (fmpq(2, 7), fmpq(2, 7)),
        (Fraction(-5, 9), fmpq(-5, 9)),
        (0.1, fmpq(3602879701896397, 36028797018963968)),
        (np.float64(0.25), fmpq(1, 4)),
        (np.int64(-7), fmpq(-7)),
        (arb(fmpq(3, 8)), fmpq(3, 8)),
        (Decimal("0.5"), fmpq(1, 2)),
    ],
)
def test_a_number_is_the_rational_that_it_is(value, exact) -> None:
    assert rational(value) == exact
    assert fraction(value) == Fraction(int(exact.p), int(exact.q))


@pytest.mark.parametrize(
    "value", ["1", 1 + 1j, None, float("nan"), float("inf"), Decimal("0.1"), arb(1) / 3, np.array([1.0, 2.0])]
)
def test_what_is_no_number_or_would_be_rounded_is_refused(value) -> None:
    with pytest.raises(InvalidParameterError, match="side"):
        rational(value, "side")


def test_precision_is_given_back() -> None:
    before = ctx.prec
    with precision(200):
        assert ctx.prec == 200
        assert float(ball(Fraction(1, 3)).rad()) < 2.0**-199
    assert ctx.prec == before
    with pytest.raises(ZeroDivisionError), precision(99):
        raise ZeroDivisionError
    assert ctx.prec == before
    wide = arb(1, 0.5)
    assert ball(wide) is wide


@pytest.mark.parametrize("value", [arb(0, 2), arb(-3, 5), arb(2, 1), arb(-3)])
def test_squares_enclose(value) -> None:
    for point in (value.lower(), value.mid(), value.upper()):
        assert square(value).contains((point * point).mid())
    assert square(value).upper() <= 64 + 1e-6
