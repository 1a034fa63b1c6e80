"""Uniform points of a ball: floats against balls, the norm's error, and the law in one dimension."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.mechanisms.k_norm import signed_traces
from dpmatrix.randomness.decisions import round_to_grid
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy import LazyExponentials
from dpmatrix.randomness.lazy_balls import LazyBallPoint
from dpmatrix.randomness.lazy_traces import CoupledTraces


def larger(matrix: fmpq_mat) -> arb:
    above, below = signed_traces(matrix)
    return above.max(below)


def nuclear(matrix: fmpq_mat) -> arb:
    above, below = signed_traces(matrix)
    return above + below


class Near:
    """A matrix that is known to a radius."""

    def __init__(self, center: Sequence[Sequence[Fraction]], radius: float) -> None:
        self.shape = (len(center), len(center[0]))
        self.center, self.radius = [entry for row in center for entry in row], radius
        self.asked: list[tuple[int, list[int]]] = []

    def approximate(self) -> FloatBalls:
        """Is not asked."""
        raise AssertionError("floats are made from balls")

    def refine(self, bits: int, entries: Sequence[int]) -> None:
        """Note what is asked."""
        self.asked.append((bits, list(entries)))

    def enclose(self, entries: Sequence[int]) -> list[arb]:
        """Enclose the entries."""
        values = (self.center[index] for index in entries)
        return [arb(fmpq(value.numerator, value.denominator)) + arb(0, self.radius) for value in values]


@pytest.mark.parametrize("norm", [larger, nuclear])
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_floats_and_balls_enclose_the_same_reals(norm, dimension: int) -> None:
    entropy = SeededEntropy(dimension)
    for _ in range(3):
        point = LazyBallPoint(*CoupledTraces(dimension, entropy).parts(), norm, Fraction(7, 3), entropy)
        entries = range(dimension**2)
        balls = point.approximate()
        assert balls.shape == point.shape == (dimension, dimension)
        point.refine(300, entries)
        with precision(320):
            exact = point.enclose(entries)
        for ball, center, radius in zip(
            exact, balls.center.ravel().tolist(), balls.radius.ravel().tolist(), strict=True
        ):
            assert ball.rad() < 1e-60
            assert abs(ball - center) < radius
        assert float(balls.radius.max()) < 1e-9
        norms = np.linalg.eigvalsh(balls.center)
        parts = np.maximum(norms, 0).sum(), np.maximum(-norms, 0).sum()
        length = max(parts) if norm is larger else sum(parts)
        assert 0 < length <= 7 / 3 + 1e-9, "inside the ball"


def test_the_point_is_the_difference_over_its_norm_times_a_power_of_a_uniform_variate() -> None:
    """From the digits of the same source."""
    for seed in range(6):
        entropy, again = SeededEntropy(seed), SeededEntropy(seed)
        first, second = (part.approximate().center for part in CoupledTraces(3, entropy).parts())
        exponential = float(LazyExponentials((1,), entropy).approximate().center[0])
        difference = first - second
        values = np.linalg.eigvalsh(difference)
        length = max(values[values > 0].sum(), -values[values < 0].sum())
        expected = difference * (2.5 * np.exp(-exponential / 6) / length)
        point = LazyBallPoint(*CoupledTraces(3, again).parts(), larger, Fraction(5, 2), again)
        assert np.allclose(point.approximate().center, expected, rtol=1e-10)
        assert again.bits(64) == entropy.bits(64), "no other digits are drawn"


ZERO = [[Fraction(0)] * 3] * 3
SHAPES = {
    "ordinary": [
        [Fraction(3), Fraction(1), Fraction(0)],
        [1, Fraction(-2), Fraction(1, 3)],
        [0, Fraction(1, 3), Fraction(1)],
    ],
    "a multiple of the identity": [[Fraction(int(i == j)) for j in range(3)] for i in range(3)],
    "of rank one": [[Fraction(1)] * 3] * 3,
    "two that cancel": [[Fraction(1), 0, 0], [0, Fraction(-1), 0], [0, 0, 0]],
}


@pytest.mark.parametrize("norm", [larger, nuclear])
@pytest.mark.parametrize("radius", [0.25, 1e-3])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_matrix_within_the_known_digits_has_its_point_in_the_balls(norm, radius: float, shape: str) -> None:
    """Attack on the error of the norm: corners of the cube of what is known, where eigenvalues move the most."""
    center = [[Fraction(entry) for entry in row] for row in SHAPES[shape]]
    entropy = SeededEntropy(1)
    share = float(np.exp(-LazyExponentials((1,), SeededEntropy(1)).approximate().center[0] / 6))
    point = LazyBallPoint(Near(center, radius), Near(ZERO, 0.0), norm, Fraction(2), entropy)
    balls = point.enclose(range(9))
    if not all(ball.is_finite() for ball in balls):
        assert radius > 0.1, "so little is known that the norm may be zero"
        return
    generator = np.random.default_rng(4)
    for _ in range(200):
        signs = np.sign(generator.standard_normal((3, 3)))
        moved = np.array(center, dtype=float) + radius * 0.999 * (np.triu(signs) + np.triu(signs, 1).T)
        values = np.linalg.eigvalsh(moved)
        parts = np.maximum(values, 0).sum(), np.maximum(-values, 0).sum()
        length = max(parts) if norm is larger else sum(parts)
        exact = (moved * 2 * share / length).ravel()
        for ball, value in zip(balls, exact.tolist(), strict=True):
            assert (ball + arb(0, 1e-9)).contains(value)


def test_nothing_is_known_of_a_matrix_that_may_be_zero_and_digits_are_asked_for_above_the_diagonal() -> None:
    first, second = Near(ZERO, 1e-3), Near(ZERO, 0.0)
    point = LazyBallPoint(first, second, larger, Fraction(1), SeededEntropy(1))
    assert not any(ball.is_finite() for ball in point.enclose(range(9)))
    assert np.isinf(point.approximate().radius).all() or np.isnan(point.approximate().radius).all()
    point.refine(200, [])
    assert first.asked == []
    point.refine(200, [3])
    assert first.asked == second.asked == [(200, [0, 1, 2, 4, 5, 8])]
    unknown = LazyBallPoint(Near(ZERO, float("inf")), second, larger, Fraction(1), SeededEntropy(1))
    assert not any(ball.is_finite() for ball in unknown.enclose(range(9)))


@pytest.mark.parametrize(("dimension", "places", "squares"), [(2, [1], 2), (3, [0, 4], 2), (3, [1, 5], 4)])
def test_the_error_of_the_norm_counts_entries_beside_the_diagonal_twice(
    dimension: int, places: list[int], squares: int
) -> None:
    """With a norm of one: the last entry of the diagonal is known, so that its ball tells of the norm alone."""
    center = [[Fraction(int(i == j)) for j in range(dimension)] for i in range(dimension)]

    class Some(Near):
        def enclose(self, entries: Sequence[int]) -> list[arb]:
            """Enclose the entries, of which some are known to a radius."""
            both = zip(entries, super().enclose(entries), strict=True)
            return [ball + arb(0, 0.01 * (index in places)) for index, ball in both]

    nothing = Near([[Fraction(0)] * dimension] * dimension, 0.0)
    point = LazyBallPoint(Some(center, 0.0), nothing, lambda _: arb(1), Fraction(1), SeededEntropy(1))
    (last,) = point.enclose([dimension**2 - 1])
    error = 0.01 * (dimension * squares) ** 0.5
    assert float(last.rad() / last.mid()) == pytest.approx(error, rel=0.1)


def test_entries_beside_the_diagonal_are_those_above_it() -> None:
    center = [[Fraction(1), Fraction(2)], [Fraction(99), Fraction(5)]]
    point = LazyBallPoint(Near(center, 0.0), Near([[Fraction(0)] * 2] * 2, 0.0), nuclear, Fraction(1), SeededEntropy(1))
    first, above, below, last = point.enclose(range(4))
    assert above == below or above.overlaps(below)
    assert (below / first).contains(2)
    assert (last / first).contains(5)
    assert point.enclose([2, 0])[1].overlaps(first)


def test_numbers_are_uniform_on_an_interval(cdf_radius, cdf_distance) -> None:
    """D = 1: the ball of radius 5/2. Error probability as the radius says; the control is the radius 5."""
    entropy = SeededEntropy(5)
    count = 2000
    points = (LazyBallPoint(*CoupledTraces(1, entropy).parts(), larger, Fraction(5, 2), entropy) for _ in range(count))
    numbers = [int(round_to_grid(point, Fraction(1, 2**20))[0, 0]) / 2**20 for point in points]

    def uniform(points: np.ndarray, radius: float = 2.5) -> np.ndarray:
        return np.clip((points + radius) / (2 * radius), 0, 1)

    radius = cdf_radius(count)
    assert cdf_distance(np.array(numbers), uniform) < radius
    assert cdf_distance(np.array(numbers), lambda points: uniform(points, 5.0)) > radius, "control"


@pytest.mark.parametrize("radius", [Fraction(0), Fraction(-1)])
def test_a_radius_that_is_not_positive_is_refused(radius: Fraction) -> None:
    with pytest.raises(InvalidParameterError, match=r"^radius: .* is not positive"):
        LazyBallPoint(*CoupledTraces(2, SeededEntropy(1)).parts(), larger, radius, SeededEntropy(1))


def test_matrices_of_other_shapes_are_refused() -> None:
    square, wide = Near(ZERO, 0.0), Near([[Fraction(0)] * 2] * 3, 0.0)
    smaller = Near([[Fraction(0)] * 2] * 2, 0.0)
    for first, second in ((wide, wide), (square, smaller)):
        with pytest.raises(InvalidParameterError, match=r"^second: shapes"):
            LazyBallPoint(first, second, larger, Fraction(1), SeededEntropy(1))
