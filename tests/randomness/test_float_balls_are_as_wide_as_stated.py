"""The radius of each operation is the one that its docstring derives, in exact fractions, and no wider.

That the balls contain what they must is tested elsewhere. A radius that is too wide costs time, since more entries are
left to balls of arbitrary precision, and one whose terms are not those of the derivation may be too narrow somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil, isqrt, sqrt

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.randomness import float_balls
from dpmatrix.randomness.float_balls import FloatBalls

U = Fraction(1, 2**53)
TINY = Fraction(1, 2**1022)
LENGTHS = [1, 3, 63, 64, 65, 200, 5000]


def close(found: float | Fraction, expected: Fraction) -> bool:
    """Whether a radius is what was expected, or as much more as the roundings of its computation allow."""
    return expected <= Fraction(found) <= expected * (1 + Fraction(1, 2**36)) + 2**15 * TINY


def some(shape: tuple[int, ...], seed: int, size: float = 1e-9) -> FloatBalls:
    """Return balls of both signs, of sizes that differ by powers of ten."""
    generator = np.random.default_rng(seed)
    center = generator.standard_normal(shape) * 10.0 ** generator.integers(-3, 4, shape)
    return FloatBalls(center, np.abs(center) * size * generator.uniform(0, 1, shape))


def parts(balls: FloatBalls) -> Iterator[tuple[Fraction, Fraction]]:
    """Give the absolute value of each centre with the radius."""
    for center, radius in zip(balls.center.ravel().tolist(), balls.radius.ravel().tolist(), strict=True):
        yield abs(Fraction(center)), Fraction(radius)


@pytest.mark.parametrize("roundings", [0, 1, 3, 10, 1000])
def test_a_radius_is_enlarged_by_the_stated_factor(roundings: int) -> None:
    """One and zero show the factor and the term exactly; no rounding of k in a row loses more than they restore."""
    one, zero = float_balls._enlarged(np.array([1.0, 0.0]), roundings).tolist()
    assert Fraction(one) == 1 + Fraction(roundings + 8, 2**52)
    assert Fraction(zero) == (roundings + 1) * TINY
    assert Fraction(one) * (1 - U) ** (roundings + 4) > 1
    assert Fraction(one) * (1 - U) ** (2 * roundings + 20) < 1


SIZES = [0.0, 1e-9, 0.3]


@pytest.mark.parametrize("second", SIZES)
@pytest.mark.parametrize("first", SIZES)
def test_sums_products_and_quotients_are_as_wide_as_stated(first: float, second: float) -> None:
    left, right = some((40,), 1, first), some((40,), 2, second)
    found = (left + right, left - right, left * right, left / right)
    for (a, r), (b, s), *results in zip(parts(left), parts(right), *map(parts, found), strict=True):
        centers, radii = zip(*results, strict=True)
        added, subtracted, multiplied, divided = (U * center for center in centers)
        quotient = centers[-1]
        assert close(radii[0], r + s + added)
        assert close(radii[1], r + s + subtracted)
        assert close(radii[2], a * s + r * (b + s) + multiplied + TINY)
        assert close(radii[3], 2 * (r + quotient * s) / b + divided + TINY)


def zeros(*shape: int) -> FloatBalls:
    return FloatBalls.exactly(np.zeros(shape))


ONE = FloatBalls.exactly(np.ones(1))
OPERATIONS: dict[str, tuple[Callable[[], FloatBalls], int]] = {
    "sum": (lambda: zeros(1) + zeros(1), 3 + 1),
    "difference": (lambda: zeros(1) - zeros(1), 3 + 1),
    "product": (lambda: zeros(1) * zeros(1), 1 + 6 + 1),
    "quotient": (lambda: zeros(1) / ONE, 1 + 7 + 1),
    "rationals": (lambda: FloatBalls.of_rationals([fmpq(0)], (1,)), 1 + 1),
    "quotients of integers": (lambda: FloatBalls.of_quotients([0], 7, (1,)), 1 + 1),
    "balls": (lambda: FloatBalls.enclosing([arb(0)], (1,)), 1 + 1),
    **{f"total of {n}": (lambda n=n: zeros(n).total(), 2 * n + 4 + 1) for n in (0, 1, 2, 9)},
    "totals of 2 and 5": (lambda: zeros(7).totals(np.array([0, 2])), 2 * 5 + 4 + 1),
    "totals of 5 and 2": (lambda: zeros(7).totals(np.array([0, 5])), 2 * 5 + 4 + 1),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_zeros_have_a_tiny_radius_for_each_rounding(name: str) -> None:
    """What an operation of zeros is wide is a whole number of tiny numbers: those of its roundings, and its own."""
    operation, count = OPERATIONS[name]
    for radius in operation().radius.ravel().tolist():
        assert count * TINY <= Fraction(radius) < (count + Fraction(1, 10**12)) * TINY


def roundings_of(terms: int) -> int:
    """Count the roundings in which a term of a sum of products takes part, from the definition of the blocks."""
    block = max(64, isqrt(terms))
    return min(terms, block) + ceil(Fraction(terms, block)) + 1


@pytest.mark.parametrize("terms", LENGTHS)
def test_products_of_zeros_have_a_tiny_radius_for_each_rounding(terms: int) -> None:
    found = zeros(2, terms) @ zeros(terms, 1)
    assert {Fraction(radius) for radius in found.radius.ravel()} == {(3 * roundings_of(terms) + 1 + 4 * terms) * TINY}


@pytest.mark.parametrize(
    ("terms", "second"), [*((terms, 1e-9) for terms in LENGTHS), *((terms, 0.0) for terms in LENGTHS[:-1]), (65, 1e-17)]
)
def test_products_of_matrices_are_as_wide_as_stated(terms: int, second: float) -> None:
    left, right = some((2, terms), 3, 1e-16), some((terms, 2), 4, second)
    w = roundings_of(terms) * U * (1 + Fraction(1, 2**20))
    found = left @ right
    rows = [list(parts(FloatBalls(left.center[i], left.radius[i]))) for i in range(2)]
    columns = [list(parts(FloatBalls(right.center[:, j], right.radius[:, j]))) for j in range(2)]
    for i in range(2):
        for j in range(2):
            terms_of = zip(rows[i], columns[j], strict=True)
            width = sum((r + w * a) * b + (a + r) * s for (a, r), (b, s) in terms_of)
            assert close(found.radius[i, j], width + 4 * terms * TINY)


def length(values: Sequence[Fraction]) -> Fraction:
    """Return a Euclidean norm, to a hundred bits."""
    square = sum(value**2 for value in values)
    return Fraction(isqrt(square.numerator * 4**200 // square.denominator), 2**200)


@pytest.mark.parametrize(
    ("terms", "size"),
    [*((terms, 1e-16) for terms in LENGTHS), *((terms, size) for terms in (2, 65) for size in (0.0, 1e-9))],
)
def test_gram_matrices_are_as_wide_as_stated(terms: int, size: float) -> None:
    balls = some((3, terms), 5, size)
    half = roundings_of(terms) * U * (Fraction(1, 2) + Fraction(1, 2**20))
    lengths, errors = ([length([*map(Fraction, row.tolist())]) for row in one] for one in (balls.center, balls.radius))
    p = [error + half * norm for norm, error in zip(lengths, errors, strict=True)]
    q = [norm + error for norm, error in zip(lengths, errors, strict=True)]
    found = balls.gram()
    for i in range(3):
        for j in range(3):
            expected = p[i] * q[j] + q[i] * p[j]
            # A length is a little too long: it is enlarged for as many roundings as it has terms.
            assert expected <= Fraction(found.radius[i, j]) <= expected * (1 + (terms + 20) * Fraction(1, 2**50))


@pytest.mark.parametrize("terms", [1, 4, 64, 100])
def test_gram_matrices_of_zeros_are_wide_by_what_is_added_under_the_root(terms: int) -> None:
    """With ``e`` the root of ``4 n`` tiny numbers for length and error, all is ``4 e**2`` and what is added."""
    found = zeros(2, terms).gram()
    expected = 4 * (4 * terms) + (10 + 1) + 4 * terms
    for radius in found.radius.ravel().tolist():
        assert float(Fraction(radius) / TINY) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("rows", "terms"), [(1, 1), (5, 2), (70, 70), (130, 130), (3, 300), (200, 100)])
def test_gram_matrices_of_small_integers_are_exact_in_the_centre(rows: int, terms: int) -> None:
    """Rows that begin with zeros are left out of some products, of which the sum does not change."""
    values = np.random.default_rng(6).integers(-9, 10, (rows, terms))
    for given in (values, np.tril(values), np.tril(values, -3), np.triu(values)):
        found = FloatBalls.exactly(given).gram()
        assert (found.center == given @ given.T).all()
        assert found.shape == (rows, rows)
        product = FloatBalls.exactly(given) @ FloatBalls.exactly(given).transposed
        assert (product.center == found.center).all()


@pytest.mark.parametrize("relative", [0.0, 1e-9, 0.25, 0.5])
def test_roots_are_as_wide_as_stated(relative: float) -> None:
    center = np.array([4.0**-300, 0.25, 1.0, 4.0, 49.0, 4.0**300])
    found = FloatBalls(center, center * relative).square_root()
    for value, (root, radius) in zip(center.tolist(), parts(found), strict=True):
        assert root == Fraction(sqrt(value))
        assert close(radius, Fraction(0.6) * (Fraction(value) * Fraction(relative) / root) + U * root)


def test_the_radius_of_a_root_is_enlarged_for_five_roundings() -> None:
    """The root of four is two, and its radius ``2 u``, exactly."""
    assert Fraction(FloatBalls.exactly([4.0]).square_root().radius[0]) == 2 * U * (1 + Fraction(5 + 8, 2**52))


@pytest.mark.parametrize("outside", [-4.0, -1e-300, 0.0])
def test_a_root_of_what_may_be_negative_has_a_finite_centre(outside: float) -> None:
    found = FloatBalls(np.array([outside]), np.array([8.0])).square_root()
    assert found.center.tolist() == [0.0]
    assert np.isinf(found.radius).all()


@pytest.mark.parametrize("count", [1, 2, 30])
def test_totals_are_as_wide_as_stated(count: int) -> None:
    balls = some((count,), 7)
    width = sum(r + 2 * count * U * a for a, r in parts(balls))
    assert close(float(balls.total().radius), width)
    assert balls.total().shape == ()
    assert float(balls.total().center) == pytest.approx(float(np.sum(balls.center)))


def test_totals_of_segments_are_as_wide_as_stated() -> None:
    """All are as wide as the longest one asks for."""
    balls, starts = some((30,), 8), [0, 1, 4, 20]
    found = balls.totals(np.array(starts))
    entries = list(parts(balls))
    for start, end, center, radius in zip(
        starts, [*starts[1:], 30], found.center.tolist(), found.radius.tolist(), strict=True
    ):
        assert close(radius, sum(r + 2 * 16 * U * a for a, r in entries[start:end]))
        assert center == pytest.approx(float(np.sum(balls.center[start:end])))


def test_numbers_of_one_are_enclosed_by_one_rounding() -> None:
    """A half of the last digit of one, enlarged for a single rounding."""
    expected = U * (1 + Fraction(1 + 8, 2**52))
    assert Fraction(FloatBalls.of_rationals([fmpq(1)], (1,)).radius[0]) == expected
    assert Fraction(FloatBalls.of_quotients([7], 7, (1,)).radius[0]) == expected
    assert Fraction(FloatBalls.enclosing([arb(1, 2.0**-53)], (1,)).radius[0]) >= expected


def test_balls_are_enclosed_by_their_radius_and_the_distance_of_the_float() -> None:
    with precision(128):
        balls = [arb(1) / 3, arb(1, 0.25), -arb(2).sqrt()]
        found = FloatBalls.enclosing(balls, (3,))
        for ball, center, radius in zip(balls, found.center.tolist(), found.radius.tolist(), strict=True):
            assert center == float(ball.mid())
            far = (ball - arb(center)).abs_upper()
            assert far <= arb(radius) <= far * (1 + arb(2) ** -40) + arb(2) ** -1000


def test_a_matrix_of_balls_is_filled_row_by_row() -> None:
    numbers = range(6)
    for found in (
        FloatBalls.enclosing([arb(number) for number in numbers], (2, 3)),
        FloatBalls.of_rationals([fmpq(number) for number in numbers], (2, 3)),
        FloatBalls.of_quotients([2 * number for number in numbers], 2, (2, 3)),
        FloatBalls.exactly([0, 1, 2, 3, 4, 5]).reshaped(2, 3),
    ):
        assert found.center.tolist() == [[0, 1, 2], [3, 4, 5]]
        assert found.center.dtype == found.radius.dtype == np.float64
        assert found.shape == found.radius.shape == (2, 3)
        assert found.transposed.center.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_balls_of_which_nothing_is_known_have_a_finite_centre() -> None:
    found = FloatBalls.unknown((2, 3))
    assert found.center.tolist() == [[0.0] * 3] * 2
    assert np.isinf(found.radius).all()
    assert found.radius.shape == (2, 3)


@pytest.mark.parametrize("size", [0.5, 0.5 + 2.0**-52])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_quotient_is_known_where_its_denominator_keeps_a_half_of_its_size(size: float, sign: int) -> None:
    found = FloatBalls.exactly([6.0]) / FloatBalls(np.array([2.0 * sign]), np.array([2.0 * size]))
    if size == 0.5:
        assert found.center.tolist() == [3.0 * sign]
        assert close(found.radius[0], Fraction(3) + U * 3 + TINY)
    else:
        assert np.isfinite(found.center).all()
        assert np.isinf(found.radius).all()


def test_balls_are_themselves_and_no_others() -> None:
    """They are told apart as objects: arrays have no one answer to whether they are equal."""
    balls, same = FloatBalls.exactly([1.0]), FloatBalls.exactly([1.0])
    assert balls == balls
    assert balls != same
    assert len({balls, same}) == 2


def test_the_length_of_a_row_is_bounded_where_its_sum_of_squares_is_rounded_down_each_time() -> None:
    """One, and 4999 squares that are each lost when they are added to it: the length is greater than that of one."""
    row = np.full((1, 5000), 2.0**-27)
    row[0, 0] = 1.0
    half = roundings_of(5000) * U * (Fraction(1, 2) + Fraction(1, 2**20))
    norm = length([*map(Fraction, row[0].tolist())])
    assert norm > 1
    assert 2 * half * norm**2 <= Fraction(FloatBalls.exactly(row).gram().radius[0, 0])
