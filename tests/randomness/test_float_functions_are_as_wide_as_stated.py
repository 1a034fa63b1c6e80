"""Radii of logarithms, cosines and normals are those that the module derives, and chunks change nothing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.randomness import float_functions
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.float_functions import (
    CHUNK,
    cosines_and_sines,
    logarithm_of_two,
    logarithms_of,
    negative_logarithms,
    normals,
)

U = 2.0**-53
WORDS = np.concatenate(
    [
        np.array([1, 2, 3, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1], np.uint64),
        np.random.default_rng(3).integers(1, 2**64, 3000, dtype=np.uint64),
        np.array([2**64 - 2**k for k in range(1, 60)], np.uint64),
    ]
)


def test_the_radius_of_a_logarithm_of_a_word_is_the_one_that_is_derived() -> None:
    """Eight and four times the result in roundings, and the width of the cell."""
    balls = negative_logarithms(WORDS)
    cells = 2 / np.array([float(word) for word in WORDS.tolist()])
    expected = (8 + 4 * np.abs(balls.center)) * U + cells
    assert np.allclose(balls.radius, expected, rtol=1e-14, atol=0)
    assert (balls.center >= -1e-15).all()
    assert negative_logarithms(np.zeros(1, np.uint64)).radius.tolist() == [np.inf]


def test_the_radius_of_a_logarithm_of_a_ball_is_the_one_that_is_derived() -> None:
    """Roundings as for words, and one and a half times the relative radius."""
    generator = np.random.default_rng(4)
    centers = np.ldexp(generator.uniform(0.5, 1, 3000), generator.integers(-990, 1000, 3000))
    radii = centers * generator.choice([0.0, 1e-17, 1e-6, 0.2, 0.25], 3000)
    balls = logarithms_of(FloatBalls(centers, radii))
    expected = (8 + 4 * np.abs(balls.center)) * U + 1.5 * (radii / centers)
    assert np.allclose(balls.radius, expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize(
    ("center", "radius", "known"),
    [
        (4.0, 1.0, True),
        (4.0, 1.0 + 2.0**-52, False),
        (2.0**-999, 0.0, True),
        (2.0**-1000, 0.0, False),
        (0.0, 0.0, False),
        (-1.0, 0.0, False),
        (np.nan, 0.0, False),
        (1.0, np.nan, False),
        (1.0, np.inf, False),
        (1.0, 1.7e308, False),
    ],
)
def test_a_logarithm_is_known_where_a_quarter_is_left(center: float, radius: float, known: bool) -> None:
    balls = logarithms_of(FloatBalls(np.array([center]), np.array([radius])))
    assert bool(np.isfinite(balls.radius[0])) is known
    assert known or balls.radius[0] == np.inf
    assert np.isfinite(balls.center[0])


def test_logarithms_of_words_are_near_those_of_their_floats() -> None:
    """No error is near its bound: half of the rounding's share is enough, as the sum in the module is five of eight."""
    balls = negative_logarithms(WORDS)
    with precision(200):
        exact = [-(arb(fmpq(word, 2**64)).log()) for word in WORDS.tolist()]
        errors = np.array([float(abs(e - arb(c)).mid()) for e, c in zip(exact, balls.center.tolist(), strict=True)])
    assert (errors <= (5 + 2 * np.abs(balls.center)) * U).all()


def test_cosines_and_sines_have_a_radius_of_four_roundings_and_err_by_less_than_two() -> None:
    for balls, place in zip(cosines_and_sines(WORDS), (1, 0), strict=True):
        assert set(balls.radius.tolist()) == {4 * U}
        with precision(200):
            exact = [arb(fmpq(2 * word, 2**64)).sin_cos_pi()[place] for word in WORDS.tolist()]
            errors = [float(abs(e - arb(c)).mid()) for e, c in zip(exact, balls.center.tolist(), strict=True)]
        assert max(errors) < 2 * U


def test_the_parts_of_the_logarithm_of_two_are_as_long_as_stated() -> None:
    """Forty bits, of which the last is one, so that products with integers up to 2**13 are exact; and the rest."""
    logarithm_of_two.cache_clear()
    upper, lower = logarithm_of_two()
    assert Fraction(upper).denominator == 2**40
    with precision(300):
        assert arb(upper) <= arb.const_log2() < arb(upper) + arb(2) ** -40
        assert float((arb.const_log2() - arb(upper)).mid()) == lower


@pytest.mark.parametrize("count", [0, 1, 5, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
def test_normals_are_products_of_roots_and_directions(count: int) -> None:
    """Two for each pair of words, cosine and sine in turn, whatever their number is."""
    generator = np.random.default_rng(5)
    radial, angular = generator.integers(1, 2**64, (2, count), dtype=np.uint64)
    found = normals(radial, angular)
    logs = negative_logarithms(radial)
    lengths = (FloatBalls.exactly(np.full(count, 2.0)) * logs).square_root() if count else logs
    assert found.shape == (2 * count,)
    for place, direction in enumerate(cosines_and_sines(angular)):
        expected = FloatBalls(2 * logs.center, 2 * logs.radius).square_root() * direction
        assert (found.center[place::2] == expected.center).all()
        assert (found.radius[place::2] == expected.radius).all()
        # The length is the root of twice the logarithm: its ball overlaps with that of the product of balls.
        wider = (lengths * direction) if count else expected
        assert (np.abs(wider.center - found.center[place::2]) <= 1e-14).all()


def test_tables_have_an_entry_for_each_cell_and_sector() -> None:
    float_functions.logarithm_table.cache_clear()
    float_functions.sector_tables.cache_clear()
    factors, logarithms = float_functions.logarithm_table()
    cosines, sines = float_functions.sector_tables()
    assert len(factors) == len(logarithms) == 128
    assert len(cosines) == len(sines) == 256
    assert factors.tolist() == [float(Fraction(512, 257 + 2 * index)) for index in range(128)]
