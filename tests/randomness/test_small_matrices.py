"""Pivots and traces of many small matrices are those of exact rationals, and their radii are narrow."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.small_matrices import columns_of, pivots, trace_of_solution

SHAPES = [(1, 1), (3, 1), (2, 2), (4, 2), (4, 3), (6, 4)]


def some(seed: int, batch: int, size: int, count: int) -> np.ndarray:
    """Return matrices as rows of their columns, shape (n k, d), of floats in tenths."""
    return np.random.default_rng(seed).integers(-30, 31, (batch * count, size)) / 10


def exactly(matrix: np.ndarray) -> fmpq_mat:
    """Take floats for the rationals that they are."""
    exact = [[Fraction(float(entry)) for entry in row] for row in matrix]
    return fmpq_mat([[fmpq(entry.numerator, entry.denominator) for entry in row] for row in exact])


def number(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def check(balls: FloatBalls, place: int, exact: Fraction) -> None:
    """See that an entry holds a rational, in a ball that is narrow."""
    center, radius = Fraction(float(balls.center[place])), Fraction(float(balls.radius[place]))
    assert abs(exact - center) <= radius
    assert radius <= (1 + abs(exact)) / 10**7


@pytest.mark.parametrize(("size", "count"), SHAPES)
def test_rows_are_split_into_the_columns_of_each_matrix(size: int, count: int) -> None:
    rows = FloatBalls(some(1, 5, size, count), np.arange(5.0 * count * size).reshape(5 * count, size))
    columns = columns_of(rows, count)
    assert len(columns) == count
    for place, column in enumerate(columns):
        assert column.center.tolist() == [rows.center[matrix * count + place].tolist() for matrix in range(5)]
        assert column.radius.tolist() == [rows.radius[matrix * count + place].tolist() for matrix in range(5)]


@pytest.mark.parametrize(("size", "count"), SHAPES)
def test_pivots_are_quotients_of_determinants(size: int, count: int) -> None:
    """The determinants of the leading blocks of Y'Y, each over the one before."""
    batch = 6
    rows = some(2, batch, size, count)
    found = pivots(columns_of(FloatBalls.exactly(rows), count))
    assert [balls.shape for balls in found] == [(batch,)] * count
    for matrix in range(batch):
        y = exactly(rows[matrix * count : (matrix + 1) * count])
        gram = y * y.transpose()
        before = Fraction(1)
        for k in range(count):
            block = fmpq_mat([[gram[i, j] for j in range(k + 1)] for i in range(k + 1)])
            determinant = number(block.det())
            assert determinant > 0
            check(found[k], matrix, determinant / before)
            before = determinant


@pytest.mark.parametrize(("size", "count"), SHAPES)
def test_traces_are_those_of_exact_solutions(size: int, count: int) -> None:
    """``tr (Y'Y)^{-1} Y'M`` by rational elimination; M has nothing of Y: no symmetry hides a transposition."""
    batch = 6
    rows, image = some(2, batch, size, count), some(4, batch, size, count)
    columns = columns_of(FloatBalls.exactly(rows), count)
    found = trace_of_solution(columns, columns_of(FloatBalls.exactly(image), count))
    assert found.shape == (batch,)
    for matrix in range(batch):
        part = slice(matrix * count, (matrix + 1) * count)
        y, m = exactly(rows[part]), exactly(image[part])
        solution = (y * y.transpose()).solve(y * m.transpose())
        check(found, matrix, sum(number(solution[i, i]) for i in range(count)))


@pytest.mark.parametrize("seed", range(4))
def test_every_matrix_of_the_balls_is_within_the_result(seed: int) -> None:
    """Corners of wide balls, with signs at random."""
    size, count, batch = 4, 3, 3
    generator = np.random.default_rng(seed)
    rows, image = some(2, batch, size, count), some(4, batch, size, count)
    spreads = [generator.uniform(0, 1e-6, rows.shape) for _ in range(2)]
    columns, images = (
        columns_of(FloatBalls(center, spread), count) for center, spread in zip((rows, image), spreads, strict=True)
    )
    found, traces = pivots(columns), trace_of_solution(columns, images)
    for matrix in range(batch):
        part = slice(matrix * count, (matrix + 1) * count)
        y, m = (
            exactly(center[part] + generator.choice([-0.99, 0.99], (count, size)) * spread[part])
            for center, spread in zip((rows, image), spreads, strict=True)
        )
        gram = y * y.transpose()
        product = Fraction(1)
        for k in range(count):
            block = fmpq_mat([[gram[i, j] for j in range(k + 1)] for i in range(k + 1)])
            center, radius = Fraction(float(found[k].center[matrix])), Fraction(float(found[k].radius[matrix]))
            assert abs(number(block.det()) / product - center) <= radius
            product = number(block.det())
        solution = gram.solve(y * m.transpose())
        exact = sum(number(solution[i, i]) for i in range(count))
        assert abs(exact - Fraction(float(traces.center[matrix]))) <= Fraction(float(traces.radius[matrix]))
