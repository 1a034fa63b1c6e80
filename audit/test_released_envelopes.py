"""A direction is proposed below an envelope that certainly covers its law, and kept with the probability that is left.

A bound that is too small, a power or a factor that is missing, and the directions have another law. Each constant and
each margin is held against its formula, in fractions or in balls of 300 bits. Nothing is statistical.
"""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from audit.released.proposals import EXPONENTS, exponent, in_balls, in_floats, near
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness import bingham
from dpmatrix.randomness.bingham import BinghamSampler, Envelope, LazyProposals, ScaledIntegers
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls

# The envelope


@pytest.mark.parametrize("name", EXPONENTS)
def test_the_envelope_covers_the_law_by_its_defect_and_little_more(name: str) -> None:
    """``F' Omega F - I`` has row sums of at most rho, for the exact shift, width and factor; rho is rounding."""
    envelope, size = Envelope.of(exponent(name)), len(EXPONENTS[name])
    with precision(300):
        shift, width, exact = in_balls(envelope.shift), in_balls(envelope.width), arb_mat(exponent(name))
        omega = [
            [(1 + 2 * shift / width) * (i == j) - 2 / width * exact[i, j] for j in range(size)] for i in range(size)
        ]
        factor = arb_mat(envelope.factor.tolist())
        product = factor.transpose() * arb_mat(omega) * factor
        rows = [sum((abs(product[i, j] - (i == j)) for j in range(size)), arb(0)) for i in range(size)]
        assert all(row <= in_balls(envelope.defect) for row in rows)
    assert 0 <= envelope.defect < Fraction(1, 10**11)
    assert envelope.dimension == size
    assert fmpq_mat(envelope.matrix.integers) * envelope.matrix.unit == exponent(name)
    for place, value in enumerate(exponent(name).entries()):
        center, radius = (float(part.ravel()[place]) for part in (envelope.enclosed.center, envelope.enclosed.radius))
        with precision(300):
            assert near(arb(value), center, radius, 1e-12)


