"""The Gram matrix of truncated records is exact whatever the data, and the same however the records arrive."""

from __future__ import annotations

import pickle
import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import LatticeGram, exact_products
from dpmatrix.mechanisms.exact_products import BLOCK_ROWS, LIMB_BITS, GramSum, block_product, digits, integer_sum
from dpmatrix.mechanisms.lattice import lattice_gram

BITS = st.sampled_from([0, 1, 8, 19, 20, 21, 26, 27, 31, 40, 53, 80, 511, 512])
WILD = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [5e-324, -5e-324, sys.float_info.max, -sys.float_info.max, sys.float_info.min, 1.0, -1.0, 1 - 2.0**-53, 2.0**-512]
)
RECORDS = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=5), elements=WILD)


def truncated(value: float, bits: int) -> int:
    numerator, denominator = value.as_integer_ratio()
    magnitude = (abs(numerator) << bits) // denominator
    return magnitude if numerator >= 0 else -magnitude


def by_python(records: np.ndarray, bits: int) -> list[list[int]]:
    rows = [[truncated(x, bits) for x in row] for row in records.tolist()]
    size = range(records.shape[1])
    return [[sum(row[i] * row[j] for row in rows) for j in size] for i in size]


def by_floats(records: np.ndarray, bits: int) -> list[list[int]]:
    """Control: one product in binary64, whatever the widths."""
    multiples = np.trunc(np.ldexp(records, bits))
    return [[int(entry) for entry in row] for row in (multiples.T @ multiples).tolist()]


@settings(max_examples=300, deadline=None)
@given(RECORDS, BITS)
def test_it_equals_python_integers_at_every_scale(records, bits):
    matrix = lattice_gram(records, bits)
    assert matrix.tolist() == by_python(records, bits)
    assert all(type(entry) is int for entry in matrix.flat)


@settings(max_examples=100, deadline=None)
@given(RECORDS, BITS, st.lists(st.integers(0, 5), max_size=3), st.integers(0, 3))
def test_blocks_and_merges_give_the_same_integers(records, bits, cuts, split):
    ends = sorted({0, len(records), *(min(cut, len(records)) for cut in cuts)})
    sums = (LatticeGram(records.shape[1], bits), LatticeGram(records.shape[1], bits))
    for number, (start, end) in enumerate(pairwise(ends)):
        sums[number >= split].add(records[start:end])
    merged = sums[1].merge(sums[0])
    assert merged.matrix().tolist() == lattice_gram(records, bits).tolist()
    assert merged.count == len(records)


@pytest.mark.parametrize("bits", [0, 12, 20, 21, 22, 26, 27, 60])
@pytest.mark.parametrize("rows", [1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS])
def test_records_at_the_norm_bound_and_at_the_limits_of_the_widths(rows, bits):
    """All rows at the bound, in one direction: the largest sums that there are; the last row makes them odd."""
    records = np.zeros((rows, 3))
    records[:, 0] = 1.0
    records[-1] = [2.0**-bits, 1 - 2.0**-53, 0.0]
    assert lattice_gram(records, bits).tolist() == by_python(records, bits)


def test_control_one_product_in_binary64_is_wrong_beyond_its_width():
    records = np.ones((BLOCK_ROWS, 1))
    records[0] = 1 - 2.0**-27
    assert by_floats(records, 27) != by_python(records, 27)
    assert lattice_gram(records, 27).tolist() == by_python(records, 27)


@pytest.mark.parametrize(("entry", "single"), [(2**20, True), (2**20 + 2**19, False)])
def test_the_computed_diagonal_decides_between_one_product_and_limbs(entry, single):
    """4096 * (2**20)**2 = 2**52 is certified; 2.25 times as much is not."""
    product = block_product(np.full((BLOCK_ROWS, 2), float(entry)), 0)
    assert (set(product) == {0}) is single
    assert sum(int(matrix[0, 1]) << exponent for exponent, matrix in product.items()) == BLOCK_ROWS * entry**2


def test_a_diagonal_of_exactly_two_to_the_53_is_not_trusted():
    # 2**53 + 1 rounds to 2**53.
    block = np.array([[2.0**26]] * 2 + [[1.0]])
    assert sum(int(m[0, 0]) << e for e, m in block_product(block, 0).items()) == 2**53 + 1
    block = np.array([[2.0**26 - 1]] * 2 + [[2.0**14]] * 1 + [[1.0]])
    assert sum(int(m[0, 0]) << e for e, m in block_product(block, 0).items()) == 2 * (2**26 - 1) ** 2 + 2**28 + 1


def test_control_without_the_check_of_the_diagonal_the_result_is_wrong(monkeypatch):
    block = np.array([[2.0**26 - 1]] * 2 + [[2.0**14]] * 2 + [[1.0]])
    expected = by_python(block, 0)
    assert lattice_gram(block, 0).tolist() == expected
    monkeypatch.setattr(exact_products, "_EXACT_BELOW", 2.0**60)
    assert lattice_gram(block, 0).tolist() != expected


