"""Targets: what an audit accepts from a mechanism and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from dpmatrix.auditing import Target, audit, from_single_draw, neighbouring_pairs, seen_at_resolution
from dpmatrix.auditing.targets.target import draw_batch
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency

DATA = np.eye(2)
PAIRS = neighbouring_pairs(2, 2, Adjacency.REPLACE_ONE)


def gaussian(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return generator.normal(size=size)


def always(output: np.ndarray) -> Target:
    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return output

    return target


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_a_single_draw_becomes_a_batch(shape: tuple[int, ...]) -> None:
    def draw(data: np.ndarray, generator: np.random.Generator) -> object:
        return generator.normal(size=shape) if shape else generator.normal()

    batch = draw_batch(from_single_draw(draw), DATA, 7, np.random.default_rng(0))
    assert batch.shape == (7, *shape)
    assert len(np.unique(batch)) == batch.size


def test_integers_and_truth_values_are_outputs() -> None:
    for dtype in (bool, np.int8, np.uint64, np.float32):
        batch = draw_batch(always(np.ones(3, dtype=dtype)), DATA, 3, np.random.default_rng(0))
        assert batch.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "output",
    [np.zeros(4), np.zeros(()), np.zeros((5, 0)), np.zeros(5) * 1j, np.array(["a"] * 5)],
)
def test_batches_of_the_wrong_form_are_refused(output: np.ndarray) -> None:
    with pytest.raises(InvalidParameterError):
        draw_batch(always(output), DATA, 5, np.random.default_rng(0))


def test_outputs_are_seen_on_the_grid() -> None:
    target = seen_at_resolution(gaussian, 0.25)
    batch = draw_batch(target, DATA, 100, np.random.default_rng(0))
    assert np.array_equal(batch * 4, np.rint(batch * 4))
    assert len(np.unique(batch)) > 5
    for bad in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(InvalidParameterError):
            seen_at_resolution(target, bad)


def test_outputs_whose_shape_depends_on_the_data_are_refused() -> None:
    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.zeros((size, 1 + int(data[-1].any())))

    with pytest.raises(InvalidParameterError):
        audit(target, PAIRS, epsilon=1, training=10, confirmation=10, generator=0)


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 0},
        {"epsilon": float("nan")},
        {"delta": 1},
        {"delta": -0.1},
        {"training": 0},
        {"confirmation": 1.5},
        {"confirmation": True},
        {"failure_probability": 0},
        {"pairs": ()},
    ],
)
def test_parameters_outside_their_domain_are_refused(change: dict[str, object]) -> None:
    good = {"epsilon": 1, "training": 10, "confirmation": 10, "generator": 0, "pairs": PAIRS}
    with pytest.raises(InvalidParameterError):
        audit(gaussian, **(good | change))
