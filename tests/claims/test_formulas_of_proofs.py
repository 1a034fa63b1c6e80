"""Formulas written a second time: exact numbers enter mpmath and sympy unchanged, values leave with their digits."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq, fmpq_mat, fmpz

from dpmatrix.claims import Statement, WrongFormulaError
from dpmatrix.claims.formulas import (
    WRITTEN_DIGITS,
    bind_formula,
    decimals,
    real,
    real_matrix,
    symbolic,
    symbolic_matrix,
)
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import ball

THIRDS = fmpq_mat([[fmpq(1, 3), 2], [-1, fmpq(-5, 3)], [0, 7]])


def margin(x):
    return ball(x).sqrt() - ball(x) / 3


ROOT = Statement("", margin)
POINTS = [Fraction(n, 7) for n in range(1, 21)]


def root(x, factor=1):
    return mpmath.sqrt(real(x)) - factor * real(x) / 3


NUMBERS = [
    (Fraction(1, 3), Fraction(1, 3)),
    (fmpq(-1, 3), Fraction(-1, 3)),
    (sympy.Rational(2, 3), Fraction(2, 3)),
    (7, Fraction(7)),
    (2**90, Fraction(2**90)),
    (fmpz(-7), Fraction(-7)),
    (np.int64(5), Fraction(5)),
    (0.1, Fraction(3602879701896397, 2**55)),
    (np.float64(-2.5), Fraction(-5, 2)),
    (0, Fraction(0)),
]


@pytest.mark.parametrize(("value", "exact"), NUMBERS)
def test_numbers_enter_at_the_working_precision(value, exact) -> None:
    assert symbolic(value) == sympy.Rational(exact.numerator, exact.denominator)
    for digits in (15, 80):
        with mpmath.workdps(digits):
            assert abs(real(value) * exact.denominator - exact.numerator) <= 2 * abs(exact.numerator) * mpmath.eps


def test_a_third_has_as_many_digits_as_are_asked() -> None:
    with mpmath.workdps(50):
        assert mpmath.nstr(real(fmpq(1, 3)), 50) == "0." + "3" * 50


@pytest.mark.parametrize("convert", [real, symbolic])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1/3", 1j, None, arb("1 +/- 0.1"), mpmath.mpf])
def test_what_is_no_exact_number_is_refused(convert, value) -> None:
    with pytest.raises(InvalidParameterError):
        convert(value)


def test_matrices_keep_their_shape_and_entries() -> None:
    with mpmath.workdps(40):
        converted = real_matrix(THIRDS)
        assert (converted.rows, converted.cols) == (3, 2)
        assert [converted[i, j] for i in range(3) for j in range(2)] == [real(x) for x in THIRDS.entries()]
    assert symbolic_matrix(THIRDS) == sympy.Matrix([[1, 6], [-3, -5], [0, 21]]) / 3


def test_values_are_computed_and_written_with_enough_digits() -> None:
    before, seen = mpmath.mp.dps, []

    def third(point):
        seen.append(mpmath.mp.dps)
        return 1 / mpmath.mpf(point)

    assert decimals([3], third) == [(3, "0." + "3" * WRITTEN_DIGITS)]
    assert decimals([3, 6], third, digits=200)[1] == (6, "0.1" + "6" * (WRITTEN_DIGITS - 2) + "7")
    assert seen[0] >= WRITTEN_DIGITS
    assert seen[1:] == [200, 200]
    assert mpmath.mp.dps == before
    with pytest.raises(InvalidParameterError, match="digits"):
        decimals([3], third, digits=WRITTEN_DIGITS - 1)


def test_the_right_formula_is_bound_and_a_neighbour_is_refused() -> None:
    before = ctx.prec
    bind_formula(ROOT, POINTS, root)
    bind_formula(ROOT, iter(POINTS), root, digits=WRITTEN_DIGITS)
    for factor in (mpmath.mpf(11) / 10, 1 + mpmath.mpf(2) ** -49):
        with pytest.raises(WrongFormulaError, match=r"margin .* formula"):
            bind_formula(ROOT, POINTS, lambda x, factor=factor: root(x, factor))
    assert ctx.prec == before


def test_a_difference_in_the_39th_digit_is_seen() -> None:
    with pytest.raises(WrongFormulaError):
        bind_formula(ROOT, POINTS, lambda x: root(x) + mpmath.mpf(10) ** -39)
    bind_formula(ROOT, POINTS, lambda x: root(x) + mpmath.mpf(10) ** -42)


def test_a_zero_is_a_value_like_another() -> None:
    """Cancellation leaves a small number for zero, or zero itself: both are the margin 0."""
    zeros = Statement("", lambda x: ball(x) - ball(x))
    bind_formula(zeros, POINTS, lambda x: mpmath.sqrt(real(x)) ** 2 - real(x))
    bind_formula(zeros, POINTS, lambda x: real(x) - real(x))


def test_too_few_points_are_refused() -> None:
    with pytest.raises(WrongFormulaError, match="need 20"):
        bind_formula(ROOT, POINTS[:-1], root)
    with pytest.raises(WrongFormulaError, match="need 21"):
        bind_formula(ROOT, POINTS, root, least=21)
    bind_formula(ROOT, POINTS[:3], root, least=3)
