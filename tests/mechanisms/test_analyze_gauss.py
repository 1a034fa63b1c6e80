"""Conformance of the mechanisms of `analyze-gauss`: what shows that the code is the repaired algorithm."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest
from flint import fmpz_mat
from scipy.stats import laplace, norm

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.mechanisms import (
    AnalyzeGauss,
    OnlinePerturbedLeader,
    PrintedSubspaceRecovery,
    PrivateSubspaceRecovery,
    principal_components,
)
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import GaussianPromise, GaussianRun
from dpmatrix.spec.analyze_gauss.online import OnlinePromise, OnlineRun
from dpmatrix.spec.analyze_gauss.subspace_recovery import RecoveryRun

algorithm_1 = cite("analyze-gauss.algorithm-1@bc0272e1")
algorithm_2 = cite("analyze-gauss.algorithm-2@e8530eed")
algorithm_3 = cite("analyze-gauss.algorithm-3@313a4582")


ADDED, REPLACED = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
SMALL = Fraction(1, 10**6)


def gaussian_run(seed: int) -> GaussianRun:
    """Run Algorithm 1 with seeded bits, and draw its noise once more from the same bits."""
    dimension, epsilon, adjacency = 1 + seed % 4, Fraction(1 + seed % 5, 2), (ADDED, REPLACED)[seed % 2]
    data = np.random.default_rng(seed).uniform(-0.5, 0.5, (3, dimension))
    mechanism = AnalyzeGauss(epsilon, adjacency, calibration="printed", delta=SMALL, coordinate_bits=12, divisor=1)
    released = mechanism.release(data, entropy=SeededEntropy(seed)).integers
    noise, upper = np.zeros((dimension, dimension), dtype=object), np.triu_indices(dimension)
    variance = mechanism.noise_variance(dimension)
    noise[upper] = discrete_gaussian_noise(variance, len(upper[0]), SeededEntropy(seed))
    noise.T[upper] = noise[upper]
    return GaussianRun(
        # In dimension one a replaced row changes A'A by one at most, and the code knows.
        GaussianPromise(epsilon, SMALL, 1, ADDED if dimension == 1 else adjacency),
        variance * mechanism.grid_for(data) ** 2,
        fmpz_mat(lattice_gram(data, 12).tolist()),
        fmpz_mat(noise.tolist()),
        fmpz_mat(released.tolist()),
    )


def printed_noise(count: int) -> tuple[np.ndarray, float]:
    mechanism = AnalyzeGauss(1, ADDED, calibration="printed", delta=SMALL, divisor=1)
    data, entropy, upper = np.full((3, 8), 0.25), SystemEntropy(), np.triu_indices(8)
    drawn = [mechanism.release(data, entropy=entropy).to_numpy()[upper] - 3 / 16 for _ in range(count)]
    return np.concatenate(drawn), 1 + float(np.sqrt(12 * np.log(10)))


@algorithm_1.supports(
    "output",
    grade="statistical",
    region="20 seeded runs exactly, n <= 4, both relations; law of the noise at n = 8 with error 1e-10",
)
def test_the_release_is_the_moment_plus_the_printed_noise(statement, cdf_radius, cdf_distance) -> None:
    runs = [gaussian_run(seed) for seed in range(20)]
    assert all(statement.at(run) is Truth.TRUE for run in runs)
    noise, deviation = printed_noise(400)
    assert cdf_distance(noise, norm(scale=deviation).cdf) <= cdf_radius(noise.size) + 1e-6
    empty = attrs.evolve(runs[0], output=fmpz_mat(0, 0))
    bind_hypotheses(statement, runs[0], {"n >= 1": empty})


@algorithm_1.controls("output", grade="statistical", region="noise cut by a quarter; left out")
def test_other_gaussian_noise_is_rejected(statement, cdf_radius, cdf_distance) -> None:
    run = gaussian_run(2)
    assert statement.elsewhere().at(attrs.evolve(run, variance=Fraction(9, 10) * run.variance)) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(run, output=run.moment)) is Truth.FALSE
    order = run.output.nrows()
    skew = fmpz_mat(order, order, range(order**2))
    assert statement.elsewhere().at(attrs.evolve(run, noise=skew, output=run.moment + skew)) is Truth.FALSE
    noise, deviation = printed_noise(800)
    assert cdf_distance(0.75 * noise, norm(scale=deviation).cdf) > cdf_radius(noise.size)


def spiked(gap: float, dimension: int = 3) -> np.ndarray:
    """Make records whose eigengap is near the one asked for, in whole rows of norm 0.9."""
    count = int(gap / 0.81)
    rows = np.zeros((count + 12, dimension))
    rows[: count + 4, 0] = 0.9
    for index in range(8):
        rows[count + 4 + index, 1 + index % (dimension - 1)] = 0.9
    return rows


def recovery_run(mechanism: PrivateSubspaceRecovery, data: np.ndarray, seed: int) -> RecoveryRun:
    found = mechanism.release(data, entropy=SeededEntropy(seed))
    integer = found.gap * 2**20
    assert integer.denominator == 1
    variance = mechanism.noise_variance(mechanism.bracket(int(integer)), data.shape[1])
    assert (variance is None) == (found.projector is None)
    scaled = None if variance is None else variance / 4**mechanism.projector_bits
    scale = mechanism.gap_scale / 2**20
    adjacency = mechanism.adjacency
    return RecoveryRun(mechanism.epsilon, mechanism.delta, found.gap, adjacency, scaled, scale, Fraction(1, 1024))


@algorithm_2.supports_repair(
    grade="statistical",
    region="48 seeded runs at gaps 0, 20, 40, 200, both relations, checked exactly; law of both noises, error 1e-10",
)
def test_recovery_withholds_and_perturbs_as_stated(statement, cdf_radius, cdf_distance) -> None:
    withheld = 0
    for adjacency in (ADDED, REPLACED):
        mechanism = PrivateSubspaceRecovery(1, adjacency, rank=1, delta=SMALL, calibration="printed")
        for gap in (0, 20, 40, 200):
            for seed in range(6):
                run = recovery_run(mechanism, spiked(gap), seed)
                assert statement.at(run) is Truth.TRUE
                withheld += run.variance is None
    assert 12 <= withheld <= 36
    mechanism = PrivateSubspaceRecovery(1, ADDED, rank=1, delta=SMALL, calibration="printed")
    entropy, scaled, gaps, upper = SystemEntropy(), [], [], np.triu_indices(3)
    for _ in range(200):
        found = mechanism.release(spiked(200), entropy=entropy)
        variance = mechanism.noise_variance(mechanism.bracket(int(found.gap * 2**20)), 3)
        noise = found.projector.to_numpy()[upper] - np.diag([1.0, 0.0, 0.0])[upper]
        scaled.append(noise * 2**24 / np.sqrt(float(variance)))
        gaps.append(float(found.gap) - 0.81 * int(200 / 0.81))
    noise, draws = np.concatenate(scaled), np.array(gaps)
    assert cdf_distance(noise, norm().cdf) <= cdf_radius(noise.size) + 1e-5
    # Truncation moves the gap a little.
    assert cdf_distance(draws, laplace(scale=2).cdf) <= cdf_radius(draws.size) + 1e-3
    inside = recovery_run(mechanism, spiked(200), 1)
    bind_hypotheses(
        statement,
        inside,
        {
            "epsilon > 0": attrs.evolve(inside, epsilon=0),
            "delta > 0": attrs.evolve(inside, delta=0),
            "delta < 1": attrs.evolve(inside, delta=1),
            "the rounding is at most 1/1000, and not negative": attrs.evolve(inside, rounding=Fraction(1, 900)),
        },
    )


@algorithm_2.controls(
    "+repair",
    grade="statistical",
    region="nine tenths of the variance; a release below the offset; a needless refusal; less noise on the gap",
)
def test_other_recoveries_are_rejected(statement) -> None:
    for adjacency in (ADDED, REPLACED):
        mechanism = PrivateSubspaceRecovery(1, adjacency, rank=1, delta=SMALL, calibration="printed")
        run = recovery_run(mechanism, spiked(200), 3)
        assert statement.at(run) is Truth.TRUE
        assert statement.elsewhere().at(attrs.evolve(run, variance=run.variance * Fraction(9, 10))) is Truth.FALSE
        assert statement.elsewhere().at(attrs.evolve(run, variance=None)) is Truth.FALSE
        assert statement.elsewhere().at(attrs.evolve(run, gap=Fraction(29), variance=Fraction(10**6))) is Truth.FALSE
        assert statement.elsewhere().at(attrs.evolve(run, gap_scale=Fraction(19, 10))) is Truth.FALSE
        barely = attrs.evolve(run, gap=Fraction(297, 10), variance=None)
        assert statement.elsewhere().at(barely) is Truth.FALSE, "the offset is 29.631"


def test_recovered_subspaces_are_right() -> None:
    """At a gap of 4000 the deviation is below 0.002: the direction is found within a hundredth, but for 1e-9."""
    mechanism = PrivateSubspaceRecovery(1, ADDED, rank=1, delta=SMALL)
    found = mechanism.release(spiked(4000), entropy=SeededEntropy(1))
    assert found.projector is not None
    top = principal_components(found.projector, 1).value
    assert abs(top[0, 0]) > 0.999
    assert found.guarantee is None, "seeded bits promise nothing"
    assert mechanism.release(spiked(0)).guarantee == mechanism.guarantee


def test_recovery_refuses_bad_parameters() -> None:
    for wrong in ({"rank": 0}, {"rank": 1, "delta": Fraction(1, 2)}, {"rank": 1, "delta": 0}):
        with pytest.raises(InvalidParameterError):
            PrivateSubspaceRecovery(1, **({"delta": SMALL} | wrong))
    mechanism = PrivateSubspaceRecovery(1, rank=3, delta=SMALL, over_norm="reject")
    with pytest.raises(InvalidParameterError, match="leaves no gap"):
        mechanism.release(spiked(20))
    for bad in ([[np.nan, 0.0, 0.0, 0.0]], [[2.0, 0.0, 0.0, 0.0]], np.zeros((0, 4)), [1.0, 0.0]):
        with pytest.raises(InvalidParameterError):
            mechanism.release(bad)


def test_the_printed_recovery_asks_for_an_acknowledgement() -> None:
    with pytest.raises(NotPrivateError, match="subspace-privacy"):
        PrintedSubspaceRecovery(1, rank=1, delta=SMALL)
    printed = PrintedSubspaceRecovery(1, rank=1, delta=SMALL, acknowledge="analyze-gauss.subspace-privacy")
    assert printed.guarantee is None
    assert not hasattr(printed, "release")
    projectors = printed.simulate(spiked(40), 5, np.random.default_rng(0))
    assert np.allclose(projectors @ projectors, projectors)


def online_run(adjacency: Adjacency, steps: int, seed: int) -> OnlineRun:
    mechanism = OnlinePerturbedLeader(2, adjacency, steps=steps, delta=SMALL, calibration="printed", coordinate_bits=10)
    data = np.random.default_rng(seed).uniform(-0.5, 0.5, (steps, 2))
    released = mechanism.release(data, entropy=SeededEntropy(seed))
    entropy, upper, variance = SeededEntropy(seed), np.triu_indices(2), mechanism.noise_variance(2)
    for step, release in enumerate(released, start=1):
        noise = np.array(discrete_gaussian_noise(variance, 3, entropy), dtype=object)
        assert (release.integers[upper] - lattice_gram(data[:step], 10)[upper] == noise).all()
        assert (release.integers == release.integers.T).all()
    return OnlineRun(OnlinePromise(2, SMALL, 1, adjacency, steps), variance * mechanism.grid**2, len(released))


@algorithm_3.supports(
    "noise",
    grade="statistical",
    region="8 seeded streams of 1 to 50 steps, both relations, every release replayed exactly",
)
def test_every_step_draws_its_own_noise(statement) -> None:
    runs = [online_run(adjacency, steps, steps) for adjacency in (ADDED, REPLACED) for steps in (1, 2, 9, 50)]
    assert all(statement.at(run) is Truth.TRUE for run in runs)
    missing = attrs.evolve(runs[0], promise=attrs.evolve(runs[0].promise, steps=0))
    bind_hypotheses(statement, runs[0], {"m >= 1": missing})


@algorithm_3.controls("noise", grade="statistical", region="a stream of 9 steps, changed")
def test_fewer_steps_or_less_noise_are_rejected(statement) -> None:
    run = online_run(REPLACED, 9, 1)
    assert statement.elsewhere().at(attrs.evolve(run, variance=run.variance * Fraction(9, 10))) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(run, drawn=8)) is Truth.FALSE


def test_streams_are_bounded() -> None:
    mechanism = OnlinePerturbedLeader(1, ADDED, steps=2, delta=SMALL)
    with pytest.raises(InvalidParameterError, match="more than 2"):
        mechanism.release(np.zeros((3, 2)))
    with pytest.raises(InvalidParameterError, match="longer than norm_bound"):
        attrs.evolve(mechanism, over_norm="reject").release([[0.0, 0.0], [2.0, 0.0]])
    assert all(found.guarantee == mechanism.guarantee for found in mechanism.release(np.zeros((2, 2))))
    long = OnlinePerturbedLeader(1, ADDED, steps=200, delta=SMALL).noise_variance(2)
    assert 80 < long / mechanism.noise_variance(2) < 120, "the variance grows with the number of steps"


@pytest.mark.parametrize("adjacency", [ADDED, REPLACED])
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_printed_deviation_is_that_of_the_slides_times_the_sensitivity(adjacency, dimension) -> None:
    slides = (1 + np.sqrt(2 * np.log(10**6))) / 3
    sensitivity = np.sqrt(2) if adjacency is REPLACED and dimension > 1 else 1
    mechanism = AnalyzeGauss(3, adjacency, delta=SMALL, calibration="printed", divisor=1, norm_bound=2)
    assert np.isclose(float(mechanism.printed_deviation(dimension)), sensitivity * slides, rtol=1e-12)


def test_the_printed_noise_is_enough_for_large_epsilon() -> None:
    """Delta is 0.109 at epsilon = 20, delta = 1/2, and 0.190 is needed for half of delta."""
    half = Fraction(1, 2)
    leader = OnlinePerturbedLeader(20, ADDED, steps=3, delta=half, calibration="printed")
    assert 0.190 < np.sqrt(float(leader.noise_variance(2) / 3)) * float(leader.grid) < 0.191
    single = AnalyzeGauss(20, ADDED, delta=half, calibration="printed", divisor=1)
    assert 0.190 < float(single.printed_deviation(2)) < 0.191
