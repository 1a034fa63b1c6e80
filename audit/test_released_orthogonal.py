"""Symmetric Gaussian noise is calibrated for the greatest change of its numbers, and is what its integers make of it.

The greatest change is searched for over all records of a coarse lattice, and the noise is written out in fractions.
Nothing is statistical.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import GaussianOrthogonal, gaussian_orthogonal
from dpmatrix.mechanisms.gaussian import least_variance
from dpmatrix.privacy import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise

REPLACED, ADDED = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
DELTA = Fraction(1, 1000)
both = pytest.mark.parametrize("adjacency", [REPLACED, ADDED], ids=lambda one: one.value)


def made(adjacency: Adjacency, **more: Any) -> GaussianOrthogonal:
    return GaussianOrthogonal(1, adjacency, delta=DELTA, **more)


def numbers_of(record: tuple[int, ...], most: int, adjacency: Adjacency) -> list[int]:
    """Return all products of two coordinates, and what the square of the length lacks to the greatest one."""
    products = [first * second for first in record for second in record]
    return products + ([most - sum(one * one for one in record)] if adjacency is REPLACED else [])


def greatest_change(dimension: int, most: int, adjacency: Adjacency) -> int:
    """Search all integer records whose squared length is at most so much for the greatest sum of squared changes."""
    reach = range(-most, most + 1)
    records = [one for one in product(reach, repeat=dimension) if sum(x * x for x in one) <= most]
    numbers = [numbers_of(one, most, adjacency) for one in records]
    others = numbers if adjacency is REPLACED else [[0] * dimension**2]
    return max(sum((a - b) ** 2 for a, b in zip(one, two, strict=True)) for one in numbers for two in others)


@both
@pytest.mark.parametrize(("dimension", "most"), [(2, 1), (2, 4), (2, 5), (3, 1), (3, 2)])
def test_the_variance_is_that_for_the_greatest_change_of_all_numbers(
    adjacency: Adjacency, dimension: int, most: int
) -> None:
    """The bound on the norm is the root of so many units, from one digit after the point and from none."""
    change, count = greatest_change(dimension, most, adjacency), dimension**2 + (adjacency is REPLACED)
    for bits in (0, 1):
        bound = Fraction(most + Fraction(1, 2), 4**bits)
        root = Fraction(int(1000 * float(bound) ** 0.5), 1000)
        assert int(root**2 * 4**bits) == most
        mechanism = made(adjacency, norm_bound=root, coordinate_bits=bits)
        assert mechanism.noise_variance(dimension) == least_variance(change, mechanism.guarantee, count)


@both
def test_where_no_record_changes_a_number_there_is_noise_all_the_same(adjacency: Adjacency) -> None:
    mechanism = made(adjacency, norm_bound=Fraction(1, 3), coordinate_bits=1)
    count = 4 + (adjacency is REPLACED)
    assert mechanism.noise_variance(2) == least_variance(1, mechanism.guarantee, count)


def noise_of(drawn: list[int], dimension: int, adjacency: Adjacency) -> list[list[Fraction]]:
    """Write the noise out: means of two entries, and on the diagonal less the mean of d + 1 numbers."""
    square = [drawn[row * dimension : (row + 1) * dimension] for row in range(dimension)]
    sides = range(dimension)
    found = [[Fraction(square[row][column] + square[column][row], 2) for column in sides] for row in sides]
    if adjacency is REPLACED:
        mean = Fraction(sum(square[row][row] for row in sides) + drawn[dimension**2], dimension + 1)
        for row in sides:
            found[row][row] -= mean
    return found


@both
@pytest.mark.parametrize("dimension", [1, 2, 4])
@pytest.mark.parametrize("bits", [1, 20, 27, 29, 31])
def test_a_release_is_the_sum_of_the_records_and_the_noise_of_its_bits(
    adjacency: Adjacency, dimension: int, bits: int
) -> None:
    """On lattices so fine that sums need more than 64 bits as well, to the last unit of the grid."""
    data = (np.arange(3 * dimension).reshape(3, dimension) % 5 - 2) / (4.0 * dimension)
    units = np.trunc(data * 2**bits).astype(object).astype(int)
    mechanism = made(adjacency, coordinate_bits=bits, divisor=6)
    for seed in range(3):
        release = mechanism.release(data, entropy=SeededEntropy(seed))
        count = dimension**2 + (adjacency is REPLACED)
        drawn = discrete_gaussian_noise(mechanism.noise_variance(dimension), count, SeededEntropy(seed))
        noise = noise_of(drawn, dimension, adjacency)
        for row, column in product(range(dimension), repeat=2):
            total = sum(int(record[row]) * int(record[column]) for record in units)
            expected = (total + noise[row][column]) / (6 * 4**bits)
            assert int(release.integers[row, column]) * release.grid == expected


def test_one_number_and_what_it_lacks_may_both_be_near_the_end_of_64_bits() -> None:
    """Twice their difference needs more, where neither does and three times the larger one does not."""
    mechanism = GaussianOrthogonal(Fraction(1, 2), REPLACED, delta=DELTA, coordinate_bits=29)
    variance, beyond = mechanism.noise_variance(1), 0
    for seed in range(300):
        entry, last = discrete_gaussian_noise(variance, 2, SeededEntropy(seed))
        if 3 * max(abs(entry), abs(last)) < 2**63 <= 2 * abs(entry - last):
            beyond += 1
            release = mechanism.release([[0.0]], entropy=SeededEntropy(seed))
            assert int(release.integers[0, 0]) == 2 * (entry - last)
    assert beyond > 3


@pytest.mark.parametrize(
    ("values", "factor", "wide"),
    [
        ([2**61, 5], 4, True),
        ([2**61 - 1, 5], 4, False),
        ([-(2**61), 5], 4, True),
        ([1 - 2**61, 5], 4, False),
        ([2**62 - 1, -7], 2, False),
        ([2**62, -7], 2, True),
        ([3, -(2**62)], 2, True),
        ([2**62, 2**62 + 1], 1, False),
        ([-(2**63), -(2**63)], 1, True),
    ],
)
def test_integers_are_those_of_python_where_a_multiple_may_need_64_bits(
    values: list[int], factor: int, wide: bool
) -> None:
    given = np.array(values, dtype=np.int64)
    found = gaussian_orthogonal._widened(given, factor)
    assert (found.dtype == object) is wide
    assert found.tolist() == values


@both
def test_sums_of_parts_make_the_release_of_the_whole(adjacency: Adjacency) -> None:
    """Records that are summed elsewhere are truncated to the same lattice."""
    data = np.array([[0.5, -0.25, 0.1], [0.3, 0.7, -0.6], [-0.125, 0.1, 0.9]])
    for bits in (3, 20):
        mechanism = made(adjacency, coordinate_bits=bits)
        whole = mechanism.release(data, entropy=SeededEntropy(2))
        parts = [mechanism.partial_gram([part], 3) for part in (data[:1], data[1:])]
        again = mechanism.release_blocks(parts, 3, entropy=SeededEntropy(2))
        assert np.array_equal(whole.integers, again.integers)
        assert whole.grid == again.grid


@both
def test_a_mechanism_with_noise_is_changed_only_to_parameters_of_their_domains(adjacency: Adjacency) -> None:
    mechanism = made(adjacency)
    assert mechanism.noise_variance(2) > 0
    for name, wrong in (
        *(("delta", one) for one in (0, 1, -0.1, None)),
        *(("coordinate_bits", one) for one in (-1, 513, 1.5, None)),
    ):
        with pytest.raises(InvalidParameterError, match=f"^{name}: "):
            evolve(mechanism, **{name: wrong})
    anything: Any = GaussianOrthogonal
    with pytest.raises(TypeError):
        anything(1, adjacency, 20, delta=DELTA)