@pytest.mark.parametrize("name", EXPONENTS)
def test_the_shift_is_the_largest_eigenvalue_and_the_width_solves_its_equation(name: str) -> None:
    """Nearly: they decide how often a proposal is kept."""
    envelope = Envelope.of(exponent(name))
    eigenvalues = np.linalg.eigvalsh(in_floats(name))
    assert float(envelope.shift) == pytest.approx(eigenvalues[-1], abs=1e-9)
    assert 0 < envelope.width <= envelope.dimension
    assert np.sum(1 / (float(envelope.width) + 2 * (eigenvalues[-1] - eigenvalues))) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "gaps", [[0.0], [0.0, 0.0, 0.0], [0.0, 1e-9], [0.0, 1e9], [0.0, 0.5, 3.0, 100.0], [0.0] + [0.01] * 60, [0.0, 1e-3]]
)
def test_the_width_solves_its_equation_for_any_gaps(gaps: list[float]) -> None:
    """It is at most the dimension, which it is for gaps of zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        width = bingham._best_width(np.array(gaps))
    assert np.sum(1 / (width + 2 * np.array(gaps))) == pytest.approx(1, abs=1e-9)
    assert 0 < width <= len(gaps)


def far_from_inverse(size: int, by: float) -> tuple[FloatBalls, float, float, np.ndarray]:
    """Return a matrix, a shift, a width, and a factor whose defect is about as large as asked for, or larger."""
    generator = np.random.default_rng(size)
    symmetric = generator.uniform(-1, 1, (size, size)) / 64
    factor = np.sqrt(1 + by) * np.eye(size) + generator.uniform(-1, 1, (size, size)) / 512
    return FloatBalls.exactly(symmetric + symmetric.T), 0.0, 2.0, factor


@pytest.mark.parametrize("size", [2, 6, 9])
def test_a_large_defect_is_the_largest_row_sum_and_its_roundings(size: int) -> None:
    """The sum of what bounds a row, in fractions, and as many of ``2**-50`` as it has terms."""
    matrix, shift, width, factor = far_from_inverse(size, 0.25)
    with precision(64):
        defect = bingham._defect(matrix, shift, width, factor)
    # With shift zero and width two, Omega is I - B.
    exact = FloatBalls.exactly(factor)
    omega = FloatBalls.exactly(np.eye(size)) - matrix
    difference = exact.transposed @ omega @ exact - FloatBalls.exactly(np.eye(size))
    sums = [
        sum(abs(Fraction(c)) + Fraction(r) for c, r in zip(centers, radii, strict=True))
        for centers, radii in zip(difference.center.tolist(), difference.radius.tolist(), strict=True)
    ]
    assert max(sums) > Fraction(1, 4)
    # The sum itself is rounded as often as it has terms, each time by an eighth of that at most.
    assert abs((defect / max(sums) - 1) * 2**50 - size) <= Fraction(size + 4, 8)


@pytest.mark.parametrize("unknown", [0.0, 2.0**-20, 0.125])
@pytest.mark.parametrize("shift", [0.25, 0.75, 4.0])
@pytest.mark.parametrize("width", [1.0, 3.0])
def test_a_defect_bounds_what_a_matrix_may_be(unknown: float, shift: float, width: float) -> None:
    """Of a matrix of which an entry is known less well, both ends of it; the bound is not wider by much."""
    center = np.array([[0.5, 0.0625], [0.0625, -0.25]])
    radius = np.array([[unknown, 0.0], [0.0, unknown / 4]])
    factor = np.linalg.inv(np.linalg.cholesky((1 + 2 * shift / width) * np.eye(2) - 2 / width * center)).T
    defect = bingham._defect(FloatBalls(center, radius), shift, width, factor)
    largest = Fraction(0)
    f = [[Fraction(x) for x in row] for row in factor.tolist()]
    for one, two in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        ends = (center + radius * np.diag([one, two])).tolist()
        s, b = Fraction(shift), Fraction(width)
        omega = [[(1 + 2 * s / b) * (i == j) - 2 / b * Fraction(ends[i][j]) for j in range(2)] for i in range(2)]
        rows = [
            sum(
                abs(sum(f[m][i] * omega[m][n] * f[n][j] for m in range(2) for n in range(2)) - (i == j))
                for j in range(2)
            )
            for i in range(2)
        ]
        largest = max(largest, *map(Fraction, rows))
    assert largest <= defect <= largest * Fraction(3, 2) + Fraction(1, 10**12)


def test_a_defect_of_one_or_more_is_refused() -> None:
    for size, by in ((3, 0.99), (3, 1.5), (2, 3.0)):
        with pytest.raises(InvalidParameterError, match=r"^matrix: its envelope is not certified"):
            bingham._defect(*far_from_inverse(size, by))
    assert bingham._defect(*far_from_inverse(3, 0.9)) < 1
    nothing = FloatBalls.exactly(np.zeros((2, 2)))
    for large in (1e200, np.inf, np.nan):
        with pytest.raises(InvalidParameterError, match=r"^matrix: its envelope is not certified"):
            bingham._defect(nothing, 0.0, 1.0, np.full((2, 2), large))
    for radius in (np.inf, np.nan):
        with pytest.raises(InvalidParameterError, match=r"^matrix: its envelope is not certified"):
            bingham._defect(FloatBalls(np.zeros((2, 2)), np.full((2, 2), radius)), 0.0, 1.0, np.eye(2))


@pytest.mark.parametrize("matrix", [fmpq_mat(0, 0), fmpq_mat([[0, 1], [0, 0]]), fmpq_mat(2, 3)])
def test_a_matrix_without_a_law_is_refused(matrix: fmpq_mat) -> None:
    for build in (Envelope.of, BinghamSampler, lambda one: Envelope.of(ScaledIntegers.of(one))):
        with pytest.raises(InvalidParameterError, match=r"^matrix: it is empty or not symmetric"):
            build(matrix)


@pytest.mark.parametrize("entry", [fmpq(2) ** 500, -(fmpq(2) ** 500), fmpq(2) ** 501, fmpq(2) ** 600, fmpq(2) ** 2000])
def test_entries_beyond_floats_are_refused(entry: fmpq) -> None:
    for matrix in (fmpq_mat([[1, 0], [0, entry]]), fmpq_mat([[entry]])):
        with pytest.raises(InvalidParameterError, match=r"^matrix: an entry is beyond 2\*\*500"):
            Envelope.of(matrix)


@pytest.mark.parametrize("entry", [fmpq(2) ** 500 - fmpq(2) ** 447, fmpq(2) ** 60])
def test_entries_that_are_rounded_by_more_than_one_are_not_certified(entry: fmpq) -> None:
    with pytest.raises(InvalidParameterError, match=r"^matrix: its envelope is not certified"):
        Envelope.of(fmpq_mat([[entry, 0], [0, -entry]]))


def test_an_envelope_that_floats_do_not_certify_is_refused() -> None:
    """Eigenvalues so far apart that the factor is rounded by more than the identity."""
    large = fmpq(10) ** 30
    with pytest.raises(InvalidParameterError, match=r"^matrix: its envelope is not certified"):
        Envelope.of(fmpq_mat([[large, large / 3, 1], [large / 3, -large, 7], [1, 7, 0]]))


def test_a_rational_matrix_is_integers_in_units() -> None:
    scaled = ScaledIntegers.of(exponent("three"))
    assert fmpq_mat(scaled.integers) * scaled.unit == exponent("three")
    assert scaled.unit == fmpq(1, 21)
    enclosed = ScaledIntegers(fmpz_mat([[6, 3], [3, -9]]), fmpq(5, 7)).enclosed()
    assert enclosed.shape == (2, 2)
    for center, radius, value in zip(enclosed.center.ravel(), enclosed.radius.ravel(), (6, 3, 3, -9), strict=True):
        exact = Fraction(5 * value, 7)
        assert abs(Fraction(float(center)) - exact) <= Fraction(float(radius)) <= abs(exact) / 2**52
    assert ScaledIntegers(fmpz_mat(2, 3), fmpq(1)).enclosed().shape == (2, 3)


def test_integers_in_units_are_taken_as_they_are() -> None:
    """A unit with a numerator, which no matrix of reduced rationals has."""
    scaled = ScaledIntegers(fmpz_mat([[6, 2], [2, -9]]), fmpq(5, 7))
    envelope = Envelope.of(scaled)
    assert envelope.matrix is scaled
    assert BinghamSampler(scaled).envelope.matrix is scaled
    other = Envelope.of(fmpq_mat([[fmpq(30, 7), fmpq(10, 7)], [fmpq(10, 7), fmpq(-45, 7)]]))
    one, two = (LazyProposals(found, 5, SeededEntropy(9)) for found in (envelope, other))
    with precision(100):
        for a, b in zip(one.enclose(range(5)), two.enclose(range(5)), strict=True):
            assert abs(a - b) < arb(2) ** -30
