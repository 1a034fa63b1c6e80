"""The mathematics of opendp 0.16: noise and choices keep their promise, thresholds and the regression do not.

Outputs are rounded to multiples of 2**-30, and the claim is the one that the measurement's own map states for one
replaced record. A violation is certified, and an alarm on a mechanism that keeps its promise rung, with probability at
most 1e-9 each.

*What violates.* ``LinearRegression`` (``extras/sklearn/linear_model/_make_private_theil_sen/__init__.py``, line 16)
drops a record where their number is odd, and says that a record changes one pair. A record added to an even number
changes two: its own pair comes, and that of the dropped record goes. Both move the medians the same way, so that the
loss is up to twice the map's. A shuffle before instead of after would not repair that, see the last test. opendp knows
it under its number 2950. Principal components stand in `test_opendp_components`.

``make_laplace_threshold`` and ``make_gaussian_threshold`` (``rust/src/measurements/noise_threshold/mod.rs``, line 114)
publish a noisy count that equals the threshold, and their delta (``distribution/laplace/mod.rs``, line 158, and
``distribution/gaussian/mod.rs``, line 159) is the probability of exceeding it: 0.036 is said where it is 0.099. This
audit found it blindly; opendp knew it first, under its number 2922.

All of this is behind ``contrib``, most of it behind ``idealized-numerics`` or ``honest-but-curious`` too: opendp says
itself what has not gone through its vetting, and what is private only if arithmetic is exact or the caller honest.

*What was not tried.* Queries on data frames (``make_private_lazyframe``), synthetic data (``extras.mbi``), the
queryable of sparse vectors (``make_alp_queryable``).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import opendp.prelude as dp
import pytest

from dpmatrix.auditing import NeighbouringPair, neighbouring_pairs
from dpmatrix.privacy import Adjacency, DiscreteGaussianProfile, GaussianProfile

dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
REPLACE = Adjacency.REPLACE_ONE
ADD = Adjacency.ADD_REMOVE_ONE
WIDE = 100
DELTA = float(GaussianProfile(1, 1).delta(1).upper())
DISCRETE_DELTA, DISCRETE_DELTA_AT_THREE = (float(DiscreteGaussianProfile(1, 1).delta(e).upper()) for e in (1, 3))


def sums(measurement):
    return lambda data, size, _: np.array([measurement(data.sum(axis=0).tolist()) for _ in range(size)])


def floats(metric):
    return dp.vector_domain(dp.atom_domain(T=float, nan=False)), metric(T=float)


def sizes(dimension: int) -> dict[str, int]:
    """Return fewer outputs where each takes a millisecond and more."""
    return {"training": 100, "confirmation": 4000 if dimension < WIDE else 1000}


def opposite(dimension: int) -> NeighbouringPair:
    """Return a flat unit record and its opposite."""
    flat = np.full((1, dimension), dimension**-0.5) * (1 - 2.0**-40)
    return NeighbouringPair("opposite flat vectors", REPLACE, flat, -flat)


@pytest.mark.parametrize("dimension", [1, 3, 20, 200])
def test_laplace_vectors_keep_their_promise(audited_mathematics, dimension: int) -> None:
    scale = 2 * math.sqrt(dimension)
    measurement = dp.m.make_laplace(*floats(dp.l1_distance), scale=scale)
    epsilon = measurement.map(2 * math.sqrt(dimension))
    assert epsilon == pytest.approx(1, rel=1e-6)
    pairs = [opposite(dimension)]
    assert not audited_mathematics(sums(measurement), pairs, epsilon=epsilon, **sizes(dimension)).violated


@pytest.mark.parametrize("dimension", [1, 3, 20, 200])
def test_gaussian_vectors_keep_their_promise(audited_mathematics, dimension: int) -> None:
    measurement = dp.m.make_gaussian(*floats(dp.l2_distance), scale=2.0)
    assert measurement.map(2.0) == pytest.approx(0.5)
    pairs = [opposite(dimension)]
    result = audited_mathematics(sums(measurement), pairs, epsilon=1, delta=DELTA, **sizes(dimension))
    assert not result.violated


@pytest.mark.parametrize("dimension", [1, 20, 200])
def test_geometric_vectors_keep_their_promise(audited_mathematics, dimension: int) -> None:
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    measurement = dp.m.make_geometric(*space, scale=1.0)
    pair = NeighbouringPair("one count", REPLACE, np.eye(1, dimension), np.zeros((1, dimension)))

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        counts = data[0].astype(int).tolist()
        return np.array([measurement(counts) for _ in range(size)])

    epsilon = measurement.map(1)
    assert not audited_mathematics(target, [pair], epsilon=epsilon, **sizes(dimension)).violated


def test_half_the_noise_of_a_vector_is_found(audited_mathematics) -> None:
    measurement = dp.m.make_laplace(*floats(dp.l1_distance), scale=1.0)
    pairs = [pair for pair in neighbouring_pairs(3, 1, REPLACE) if "opposite basis" in pair.name]
    assert audited_mathematics(sums(measurement), pairs, epsilon=1, control=True).epsilon_lower_bound > 1.5


def numbers(kind: type):
    nan = {"nan": False} if kind is float else {}
    return dp.atom_domain(T=kind, **nan), dp.absolute_distance(T=kind)


def scores():
    return dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)


def response(prob: float, *, categories: bool):
    if categories:
        return dp.m.make_randomized_response([0, 1, 2], prob)
    return dp.m.make_randomized_response_bool(prob)


# How it is made, the claim of its own map (delta is a Gaussian's own), and how zero or one reads to it.
NUMBERS: dict[str, tuple[Callable[[], object], float, float, Callable[[float], object]]] = {
    "laplace": (lambda: dp.m.make_laplace(*numbers(float), scale=1.0), 1, 0, float),
    "gaussian": (lambda: dp.m.make_gaussian(*numbers(float), scale=1.0), 1, DELTA, float),
    "discrete-laplace": (lambda: dp.m.make_laplace(*numbers(int), scale=1.0), 1, 0, int),
    "discrete-gaussian": (lambda: dp.m.make_gaussian(*numbers(int), scale=1.0), 1, DISCRETE_DELTA, int),
    "geometric": (lambda: dp.m.make_geometric(*numbers(int), scale=1.0), 1, 0, int),
    "geometric-bounded": (lambda: dp.m.make_geometric(*numbers(int), scale=1.0, bounds=(0, 1)), 1, 0, int),
    "canonical": (lambda: dp.m.make_canonical_noise(*numbers(float), d_in=1.0, d_out=(1.0, 0.01)), 1, 0.01, float),
    "response": (lambda: response(math.e / (1 + math.e), categories=False), 1, 0, bool),
    "response-of-three": (lambda: response(math.e / (2 + math.e), categories=True), 1, 0, int),
    "response-bits": (
        lambda: dp.m.make_randomized_response_bitvec(
            dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=0.755
        ),
        1.001,
        0,
        lambda value: np.array([128 if value else 64], dtype=np.uint8),
    ),
    "noisy-max": (
        lambda: dp.m.make_noisy_max(*scores(), dp.max_divergence(), scale=2.0),
        1,
        0,
        lambda value: [value, 1 - value, 0.5],
    ),
    "noisy-max-gumbel": (
        lambda: dp.m.make_noisy_max(*scores(), dp.zero_concentrated_divergence(), scale=2.0),
        1,
        0,
        lambda value: [value, 1 - value, 0.5],
    ),
    "noisy-top-2": (
        lambda: dp.m.make_noisy_top_k(*scores(), dp.max_divergence(), k=2, scale=4.0),
        1,
        0,
        lambda value: [value, 1 - value, 0.5, 0.5],
    ),
    "median": (
        lambda: dp.m.make_private_quantile(
            dp.vector_domain(dp.atom_domain(T=float, nan=False)),
            dp.symmetric_distance(),
            dp.max_divergence(),
            candidates=[0.0, 0.25, 0.5, 0.75, 1.0],
            alpha=0.5,
            scale=1.0,
        ),
        2,
        0,
        lambda value: [0.2, 0.4, 0.6, value],
    ),
}


def read(output: object) -> np.ndarray:
    """Return an output as numbers."""
    return np.frombuffer(output, dtype=np.uint8) if isinstance(output, bytes) else np.asarray(output, dtype=np.float64)


@pytest.mark.parametrize("name", NUMBERS)
def test_mechanisms_for_a_number_keep_their_promise(audited_mathematics, name: str) -> None:
    make, epsilon, delta, written = NUMBERS[name]
    measurement = make()

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        value = written(float(data[0, 0]))
        return np.array([read(measurement(value)) for _ in range(size)])

    pair = NeighbouringPair("zero and one", REPLACE, np.zeros((1, 1)), np.ones((1, 1)))
    result = audited_mathematics(target, [pair], epsilon=epsilon, delta=delta, confirmation=10_000)
    assert not result.violated


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_counts_above_a_threshold_lose_more_than_their_delta(audited_mathematics, law: str) -> None:
    """A key that is there once or not at all. What is at the threshold is published, and delta leaves it out.

    Noise of two and more publishes the key: with probability 0.0989 for Laplace and 0.0585 for Gaussian noise.
    """
    counted = dp.absolute_distance(T=int)
    domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    make, metric = {
        "laplace": (dp.m.make_laplace_threshold, dp.l01inf_distance),
        "gaussian": (dp.m.make_gaussian_threshold, dp.l02inf_distance),
    }[law]
    measurement = make(domain, metric(counted), scale=1.0, threshold=3)
    stated, missed = measurement.map((1, 1, 1))
    assert stated == pytest.approx({"laplace": 1, "gaussian": 0.5}[law])
    epsilon, known = {"laplace": (1, 0.0), "gaussian": (3, DISCRETE_DELTA_AT_THREE)}[law]

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        counts = {"once": 1} if len(data) else {}
        return np.array([measurement(counts).get("once", -1) for _ in range(size)])

    pair = NeighbouringPair("a key that is there once", ADD, np.ones((1, 1)), np.zeros((0, 1)))
    cause = (
        "noise_threshold/mod.rs:114 keeps what equals the threshold, distribution/*/mod.rs:158 counts what exceeds it "
        "(opendp 2922)"
    )
    outputs = {"laplace": 6000, "gaussian": 30_000}[law]
    delta = known + missed
    result = audited_mathematics(
        target, [pair], epsilon=epsilon, delta=delta, training=500, confirmation=outputs, cause=cause
    )
    assert result.violated


def test_regression_loses_twice_the_epsilon_of_its_map(audited_mathematics) -> None:
    """Records are (x, y), y in units of 1e9 above 8; all but one predict 8, above which a fifth of the candidates lie.

    The last of eight lies far above and is dropped once a record far below is put in front. Of the two medians that
    make the line the lesser is looked at.
    """
    model = dp.sklearn.linear_model.LinearRegression(
        dp.max_divergence(), x_bounds=[(0, 10)], y_bounds=(0, 10), scale=1.0, candidates_count=20
    )
    epsilon = model.measurement.map(1)
    assert epsilon == pytest.approx(2)
    line = [[i / 100, 0.0] for i in range(7)]
    even = np.array([*line, [0.7, 0.7]])
    pair = NeighbouringPair("a record in front", ADD, even, np.vstack([[[0.7, -0.7]], even]))

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        raw = np.stack([data[:, 0] / 0.07, 8 + 1e9 * data[:, 1]], axis=1)
        lines = np.array([model.measurement(raw) for _ in range(size)])
        return np.minimum(lines @ [2.5, 1.0], lines @ [7.5, 1.0])

    cause = "extras/sklearn/linear_model/_make_private_theil_sen/__init__.py:16, an odd record is dropped (opendp 2950)"
    result = audited_mathematics(target, [pair], epsilon=epsilon, confirmation=16_000, training=500, cause=cause)
    assert result.violated


def test_a_shuffle_before_the_cut_would_not_repair_the_regression() -> None:
    """By arithmetic: a record far below the line is added to seven on it and one far above; 2 is claimed of the map.

    A median is the candidate with the probability proportional to exp(-|predictions below - above| / 2). One of 20
    candidates is below the line. What is counted is that both medians are: they share the pairs. Pairs of the two odd
    records, whatever they predict, are taken for ones that never lead there, so that this is a bound from below.
    """

    def below(low: int, high: int) -> float:
        """Return the probability that a median is below the line, of four pairs so many of which are not on it."""
        under, over = (math.exp(-abs(difference) / 2) for difference in (2 * low - 4, 4 - 2 * high))
        return under / (under + 19 * over)

    before = below(0, 1) ** 2
    after = (before + 7 * 6 / 7 * below(1, 1) ** 2 + below(1, 0) ** 2) / 9
    assert math.log(after / before) == pytest.approx(2.25, abs=0.01)
