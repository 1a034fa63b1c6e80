"""Wishart noise is its normal factor times the transpose, for the ideal reals of the digits that were drawn.

The noise of the Wishart mechanisms is a difference of such matrices. One column less, or a digit that two matrices
share, and densities of neighbours have no bounded ratio. Nothing is statistical.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import mpmath
import numpy as np
import pytest

from audit.test_released_reals import BITS, as_mpf, holds, uniform
from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyNormals
from dpmatrix.randomness.lazy_grams import StandardWisharts

SIZES = [(1, 1, 1), (2, 1, 3), (2, 3, 4), (3, 2, 5), (2, 4, 2)]


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mpmath.workprec(2 * BITS):
        yield


def normals_of(normals: LazyNormals, count: int) -> list[Any]:
    """Return normal variates by Box and Muller's transform of the digits."""
    found: list[Any] = []
    for pair in range((count + 1) // 2):
        length = mpmath.sqrt(-2 * mpmath.log(uniform(normals.radial, pair)))
        angle = 2 * mpmath.pi * uniform(normals.angular, pair)
        found += [length * mpmath.cos(angle), length * mpmath.sin(angle)]
    return found[:count]


@pytest.mark.parametrize(("count", "dimension", "degrees"), SIZES)
def test_each_matrix_is_a_factor_of_its_own_times_the_transpose(count: int, dimension: int, degrees: int) -> None:
    """The factors come one after the other, row by row, from the digits of the source."""
    for seed in range(3):
        together = StandardWisharts(count, dimension, degrees, SeededEntropy(seed))
        alone = LazyNormals((count, dimension, degrees), SeededEntropy(seed))
        assert np.array_equal(together.normals.approximate().center, alone.approximate().center)
        parts = together.parts()
        assert len(parts) == count
        numbers = normals_of(alone, count * dimension * degrees)
        for place, part in enumerate(parts):
            rows = [numbers[start : start + degrees] for start in range(0, len(numbers), degrees)]
            own = rows[place * dimension : (place + 1) * dimension]
            first = part.approximate()
            expected = [mpmath.fdot(row, column) for row in own for column in own]
            for value, center, radius in zip(expected, first.center.flat, first.radius.flat, strict=True):
                assert abs(mpmath.mpf(float(center)) - value) <= radius < 1e-10


@pytest.mark.parametrize(("count", "dimension", "degrees"), SIZES)
def test_balls_hold_the_products_of_the_digits(count: int, dimension: int, degrees: int) -> None:
    """With four hundred digits of each variate, the entries that are asked for, in any order."""
    together = StandardWisharts(count, dimension, degrees, SeededEntropy(7))
    for place, part in enumerate(together.parts()):
        part.refine(BITS, range(dimension**2))
        whole = normals_of(together.normals, count * dimension * degrees)
        own = whole[place * dimension * degrees : (place + 1) * dimension * degrees]
        rows = [own[start : start + degrees] for start in range(0, len(own), degrees)]
        holds(part, [mpmath.fdot(row, column) for row in rows for column in rows])
        with precision(BITS):
            trace = part.trace()
        assert as_mpf(trace.rad()) < mpmath.mpf(2) ** -200
        assert abs(as_mpf(trace) - mpmath.fsum(value**2 for value in own)) < mpmath.mpf(2) ** -200


def test_digits_are_drawn_for_the_rows_of_an_entry_alone() -> None:
    """Two numbers a row make one pair each, so that the pairs are the rows of all factors."""
    for place, entry, rows in ((0, 1, {0, 1}), (1, 1, {3, 4}), (1, 4, {4}), (0, 6, {0, 2}), (2, 8, {8})):
        together = StandardWisharts(3, 3, 2, SeededEntropy(1))
        together.parts()[place].refine(200, [entry])
        for uniforms in (together.normals.radial, together.normals.angular):
            assert {row for row in range(9) if uniforms.digits(row)[1] == 200} == rows


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((0, 1, 1), "count"), ((1, 0, 1), "dimension"), ((1, 1, 0), "degrees"), ((1, -1, 1), "dimension")],
)
def test_numbers_below_one_are_refused(arguments: tuple[int, int, int], name: str) -> None:
    """No matrix is made without a row, a column or a place."""
    with pytest.raises(InvalidParameterError, match=f"^{name}: "):
        StandardWisharts(*arguments, SeededEntropy(0))


def test_a_child_of_the_process_reads_nothing() -> None:
    """Neither what was enclosed before the fork nor what was not."""
    fresh, seen = (StandardWisharts(1, 2, 3, SeededEntropy(0)).parts()[0] for _ in range(2))
    seen.approximate()
    child = os.fork()
    if child == 0:
        refused = 0
        for part in (fresh, seen):
            for read in (part.approximate, lambda one=part: one.enclose([0]), part.trace):
                try:
                    read()
                except EntropyError:
                    refused += 1
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 6
