"""The symmetrised Wishart mechanism: scale, law, density, and a loss that never exceeds epsilon."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat
from scipy.integrate import dblquad
from scipy.stats import laplace

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.mechanisms import (
    LaplaceInputPerturbation,
    Mechanism,
    SymmetrisedWishartMechanism,
    exact_products,
    project_psd,
)
from dpmatrix.mechanisms.symmetrised_wishart_density import log_density
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.lazy_grams import StandardWisharts

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
ONE = Fraction(1)


@pytest.mark.parametrize(
    ("adjacency", "dimension", "expected"),
    [
        (REPLACE, 1, Fraction(1, 20)),
        (REPLACE, 3, Fraction(1, 10)),
        (ADD, 1, Fraction(1, 20)),
        (ADD, 3, Fraction(1, 20)),
    ],
)
def test_scale(adjacency, dimension, expected):
    # n epsilon = 10.
    assert SymmetrisedWishartMechanism(2, adjacency).noise_scale(dimension, 5) == expected
    assert SymmetrisedWishartMechanism(2, adjacency, norm_bound=Fraction(3)).noise_scale(dimension, 5) == 9 * expected


def test_release_carries_the_guarantee():
    mechanism = SymmetrisedWishartMechanism(Fraction(1, 2), ADD)
    release = mechanism.release([[0.5, 0.5]])
    assert release.private
    assert release.guarantee == mechanism.guarantee
    assert (release.guarantee.epsilon, release.guarantee.delta) == (Fraction(1, 2), 0)
    assert isinstance(mechanism, Mechanism)


def test_release_is_the_correct_rounding_of_the_ideal_output():
    mechanism = SymmetrisedWishartMechanism(Fraction(1, 3))
    data = np.array([[0.5, -0.25], [0.25, 0.125], [0.5, 0.5]])
    moment = fmpq_mat((data.T @ data * 64).astype(int).tolist()) / 192
    for seed in range(5):
        release = mechanism.release(data, entropy=SeededEntropy(seed))
        scale = mechanism.noise_scale(2, 3)
        first, second = StandardWisharts(2, 2, 3, SeededEntropy(seed)).parts()
        # Further digits, whatever they are, must not change the rounding.
        entries = range(4)
        first.refine(1500, entries)
        second.refine(1500, entries)
        with precision(1600):
            noise = [
                fmpq(scale.numerator, scale.denominator) * (a - b)
                for a, b in zip(first.enclose(entries), second.enclose(entries), strict=True)
            ]
            ideal = [arb(fixed) + value for fixed, value in zip(moment.entries(), noise, strict=True)]
            per_unit = arb(fmpq(release.grid.denominator, release.grid.numerator))
            expected = [int((entry * per_unit + arb((1, -1))).floor().unique_fmpz()) for entry in ideal]
        assert release.integers.ravel().tolist() == expected


@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (0.6, False)])
def test_released_scalar_noise_is_laplace(cdf_radius, cdf_distance, factor, accepted):
    # The control's law is 0.093 away; the radius is 0.0487, so that it passes with probability below 1e-8.
    mechanism = SymmetrisedWishartMechanism(1)
    entropy = SystemEntropy()
    noise = [mechanism.release([[0.5], [0.5]], entropy=entropy).to_numpy()[0, 0] - 0.25 for _ in range(5_000)]
    # Sensitivity 1 / n over epsilon.
    assert (cdf_distance(factor * np.array(noise), laplace(scale=0.5).cdf) <= cdf_radius(5_000) + 1e-6) is accepted


@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (0.75, False)])
def test_simulated_diagonal_is_laplace_plus_laplace(cdf_radius, factor, accepted):
    # For d = 3, u'(W1 - W2)u / 2c is a difference of two gamma variates of shape 2: the sum of two Laplace variates.
    mechanism = SymmetrisedWishartMechanism(1)
    outputs = mechanism.simulate(np.zeros((2, 3)), 100_000, np.random.default_rng(5))
    values = np.sort(factor * outputs[:, 1, 1] / (2 * float(mechanism.noise_scale(3, 2))))
    tail = (0.5 + np.abs(values) / 4) * np.exp(-np.abs(values))
    exact = np.where(values < 0, tail, 1 - tail)
    reached = np.max(np.abs(exact - np.arange(values.size) / values.size))
    assert bool(reached <= cdf_radius(values.size)) is accepted


def test_scalar_loss_is_that_of_the_laplace_mechanism():
    wishart, laplace = SymmetrisedWishartMechanism(1), LaplaceInputPerturbation(1, coordinate_bits=20)
    for output in (-1.0, 0.1, 0.3, 0.7, 4.0):
        losses = [m.log_density_ratio([[0.5], [1.0]], [[0.5], [0.0]], [[output]]) for m in (wishart, laplace)]
        assert abs(losses[0] - losses[1]) < arb((1, -40))


def quadrature(noise, c):
    """Compute log q(N) - log q(0) for d = 2 from the definition, with floats, in the plane of (x, y)."""
    t0, x0, y0 = (noise[0][0] + noise[1][1]) / 2, (noise[0][0] - noise[1][1]) / 2, noise[0][1]

    def mass(t, x, y):
        def height(second, first):
            return np.exp(-2 * max(np.hypot(first, second), t + np.hypot(first - x, second - y)) / c)

        return dblquad(height, -30, 30, -30, 30, epsabs=1e-9, epsrel=1e-9)[0]

    return t0 / c + np.log(mass(t0, x0, y0)) - np.log(mass(0, 0, 0))


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("noise", [[[1.0, 0.5], [0.5, -2.0]], [[0.5, 2.0], [2.0, 1.0]]])
def test_density_agrees_with_the_defining_integral(noise):
    value = log_density(fmpq_mat([[fmpq(*x.as_integer_ratio()) for x in row] for row in noise]), Fraction(2))
    assert float(value.rad()) < 1e-30
    assert float(value) == pytest.approx(quadrature(noise, 2.0), abs=1e-4)
    # Control: the nuclear norm alone, the form for semidefinite matrices, is far off.
    assert abs(float(value) + np.abs(np.linalg.eigvalsh(noise)).sum() / 4) > 1e-2


def test_density_is_even_continuous_and_invariant():
    matrix = fmpq_mat([[3, 1], [1, -2]])
    turned = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])
    value = log_density(matrix, ONE)
    assert abs(value - log_density(-matrix, ONE)) < arb((1, -100))
    assert abs(value - log_density(turned * matrix * turned.transpose(), ONE)) < arb((1, -100))
    nearly = log_density(fmpq_mat([[3, 0], [0, fmpq(-1, 2**80)]]), ONE)
    assert abs(nearly - log_density(fmpq_mat([[3, 0], [0, 0]]), ONE)) < arb((1, -30))


def random_record(generator):
    record = generator.standard_normal(2)
    return record / np.linalg.norm(record) * generator.uniform(0, 1) ** 0.1 * (1 - 1e-12)


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(5)])
def test_loss_never_exceeds_epsilon_for_two_by_two_matrices(adjacency, epsilon):
    mechanism = SymmetrisedWishartMechanism(epsilon, adjacency, divisor=2)
    generator = np.random.default_rng(6)
    scale = float(mechanism.noise_scale(2, 2))
    for _ in range(60):
        common, record, other = (random_record(generator) for _ in range(3))
        neighbour = [common, other] if adjacency is REPLACE else [common]
        square = generator.standard_normal((2, 2)) * scale * generator.choice([0.3, 1, 5])
        loss = mechanism.log_density_ratio([common, record], neighbour, square + square.T)
        assert abs(loss) <= arb(fmpq(epsilon.numerator, epsilon.denominator))


@pytest.mark.parametrize("factor", [Fraction(1), Fraction(4, 3)])
def test_loss_comes_close_to_epsilon_so_that_less_noise_breaks_it(factor):
    # Noise for 4/3 epsilon is the control: the loss passes epsilon = 1.
    mechanism = SymmetrisedWishartMechanism(factor)
    loss = mechanism.log_density_ratio([[1.0, 0.0]], [[0.0, 1.0]], [[200.0, 0.0], [0.0, -200.0]])
    assert loss > arb(0.98) * arb(fmpq(factor.numerator, factor.denominator))
    assert (loss > 1) is (factor > 1)


def test_add_remove_reaches_epsilon():
    mechanism = SymmetrisedWishartMechanism(1, ADD, divisor=4)
    loss = mechanism.log_density_ratio([[1.0, 0.0, 0.0]], np.zeros((0, 3)), 9 * np.eye(3))
    assert loss == 1


def test_indefinite_noise_in_three_dimensions_has_no_known_density():
    mechanism = SymmetrisedWishartMechanism(1)
    with pytest.raises(InvalidParameterError, match="d >= 3"):
        mechanism.log_density_ratio([[0.5, 0, 0]], [[0.25, 0, 0]], np.diag([1.0, -1.0, 0.0]))


def test_projection_at_most_doubles_the_error():
    mechanism = SymmetrisedWishartMechanism(1)
    data = np.diag([0.9, 0.5, 0.1])
    exact = data.T @ data / 3
    outputs = mechanism.simulate(data, 500, np.random.default_rng(7))
    projected = project_psd(outputs)
    assert np.linalg.eigvalsh(outputs)[:, 0].min() < -0.1
    assert np.linalg.eigvalsh(projected)[:, 0].min() > -1e-12
    before, after = (np.linalg.norm(matrices - exact, 2, axis=(1, 2)) for matrices in (outputs, projected))
    assert (after <= 2 * before + 1e-12).all()
    assert project_psd(exact) == pytest.approx(exact)
    for bad in (np.zeros((2, 3)), np.zeros(3), [[np.nan]]):
        with pytest.raises(InvalidParameterError, match="matrix"):
            project_psd(bad)


@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_blocks_are_published_as_their_truncated_records(adjacency):
    generator = np.random.default_rng(4)
    data = generator.uniform(-0.5, 0.5, (30, 3))
    truncated = np.trunc(data * 2.0**20) / 2.0**20
    assert not np.array_equal(data, truncated)
    mechanism = SymmetrisedWishartMechanism(2, adjacency)
    expected = mechanism.release(truncated, entropy=SeededEntropy(3))
    for cuts in ([], [7], [1, 1, 29]):
        found = mechanism.release_blocks(np.split(data, cuts), 3, entropy=SeededEntropy(3))
        assert found == expected
    assert mechanism.release_blocks([data], 3).guarantee == mechanism.guarantee


@pytest.mark.parametrize(
    ("bound", "bits"),
    [(1, 20), (Fraction(1, 2), 21), (Fraction(3, 4), 20), (2, 19), (Fraction(9, 4), 18), (2**30, 0), (2.0**-400, 420)],
)
def test_coordinates_are_kept_to_a_millionth_of_the_norm_bound(bound, bits):
    mechanism = SymmetrisedWishartMechanism(1, norm_bound=bound)
    assert mechanism.coordinate_bits == bits
    # Half of the step, or twice, would be outside.
    assert bits == 0 or Fraction(1, 2**20) <= Fraction(1, 2**bits) / Fraction(bound) < Fraction(1, 2**19)


def test_a_release_scales_with_the_norm_bound():
    """The lattice, the noise and the grid all scale with a power of two, so the integers are the same."""
    data = np.random.default_rng(2).uniform(-0.5, 0.5, (20, 3))
    expected = SymmetrisedWishartMechanism(1).release(data, entropy=SeededEntropy(4))
    for exponent in (-40, 5):
        factor = 2.0**exponent
        found = SymmetrisedWishartMechanism(1, norm_bound=factor).release(data * factor, entropy=SeededEntropy(4))
        assert found.integers.tolist() == expected.integers.tolist()
        assert found.grid == expected.grid * Fraction(factor) ** 2


def test_an_odd_record_costs_no_more_products(monkeypatch):
    """A record that reaches from 1 down to 2**-1000 is summed in one product of matrices, as the others are."""
    original, products = exact_products.block_product, []

    def counted(block, lowest):
        products.append(len(original(block, lowest)))
        return original(block, lowest)

    monkeypatch.setattr(exact_products, "block_product", counted)
    data = np.full((100, 50), 0.125)
    data[17] = 0.5 * (1 - 2.0**-53) * 2.0 ** (-21.0 * np.arange(50))
    SymmetrisedWishartMechanism(1).release(data)
    assert products == [1]
    # Control: the exact matrix takes many.
    SymmetrisedWishartMechanism(1).second_moment(data)
    assert products[1] > 50


def test_blocks_that_are_refused():
    mechanism = SymmetrisedWishartMechanism(1, over_norm="reject")
    for blocks in ([], [[[1.0, 1.0]]], [[[0.5]]], [[[np.nan, 0.0]]]):
        with pytest.raises(InvalidParameterError):
            mechanism.release_blocks(blocks, 2)
    assert SymmetrisedWishartMechanism(1, ADD).release_blocks([], 2).private
