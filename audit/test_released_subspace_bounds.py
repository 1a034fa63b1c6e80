"""The envelope of a law of subspaces certainly lies above it: each constant is that of the proof, and no smaller.

A constant that is too small keeps proposals with probability one where it should be less, and the subspaces have
another law. Constants are held against their formulas in fractions. Nothing is statistical.
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision, rational
from dpmatrix.randomness.float_balls import FloatArray, FloatBalls
from dpmatrix.randomness.matrix_envelope import MatrixEnvelope, _row_sums, fitted, linear_bound

HAIR = Fraction(1, 2**40)


def fraction(value: fmpq) -> Fraction:
    """Return a rational number."""
    return Fraction(int(value.p), int(value.q))


def bound_of(eigenvalues: list[Fraction], omegas: list[Fraction], weights: list[Fraction]) -> Fraction:
    """Write out the first line of K, as the module has it."""
    d, k = len(eigenvalues), len(weights)
    bound = sum((eigenvalues[j] + weights[j] * omegas[j] for j in range(k)), Fraction(0))
    for i in range(k):
        bound += max((weights[i] - weights[j]) * (omegas[j] - omegas[i]) for j in range(k)) / 8
    for j in range(k):
        slopes = [eigenvalues[i] - eigenvalues[j] + weights[j] * (omegas[i] - omegas[j]) for i in range(k, d)]
        bound += max([Fraction(0), *slopes])
    return bound


@pytest.mark.parametrize("dimension", range(1, 6))
def test_the_linear_bound_is_its_formula(dimension: int) -> None:
    generator = np.random.default_rng(dimension)
    for columns in range(1, dimension + 1):
        for _ in range(6):
            parts = [
                [Fraction(int(n), int(m)) for n, m in generator.integers((low, 1), (40, 9), (size, 2))]
                for low, size in ((-40, dimension), (1, dimension), (1, columns))
            ]
            found = linear_bound(*([fmpq(x.numerator, x.denominator) for x in part] for part in parts))
            assert fraction(found) == bound_of(*parts)


@pytest.mark.parametrize("dimension", range(1, 6))
def test_the_linear_bound_is_above_what_it_bounds(dimension: int) -> None:
    """Orthonormal columns whose first block is symmetric and positive semidefinite, by a polar decomposition."""
    generator = np.random.default_rng(dimension)
    for columns in range(1, dimension + 1):
        eigenvalues = np.sort(generator.uniform(-3, 3, dimension))[::-1]
        omegas, weights = np.sort(generator.uniform(0.2, 4, dimension)), generator.uniform(0.2, 4, columns)
        bound = linear_bound(*(list(map(rational, part.tolist())) for part in (eigenvalues, omegas, weights)))
        for _ in range(50):
            v = np.linalg.qr(generator.standard_normal((dimension, columns)))[0]
            left, _, right = np.linalg.svd(v[:columns])
            v = v @ (left @ right).T
            assert v[:columns] == pytest.approx(v[:columns].T)
            form = eigenvalues @ v**2 @ np.ones(columns) + omegas @ v**2 @ weights
            assert form <= float(fraction(bound)) + 1e-9


def made(columns: int, weights: list[float]) -> MatrixEnvelope:
    """Return an envelope whose vectors are far from orthonormal, and not eigenvectors."""
    matrix = fmpq_mat([[5, 1, 0], [1, -6, 2], [0, 2, fmpq(1, 2)]])
    vectors = np.array([[1.0, 0.0625, 0.0], [0.0, 1.0, 0.03125], [-0.125, 0.0, 1.0]])
    enclosed = FloatBalls.of_rationals(matrix.entries(), (3, 3))
    return MatrixEnvelope(matrix, columns, enclosed, vectors, np.array([0.5, 2.0, 0.25]), np.array(weights))


@pytest.mark.parametrize(("columns", "weights"), [(1, [0.75]), (2, [0.75, 3.0]), (3, [2.0, 0.5, 1.25])])
def test_the_constants_are_those_of_the_proof(columns: int, weights: list[float]) -> None:
    """From above, and by no more than roundings: tau, r, eta, kappa, and both parts of K."""
    envelope = made(columns, weights)
    u = [[Fraction(x) for x in row] for row in envelope.vectors.tolist()]
    b = [[fraction(envelope.matrix[i, j]) for j in range(3)] for i in range(3)]
    gram = [[sum((u[m][i] * u[m][j] for m in range(3)), Fraction(0)) for j in range(3)] for i in range(3)]
    form = [
        [sum((u[m][i] * b[m][n] * u[n][j] for m in range(3) for n in range(3)), Fraction(0)) for j in range(3)]
        for i in range(3)
    ]
    values = [form[i][i] for i in range(3)]
    tau = max(sum(abs(gram[i][j] - (i == j)) for j in range(3)) for i in range(3))
    rest = max(sum(abs(form[i][j]) for j in range(3) if j != i) for i in range(3))
    eta = (1 + tau) ** 2 * rest + tau * (2 + tau) * max(map(abs, values))
    omegas = [1 / Fraction(scale) ** 2 for scale in envelope.scales.tolist()]
    offset = bound_of(values, omegas, [Fraction(c) for c in weights]) + columns * eta - Fraction(3 * columns, 2)
    assert offset <= fraction(envelope.offset) <= offset + 2**9 * HAIR
    assert 8 * tau <= fraction(envelope.stretch) <= 8 * tau + HAIR
    assert (envelope.dimension, envelope.exact_weights) == (3, [rational(c) for c in weights])
    with precision(200):
        expected = arb(envelope.offset) + 3 * columns * arb(1 + envelope.stretch).log()
        for weight in weights:
            expected -= arb(3) / 2 * (2 * arb(weight) / 3).log()
        assert envelope.constant().overlaps(expected)
        assert envelope.constant().rad() < arb(2) ** -180


def test_an_exponent_that_is_known_less_well_has_a_larger_constant() -> None:
    """By k times the radius of what U'BU may be, in the sum of a row."""
    matrix = fmpq_mat([[2, 0], [0, -1]])
    plain = FloatBalls.of_rationals(matrix.entries(), (2, 2))
    for columns in (1, 2):
        parts = np.eye(2), np.array([1.0, 0.5]), np.ones(columns)
        offsets = []
        for unknown in (0.0, 0.25, 3.0):
            enclosed = FloatBalls(plain.center, np.full((2, 2), unknown))
            offsets.append(fraction(MatrixEnvelope(matrix, columns, enclosed, *parts).offset))
        for unknown, offset in zip((0.0, 0.25, 3.0), offsets, strict=True):
            expected = 2 * columns * Fraction(unknown)
            assert expected <= offset - offsets[0] + HAIR
            assert offset - offsets[0] <= expected + HAIR


