"""The staircase mechanism: its parameters, correct rounding, its loss, its moments, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims.registry import Implementation
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.mechanisms import KNormMechanism, Mechanism, StaircaseMechanism, least_squared_error
from dpmatrix.mechanisms.stairs import LEAST_EPSILON, MOST_EPSILON, best_stairs
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.lazy_balls import LazyBallPoint

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
both_relations = pytest.mark.parametrize("adjacency", [REPLACE, ADD])
DATA = np.array([[0.5, -0.25], [0.25, 0.125], [0.5, 0.5]])


@both_relations
def test_what_is_built(adjacency: Adjacency) -> None:
    mechanism = StaircaseMechanism(Fraction(3, 2), adjacency)
    assert isinstance(mechanism, Mechanism)
    assert mechanism.name == "staircase mechanism"
    assert mechanism.guarantee == PrivacyGuarantee(Fraction(3, 2), 0, adjacency)
    assert StaircaseMechanism(1).adjacency is REPLACE
    cited = [citation.target for citation in Implementation.of(StaircaseMechanism).citations]
    assert cited == ["beyond.staircase-privacy", "beyond.staircase-noise"]
    for epsilon, bound, divisor, scale in ((2, 1, 5, Fraction(1, 5)), (1, 3, 2, Fraction(9, 2))):
        made = StaircaseMechanism(epsilon, adjacency, norm_bound=Fraction(bound))
        assert made.noise_scale(4, divisor) == scale, "what a record changes, whatever epsilon is"
    assert mechanism.stairs(3) == best_stairs(6, Fraction(3, 2))


def test_epsilons_without_steps_are_refused() -> None:
    for epsilon in (LEAST_EPSILON, MOST_EPSILON):
        assert StaircaseMechanism(epsilon).release(DATA).private
    for epsilon in (LEAST_EPSILON - Fraction(1, 10**9), MOST_EPSILON + Fraction(1, 10**9)):
        with pytest.raises(
            InvalidParameterError, match=r"^epsilon: .* is not from 1/8 to 30, .*choose KNormMechanism$"
        ):
            StaircaseMechanism(epsilon)
    with pytest.raises(InvalidParameterError, match=r"^adjacency: "):
        StaircaseMechanism(1, "replace-one")  # type: ignore[arg-type]  # what is refused
    for epsilon in (0, -1):
        with pytest.raises(InvalidParameterError, match=r"^epsilon: "):
            StaircaseMechanism(epsilon)


@both_relations
def test_a_release_is_the_correct_rounding_of_the_ideal_output(adjacency: Adjacency) -> None:
    mechanism = StaircaseMechanism(Fraction(5, 2), adjacency, divisor=3, norm_bound=Fraction(1))
    smooth = KNormMechanism(Fraction(5, 2), adjacency)
    moment = fmpq_mat((DATA.T @ DATA * 64).astype(int).tolist()) / 192
    for seed in range(6):
        release = mechanism.release(DATA, entropy=SeededEntropy(seed))
        entropy = SeededEntropy(seed)
        parts = smooth.noise_sampler(2)(entropy)
        stairs = mechanism.stairs(2)
        radius = stairs.draw(entropy) + stairs.width
        point = LazyBallPoint(*parts.added, *parts.subtracted, smooth.norm, radius, entropy)
        # further digits, whatever they are, must not change the rounding
        point.refine(1500, range(4))
        with precision(1600):
            ideal = [
                arb(fixed) + value / 3 for fixed, value in zip(moment.entries(), point.enclose(range(4)), strict=True)
            ]
            per_unit = arb(fmpq(release.grid.denominator, release.grid.numerator))
            expected = [int((entry * per_unit + arb((1, -1))).floor().unique_fmpz()) for entry in ideal]
        assert release.integers.ravel().tolist() == expected
        assert (release.mechanism, release.guarantee) == (mechanism.name, None), "of a seed"


@both_relations
def test_blocks_publish_the_same_and_secret_bits_differ(adjacency: Adjacency) -> None:
    mechanism = StaircaseMechanism(4, adjacency)
    expected = mechanism.release(DATA, entropy=SeededEntropy(3))
    for cuts in ([], [1], [1, 1, 2]):
        assert mechanism.release_blocks(np.split(DATA, cuts), 2, entropy=SeededEntropy(3)) == expected
    first, second = (mechanism.release(DATA) for _ in range(2))
    assert first != second
    assert first.guarantee == mechanism.guarantee
    assert first.entropy == SystemEntropy().description


@both_relations
def test_wide_records_are_refused(adjacency: Adjacency) -> None:
    mechanism = StaircaseMechanism(1, adjacency)
    for ask in (
        lambda: mechanism.release(np.zeros((2, 9))),
        lambda: mechanism.moments(9),
        lambda: mechanism.stairs(9),
        lambda: mechanism.noise_sampler(9),
        lambda: mechanism.float_noise(1, 9, np.random.default_rng(1)),
    ):
        with pytest.raises(InvalidParameterError, match=r"^dimension: 9 is above 8"):
            ask()


@both_relations
@pytest.mark.parametrize("epsilon", [Fraction(1, 8), Fraction(1), Fraction(3), Fraction(10)])
def test_moments_are_those_of_k_norm_noise_times_the_mean_squares_of_the_norms(
    adjacency: Adjacency, epsilon: Fraction
) -> None:
    """In units of epsilon the square of the norm of K-norm noise has the mean D (D + 1)."""
    for d in (1, 2, 3, 5):
        size = d * (d + 1) // 2
        smooth, steps = KNormMechanism(epsilon, adjacency), StaircaseMechanism(epsilon, adjacency)
        factor = best_stairs(size, epsilon).mean_square / (size * (size + 1))
        found, plain = steps.moments(d), smooth.moments(d)
        assert (found.frobenius, found.trace) == (plain.frobenius * factor, plain.trace * factor)
        error = steps.mean_squared_error(d, 3)
        assert error == found.frobenius / 9
        assert least_squared_error(epsilon, d, adjacency) < error * 9
        assert error <= smooth.mean_squared_error(d, 3) * (1 + Fraction(1, 2**100))


@both_relations
@pytest.mark.parametrize(("d", "epsilon"), [(1, Fraction(1, 2)), (2, Fraction(4)), (3, Fraction(2))])
def test_simulated_noise_has_the_stated_moments(adjacency: Adjacency, d: int, epsilon: Fraction) -> None:
    """20,000 draws: within eight standard deviations of the mean, of error probability below 1e-12 if nearly normal."""
    mechanism = StaircaseMechanism(epsilon, adjacency, divisor=2)
    noise = mechanism.float_noise(20_000, d, np.random.default_rng(3))
    for values, expected in (
        ((noise**2).sum(axis=(1, 2)), mechanism.moments(d).frobenius),
        (np.trace(noise, axis1=1, axis2=2) ** 2, mechanism.moments(d).trace),
    ):
        spread = 8 * values.std() / np.sqrt(len(values))
        assert abs(values.mean() - float(expected)) < spread
        assert abs(values.mean() * 1.4 - float(expected)) > spread, "control"
    outputs = mechanism.simulate(DATA[:, :1] @ np.ones((1, d)) / 2, 5, np.random.default_rng(1))
    again = mechanism.float_noise(5, d, np.random.default_rng(1)) / 2
    moment = (DATA[:, :1] ** 2).sum() / 8 * np.ones((d, d))
    assert outputs == pytest.approx(again + moment, abs=1e-12)


def density(mechanism: Any, noise: fmpq_mat) -> Fraction:
    """Return the step of a matrix on which the relation's norm is rational, for d = 1."""
    size, k = abs(Fraction(int(noise[0, 0].p), int(noise[0, 0].q))), 0
    while size > k + mechanism.stairs(1).width:
        k += 1
    return k


