"""The sums that releases are made of, against sums of integers: whatever the records, no bit is lost and none is added.

Noise is calibrated for sums that change by a record and nothing else. So products and sums are compared with Python's
integers: on lattices that one product covers and on finer ones, below and above 2**53 and 2**63, of records of all
sizes a float has, in blocks and parts.
Nothing is statistical.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    top_exponent,
)
from dpmatrix.mechanisms.lattice import LatticeGram, lattice_gram

LARGEST = float(np.finfo(np.float64).max)
LEAST = 2.0**-1074


def truncated(records: np.ndarray, unit: int) -> list[list[int]]:
    """Return coordinates in units of ``2**unit``, cut towards zero."""
    scale = Fraction(2) ** -unit
    return [[int(Fraction(entry) * scale) for entry in row] for row in records.tolist()]


def product(records: np.ndarray, unit: int) -> list[list[int]]:
    """Return the sum of products of truncated coordinates."""
    rows = np.array(truncated(records, unit), dtype=object).reshape(records.shape)
    return (rows.T @ rows).tolist() if len(rows) else np.zeros((records.shape[1],) * 2, dtype=object).tolist()


def summed(parts: Mapping[int, np.ndarray], unit: int, dimension: int) -> list[list[int]]:
    """Return a sum of matrices times powers of two, in units of ``2**unit``."""
    total = np.zeros((dimension, dimension), dtype=object)
    for exponent, matrix in parts.items():
        total += matrix.astype(object) * 2 ** (exponent - unit)
    return total.tolist()


def kinds() -> dict[str, np.ndarray]:
    """Return records of many sizes."""
    generator = np.random.default_rng(3)
    plain = generator.standard_normal((9, 3))
    return {
        "plain": plain,
        "one": np.array([[0.75]]),
        "zero": np.zeros((2, 3)),
        "near-2-to-53": np.full((4, 2), 2.0**25) * [1.0, 1 - 2.0**-25],
        "beyond-2-to-53": np.vstack([np.full((8, 2), 3.0 * 2**25), [[1.0, 1.0]]]),
        "wide": plain * 2.0 ** generator.integers(-70, 71, (9, 3)),
        "whole-range": np.array([[LARGEST, LEAST, -1.0], [-LARGEST, 3 * LEAST, 2.0**-500], [0.1, -LEAST, 2.0**500]]),
        "multiples": np.round(plain * 2**10) / 2**10,
        "just-below": np.nextafter(np.round(plain * 2**10) / 2**10, 0),
        "negative": -np.abs(plain) * 1e3,
    }


KINDS = kinds()
UNITS = (0, -1, -7, -20, -26, -27, -53, -100, -512)


@pytest.mark.parametrize("kind", KINDS)
def test_products_of_a_block_are_those_of_integers(kind: str) -> None:
    records = KINDS[kind]
    for unit in (*UNITS, LEAST_EXPONENT, 3):
        found = block_product(records, unit)
        assert all(np.abs(matrix).max() < 2**60 for matrix in found.values())
        assert summed(found, min(2 * unit, *found, 0), records.shape[1]) == [
            [entry << (2 * unit - min(2 * unit, *found, 0)) for entry in row] for row in product(records, unit)
        ]
        limbs, rest = digits(records, unit)
        for i, row in enumerate(records.tolist()):
            for j, entry in enumerate(row):
                whole = sum((Fraction(limb[i, j]) * Fraction(2) ** at for at, limb in limbs.items()), Fraction(0))
                assert whole + Fraction(rest[i, j]) == Fraction(entry)
                assert whole == int(Fraction(entry) / Fraction(2) ** unit) * Fraction(2) ** unit
        assert all(np.abs(limb).max() < 2**20 for limb in limbs.values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_sum_does_not_depend_on_blocks_parts_and_order(kind: str) -> None:
    """In one piece, row by row, merged, and added twice."""
    records = KINDS[kind]
    dimension = records.shape[1]
    for bits in (0, 8, 20, 26, 27, 60, 400):
        expected = product(records, -bits)
        assert lattice_gram(records, bits).tolist() == expected
        whole, other = LatticeGram(dimension, bits), LatticeGram(dimension, bits)
        for row in records[::-1]:
            whole.add(row[None, :])
        assert whole.matrix().tolist() == whole.integers().tolist() == expected
        assert whole.count == len(records)
        other.add(records[:1])
        other.add(records[:0])
        other.add_read(np.ascontiguousarray(records[1:]))
        both = whole.merge(other)
        assert both.count == 2 * len(records)
        assert both.matrix().tolist() == [[2 * entry for entry in row] for row in expected]


@pytest.mark.parametrize("bits", [0, 3, 20, 30])
def test_sums_that_outgrow_64_bits_go_on_exactly(bits: int) -> None:
    """Many additions of a matrix near the limit, on either side of it, and what is in units that are finer."""
    for size in (2.0**30, 2.0**31 - 1, 3037000499.0, 1.5 * 2.0**31, 2.0**40, 2.0**52 - 1):
        block = np.array([[size, -1.0], [-size / 2, 1.0]])
        total = GramSum()
        for count in range(1, 9):
            total = total.plus(block_product(block, -bits))
            expected = [[count * entry for entry in row] for row in product(block, -bits)]
            assert total.total(2, -2 * bits).tolist() == expected
            assert total.integers(2, -2 * bits).tolist() == expected
            finer = total.integers(2, -2 * bits - 9).tolist()
            assert finer == [[entry << 9 for entry in row] for row in expected]
        doubled = total.merged(total).merged(GramSum()).total(2, -2 * bits).tolist()
        assert doubled == [[16 * entry for entry in row] for row in product(block, -bits)]


@pytest.mark.parametrize("value", [2**60 - 1, -(2**60) + 1, 2**62, 2**63 - 1])
def test_products_as_large_as_there_are_add_up_beyond_64_bits(value: int) -> None:
    """One after the other, in two units, and of two sums: entries go on from 64 bits to integers of any length."""
    block = {0: np.array([[value, -3], [-3, 1]]), -4: np.array([[5, value // 7], [value // 7, -value]])}
    once = [[16 * value + 5, -48 + value // 7], [-48 + value // 7, 16 - value]]
    total = GramSum()
    for count in range(1, 20):
        total = total.plus(block)
        expected = [[count * entry for entry in row] for row in once]
        assert total.total(2, -4).tolist() == total.integers(2, -4).tolist() == expected
        finer = [[entry << 3 for entry in row] for row in expected]
        assert total.integers(2, -7).tolist() == finer
        assert total.merged(total).total(2, -4).tolist() == [[2 * entry for entry in row] for row in expected]
    assert total.large, "control"


def test_two_integers_are_added_exactly_at_the_limits_of_64_bits() -> None:
    for first in (0, 1, 2**62, 2**63 - 1, -(2**62), -(2**63) + 1, 2**62 - 1):
        for second in (0, 1, -1, 2**62, 2**62 - 1, 2**63 - 1, -(2**62), -(2**63) + 1):
            one, other = np.array([[first, 1]]), np.array([[second, -1]])
            for kinds_of in ((np.int64, np.int64), (object, np.int64), (np.int64, object)):
                found = integer_sum(one.astype(kinds_of[0]), other.astype(kinds_of[1]))
                assert found.tolist() == [[first + second, 0]]


@pytest.mark.parametrize(("rows", "columns"), [(4097, 1), (8200, 2), (600, 130)])
def test_long_and_wide_blocks_are_summed_exactly(rows: int, columns: int) -> None:
    """Of records that reach the limits of one product in every block, and of digits that do."""
    generator = np.random.default_rng(rows)
    for largest, unit in ((2**20, -20), (2**26, 0), (2**40 - 1, 0)):
        whole = generator.integers(largest - 9, largest, (rows, columns), endpoint=True)
        whole *= generator.choice([-1, 1], (rows, columns))
        records = np.ldexp(whole.astype(np.float64), unit)
        found = add_block(GramSum(), records, unit).total(columns, 2 * unit)
        places = [(0, 0), (columns - 1, columns - 1), (0, columns - 1), (columns // 2, 0)]
        for i, j in places:
            assert found[i, j] == sum(map(int.__mul__, whole[:, i].tolist(), whole[:, j].tolist()))
    assert block_rows(columns) <= BLOCK_ROWS


def test_the_top_of_numbers_is_the_least_power_above_all_of_them() -> None:
    for values, exponent in (
        ([0.0], None),
        ([1.0], 1),
        ([-1.0, 0.5], 1),
        ([0.75], 0),
        ([LEAST], -1073),
        ([LARGEST], 1024),
    ):
        assert top_exponent(np.array(values)) == exponent
