"""Floats and integers of any width are taken apart without rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpmatrix.auditing.representation.bits import NO_EXPONENT, NO_VALUATION, Representation
from dpmatrix.errors import InvalidParameterError


def parts(batch, size: int) -> list[tuple[int, int, int, int]]:
    taken = Representation.of(batch, size)
    arrays = (taken.mantissas, taken.shifts, taken.exponents, taken.valuations)
    return list(zip(*(array[:, 0].tolist() for array in arrays), strict=True))


def leading_and_last(value: Fraction) -> tuple[int, int]:
    """Find both positions from the definition: 2**e <= |y| < 2**(e + 1), and y / 2**v is an odd integer."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    exponent -= abs(value) < Fraction(2) ** exponent
    valuation = (value.numerator & -value.numerator).bit_length() - value.denominator.bit_length()
    return exponent, valuation


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_floats_are_exact(value: float) -> None:
    ((mantissa, shift, exponent, valuation),) = parts(np.array([value]), 1)
    assert mantissa * Fraction(2) ** shift == Fraction(value)
    assert (exponent, valuation) == leading_and_last(Fraction(value))


@given(st.integers(-(2**63), 2**63 - 1).filter(bool))
def test_integers_of_one_word_are_exact(value: int) -> None:
    ((mantissa, shift, exponent, valuation),) = parts(np.array([value]), 1)
    assert (mantissa, shift) == (value, 0)
    assert (exponent, valuation) == leading_and_last(Fraction(value))


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**53 + 1, -(2**53) - 1, 2**62, 2**60 - 1, 1, -1])
def test_integers_at_the_edges_are_exact(value: int) -> None:
    ((_, _, exponent, valuation),) = parts(np.array([value]), 1)
    assert (exponent, valuation) == leading_and_last(Fraction(value))


@given(st.lists(st.integers(-(2**1200), 2**1200).filter(bool), min_size=1, max_size=4))
def test_integers_of_any_width_are_exact(values: list[int]) -> None:
    for value, (mantissa, shift, exponent, valuation) in zip(values, parts(values, len(values)), strict=True):
        assert (mantissa - value) % 2**62 == 0
        assert shift == 0
        assert (exponent, valuation) == leading_and_last(Fraction(value))


@given(st.floats(-(2.0**40), 2.0**40), st.integers(-80, 45), st.integers(1, 6))
def test_a_window_shows_bits_of_the_twos_complement(value: float, position: int, width: int) -> None:
    expected = (Fraction(value) / Fraction(2) ** position).__floor__() % 2**width
    assert Representation.of(np.array([value]), 1).window(position, width).tolist() == [expected]


@given(st.integers(-(2**200), 2**200), st.integers(0, 58), st.integers(1, 4))
def test_a_window_of_a_large_integer_is_exact(value: int, position: int, width: int) -> None:
    batch = Representation.of(np.array([value], dtype=object), 1)
    assert batch.window(position, width).tolist() == [(value >> position) % 2**width]


def test_signs_and_words_do_not_turn_a_list_of_integers_into_floats() -> None:
    """Numpy makes floats of [2**63 + 1, -1], and the low bit would be gone."""
    assert [valuation for *_, valuation in parts([2**63 + 1, -1], 2)] == [0, 0]
    assert [valuation for *_, valuation in parts(np.array([2**63 + 1], dtype=np.uint64), 1)] == [0]


def test_what_has_no_bits_is_marked() -> None:
    found = parts([0.0, -0.0, np.nan, np.inf, -np.inf], 5)
    assert [exponent for _, _, exponent, _ in found] == [NO_EXPONENT] * 3 + [-NO_EXPONENT] * 2
    assert {valuation for *_, valuation in found} == {NO_VALUATION}
    assert parts(np.array([0]), 1)[0][2:] == (NO_EXPONENT, NO_VALUATION)
    assert parts([0, 2**90], 2)[0][2:] == (NO_EXPONENT, NO_VALUATION)


def test_the_coordinate_of_least_valuation_is_found() -> None:
    batch = Representation.of(np.array([[4.0, 0.25, 3.0], [0.0, 8.0, 16.0]]), 2)
    assert batch.least_divisible().values.ravel().tolist() == [0.25, 8.0]
    assert batch.coordinate(2).values.ravel().tolist() == [3.0, 16.0]


@pytest.mark.parametrize(
    "batch",
    [
        np.zeros(3),
        np.zeros((2, 2, 2, 2)),
        np.zeros((2, 0)),
        np.zeros(2, dtype=complex),
        np.zeros(2, dtype=np.longdouble),
        ["a", "b"],
        [Fraction(1), Fraction(2)],
        [[1.0], [1.0, 2.0]],
        np.array(["a", "b"]),
        None,
    ],
)
def test_a_batch_that_cannot_be_read_is_refused(batch) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        Representation.of(batch, 2)
    assert caught.value.parameter == "target"
