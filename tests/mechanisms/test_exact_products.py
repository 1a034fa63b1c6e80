"""The steps of an exact product: blocks, digits, one product or limbs, and sums that leave 64 bits where they must."""

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
    top_exponent,
)

LONGEST = 2**63 - 1
MEBIBYTE = 2**20
EVERY_POWER = np.array([2.0**exponent for exponent in range(-1074, 1024)])


def value(product: dict[int, np.ndarray], row: int = 0, column: int = 0) -> Fraction:
    """Add what stands at one place, as an exact number."""
    return sum((int(matrix[row, column]) * Fraction(2) ** e for e, matrix in product.items()), Fraction(0))


@pytest.mark.parametrize(
    ("dimension", "rows"),
    [
        *((1, 4096), (16, 4096), (17, 3855), (100, 655), (128, 512)),
        *((129, 516), (1000, 4000), (1023, 4092), (1024, 4096), (1025, 4092)),
        *((2000, 2097), (2**21, 2), (2**22, 1), (2**22 + 1, 1)),
    ],
)
def test_how_many_records_are_handled_together(dimension: int, rows: int) -> None:
    """2**16 numbers, or a square of four times the dimension, at most 4096 rows and 32 MiB, and at least one row."""
    assert block_rows(dimension) == rows
    assert rows == 1 or 8 * rows * dimension <= 32 * MEBIBYTE


def test_the_widths_are_those_of_the_proof() -> None:
    assert (BLOCK_ROWS, LIMB_BITS) == (4096, 20)
    assert BLOCK_ROWS * 4**LIMB_BITS == 2**52
    assert math.ulp(0.0) == 2.0**LEAST_EXPONENT


@pytest.mark.parametrize("exponent", [0, 1, -1, 999, -999, 1000, -1000, 1001, -1001, 1023, 1074, -1074, 2090, -2097])
def test_a_multiple_by_a_power_of_two_is_exact_or_rounded_once(exponent: int) -> None:
    values = EVERY_POWER[np.arange(-1074, 1024) + exponent < 1020] * 1.75
    expected = [float(Fraction(one) * Fraction(2) ** exponent) for one in values.tolist()]
    scaled = times_power_of_two(values, exponent)
    assert scaled.dtype == np.float64
    assert scaled.tolist() == expected


def test_what_underflows_raises_nothing_whatever_numpy_was_told() -> None:
    values, block = np.array([5e-324, -1.5]), np.array([[1e-200, 1.0], [1e200, -3.0]])
    with np.errstate(all="raise"):
        assert times_power_of_two(values, -1).tolist() == [0.0, -0.75]
        limbs, rest = digits(values, 0)
        assert block_product(block, 0)[0][1, 1] == 10
    assert ({position: limb.tolist() for position, limb in limbs.items()}, rest.tolist()) == (
        {0: [0.0, -1.0]},
        [5e-324, -0.5],
    )


@pytest.mark.parametrize(
    ("values", "exponent"),
    [([0.0], None), ([-0.0, 0.0], None), ([0.25], -1), ([-0.25], -1), ([-3.0, 1.0], 2), ([1.0, -0.5], 1), ([4.0], 3)],
)
def test_the_exponent_of_the_longest_number(values: list[float], exponent: int | None) -> None:
    assert top_exponent(np.array(values)) == exponent
    assert top_exponent(np.array([5e-324])) == -1073


def test_no_number_has_more_limbs_than_the_range_of_binary64() -> None:
    """All powers of two at once: 2098 bits in digits of 20, and the sum of their squares is right."""
    limbs, rest = digits(EVERY_POWER, LEAST_EXPONENT)
    assert list(limbs) == list(range(-1074 + 20 * 104, -1075, -20))
    assert not rest.any()
    product = block_product(EVERY_POWER[:, None], LEAST_EXPONENT)
    assert max(int(matrix.max()) for matrix in product.values()) < 2**60
    assert value(product) == sum(Fraction(4) ** exponent for exponent in range(-1074, 1024))


@pytest.mark.parametrize(("bits", "exponents"), [(26, {-52}), (27, {-14})])
def test_one_product_is_formed_on_a_lattice_of_at_most_26_bits(bits: int, exponents: set[int]) -> None:
    """A quarter is 2**25 units of the finer lattice: one product would hold it, and its upper digit is 2**5."""
    product = block_product(np.array([[0.25, -0.25]]), -bits)
    assert set(product) == exponents
    assert (value(product), value(product, 0, 1)) == (Fraction(1, 16), -Fraction(1, 16))


