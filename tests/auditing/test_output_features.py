"""Features: the numbers that they say they are, and never NaN."""

from __future__ import annotations

import gc
import math
import weakref

import numpy as np
import pytest

from dpmatrix.auditing import Event, Feature, NeighbouringPair, feature_families
from dpmatrix.auditing.search.tallies import Tally
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency

FIRST, SECOND = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.6, 0.8 - 2**-52])
PAIR = NeighbouringPair("test", Adjacency.REPLACE_ONE, np.stack([FIRST, SECOND]), np.stack([FIRST, np.zeros(3)]))
UNIT = SECOND / np.linalg.norm(SECOND)


def values(batch: np.ndarray) -> dict[str, np.ndarray]:
    table = {}
    for family in feature_families(PAIR, batch.shape[1:]):
        table |= dict(zip(family.names, family.evaluate(batch), strict=True))
    return table


def named(table: dict[str, np.ndarray], start: str) -> np.ndarray:
    (found,) = [value for name, value in table.items() if name.startswith(start)]
    return found


def test_matrix_features_are_what_they_are_called() -> None:
    generator = np.random.default_rng(3)
    raw = generator.normal(size=(50, 3, 3))
    batch = raw + raw.transpose(0, 2, 1)
    table = values(batch)
    spectra = [np.linalg.eigvalsh(matrix) for matrix in batch]
    assert np.allclose(named(table, "u'Su"), [UNIT @ matrix @ UNIT for matrix in batch])
    assert np.allclose(named(table, "1/(u'S^-1 u)"), [1 / (UNIT @ np.linalg.inv(matrix) @ UNIT) for matrix in batch])
    assert np.allclose(table["the least eigenvalue"], [s[0] for s in spectra])
    assert np.allclose(table["the greatest eigenvalue"], [s[-1] for s in spectra])
    assert np.allclose(table["log |det S|"], [np.linalg.slogdet(matrix)[1] for matrix in batch])
    assert np.allclose(table["the trace"], [np.trace(matrix) for matrix in batch])
    assert np.allclose(table["the Frobenius norm"], [np.linalg.norm(matrix) for matrix in batch])
    assert np.all(table["the rank"] == 3)
    for scale, suffix in ((1.0, ""), (0.5, " / n")):
        moments = {"data": scale * PAIR.data.T @ PAIR.data, "neighbour": scale * PAIR.neighbour.T @ PAIR.neighbour}
        for whose, moment in moments.items():
            found = table[f"the least eigenvalue of S - X'X{suffix}, X the {whose}"]
            assert np.allclose(found, [np.linalg.eigvalsh(matrix - moment)[0] for matrix in batch])
        upper = np.triu_indices(3)
        distances = [np.abs(batch - moments[whose])[:, *upper].sum(axis=1) for whose in ("neighbour", "data")]
        nearer = table[f"the l1 distance to X'X{suffix} of the neighbour less that to X'X{suffix} of the data"]
        assert np.allclose(nearer, distances[0] - distances[1])
        # Only the entries of the lower right block differ, all upwards.
        block = (batch - moments["data"])[:, [1, 1, 2], [1, 2, 2]].min(axis=1)
        assert np.allclose(named(table, f"the least excess of an entry over X'X{suffix} of the data"), block)
        block = (moments["neighbour"] - batch)[:, [1, 1, 2], [1, 2, 2]].min(axis=1)
        assert np.allclose(named(table, f"the least excess of an entry over X'X{suffix} of the neighbour"), block)


def test_singular_and_low_rank_matrices_have_features() -> None:
    batch = np.stack([np.zeros((3, 3)), np.outer(UNIT, UNIT), np.eye(3), np.diag([1.0, 1.0, 0.0])])
    table = values(batch)
    assert table["the rank"].tolist() == [0.0, 1.0, 3.0, 2.0]
    assert table["log |det S|"][0] == -math.inf
    complements = named(table, "1/(u'S^-1 u)")
    assert complements[2] == pytest.approx(1.0)
    assert abs(complements[3]) < 1e-12


