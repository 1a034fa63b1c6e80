"""Known matrices, triangles and compressions as lazy reals: the entries that they stand for, recomputed one by one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import precision
from dpmatrix.randomness.compressed import LazyBoxSlack, LazyNormalisedProduct
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyNormals, LazyReals
from dpmatrix.randomness.lazy_entries import LazyMultiples, LazyRationals, LazyUpperTriangle

U = 2.0**-53


def check(reals: LazyReals, exact: Sequence[arb], narrow: float) -> None:
    """Compare both enclosures of all entries with numbers that are known to many more digits, and see them narrow."""
    count = int(np.prod(reals.shape))
    assert len(exact) == count
    balls = reals.approximate()
    assert balls.shape == reals.shape
    with precision(128):
        enclosed = reals.enclose(range(count))
    with precision(400):
        for value, ball, center, radius in zip(
            exact, enclosed, balls.center.ravel().tolist(), balls.radius.ravel().tolist(), strict=True
        ):
            assert abs(value - arb(center)) <= arb(radius) * (1 + arb(2) ** -40)
            assert radius <= narrow
            assert value.overlaps(ball)
            assert ball.rad() <= arb(2) ** -60
        if count > 1:
            # Each entry by itself, and in another order.
            backwards = reals.enclose(range(count - 1, -1, -1))
            assert all(value.overlaps(ball) for value, ball in zip(exact[::-1], backwards, strict=True))


def number(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def test_a_rational_matrix_is_itself() -> None:
    entries = [Fraction(k * k - 5, 7 + k) for k in range(6)]
    values = fmpq_mat(2, 3, [fmpq(entry.numerator, entry.denominator) for entry in entries])
    with precision(400):
        exact = [number(entry) for entry in entries]
    check(LazyRationals(values), exact, 1e-14)
    reals = LazyRationals(values)
    assert reals.shape == (2, 3)
    for place, (center, radius) in enumerate(
        zip(reals.approximate().center.ravel(), reals.approximate().radius.ravel(), strict=True)
    ):
        assert center == float(entries[place])
        assert radius == pytest.approx(U * abs(center), rel=1e-12)


@pytest.mark.parametrize("dtype", [np.int64, object])
@pytest.mark.parametrize("unit", [Fraction(1, 8), Fraction(3, 7), Fraction(10**12)])
def test_integers_in_units_are_their_products(dtype, unit: Fraction) -> None:
    """Integers of 63 bits are rounded to floats: three roundings, and one or two for a unit that is no float."""
    integers = [[3, -(2**62) - 1, 0], [2**53 + 1, 7, -(10**18)]]
    reals = LazyMultiples(np.array(integers, dtype=dtype), unit)
    with precision(400):
        exact = [number(entry * unit) for row in integers for entry in row]
    check(reals, exact, float(2**65 * unit) * U)
    assert reals.shape == (2, 3)
    least = 1 if dtype is object else 3
    most = 5 if dtype is not object and unit == Fraction(3, 7) else least
    balls = reals.approximate()
    for center, radius in zip(balls.center.ravel(), balls.radius.ravel(), strict=True):
        assert least * U * abs(center) <= radius <= most * U * abs(center) * (1 + 1e-9) + 1e-300


def test_integers_beyond_floats_are_left_to_balls() -> None:
    reals = LazyMultiples(np.array([[10**400, 1]], dtype=object), Fraction(1, 3))
    assert np.isinf(reals.approximate().radius).tolist() == [[True, False]]
    with precision(2000):
        assert reals.enclose([0])[0].overlaps(arb(10**400) / 3)


def test_an_upper_triangle_has_the_entries_on_and_above_the_diagonal() -> None:
    values = np.arange(1, 10).reshape(3, 3)
    triangle = LazyUpperTriangle(LazyMultiples(values, Fraction(1)))
    assert triangle.shape == (6,)
    assert [place.tolist() for place in triangle.places] == [[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    assert triangle.approximate().center.tolist() == [1, 2, 3, 5, 6, 9]
    assert triangle.approximate().shape == (6,)
    assert triangle.enclose(range(6)) == [1, 2, 3, 5, 6, 9]
    assert triangle.enclose([5, 3]) == [9, 5]


@pytest.mark.parametrize(("entry", "pair"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 4)])
def test_an_entry_of_a_triangle_is_refined_where_it_stands(entry: int, pair: int) -> None:
    normals = LazyNormals((3, 3), SeededEntropy(1))
    LazyUpperTriangle(normals).refine(100, [entry])
    assert [normals.radial.digits(index)[1] for index in range(5)] == [100 if k == pair else 64 for k in range(5)]


ROWS, COLUMNS, SIZE = 4, 3, 2
DATA = np.array([[1.0, -2.0], [0.5, 3.0], [2.0, 0.25]])
NORMS = tuple(fmpq(int(16 * square), 16) for square in (DATA**2).sum(axis=0))
CENTRE = fmpq_mat([[fmpq(3, 2), fmpq(1, 7)], [fmpq(-2, 3), fmpq(5, 4)]])
"""It is not symmetric, so that rows and columns are told apart."""


def compression(bits: int) -> tuple[LazyNormalisedProduct, list[list[arb]]]:
    """Return a compression, and its entries computed by hand at 400 bits from the digits that it knows."""
    normals = LazyNormals((ROWS, COLUMNS), SeededEntropy(2))
    output = LazyNormalisedProduct(normals, DATA, NORMS)
    output.refine(bits, range(ROWS * SIZE))
    with precision(400):
        z = normals.enclose(range(ROWS * COLUMNS))
        columns = [[arb(float(DATA[k, j])) for k in range(COLUMNS)] for j in range(SIZE)]
        norms = [sum((entry**2 for entry in column), arb(0)).sqrt() for column in columns]
        values = [
            [sum((z[i * COLUMNS + k] * columns[j][k] for k in range(COLUMNS)), arb(0)) / norms[j] for j in range(SIZE)]
            for i in range(ROWS)
        ]
    return output, values


def test_the_columns_of_a_compression_are_those_of_data_of_norm_one() -> None:
    output, values = compression(300)
    assert output.shape == (ROWS, SIZE)
    check(output, [entry for row in values for entry in row], 1e-13)


@pytest.mark.parametrize("entry", range(ROWS * SIZE))
def test_an_entry_of_a_compression_has_the_digits_of_its_row(entry: int) -> None:
    normals = LazyNormals((ROWS, COLUMNS), SeededEntropy(3))
    LazyNormalisedProduct(normals, DATA, NORMS).refine(100, [entry])
    row = entry // SIZE
    needed = {index // 2 for index in range(row * COLUMNS, (row + 1) * COLUMNS)}
    known = {index for index in range(6) if normals.radial.digits(index)[1] == 100}
    assert known >= needed


def test_the_slack_of_a_box_is_the_radius_less_and_plus_the_difference() -> None:
    """All entries below the centre first, and then all above, row by row."""
    output, values = compression(300)
    slack = LazyBoxSlack(output, CENTRE, lambda: arb(fmpq(11, 10)))
    assert slack.shape == (2, SIZE, SIZE)
    with precision(400):
        exact = []
        for sign in (-1, 1):
            for j in range(SIZE):
                for k in range(SIZE):
                    gram = sum((row[j] * row[k] for row in values), arb(0)) / ROWS
                    exact.append(arb(fmpq(11, 10)) + sign * (gram - arb(CENTRE[j, k])))
    # The ball of the radius is made at the working precision, and all others are as narrow.
    check(slack, exact, 1e-13)


def test_a_slack_needs_the_digits_of_every_normal() -> None:
    normals = LazyNormals((ROWS, COLUMNS), SeededEntropy(4))
    slack = LazyBoxSlack(LazyNormalisedProduct(normals, DATA, NORMS), CENTRE, lambda: arb(1))
    slack.refine(90, [3])
    assert {normals.radial.digits(index)[1] for index in range(6)} == {90}
    assert {normals.angular.digits(index)[1] for index in range(6)} == {90}