@pytest.mark.parametrize("lowest", [0, -26, -27, LEAST_EXPONENT])
def test_zeros_leave_the_bound_where_it_was(lowest: int) -> None:
    block = np.zeros((2, 3))
    total = GramSum().plus(block_product(block, lowest))
    assert total.bound == 0
    assert total.total(3, 2 * lowest).tolist() == [[0] * 3] * 3


def test_products_of_different_digits_are_formed_once_and_on_both_sides() -> None:
    """Four digits of each of two columns, of both signs."""
    block = np.array([[1 + 2.0**-30, -(2.0**-45)], [2.0**-60, 3.0]])
    product = block_product(block, -70)
    exact = [[Fraction(entry) for entry in row] for row in block.tolist()]
    for i in range(2):
        for j in range(2):
            assert value(product, i, j) == sum(row[i] * row[j] for row in exact)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_bound_is_the_sum_of_the_largest_entries(sign: int) -> None:
    total = GramSum()
    assert total.bound == 0
    for entry in (5, 7, 11):
        total = total.plus({0: sign * np.array([[entry, -4], [-4, 1]]), 3: np.array([[1, 0], [0, 1]])})
    assert total.bound == 23
    assert total.integers(2, 0).tolist() == [[sign * 23 + 24, -12 * sign], [-12 * sign, 3 * sign + 24]]


def test_sums_keep_what_has_left_64_bits() -> None:
    """Long blocks, then short ones that fit beside the last long one, then a merge with a sum that has both."""
    long, short = {0: np.array([[LONGEST - 9]])}, {0: np.array([[4]]), -2: np.array([[1]])}
    total = GramSum().plus(long).plus(long).plus(short).plus(short)
    assert total.large
    assert total.bound == LONGEST - 1
    expected = 2 * (LONGEST - 9) + 8 + Fraction(1, 2)
    assert total.total(1, -2).tolist() == [[4 * expected]]
    assert total.merged(total).total(1, -3).tolist() == [[16 * expected]]
    assert total.merged(GramSum()).total(1, -2).tolist() == [[4 * expected]]
    assert GramSum().merged(total).total(1, -2).tolist() == [[4 * expected]]


def test_64_bits_are_used_to_the_last_one() -> None:
    half = np.array([[2**62]])
    assert GramSum().plus({0: half}).plus({0: half - 1}).integers(1, 0).dtype == np.int64
    assert GramSum().plus({0: half}).plus({0: half}).total(1, 0).tolist() == [[2**63]]
    doubled = GramSum().plus({1: half}).integers(1, 0)
    assert (doubled.dtype, doubled.tolist()) == (object, [[2**63]])
    doubled = GramSum().plus({1: half - 1}).integers(1, 0)
    assert (doubled.dtype, doubled.tolist()) == (np.int64, [[2**63 - 2]])
    assert integer_sum(half, half - 1).dtype == np.int64
    assert integer_sum(half, half - 1).tolist() == [[LONGEST]]
    assert integer_sum(half, half).tolist() == [[2**63]]
    assert integer_sum(-half, 1 - half).dtype == np.int64
    assert integer_sum(-half, -half - 1).tolist() == [[-(2**63) - 1]]


def test_the_unit_of_a_sum_is_that_of_its_finest_part() -> None:
    assert GramSum().least_exponent() == 0
    total = GramSum().plus({-3: np.array([[LONGEST]]), 4: np.array([[1]])})
    assert total.least_exponent() == -3
    total = total.plus({-2: np.array([[LONGEST]])})
    assert set(total.small) == {-2}
    assert total.least_exponent() == -3
    assert total.total(1, -3).tolist() == [[LONGEST + 2**7 + 2 * LONGEST]]
    small = GramSum().plus({2: np.array([[3, -1], [-1, 5]]), -1: np.array([[1, 0], [0, 1]])})
    assert small.integers(2, -1).tolist() == [[25, -8], [-8, 41]]
    assert small.integers(2, -2).tolist() == [[50, -16], [-16, 82]]
    assert small.integers(2, -2).dtype == np.int64


def test_sums_are_compared_as_objects() -> None:
    """Arrays in them have no one truth value."""
    first, second = (GramSum().plus({0: np.ones((2, 2), dtype=np.int64)}) for _ in range(2))
    assert first == first
    assert first != second
    assert len({first, second}) == 2


@pytest.mark.parametrize("rows", [0, 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS + 1])
def test_every_record_of_every_block_is_counted(rows: int) -> None:
    numbers = np.arange(1.0, rows + 1)[:, None]
    total = add_block(GramSum(), numbers, 0).total(1, 0)
    assert total.tolist() == [[rows * (rows + 1) * (2 * rows + 1) // 6]]
