"""Exact draws of subspaces: the law against quadrature, decisions that no filter changes, and refusals."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat
from scipy.integrate import quad

from dpmatrix.errors import EntropyError, InvalidParameterError, TooSlowError
from dpmatrix.exact import precision, rational
from dpmatrix.randomness import fast_rectangles
from dpmatrix.randomness.bingham import BinghamSampler
from dpmatrix.randomness.decisions import positive, round_to_grid
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.matrix_bingham import LazyMatrixProposals, MatrixBinghamSampler
from dpmatrix.randomness.matrix_envelope import MatrixEnvelope

SPECTRUM = ("0.5", "0.3", "0.04", "0.03", "0.02", "0.01", "0.004", "0.003", "0.001", "0.001")


def exact(matrix):
    rows, columns = np.shape(matrix)
    return fmpq_mat(rows, columns, [rational(float(entry)) for entry in np.ravel(matrix)])


def rotated(eigenvalues, seed=0):
    """Give a symmetric matrix with about these eigenvalues, and its eigenvectors."""
    size = len(eigenvalues)
    vectors = np.linalg.qr(np.random.default_rng(seed).standard_normal((size, size)))[0]
    product = (vectors * eigenvalues) @ vectors.T
    return exact((product + product.T) / 2), vectors


def hoeffding(count, statements):
    """Radius of the mean of values in [0, 1], wrong for one of the statements with probability below 1e-10."""
    return np.sqrt(np.log(2e10 * statements) / (2 * count))


def distance(values, density, low, high):
    """Compare values with the law of a density, by its distribution function on a grid."""
    places = np.linspace(low, high, 2001)
    pieces = [quad(density, *ends)[0] for ends in pairwise(places)]
    law = np.concatenate([[0.0], np.cumsum(pieces)]) / np.sum(pieces)
    at = np.interp(np.sort(values), places, law)
    ranks = np.arange(len(values) + 1) / len(values)
    return float(max(np.max(np.abs(at - ranks[1:])), np.max(np.abs(at - ranks[:-1]))))


@pytest.mark.parametrize(("columns", "sign"), [(1, 1), (2, -1)])
@pytest.mark.parametrize("strength", [4.0, -6.0])
def test_planes_and_lines_in_space_follow_the_law(cdf_radius, columns, sign, strength):
    # The normal u of a plane has a density proportional to exp(-u'Bu); for B = l ww', t = <u, w> has exp(-l t^2).
    matrix, vectors = rotated([strength, 0.0, 0.0])
    draws, share = MatrixBinghamSampler(matrix, columns).approximate_draws(40_000, SeededEntropy(1))
    energy = np.sum((vectors[:, 0] @ draws) ** 2, axis=1)
    cosines = np.sqrt(np.clip(energy if columns == 1 else 1 - energy, 0, 1))
    radius = cdf_radius(40_000) + 1e-5
    assert distance(cosines, lambda t: np.exp(sign * strength * t * t), 0, 1) <= radius
    # Control: 1.4 times the strength is another law.
    assert distance(cosines, lambda t: np.exp(1.4 * sign * strength * t * t), 0, 1) > radius
    assert share > 0.2


def plane_energies(eigenvalues):
    """Compute E |V'v_i|^2 for planes in R^4, as derivatives of the logarithm of the normalising constant.

    A plane is a pair (a, b) of points of the sphere, by its Pluecker coordinates; both are uniform, and tr V'BV is
    ``(tr B + d_1 a_1 b_1 + d_2 a_2 b_2 + d_3 a_3 b_3) / 2``, d_m the sum of two eigenvalues less that of the others.
    The mean over b is sinh(r) / r, r = |d a| / 2.
    """
    signs = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]])
    nodes, weights = np.polynomial.legendre.leggauss(80)
    height, turn = np.meshgrid(nodes, (np.arange(160) + 0.5) * np.pi / 80, indexing="ij")
    flat = np.sqrt(1 - height**2)
    sphere = np.stack([height, flat * np.cos(turn), flat * np.sin(turn)])

    def log_constant(values):
        r = np.sqrt(np.einsum("m,mij->ij", (signs @ values) ** 2, sphere**2)) / 2
        return np.sum(values) / 2 + np.log(np.sum(weights[:, None] * np.sinh(r) / r))

    steps = np.eye(4) * 1e-4
    values = np.array(eigenvalues)
    return np.array([(log_constant(values + h) - log_constant(values - h)) / 2e-4 for h in steps])


def test_energies_of_planes_sum_to_two():
    assert np.allclose(plane_energies([3.0, 1.0, -2.0, 0.5]).sum(), 2, atol=1e-6)
    assert np.allclose(plane_energies([1e-3, 0, 0, 0]), 0.5, atol=1e-3)


@pytest.mark.parametrize("eigenvalues", [[6.0, 2.0, 1.0, 0.0], [9.0, 8.0, 0.0, -2.0], [3.0, 3.0, 3.0, 0.0]])
def test_planes_in_four_dimensions_have_the_energies_of_the_law(eigenvalues):
    count = 40_000
    matrix, vectors = rotated(eigenvalues)
    draws, _ = MatrixBinghamSampler(matrix, 2).approximate_draws(count, SeededEntropy(2))
    energies = np.mean(np.sum(np.einsum("di,ndk->nik", vectors, draws) ** 2, axis=2), axis=0)
    radius = hoeffding(count, 4) + 1e-6
    assert np.all(np.abs(energies - plane_energies(eigenvalues)) <= radius)
    # Control: 1.4 times the strength is another law.
    assert np.any(np.abs(energies - plane_energies([1.4 * value for value in eigenvalues])) > radius)


def test_bases_are_uniform_in_their_subspace():
    # The angle of the first column within the plane is uniform; and E V = 0.
    matrix, vectors = rotated([5.0, 2.0, 0.0])
    draws, _ = MatrixBinghamSampler(matrix, 2).approximate_draws(20_000, SeededEntropy(3))
    inside = np.einsum("d,ndk->nk", vectors[:, 2], draws)
    quarter = np.mean(np.prod(inside, axis=1) > 0)
    assert abs(quarter - 0.5) <= hoeffding(20_000, 1)
    assert np.all(np.abs(draws.mean(axis=0)) <= 2 * hoeffding(20_000, 6))


def test_one_column_is_the_bingham_law_on_the_sphere():
    matrix, vectors = rotated([5.0, 3.0, 1.0, 0.0, -2.0])
    count = 20_000
    ours, share = MatrixBinghamSampler(matrix, 1).approximate_draws(count, SeededEntropy(4))
    others, other_share = BinghamSampler(matrix).approximate_draws(count, SeededEntropy(5))
    first, second = np.mean((vectors.T @ ours[:, :, 0].T) ** 2, axis=1), np.mean((others @ vectors) ** 2, axis=0)
    assert np.all(np.abs(first - second) <= 2 * hoeffding(count, 10))
    assert abs(share - other_share) < 0.05


def test_the_spectrum_of_the_document_is_within_reach():
    # n = 5000, epsilon = 1: B = 2500 A. The share is 0.043; 1,000 kept leave the bounds with probability < 1e-9.
    matrix, _ = rotated([2500 * float(value) for value in SPECTRUM])
    _, share = MatrixBinghamSampler(matrix, 2).approximate_draws(1000, SeededEntropy(6))
    assert 0.034 < share < 0.057


CASES = [
    (exact(np.zeros((3, 3))), 2),
    (exact(np.diag([5.0, 5.0, 1.0, 0.0])), 2),
    (exact(np.diag([1.0, 2.0, 3.0, 50.0])), 3),
    (exact([[1000.0, 300.0, 0.0], [300.0, 100.0, 1.0], [0.0, 1.0, -500.0]]), 2),
    (exact([[1.0, 0.5], [0.5, -7.0]]), 2),
    (rotated([1250.0, 750.0, 100.0, 75.0, 50.0])[0], 2),
    (rotated([400.0, 20.0, 19.0, 1.0, 0.0, 0.0], 1)[0], 3),
    (fmpq_mat([[fmpq(7, 3)]]), 1),
]


@pytest.mark.parametrize(("matrix", "columns"), CASES)
def test_no_subspace_is_kept_with_probability_above_one(matrix, columns):
    proposals = LazyMatrixProposals(MatrixEnvelope.of(matrix, columns), 200, SeededEntropy(7))
    proposals.refine(256, range(200))
    with precision(256):
        margins = proposals.enclose(range(200))
        exponentials = proposals.exponentials.enclose(range(200))
    assert all(margin - exponential < arb((1, -40)) for margin, exponential in zip(margins, exponentials, strict=True))
    assert float(proposals.envelope.stretch) < 1e-9


@pytest.mark.parametrize(("matrix", "columns"), CASES[:-1])
def test_filter_and_balls_agree_on_the_same_digits(matrix, columns):
    proposals = LazyMatrixProposals(MatrixEnvelope.of(matrix, columns), 100, SeededEntropy(8))
    filtered = positive(proposals)
    assert (filtered == positive(proposals, filtered=False)).all()
    balls = proposals.approximate()
    with precision(200):
        for ball, center, radius in zip(
            proposals.enclose(range(100)), balls.center.tolist(), balls.radius.tolist(), strict=True
        ):
            assert not radius < float("inf") or abs(ball - arb(center)) < radius
    assert np.median(balls.radius) < 1e-7


def test_a_projector_is_rounded_correctly():
    sampler = MatrixBinghamSampler(*CASES[5])
    for seed in range(5):
        drawn = sampler.draw(SeededEntropy(seed))
        coarse, fine = (round_to_grid(drawn, Fraction(1, 2**bits)) for bits in (20, 60))
        assert (coarse == coarse.T).all()
        assert (np.abs(fine - coarse * 2**40) <= 2**39).all(), "the finer release rounds to the coarser"
        projector = fine.astype(float) / 2**60
        assert np.allclose(projector @ projector, projector, atol=1e-12)
        assert abs(np.trace(projector) - sampler.columns) < 1e-12


def test_the_precision_of_the_first_attempt_does_not_matter():
    drawn = MatrixBinghamSampler(*CASES[3]).draw(SeededEntropy(9))
    first = round_to_grid(drawn, Fraction(1, 2**30), first_bits=4)
    assert (first == round_to_grid(drawn, Fraction(1, 2**30), first_bits=512)).all()


def test_a_law_that_is_uniform_keeps_everything():
    assert MatrixBinghamSampler(*CASES[0]).approximate_draws(1000, SeededEntropy(9))[1] > 0.999


class NoEntropy(SeededEntropy):
    """A source that must not be asked."""

    def bits(self, count):
        """Fail."""
        raise AssertionError(f"{count} random bits were used")

    bytes = bits


def test_what_would_take_too_long_is_refused_before_a_bit_is_drawn():
    matrix, _ = rotated(np.concatenate([[900.0, 800.0, 700.0, 600.0], np.linspace(100, 0, 96)]))
    sampler = MatrixBinghamSampler(matrix, 4)
    assert sampler.expected_share < 1e-10
    for draw in (sampler.draw, lambda entropy: sampler.approximate_draws(1, entropy)):
        with pytest.raises(TooSlowError, match="a draw would take more than"):
            draw(NoEntropy(0))


def test_the_budget_of_proposals_ends_a_draw():
    matrix, _ = rotated([2500 * float(value) for value in SPECTRUM])
    sampler = MatrixBinghamSampler(matrix, 2, most_proposals=40)
    # A draw fails with probability 0.957**40 = 0.17: one of 200 does but for a probability of 1e-16.
    entropies = [SeededEntropy(seed) for seed in range(200)]
    with pytest.raises(TooSlowError, match="a draw would take more than 40 proposals"):
        list(map(sampler.draw, entropies))


@pytest.mark.parametrize(
    ("matrix", "columns", "parameter"),
    [
        (fmpq_mat(0, 0), 1, "matrix"),
        (fmpq_mat([[0, 1], [0, 0]]), 1, "matrix"),
        (fmpq_mat([[fmpq(2) ** 600]]), 1, "matrix"),
        (fmpq_mat(2, 3), 1, "matrix"),
        (fmpq_mat(2, 2), 0, "columns"),
        (fmpq_mat(2, 2), 3, "columns"),
        (fmpq_mat(2, 2), True, "columns"),
        (fmpq_mat(2, 2), 1.0, "columns"),
    ],
)
def test_bad_arguments_are_refused(matrix, columns, parameter):
    with pytest.raises(InvalidParameterError, match=parameter):
        MatrixBinghamSampler(matrix, columns)


def test_a_fork_between_proposal_and_rounding_is_refused(monkeypatch):
    drawn = MatrixBinghamSampler(*CASES[3]).draw(SeededEntropy(1))
    monkeypatch.setattr(fast_rectangles, "process_identity", lambda: (0, 99))
    with pytest.raises(EntropyError, match="forked"):
        round_to_grid(drawn, Fraction(1, 2**20))
