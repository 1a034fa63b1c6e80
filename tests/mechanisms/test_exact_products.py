"""Exact products of integer matrices: sizes of blocks, digits, widths and sums, against Python integers."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.mechanisms.exact_products import (
    BLOCK_ROWS,
    LEAST_EXPONENT,
    GramSum,
    add_block,
    block_product,
    block_rows,
    digits,
    integer_sum,
    times_power_of_two,
    top_exponent,
)

LARGEST = sys.float_info.max
WILD = [0.0, 1.0, -1.5, 0.1, -0.7, 2.0**60 + 2.0**9, -LARGEST, 5e-324, -(2.0**-1040), 3e-200, 7.25e150]


def units(value: float, lowest: int) -> int:
    """Truncate a number towards zero to multiples of ``2**lowest``."""
    exact = Fraction(value) / Fraction(2) ** lowest
    return int(exact)


def by_python(records: np.ndarray, lowest: int) -> list[list[int]]:
    rows = [[units(value, lowest) for value in row] for row in records.tolist()]
    places = range(records.shape[1])
    return [[sum(row[i] * row[j] for row in rows) for j in places] for i in places]


def added(product, unit: int) -> list[list[int]]:
    """Add matrices times powers of two, in units of another power, exactly."""
    return sum(np.array(matrix, dtype=object) * 2 ** (exponent - unit) for exponent, matrix in product.items()).tolist()


@pytest.mark.parametrize(
    ("dimension", "rows"),
    [(1, 4096), (16, 4096), (17, 3855), (100, 655), (128, 512), (200, 800), (1024, 4096), (1100, 3813)],
)
def test_blocks_have_4096_rows_or_few_enough_for_a_cache_or_enough_to_outweigh_the_entries(dimension, rows) -> None:
    """2**16 numbers fit a cache; the product outweighs d**2 entries from 4 d rows on; 2**22 numbers are 32 MiB."""
    assert block_rows(dimension) == rows


def test_a_block_has_one_row_at_least() -> None:
    assert [block_rows(d) for d in (1 << 21, 1 << 22, (1 << 22) + 1, 1 << 30)] == [2, 1, 1, 1]
    assert BLOCK_ROWS == 4096


def test_every_float_is_a_multiple_of_the_least_power() -> None:
    assert 2.0**LEAST_EXPONENT == 5e-324
    assert 2.0 ** (LEAST_EXPONENT - 1) == 0.0
    values = np.array(WILD)
    assert not digits(values, LEAST_EXPONENT)[1].any()


@pytest.mark.parametrize("exponent", [-2100, -1074, -1001, -1000, -999, -1, 0, 3, 999, 1000, 1001, 1023, 2097])
def test_powers_of_two_are_factors_of_any_size(exponent) -> None:
    values = np.array([0.0, 1.0, -1.5, 5e-324, -3e-200, 2.0**-1022])
    with np.errstate(over="ignore"):
        found = times_power_of_two(values, exponent).tolist()
    for value, result in zip(values.tolist(), found, strict=True):
        exact = Fraction(value) * Fraction(2) ** exponent
        if abs(exact) >= Fraction(2) ** 1024:
            assert np.isinf(result)
        elif exact.denominator <= 2**1074:
            assert Fraction(result) == exact
        else:
            assert abs(Fraction(result) - exact) <= Fraction(2) ** -1075


def test_underflow_is_silent() -> None:
    with np.errstate(all="raise"):
        assert times_power_of_two(np.array([3e-320]), -30).tolist() == [0.0]
        assert times_power_of_two(np.array([1.0]), -1080).tolist() == [0.0]


def test_the_top_exponent_is_the_least_above_all_magnitudes() -> None:
    assert top_exponent(np.zeros((0, 2))) is None
    assert top_exponent(np.zeros((2, 2))) is None
    for values, exponent in (
        ([0.5], 0), ([1.0], 1), ([-1.0], 1), ([0.75, -3.0], 2), ([3.0, -0.75], 2), ([-4.0], 3), ([5e-324], -1073),
        ([LARGEST, -1.0], 1024),
    ):  # fmt: skip
        assert top_exponent(np.array(values)) == exponent


@pytest.mark.parametrize("lowest", [-1074, -1000, -60, -41, -40, -21, -20, -1, 0, 7, 300])
def test_digits_have_twenty_bits_and_leave_what_is_below_the_unit(lowest) -> None:
    values = np.array(WILD)
    limbs, rest = digits(values, lowest)
    assert all((position - lowest) % 20 == 0 and position >= lowest for position in limbs)
    assert list(limbs) == sorted(limbs, reverse=True)
    for limb in limbs.values():
        assert limb.any()
        assert np.abs(limb).max() < 2**20
        assert (limb == np.trunc(limb)).all()
    for place, value in enumerate(WILD):
        total = sum(int(limb[place]) * Fraction(2) ** position for position, limb in limbs.items())
        assert total == units(value, lowest) * Fraction(2) ** lowest
        assert total + Fraction(float(rest[place])) == Fraction(value)


def test_numbers_below_the_unit_have_no_digits() -> None:
    for values in (np.zeros(3), np.array([0.4, -0.9]), np.zeros(0)):
        limbs, rest = digits(values, 0)
        assert limbs == {}
        assert (rest == values).all()


BLOCKS = [
    np.array([[0.5, -0.25, 1.0], [0.1, 0.7, -0.3]]),
    np.array([[2.0**30, -3.0], [1.0, 2.0**-30], [-7.7, 2.0**31]]),
    np.array([[LARGEST, -LARGEST], [5e-324, 1.0]]),
    np.array([[2.0**26, 2.0**26 - 1], [2.0**26, -1.0], [1.0, 1.0]]),
    np.array([[1e-310, -3e-200]]),
    np.zeros((3, 2)),
    np.zeros((0, 2)),
    np.full((40, 1), 1 - 2.0**-53),
]


@pytest.mark.parametrize("lowest", [-1074, -512, -53, -27, -26, -20, 0, 40])
@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_product_is_that_of_python_integers(block, lowest) -> None:
    with np.errstate(all="raise"):
        product = block_product(block, lowest)
    # No records or no digits: no matrices, or zeros.
    found = added(product, 2 * lowest) if product else np.zeros((block.shape[1],) * 2, dtype=int).tolist()
    assert found == by_python(block, lowest)
    for exponent, matrix in product.items():
        assert exponent >= 2 * lowest
        assert matrix.dtype == np.int64
        assert np.abs(matrix).max(initial=0) < 2**60
        assert (matrix == matrix.T).all()


def test_one_product_is_tried_on_lattices_of_26_bits_and_kept_where_its_diagonal_says_that_it_is_exact() -> None:
    block = np.array([[0.5 + 2.0**-26]])
    assert set(block_product(block, -26)) == {-52}
    assert len(block_product(block, -27)) > 1
    # The diagonal is the square of an integer just below the root of 2**53, and just above.
    assert set(block_product(np.array([[2.0**26.5 // 1]]), 0)) == {0}
    assert len(block_product(np.array([[2.0**26.5 // 1 + 1]]), 0)) > 1


def test_sums_are_compared_by_identity() -> None:
    """Arrays have no truth value, and what is added later makes a new sum."""
    one, other = (GramSum().plus({0: np.zeros((2, 2), dtype=np.int64)}) for _ in range(2))
    assert one != other
    assert {one, other, one} == {other, one}


def test_sums_move_to_python_integers_where_64_bits_end() -> None:
    half = {0: np.array([[2**62]]), 3: np.array([[-5]])}
    total = GramSum().plus(half)
    assert (total.bound, dict(total.large)) == (2**62, {})
    rest = total.plus({0: np.array([[2**62 - 1]])})
    assert (rest.bound, dict(rest.large)) == (2**63 - 1, {})
    full = total.plus({0: np.array([[2**62]])})
    assert full.bound == 2**62
    assert {exponent: matrix.tolist() for exponent, matrix in full.large.items()} == {0: [[2**62]], 3: [[-5]]}
    negative = GramSum().plus({0: np.array([[-(2**62)]])}).plus({0: np.array([[-(2**62)]])})
    assert negative.large
    for found, exact in ((rest, 2**63 - 1 - 40), (full, 2**63 - 40), (negative, -(2**63))):
        assert found.total(1, 0).tolist() == [[exact]]
        assert found.merged(found).total(1, -4).tolist() == [[32 * exact]]
    assert full.plus({}).total(1, 0).tolist() == [[2**63 - 40]]
    assert GramSum().plus({}).bound == 0


def test_a_total_is_in_any_unit_and_of_64_bits_where_the_bound_fits() -> None:
    total = GramSum({0: np.array([[3, -1], [-1, 2]]), 4: np.array([[1, 0], [0, 1]])}, 3)
    assert total.least_exponent() == 0
    for unit in (0, -1, -7):
        found = total.integers(2, unit)
        assert found.dtype == np.int64
        assert found.tolist() == total.total(2, unit).tolist()
        assert found.tolist() == [[19 << -unit, -(1 << -unit)], [-(1 << -unit), 18 << -unit]]
    assert total.total(2, 0).dtype == object
    # The bound is that of every exponent: 3 (2**-u + 2**(4 - u)) < 2**63.
    assert total.integers(2, -57).dtype == np.int64
    assert total.integers(2, -58).dtype == object
    assert total.integers(2, -58).tolist() == [[19 << 58, -(1 << 58)], [-(1 << 58), 18 << 58]]
    assert GramSum({1: np.array([[2**62]])}, 2**62).integers(1, 0).tolist() == [[2**63]]
    exact = GramSum({0: np.array([[2**63 - 1]])}, 2**63 - 1)
    assert exact.integers(1, 0).dtype == np.int64
    assert exact.integers(1, 0).tolist() == [[2**63 - 1]]


def test_nothing_has_a_total_of_zeros() -> None:
    assert GramSum().least_exponent() == 0
    assert GramSum().integers(2, 0).tolist() == GramSum().total(2, -9).tolist() == [[0, 0], [0, 0]]


def test_the_least_exponent_is_that_of_all_parts() -> None:
    one = np.array([[1]])
    assert GramSum({-4: one, 6: one}, 1).least_exponent() == -4
    assert GramSum({6: one}, 1, {-9: one.astype(object)}).least_exponent() == -9
    assert GramSum({6: one}, 1, {9: one.astype(object)}).least_exponent() == 6


@pytest.mark.parametrize(
    ("first", "second", "width"),
    [
        (2**62, 2**62 - 1, np.int64), (2**62, 2**62, object), (-(2**62), -(2**62) + 1, np.int64),
        (-(2**62), -(2**62), object), (2**63 - 1, 1, object), (2**63 - 1, 0, np.int64), (5, -7, np.int64),
    ],
)  # fmt: skip
def test_sums_of_arrays_have_64_bits_as_long_as_none_can_be_longer(first, second, width) -> None:
    found = integer_sum(np.array([first, 0]), np.array([second, 0]))
    assert found.dtype == width
    assert found.tolist() == [first + second, 0]
    for one, other in ((object, np.int64), (np.int64, object), (object, object)):
        mixed = integer_sum(np.array([first], dtype=one), np.array([second], dtype=other))
        assert mixed.dtype == object
        assert mixed.tolist() == [first + second]
    assert integer_sum(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)).tolist() == []


def test_records_are_added_block_by_block() -> None:
    records = np.random.default_rng(2).uniform(-1, 1, (1300, 100))
    assert block_rows(100) == 655
    start = add_block(GramSum(), np.ones((1, 100)), -12)
    total = add_block(start, records, -12)
    rows = np.trunc(np.ldexp(np.vstack([np.ones((1, 100)), records]), 12)).astype(np.int64)
    assert (total.total(100, -24) == rows.T @ rows).all()
    assert add_block(start, records[:0], -12).total(100, -24).tolist() == start.total(100, -24).tolist()
