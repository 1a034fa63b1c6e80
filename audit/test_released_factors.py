"""Wishart matrices, products and sums are made of their digits as their definitions say, each digit in one place.

A degree of freedom too few, an entry that is left out, or a variate that serves two entries gives noise of another law.
Floats and balls are held against what mpmath computes from the digits that the source gave. Nothing is statistical.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from audit.released.ideal_reals import BITS, Noted, as_mpf, holds, uniform
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyExponentials, LazyNormals, LazyUniforms
from dpmatrix.randomness.lazy_entries import LazyRationals
from dpmatrix.randomness.lazy_matrices import LazyChiSquares, LazyProduct, LazySum, LazyWishart


@pytest.fixture(autouse=True)
def _digits() -> Any:
    with mpmath.workprec(2 * BITS):
        yield


def given(source: Noted) -> list[list[int]]:
    """Return the blocks of words that a source gave."""
    return [block for block in source.log if isinstance(block, list)]


def first_words(exponentials: LazyExponentials, *normals: LazyNormals) -> list[list[int]]:
    """Return the first digits of exponential and normal variates, in the order in which they are drawn."""
    parts = [exponentials.uniforms, *(uniforms for one in normals for uniforms in (one.radial, one.angular))]
    return [uniforms.words().tolist() for uniforms in parts]


def exponential(exponentials: LazyExponentials, place: int) -> Any:
    """Return an exponential variate."""
    return -mpmath.log(uniform(exponentials.uniforms, place))


def normal(normals: LazyNormals, place: int) -> Any:
    """Return a normal variate."""
    turn = (mpmath.cospi, mpmath.sinpi)[place % 2]
    length = mpmath.sqrt(-2 * mpmath.log(uniform(normals.radial, place // 2)))
    return length * turn(2 * uniform(normals.angular, place // 2))


def known(uniforms: LazyUniforms) -> list[int]:
    """Return how many digits are known of each variate."""
    return [uniforms.digits(place)[1] for place in range(uniforms.shape[0])]


def chi_squares(found: LazyChiSquares, degrees: Sequence[int]) -> list[Any]:
    """Write chi-square variates out: twice a sum of exponential variates, and the square of a normal for an odd one."""
    ends = list(accumulate((degree // 2 for degree in degrees), initial=0))
    values, odd = [], 0
    for place, degree in enumerate(degrees):
        value = 2 * mpmath.fsum(exponential(found.exponentials, own) for own in range(ends[place], ends[place + 1]))
        if degree % 2:
            value += normal(found.normals, odd) ** 2
            odd += 1
        values.append(value)
    return values


DEGREES = [(1,), (2,), (3, 1, 4, 2, 5), (6, 1, 1, 3), (7, 8), (4, 2), (1, 1, 1)]


@pytest.mark.parametrize("degrees", DEGREES)
def test_a_chi_square_variate_has_half_as_many_exponentials_and_a_square_if_it_is_odd(degrees: tuple[int, ...]) -> None:
    """Each exponential and each normal variate is of one of them, and all come from the source, in this order."""
    source = Noted(sum(degrees))
    found = LazyChiSquares(degrees, source)
    assert found.shape == (len(degrees),)
    assert found.exponentials.shape == (sum(degree // 2 for degree in degrees),)
    assert found.normals.shape == (sum(degree % 2 for degree in degrees),)
    assert given(source) == first_words(found.exponentials, found.normals)
    holds(found, chi_squares(found, degrees))


@pytest.mark.parametrize("degrees", DEGREES)
def test_a_chi_square_variate_is_refined_with_all_that_it_is_made_of(degrees: tuple[int, ...]) -> None:
    ends = list(accumulate((degree // 2 for degree in degrees), initial=0))
    for place in range(len(degrees)):
        found = LazyChiSquares(degrees, SeededEntropy(1))
        found.refine(90, [place])
        own = range(ends[place], ends[place + 1])
        assert known(found.exponentials.uniforms) == [90 if index in own else 64 for index in range(ends[-1])]
        before = sum(degree % 2 for degree in degrees[:place])
        pairs = {before // 2} if degrees[place] % 2 else set()
        for uniforms in (found.normals.radial, found.normals.angular):
            assert {index for index, bits in enumerate(known(uniforms)) if bits == 90} == pairs


@pytest.mark.parametrize("degrees", [(0,), (2, -1), (-3,), (1.5,), (3, 2.5)])
def test_degrees_of_freedom_are_positive_integers(degrees: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameterError, match=r"^degrees: .* are not all at least 1"):
        LazyChiSquares(degrees, SeededEntropy(0))


WISHART = [(1, 1), (1, 4), (2, 2), (2, 3), (3, 4), (4, 5), (4, 9)]
SCALES = [Fraction(1), Fraction(2), Fraction(2, 7), Fraction(10**6, 3)]


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize(("dimension", "degrees"), WISHART)
def test_a_wishart_matrix_is_the_product_of_its_triangle(dimension: int, degrees: int, scale: Fraction) -> None:
    """Bartlett's decomposition, with all variates from the source: squares of the diagonal, and what is below it."""
    source = Noted(dimension + degrees)
    found = LazyWishart(dimension, degrees, scale, source)
    assert given(source) == first_words(found.squares.exponentials, found.squares.normals, found.below)
    assert found.below.shape == (dimension * (dimension - 1) // 2,)
    squares = chi_squares(found.squares, [degrees - row for row in range(dimension)])
    factor = [[mpmath.mpf(0)] * dimension for _ in range(dimension)]
    place = 0
    for row in range(dimension):
        factor[row][row] = mpmath.sqrt(squares[row])
        for column in range(row):
            factor[row][column] = normal(found.below, place)
            place += 1
    c = mpmath.mpf(scale.numerator) / scale.denominator
    entries = [c * sum(x * y for x, y in zip(one, two, strict=True)) for one in factor for two in factor]
    holds(found, entries, 2.0**-36 * max(1, float(scale)))
    with precision(BITS):
        trace = found.trace()
    assert abs(as_mpf(trace) - sum(entries[:: dimension + 1])) <= as_mpf(trace.rad()) + mpmath.mpf(2) ** -300
    assert as_mpf(trace.rad()) < mpmath.mpf(2) ** -200


@pytest.mark.parametrize("entry", range(16))
def test_an_entry_of_a_wishart_matrix_is_refined_with_both_of_its_rows(entry: int) -> None:
    """Row i has i entries below the diagonal, and the square of one with 5 - i degrees of freedom on it."""
    found = LazyWishart(4, 5, Fraction(1), SeededEntropy(2))
    found.refine(90, [entry])
    rows = set(divmod(entry, 4))
    exponentials = {0: (0, 1), 1: (2, 3), 2: (4,), 3: (5,)}
    assert {place for place, bits in enumerate(known(found.squares.exponentials.uniforms)) if bits == 90} == {
        place for row in rows for place in exponentials[row]
    }
    below = {0: (), 1: (0,), 2: (1, 2), 3: (3, 4, 5)}
    normals = {0: {0}, 2: {0}}  # those of rows 0 and 2 are one pair
    for uniforms, pairs in (
        (found.squares.normals.radial, {pair for row in rows for pair in normals.get(row, set())}),
        (found.below.angular, {place // 2 for row in rows for place in below[row]}),
    ):
        assert {place for place, bits in enumerate(known(uniforms)) if bits == 90} == pairs


@pytest.mark.parametrize(
    ("dimension", "degrees", "scale", "words"),
    [
        (0, 1, 1, "dimension: 0 is below 1"),
        (-1, 2, 1, "dimension: -1 is below 1"),
        (3, 2, 1, "degrees: 2 is below 3"),
        (5, 4, 1, "degrees: 4 is below 5"),
        (3, 3, 0, "scale: 0 is not positive"),
        (1, 1, Fraction(-1, 9), "scale: -1/9 is not positive"),
    ],
)
def test_parameters_without_a_wishart_matrix_are_refused(dimension: int, degrees: int, scale: Any, words: str) -> None:
    with pytest.raises(InvalidParameterError, match=f"^{words}"):
        LazyWishart(dimension, degrees, scale, SeededEntropy(0))


@pytest.mark.parametrize(("rows", "terms", "columns"), [(1, 1, 1), (2, 3, 4), (3, 2, 1), (4, 5, 2), (1, 70, 3)])
def test_a_product_is_that_of_its_normal_variates_and_the_data(rows: int, terms: int, columns: int) -> None:
    source = Noted(rows + terms)
    normals = LazyNormals((rows, terms), source)
    data = np.random.default_rng(columns).standard_normal((terms, columns))
    found = LazyProduct(normals, data)
    variates = [[normal(normals, row * terms + term) for term in range(terms)] for row in range(rows)]
    floats = [[mpmath.mpf(entry) for entry in column] for column in data.T.tolist()]
    expected = [sum(x * y for x, y in zip(row, column, strict=True)) for row in variates for column in floats]
    data[:] = 7
    holds(found, expected)
    assert found.data.dtype == np.float64
    assert LazyProduct(normals, np.ones((terms, 1), dtype=np.float32)).data.dtype == np.float64


@pytest.mark.parametrize("entry", range(12))
def test_an_entry_of_a_product_is_refined_with_its_row(entry: int) -> None:
    normals = LazyNormals((3, 4), SeededEntropy(1))
    LazyProduct(normals, np.ones((4, 4))).refine(90, [entry])
    row = entry // 4
    assert {place for place, bits in enumerate(known(normals.radial)) if bits == 90} == {2 * row, 2 * row + 1}
    assert {place for place, bits in enumerate(known(normals.angular)) if bits == 90} == {2 * row, 2 * row + 1}


@pytest.mark.parametrize("shape", [(3,), (4, 2), (2, 2), (3, 2, 1)])
def test_data_that_do_not_follow_the_normal_variates_are_refused(shape: tuple[int, ...]) -> None:
    """They have a row for each column of the variates, which are a matrix."""
    with pytest.raises(InvalidParameterError, match=r"^data: shape .* does not follow"):
        LazyProduct(LazyNormals((2, 3), SeededEntropy(0)), np.zeros(shape))
    for other in ((3,), (1, 3, 2)):
        with pytest.raises(InvalidParameterError, match=r"^data: shape .* does not follow"):
            LazyProduct(LazyNormals(other, SeededEntropy(0)), np.zeros((3, 2)))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_data_that_are_no_numbers_are_refused(value: float) -> None:
    data = np.zeros((3, 2))
    data[1, 1] = value
    with pytest.raises(InvalidParameterError, match=r"^data: they hold NaN or an infinity"):
        LazyProduct(LazyNormals((2, 3), SeededEntropy(0)), data)


class Pulses(LazyRationals):
    """A rational matrix that remembers what was refined."""

    def __init__(self, values: fmpq_mat) -> None:
        super().__init__(values)
        self.asked: list[tuple[int, list[int]]] = []

    def refine(self, bits: int, entries: Sequence[int]) -> None:
        """Remember it."""
        self.asked.append((bits, list(entries)))


def thirds(factor: int) -> fmpq_mat:
    """Return a matrix that nothing rounds away."""
    return fmpq_mat(2, 3, [fmpq(factor * (place + 1) + place**2, 3) for place in range(6)])


@pytest.mark.parametrize(("added", "subtracted"), [((), ()), ((5,), ()), ((), (7,)), ((5, 70), (11, 130))])
@pytest.mark.parametrize("fixed", ["numbers", "reals"])
def test_a_sum_has_every_term_once_with_its_sign(
    fixed: str, added: tuple[int, ...], subtracted: tuple[int, ...]
) -> None:
    plus, minus = ([Pulses(thirds(factor)) for factor in factors] for factors in (added, subtracted))
    first = thirds(1)
    found = LazySum(first if fixed == "numbers" else LazyRationals(first), tuple(plus), tuple(minus))
    entries = [
        fmpq(place + 1 + place**2, 3)
        + sum((fmpq(factor * (place + 1) + place**2, 3) for factor in added), fmpq(0))
        - sum((fmpq(factor * (place + 1) + place**2, 3) for factor in subtracted), fmpq(0))
        for place in range(6)
    ]
    holds(found, [mpmath.mpf(int(entry.p)) / int(entry.q) for entry in entries])
    found.refine(70, [4, 1])
    assert all(term.asked == [(BITS, list(range(6))), (70, [4, 1])] for term in (*plus, *minus))


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (1, 3)])
def test_terms_of_another_shape_are_refused(shape: tuple[int, int]) -> None:
    other = LazyRationals(fmpq_mat(*shape))
    same = LazyRationals(fmpq_mat(2, 3))
    for added, subtracted in (((other,), ()), ((), (other,)), ((same, other), ()), ((same,), (same, other))):
        with pytest.raises(InvalidParameterError, match=r"^added: a term is not of shape \(2, 3\)"):
            LazySum(fmpq_mat(2, 3), added, subtracted)
