"""Random reals are made of digits that are drawn once and stay, and what is said of them holds for the ideal ones.

Noise is rounded from enclosures. One that misses the ideal real gives noise of another law, and a digit that two
variates share, or that is drawn again, makes them dependent. Enclosures in floats and in balls are held against what
mpmath computes from the digits that the source gave. Nothing is statistical.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness.compressed import LazyBoxSlack, LazyNormalisedProduct
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyExponentials, LazyFunction, LazyNormals, LazyReals, LazyUniforms
from dpmatrix.randomness.lazy_entries import LazyMultiples, LazyRationals, LazyUpperTriangle
from dpmatrix.randomness.lazy_traces import CoupledTraces, LazyPart

BITS = 400
"""Digits of each uniform variate by which a real is known here."""


@pytest.fixture(autouse=True)
def _digits() -> Any:
    with mpmath.workprec(2 * BITS):
        yield


class Noted(SeededEntropy):
    """Bits of a seed, in the order in which they were given."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.log: list[Any] = []

    def bits(self, count: int) -> int:
        """Give bits."""
        self.log.append((count, super().bits(count)))
        return int(self.log[-1][1])

    def words(self, count: int) -> Any:
        """Give words."""
        found = super().words(count)
        self.log.append(found.tolist())
        return found


def as_mpf(value: arb) -> Any:
    """Return the middle of a ball, exactly."""
    mantissa, exponent = value.mid().man_exp()
    return mpmath.mpf(int(mantissa)) * mpmath.mpf(2) ** int(exponent)


