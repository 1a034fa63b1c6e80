"""Balls of floats hold all that their operands may be, and their radii are the ones that are derived.

Noise is rounded from these balls where they leave one answer. One that misses the ideal real gives noise of another
law, so each operation is held against fractions: at the corners of what its operands may be, and against the radius of
its derivation, of which each term is owed to a rounding or to an operand. Nothing is statistical.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, isqrt, sqrt

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.randomness.float_balls import FloatBalls

U = Fraction(1, 2**53)
TINY = Fraction(1, 2**1022)
LENGTHS = [1, 2, 3, 63, 64, 65, 200, 5000]
SIZES = [0.0, 1e-9, 0.3]
INFINITE = float("inf")


def close(found: float | Fraction, expected: Fraction) -> bool:
    """Whether a radius is what was expected, or as much more as the roundings of its computation allow."""
    return expected <= Fraction(found) <= expected * (1 + Fraction(1, 2**36)) + 2**15 * TINY


def some(shape: tuple[int, ...], seed: int, size: float = 1e-9) -> FloatBalls:
    """Return balls of both signs, of sizes that differ by powers of ten."""
    generator = np.random.default_rng(seed)
    center = generator.standard_normal(shape) * 10.0 ** generator.integers(-3, 4, shape)
    return FloatBalls(center, np.abs(center) * size * generator.uniform(0, 1, shape))


def parts(balls: FloatBalls) -> Iterator[tuple[Fraction, Fraction]]:
    """Give centres and radii, exactly."""
    for center, radius in zip(balls.center.ravel().tolist(), balls.radius.ravel().tolist(), strict=True):
        yield Fraction(center), Fraction(radius)


def hold(balls: FloatBalls, exact: Sequence[Fraction]) -> bool:
    """Whether all entries hold what they stand for."""
    return all(abs(center - value) <= radius for (center, radius), value in zip(parts(balls), exact, strict=True))


def tinies(balls: FloatBalls) -> set[float]:
    """Return radii in units of the tiny number."""
    return {float(Fraction(radius) / TINY) for radius in balls.radius.ravel().tolist()}


def zeros(*shape: int) -> FloatBalls:
    return FloatBalls.exactly(np.zeros(shape))


# Numbers


@pytest.mark.parametrize("second", SIZES)
@pytest.mark.parametrize("first", SIZES)
def test_sums_products_and_quotients_hold_all_results_and_are_as_wide_as_derived(first: float, second: float) -> None:
    left, right = some((30,), 1, first), some((30,), 2, second)
    found = (left + right, left - right, left * right, left / right, -left)
    for (x, r), (y, s), *results in zip(parts(left), parts(right), *map(parts, found), strict=True):
        for a, b in product((x - r, x, x + r), (y - s, y, y + s)):
            for (center, radius), exact in zip(results, (a + b, a - b, a * b, a / b, -a), strict=True):
                assert abs(center - exact) <= radius
        centers, radii = zip(*results, strict=True)
        added, subtracted, multiplied, divided, _ = (U * abs(center) for center in centers)
        assert close(radii[0], r + s + added)
        assert close(radii[1], r + s + subtracted)
        assert close(radii[2], abs(x) * s + r * (abs(y) + s) + multiplied + TINY)
        assert close(radii[3], 2 * (r + abs(centers[3]) * s) / abs(y) + divided + TINY)
        assert (centers[4], radii[4]) == (-x, r)


ONE = FloatBalls.exactly(np.ones(1))
ZEROS: dict[str, tuple[Callable[[], FloatBalls], int]] = {
    "sum": (lambda: zeros(1) + zeros(1), 3 + 1),
    "difference": (lambda: zeros(1) - zeros(1), 3 + 1),
    "product": (lambda: zeros(1) * zeros(1), 1 + 6 + 1),
    "quotient": (lambda: zeros(1) / ONE, 1 + 7 + 1),
    "rationals": (lambda: FloatBalls.of_rationals([fmpq(0)], (1,)), 1 + 1),
    "quotients-of-integers": (lambda: FloatBalls.of_quotients([0], 7, (1,)), 1 + 1),
    "balls": (lambda: FloatBalls.enclosing([arb(0)], (1,)), 1 + 1),
    **{f"total-of-{n}": (lambda n=n: zeros(n).total(), 2 * n + 4 + 1) for n in (0, 1, 2, 9)},
    "totals-of-2-and-5": (lambda: zeros(7).totals(np.array([0, 2])), 2 * 5 + 4 + 1),
    "totals-of-5-and-2": (lambda: zeros(7).totals(np.array([0, 5])), 2 * 5 + 4 + 1),
}


@pytest.mark.parametrize("name", ZEROS)
def test_zeros_are_as_wide_as_the_roundings_that_may_have_underflown(name: str) -> None:
    operation, count = ZEROS[name]
    assert all(count <= number < count + 1e-12 for number in tinies(operation()))


def test_one_is_as_wide_as_its_rounding_and_a_factor_for_those_of_the_radius() -> None:
    """All is exact here: eight units of 2**-52 more than there are roundings, of half a digit of the number."""
    for found, half, count in (
        (FloatBalls.of_rationals([fmpq(1)], (1,)), U, 1),
        (FloatBalls.of_quotients([7], 7, (1,)), U, 1),
        (FloatBalls.exactly([4.0]).square_root(), 2 * U, 5),
        (ONE + zeros(1), U, 3),
        (ONE * ONE, U, 6),
        (ONE / ONE, U, 7),
        (FloatBalls.exactly([1.0]).total(), 2 * U, 6),
        (FloatBalls.exactly([1.0, 1.0, 1.0, 1.0]).totals(np.array([0, 2])), 2 * 4 * U, 8),
    ):
        assert {Fraction(radius) for radius in found.radius.ravel().tolist()} == {
            half * (1 + Fraction(count + 8, 2**52))
        }


@pytest.mark.parametrize("size", [0.5, 0.5 + 2.0**-52, 0.75, np.inf, np.nan])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_quotient_is_known_where_its_denominator_keeps_half_of_its_size(size: float, sign: int) -> None:
    found = FloatBalls.exactly([6.0]) / FloatBalls(np.array([2.0 * sign]), np.array([2.0 * size]))
    if size == 0.5:
        assert found.center.tolist() == [3.0 * sign]
        assert close(found.radius[0], 2 * (Fraction(3)) / 2 + 3 * U + TINY)
    else:
        assert np.isfinite(found.center).all()
        assert np.isinf(found.radius).all()
    assert not np.isfinite((FloatBalls.exactly([1.0]) / zeros(1)).radius).any()


@pytest.mark.parametrize("relative", [0.0, 1e-9, 0.25, 0.5])
def test_roots_hold_all_results_and_are_as_wide_as_derived(relative: float) -> None:
    center = np.array([4.0**-300, 0.25, 1.0, 3.0, 4.0, 49.0, 4.0**300])
    found = FloatBalls(center, center * relative).square_root()
    for value, (root, radius) in zip(map(Fraction, center.tolist()), parts(found), strict=True):
        assert root == Fraction(sqrt(value))
        assert close(radius, Fraction(0.6) * (value * Fraction(relative) / root) + U * root)
        for sign in (-1, 0, 1):
            end = value * (1 + sign * Fraction(relative))
            assert max(root - radius, 0) ** 2 <= end <= (root + radius) ** 2


def test_roots_of_what_may_be_zero_or_less_are_not_known() -> None:
    center = np.array([1.0, 1.0, 1.0, 1.0, -1e-20, 0.0, -4.0, 0.0, 4.0])
    radius = np.array([0.5 + 2.0**-52, 0.75, 1.0, np.inf, 1e-19, 1e-19, 8.0, 0.0, np.nan])
    found = FloatBalls(center, radius).square_root()
    assert not np.isfinite(found.radius).any()
    assert found.center.tolist() == [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0]


@pytest.mark.parametrize("count", [1, 2, 30])
def test_totals_hold_all_sums_and_are_as_wide_as_derived(count: int) -> None:
    balls = some((count,), 7)
    entries = list(parts(balls))
    found = balls.total()
    assert close(float(found.radius), sum((r + 2 * count * U * abs(a) for a, r in entries), Fraction(0)))
    assert found.shape == ()
    for sign in (-1, 0, 1):
        assert hold(found, [sum((a + sign * r for a, r in entries), Fraction(0))])


def test_totals_of_segments_hold_their_sums_and_are_as_wide_as_the_longest_asks_for() -> None:
    balls = some((30,), 8)
    for starts in ([0, 1, 4, 20], [0, 16, 18], [0], [0, 29]):
        found, entries, ends = balls.totals(np.array(starts)), list(parts(balls)), [*starts[1:], 30]
        segments = [entries[start:end] for start, end in zip(starts, ends, strict=True)]
        longest = max(map(len, segments))
        for segment, radius in zip(segments, found.radius.tolist(), strict=True):
            assert close(radius, sum((r + 2 * longest * U * abs(a) for a, r in segment), Fraction(0)))
        for sign in (-1, 0, 1):
            assert hold(found, [sum((a + sign * r for a, r in segment), Fraction(0)) for segment in segments])


# Matrices


SCALE = 2**300
"""Floats are integers in units of its reciprocal here: fractions take long."""


def integers(values: Sequence[float]) -> list[int]:
    """Scale floats to the integers that they are."""
    return [int(Fraction(value) * SCALE) for value in values]


def inner(first: Sequence[int], second: Sequence[int]) -> Fraction:
    """Sum products of scaled numbers."""
    return Fraction(sum(a * b for a, b in zip(first, second, strict=True)), SCALE**2)


def length(values: Sequence[int]) -> Fraction:
    """Return a Euclidean norm, to three hundred bits."""
    return Fraction(isqrt(sum(value**2 for value in values)), SCALE)


def moved(values: Sequence[int], steps: Sequence[int], like: Sequence[int], sign: int) -> list[int]:
    """Move each number by its step, in the direction of the sign of another number or against it."""
    return [a + sign * (step if b > 0 else -step) for a, step, b in zip(values, steps, like, strict=True)]


def roundings_of(terms: int) -> int:
    """Count the roundings in which a term of a sum of products takes part, from the definition of the blocks."""
    block = max(64, isqrt(terms))
    return min(terms, block) + ceil(Fraction(terms, block)) + 1


@pytest.mark.parametrize(
    ("terms", "second"), [*((terms, 1e-9) for terms in LENGTHS), *((terms, 0.0) for terms in LENGTHS[:-1]), (65, 1e-17)]
)
def test_products_of_matrices_hold_all_results_and_are_as_wide_as_derived(terms: int, second: float) -> None:
    left, right = some((2, terms), 3, 1e-16), some((terms, 2), 4, second)
    w = roundings_of(terms) * U * (1 + Fraction(1, 2**20))
    found = left @ right
    for i, j in product(range(2), repeat=2):
        a, r = integers(left.center[i]), integers(left.radius[i])
        b, s = integers(right.center[:, j]), integers(right.radius[:, j])
        sizes = [abs(one) for one in a], [abs(one) for one in b]
        width = inner(r, sizes[1]) + w * inner(*sizes) + inner(sizes[0], s) + inner(r, s)
        assert close(found.radius[i, j], width + 4 * terms * TINY)
        entry = FloatBalls(found.center[i, j], found.radius[i, j])
        for sign in (-1, 0, 1):
            # The farthest corner on either side, and the middle.
            assert hold(entry, [inner(moved(a, r, b, sign), moved(b, s, a, sign))])


@pytest.mark.parametrize("terms", LENGTHS)
def test_products_of_zeros_are_as_wide_as_the_roundings_that_may_have_underflown(terms: int) -> None:
    assert tinies(zeros(2, terms) @ zeros(terms, 1)) == {3 * roundings_of(terms) + 1 + 4 * terms}
    # With e the root of 4 n tiny numbers for length and error, a Gram matrix has 4 e**2 and what is added.
    expected = 4 * (4 * terms) + (10 + 1) + 4 * terms
    assert all(abs(number / expected - 1) < 1e-10 for number in tinies(zeros(2, terms).gram()))


@pytest.mark.parametrize(
    ("terms", "size"),
    [*((terms, 1e-16) for terms in LENGTHS), *((terms, size) for terms in (2, 65) for size in (0.0, 1e-9))],
)
def test_gram_matrices_hold_all_results_and_are_as_wide_as_derived(terms: int, size: float) -> None:
    balls = some((3, terms), 5, size)
    half = roundings_of(terms) * U * (Fraction(1, 2) + Fraction(1, 2**20))
    rows = [(integers(balls.center[i]), integers(balls.radius[i])) for i in range(3)]
    norms, errors = ([length(row[place]) for row in rows] for place in (0, 1))
    p = [error + half * norm for norm, error in zip(norms, errors, strict=True)]
    q = [norm + error for norm, error in zip(norms, errors, strict=True)]
    found = balls.gram()
    for i, j in product(range(3), repeat=2):
        expected = p[i] * q[j] + q[i] * p[j]
        # A length is a little too long: it is enlarged for as many roundings as it has terms.
        assert expected <= Fraction(found.radius[i, j]) <= expected * (1 + (terms + 20) * Fraction(1, 2**50))
        entry = FloatBalls(found.center[i, j], found.radius[i, j])
        for sign in (-1, 0, 1):
            corner = [moved(*rows[place], rows[place][0], sign) for place in (i, j)]
            assert hold(entry, [inner(*corner)])
