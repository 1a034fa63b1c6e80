"""The steps of an exact sum: how many records a block has, where one product is believed, and what a sum remembers.

That a sum is that of integers rests on these steps: a block has so few rows that no partial sum outgrows a double, a
product in doubles is believed only where its diagonal shows that nothing was rounded, and a sum knows how large it may
be. Each is held against integers of any length, at the limits. Nothing is statistical.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.mechanisms.exact_products import (
    BLOCK_ROWS,
    LEAST_EXPONENT,
    LIMB_BITS,
    GramSum,
    add_block,
    block_product,
    block_rows,
    digits,
    integer_sum,
    times_power_of_two,
)

POWERS = np.array([2.0**exponent for exponent in range(-1074, 1024)])
"""All powers of two among the doubles."""


def value(product: dict[int, np.ndarray], row: int = 0, column: int = 0) -> Fraction:
    """Add up what stands at one place."""
    return sum((int(matrix[row, column]) * Fraction(2) ** e for e, matrix in product.items()), Fraction(0))


def test_sums_of_a_block_of_digits_stay_below_what_doubles_hold() -> None:
    """By a factor of two, as is proved; and the sums of a hundred and six of them below 2^60."""
    assert 2 * BLOCK_ROWS * 4**LIMB_BITS <= 2**53
    assert 106 * BLOCK_ROWS * 4**LIMB_BITS < 2**60
    assert Fraction(2) ** LEAST_EXPONENT == Fraction(math.ulp(0.0))
    limbs, rest = digits(POWERS, LEAST_EXPONENT)
    assert len(limbs) <= 106
    assert all(first - second == LIMB_BITS for first, second in zip(list(limbs), list(limbs)[1:], strict=False))
    assert not rest.any()
    product = block_product(POWERS[:, None], LEAST_EXPONENT)
    assert value(product) == sum(Fraction(4) ** exponent for exponent in range(-1074, 1024))


@pytest.mark.parametrize(
    ("dimension", "rows"),
    [
        *((1, 4096), (16, 4096), (17, 3855), (100, 655), (128, 512), (129, 516), (1000, 4000), (1023, 4092)),
        *((1024, 4096), (1025, 4092), (2000, 2097), (2**21, 2), (2**22, 1), (2**22 + 1, 1), (2**24, 1)),
    ],
)
def test_a_block_has_few_rows_and_at_least_one(dimension: int, rows: int) -> None:
    """At most 4096, and at most 2^22 numbers: of them 2^16, or as many rows as four times the dimension."""
    assert block_rows(dimension) == rows
    assert rows <= BLOCK_ROWS
    assert rows == 1 or rows * dimension <= 2**22


@pytest.mark.parametrize("exponent", [0, 1, -1, 999, -999, 1000, -1000, 1001, -1001, 1023, 1074, -1074, 2090, -2097])
def test_a_multiple_by_a_power_of_two_loses_nothing_that_a_double_holds(exponent: int) -> None:
    """Nothing is refused on the way, whatever numpy was told to do where a number underflows."""
    values = POWERS[np.arange(-1074, 1024) + exponent < 1020] * 1.75
    with np.errstate(all="raise"):
        found = times_power_of_two(values, exponent).tolist()
    assert found == [float(Fraction(one) * Fraction(2) ** exponent) for one in values.tolist()]


def test_a_product_that_overflows_or_underflows_is_computed_in_digits_without_a_complaint() -> None:
    with np.errstate(all="raise"):
        for block in ([[1e-200, 1.0], [1e200, -3.0]], [[1.5e300], [-1.5e300]], [[5e-324], [2.0]]):
            numbers = np.array(block)
            product = block_product(numbers, 0)
            whole = [[int(entry) for entry in row] for row in block]
            for i in range(numbers.shape[1]):
                for j in range(numbers.shape[1]):
                    assert value(product, i, j) == sum(row[i] * row[j] for row in whole)


@pytest.mark.parametrize("bits", [0, 7, 26, 27, 40])
@pytest.mark.parametrize(
    "rows",
    [
        [2**26 + 1, 2**26 + 1, 1],
        [94906266, 1],
        [94906265, 1, 2],
        [67108865, 67108863, 1, 1, 1],
        [94906265, 19110, 174, 16, 4, 1],
        [2**26, 2**26],
        [2**26, 2**26, 1],
        [3 * 2**25 + 1] * 5 + [1],
    ],
    ids=str,
)
def test_products_just_below_and_beyond_2_to_53_are_those_of_integers(rows: list[int], bits: int) -> None:
    """Beside a column of other signs, whose own sum is small, and in both orders of the columns."""
    signs = [(-1) ** place for place in range(len(rows))]
    for columns in ([rows, signs], [signs, rows], [rows, [-row for row in rows]]):
        numbers = np.ldexp(np.array(columns, dtype=np.float64).T, -bits)
        product = block_product(np.ascontiguousarray(numbers), -bits)
        for i in range(2):
            for j in range(2):
                exact = sum(one * other for one, other in zip(columns[i], columns[j], strict=True))
                assert value(product, i, j) == exact * Fraction(4) ** -bits


def test_products_of_different_digits_stand_on_both_sides_once() -> None:
    """Six digits of two columns, of both signs, so that each pair of digits differs from its mirror."""
    block = np.array([[1 + 2.0**-30, -(2.0**-45) - 2.0**-90], [2.0**-60, 3.0], [-1.25 - 2.0**-50, 2.0**-22 + 2.0**-70]])
    exact = [[Fraction(entry) for entry in row] for row in block.tolist()]
    for lowest in (-90, -100, -133):
        product = block_product(block, lowest)
        for i in range(2):
            for j in range(2):
                assert value(product, i, j) == sum(row[i] * row[j] for row in exact)


def integers(total: GramSum, unit: int, dimension: int = 1) -> list[list[int]]:
    """Return a sum by both of its ways, which must agree."""
    found = total.total(dimension, unit)
    assert found.dtype == object
    assert found.tolist() == total.integers(dimension, unit).tolist()
    return found.tolist()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_sum_knows_how_large_it_may_be(sign: int) -> None:
    total = GramSum()
    assert total.bound == 0
    assert GramSum().plus(block_product(np.zeros((2, 1)), -40)).bound == 0
    for entry in (5, 7, 11):
        total = total.plus({0: sign * np.array([[entry, -4], [-4, 1]]), 3: np.array([[1, 0], [0, 1]])})
    assert total.bound == 23
    assert integers(total, 0, 2) == [[sign * 23 + 24, -12 * sign], [-12 * sign, 3 * sign + 24]]
    assert total == total
    assert total != GramSum(total.small, total.bound)


def test_what_has_left_64_bits_is_kept_and_merged() -> None:
    """Long blocks, then short ones that fit beside the last long one, and a merge on either side."""
    longest = 2**63 - 1
    long, short = {0: np.array([[longest - 9]])}, {0: np.array([[4]]), -2: np.array([[1]])}
    total = GramSum().plus(long).plus(long).plus(short).plus(short)
    assert total.bound == longest - 1
    expected = 4 * (2 * (longest - 9) + 8) + 2
    assert integers(total, -2) == [[expected]]
    assert integers(total.merged(total), -3) == [[4 * expected]]
    assert integers(total.merged(GramSum()), -2) == integers(GramSum().merged(total), -2) == [[expected]]
    other = GramSum().plus({1: np.array([[longest]])}).plus({-2: np.array([[3]])})
    for merged in (total.merged(other), other.merged(total)):
        assert integers(merged, -2) == [[expected + 8 * longest + 3]]


def test_64_bits_are_used_to_the_last_one_and_no_further() -> None:
    half = np.array([[2**62]])
    for first, second in ((half, half - 1), (half, half), (-half, 1 - half), (-half, -half), (-half, -half - 1)):
        expected = [[int(first[0, 0]) + int(second[0, 0])]]
        assert integers(GramSum().plus({0: first}).plus({0: second}), 0) == expected
        assert integer_sum(first, second).tolist() == expected
    for entry in (2**62 - 1, 2**62, -(2**62), 1 - 2**62):
        assert integers(GramSum().plus({1: np.array([[entry]])}), 0) == [[2 * entry]]
        both = GramSum().plus({0: np.array([[entry]]), 1: np.array([[entry // 2 + 1]])})
        assert integers(both, 0) == [[entry + 2 * (entry // 2 + 1)]]
        assert integers(both, -1) == [[2 * (entry + 2 * (entry // 2 + 1))]]


def test_the_unit_of_a_sum_is_that_of_its_finest_part() -> None:
    assert GramSum().least_exponent() == 0
    total = GramSum().plus({-3: np.array([[2**63 - 1]]), 4: np.array([[1]])})
    assert total.least_exponent() == -3
    total = total.plus({-2: np.array([[2**63 - 1]])})
    assert total.least_exponent() == -3
    assert integers(total, -3) == [[2**63 - 1 + 2**7 + 2 * (2**63 - 1)]]


@pytest.mark.parametrize("rows", [0, 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS + 1])
def test_every_record_of_every_block_is_counted_once(rows: int) -> None:
    numbers = np.arange(1.0, rows + 1)[:, None]
    assert add_block(GramSum(), numbers, 0).total(1, 0).tolist() == [[rows * (rows + 1) * (2 * rows + 1) // 6]]
