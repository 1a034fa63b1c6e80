"""Audits of `analyze-gauss`: subspaces whose eigengap a neighbour closes, and the online leader over 50 steps.

The targets are float simulations, seen on a grid. Every audit is wrong with probability at most 1e-9; the controls are
certified with probability above 1 - 1e-6 at the sample sizes used, as their events differ by more than 0.1.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.auditing import NeighbouringPair, seen_at_resolution
from dpmatrix.claims import Truth
from dpmatrix.mechanisms import OnlinePerturbedLeader, PrintedSubspaceRecovery, PrivateSubspaceRecovery
from dpmatrix.mechanisms.analyze_gauss import simulate_stream, slide_deviation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import GaussianPromise
from dpmatrix.spec.analyze_gauss.online import OnlinePromise
from dpmatrix.spec.analyze_gauss.subspace_privacy import GapSettings, RelatedGap

subspace_privacy = cite("analyze-gauss.subspace-privacy@54138e5e")
algorithm_3 = cite("analyze-gauss.algorithm-3@313a4582")
algorithm_1 = cite("analyze-gauss.algorithm-1@bc0272e1")


ADDED = Adjacency.ADD_REMOVE_ONE
SMALL = Fraction(1, 10**6)
RESOLUTION = 2.0**-30
SIMULATED = "simulation in floats, seen at 2^-30"
STEPS = 50


def closing_pair(excess: float, *, wide: int = 0) -> NeighbouringPair:
    """diag(t + excess, t) against diag(t + excess, t + 1), or with a gap that is wider by so many rows."""
    rows = np.zeros((10 + wide, 2))
    rows[: 5 + wide, 0] = rows[5 + wide :, 1] = 1.0
    data = np.vstack([rows, [[excess**0.5, 0.0], [0.0, 0.0]]])
    neighbour = data.copy()
    neighbour[-1, 1] = 1.0
    return NeighbouringPair(f"gap {excess + wide}", ADDED, data, neighbour)


PAIRS = [closing_pair(0.1), closing_pair(0.5), closing_pair(0.1, wide=40)]


@subspace_privacy.refutes(
    grade="statistical", region="epsilon = 1, delta = 1e-6, n = 2: a row that closes a gap of 1/10; confidence 1 - 1e-9"
)
def test_the_closed_gap_is_found(statement, audited) -> None:
    mechanism = PrintedSubspaceRecovery(1, ADDED, rank=1, delta=SMALL, acknowledge="analyze-gauss.subspace-privacy")
    result = audited(
        seen_at_resolution(mechanism.simulate, RESOLUTION),
        PAIRS,
        epsilon=2,
        training=1000,
        confirmation=4000,
        seed=11,
        subject=(mechanism, SIMULATED),
    )
    assert result.violated
    assert result.delta_lower_bound_at_epsilon > 0.9, "the exact one is above 0.99"
    assert statement.at(GapSettings(1, SMALL, Fraction(1, 10))) is Truth.FALSE


@subspace_privacy.supports_repair(
    grade="statistical",
    region="epsilon = 1, delta = 1e-6, a row that closes a gap of 1/10, and one at a gap of 40; no alarm at 1e-9",
)
def test_repaired_recovery_raises_no_alarm(statement, audited) -> None:
    mechanism = PrivateSubspaceRecovery(1, ADDED, rank=1, delta=SMALL)
    target = seen_at_resolution(mechanism.simulate, RESOLUTION)
    sizes = {"training": 300, "confirmation": 4000, "seed": 12}
    result = audited(target, PAIRS[::2], epsilon=2, subject=(mechanism, SIMULATED), **sizes)
    assert not result.violated
    assert statement.at(RelatedGap(1, SMALL, 40, ADDED)) is Truth.TRUE


def first_row(steps: int) -> NeighbouringPair:
    data = np.zeros((steps, 2))
    neighbour = data.copy()
    neighbour[0, 0] = 1.0
    return NeighbouringPair("the first row", ADDED, data, neighbour)


def votes(stack: np.ndarray) -> np.ndarray:
    """Count the steps that prefer e_1, a function of the published subspaces; shape (size, 1)."""
    prefers = stack[:, :-1, 0, 0] > stack[:, :-1, 1, 1]
    return prefers.sum(axis=1, dtype=float)[:, None]


def printed_votes(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return votes(simulate_stream(data, float(slide_deviation(Fraction(1), SMALL)), size, generator))


def test_fifty_printed_steps_are_caught(audited) -> None:
    """Nothing is promised of them; the guarantee of one step, asked of the count, is seen to fail.

    The exact delta of the count is 0.023; 40,000 samples a side certify a part of it.
    """
    result = audited(printed_votes, [first_row(STEPS)], epsilon=1, training=4000, confirmation=40_000, seed=13)
    assert result.violated


@algorithm_3.supports_repair(
    grade="statistical",
    region="50 steps, epsilon = 1, delta = 1e-6: the count or the sums of all matrices, as in the item's name; "
    "no alarm at 1e-9",
)
@pytest.mark.parametrize("seen", ["votes", "sums"])
def test_fifty_repaired_steps_raise_no_alarm(statement, audited, seen: str) -> None:
    """The sum over the steps is the statistic that tells most: it is the mean of the 50 noisy matrices."""
    mechanism = OnlinePerturbedLeader(1, ADDED, steps=STEPS, delta=SMALL)

    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        stack = mechanism.simulate(data, size, generator)
        return votes(stack) if seen == "votes" else np.round(stack.sum(axis=1)[:, 0, :1], 6)

    sizes = {"training": 1000, "confirmation": 10_000, "seed": 14}
    subject = (mechanism, f"simulation of {STEPS} steps in floats, {seen}")
    result = audited(target, [first_row(STEPS)], epsilon=1, subject=subject, **sizes)
    assert not result.violated
    assert statement.at(OnlinePromise(1, SMALL, 1, ADDED, STEPS)) is Truth.TRUE


@algorithm_1.refutes(grade="statistical", region="a row of norm 5 at epsilon = 1, delta = 1e-6; confidence 1 - 1e-9")
def test_a_long_row_is_caught(statement, audited) -> None:
    deviation = float(slide_deviation(Fraction(1), SMALL))

    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return simulate_stream(5 * data, deviation, size, generator)[:, -1, 0, :1]

    long = NeighbouringPair("a row of norm 5, in units of 5", ADDED, np.zeros((1, 2)), np.array([[1.0, 0.0]]))
    result = audited(
        seen_at_resolution(target, RESOLUTION), [long], epsilon=1, training=1000, confirmation=4000, seed=15
    )
    assert result.violated
    assert result.delta_lower_bound_at_epsilon > 0.4, "the exact one is 0.926"
    assert statement.at(GaussianPromise(1, SMALL, 5, ADDED)) is Truth.FALSE
