"""The mathematics of diffprivlib 0.6.6: which mechanisms and statistics keep their promise when low bits cannot speak.

Outputs are rounded to multiples of 2**-30. Every mechanism is taken at nominal parameters; a number goes from an end of
its range to the other, a data set changes one record for another. A violation is certified, and an alarm on a
mechanism that keeps its promise rung, with probability at most 1e-9 each.

*What violates.* ``tools.histogram`` (``tools/histograms.py``, line 143) adds noise for a count that moves by one. That
is enough for a record that is added or removed, which costs epsilon and no more; a record that is replaced moves two
counts and costs 2 epsilon. ``tools.mean`` (``tools/utils.py``, line 293) and the eigenvalues (``models/utils.py``, line
96) have noise for a replaced record, and take n for public. The library names no adjacency relation, and epsilons of
the two kinds are added up by one accountant. Desfontaines (*Don't use diffprivlib*) said so before.

Eigenvalues, eigenvectors and PCA stand in `test_diffprivlib_components`, other models in `test_diffprivlib_models`.

*What is not there.* Noise of the Wishart law: neither this release nor opendp 0.16 offers it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from diffprivlib import mechanisms, tools

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.privacy import Adjacency

REPLACE = Adjacency.REPLACE_ONE
NUMBERS = [NeighbouringPair("zero and one", REPLACE, np.zeros((1, 1)), np.ones((1, 1)))]
BOUNDS = {"lower": 0.0, "upper": 1.0}
WIDE = 100

# Class, arguments, the claim, and how a number of zero or one reads to the mechanism.
SCALARS: dict[str, tuple[str, dict[str, object], float, float, Callable[[float], object]]] = {
    "laplace": ("Laplace", {"epsilon": 1, "sensitivity": 1.0}, 1, 0, float),
    "laplace-delta": ("Laplace", {"epsilon": 1, "delta": 0.1, "sensitivity": 1.0}, 1, 0.1, float),
    "truncated": ("LaplaceTruncated", {"epsilon": 1, "sensitivity": 1.0, **BOUNDS}, 1, 0, float),
    "folded": ("LaplaceFolded", {"epsilon": 1, "sensitivity": 1.0, **BOUNDS}, 1, 0, float),
    "bounded-domain": ("LaplaceBoundedDomain", {"epsilon": 1, "sensitivity": 1.0, **BOUNDS}, 1, 0, float),
    "half-line": (
        "LaplaceBoundedDomain",
        {"epsilon": 1, "sensitivity": 1.0, "lower": 0, "upper": math.inf},
        1,
        0,
        float,
    ),
    "bounded-noise": ("LaplaceBoundedNoise", {"epsilon": 1, "delta": 0.05, "sensitivity": 1.0}, 1, 0.05, float),
    "gaussian": ("Gaussian", {"epsilon": 1, "delta": 0.05, "sensitivity": 1.0}, 1, 0.05, float),
    "gaussian-analytic": ("GaussianAnalytic", {"epsilon": 1, "delta": 0.05, "sensitivity": 1.0}, 1, 0.05, float),
    "gaussian-discrete": ("GaussianDiscrete", {"epsilon": 1, "delta": 0.05, "sensitivity": 1}, 1, 0.05, int),
    "staircase": ("Staircase", {"epsilon": 1, "sensitivity": 1.0, "gamma": 0.3}, 1, 0, float),
    "uniform": ("Uniform", {"delta": 0.1, "sensitivity": 1.0}, 1e-9, 0.1, float),
    "geometric": ("Geometric", {"epsilon": 1, "sensitivity": 1}, 1, 0, int),
    "geometric-truncated": ("GeometricTruncated", {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 1}, 1, 0, int),
    "geometric-folded": ("GeometricFolded", {"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 1}, 1, 0, int),
    "snapping": ("Snapping", {"epsilon": 1, "sensitivity": 1.0, "lower": -8.0, "upper": 8.0}, 1, 0, float),
    "binary": ("Binary", {"epsilon": 1, "value0": "0", "value1": "1"}, 1, 0, lambda value: str(int(value))),
}
COUNTS = {"exponential": "Exponential", "permute-and-flip": "PermuteAndFlip"}
CATEGORIES: dict[str, tuple[str, dict[str, object]]] = {
    "categorical": ("ExponentialCategorical", {"utility_list": [["A", "B", 1], ["A", "C", 2], ["B", "C", 2]]}),
    "hierarchical": ("ExponentialHierarchical", {"hierarchy": [["A", "B"], ["C"]]}),
}
TOOLS: dict[str, Callable[[np.ndarray], object]] = {
    "mean": lambda values: tools.mean(values, epsilon=1, bounds=(0, 1)),
    "sum": lambda values: tools.sum(values, epsilon=1, bounds=(0, 1)),
    "var": lambda values: tools.var(values, epsilon=1, bounds=(0, 1)),
    "count": lambda values: tools.count_nonzero(values, epsilon=1),
    "median": lambda values: tools.median(values, epsilon=1, bounds=(-0.5, 1.5)),
    "std": lambda values: tools.std(values, epsilon=1, bounds=(0, 1)),
    "quantiles": lambda values: tools.quantile(values, [0.25, 0.75], epsilon=1, bounds=(-0.5, 1.5)),
}


def many(once: Callable[[np.ndarray], object]):
    return lambda data, size, _: np.array([np.asarray(once(data), dtype=np.float64) for _ in range(size)])


def opposite(dimension: int) -> NeighbouringPair:
    """Return a flat unit record and its opposite."""
    flat = np.full((1, dimension), dimension**-0.5) * (1 - 2.0**-40)
    return NeighbouringPair("opposite flat vectors", REPLACE, flat, -flat)


def test_no_wishart_noise_is_offered() -> None:
    assert not [name for name in dir(mechanisms) if "wishart" in name.lower()]


@pytest.mark.parametrize("name", SCALARS)
def test_mechanisms_for_a_number_keep_their_promise(audited_mathematics, name: str) -> None:
    kind, arguments, epsilon, delta, read = SCALARS[name]
    mechanism = getattr(mechanisms, kind)(**arguments)
    target = many(lambda data: mechanism.randomise(read(data[0, 0])))
    assert not audited_mathematics(target, NUMBERS, epsilon=epsilon, delta=delta).violated


def test_half_the_noise_for_a_number_is_found(audited_mathematics) -> None:
    mechanism = mechanisms.Laplace(epsilon=2, sensitivity=1.0)
    target = many(lambda data: mechanism.randomise(float(data[0, 0])))
    result = audited_mathematics(target, NUMBERS, epsilon=1, control=True)
    assert result.epsilon_lower_bound > 1.5


@pytest.mark.parametrize("name", COUNTS)
def test_choices_keep_their_promise(audited_mathematics, name: str) -> None:
    def choose(data: np.ndarray) -> float:
        utility = np.array([data[0, 0], 1 - data[0, 0], 0.5])
        return float(getattr(mechanisms, COUNTS[name])(epsilon=1, sensitivity=1, utility=utility.tolist()).randomise())

    assert not audited_mathematics(many(choose), NUMBERS, epsilon=1).violated


@pytest.mark.parametrize("name", CATEGORIES)
def test_choices_of_a_category_keep_their_promise(audited_mathematics, name: str) -> None:
    kind, shape = CATEGORIES[name]
    mechanism = getattr(mechanisms, kind)(epsilon=1, **shape)
    target = many(lambda data: "ABC".index(mechanism.randomise("AC"[int(data[0, 0])])))
    assert not audited_mathematics(target, NUMBERS, epsilon=1).violated


@pytest.mark.parametrize("name", TOOLS)
def test_statistics_keep_their_promise_when_a_record_is_replaced(audited_mathematics, name: str) -> None:
    rest = np.array([[0.0], [1.0], [0.25]])
    pairs = [
        NeighbouringPair("one record of four", REPLACE, np.vstack([rest, [[a]]]), np.vstack([rest, [[b]]]))
        for a, b in ((0.0, 1.0), (0.2, 0.6))
    ]
    target = many(lambda data: TOOLS[name](data[:, 0]))
    assert not audited_mathematics(target, pairs, epsilon=1, training=300, confirmation=5000).violated


def test_histogram_costs_twice_epsilon_when_a_record_is_replaced(audited_mathematics) -> None:
    def excess(data: np.ndarray) -> int:
        """Tell whether the first count is at least two and the second at most one: the least of the two margins."""
        first, second = tools.histogram(data[:, 0], epsilon=1, bins=2, range=(0, 1))[0]
        return min(first - 2, 1 - second)

    pair = NeighbouringPair("a bin for another", REPLACE, [[0.1], [0.9], [0.1]], [[0.1], [0.9], [0.9]])
    cause = "tools/histograms.py:143, sensitivity 1 where a replaced record moves two counts"
    result = audited_mathematics(many(excess), [pair], epsilon=1, cause=cause)
    assert result.violated
    assert result.epsilon_lower_bound > 1.5


def test_histogram_keeps_its_promise_when_a_record_is_added(audited_mathematics) -> None:
    def counts(data: np.ndarray) -> np.ndarray:
        return tools.histogram(data[:, 0], epsilon=1, bins=2, range=(0, 1))[0]

    pair = NeighbouringPair("a record more", Adjacency.ADD_REMOVE_ONE, [[0.1], [0.9]], [[0.1], [0.9], [0.9]])
    assert not audited_mathematics(many(counts), [pair], epsilon=1).violated


@pytest.mark.parametrize("dimension", [1, 3, 20, 200])
def test_noise_of_the_vector_mechanism_keeps_its_promise(audited_mathematics, dimension: int) -> None:
    mechanism = mechanisms.Vector(epsilon=1, function_sensitivity=0.25, dimension=dimension, alpha=1.0)

    def gradient(data: np.ndarray) -> np.ndarray:
        at = np.zeros(dimension)
        return mechanism.randomise(lambda _: (0.0, data[0].copy()))(at)[1]

    pairs, outputs = [opposite(dimension)], 4000 if dimension < WIDE else 1500
    assert not audited_mathematics(many(gradient), pairs, epsilon=1, training=100, confirmation=outputs).violated
