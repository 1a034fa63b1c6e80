"""Norms are compared exactly with any bound, mostly without fractions; clipping shrinks to the bound and no further."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, nextafter, sqrt

import numpy as np
import pytest

from dpmatrix.mechanisms import norms
from dpmatrix.mechanisms.norms import LARGEST_NORM_BOUND, clip_records, rows_over_norm, squared_norm

BOUNDS = [
    Fraction(1), Fraction(3, 2), Fraction(1, 3), Fraction(10**9 + 7, 3), Fraction(2) ** -400, Fraction(2) ** 400,
    Fraction(7, 5) * Fraction(2) ** 391, Fraction(3, 7) * Fraction(2) ** -390,
]  # fmt: skip


def exact(row: np.ndarray) -> Fraction:
    """Add the squares as integers, in units of a square of the least power of two."""
    return Fraction(sum(int(Fraction(entry) * 2**1074) ** 2 for entry in row.tolist()), 4**1074)


def near(bound: Fraction, size: int) -> np.ndarray:
    """Make rows of nearly this norm: equal entries or uneven ones, and a few units of the last place off."""
    rows = []
    for weights in (np.ones(size), np.arange(1, size + 1) * (-1.0) ** np.arange(size), 4.0 ** -np.arange(size)):
        row = weights * (float(bound) / sqrt(float(np.sum(weights**2))))
        for steps in range(-4, 5):
            moved = row.copy()
            for _ in range(abs(steps)):
                moved[0] = nextafter(moved[0], np.inf if steps > 0 else 0)
            rows.append(moved)
    return np.array(rows)


def test_the_largest_bound_is_a_power_of_two_whose_square_a_float_has() -> None:
    assert Fraction(2) ** 400 == LARGEST_NORM_BOUND
    assert float(LARGEST_NORM_BOUND**2) == 2.0**800
    rows = np.array([[2.0**400, 0.0], [nextafter(2.0**400, np.inf), 0.0]])
    assert rows_over_norm(rows, LARGEST_NORM_BOUND).tolist() == [1]


def test_squared_norms_are_exact() -> None:
    for row in ([0.1], [3.0, -4.0], [1e300, 1e-300], [5e-324, 0.0], [0.0], [2.0**-1074, 2.0**1023, -0.7]):
        assert squared_norm(np.array(row)) == exact(np.array(row))


@pytest.mark.parametrize("bound", BOUNDS, ids=range(len(BOUNDS)))
@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
def test_norms_near_a_bound_are_decided_exactly_and_without_fractions(bound, size, monkeypatch) -> None:
    """No row here is cut off: entries within 27 binary digits of the bound have no digit below the 80th."""
    rows = near(bound, min(size, 9))
    rows = np.hstack([rows, np.zeros((len(rows), size - rows.shape[1]))])
    expected = [place for place, row in enumerate(rows) if exact(row) > bound**2]
    assert 0 < len(expected) < len(rows)
    monkeypatch.setattr(norms, "squared_norm", None)
    with np.errstate(all="raise"):
        assert rows_over_norm(rows, bound).tolist() == expected


@pytest.mark.parametrize("bound", [BOUNDS[0], BOUNDS[2], BOUNDS[4], BOUNDS[5]])
def test_norms_far_from_a_bound_and_extreme_ones(bound) -> None:
    scale = float(bound)
    rows = np.array([
        [0.0, 0.0], [scale, 0.0], [-scale, scale], [0.5 * scale, 0.5 * scale], [1.7e308, 1.7e308], [-1.7e308, 0.0],
        [5e-324, -5e-324], [1.001 * scale, 0.0], [0.999 * scale, 0.0], [3 * scale, 5e-324], [scale, 5e-324],
    ])  # fmt: skip
    with np.errstate(all="raise"):
        found = rows_over_norm(rows, bound).tolist()
    assert found == [place for place, row in enumerate(rows) if exact(row) > bound**2]
    assert rows_over_norm(rows[:0], bound).tolist() == []


@pytest.mark.parametrize("bound", BOUNDS[:4], ids=range(4))
@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_floats_alone_decide_beyond_a_few_of_their_errors(bound, size, monkeypatch) -> None:
    """A sum is off by less than (d + 1) 2^-52 of it; a row that is a few times that away is not doubted."""
    away = (size + 1) * 2.0**-49 + 2.0**-46
    row = np.full(size, float(bound) / sqrt(size))
    rows = np.array([row * (1 + away), row * (1 - away), 2 * row, row / 2])
    monkeypatch.setattr(norms, "_over_exactly", None)
    assert rows_over_norm(rows, bound).tolist() == [0, 2]
    error = (size + 1) * 2.0**-52
    assert norms._certain(bound, size, -1) <= float(bound**2) * (1 - error)
    assert norms._certain(bound, size, 1) >= float(bound**2) * (1 + error)


def test_a_sum_of_many_small_squares_is_not_lost() -> None:
    """Each of 2**14 squares is a quarter of a unit in the last place: a sum that begins with the first forgets them."""
    size = 1 << 14
    rest = Fraction(size - 1, 2**54)
    first = sqrt(1 - float(rest))
    while Fraction(first) ** 2 + rest <= 1:
        first = nextafter(first, 2.0)
    row = np.full(size, 2.0**-27)
    row[0] = first
    under = row.copy()
    under[0] = nextafter(first, 0.0)
    # The largest square first, in the middle and last.
    rows = np.array([row, np.roll(row, size // 2), row[::-1], under, np.roll(under, 9)])
    assert rows_over_norm(rows, Fraction(1)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("size", [4096, 4097, 9000])
def test_many_columns_with_many_digits(size) -> None:
    row = np.random.default_rng(size).uniform(0.5, 1, size)
    row /= np.sqrt(np.sum(row**2))
    rows = np.array([row * (1 + step * 2.0**-53) for step in (-5, 0, 5)])
    found = rows_over_norm(rows, Fraction(1)).tolist()
    assert found == [place for place, one in enumerate(rows) if exact(one) > 1]
    # The root of the sum, rounded down, is exceeded; rounded up it is not.
    row[[0, size - 1]] *= 1.25
    root = Fraction(isqrt(int(exact(row) * 4**200)), 2**200)
    assert rows_over_norm(row[None, :], root).tolist() == [0]
    assert rows_over_norm(row[None, :], root + Fraction(1, 2**200)).tolist() == []


@pytest.mark.parametrize("small", [2.0**-30 * (1 + 2.0**-52), -(2.0**-27) * (2 - 2.0**-52), 2.0**-90, 2.0**-600])
def test_what_is_cut_off_decides_where_the_bound_is_that_near(small) -> None:
    """Bounds between the norm of what 80 digits keep and the norm itself, and right above it."""
    for bound in BOUNDS[:4]:
        row = np.array([float(bound), small * float(bound), small * float(bound)])
        root = Fraction(isqrt(int(exact(row) * 4**1500)), 2**1500)
        for limit, over in ((root, True), (root + Fraction(1, 2**1500), False)):
            assert rows_over_norm(row[None, :], limit).tolist() == [0] * over


def test_a_norm_that_is_the_bound_to_the_last_digit_is_not_over_it() -> None:
    """The square of 1 + 2**-100 is the sum of four squares, and the last of them lies below the 80th digit."""
    row = np.array([[1.0, 2.0**-50, 2.0**-50, 2.0**-100]])
    bound = 1 + Fraction(1, 2**100)
    assert squared_norm(row[0]) == bound**2
    assert rows_over_norm(row, bound).tolist() == []
    assert rows_over_norm(row, bound - Fraction(1, 2**300)).tolist() == [0]


@pytest.mark.parametrize("bound", BOUNDS, ids=range(len(BOUNDS)))
def test_clipped_records_have_the_bound_as_norm_within_rounding(bound) -> None:
    generator = np.random.default_rng(5)
    for size in (1, 2, 3, 5, 64, 100):
        rows = generator.standard_normal((30, size)) * 10.0 ** generator.integers(-300, 300, (30, 1))
        rows[-1] = 1.7e308
        rows[-2] = 5e-324
        before = rows.copy()
        with np.errstate(all="raise"):
            clipped = clip_records(rows, bound)
        assert (rows == before).all()
        assert clipped.dtype == np.float64
        for row, one in zip(rows, clipped, strict=True):
            length = exact(one)
            assert bound**2 * (1 - Fraction(size + 20, 2**50)) <= length <= bound**2
            assert (np.sign(one) == np.sign(row)).all()
            kept = np.abs(row) > 1e-300
            if kept.all():
                assert np.allclose(one / one[0], row / row[0], rtol=1e-14)


def test_a_clipped_record_is_its_direction_times_the_first_of_falling_factors_that_will_do() -> None:
    rows = np.random.default_rng(2).uniform(1, 9, (60, 2))
    shortened = 0
    for row, one in zip(rows, clip_records(rows, Fraction(1)), strict=True):
        direction = row / row.max()
        factor = 1.0 / sqrt(direction[0] ** 2 + direction[1] ** 2)
        while exact(direction * factor) > 1:
            factor *= 1 - 2.0**-50
            shortened += 1
        assert (one == direction * factor).all()
    assert shortened > 10


def test_tiny_entries_beside_large_ones_vanish_silently() -> None:
    with np.errstate(all="raise"):
        clipped = clip_records(np.array([[1e300, 1e-300], [3.0, 5e-324]]), Fraction(1, 2))
    assert clipped.tolist() == [[0.5, 0.0], [0.5, 0.0]]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 31])
def test_columns_are_summed_whatever_their_number(size) -> None:
    values = np.arange(2.0 * size).reshape(2, size) ** 2
    assert norms._sum_of_columns(values).tolist() == values.sum(axis=1).tolist()
    order = np.asfortranarray(values)
    assert norms._sum_of_columns(order).tolist() == values.sum(axis=1).tolist()


def test_clipping_takes_few_rounds_and_sums_of_columns_as_many_as_their_number_has_digits(monkeypatch) -> None:
    looks: list[int] = []
    joined: list[int] = []
    look, join = norms.rows_over_norm, np.concatenate

    def looked(rows: np.ndarray, bound: Fraction) -> np.ndarray:
        looks.append(len(rows))
        assert len(looks) <= 12
        return look(rows, bound)

    def put_together(parts: list[np.ndarray]) -> np.ndarray:
        joined.append(len(parts))
        assert len(joined) <= 8
        return join(parts)

    monkeypatch.setattr(norms, "rows_over_norm", looked)
    monkeypatch.setattr(np, "concatenate", put_together)
    generator = np.random.default_rng(11)
    for size in (1, 2, 3, 5, 8, 13):
        for bound in (Fraction(1), Fraction(1, 3)):
            looks.clear()
            joined.clear()
            rows = 2 + generator.uniform(0, 9, (40, size))
            clipped = clip_records(rows, bound)
            assert len(joined) == (size - 1).bit_length()
            for row, one in zip(rows, clipped, strict=True):
                assert bound**2 * (1 - Fraction(size + 20, 2**50)) <= exact(one) <= bound**2
                assert np.allclose(one / one[0], row / row[0], rtol=1e-14)