def test_vectors_that_are_too_far_from_orthonormal_are_refused() -> None:
    def of(length: float) -> MatrixEnvelope:
        matrix = fmpq_mat([[1, 0], [0, 0]])
        enclosed = FloatBalls.of_rationals(matrix.entries(), (2, 2))
        return MatrixEnvelope(matrix, 1, enclosed, np.diag([1.0, length]), np.ones(2), np.ones(1))

    assert fraction(of(1.2247).stretch) < Fraction(1, 2)
    assert fraction(of(0.70711).stretch) < Fraction(1, 2)
    for length in (1.2248, 0.7071, 0.0, 1.5, np.nan):
        with pytest.raises(InvalidParameterError, match=r"^matrix: its eigenvectors are not certified"):
            of(length)


def test_row_sums_are_bounded_from_above_and_closely() -> None:
    balls = FloatBalls(np.array([[1.0, -4.0], [3.0, 0.25]]), np.array([[0.5, 1.0], [0.0, 2.0]]))
    assert fraction(_row_sums(balls)) == Fraction(13, 2) * (1 + Fraction(2, 2**50))
    ones = FloatBalls(np.ones((3, 7)), np.zeros((3, 7)))
    assert fraction(_row_sums(ones)) == 7 * (1 + Fraction(3, 2**50))
    assert fraction(_row_sums(FloatBalls.exactly(np.array([[2.0**899]])))) > 2**899
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in (2.0**900, np.inf, np.nan):
            with pytest.raises(InvalidParameterError, match=r"^matrix: its eigenvectors are not certified"):
                _row_sums(FloatBalls(np.array([[value]]), np.zeros((1, 1))))
        with pytest.raises(InvalidParameterError, match=r"^matrix: its eigenvectors are not certified"):
            _row_sums(FloatBalls(np.array([[1.7e308, 1.7e308]]), np.zeros((1, 2))))


def test_entries_are_below_a_power_of_two() -> None:
    for entry in (fmpq(2) ** 500, -(fmpq(2) ** 500), fmpq(2) ** 2000):
        for matrix in (fmpq_mat([[entry]]), fmpq_mat([[entry, 0], [0, 1]])):
            with pytest.raises(InvalidParameterError, match=r"^matrix: an entry is beyond 2\*\*500"):
                MatrixEnvelope.of(matrix, 1)
    for entry in (fmpq(2) ** 499, -(fmpq(2) ** 499)):
        assert MatrixEnvelope.of(fmpq_mat([[entry]]), 1).columns == 1


