"""What a sampler accepts by the order of matrices, their pivots or a trace is decided for the ideal matrices.

A proposal that is kept against its probability gives noise of another law. Exact matrices have answers of their own,
which floats and balls must find or leave open; matrices of which less is known than what decides must be left open.
Nothing is statistical.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness import dominance
from dpmatrix.randomness.dominance import decided_in_balls, decided_in_floats, sum_dominates
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy_entries import LazyRationals
from dpmatrix.randomness.lazy_matrices import LazyWishart
from dpmatrix.randomness.lazy_traces import CoupledTraces
from dpmatrix.randomness.small_matrices import columns_of, pivots, trace_of_solution

# The order of matrices


def turn(size: int, seed: int) -> fmpq_mat:
    """Return a rational rotation: Cayley's transform of a skew matrix."""
    entries = np.random.default_rng(seed).integers(-5, 6, (size, size))
    skew = fmpq_mat(size, size, [fmpq(int(entries[i, j] - entries[j, i]), 7) for i in range(size) for j in range(size)])
    one = fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
    return (one - skew) * (one + skew).inv()


def pair(rest: list[fmpq], difference: list[int], seed: int, unit: fmpq) -> tuple[fmpq_mat, fmpq_mat]:
    """Return P = N_+ + R and Q = N_- + R, so that P + Q - |P - Q| = 2 R, all in one turned frame."""
    size = len(rest)
    frame = turn(size, seed)

    def turned(values: list[fmpq]) -> fmpq_mat:
        diagonal = [values[i] * unit if i == j else fmpq(0) for i in range(size) for j in range(size)]
        return frame * fmpq_mat(size, size, diagonal) * frame.transpose()

    return (
        turned([own + max(value, 0) for own, value in zip(rest, difference, strict=True)]),
        turned([own - min(value, 0) for own, value in zip(rest, difference, strict=True)]),
    )


def cases(size: int) -> Iterator[tuple[fmpq, tuple[fmpq_mat, fmpq_mat]]]:
    """List least eigenvalues of what remains, from 1 to 2**-100 of either sign, and pairs that have them."""
    differences = [[3, -2, 1], [2, 5, 1], [-7, -1, -3], [1000, -1, 0]]
    for place in range(size):
        for number, power in enumerate((0, 3, 10, 20, 24, 26, 30, 52, 60, 100)):
            for sign in (1, -1):
                rest = [fmpq(5 + other, 2) for other in range(size)]
                rest[place] = fmpq(sign, 2**power)
                unit = fmpq(2) ** (-40 + 30 * (number % 3))
                yield rest[place] * unit, pair(rest, differences[number % 4][:size], 10 * size + number, unit)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_order_of_exact_matrices_is_found_or_left_open(size: int) -> None:
    """In whichever order they come; balls of 400 bits find it where the difference has no eigenvalue twice."""
    found = dict.fromkeys(("floats", "balls"), 0)
    for least, (first, second) in cases(size):
        for left, right in ((first, second), (second, first)):
            floats = decided_in_floats(LazyRationals(left).approximate(), LazyRationals(right).approximate())
            with precision(400):
                balls = decided_in_balls(arb_mat(left), arb_mat(right))
            assert floats in (least > 0, None)
            assert balls in (least > 0, None)
            found["floats"] += floats is not None
            found["balls"] += balls is not None
    assert found["floats"] >= 10 * size
    assert found["balls"] >= 30 * size


@pytest.mark.parametrize("filtered", [True, False])
def test_the_order_is_that_of_the_ideal_matrices_with_the_filter_or_without(filtered: bool) -> None:
    for least, (first, second) in list(cases(2))[::7]:
        assert sum_dominates(LazyRationals(first), LazyRationals(second), filtered=filtered) is (least > 0)


@pytest.mark.parametrize("share", [1.01, 2.0, 100.0], ids=["hardly", "twice", "much"])
def test_what_less_is_known_of_than_decides_is_left_open(share: float) -> None:
    """P and Q may both be larger or smaller by the radius, which moves what remains by as much, to the other side."""
    for least, parts in cases(2):
        exact = [LazyRationals(part).approximate() for part in parts]
        wide = [FloatBalls(one.center, one.radius + np.eye(2) * share * abs(float(least))) for one in exact]
        assert decided_in_floats(*wide) is None
        for one in (0, 1):
            for value in (np.inf, np.nan):
                unknown = FloatBalls(exact[one].center, np.full((2, 2), value))
                assert decided_in_floats(*(unknown if place == one else exact[place] for place in (0, 1))) is None
        with precision(400):
            radius = arb(0, share * abs(float(least)))
            balls = [arb_mat(part) + arb_mat(2, 2, [radius, 0, 0, radius]) for part in parts]
            assert decided_in_balls(*balls) is None


