"""Laplace input perturbation: calibration, exact privacy of the integers, law of the noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb, fmpq
from scipy.stats import laplace

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import LaplaceInputPerturbation, Mechanism
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_laplace_noise

BOTH = list(Adjacency)


def test_printed_scale_is_the_documents():
    # 2 d / (n epsilon) with d = 3, n = 5, epsilon = 1/4.
    mechanism = LaplaceInputPerturbation(Fraction(1, 4), calibration="printed", coordinate_bits=7)
    grid = mechanism.grid_for(np.zeros((5, 3)))
    assert grid == Fraction(1, 5 * 2**14)
    assert mechanism.noise_scale(3) * grid == Fraction(24, 5)


@pytest.mark.parametrize(
    ("adjacency", "dimension", "squared"),
    [
        (Adjacency.REPLACE_ONE, 1, Fraction(1)),
        (Adjacency.REPLACE_ONE, 2, Fraction(5)),
        (Adjacency.REPLACE_ONE, 3, Fraction(33, 4)),
        (Adjacency.ADD_REMOVE_ONE, 1, Fraction(1)),
        (Adjacency.ADD_REMOVE_ONE, 2, Fraction(9, 4)),
        (Adjacency.ADD_REMOVE_ONE, 5, Fraction(9)),
    ],
)
def test_tight_scale_is_the_sensitivity_over_epsilon_rounded_up(adjacency, dimension, squared):
    mechanism = LaplaceInputPerturbation(Fraction(3, 7), adjacency, coordinate_bits=4, norm_bound=Fraction(3, 2))
    unit = Fraction(9, 4) * 4**4 / Fraction(3, 7)
    scale = mechanism.noise_scale(dimension)
    assert scale**2 >= squared * unit**2
    assert (scale - Fraction(1, 2**31)) ** 2 < squared * unit**2


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("dimension", [1, 2, 7, 40])
def test_tight_is_never_noisier_than_printed(adjacency, dimension):
    tight, printed = (LaplaceInputPerturbation(1, adjacency, kind) for kind in ("tight", "printed"))
    assert tight.noise_scale(dimension) < printed.noise_scale(dimension)


def lattice_records(dimension, bits):
    """List every record on the lattice inside the unit ball."""
    side = range(-(2**bits), 2**bits + 1)
    return [
        np.array(point) / 2.0**bits for point in product(side, repeat=dimension) if sum(k * k for k in point) <= 4**bits
    ]


def worst_loss(mechanism, dimension, bits):
    """Compute the largest exact log-ratio of masses over all pairs of one-record data sets."""
    records = lattice_records(dimension, bits)
    zero = [np.zeros((0, dimension))] if mechanism.adjacency is Adjacency.ADD_REMOVE_ONE else []
    neighbours = zero or [record[None, :] for record in records]
    worst = Fraction(0)
    # Signs and the order of the coordinates may be changed in both records at once: one record of each orbit will do.
    for record in (record for record in records if (np.diff(record) >= 0).all() and record[0] >= 0):
        peak = lattice_gram(record[None, :], bits)
        for neighbour in neighbours:
            # A product of two-sided geometric laws has its greatest ratio at the centre of one of them.
            worst = max(worst, mechanism.log_mass_ratio(record[None, :], neighbour, peak))
    return worst


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("calibration", ["tight", "printed"])
@pytest.mark.parametrize(("dimension", "bits"), [(1, 3), (2, 3), (3, 1)])
def test_loss_of_every_lattice_pair_is_at_most_epsilon(adjacency, calibration, dimension, bits):
    epsilon = Fraction(2, 3)
    mechanism = LaplaceInputPerturbation(epsilon, adjacency, calibration, coordinate_bits=bits)
    assert 0 < worst_loss(mechanism, dimension, bits) <= epsilon


@pytest.mark.parametrize("adjacency", BOTH)
def test_control_three_quarters_of_the_tight_scale_breaks_the_bound(adjacency):
    class LessNoise(LaplaceInputPerturbation):
        def noise_scale(self, dimension):
            return super().noise_scale(dimension) * 3 / 4

    assert worst_loss(LessNoise(1, adjacency, coordinate_bits=3), 2, 3) > 1


def test_loss_is_greatest_at_the_centres():
    mechanism = LaplaceInputPerturbation(1, coordinate_bits=2)
    data, neighbour = [[0.75, 0.5]], [[-0.25, 0.75]]
    peak = mechanism.log_mass_ratio(data, neighbour, lattice_gram(np.array(data), 2))
    for shift in product(range(-6, 7, 3), repeat=3):
        outcome = np.array([[shift[0], shift[1]], [shift[1], shift[2]]], dtype=object)
        assert abs(mechanism.log_mass_ratio(data, neighbour, outcome)) <= peak


def test_density_loss_is_the_difference_of_distances():
    mechanism = LaplaceInputPerturbation(1, calibration="printed", divisor=1)
    data, neighbour = [[0.5, 0.5]], [[0.5, -0.5]]
    # Only the off-diagonal entry differs: 1/4 against -1/4, scale 4.
    assert mechanism.log_density_ratio(data, neighbour, [[9.0, 1.0], [1.0, 3.0]]) == arb(fmpq(1, 8))
    assert mechanism.log_density_ratio(data, neighbour, [[9.0, -1.0], [-1.0, 3.0]]) == arb(fmpq(-1, 8))
    assert mechanism.log_density_ratio(data, neighbour, [[9.0, 0.0], [0.0, 3.0]]) == 0


def test_data_sets_that_cannot_be_compared_are_refused():
    mechanism = LaplaceInputPerturbation(1)
    with pytest.raises(InvalidParameterError, match="neighbour"):
        mechanism.log_density_ratio([[0.5]], [[0.5], [0.5]], [[1.0]])
    with pytest.raises(InvalidParameterError, match="neighbour"):
        mechanism.log_density_ratio([[0.5]], [[0.5, 0.0]], [[1.0]])
    with pytest.raises(InvalidParameterError, match="integers"):
        mechanism.log_mass_ratio([[0.5]], [[0.25]], [[0.5]])


@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (0.75, False)])
def test_released_noise_is_laplace_in_every_entry_of_the_triangle(cdf_radius, cdf_distance, factor, accepted):
    # 66 entries a release; the control's law is 0.0527 away, the radius 0.0167, the lattice step 1e-9.
    mechanism = LaplaceInputPerturbation(1)
    data = np.full((3, 11), 0.25)
    entropy, upper = SystemEntropy(), np.triu_indices(11)
    exact = np.full(66, 0.0625)
    noise = np.concatenate([mechanism.release(data, entropy=entropy).to_numpy()[upper] - exact for _ in range(650)])
    scale = float(mechanism.noise_scale(11) * mechanism.grid_for(data))
    assert (cdf_distance(factor * noise, laplace(scale=scale).cdf) <= cdf_radius(noise.size) + 1e-6) is accepted


@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (0.75, False)])
def test_simulated_noise_is_laplace(cdf_radius, cdf_distance, factor, accepted):
    mechanism = LaplaceInputPerturbation(2, Adjacency.ADD_REMOVE_ONE)
    outputs = mechanism.simulate([[0.5, 0.5], [0.5, -0.5]], 20_000, np.random.default_rng(2))
    assert outputs.shape == (20_000, 2, 2)
    assert (outputs == np.swapaxes(outputs, 1, 2)).all()
    noise = (outputs - 0.5 * np.eye(2))[:, [0, 0, 1], [0, 1, 1]].ravel()
    # Scale (d + 1) / 2 / epsilon.
    assert (cdf_distance(factor * noise, laplace(scale=0.75).cdf) <= cdf_radius(noise.size)) is accepted


def test_release_is_the_integer_matrix_plus_the_draws_of_the_same_bits():
    mechanism = LaplaceInputPerturbation(1, coordinate_bits=5)
    data = np.array([[0.3, -0.7], [0.1, 0.2]])
    release = mechanism.release(data, entropy=SeededEntropy(1))
    entropy, expected = SeededEntropy(1), lattice_gram(data, 5)
    for entry, noise in zip(
        ((0, 0), (0, 1), (1, 1)), discrete_laplace_noise(mechanism.noise_scale(2), 3, entropy), strict=True
    ):
        expected[entry] += noise
    assert release.integers[np.triu_indices(2)].tolist() == expected[np.triu_indices(2)].tolist()
    assert release.integers[1, 0] == release.integers[0, 1]
    assert release.grid == Fraction(1, 2 * 4**5)


def test_it_is_a_mechanism():
    assert isinstance(LaplaceInputPerturbation(1), Mechanism)