def holds(reals: LazyReals, expected: Sequence[Any], width: float = 2.0**-40) -> None:
    """Make sure that floats and balls enclose what is expected, that they are narrow, and entries are told apart."""
    before = reals.approximate()
    size = len(expected)
    reals.refine(BITS, range(size))
    for floats in (before, reals.approximate()):
        assert floats.shape == reals.shape
        for value, center, radius in zip(expected, floats.center.flat, floats.radius.flat, strict=True):
            assert abs(mpmath.mpf(float(center)) - value) <= mpmath.mpf(float(radius)) + mpmath.mpf(2) ** -200
            assert radius <= width * (1 + abs(center)) or width == np.inf
    with precision(BITS):
        balls = reals.enclose(range(size))
        some = [size - 1, 0, *range(size // 2)]
        again = reals.enclose(some)
    for value, ball in zip([*expected, *(expected[place] for place in some)], [*balls, *again], strict=True):
        radius = as_mpf(ball.rad())
        assert abs(as_mpf(ball) - value) <= radius + mpmath.mpf(2) ** -300
        assert radius < mpmath.mpf(2) ** -200


def uniform(uniforms: LazyUniforms, place: int) -> Any:
    """Return a uniform variate by the first digits of it, and half of the next one."""
    uniforms.refine(BITS, [place])
    known, bits = uniforms.digits(place)
    return mpmath.mpf(2 * known + 1) / mpmath.mpf(2) ** (bits + 1)


# Digits


def test_every_digit_is_drawn_once_for_one_variate_and_stays() -> None:
    source = Noted(3)
    found = LazyUniforms((2, 3), source)
    (words,) = source.log
    known = {place: (word, 64) for place, word in enumerate(words)}
    assert found.words().tolist() == words
    for bits, entries in ((60, [0, 5]), (64, [1]), (65, [1, 3]), (100, [3, 4]), (100, [3]), (200, [4, 1]), (90, [4])):
        before = len(source.log)
        found.refine(bits, entries)
        drawn = iter(source.log[before:])
        for place in entries:
            digits, have = known[place]
            if have < bits:
                count, fresh = next(drawn)
                assert count == bits - have
                known[place] = (digits << count | fresh, bits)
        assert not list(drawn)
        assert [found.digits(place) for place in range(6)] == [known[place] for place in range(6)]
        floats, order = found.approximate(), [5, 0, 4, 1, 3, 2]
        with precision(BITS):
            balls = found.enclose(order)
        for ball, place in zip(balls, order, strict=True):
            digits, have = known[place]
            middle, spread = as_mpf(ball), as_mpf(ball.rad())
            assert middle - spread <= mpmath.mpf(digits) / 2**have
            assert middle + spread >= mpmath.mpf(digits + 1) / 2**have
            assert spread <= mpmath.mpf(2) ** -(have + 1) * 1.000001
            center, radius = Fraction(floats.center.flat[place]), Fraction(floats.radius.flat[place])
            assert center - radius <= Fraction(digits, 2**have) < Fraction(digits + 1, 2**have) <= center + radius
            assert radius <= Fraction(1, 2**52)
    for shape in ((), (-1,), (2, -1)):
        with pytest.raises(InvalidParameterError):
            LazyUniforms(shape, source)


@pytest.mark.parametrize(
    "use",
    [
        lambda reals: reals.approximate(),
        lambda reals: reals.enclose([0]),
        lambda reals: reals.refine(100, [0]),
        lambda reals: reals.refine(3, [0]),
    ],
    ids=["floats", "balls", "digits", "no-digits"],
)
@pytest.mark.parametrize(
    "build",
    [
        lambda source: LazyUniforms((3,), source),
        lambda source: LazyExponentials((3,), source),
        lambda source: LazyNormals((3,), source),
        lambda source: CoupledTraces(2, source).parts()[0],
    ],
    ids=["uniforms", "exponentials", "normals", "traces"],
)
def test_a_child_makes_nothing_of_the_digits_of_its_parent(
    build: Callable[[Any], LazyReals], use: Callable[[LazyReals], object]
) -> None:
    reals = build(SeededEntropy(1))
    reals.approximate()
    child = os.fork()
    if child == 0:
        try:
            use(reals)
        except EntropyError:
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    use(reals)


# Functions of digits


@pytest.mark.parametrize("shape", [(5,), (2, 3), (1,), (4, 1)])
def test_exponential_and_normal_variates_are_those_of_their_uniforms(shape: tuple[int, ...]) -> None:
    """Two normal variates to a pair of uniforms of their own, and no uniform in two pairs."""
    size = int(np.prod(shape))
    exponentials = LazyExponentials(shape, SeededEntropy(size))
    holds(exponentials, [-mpmath.log(uniform(exponentials.uniforms, place)) for place in range(size)])
    source = Noted(size)
    normals = LazyNormals(shape, source)
    words = [word for drawn in source.log for word in drawn]
    assert len(set(words)) == len(words) == 2 * -(-size // 2)
    assert [*normals.radial.words().tolist(), *normals.angular.words().tolist()] == words
    expected = []
    for place in range(size):
        turn = (mpmath.cospi, mpmath.sinpi)[place % 2]
        length = mpmath.sqrt(-2 * mpmath.log(uniform(normals.radial, place // 2)))
        expected.append(length * turn(2 * uniform(normals.angular, place // 2)))
    holds(normals, expected)
    again = LazyNormals(shape, SeededEntropy(size))
    again.refine(70, [size - 1])
    assert again.radial.digits((size - 1) // 2)[1] == again.angular.digits((size - 1) // 2)[1] == 70
    assert size < 3 or again.radial.digits(0)[1] == again.angular.digits(0)[1] == 64, "no other one"


def test_matrices_of_which_everything_is_known_are_what_they_are() -> None:
    values = [fmpq(1, 3), fmpq(-(10**30), 7), fmpq(0), fmpq(1, 10**20), fmpq(5), fmpq(2**80 + 1)]
    expected = [mpmath.mpf(int(value.p)) / int(value.q) for value in values]
    holds(LazyRationals(fmpq_mat(2, 3, values)), expected)
    for integers in ([[3, -(2**62) - 1, 0], [1, 2**53 + 1, -7]], [[3, 2**70 + 1, 0], [1, -(2**64), -7]]):
        for unit in (Fraction(1, 3), Fraction(2**80, 7), Fraction(1, 2**30)):
            kind = np.int64 if max(map(abs, integers[0])) < 2**63 else object
            products = [mpmath.mpf(entry) * unit.numerator / unit.denominator for row in integers for entry in row]
            multiples = LazyMultiples(np.array(integers, dtype=kind), unit)
            for place, value in enumerate(products):
                with precision(BITS):
                    (ball,) = multiples.enclose([place])
                assert abs(as_mpf(ball) - value) <= as_mpf(ball.rad()) + abs(value) * mpmath.mpf(2) ** -500
                floats = multiples.approximate()
                center, radius = (mpmath.mpf(float(part.flat[place])) for part in (floats.center, floats.radius))
                assert abs(center - value) <= radius <= abs(value) * mpmath.mpf(2) ** -48 + mpmath.mpf(2) ** -900
    square = fmpq_mat(3, 3, [fmpq(place, 3) for place in range(9)])
    triangle = LazyUpperTriangle(LazyRationals(square))
    holds(triangle, [mpmath.mpf(place) / 3 for place in (0, 1, 2, 4, 5, 8)])
    normals = LazyNormals((3, 3), SeededEntropy(1))
    LazyUpperTriangle(normals).refine(80, [5])
    assert [normals.radial.digits(pair)[1] for pair in range(5)] == [64, 64, 64, 64, 80]


def test_a_function_of_reals_is_evaluated_with_as_many_digits_as_were_asked_for() -> None:
    asked: list[int] = []
    found = LazyFunction((1, 2), lambda: arb_mat(1, 2, [3, 4]), asked.append)
    assert np.isinf(found.approximate().radius).all()
    found.refine(70, [0])
    assert asked == [70]
    assert found.enclose([1, 0]) == [4, 3]


# Compressions, and coupled traces


def normals_of(normals: LazyNormals) -> np.ndarray:
    """Return a matrix of normal variates, as mpmath knows them."""
    size = int(np.prod(normals.shape))
    normals.refine(BITS, range(size))
    with precision(BITS):
        return np.array([as_mpf(ball) for ball in normals.enclose(range(size))], dtype=object).reshape(normals.shape)


def test_a_compression_is_the_product_with_normalised_columns() -> None:
    data = np.array([[0.5, -0.25, 1.0], [0.125, 3.0, 0.0]])
    squares = tuple(fmpq(int(64 * (column @ column)), 64) for column in data.T)
    normals = LazyNormals((4, 2), SeededEntropy(2))
    output = LazyNormalisedProduct(normals, data, squares)
    norms = [mpmath.sqrt(mpmath.mpf(int(square.p)) / int(square.q)) for square in squares]
    values = normals_of(normals) @ np.array([[mpmath.mpf(float(entry)) for entry in row] for row in data])
    values = values / np.array(norms, dtype=object)
    holds(output, list(values.ravel()))
    centre = fmpq_mat(3, 3, [fmpq(place, 7) for place in range(9)])
    slack = LazyBoxSlack(output, centre, lambda: arb(3).sqrt())
    difference = values.T @ values / 4 - np.array([[mpmath.mpf(3 * i + j) / 7 for j in range(3)] for i in range(3)])
    root = mpmath.sqrt(3)
    holds(slack, [*(root - difference).ravel(), *(root + difference).ravel()])
    fresh = LazyNormals((4, 2), SeededEntropy(3))
    LazyBoxSlack(LazyNormalisedProduct(fresh, data, squares), centre, lambda: arb(1)).refine(90, [0])
    assert {fresh.radial.digits(pair)[1] for pair in range(4)} == {90}
    partial = LazyNormals((4, 2), SeededEntropy(3))
    LazyNormalisedProduct(partial, data, squares).refine(90, [4])
    assert [partial.radial.digits(pair)[1] for pair in range(4)] == [64, 90, 64, 64]


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_coupled_traces_are_those_of_two_wishart_matrices_and_an_exponential_variate(dimension: int) -> None:
    """The larger trace is half of both, and the coin of the source says whose it is; no digit serves twice."""
    coins, count = set(), dimension * dimension
    for seed in range(6):
        source = Noted(seed)
        pair = CoupledTraces(dimension, source)
        words = [word for drawn in source.log if isinstance(drawn, list) for word in drawn]
        assert len(set(words)) == len(words)
        ((one, coin),) = [drawn for drawn in source.log if not isinstance(drawn, list)]
        assert one == 1
        coins.add(coin)
        pair.refine(BITS)
        with precision(BITS):
            first, second = ([as_mpf(ball) for ball in matrix.enclose(range(count))] for matrix in pair.matrices)
            (exponential,) = (as_mpf(ball) for ball in pair.exponential.enclose([0]))
        assert exponential == pytest.approx(float(-mpmath.log(uniform(pair.exponential.uniforms, 0))))
        traces = [sum(matrix[:: dimension + 1]) for matrix in (first, second)]
        half = sum(traces) / 2
        shrunk = half * mpmath.exp(-exponential * 2 / (dimension * (dimension + 1)))
        expected = ([entry * half / traces[0] for entry in first], [entry * shrunk / traces[1] for entry in second])
        parts = CoupledTraces(dimension, SeededEntropy(seed)).parts()
        for part, values in zip(parts, expected[::-1] if coin else expected, strict=True):
            holds(part, values)
    assert coins == {0, 1}
    with pytest.raises(InvalidParameterError):
        LazyPart(CoupledTraces(dimension, SeededEntropy(1)), 2)
    with pytest.raises(InvalidParameterError):
        CoupledTraces(0, SeededEntropy(1))


@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
def test_coupled_traces_draw_all_that_they_are_made_of_from_their_source(dimension: int) -> None:
    """Two Wishart matrices of one degree of freedom more than they have rows, an exponential variate, and a coin."""
    for seed in range(4):
        pair, source = CoupledTraces(dimension, SeededEntropy(seed)), SeededEntropy(seed)
        normals = LazyNormals((2, dimension, dimension + 1), source).approximate().center
        for matrix, factor in zip(pair.matrices, normals, strict=True):
            assert np.allclose(matrix.approximate().center, factor @ factor.T, rtol=1e-12)
        exponential = LazyExponentials((1,), source)
        assert np.array_equal(pair.exponential.uniforms.words(), exponential.uniforms.words())
        assert pair.coin == source.bits(1)