@both_relations
def test_the_loss_is_epsilon_times_the_steps_between(adjacency: Adjacency) -> None:
    mechanism = StaircaseMechanism(Fraction(3), adjacency, divisor=1)
    data, neighbour = ([[1]], [[0]]) if adjacency is REPLACE else ([[1], [0]], [[1], [1]])
    found = set()
    for numerator in range(-40, 60):
        output = fmpq(numerator, 13)
        first, second = (fmpq_mat([[output - sum(row[0] ** 2 for row in rows)]]) for rows in (data, neighbour))
        loss = mechanism.log_density_ratio(data, neighbour, np.array([[Fraction(numerator, 13)]], dtype=object))
        steps = density(mechanism, second) - density(mechanism, first)
        assert loss.contains(3 * steps)
        assert loss.rad() < 1e-10
        assert abs(steps) <= 1, "the guarantee"
        found.add(steps)
    assert found == {-1, 0, 1}


def test_the_loss_is_in_units_of_what_a_record_changes() -> None:
    mechanism = StaircaseMechanism(Fraction(3), ADD, divisor=2, norm_bound=Fraction(2))
    width = float(mechanism.stairs(1).width)
    output = np.array([[Fraction(2 * width) + Fraction(1, 100)]], dtype=object)
    assert mechanism.log_density_ratio([[0]], [[0], [0.25]], output).contains(-3), "just beyond the first step"
    assert mechanism.log_density_ratio([[0]], [[0], [0.125]], output).contains(0), "control"


@both_relations
def test_the_loss_of_matrices_is_within_the_guarantee(adjacency: Adjacency) -> None:
    mechanism = StaircaseMechanism(Fraction(2), adjacency, divisor=1)
    data = [[1.0, 0.0], [0.0, 0.0]]
    neighbour = [[0.0, 1.0], [0.0, 0.0]] if adjacency is REPLACE else [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
    generator = np.random.default_rng(5)
    losses = []
    for output in mechanism.simulate(np.array(data), 60, generator):
        symmetric = (output + output.T) / 2
        losses.append(float(mechanism.log_density_ratio(data, neighbour, symmetric).mid()))
    assert max(map(abs, losses)) <= 2
    assert {round(loss, 6) for loss in losses} == {-2.0, 0.0, 2.0}