def test_a_matrix_is_symmetric_and_its_columns_are_counted() -> None:
    for matrix in (fmpq_mat(0, 0), fmpq_mat(2, 3), fmpq_mat([[0, 1], [0, 0]])):
        with pytest.raises(InvalidParameterError, match=r"^matrix: it is empty or not symmetric"):
            MatrixEnvelope.of(matrix, 1)
    wrong: list[Any] = [0, -1, 3, True, 1.0]
    for columns in wrong:
        with pytest.raises(InvalidParameterError, match=r"^columns: .* is out of range; pass an integer in \[1, 2\]$"):
            MatrixEnvelope.of(fmpq_mat(2, 2), columns)


def test_envelopes_are_told_apart_as_objects() -> None:
    one, other = (MatrixEnvelope.of(fmpq_mat([[1, 0], [0, 2]]), 1) for _ in range(2))
    assert len({one, other, one}) == 2


SPECTRA = [
    ([3.0], 1),
    ([9.0, 1.0], 1),
    ([9.0, 1.0], 2),
    ([40.0, 30.0, 2.0, 1.0, 0.0], 2),
    ([40.0, 3.0, 2.0, -7.0], 3),
    ([5.0, 5.0, 5.0, 5.0], 2),
    ([0.01, 0.0, 0.0], 1),
    ([500.0, 400.0, 300.0, 5.0, 4.0, 3.0], 3),
]


def lost(eigenvalues: FloatArray, columns: int, omegas: FloatArray, weights: FloatArray) -> float:
    """Compute K - (k/2) sum log omega, without roundings: minus the logarithm of what is kept, up to a constant."""
    size, top, low = len(eigenvalues), range(columns), range(columns, len(eigenvalues))
    found = sum(eigenvalues[j] + weights[j] * omegas[j] for j in top)
    found += sum(max((weights[i] - weights[j]) * (omegas[j] - omegas[i]) for j in top) for i in top) / 8
    for j in top:
        slopes = [eigenvalues[i] - eigenvalues[j] + weights[j] * (omegas[i] - omegas[j]) for i in low]
        found += max([0.0, *slopes])
    return float(found - size / 2 * np.log(weights).sum() - columns / 2 * np.log(omegas).sum())


@pytest.mark.parametrize("gap", [1e80, 1e300, 0.0])
def test_gaps_beyond_reason_leave_the_fit_finite(gap: float) -> None:
    for columns in (1, 2):
        omegas, weights = fitted(np.array([gap, gap / 2, 0.0]), columns)
        for part in (omegas, weights):
            assert np.isfinite(part).all()
            assert (part > 0).all()


@pytest.mark.parametrize(("spectrum", "columns"), SPECTRA)
def test_the_fit_keeps_nearly_as_much_as_any(spectrum: list[float], columns: int) -> None:
    """The lower omegas are the largest without a slope; and no step in a random direction gains a thousandth."""
    eigenvalues = np.array(spectrum)
    omegas, weights = fitted(eigenvalues, columns)
    assert (omegas.shape, weights.shape) == ((len(spectrum),), (columns,))
    assert omegas[0] == 1
    for i in range(columns, len(spectrum)):
        room = [omegas[j] + (spectrum[j] - spectrum[i]) / weights[j] for j in range(columns)]
        assert omegas[i] == pytest.approx(min(room), rel=1e-12)
    best, generator = lost(eigenvalues, columns, omegas, weights), np.random.default_rng(1)
    for _ in range(300):
        step = generator.standard_normal(2 * columns) * 10.0 ** generator.integers(-3, 1)
        others = omegas.copy()
        others[1:columns] *= np.exp(step[1:columns])
        changed = weights * np.exp(step[columns:])
        for i in range(columns, len(spectrum)):
            others[i] = min(others[j] + (spectrum[j] - spectrum[i]) / changed[j] for j in range(columns))
        assert lost(eigenvalues, columns, others, changed) > best - 1e-3


@pytest.mark.parametrize(("spectrum", "columns"), SPECTRA[:4])
def test_an_envelope_is_the_fit_of_falling_eigenvalues(spectrum: list[float], columns: int) -> None:
    """Of a diagonal matrix in another order: vectors are its axes, and scales one over the roots of the omegas."""
    order = np.random.default_rng(2).permutation(len(spectrum))
    shuffled = np.array(spectrum)[order]
    exact = fmpq_mat(np.diag([rational(x) for x in shuffled.tolist()]).tolist())
    envelope = MatrixEnvelope.of(exact, columns)
    falling = np.einsum("ij,i,ij->j", envelope.vectors, shuffled, envelope.vectors)
    assert falling == pytest.approx(sorted(spectrum)[::-1])
    omegas, weights = fitted(np.array(spectrum), columns)
    assert envelope.scales == pytest.approx(omegas**-0.5, rel=1e-12)
    assert envelope.weights == pytest.approx(weights, rel=1e-12)
    assert envelope.columns == columns
    assert envelope.matrix == exact
    assert envelope.enclosed.center == pytest.approx(np.diag(shuffled))
