"""Every operation on arrays of floats with radii contains the exact result."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpmatrix.exact import rational
from dpmatrix.randomness.float_balls import FloatBalls

FLOATS = st.floats(-1e150, 1e150)
RADII = st.sampled_from([0.0, 5e-324, 1e-310, 1e-18, 1e-3, 1.0, 1e10])
OPERATIONS = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b]


def inside(exact, balls):
    """Tell for each entry whether a rational lies within the ball, exactly; a radius that is no number is infinite."""
    entries = zip(exact, balls.center.ravel().tolist(), balls.radius.ravel().tolist(), strict=True)
    return [
        not radius < float("inf") or abs(value - Fraction(center)) <= Fraction(radius)
        for value, center, radius in entries
    ]


def corners(center, radius):
    return [Fraction(center) - Fraction(radius), Fraction(center), Fraction(center) + Fraction(radius)]


@settings(max_examples=300, deadline=None)
@given(FLOATS, RADII, FLOATS, RADII, st.sampled_from(OPERATIONS))
def test_sums_and_products_contain_all_results(a, r, b, s, operation):
    balls = operation(FloatBalls(np.array([a]), np.array([r])), FloatBalls(np.array([b]), np.array([s])))
    for first in corners(a, r):
        for second in corners(b, s):
            assert all(inside([operation(first, second)], balls))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.sampled_from([1, 3, 64, 65, 200]), st.integers(-300, 200))
def test_matrix_products_contain_all_results(seed, rows, terms, exponent):
    generator = np.random.default_rng(seed)
    left, right = generator.standard_normal((rows, terms)), generator.standard_normal((terms, 2)) * 2.0**exponent
    spreads = [np.abs(generator.standard_normal(m.shape)) * 1e-9 * np.abs(m) for m in (left, right)]
    balls = FloatBalls(left, spreads[0]) @ FloatBalls(right, spreads[1])
    signs = [generator.choice([-1, 0, 1], m.shape) for m in (left, right)]
    exact_left, exact_right = (
        [
            [Fraction(x) + int(k) * Fraction(r) for x, k, r in zip(*row, strict=True)]
            for row in zip(*arrays, strict=True)
        ]
        for arrays in ((left, signs[0], spreads[0]), (right, signs[1], spreads[1]))
    )
    exact = [sum(x * exact_right[k][j] for k, x in enumerate(row)) for row in exact_left for j in range(2)]
    assert all(inside(exact, balls))


def test_worst_corner_of_a_product_uses_the_radius():
    # Control: half of the radius leaves the corner outside.
    left, right = np.full((1, 100), 3.0), np.full((100, 1), 5.0)
    balls = FloatBalls(left, np.full((1, 100), 1e-6)) @ FloatBalls(right, np.full((100, 1), 1e-5))
    corner = 100 * (Fraction(3) + Fraction(1e-6)) * (Fraction(5) + Fraction(1e-5))
    assert inside([corner], balls) == [True]
    assert inside([corner], FloatBalls(balls.center, balls.radius / 2)) == [False]


def test_rounding_errors_of_a_long_product_are_contained():
    # Cancellation: the float result is far from 0 compared with its own size, within the radius.
    generator = np.random.default_rng(5)
    half = generator.standard_normal(5000) * 1e8
    left = np.concatenate([half, half])[None]
    right = np.concatenate([np.ones(5000), -np.ones(5000)])[:, None]
    balls = FloatBalls.exactly(left) @ FloatBalls.exactly(right)
    assert inside([Fraction(0)], balls) == [True]
    assert balls.radius[0, 0] < 1e-1


@settings(max_examples=300, deadline=None)
@given(st.floats(0, 1e300), st.sampled_from([0.0, 1e-17, 1e-6, 0.4, 0.5, 0.6, 3.0]))
def test_roots_contain_all_results(center, relative):
    balls = FloatBalls(np.array([center]), np.array([center * relative])).square_root()
    for value in corners(center, center * relative):
        if value >= 0 and np.isfinite(balls.radius[0]):
            low, high = (
                Fraction(balls.center[0]) - Fraction(balls.radius[0]),
                sum(map(Fraction, (balls.center[0], balls.radius[0]))),
            )
            assert max(low, 0) ** 2 <= value <= high**2


def test_roots_of_wide_balls_say_nothing():
    wide = FloatBalls(np.array([1.0, -1e-20, 0.0]), np.array([0.51, 1e-19, 1e-19]))
    assert not np.isfinite(wide.square_root().radius).any()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e200, 1e200), min_size=0, max_size=50))
def test_totals_contain_the_exact_sum(values):
    assert all(inside([sum(map(Fraction, values), Fraction(0))], FloatBalls.exactly(np.array(values)).total()))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.floats(-1e200, 1e200), min_size=1, max_size=9), min_size=1, max_size=6), RADII)
def test_totals_of_segments_contain_the_exact_sums(segments, radius):
    values = np.array([value for segment in segments for value in segment])
    starts = np.cumsum([0, *map(len, segments[:-1])])
    balls = FloatBalls(values, np.full(len(values), radius)).totals(starts)
    for sign in (-1, 0, 1):
        sums = [sum(Fraction(value) + sign * Fraction(radius) for value in segment) for segment in segments]
        assert all(inside(sums, balls))


@settings(max_examples=200, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.floats(-1e100, 1e100)),
    st.sampled_from([0.0, 5e-324, 1e-17, 1e-3, 1.0]),
    st.booleans(),
)
def test_gram_matrices_contain_the_exact_products(values, radius, lower):
    center = np.tril(values) if lower else values
    balls = FloatBalls(center, np.full(center.shape, radius)).gram()
    for sign in (-1, 0, 1):
        rows = [[Fraction(x) + (1 if x >= 0 else -1) * sign * Fraction(radius) for x in row] for row in center.tolist()]
        exact = [sum(x * y for x, y in zip(a, b, strict=True)) for a in rows for b in rows]
        assert all(inside(exact, FloatBalls(balls.center.ravel(), balls.radius.ravel())))


def test_gram_matrices_are_as_narrow_as_products_nearly_and_use_the_radius():
    generator = np.random.default_rng(3)
    center = np.tril(generator.standard_normal((200, 200)))
    balls = FloatBalls(center, 1e-15 * np.abs(center))
    gram, product = balls.gram(), balls @ balls.transposed
    assert (np.abs(gram.center - product.center) <= gram.radius).all()
    assert np.median(gram.radius / product.radius) < 4
    # Control: the farthest corner is outside of half the radius.
    wide = FloatBalls(np.full((1, 100), 3.0), np.full((1, 100), 1e-6)).gram()
    corner = 100 * (Fraction(3) + Fraction(1e-6)) ** 2
    assert inside([corner], wide) == [True]
    assert inside([corner], FloatBalls(wide.center, wide.radius * 0.49)) == [False]


def test_balls_of_higher_precision_are_enclosed():
    third = arb(1) / 3
    balls = FloatBalls.enclosing([third, arb("inf"), arb(0, 1), arb(10) ** 400, arb(10) ** -400], (5,))
    assert abs(Fraction(balls.center[0]) - Fraction(1, 3)) <= Fraction(balls.radius[0]) < Fraction(1, 2**50)
    assert np.isinf(balls.radius[[1, 3]]).all()
    assert balls.radius[2] >= 1
    assert 0 < balls.radius[4] < 1e-300


@settings(max_examples=300, deadline=None)
@given(st.lists(st.fractions(), min_size=1, max_size=5), st.integers(-1100, 900))
def test_rationals_are_enclosed_closely(values, exponent):
    scaled = [value * Fraction(2) ** exponent for value in values]
    balls = FloatBalls.of_rationals([rational(value) for value in scaled], (len(scaled),))
    assert all(inside(scaled, balls))
    assert (balls.radius <= 2.0**-52 * np.abs(balls.center) + 2.0**-1020).all()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-(10**40), 10**40), min_size=1, max_size=4), st.integers(1, 10**30), st.integers(1, 2**200))
def test_quotients_are_enclosed_alike_whether_or_not_they_are_reduced(numerators, denominator, factor):
    expected = FloatBalls.of_rationals([rational(Fraction(x, denominator)) for x in numerators], (len(numerators),))
    found = FloatBalls.of_quotients([x * factor for x in numerators], denominator * factor, (len(numerators),))
    assert found.center.tolist() == expected.center.tolist()
    assert found.radius.tolist() == expected.radius.tolist()
    beyond = FloatBalls.of_quotients([10**400, 1], 1, (2,))
    assert np.isinf(beyond.radius).tolist() == [True, False]


def test_rationals_beyond_floats_are_unknown():
    balls = FloatBalls.of_rationals([rational(10**400), rational(1)], (2,))
    assert np.isinf(balls.radius).tolist() == [True, False]


def test_nothing_known_stays_unknown():
    unknown, zero = FloatBalls.unknown((2, 2)), FloatBalls.exactly(np.zeros((2, 2)))
    for result in (unknown + zero, unknown * zero, unknown @ zero, zero @ unknown, unknown.square_root()):
        assert not np.isfinite(result.radius).any()


def test_radii_have_the_shape_of_the_centres():
    with pytest.raises(ValueError, match="radii of shape"):
        FloatBalls(np.zeros(3), np.zeros(2))


@settings(max_examples=300, deadline=None)
@given(FLOATS, RADII, FLOATS, RADII)
def test_quotients_contain_all_results(a, r, b, s):
    balls = FloatBalls(np.array([a]), np.array([r])) / FloatBalls(np.array([b]), np.array([s]))
    for first in corners(a, r):
        for second in corners(b, s):
            if second:
                assert all(inside([first / second], balls))


def test_quotients_by_wide_balls_say_nothing():
    quotient = FloatBalls.exactly(np.ones(2)) / FloatBalls(np.array([1.0, 0.0]), np.array([0.51, 0.0]))
    assert not np.isfinite(quotient.radius).any()