@settings(max_examples=200, deadline=None)
@given(arrays(np.float64, 3, elements=WILD), st.integers(-1074, 1000))
def test_digits_and_rest_are_the_number(values, lowest):
    limbs, rest = digits(values, lowest)
    for index, value in enumerate(values.tolist()):
        parts = [Fraction(limb[index]) * Fraction(2) ** position for position, limb in limbs.items()]
        assert sum(parts, Fraction(float(rest[index]))) == Fraction(value)
        assert all(part * Fraction(value) >= 0 for part in parts)
        assert abs(Fraction(float(rest[index]))) < Fraction(2) ** lowest
        assert Fraction(float(rest[index])) * Fraction(value) >= 0
    assert all(np.abs(limb).max() < 2**LIMB_BITS and (limb == np.trunc(limb)).all() for limb in limbs.values())


def test_sums_leave_64_bits_without_wrapping():
    product = {0: np.array([[2**62, -(2**62)]]), 5: np.array([[1, 2**62 - 1]])}
    total = GramSum()
    for _ in range(7):
        total = total.plus(product)
    total = total.merged(total)
    assert total.bound < 2**63
    # A matrix of shape (1, 2) broadcasts over the two rows of the sum.
    assert total.total(2, -1).tolist() == [[14 * 2 * (2**62 + 2**5), 14 * 2 * (-(2**62) + (2**62 - 1) * 2**5)]] * 2


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=2), st.integers(-(2**70), 2**70))
def test_integers_are_added_without_wrapping(pair, other):
    first, second = (np.array([value], dtype=np.int64) for value in pair)
    assert integer_sum(first, second).tolist() == [sum(pair)]
    assert integer_sum(first, np.array([other], dtype=object)).tolist() == [pair[0] + other]
    assert integer_sum(first // 4, second // 4).dtype == np.int64


def test_a_sum_has_64_bits_where_it_fits_and_not_beyond():
    gram = LatticeGram(2, 31)
    gram.add([[0.5, -0.25]])
    assert gram.integers().dtype == np.int64
    assert gram.integers().tolist() == gram.matrix().tolist()
    gram.add(np.tile([1.0, -(1 - 2.0**-31)], (BLOCK_ROWS, 1)))
    assert gram.integers().dtype == object
    assert gram.integers().tolist() == gram.matrix().tolist()


def test_many_blocks_at_the_bound_overflow_nothing():
    """At b = 31 a block adds 2**74: far beyond 64 bits in units of the lattice."""
    gram, block = LatticeGram(2, 31), np.tile([1.0, -(1 - 2.0**-31)], (BLOCK_ROWS, 1))
    for _ in range(30):
        gram.add(block)
    one = by_python(block[:1], 31)
    assert gram.matrix().tolist() == [[30 * BLOCK_ROWS * entry for entry in row] for row in one]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("step", [1, 2])
def test_memory_layout_and_memory_maps_do_not_matter(tmp_path, order, step):
    records = np.random.default_rng(5).uniform(-1, 1, (2 * BLOCK_ROWS + 7, 4))
    expected = by_python(records[::step, ::step], 20)
    mapped = np.memmap(tmp_path / "records", np.float64, "w+", shape=records.shape, order=order)
    mapped[:] = records
    for view in (np.asarray(records, order=order)[::step, ::step], mapped[::step, ::step]):
        assert lattice_gram(view, 20).tolist() == expected


def test_a_sum_travels_between_processes():
    gram = LatticeGram(2, 40)
    gram.add([[0.5, 0.3], [0.1, -0.7]])
    again = pickle.loads(pickle.dumps(gram))
    assert again.matrix().tolist() == gram.matrix().tolist()
    assert again.merge(gram).count == 4


def test_no_records_give_zeros():
    assert lattice_gram(np.zeros((0, 3)), 20).tolist() == [[0] * 3] * 3
    assert LatticeGram(3, 20).matrix().tolist() == [[0] * 3] * 3


@pytest.mark.parametrize("bits", [-1, 513, 2.0, True, "8", None])
def test_numbers_of_digits_outside_their_domain_are_refused(bits):
    with pytest.raises(InvalidParameterError, match="coordinate_bits"):
        lattice_gram([[0.5]], bits)


def test_blocks_of_another_form_are_refused():
    gram = LatticeGram(2, 20)
    gram.add([[0.5, 0.5]])
    for block in ([[0.5]], [0.5, 0.5], [[np.nan, 0.0]], [[1j, 0.0]], [["a", "b"]]):
        with pytest.raises(InvalidParameterError, match="block"):
            gram.add(block)
    for other in (LatticeGram(3, 20), LatticeGram(2, 21)):
        with pytest.raises(InvalidParameterError, match="other"):
            gram.merge(other)
    assert gram.count == 1
    with pytest.raises(InvalidParameterError, match="dimension"):
        LatticeGram(0, 20)


def test_truncation_never_lengthens_a_record_and_rounding_would():
    third = 1 / np.sqrt(3)
    record = np.nextafter(np.array([[third, third, third]]), 0)
    for bits in range(40):
        assert np.trace(lattice_gram(record, bits)) <= 4**bits
    # Control: rounding to nearest leaves the unit ball.
    assert any(sum(int(k) ** 2 for k in np.rint(np.ldexp(record[0], bits))) > 4**bits for bits in range(40))
