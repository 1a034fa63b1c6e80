"""Conformance of Algorithms 1 and 2 of `near-optimal`: what shows that the code is that object.

The laws are compared by the Dvoretzky-Kiefer-Wolfowitz bound (error 1e-10 each, see `cdf_radius`); at three quarters
of the deviation, or of the weight, the same comparison must reject.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import isqrt, sqrt

import attrs
import numpy as np
from flint import arb_mat, fmpq_mat, fmpz_mat
from scipy.special import erfi
from scipy.stats import norm

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import precision, rational
from dpmatrix.mechanisms import ModSulq, Ppca, principal_components
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.randomness.bingham import BinghamSampler
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.mod_sulq_algorithm import ModSulqRun
from dpmatrix.spec.near_optimal.ppca_algorithm import PpcaRun

algorithm_1 = cite("near-optimal.algorithm-1@1b63d989")
algorithm_2 = cite("near-optimal.algorithm-2@7d677fd9")


DELTA = Fraction(1, 1000)


def mod_sulq_run(seed: int) -> ModSulqRun:
    """Run Algorithm 1 with seeded bits, and draw its noise once more from the same bits."""
    dimension, records, epsilon = 2 + seed % 3, 2 + seed % 4, Fraction(1 + seed % 5, 2)
    data = np.random.default_rng(seed).uniform(-0.5, 0.5, (records, dimension))
    mechanism = ModSulq(epsilon, calibration="printed", delta=DELTA, coordinate_bits=12)
    release = mechanism.release(data, entropy=SeededEntropy(seed))
    noise = np.zeros((dimension, dimension), dtype=object)
    rows, columns = np.triu_indices(dimension)
    variance = mechanism.noise_variance(dimension)
    noise[rows, columns] = discrete_gaussian_noise(variance, len(rows), SeededEntropy(seed))
    noise[columns, rows] = noise[rows, columns]
    vectors = principal_components(release, 1 + seed % dimension).value
    root = Fraction(isqrt(variance.numerator), isqrt(variance.denominator))
    assert root**2 == variance
    return ModSulqRun(
        dimension,
        records,
        epsilon,
        DELTA,
        norm_bound=1,
        deviation=root * mechanism.grid_for(data),
        gram=fmpz_mat(lattice_gram(data, 12).tolist()),
        noise=fmpz_mat(noise.tolist()),
        output=fmpz_mat(release.integers.tolist()),
        vectors=fmpq_mat(*vectors.shape, [rational(entry) for entry in vectors.ravel().tolist()]),
        data=on_grid(data, 12),
        unit=Fraction(1, 2**12),
    )


def on_grid(data: np.ndarray, bits: int) -> fmpz_mat:
    """Truncate records towards zero and put them into columns."""
    return fmpz_mat([[int(entry) for entry in column] for column in np.trunc(data * 2**bits).T])


def released_noise(count: int) -> np.ndarray:
    """Release ``count`` times with secret bits at d = 8; noise on the upper triangle over n beta, n = 3."""
    mechanism = ModSulq(1, calibration="printed", delta=DELTA)
    data, entropy, upper = np.full((3, 8), 0.25), SystemEntropy(), np.triu_indices(8)
    noise = np.concatenate([mechanism.release(data, entropy=entropy).to_numpy()[upper] - 0.0625 for _ in range(count)])
    beta = 9 * sqrt(2 * np.log(72 / (float(DELTA) * 2 * sqrt(2 * np.pi)))) + 1
    return 3 * noise / beta


@algorithm_1.supports_repair(
    grade="statistical", region="20 seeded runs exactly, d <= 4 and k <= d; law of the noise at d = 8 with error 1e-10"
)
def test_mod_sulq_adds_the_printed_noise_and_returns_eigenvectors(statement, cdf_radius, cdf_distance) -> None:
    for seed in range(20):
        assert statement.at(mod_sulq_run(seed)) is Truth.TRUE
    noise = released_noise(100)
    assert cdf_distance(noise, norm.cdf) <= cdf_radius(noise.size) + 1e-6


@algorithm_1.controls(
    "+repair",
    grade="interval",
    region="a seeded run against the deviation cut by a quarter, noise left out, other "
    "eigenvectors; 20 runs as they are",
)
def test_other_runs_are_not_mod_sulq(statement) -> None:
    for seed in range(20):
        assert statement.at(mod_sulq_run(seed)) is Truth.TRUE
    run = mod_sulq_run(4)
    wrong = [
        {"deviation": Fraction(3, 4) * run.deviation},
        {"deviation": run.deviation * (1 - Fraction(1, 2**22))},
        {"deviation": run.deviation * (1 + Fraction(1, 2**19))},
        {"output": run.gram},
        {"noise": None},
        {"data": None},
        {"data": 2 * run.data},
        {"records": run.records + 1},
        {"unit": Fraction(1, 2**10)},
        {"vectors": None},
        {"vectors": run.vectors * Fraction(11, 10).numerator / 10},
        {"vectors": fmpq_mat(run.vectors.nrows(), run.vectors.ncols(), [0] * (run.dimension * run.vectors.ncols()))},
    ]
    for change in wrong:
        assert statement.elsewhere().at(attrs.evolve(run, **change)) is Truth.FALSE
    assert statement.at(attrs.evolve(run, deviation=run.deviation * (1 + Fraction(1, 2**21)))) is Truth.TRUE
    skew = fmpz_mat(run.dimension, run.dimension, range(run.dimension**2))
    assert statement.elsewhere().at(attrs.evolve(run, noise=skew, output=run.gram + skew)) is Truth.FALSE
    # The error of V'V = I is twice that of the length: 2^-31 and 2^-29 around the tolerance of 2^-30.
    for bits, verdict in ((32, Truth.TRUE), (30, Truth.FALSE)):
        assert (
            statement.elsewhere().at(attrs.evolve(run, vectors=run.vectors * rational(1 + Fraction(1, 2**bits))))
            is verdict
        )
    last = principal_last(run)
    assert statement.elsewhere().at(attrs.evolve(run, vectors=last)) is Truth.FALSE, "the least eigenvalue"
    bind_hypotheses(
        statement,
        run,
        {
            "dimension >= 1, an integer": attrs.evolve(run, dimension=0),
            "records >= 1, an integer": attrs.evolve(run, records=0),
            "epsilon > 0": attrs.evolve(run, epsilon=0),
            "delta > 0": attrs.evolve(run, delta=0),
            "delta < 1": attrs.evolve(run, delta=1),
            "delta <= (d^2 + d)/(2 sqrt(2 pi))": attrs.evolve(run, dimension=1, delta=Fraction(1, 2)),
            "norm_bound <= 1": attrs.evolve(run, norm_bound=Fraction(101, 100)),
        },
    )


def test_three_quarters_of_the_noise_are_told_apart(cdf_radius, cdf_distance) -> None:
    noise = released_noise(100)
    assert cdf_distance(0.75 * noise, norm.cdf) > cdf_radius(noise.size)


def principal_last(run: ModSulqRun) -> fmpq_mat:
    _, vectors = np.linalg.eigh(np.array([[float(int(entry)) for entry in row] for row in run.output.table()]))
    return fmpq_mat(run.dimension, 1, [rational(entry) for entry in vectors[:, 0].tolist()])


def ppca_run(seed: int) -> PpcaRun:
    """Run Algorithm 2 with seeded bits, and enclose its draw once more from the same bits."""
    dimension, records, epsilon = 1 + seed % 5, 1 + seed % 7, Fraction(1 + seed % 6, 2)
    data = np.random.default_rng(seed).uniform(-0.4, 0.4, (records, dimension))
    mechanism = Ppca(epsilon, calibration="printed", coordinate_bits=20)
    release = mechanism.release(data, entropy=SeededEntropy(seed))
    direction = BinghamSampler(mechanism.exponent([data], dimension)).draw(SeededEntropy(seed))
    direction.refine(256, range(dimension))
    with precision(300):
        enclosed = arb_mat(dimension, 1, direction.enclose(range(dimension)))
    return PpcaRun(
        dimension,
        records,
        epsilon,
        1,
        fmpq_mat(lattice_gram(data, 20).tolist()) / 4**20,
        mechanism.exponent([data], dimension),
        enclosed,
        fmpz_mat(dimension, 1, [int(entry) for entry in release.integers.ravel()]),
        mechanism.grid,
        fmpq_mat(on_grid(data, 20)) / 2**20,
    )


def rounded_the_other_way() -> list[PpcaRun]:
    """List runs with a coordinate that lies within 1/20 of half-way between grid points, rounded to the farther one."""
    found = []
    for run in map(ppca_run, range(30)):
        for i in range(run.dimension):
            off = float(run.direction[i, 0] / rational(run.grid) - int(run.output[i, 0]))
            if abs(off) > 0.45:
                output = fmpz_mat(run.output)
                output[i, 0] += 1 if off > 0 else -1
                found.append(attrs.evolve(run, output=output))
    return found


def released_cosines(weight: float, count: int) -> np.ndarray:
    """Release for ten records e_1 in three dimensions, with secret bits."""
    mechanism, entropy = Ppca(Fraction(weight)), SystemEntropy()
    data = np.array([[1.0, 0.0, 0.0]] * 10)
    return np.array([mechanism.release(data, entropy=entropy).to_numpy()[0, 0] for _ in range(count)])


def bingham_cdf(cosines: np.ndarray, strength: float) -> np.ndarray:
    """P(v_1 <= cosine) for the density proportional to exp(strength v_1^2) on the sphere in three dimensions."""
    return (1 + erfi(sqrt(strength) * np.clip(cosines, -1, 1)) / erfi(sqrt(strength))) / 2


@algorithm_2.supports_repair(
    grade="statistical",
    region="30 seeded runs exactly, d <= 5; law of the release at d = 3, n = 10 and epsilon = 1 with error 1e-10",
)
def test_ppca_rounds_a_draw_from_the_printed_law(statement, cdf_radius, cdf_distance) -> None:
    """With all records e_1 the exponent is (epsilon/2) n v_1^2 = 5 v_1^2."""
    with precision(300):
        for seed in range(30):
            assert statement.at(ppca_run(seed)) is Truth.TRUE
    cosines = released_cosines(1, 1500)
    assert cdf_distance(cosines, partial(bingham_cdf, strength=5.0)) <= cdf_radius(1500) + 1e-9


@algorithm_2.controls(
    "+repair",
    grade="interval",
    region="a seeded run against another weight, another length, no draw; coordinates of 30 runs rounded the other way",
)
def test_other_runs_are_not_ppca(statement) -> None:
    run = ppca_run(8)
    unit = fmpz_mat(run.dimension, 1, [1] + [0] * (run.dimension - 1))
    wrong = [
        {"exponent": run.exponent * rational(Fraction(11, 10))},
        {"exponent": None},
        {"moment": None},
        {"data": None},
        {"data": run.data * 2},
        {"norm_bound": Fraction(1, 10)},
        {"output": run.output + unit},
        {"output": None},
        {"direction": None},
    ]
    with precision(300):
        for change in wrong:
            assert statement.elsewhere().at(attrs.evolve(run, **change)) is Truth.FALSE
        # The error of the squared length is twice that of the length.
        for bits, verdict in ((103, Truth.TRUE), (99, Truth.FALSE)):
            longer = run.direction * rational(1 + Fraction(1, 2**bits))
            assert statement.elsewhere().at(attrs.evolve(run, direction=longer)) is verdict
        for seed in range(30):
            assert statement.at(ppca_run(seed)) is Truth.TRUE
        others = rounded_the_other_way()
        assert len(others) > 3
        assert all(statement.elsewhere().at(other) is Truth.FALSE for other in others)
    bind_hypotheses(
        statement,
        run,
        {
            "dimension >= 1, an integer": attrs.evolve(run, dimension=0),
            "records >= 1, an integer": attrs.evolve(run, records=0),
            "epsilon > 0": attrs.evolve(run, epsilon=0),
            "norm_bound <= 1": attrs.evolve(run, norm_bound=Fraction(101, 100)),
        },
    )


def test_half_the_weight_is_told_apart(cdf_radius, cdf_distance) -> None:
    cosines = released_cosines(1, 1500)
    assert cdf_distance(cosines, partial(bingham_cdf, strength=2.5)) > cdf_radius(1500)
    assert cdf_distance(released_cosines(0.5, 1500), partial(bingham_cdf, strength=5.0)) > cdf_radius(1500)
