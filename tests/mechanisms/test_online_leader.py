"""The online perturbed leader: its noise recomputed from the formulas, its simulation, its parameters, exact sums."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, isqrt

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import OnlinePerturbedLeader
from dpmatrix.mechanisms.analyze_gauss import simulate_stream
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_discrete_gaussian
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise
from tests.forks import in_a_fork

ADDED, REPLACED = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
SMALL = Fraction(1, 10**6)
SHAPES = [
    (steps, dimension, bits, Fraction(bound))
    for steps, dimension in ((1, 1), (1, 2), (1, 3), (4, 1), (3, 2), (2, 5))
    for bits, bound in ((0, "1"), (1, "5/4"), (3, "7/3"), (16, "1"), (160, "5/3"))
]
NO_CHANGE = (1, 2, 0, Fraction(1, 2))
"""Records so short that no truncated one changes an integer."""


def squared_change(dimension: int, adjacency: Adjacency, bound: Fraction) -> Fraction:
    """Compute the squared Frobenius norm of the largest change of A'A: two orthogonal records, or one record."""
    return bound**4 * (2 if adjacency is REPLACED and dimension > 1 else 1)


@pytest.mark.parametrize("adjacency", [ADDED, REPLACED])
@pytest.mark.parametrize(("epsilon", "delta"), [(Fraction(1, 2), SMALL), (3, Fraction(1, 50))])
def test_tight_noise_is_calibrated_to_all_steps_together(epsilon, delta, adjacency) -> None:
    for steps, dimension, bits, bound in (*SHAPES, NO_CHANGE):
        leader = OnlinePerturbedLeader(
            epsilon, adjacency, steps=steps, delta=delta, coordinate_bits=bits, norm_bound=bound
        )
        entries = dimension * (dimension + 1) // 2
        square = floor(squared_change(dimension, adjacency, bound) * 16**bits)
        if steps * entries == 1:
            square = isqrt(square) ** 2  # one integer changes, by at most the root
        wanted = calibrate_discrete_gaussian(
            max(1, steps * square), PrivacyGuarantee(epsilon, delta, adjacency), steps * entries
        )
        assert leader.noise_variance(dimension) == wanted, leader


def test_little_noise_is_calibrated_to_the_number_of_entries() -> None:
    """Forty entries of noise that hardly smooths integers need less of it than sixty."""
    guarantee = PrivacyGuarantee(9, SMALL, ADDED)
    leader = OnlinePerturbedLeader(9, ADDED, steps=40, delta=SMALL, coordinate_bits=0)
    assert leader.noise_variance(1) == calibrate_discrete_gaussian(40, guarantee, 40)
    assert leader.noise_variance(1) < calibrate_discrete_gaussian(40, guarantee, 60)


@pytest.mark.parametrize("adjacency", [ADDED, REPLACED])
@pytest.mark.parametrize(("epsilon", "delta"), [(Fraction(1, 2), SMALL), (3, Fraction(1, 50)), (9, Fraction(1, 2))])
def test_printed_noise_is_that_of_one_step_times_the_steps_rounded_up(epsilon, delta, adjacency) -> None:
    with mpmath.workdps(700):
        root = mpmath.sqrt(2 * mpmath.log(mpmath.mpf(delta.denominator) / delta.numerator))
        budget = mpmath.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator
        least = max((1 + root) / budget, (root + mpmath.sqrt(root**2 + 2 * budget)) / (2 * budget))
        for steps, dimension, bits, bound in SHAPES:
            leader = OnlinePerturbedLeader(
                epsilon,
                adjacency,
                steps=steps,
                delta=delta,
                coordinate_bits=bits,
                norm_bound=bound,
                calibration="printed",
            )
            square = steps * squared_change(dimension, adjacency, bound) * 16**bits
            exact = int(mpmath.floor(least**2 * square.numerator / square.denominator))
            variance = leader.noise_variance(dimension)
            assert variance.denominator == 1
            assert 0 < variance - exact <= 1 + ceil(square / 2**240), leader


@pytest.mark.parametrize("dimension", [0, -1, 2.0, True])
def test_a_dimension_is_a_positive_integer(dimension) -> None:
    for calibration in ("tight", "printed"):
        leader = OnlinePerturbedLeader(1, ADDED, steps=1, delta=SMALL, calibration=calibration)
        leader.noise_variance(1)
        leader.noise_variance(2)
        with pytest.raises(InvalidParameterError, match="dimension"):
            leader.noise_variance(dimension)


def test_printed_noise_that_is_too_coarse_for_a_certificate_is_refused() -> None:
    """Whole units at three steps: a variance of 1 hardly smooths six integers."""
    leader = OnlinePerturbedLeader(20, REPLACED, steps=3, delta=SMALL, calibration="printed", coordinate_bits=0)
    with pytest.raises(InvalidParameterError, match="not certified"):
        leader.noise_variance(2)
    with pytest.raises(InvalidParameterError, match="not certified"):
        leader.release(np.zeros((3, 2)))


def test_defaults_are_public_parameters_by_name() -> None:
    leader = OnlinePerturbedLeader(1, steps=3, delta=SMALL)
    assert (leader.calibration, leader.coordinate_bits, leader.adjacency) == ("tight", 16, REPLACED)
    assert leader.grid == Fraction(1, 4**16)
    for further in ("printed", 12):
        with pytest.raises(TypeError):
            OnlinePerturbedLeader(1, ADDED, further, steps=3, delta=SMALL)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("steps", value) for value in (0, -2, 1.5, True, "3", None)),
        *(("calibration", value) for value in ("exact", "", None)),
        *(("delta", value) for value in (0, 1, -0.5, float("nan"))),
        *(("coordinate_bits", value) for value in (-1, 513, 2.0, True)),
    ],
)
def test_parameters_out_of_their_domain_are_refused_by_name(name, value) -> None:
    with pytest.raises(InvalidParameterError, match=name):
        OnlinePerturbedLeader(1, **{"steps": 2, "delta": SMALL, name: value})


