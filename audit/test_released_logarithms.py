"""Logarithms, cosines and normals in floats are within their radii of the ideal ones, and of the derived errors.

Noise is rounded from these floats where their radius leaves one answer. One that errs by more gives noise of another
law. Words at the ends of every cell and sector, and a seed's, are held against balls of 200 bits; each radius against
its derivation. Nothing is statistical.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness import float_functions
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.float_functions import cosines_and_sines, logarithms_of, negative_logarithms, normals

U = 2.0**-53
BITS = 200
POWERS = [2**power + step for power in range(2, 64) for step in (-1, 0, 1)]
ENDS = [1, 2, 3, 2**64 - 1, 2**64 - 2, *(2**64 - 2**power - step for power in range(8, 60) for step in (0, 1))]
CELLS = [(cell << 55) + step for cell in range(256, 512) for step in (-1, 0, 1, 2**54)]
SECTORS = [(sector << 56) + step for sector in range(1, 256) for step in (-(2**55), -(2**55) - 1, -1, 0, 1)]
SEEDED = np.random.default_rng(3).integers(1, 2**64, 1500, dtype=np.uint64).tolist()
WORDS = [*POWERS, *ENDS, *CELLS, *SECTORS, *SEEDED]


def words(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.uint64)


def distances(exact: list[arb], centers: np.ndarray) -> np.ndarray:
    """Bound how far floats are from balls."""
    with precision(BITS):
        pairs = zip(exact, centers.tolist(), strict=True)
        return np.array([float((value - arb(center)).abs_upper()) for value, center in pairs])


# Logarithms


@pytest.mark.parametrize("end", [0, 1])
def test_the_logarithm_of_every_real_of_a_cell_is_within_its_radius(end: int) -> None:
    """At either end of the cell, of which the width is counted beside the roundings, five and twice the result."""
    balls = negative_logarithms(words(WORDS))
    with precision(BITS):
        exact = [-(arb(fmpq(word + end, 2**64)).log()) for word in WORDS]
    error = distances(exact, balls.center)
    assert (error <= balls.radius).all()
    if end == 0:
        assert (error <= (5 + 2 * np.abs(balls.center)) * U).all()
    cells = 2 / np.array([float(word) for word in WORDS])
    expected = (8 + 4 * np.abs(balls.center)) * U + cells
    assert np.allclose(balls.radius, expected, rtol=1e-14, atol=0)


def test_of_the_logarithm_of_no_digits_nothing_is_known() -> None:
    """And nobody is warned, neither alone nor among others."""
    assert negative_logarithms(words([0])).radius.tolist() == [np.inf]
    assert np.isinf(negative_logarithms(words([5, 0, 2**63])).radius).tolist() == [False, True, False]
    found = normals(words([0, 2**63]), words([1, 1]))
    assert np.isfinite(found.radius).tolist() == [False, False, True, True]


def test_logarithms_of_balls_are_within_their_radius() -> None:
    """Roundings as for words, and one and a half times the relative radius."""
    generator = np.random.default_rng(2)
    scaled = np.ldexp(generator.uniform(0.5, 2, 1500), generator.integers(-900, 1000, 1500))
    centers = np.concatenate([scaled, [1.0, 2.0, 0.5, 1 - 2.0**-53, 2.0**-999, 1.7e308]])
    relative = generator.choice([0.0, 1e-15, 1e-3, 0.25], len(centers))
    relative[-6:] = 0.0
    radii = centers * relative
    balls = logarithms_of(FloatBalls(centers, radii))
    pairs = list(zip(centers.tolist(), radii.tolist(), strict=True))
    for sign in (-1, 0, 1):
        with precision(BITS):
            ends = [(arb(center) + sign * arb(radius)).log() for center, radius in pairs]
        error = distances(ends, balls.center)
        assert (error <= balls.radius).all()
        if sign == 0:
            assert (error <= (5 + 2 * np.abs(balls.center)) * U).all()
    expected = (8 + 4 * np.abs(balls.center)) * U + 1.5 * (radii / centers)
    assert np.allclose(balls.radius, expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize(
    ("center", "radius", "known"),
    [
        (4.0, 1.0, True),
        (4.0, 1.0 + 2.0**-52, False),
        (1.0, 0.3, False),
        (2.0**-999, 0.0, True),
        (np.nextafter(2.0**-1000, 1.0), 0.0, True),
        (2.0**-1000, 0.0, False),
        (2.0**-1001, 0.0, False),
        (1e-310, 0.0, False),
        (0.0, 0.0, False),
        (-1.0, 0.0, False),
        (np.nan, 0.0, False),
        (1.0, np.nan, False),
        (1.0, np.inf, False),
        (1.0, 1.7e308, False),
    ],
)
def test_a_logarithm_is_known_where_three_quarters_are_left_of_a_positive_number(
    center: float, radius: float, known: bool
) -> None:
    balls = logarithms_of(FloatBalls(np.array([center]), np.array([radius])))
    assert (balls.radius[0] < np.inf) == known
    assert known or balls.radius[0] == np.inf
    assert np.isfinite(balls.center[0])


def test_the_table_of_logarithms_is_that_of_the_cells() -> None:
    """Factors near the reciprocals of the middles, and the nearest floats of their logarithms."""
    float_functions.logarithm_table.cache_clear()
    factors, logarithms = float_functions.logarithm_table()
    assert factors.tolist() == [float(Fraction(512, 257 + 2 * index)) for index in range(128)]
    assert len(logarithms) == 128
    reach = arb(2) ** arb(fmpq(-79, 10))
    with precision(300):
        for index, (factor, logarithm) in enumerate(zip(factors.tolist(), logarithms.tolist(), strict=True)):
            for end in (0, 1):
                assert abs(arb(fmpq(128 + index + end, 256)) * arb(factor) - 1) < reach
            assert abs(arb(logarithm) + arb(factor).log()) <= arb(U) / 2
    assert reach**7 / (7 * (1 - reach)) < arb(2) ** -57


def test_the_parts_of_the_logarithm_of_two_are_as_long_as_stated() -> None:
    """Forty bits, of which the last is one, so that products with integers up to 2**13 are exact; and the rest."""
    float_functions.logarithm_of_two.cache_clear()
    upper, lower = float_functions.logarithm_of_two()
    assert Fraction(upper).denominator == 2**40
    with precision(300):
        assert arb(upper) <= arb.const_log2() < arb(upper) + arb(2) ** -40
        assert float((arb.const_log2() - arb(upper)).mid()) == lower


# Cosines and sines


@pytest.mark.parametrize("end", [0, 1])
def test_the_cosine_and_the_sine_of_every_real_of_a_cell_are_within_their_radius(end: int) -> None:
    """Four roundings, of which the derivation takes two."""
    found = cosines_and_sines(words(WORDS))
    with precision(BITS):
        turns = [arb(fmpq(2 * (word + end), 2**64)).sin_cos_pi() for word in WORDS]
    for balls, place in zip(found, (1, 0), strict=True):
        assert set(balls.radius.tolist()) == {4 * U}
        error = distances([turn[place] for turn in turns], balls.center)
        assert error.max() < 2 * U


def test_the_tables_of_sectors_are_those_of_their_middles() -> None:
    float_functions.sector_tables.cache_clear()
    cosines, sines = float_functions.sector_tables()
    assert len(cosines) == len(sines) == 256
    with precision(300):
        for index, (cosine, sine) in enumerate(zip(cosines.tolist(), sines.tolist(), strict=True)):
            exact = arb(fmpq(2 * index + 1, 256)).sin_cos_pi()
            for value, ideal in zip((sine, cosine), exact, strict=True):
                assert abs(arb(value) - ideal) <= arb(U) / 2


@pytest.mark.parametrize("bits", [2, 20, 53, 100])
def test_a_table_holds_nothing_that_was_computed_with_too_few_bits(bits: int) -> None:
    """As where another thread changes the precision each time; once it leaves it alone, the entry is right."""

    def spoilt(value: int, spoils: list[int]) -> arb:
        with precision(bits if spoils and spoils.pop() else BITS):
            return arb(value).sqrt()

    for count in (0, 1, 50):
        assert float_functions._nearest_float(lambda value, left=[1] * count: spoilt(value, left), 2) == 2.0**0.5
    with pytest.raises(UndecidedError):
        float_functions._nearest_float(lambda value, left=[1] * 10**4: spoilt(value, left), 2)
    with precision(bits):
        assert float_functions._nearest_float(lambda value: arb(value).sqrt(), 3) == 3.0**0.5


# Normals


def test_normals_are_within_their_radius() -> None:
    """Pairs of words at their ends, in one order and in the other; the radius leaves few roundings to balls."""
    kept = WORDS[::3]
    balls = normals(words(kept), words(kept[::-1]))
    exact = []
    with precision(BITS):
        for word, angle in zip(kept, kept[::-1], strict=True):
            length = (-2 * arb(fmpq(word, 2**64)).log()).sqrt()
            sine, cosine = arb(fmpq(2 * angle, 2**64)).sin_cos_pi()
            exact += [length * cosine, length * sine]
    error, known = distances(exact, balls.center), np.isfinite(balls.radius)
    assert (error[known] <= balls.radius[known]).all()
    assert np.mean(known) > 0.99
    assert np.median(balls.radius) < 2.0**-47


@pytest.mark.parametrize("count", [0, 1, 5, 2**14 - 1, 2**14, 2**14 + 1, 2**15 + 3])
def test_normals_are_products_of_roots_and_directions(count: int) -> None:
    """Two for each pair of words, the cosine's and the sine's in turn, whatever their number is."""
    radial, angular = np.random.default_rng(5).integers(1, 2**64, (2, count), dtype=np.uint64)
    found, logs = normals(radial, angular), negative_logarithms(radial)
    assert found.shape == (2 * count,)
    lengths = FloatBalls(2 * logs.center, 2 * logs.radius).square_root()
    for place, direction in enumerate(cosines_and_sines(angular)):
        expected = lengths * direction
        assert np.array_equal(found.center[place::2], expected.center)
        assert np.array_equal(found.radius[place::2], expected.radius)
