"""Numbers without rounding: what becomes of each kind of number, and roots of balls around zero."""

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


def test_whole_numbers_have_a_least() -> None:
    assert [whole_number(value, "n", least=2) for value in (2, np.int64(3), fmpz(4))] == [2, 3, 4]
    assert (whole_number(0, "n"), positive_integer(1, "n")) == (0, 1)
    for value, least in ((1, 2), (-1, 0), (True, 0), (2.0, 0), ("2", 0)):
        with pytest.raises(InvalidParameterError, match=f"at least {least}"):
            whole_number(value, "n", least=least)
    with pytest.raises(InvalidParameterError, match="at least 1"):
        positive_integer(0, "n")


def test_decimals_as_a_person_reads_them() -> None:
    assert [decimal_fraction(value) for value in (0.1, np.float64(0.1), np.float32(0.1))] == [Fraction(1, 10)] * 3
    assert decimal_fraction(fmpq(1, 3)) == Fraction(1, 3)
    with pytest.raises(InvalidParameterError, match="not finite"):
        decimal_fraction(float("nan"))
    texts = [decimal_text(Fraction(text)) for text in ("0.1", "3", "1/3")]
    assert texts == ["0.1", "3", "1/3"]
    assert decimal_text(Fraction(10**20, 3)) == "about 3.3333333333333333e+19"
    assert decimal_text(Fraction(10**20 - 1, 7)) == "99999999999999999999/7"
    assert decimal_text(Fraction(10**400, 3)).startswith("about 3.33")


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


def test_roots_of_what_is_not_negative() -> None:
    assert nonnegative_root(arb(9)) == 3
    assert nonnegative_root(arb(fmpq(1, 16))) == fmpq(1, 4)
    assert nonnegative_root(arb(0)) == 0
    assert nonnegative_root(arb(-1)) == 0, "what is below zero by rounding alone is zero"
    assert not nonnegative_root(arb("inf")).is_finite()
    assert not nonnegative_root(arb("nan")).is_finite()
    around = nonnegative_root(arb(0, 4))
    assert around.contains(0)
    assert around.contains(2)
    assert around.lower() >= -1e-6
    assert around.upper() < 2 + 1e-6
