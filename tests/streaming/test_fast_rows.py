"""What rows the fast histogram takes: sums that stay exact, the grid of coordinates, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from flint import fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.streaming import FastSpectralHistogram, SpectralHistogram, truncated

LARGEST = 2**52


def squares(number: int) -> list[list[float]]:
    """Write an integer as the squared length of a row of integers, the largest entries first."""
    row = []
    while number:
        root = isqrt(number)
        row.append(float(root))
        number -= root**2
    return [[*row, *[0.0] * (12 - len(row))]]


def wide(window: int) -> FastSpectralHistogram:
    return FastSpectralHistogram(12, window, Fraction(1, 2), coordinate_bits=0)


def test_sums_are_exact_below_two_to_the_52() -> None:
    fast = wide(3)
    with pytest.raises(InvalidParameterError, match="too large for exact floats"):
        fast.observe(squares(LARGEST))
    fast.observe(squares(LARGEST - 1))
    row = [int(x) for x in squares(LARGEST - 1)[0]]
    assert fast.checkpoints[0].matrix == fmpq_mat([[x * y for y in row] for x in row])
    with pytest.raises(InvalidParameterError, match="too large for exact floats"):
        fast.observe(squares(1))
    fast.observe(squares(0))


def test_what_has_left_the_window_makes_room_at_half_of_that() -> None:
    quarter, half = LARGEST // 4, LARGEST // 2
    for first, room in ((quarter, half), (quarter - 1, half)):
        fast = wide(1)
        fast.observe(squares(first))
        fast.observe(squares(quarter))
        assert fast.stamps == (2,)
        # Exactly half: the origin moves, and only the quarter counts; below it both do.
        if first == quarter:
            fast.observe(squares(room))
        else:
            with pytest.raises(InvalidParameterError, match="too large"):
                fast.observe(squares(room + 2))
            fast.observe(squares(room))
        assert int(fast.checkpoints[0].matrix[0, 0].p) == int(squares(room)[0][0]) ** 2


def test_a_stream_of_any_length_is_accepted_where_windows_are_small() -> None:
    fast = wide(2)
    for _ in range(64):
        fast.observe(squares(LARGEST // 8))
    assert fast.time == 64
    assert fast.matrix(0)[0, 0] >= 2 * (LARGEST // 8) - 2 * 2.0**26


@pytest.mark.parametrize("bits", [0, 24])
def test_the_ends_of_what_coordinates_may_have(bits) -> None:
    unit = 2.0**-bits
    fast = FastSpectralHistogram(2, 4, Fraction(1, 2), coordinate_bits=bits)
    fast.observe([[3 * unit, unit]])
    assert fast.checkpoints[0].matrix == fmpq_mat([[9, 3], [3, 1]]) / 4**bits
    with pytest.raises(InvalidParameterError, match="rows"):
        fast.observe([[unit / 2, 0.0]])


def test_what_is_assumed_where_nothing_is_said() -> None:
    """A floor of zero, leaves of one row, and 14 digits."""
    fast, exact = FastSpectralHistogram(1, 3, Fraction(1, 2)), SpectralHistogram(1, 3, Fraction(1, 2))
    for row in (1 + 2.0**-14, 2.0, 3.0, 1.0):
        fast.observe([[row]])
        exact.observe([Fraction(row)])
        assert fast.checkpoints == exact.checkpoints
    with pytest.raises(InvalidParameterError, match="rows"):
        fast.observe([[2.0**-15]])


@pytest.mark.parametrize("coordinate_bits", [-1, 25, 2.0, None])
def test_other_numbers_of_digits_are_refused(coordinate_bits) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        FastSpectralHistogram(1, 3, Fraction(1, 2), coordinate_bits=coordinate_bits)
    assert caught.value.parameter == "coordinate_bits"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (np.nan, "they hold NaN or an infinity"),
        (-np.inf, "they hold NaN or an infinity"),
        (2.0**-15, "a coordinate is no multiple of"),
        (2.0**30, "their sums are too large"),
        ("x", "they are no array of numbers"),
    ],
)
def test_rows_are_refused_for_what_is_wrong_with_them(row, problem) -> None:
    fast = FastSpectralHistogram(1, 3, Fraction(1, 2))
    with pytest.raises(InvalidParameterError, match=problem) as caught:
        fast.observe([[row]])
    assert caught.value.parameter == "rows"
    assert fast.time == 0


def test_what_is_held_is_counted() -> None:
    fast = FastSpectralHistogram(3, 50, Fraction(1, 4), 1, coordinate_bits=2)
    assert fast.stored_numbers == 9
    rows = truncated(np.random.default_rng(6).uniform(-1, 1, (30, 3)), 2)
    for row in rows:
        fast.observe(row[None])
        held = [fast._total, *fast._before, *fast._witness[: len(fast.stamps)], fast._growth[: len(fast.stamps)]]
        assert fast.stored_numbers == sum(one.size for one in held) + len(fast.stamps)


def test_truncated_rows_are_doubles_towards_zero() -> None:
    found = truncated(np.array([[0.3, -0.3], [7.99, -1e-9]], dtype=np.float32), 2)
    assert found.dtype == np.float64
    assert found.tolist() == [[0.25, -0.25], [7.75, 0.0]]
    assert truncated([[5, -3]], 0).tolist() == [[5.0, -3.0]]
