"""Logarithms, cosines and normals in floating point stay within their proved errors, at the worst words too."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.randomness import float_functions
from dpmatrix.randomness.float_balls import UNIT, FloatBalls

POWERS = [2**k + d for k in range(2, 64) for d in (-1, 0, 1)]
ENDS = [1, 2, 3, 2**64 - 1, 2**64 - 2, *(2**64 - 2**k - d for k in range(8, 14) for d in (0, 1))]
CELLS = [(j << 55) + d for j in range(256, 512) for d in (-1, 0, 1)]
SECTORS = [(j << 56) + d for j in range(1, 256) for d in (-(2**55), -(2**55) - 1, -1, 0, 1)]
RANDOM = np.random.default_rng(1).integers(1, 2**64, 10_000, dtype=np.uint64).tolist()
WORDS = [*POWERS, *ENDS, *CELLS, *SECTORS, *RANDOM]


def distances(exact, centers):
    with precision(200):
        return np.array(
            [float((value - arb(center)).abs_upper()) for value, center in zip(exact, centers.tolist(), strict=True)]
        )


@pytest.mark.parametrize("end", [0, 1])
def test_logarithm_is_within_its_error_at_both_ends_of_a_cell(end):
    balls = float_functions.negative_logarithms(np.array(WORDS, dtype=np.uint64))
    with precision(200):
        exact = [-(arb(fmpq(word + end, 2**64)).log()) for word in WORDS]
    error = distances(exact, balls.center)
    assert (error <= balls.radius).all()
    if end == 0:
        # Beside the cell's width, no more than half of the radius is used, as the derivation leaves room for.
        own = balls.radius - 2 / np.array([float(word) for word in WORDS])
        large = np.array(WORDS, dtype=float) > 2.0**60
        assert (error[large] <= 0.7 * own[large]).all()
        # Control: the errors are real; a radius of a sixth is left.
        assert not (error[large] <= own[large] / 6).all()


@pytest.mark.parametrize("end", [0, 1])
def test_cosine_and_sine_are_within_their_error_at_both_ends_of_a_cell(end):
    both = float_functions.cosines_and_sines(np.array(WORDS, dtype=np.uint64))
    with precision(200):
        pairs = [arb(fmpq(2 * (word + end), 2**64)).sin_cos_pi() for word in WORDS]
    for balls, exact in zip(both, ([c for _, c in pairs], [s for s, _ in pairs]), strict=True):
        error = distances(exact, balls.center)
        assert (error <= balls.radius / 2).all()
        assert not (error <= balls.radius / 6).all()


def test_first_word_is_unbounded():
    balls = float_functions.negative_logarithms(np.zeros(1, dtype=np.uint64))
    assert np.isinf(balls.radius).all()
    normals = float_functions.normals(np.zeros(1, dtype=np.uint64), np.ones(1, dtype=np.uint64))
    assert not np.isfinite(normals.radius).any()


def test_normals_are_within_their_error():
    angles = WORDS[::-1]
    balls = float_functions.normals(np.array(WORDS, dtype=np.uint64), np.array(angles, dtype=np.uint64))
    with precision(200):
        exact = []
        for word, angle in zip(WORDS, angles, strict=True):
            length = (-2 * arb(fmpq(word, 2**64)).log()).sqrt()
            sine, cosine = arb(fmpq(2 * angle, 2**64)).sin_cos_pi()
            exact += [length * cosine, length * sine]
    error = distances(exact, balls.center)
    known = np.isfinite(balls.radius)
    assert (error[known] <= balls.radius[known]).all()
    assert not (error[known] <= balls.radius[known] / 10).all()
    assert np.mean(known) > 0.99
    # For words in the bulk the enclosures are narrow, so that few roundings are left to balls.
    assert np.median(balls.radius) < 2.0**-47


def test_constants_of_the_derivation():
    with precision(300):
        factors, logarithms = float_functions.logarithm_table()
        for index, (factor, logarithm) in enumerate(zip(factors.tolist(), logarithms.tolist(), strict=True)):
            low, high = arb(fmpq(128 + index, 256)), arb(fmpq(129 + index, 256))
            # |m c - 1| < 2**-7.9 over the cell, and a product below 2 and above 1/2, as Sterbenz's lemma asks.
            assert all(abs(m * arb(factor) - 1) < arb(2) ** arb(fmpq(-79, 10)) for m in (low, high))
            assert abs(arb(logarithm) + arb(factor).log()) <= arb(UNIT) / 2
        reach = arb(2) ** arb(fmpq(-79, 10))
        assert reach**7 / (7 * (1 - reach)) < arb(2) ** -57
        upper, lower = float_functions.logarithm_of_two()
        assert (upper * 2**40).is_integer()
        assert upper < 1
        assert abs(arb.const_log2() - arb(upper) - arb(lower)) < arb(2) ** -94
        half_sector = 2 * arb.pi() / 512
        assert half_sector**7 / 5040 < arb(fmpq(8, 100)) * arb(UNIT)
        assert half_sector**8 / 40320 < arb(2) ** -65
        cosines, sines = float_functions.sector_tables()
        for index in range(256):
            sine, cosine = arb(fmpq(2 * index + 1, 256)).sin_cos_pi()
            assert abs(arb(float(cosines[index])) - cosine) <= arb(UNIT) / 2
            assert abs(arb(float(sines[index])) - sine) <= arb(UNIT) / 2


def test_arithmetic_rounds_to_nearest():
    # What every bound assumes of the processor.
    one = np.ones(4)
    assert (one + UNIT == 1).all()
    assert (one + 3 * UNIT == 1 + 4 * UNIT).all()
    assert (one - UNIT / 2 == 1).all()
    assert (np.sqrt(np.full(4, 2.0)) == 1.4142135623730951).all()


def test_logarithms_of_floats_are_within_their_error():
    generator = np.random.default_rng(2)
    exponents = generator.integers(-900, 1000, 4000)
    centers = np.concatenate([np.ldexp(generator.uniform(0.5, 2, 4000), exponents), [1.0, 2.0, 0.5, 1 - 2.0**-53]])
    radii = centers * generator.choice([0.0, 1e-15, 1e-3, 0.25], len(centers))
    balls = float_functions.logarithms_of(FloatBalls(centers, radii))
    with precision(200):
        for sign in (-1, 0, 1):
            ends = [arb(c) + sign * arb(r) for c, r in zip(centers.tolist(), radii.tolist(), strict=True)]
            assert (distances([end.log() for end in ends], balls.center) <= balls.radius).all()
    exactly = radii == 0
    with precision(200):
        error = distances([arb(c).log() for c in centers[exactly].tolist()], balls.center[exactly])
    # Control: a tenth of the radius is not enough.
    assert not (error <= balls.radius[exactly] / 10).all()


def test_logarithms_of_what_may_not_be_positive_say_nothing():
    wide = FloatBalls(np.array([1.0, 0.0, -1.0, 1e-310]), np.array([0.26, 0.0, 0.0, 0.0]))
    assert np.isinf(float_functions.logarithms_of(wide).radius).all()
