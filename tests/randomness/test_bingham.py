"""Exact Bingham draws: the law on the sphere, the envelope, and decisions that no filter changes."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat
from scipy.integrate import quad

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.exact import precision, rational
from dpmatrix.randomness import fast_rectangles
from dpmatrix.randomness.bingham import BinghamSampler, Envelope, LazyProposals
from dpmatrix.randomness.decisions import positive, round_to_grid
from dpmatrix.randomness.entropy import SeededEntropy


def exact(matrix):
    rows, columns = np.shape(matrix)
    return fmpq_mat(rows, columns, [rational(float(entry)) for entry in np.ravel(matrix)])


def spiked(direction, strength):
    """Give strength * uu' for the unit vector u along a direction."""
    u = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    product = strength * np.outer(u, u)
    return exact((product + product.T) / 2), u


def distance_to_spiked_law(cosines, strength, dimension):
    """Compare cosines with the density proportional to exp(l t^2) (1 - t^2)^((d - 3)/2), by its CDF on a grid."""

    def density(angle):
        return np.exp(strength * (np.cos(angle) ** 2 - 1)) * np.sin(angle) ** (dimension - 2)

    angles = np.linspace(0, np.pi, 2001)
    pieces = [quad(density, *ends)[0] for ends in pairwise(angles)]
    cdf = np.concatenate([[0.0], np.cumsum(pieces)]) / np.sum(pieces)
    values = np.sort(np.arccos(np.clip(cosines, -1, 1)))
    at = np.interp(values, angles, cdf)
    ranks = np.arange(len(values) + 1) / len(values)
    return float(max(np.max(np.abs(at - ranks[1:])), np.max(np.abs(at - ranks[:-1]))))


@pytest.mark.parametrize(
    ("direction", "strength"),
    [([3, 4], 2.0), ([1, 0, 0], 5.0), ([1, 2, -2], -3.0), ([1, 1, 1, 1, 1], 8.0), (list(range(1, 13)), 40.0)],
)
def test_draws_follow_the_law(cdf_radius, direction, strength):
    matrix, u = spiked(direction, strength)
    draws, share = BinghamSampler(matrix).approximate_draws(40_000, SeededEntropy(5))
    radius = cdf_radius(40_000) + 1e-5
    assert distance_to_spiked_law(draws @ u, strength, len(u)) <= radius
    # Control: 1.4 times the strength is another law.
    assert distance_to_spiked_law(draws @ u, 1.4 * strength, len(u)) > radius
    assert 0.2 < share <= 1
    assert np.allclose(np.sum(draws**2, axis=1), 1)


@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (1.4, False)])
def test_second_moments_are_derivatives_of_the_normalising_constant(factor, accepted):
    # In the plane, B = diag(a, b): E v_1^2 from quadrature; Hoeffding with error 1e-10 for 40,000 draws is 0.0172.
    a, b = 3.0, -1.0
    draws, _ = BinghamSampler(exact(np.diag([a, b]))).approximate_draws(40_000, SeededEntropy(6))

    def weight(angle):
        return np.exp(factor * (a * np.cos(angle) ** 2 + b * np.sin(angle) ** 2))

    expected = quad(lambda t: np.cos(t) ** 2 * weight(t), 0, np.pi)[0] / quad(weight, 0, np.pi)[0]
    assert bool(abs(np.mean(draws[:, 0] ** 2) - expected) <= np.sqrt(np.log(2e10) / 80_000)) is accepted


MATRICES = [
    exact(np.zeros((3, 3))),
    exact(np.diag([5.0, 5.0, 1.0, 0.0])),
    exact([[2.0, 0.5], [0.5, -7.0]]),
    exact([[1000.0, 300.0, 0.0], [300.0, 100.0, 1.0], [0.0, 1.0, -500.0]]),
    fmpq_mat([[fmpq(7, 3)]]),
]


@pytest.mark.parametrize("matrix", MATRICES)
def test_no_direction_is_kept_with_probability_above_one(matrix):
    # -log p >= 0 at random directions and at the one where the bound is tight.
    envelope = Envelope.of(matrix)
    proposals = LazyProposals(envelope, 200, SeededEntropy(7))
    with precision(128):
        margins = proposals.enclose(range(200))
        exponentials = proposals.exponentials.enclose(range(200))
    assert all(margin - exponential < arb((1, -40)) for margin, exponential in zip(margins, exponentials, strict=True))
    assert float(envelope.defect) < 1e-9


@pytest.mark.parametrize("matrix", MATRICES)
def test_filter_and_balls_agree_on_the_same_digits(matrix):
    proposals = LazyProposals(Envelope.of(matrix), 100, SeededEntropy(8))
    filtered = positive(proposals)
    assert (filtered == positive(proposals, filtered=False)).all()
    balls = proposals.approximate()
    with precision(200):
        for ball, center, radius in zip(
            proposals.enclose(range(100)), balls.center.tolist(), balls.radius.tolist(), strict=True
        ):
            assert not radius < float("inf") or abs(ball - arb(center)) < radius
    assert np.median(balls.radius) < 1e-9


def test_a_direction_is_rounded_correctly():
    sampler = BinghamSampler(MATRICES[3])
    for seed in range(5):
        direction = sampler.draw(SeededEntropy(seed))
        rounded = round_to_grid(direction, Fraction(1, 2**40))
        assert (round_to_grid(direction, Fraction(1, 2**40), filtered=False) == rounded).all()
        assert abs(sum(int(value) ** 2 for value in rounded) / 2**80 - 1) < 1e-11


def test_a_law_that_is_uniform_keeps_everything():
    assert BinghamSampler(MATRICES[0]).approximate_draws(1000, SeededEntropy(9))[1] > 0.999


@pytest.mark.parametrize(
    "matrix", [fmpq_mat(0, 0), fmpq_mat([[0, 1], [0, 0]]), fmpq_mat([[fmpq(2) ** 600]]), fmpq_mat(2, 3)]
)
def test_bad_matrices_are_refused(matrix):
    with pytest.raises(InvalidParameterError, match="matrix"):
        BinghamSampler(matrix)


def test_a_fork_between_proposal_and_rounding_is_refused(monkeypatch):
    direction = BinghamSampler(MATRICES[2]).draw(SeededEntropy(1))
    monkeypatch.setattr(fast_rectangles, "process_identity", lambda: (0, 99))
    with pytest.raises(EntropyError, match="forked"):
        round_to_grid(direction, Fraction(1, 2**20))