@pytest.mark.parametrize("dimension", [2, 3])
def test_floats_agree_with_balls_about_random_pairs(dimension: int) -> None:
    """Pairs of either sampler, of which both answers occur."""
    entropy, answers = SeededEntropy(dimension), set()
    for _ in range(6):
        pairs = (
            CoupledTraces(dimension, entropy).parts(),
            tuple(LazyWishart(dimension, dimension + 1, Fraction(1, 3), entropy) for _ in range(2)),
        )
        for first, second in pairs:
            answer = sum_dominates(first, second, filtered=False)
            assert sum_dominates(first, second) is sum_dominates(second, first) is answer
            answers.add(answer)
    assert answers == {True, False}


def test_an_order_that_no_digits_tell_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """What remains is zero; a limit of 512 digits stands for the true one."""
    monkeypatch.setattr(dominance, "MOST_BITS", 512)
    for rest in ([fmpq(0)], [fmpq(1), fmpq(0)]):
        with pytest.raises(UndecidedError):
            sum_dominates(*(LazyRationals(part) for part in pair(rest, [3, -2][: len(rest)], 1, fmpq(1))))


# Pivots and traces


def exact_pivots(matrix: fmpq_mat) -> list[fmpq]:
    """Return quotients of the leading minors of Y'Y."""
    gram = matrix.transpose() * matrix
    size = gram.nrows()
    minors = [fmpq_mat(k, k, [gram[i, j] for i in range(k) for j in range(k)]).det() for k in range(1, size + 1)]
    return [minor / before for minor, before in zip(minors, [fmpq(1), *minors], strict=False)]


def exact_trace(matrix: fmpq_mat, image: fmpq_mat) -> fmpq:
    """Return tr (Y'Y)^-1 Y'M."""
    found = (matrix.transpose() * matrix).inv() * matrix.transpose() * image
    return sum((found[i, i] for i in range(found.nrows())), fmpq(0))


def rational(matrix: np.ndarray) -> fmpq_mat:
    """Take floats for the numbers that they are."""
    rows, columns = matrix.shape
    return fmpq_mat(rows, columns, [fmpq(*Fraction(entry).as_integer_ratio()) for entry in matrix.ravel().tolist()])


def inside(value: fmpq, balls: FloatBalls, place: int) -> bool:
    """Whether an entry encloses a number."""
    exact = Fraction(int(value.p), int(value.q))
    return abs(exact - Fraction(float(balls.center[place]))) <= Fraction(float(balls.radius[place]))


@pytest.mark.parametrize("radius", [0.0, 2.0**-40, 2.0**-12], ids=["exact", "narrow", "wide"])
@pytest.mark.parametrize("shape", [(1, 1), (4, 1), (3, 2), (5, 3), (6, 4)], ids=lambda shape: "{}-by-{}".format(*shape))
def test_pivots_and_traces_enclose_those_of_every_matrix_within(shape: tuple[int, int], radius: float) -> None:
    """Three matrices at once, and points at the corners of what is known of them."""
    (rows, columns), count = shape, 3
    generator = np.random.default_rng(rows)
    middle, image = (generator.integers(-40, 41, (count, rows, columns)) / 8 + np.eye(rows, columns) * 9 for _ in "ym")

    def balls(values: np.ndarray) -> list[FloatBalls]:
        flat = np.swapaxes(values, 1, 2).reshape(-1, rows)
        return columns_of(FloatBalls(flat, np.full_like(flat, radius)), columns)

    assert np.array_equal(np.stack([column.center for column in balls(middle)], axis=2), middle)
    found, trace = pivots(balls(middle)), trace_of_solution(balls(middle), balls(image))
    for _ in range(4):
        corners = [part + radius * generator.choice([-1, 1], part.shape) for part in (middle, image)]
        for place in range(count):
            matrix, other = (rational(part[place]) for part in corners)
            exact = exact_pivots(matrix)
            assert len(exact) == len(found)
            assert all(inside(value, pivot, place) for value, pivot in zip(exact, found, strict=True))
            assert inside(exact_trace(matrix, other), trace, place)
    assert max(float(pivot.radius.max()) for pivot in found) < 1e-10 + 2000 * radius, "and little more"
    assert float(trace.radius.max()) < 1e-10 + 2000 * radius
