"""Conformance of Algorithms 1 and 2 of `wishart`: what shows that the code is that object.

The laws are compared by the Dvoretzky-Kiefer-Wolfowitz bound (error 1e-10 each, see `cdf_radius`); at three quarters
of the noise the same comparison must reject, by a distance of twice the radius or more.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
from flint import fmpz_mat
from scipy.stats import chi2, laplace

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.mechanisms import LaplaceInputPerturbation, WishartMechanism
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_laplace_noise
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.laplace_algorithm import LaplaceRun
from dpmatrix.spec.wishart.wishart_algorithm import WishartRun

algorithm_1 = cite("wishart.algorithm-1@09bb4df0")
algorithm_2 = cite("wishart.algorithm-2@fc9b6ac5")


def laplace_run(seed: int) -> LaplaceRun:
    """Run Algorithm 1 with seeded bits, and draw its noise once more from the same bits."""
    dimension, records, epsilon = 1 + seed % 4, 2 + seed % 3, Fraction(1 + seed % 5, 2)
    generator = np.random.default_rng(seed)
    data = generator.uniform(-0.5, 0.5, (records, dimension))
    mechanism = LaplaceInputPerturbation(epsilon, calibration="printed", coordinate_bits=12)
    released = mechanism.release(data, entropy=SeededEntropy(seed)).integers
    entropy, noise = SeededEntropy(seed), np.zeros((dimension, dimension), dtype=object)
    rows, columns = np.triu_indices(dimension)
    noise[rows, columns] = discrete_laplace_noise(mechanism.noise_scale(dimension), len(rows), entropy)
    noise[columns, rows] = noise[rows, columns]
    return LaplaceRun(
        dimension,
        records,
        epsilon,
        1,
        mechanism.noise_scale(dimension) * mechanism.grid_for(data),
        fmpz_mat(lattice_gram(data, 12).tolist()),
        fmpz_mat(noise.tolist()),
        fmpz_mat(released.tolist()),
    )


@algorithm_1.supports_repair(
    grade="statistical", region="20 seeded runs exactly, d <= 4; law of the noise at d = 8 with error 1e-10"
)
def test_laplace_release_is_the_gram_matrix_plus_printed_noise(statement, cdf_radius, cdf_distance) -> None:
    for seed in range(20):
        assert statement.at(laplace_run(seed)) is Truth.TRUE
    mechanism = LaplaceInputPerturbation(1, calibration="printed")
    data, entropy, upper = np.full((3, 8), 0.25), SystemEntropy(), np.triu_indices(8)
    noise = np.concatenate([mechanism.release(data, entropy=entropy).to_numpy()[upper] - 0.0625 for _ in range(400)])
    law = laplace(scale=2 * 8 / 3)
    assert cdf_distance(noise, law.cdf) <= cdf_radius(noise.size) + 1e-6
    run = laplace_run(1)
    bind_hypotheses(
        statement,
        run,
        {
            "dimension >= 1, an integer": attrs.evolve(run, dimension=0),
            "records >= 1, an integer": attrs.evolve(run, records=0),
            "epsilon > 0": attrs.evolve(run, epsilon=0),
            "norm_bound <= 1": attrs.evolve(run, norm_bound=2),
        },
    )


@algorithm_1.controls("+repair", grade="statistical", region="noise cut by a quarter; noise left out")
def test_other_laplace_noise_is_rejected(statement, cdf_radius, cdf_distance) -> None:
    run = laplace_run(2)
    assert statement.elsewhere().at(attrs.evolve(run, scale=Fraction(3, 4) * run.scale)) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(run, output=run.gram)) is Truth.FALSE
    skew = fmpz_mat(run.dimension, run.dimension, range(run.dimension**2))
    assert statement.elsewhere().at(attrs.evolve(run, noise=skew, output=run.gram + skew)) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(run, noise=None)) is Truth.FALSE
    mechanism = LaplaceInputPerturbation(1, calibration="printed")
    data, entropy, upper = np.full((3, 8), 0.25), SystemEntropy(), np.triu_indices(8)
    noise = np.concatenate([mechanism.release(data, entropy=entropy).to_numpy()[upper] - 0.0625 for _ in range(800)])
    assert cdf_distance(0.75 * noise, laplace(scale=2 * 8 / 3).cdf) > cdf_radius(noise.size)


def wishart_run(dimension: int, records: int, epsilon: Fraction) -> WishartRun:
    mechanism = WishartMechanism(epsilon, acknowledge="wishart.theorem-4")
    return WishartRun(dimension, records, epsilon, dimension + 1, mechanism.noise_scale(records))


def scaled_traces(epsilon: Fraction, size: int) -> np.ndarray:
    """Release ``size`` times with secret bits; trace of the noise over c, for d = 2 and n = 4."""
    mechanism = WishartMechanism(epsilon, acknowledge="wishart.theorem-4")
    entropy, data = SystemEntropy(), [[0.5, 0.5]] * 4
    traces = [np.trace(mechanism.release(data, entropy=entropy).to_numpy()) - 0.5 for _ in range(size)]
    return np.array(traces) / float(mechanism.noise_scale(4))


@algorithm_2.supports_repair(
    grade="statistical",
    region="scale exactly for 24 inputs; degrees of freedom by the law of the trace at d = 2, error 1e-10",
)
def test_wishart_release_has_the_printed_noise(statement, cdf_radius, cdf_distance) -> None:
    """The trace of W_d(m, cI) over c is chi-square with m d degrees of freedom: 6 at d = 2, m = 3."""
    for dimension in (1, 2, 7):
        for records in (1, 10):
            for epsilon in (Fraction(1, 3), Fraction(1), Fraction(4), Fraction(1, 7)):
                assert statement.at(wishart_run(dimension, records, epsilon)) is Truth.TRUE
    traces = scaled_traces(Fraction(1), 2500)
    assert cdf_distance(traces, chi2(6).cdf) <= cdf_radius(traces.size) + 1e-6
    run = wishart_run(2, 3, Fraction(1))
    bind_hypotheses(
        statement,
        run,
        {
            "dimension >= 1, an integer": attrs.evolve(run, dimension=0),
            "records >= 1, an integer": attrs.evolve(run, records=0),
            "epsilon > 0": attrs.evolve(run, epsilon=0),
            "norm_bound <= 1": attrs.evolve(run, norm_bound=2),
        },
    )


@algorithm_2.controls("+repair", grade="statistical", region="scale cut by a quarter; m = d + 2")
def test_other_wishart_noise_is_rejected(statement, cdf_radius, cdf_distance) -> None:
    run = wishart_run(2, 4, Fraction(1))
    assert statement.elsewhere().at(attrs.evolve(run, scale=Fraction(3, 4) * run.scale)) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(run, degrees_of_freedom=4)) is Truth.FALSE
    traces = scaled_traces(Fraction(1), 2500)
    assert cdf_distance(0.75 * traces, chi2(6).cdf) > cdf_radius(traces.size)
    assert cdf_distance(traces, chi2(8).cdf) > cdf_radius(traces.size)
