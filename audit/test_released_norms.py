"""Records as long as the bound, to the last bit: which of them are longer, and what becomes of these.

A record that is longer than the bound and is taken as it is moves a release by more than its noise was made for. So
lengths are compared with exact sums here, of rows that are built one coordinate after another until their length is
that of the bound but for almost nothing, and of rows that are exactly so long.

Nothing is statistical.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.mechanisms.norms import clip_records, rows_over_norm, squared_norm
from dpmatrix.mechanisms.records import bounded_records
from dpmatrix.privacy import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

BOUNDS = {
    "1": Fraction(1),
    "4-thirds": Fraction(4, 3),
    "a-third": Fraction(1, 3),
    "13": Fraction(13),
    "10-to-9": Fraction(10**9),
    "a-hair-above-1": Fraction(2**40 + 1, 2**40),
    "the-largest": Fraction(2**400),
    "the-least": Fraction(1, 2**400),
    "a-small-one": Fraction(7, 5 * 2**390),
}
LEAST = 2.0**-1074
LARGEST = float(np.finfo(np.float64).max)


def square_of(row: np.ndarray) -> Fraction:
    """Return the exact squared norm: that of integers, over a power of four."""
    values, counts = np.unique(np.abs(row[row != 0]), return_counts=True)
    mantissas, exponents = np.frexp(values)
    least = int(min(exponents, default=0))
    entries = zip(mantissas.tolist(), exponents.tolist(), counts.tolist(), strict=True)
    total = sum(count * (int(math.ldexp(part, 53)) << (exponent - least)) ** 2 for part, exponent, count in entries)
    return Fraction(total) * Fraction(4) ** (least - 53)


def root_below(value: Fraction) -> float:
    """Return the largest float whose square is at most a positive number, or zero."""
    shift = 2 * ((140 - (value.numerator.bit_length() - value.denominator.bit_length())) // 2)
    scaled = value * 2**shift if shift >= 0 else value / 2**-shift
    guess = math.isqrt(math.floor(scaled))
    guess = guess >> (guess.bit_length() - 53) << (guess.bit_length() - 53)
    return float(Fraction(guess) / Fraction(2) ** (shift // 2))


def filled(start: list[float], bound: Fraction, length: int) -> list[float]:
    """Lengthen a row by the largest coordinates that fit into the bound."""
    row = list(start)
    while len(row) < length:
        left = bound**2 - square_of(np.array(row))
        row.append(root_below(left) if left > Fraction(LEAST) ** 2 * 2**120 else 0.0)
    return row


def edges(bound: Fraction) -> Iterator[np.ndarray]:
    """Yield rows of seven coordinates that are as long as the bound, or less, or more, by almost nothing."""
    unit = float(bound)
    for share in (0.0, 0.6, 1.0):
        for length in range(1, 8):
            row = np.zeros(7)
            start = [] if share == 0.0 else [np.nextafter(share * unit, 0.0)]
            row[:length] = filled(start, bound, length)[:length]
            yield row
            last = int(np.flatnonzero(row)[-1])
            for hair in (np.nextafter(row[last], np.inf), np.nextafter(row[last], 0.0)):
                other = row.copy()
                other[last] = hair
                yield other
            for fall in (30, 79, 82, 161, 300):
                if length < 7:
                    tiny = row.copy()
                    tiny[6] = math.ldexp(unit, -fall)
                    yield tiny
                    tiny = tiny.copy()
                    tiny[6] *= -(1 + 2.0**-52)
                    yield tiny


def exact_rows(bound: Fraction) -> np.ndarray:
    """Return rows that are exactly as long as a bound that is a power of two times 13 or 1, and longer by a hair."""
    whole = [[3.0, 4.0, 12.0], [13.0, 0.0, 0.0], [-12.0, -4.0, 3.0]] if bound.numerator % 13 == 0 else [[1.0, 0.0, 0.0]]
    halves = [np.pad(np.full(4**k, 2.0**-k), (0, 64 - 4**k)) for k in range(4)]
    scale = float(bound) / (13 if bound.numerator % 13 == 0 else 1)
    rows = [np.pad(np.array(row) * scale, (0, 61)) for row in whole] + [float(bound) * half for half in halves[:3]]
    hairs = [row + np.eye(64)[-1] * float(bound) * 2.0**-fall for row in rows for fall in (27, 60, 90, 120, 500)]
    return np.array(rows + hairs)


@pytest.mark.parametrize("name", BOUNDS)
def test_which_rows_are_longer_than_the_bound_is_decided_exactly(name: str) -> None:
    bound = BOUNDS[name]
    rows = np.array(list(edges(bound)))
    squares = [square_of(row) for row in rows]
    longer = np.array([square > bound**2 for square in squares])
    assert min(longer.sum(), (~longer).sum()) > len(rows) // 6, "control: of either kind"
    near = [abs(square - bound**2) < bound**2 / 2**70 for square in squares]
    assert sum(near) > len(rows) // 3, "control: near the bound"
    for places in (slice(None), slice(None, None, -1), np.random.default_rng(1).permutation(7)):
        found = np.zeros(len(rows), dtype=bool)
        found[rows_over_norm(np.ascontiguousarray(rows[:, places]), bound)] = True
        assert np.array_equal(found, longer)
    alone = [len(rows_over_norm(row[None, :], bound)) == 1 for row in rows[::5]]
    assert alone == longer[::5].tolist(), "a row is looked at for itself"
    assert [squared_norm(row) for row in rows[::5]] == squares[::5]


@pytest.mark.parametrize("bound", [Fraction(1), Fraction(13), Fraction(1, 2**400), Fraction(2**400)], ids=float)
def test_a_row_that_is_exactly_as_long_is_not_longer(bound: Fraction) -> None:
    rows = exact_rows(bound)
    lengths = [square_of(row) / bound**2 for row in rows]
    assert 1 in lengths, "control"
    assert rows_over_norm(rows, bound).tolist() == [place for place, square in enumerate(lengths) if square > 1]
    for row, square in zip(rows, lengths, strict=True):
        if square == 1:
            assert np.array_equal(bounded_records(row[None, :], bound, "reject")[0], row)
        else:
            with pytest.raises(InvalidParameterError, match="longer"):
                bounded_records(row[None, :], bound, "reject")


@pytest.mark.parametrize("columns", [4097, 8193])
def test_every_column_of_a_wide_row_counts(columns: int) -> None:
    """Rows of norm one, but for the last column, which is a hair."""
    flat, late = np.zeros(columns), np.zeros(columns)
    flat[:4095] = 2.0**-6
    flat[-1] = 2.0**-6
    late[:1024], late[-3:] = 2.0**-6, 0.5
    assert square_of(flat) == square_of(late) == 1, "control"
    rows = [flat, late]
    for row in (flat, late):
        more, less = row.copy(), row.copy()
        more[-1], less[-1] = np.nextafter(row[-1], 1), np.nextafter(row[-1], 0)
        first = row.copy()
        first[0] = np.nextafter(row[0], 1)
        rows += [more, less, first]
    # Floats lose the many small squares, one after the other, and what is lost is longer than what the first ones lack.
    crumbs = np.full(columns, 2.0**-28.5)
    crumbs[:64] = 2.0**-3
    crumbs[0] -= 2.0**-44
    rows.append(crumbs)
    found = rows_over_norm(np.array(rows), Fraction(1)).tolist()
    assert found == [place for place, row in enumerate(rows) if square_of(row) > 1] == [2, 4, 5, 7, 8]


def long_rows(bound: Fraction, dimension: int) -> np.ndarray:
    """Return rows that are longer than the bound: by a hair, by much, and as long as floats can be."""
    generator = np.random.default_rng(dimension)
    rows = generator.standard_normal((30, dimension))
    rows *= (float(bound) / np.linalg.norm(rows, axis=1) * generator.choice([1 + 2.0**-40, 1.5, 1e5], 30))[:, None]
    last = np.zeros((6, dimension))
    last[:, 0] = [LARGEST, LARGEST, 2.0**1000, -LARGEST, 2.0**600, LARGEST / 3]
    last[:, -1] = [LARGEST, -LARGEST, 1.0, LEAST, -(2.0**-600), LARGEST / 7]
    return np.vstack([rows, last])


@pytest.mark.parametrize("dimension", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("name", ["1", "a-third", "the-largest", "the-least"])
def test_a_clipped_row_is_within_the_bound_points_as_it_did_and_depends_on_itself_alone(
    name: str, dimension: int
) -> None:
    bound = BOUNDS[name]
    rows = long_rows(bound, dimension)
    clipped = clip_records(rows, bound)
    for row, short in zip(rows, clipped, strict=True):
        square = square_of(short) / bound**2
        assert 1 - Fraction(1, 2**44) < square <= 1
        largest = np.abs(row).argmax()
        shown, ratios = short / short[largest], row / row[largest]
        assert np.allclose(shown, ratios, rtol=2.0**-48, atol=2.0**-500)
        assert np.sign(short[largest]) == np.sign(row[largest])
    for order in (slice(None, None, -1), slice(7, None, 3), slice(20, 21)):
        assert np.array_equal(clip_records(rows[order], bound), clipped[order])
    alone = np.vstack([clip_records(row[None, :], bound) for row in rows[::3]])
    assert np.array_equal(alone, clipped[::3])
    assert len(rows_over_norm(clipped, bound)) == 0


@pytest.mark.parametrize("bound", [Fraction(1), Fraction(1, 2**400), Fraction(2**400)], ids=float)
def test_no_floating_point_error_tells_of_a_record(bound: Fraction) -> None:
    """Where whoever calls has every such error raised, a release is the one that it is elsewhere."""
    rows = np.array([[LARGEST, LARGEST], [LEAST, 0.0], [2.0**600, LEAST], [2.0**-600, 2.0**-700], [1e200, 1e-200]])
    mechanism = LaplaceInputPerturbation(1, Adjacency.ADD_REMOVE_ONE, norm_bound=bound)
    expected = mechanism.release(rows, entropy=SeededEntropy(1))
    with np.errstate(all="raise"):
        for part in (rows, *rows[:, None, :]):
            assert mechanism.release(part, entropy=SeededEntropy(1)).private is False
        found = mechanism.release(rows, entropy=SeededEntropy(1))
    assert found.integers.tolist() == expected.integers.tolist()