@pytest.mark.parametrize("shape", [(), (3,), (5,), (3, 3), (2, 2)])
def test_outputs_that_are_not_finite_are_told_apart_and_nothing_is_nan(shape: tuple[int, ...]) -> None:
    batch = np.random.default_rng(0).normal(size=(6, *shape))
    if len(shape) == 2:
        batch = batch + np.swapaxes(batch, 1, 2)
    batch[1], batch[2], batch[3] = np.nan, np.inf, -np.inf
    for family in feature_families(PAIR, shape):
        found = family.evaluate(batch)
        assert found.shape == (len(family.names), 6)
        assert not np.isnan(found).any()
        if family.takes_all:
            assert found[0, 1:4].tolist() == [1, 2, 3]
            assert not found[0, [0, 4, 5]].any()
            continue
        assert np.all(found[:, 1:4] == -np.inf)
        assert np.isfinite(found[:, [0, 4, 5]]).all()


def test_vector_features_are_projections_and_norms() -> None:
    batch = np.random.default_rng(1).normal(size=(20, 3))
    table = values(batch)
    assert np.allclose(table["the l1 norm"], np.abs(batch).sum(axis=1))
    assert np.allclose(table["the Euclidean norm"], np.linalg.norm(batch, axis=1))
    assert np.allclose(named(table, "the projection on a changed record"), batch @ UNIT)
    assert np.allclose(named(table, "|the projection on a changed record"), np.abs(batch @ UNIT))
    assert np.array_equal(table["coordinate 2"], batch[:, 2])


@pytest.mark.parametrize("shape", [(), (3,), (5,), (3, 3), (2, 2)])
def test_families_are_made_once_and_leave_with_their_pair(shape: tuple[int, ...]) -> None:
    pair = NeighbouringPair("of its own", PAIR.adjacency, PAIR.data, PAIR.neighbour)
    families = feature_families(pair, shape)
    assert feature_families(pair, shape) is families
    assert feature_families(pair, shape, 2.0) is not families
    left = weakref.ref(pair)
    del pair
    gc.collect()
    assert left() is None


def test_tensors_are_refused() -> None:
    for shape in ((2, 3), (3, 3, 3)):
        with pytest.raises(InvalidParameterError):
            feature_families(PAIR, shape)


def best_event(on_data: np.ndarray, on_neighbour: np.ndarray, delta: float = 0.0) -> Event:
    """Choose the best event of outputs that are numbers."""
    (event,) = Tally.of(on_data, on_neighbour).events(Feature(PAIR, (), 1.0), [(1.0, delta)])
    return event


def test_the_best_event_separates_what_can_be_separated() -> None:
    low, high = np.linspace(0, 1, 100), np.linspace(2, 3, 100)
    event = best_event(low, high)
    assert 1 < event.threshold <= 2
    assert event.score > 1.5
    hits, others = event.holds(high).sum(), event.holds(low).sum()
    assert {int(hits), int(others)} == {0, 100}
    assert event.on_neighbour == bool(hits)
    assert ("at least" in event.sentence()) == event.at_least


def test_adjacent_floats_and_infinite_values_get_a_finite_threshold_between_them() -> None:
    cases = [(1.0, np.nextafter(1.0, 2.0)), (-np.inf, 0.0), (0.0, np.inf), (-np.inf, np.inf), (-1e308, 1.7e308)]
    for low, high in cases:
        event = best_event(np.full(50, low), np.full(50, high))
        assert math.isfinite(event.threshold)
        assert low < event.threshold <= high


def test_ties_teach_nothing() -> None:
    for value in (3.0, -np.inf):
        event = best_event(np.full(9, value), np.full(9, value))
        assert event.score == -math.inf
        assert math.isfinite(event.threshold)


def test_a_delta_is_part_of_the_score() -> None:
    on_data, on_neighbour = np.zeros(1000), np.repeat([0.0, 1.0], [700, 300])
    scores = [best_event(on_data, on_neighbour, delta).score for delta in (0.0, 0.1, 0.35)]
    assert scores[0] > 1
    # Four standard deviations below 0.3, less e times four deviations above zero.
    assert scores[1] == scores[2]
    assert 0.1 < scores[1] < 0.3
    same = np.repeat([0.0, 1.0], [500, 500])
    assert best_event(same, same, 0.1).score < 0
