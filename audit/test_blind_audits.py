"""Black-box audits: nothing is known of a mechanism but its outputs.

The targets are the float simulations of the mechanisms, seen on a grid: floats leak by their low-order bits, which is
another defect than the one looked for, and one that `release` does not have. The last audit attacks `release` itself.

Every audit is wrong with probability at most 1e-9. The control, noise cut by a quarter, is certified with probability
above 1 - 1e-6 at the sample sizes used (its event has probability 1/2 against 0.257, and 40,000 samples a side).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.auditing import from_single_draw, neighbouring_pairs, seen_at_resolution
from dpmatrix.claims import Truth
from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism, WishartMechanism
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.wishart.scalar_noise import LaplaceNoise
from dpmatrix.spec.wishart.wishart_perturbation import SymmetrisedNoise

theorem_4 = cite("wishart.theorem-4@f1912fdb")
theorem_3 = cite("wishart.theorem-3@ec1ddeda")
theorem_1 = cite("wishart.theorem-1@dec3ccb1")


EPSILON = 1
RECORDS = 5
DIMENSIONS = (1, 5, 20)
RESOLUTION = 2.0**-30
SIMULATED = "simulation in floats, seen at 2^-30"


def pairs(dimension: int):
    return neighbouring_pairs(dimension, RECORDS, Adjacency.REPLACE_ONE)


@theorem_4.refutes(grade="statistical", region="epsilon = 1, n = 5, d as in the item's name; confidence 1 - 1e-9")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_wishart_failure_is_found_blindly(statement, audited, dimension: int) -> None:
    mechanism = WishartMechanism(EPSILON, acknowledge="wishart.theorem-4")
    result = audited(
        seen_at_resolution(mechanism.simulate, RESOLUTION),
        pairs(dimension),
        epsilon=EPSILON,
        training=1000,
        confirmation=4000,
        seed=4,
        subject=(mechanism, f"{SIMULATED}, d = {dimension}"),
    )
    assert result.violated
    assert result.delta_lower_bound_at_epsilon > 0.2, "the exact probability is 0.283"
    assert statement.at(InputPerturbation(dimension, RECORDS, EPSILON)) is Truth.FALSE


@theorem_3.supports(grade="statistical", region="epsilon = 1, n = 5, d as in the item's name; no alarm at 1e-9")
@pytest.mark.parametrize("calibration", ["printed", "tight"])
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_laplace_raises_no_alarm(statement, audited, dimension: int, calibration) -> None:
    """The printed scale has slack; the tight one has none, and must still pass."""
    mechanism = LaplaceInputPerturbation(EPSILON, calibration=calibration)
    result = audited(
        seen_at_resolution(mechanism.simulate, RESOLUTION),
        pairs(dimension),
        epsilon=EPSILON,
        training=500,
        confirmation=10_000,
        seed=3,
        subject=(mechanism, f"{SIMULATED}, {calibration} noise, d = {dimension}"),
    )
    assert not result.violated
    assert statement.at(InputPerturbation(dimension, RECORDS, EPSILON)) is Truth.TRUE


@theorem_4.supports_repair(grade="statistical", region="epsilon = 1, n = 5, d as in the item's name; no alarm at 1e-9")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_symmetrised_wishart_raises_no_alarm(statement, audited, dimension: int) -> None:
    mechanism = SymmetrisedWishartMechanism(EPSILON)
    result = audited(
        seen_at_resolution(mechanism.simulate, RESOLUTION),
        pairs(dimension),
        epsilon=EPSILON,
        training=500,
        confirmation=10_000,
        seed=5,
        subject=(mechanism, f"{SIMULATED}, d = {dimension}"),
    )
    assert not result.violated
    assert statement.at(SymmetrisedNoise(dimension, Adjacency.REPLACE_ONE, EPSILON, 1, 0, 0)) is Truth.TRUE


@theorem_1.controls(grade="statistical", region="d = 1, epsilon = 1, Laplace noise cut by a quarter")
def test_laplace_noise_cut_by_a_quarter_is_caught(statement, audited) -> None:
    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return float(np.sum(data**2)) + generator.laplace(scale=0.75, size=size)

    result = audited(
        seen_at_resolution(target, RESOLUTION),
        neighbouring_pairs(1, 1, Adjacency.REPLACE_ONE),
        epsilon=EPSILON,
        training=4000,
        confirmation=40_000,
        seed=7,
    )
    assert result.violated
    assert statement.without("lambda > s_1 / epsilon").at(LaplaceNoise(1, 1, Fraction(3, 4))) is Truth.FALSE


@theorem_3.supports(grade="statistical", region="d = 2, n = 2: the released lattice values, every bit")
def test_the_release_itself_raises_no_alarm(statement, audited) -> None:
    """No grid is laid over these outputs: what is released is exact, so no bit of it may betray anything."""
    mechanism = LaplaceInputPerturbation(EPSILON)

    def draw(data: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        return mechanism.release(data, entropy=SeededEntropy(int(generator.integers(2**62)))).to_numpy()

    result = audited(
        from_single_draw(draw),
        neighbouring_pairs(2, 2, Adjacency.REPLACE_ONE)[:4],
        epsilon=EPSILON,
        training=300,
        confirmation=4000,
        seed=11,
        subject=(mechanism, "release, every bit, d = 2"),
    )
    assert not result.violated
    assert statement.at(InputPerturbation(2, 2, EPSILON)) is Truth.TRUE