@pytest.mark.parametrize("bits", [8, 40])
def test_every_matrix_is_the_exact_sum_and_integers_of_its_own_noise(bits) -> None:
    """With 40 bits the entries have 80: more than an integer of the machine, or a float, can hold."""
    rows = np.random.default_rng(3).uniform(-0.5, 0.5, (4, 3))
    leader = OnlinePerturbedLeader(1, ADDED, steps=4, delta=SMALL, coordinate_bits=bits)
    entropy, upper = SeededEntropy(9), np.triu_indices(3)
    cut = [[int(value * 2**bits) for value in row] for row in rows.tolist()]
    for step, release in enumerate(leader.release(rows, entropy=SeededEntropy(9)), start=1):
        noise = discrete_gaussian_noise(leader.noise_variance(3), 6, entropy)
        sums = [sum(row[i] * row[j] for row in cut[:step]) for i, j in zip(*upper, strict=True)]
        assert [int(value) for value in release.integers[upper]] == [a + b for a, b in zip(sums, noise, strict=True)]
        assert (release.integers == release.integers.T).all()
        assert release.integers.dtype in (np.int64, object)


def test_a_malformed_row_is_named_by_its_step() -> None:
    leader = OnlinePerturbedLeader(1, ADDED, steps=4, delta=SMALL)
    with pytest.raises(InvalidParameterError, match="row 2 holds NaN"):
        leader.release([[0.5, 0.0], [0.0, 0.5], [0.0, np.nan]])


def test_a_child_process_cannot_go_on_with_a_stream() -> None:
    leader = OnlinePerturbedLeader(1, ADDED, steps=3, delta=SMALL)
    releases = leader.releases(iter(np.zeros((3, 2))), 2)
    assert next(releases).private
    assert in_a_fork(lambda: next(releases)).startswith("SingleUseError")
    assert in_a_fork(lambda: next(leader.releases(np.zeros((1, 2)), 2))) == "none"
    assert next(releases).private


def test_a_simulation_without_noise_is_the_sums_so_far() -> None:
    rows = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 0.0], [-1.0, 0.5, 4.0], [0.0, 0.0, 0.0]])
    drawn = simulate_stream(rows, 0.0, 2, np.random.default_rng(0))
    assert drawn.shape == (2, 4, 3, 3)
    for step in range(4):
        assert (drawn[:, step] == rows[: step + 1].T @ rows[: step + 1]).all()


def test_simulated_noise_has_the_deviation_of_a_release(cdf_radius, cdf_distance) -> None:
    """Two comparisons with the normal law, one of sums of steps, each with error at most 1e-10.

    The control is nine tenths of the noise: its law differs by more than 0.025 where it differs most, and the radius is
    below 0.009, so the control fails with the same probability.
    """
    rows = np.random.default_rng(1).uniform(-0.5, 0.5, (5, 3))
    leader = OnlinePerturbedLeader(1, steps=5, delta=SMALL, norm_bound=2, coordinate_bits=4, calibration="printed")
    drawn = leader.simulate(rows, 6000, np.random.default_rng(2))
    assert drawn.shape == (6000, 5, 3, 3)
    assert (drawn == np.swapaxes(drawn, 2, 3)).all()
    noise = drawn - np.cumsum([np.outer(row, row) for row in rows], axis=0)
    # sqrt(m) s Delta: five steps, a replaced record of norm 2.
    deviation = np.sqrt(5) * np.sqrt(2) * 4 * (1 + np.sqrt(12 * np.log(10)))
    upper = np.triu_indices(3)
    every = noise[:, :, upper[0], upper[1]]
    assert cdf_radius(every.size) < 0.009
    assert cdf_distance(every.ravel(), norm(scale=deviation).cdf) <= cdf_radius(every.size) + 1e-3
    assert cdf_distance(0.9 * every.ravel(), norm(scale=deviation).cdf) > cdf_radius(every.size) + 1e-3
    together = every.sum(axis=(1, 2))
    assert cdf_distance(together, norm(scale=deviation * np.sqrt(30)).cdf) <= cdf_radius(together.size) + 1e-3


def test_a_simulation_reads_records_as_a_release_does() -> None:
    leader = OnlinePerturbedLeader(1, ADDED, steps=2, delta=SMALL)
    with pytest.raises(InvalidParameterError, match="row 1 holds NaN"):
        leader.simulate([[0.5, 0.0], [np.nan, 0.0]], 1, np.random.default_rng(0))
    again = [leader.simulate([[0.5, 0.0], [0.0, 9.0]], 3, np.random.default_rng(seed)) for seed in (4, 4)]
    assert (again[0] == again[1]).all()
    assert (again[0] == leader.simulate([[0.5, 0.0], [0.0, 1.0]], 3, np.random.default_rng(4))).all()


@pytest.mark.parametrize("mask", [[True, False], [False, False]])
def test_a_row_with_a_mask_is_refused_as_a_matrix_with_one_is(mask: list[bool]) -> None:
    leader = OnlinePerturbedLeader(1, delta=1e-6, steps=3)
    rows = [np.zeros(2), np.ma.masked_array([0.5, 0.5], mask=mask)]
    releases = leader.releases(iter(rows), 2)
    assert next(releases).private
    with pytest.raises(InvalidParameterError, match="rows: it is masked"):
        next(releases)
