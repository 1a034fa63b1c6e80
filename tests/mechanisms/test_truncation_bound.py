"""What truncation costs: exact changes of adversarial records against the bound, and against half of it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import MatrixNorm, truncation_bound
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.mechanisms.norms import clip_records
from dpmatrix.mechanisms.second_moment import second_moment


def change(records: np.ndarray, bits: int) -> list[list[Fraction]]:
    """Compute X'X minus its truncated twin."""
    size = records.shape[1]
    lattice = fmpq_mat(size, size, [fmpq(entry, 4**bits) for entry in lattice_gram(records, bits).ravel().tolist()])
    matrix = second_moment(records, 1) - lattice
    return [[Fraction(int(matrix[i, j].p), int(matrix[i, j].q)) for j in range(size)] for i in range(size)]


def exceeds(records: np.ndarray, bits: int, bound: Fraction, norm: MatrixNorm) -> bool:
    """Decide exactly whether a norm of the change exceeds a bound."""
    entries = change(records, bits)
    if norm is MatrixNorm.ENTRY:
        return max(abs(entry) for row in entries for entry in row) > bound
    if norm is MatrixNorm.FROBENIUS:
        return sum(entry**2 for row in entries for entry in row) > bound**2
    # The eigenvalues lie in [-bound, bound] if and only if the two shifted matrices are semidefinite.
    size = len(entries)
    matrix = fmpq_mat([[fmpq(entry.numerator, entry.denominator) for entry in row] for row in entries])
    shift = fmpq_mat(size, size, [fmpq(int(i == j)) for i in range(size) for j in range(size)])
    shift *= fmpq(bound.numerator, bound.denominator)
    return any(min((-(shift + sign * matrix)).charpoly().coeffs()) < 0 for sign in (-1, 1))


def just_below_the_grid(size: int, bits: int) -> np.ndarray:
    """Make a record of equal coordinates, each barely below a multiple of the grid; inside the unit ball."""
    steps = math.isqrt(4**bits // size)
    return np.full((1, size), math.nextafter(steps / 2**bits, 0))


@pytest.mark.parametrize("norm", MatrixNorm)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("bits", [8, 12])
def test_adversarial_records_meet_the_bound_and_exceed_half_of_it(norm, size, bits):
    record = just_below_the_grid(size, bits)
    if norm is MatrixNorm.ENTRY:
        # One long coordinate is the worst case for an entry.
        record = np.zeros((1, size))
        record[0, 0] = math.nextafter(1.0, 0)
    records = np.repeat(record, 5, axis=0)
    bound = truncation_bound(size, bits, records=5, norm=norm)
    assert not exceeds(records, bits, bound, norm)
    assert exceeds(records, bits, bound / 2, norm)
    assert exceeds(records, bits, bound * Fraction(95, 100), norm)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.floats(-1, 1), min_size=3, max_size=3), min_size=1, max_size=4),
    st.integers(0, 12),
    st.sampled_from(MatrixNorm),
    st.fractions(Fraction(1, 8), 3),
)
def test_no_records_exceed_the_bound(rows, bits, norm, radius):
    records = np.array([row for row in rows if any(row)] or [[1.0, 0.0, 0.0]])
    records = clip_records(records, radius)
    bound = truncation_bound(3, bits, radius, records=len(records), norm=norm)
    assert not exceeds(records, bits, bound, norm)


@pytest.mark.parametrize("norm", MatrixNorm)
def test_records_below_the_grid_lose_everything_and_no_more(norm):
    """At b = 0 a record inside the ball becomes zero: the bound is its squared length."""
    bound = truncation_bound(4, 0, Fraction(1, 2), norm=norm)
    assert bound == Fraction(1, 4)
    assert not exceeds(np.array([[0.5, 0.0, 0.0, 0.0]]), 0, bound, norm)
    assert exceeds(np.array([[0.5, 0.0, 0.0, 0.0]]), 0, bound - Fraction(1, 10**30), norm)


def test_values_of_the_formula():
    step = Fraction(1, 2**20)
    assert truncation_bound(100, 20, norm=MatrixNorm.ENTRY) == step * (2 - step)
    assert truncation_bound(100, 20, 3, records=7, divisor=5) == Fraction(7, 5) * 10 * step * (6 - 10 * step)
    assert truncation_bound(100, 20, 3, records=0) == 0
    exact = math.sqrt(2) * 2.0**-20 * (2 - math.sqrt(2) * 2.0**-20)
    assert float(truncation_bound(2, 20)) == pytest.approx(exact, rel=1e-14)
    root = truncation_bound(2, 0, 10**9, norm=MatrixNorm.FROBENIUS)
    assert (2 * 10**9 * Fraction(1.4142)) < root < 2 * 10**9 * Fraction(1.4143)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"dimension": 0}, "dimension"),
        ({"coordinate_bits": 513}, "coordinate_bits"),
        ({"norm_bound": -1}, "norm_bound"),
        ({"norm_bound": math.inf}, "norm_bound"),
        ({"records": -1}, "records"),
        ({"records": 1.5}, "records"),
        ({"records": True}, "records"),
        ({"divisor": 0}, "divisor"),
        ({"norm": "operator"}, "norm"),
    ],
    ids=repr,
)
def test_parameters_outside_their_domain_are_refused(parameters, name):
    with pytest.raises(InvalidParameterError, match=name):
        truncation_bound(**{"dimension": 2, "coordinate_bits": 8, **parameters})


@pytest.mark.parametrize("dimension", [2, 3, 4, 7])
def test_the_root_of_the_dimension_is_rounded_up_to_64_digits(dimension: int) -> None:
    """T is the least multiple of ``h 2**-64`` that is at least ``h sqrt(d)``; of a square it is the root itself."""
    root = Fraction(math.isqrt((dimension << 128) - 1) + 1, 1 << 64)
    assert root**2 >= dimension > (root - Fraction(1, 1 << 64)) ** 2
    longest = root / 2**5
    assert truncation_bound(dimension, 5, 3, records=2, divisor=7) == Fraction(2, 7) * longest * (6 - longest)


def test_records_of_length_zero_lose_nothing() -> None:
    assert truncation_bound(3, 5, 0, records=4) == 0
