"""The mathematics of PyDP (python-dp 1.1.5): no promise was refuted.

PyDP wraps Google's differential-privacy library. Audited are what it computes of bounded numbers, counts, and whether a
partition is kept, at nominal parameters. A record is added or removed: PyDP's docstrings name no relation, and those of
Google's library speak of the contributions of one user. With ``linf_sensitivity`` a user gives that many numbers at
once, with ``l0_sensitivity`` the same numbers go to so many results that are looked at together.

Outputs are rounded to multiples of 2**-30; an alarm is rung with probability at most 1e-9. That nothing was refuted is
no proof. `test_pydp_representation` is about the low bits.

*What was not tried.* Bounds that the library finds itself, noise intervals, merging of summaries, ``QuantileTree`` by
itself, and the naive Bayes classifier of ``pydp.ml``, which is a copy of an old one of diffprivlib.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pydp.algorithms import laplacian
from pydp.algorithms.partition_selection import create_partition_strategy

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.privacy import Adjacency

ADD = Adjacency.ADD_REMOVE_ONE
BOUNDS = {"lower_bound": 0.0, "upper_bound": 1.0}
RECORDS = {
    "one beside none": ([], [1.0]),
    "one beside zero": ([0.0], [0.0, 1.0]),
    "one beside three": ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]),
    "zero beside ones": ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0]),
}
ALGORITHMS: dict[str, tuple[dict[str, float], int]] = {
    "BoundedSum": (BOUNDS, 8000),
    "BoundedMean": (BOUNDS, 4000),
    "BoundedVariance": (BOUNDS, 4000),
    "BoundedStandardDeviation": (BOUNDS, 4000),
    "Count": ({}, 8000),
    "Max": (BOUNDS, 1500),
    "Min": (BOUNDS, 1500),
    "Median": (BOUNDS, 1500),
    "Percentile": (BOUNDS | {"percentile": 0.25}, 1500),
}


def pairs() -> list[NeighbouringPair]:
    columns = {name: [np.array(data).reshape(-1, 1) for data in both] for name, both in RECORDS.items()}
    return [NeighbouringPair(name, ADD, *both) for name, both in columns.items()]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms_for_numbers_keep_their_promise(audited_mathematics, name: str) -> None:
    settings, outputs = ALGORITHMS[name]
    algorithm = getattr(laplacian, name)(epsilon=1.0, dtype="float", **settings)

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        return np.array([float(algorithm.quick_result(data[:, 0].tolist())) for _ in range(size)])

    assert not audited_mathematics(target, pairs(), epsilon=1, training=500, confirmation=outputs).violated


@pytest.mark.parametrize(("results", "numbers"), [(1, 3), (3, 1), (2, 3)])
@pytest.mark.parametrize("name", ["BoundedSum", "BoundedMean", "BoundedVariance", "Count"])
def test_users_of_many_numbers_keep_their_promise(audited_mathematics, name: str, results: int, numbers: int) -> None:
    settings, outputs = ALGORITHMS[name]
    kinds = {"l0_sensitivity": results, "linf_sensitivity": numbers}
    algorithm = getattr(laplacian, name)(epsilon=1.0, dtype="float", **settings, **kinds)

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        held = [0.0] + [1.0] * (numbers * (len(data) - 1))
        return np.array([[float(algorithm.quick_result(held)) for _ in range(results)] for _ in range(size)])

    pair = NeighbouringPair("one user more", ADD, np.zeros((1, 1)), np.array([[0.0], [1.0]]))
    assert not audited_mathematics(target, [pair], epsilon=1, training=500, confirmation=outputs // 2).violated


@pytest.mark.parametrize("threshold", [None, 2])
@pytest.mark.parametrize("strategy", ["truncated_geometric", "laplace", "gaussian"])
def test_kept_partitions_keep_their_promise(audited_mathematics, strategy: str, threshold: int | None) -> None:
    """Whether a partition is published that so many users have, or one more; delta is 0.05, so that it can be seen."""
    chosen = create_partition_strategy(strategy, 1.0, 0.05, 1, threshold)
    kept: Callable[[int], bool] = chosen.should_keep

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        return np.array([float(kept(len(data))) for _ in range(size)])

    counts = [
        NeighbouringPair(f"{users} users and one more", ADD, np.ones((users, 1)), np.ones((users + 1, 1)))
        for users in (0, 1, 2, 3, 5)
    ]
    result = audited_mathematics(target, counts, epsilon=1, delta=0.05, training=1000, confirmation=20_000)
    assert not result.violated


def test_half_the_noise_of_a_sum_is_found(audited_mathematics) -> None:
    algorithm = laplacian.BoundedSum(epsilon=2.0, dtype="float", **BOUNDS)

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        return np.array([float(algorithm.quick_result(data[:, 0].tolist())) for _ in range(size)])

    assert audited_mathematics(target, pairs(), epsilon=1, control=True).violated
