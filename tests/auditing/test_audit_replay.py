"""Frozen noise: what it shows of additive noise, and that repeated noise is found and certified."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpmatrix.auditing import (
    NeighbouringPair,
    at_norm_bound,
    audit,
    neighbouring_pairs,
    observed_sensitivity,
    replay,
    seen_at_resolution,
)
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import Entries, l1_sensitivity
from dpmatrix.privacy.adjacency import Adjacency

PAIRS = neighbouring_pairs(3, 2, Adjacency.REPLACE_ONE)


def additive(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    noise = np.triu(generator.laplace(size=(size, 3, 3)))
    return data.T @ data + noise + np.triu(noise, 1).transpose(0, 2, 1)


def multiplied(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return np.sum(data**2) * generator.exponential(size=size)


def seeded(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return np.sum(data**2) + np.random.default_rng(7).laplace(size=size)


def shared(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return np.full(size, np.sum(data[:, 0]) + generator.laplace())


def with_entropy_of_its_own(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return np.sum(data**2) + np.random.default_rng().laplace(size=size)


def test_additive_noise_shows_the_query() -> None:
    for pair in PAIRS:
        report = replay(additive, pair, generator=1)
        expected = pair.data.T @ pair.data - pair.neighbour.T @ pair.neighbour
        assert report.additive is bool(np.any(expected))
        assert report.invariant is not report.additive
        assert report.difference is not None
        assert np.allclose(report.difference, expected, atol=1e-12)
        assert report.l1() == pytest.approx(np.abs(expected[np.triu_indices(3)]).sum(), abs=1e-11)
        assert report.l2() == pytest.approx(np.linalg.norm(expected), abs=1e-11)
        assert report.additive == ("additive" in report.sentences()[0])


def test_the_sensitivity_of_the_gram_matrix_is_observed() -> None:
    """The adversarial pairs attain the exact l1 sensitivity, and sqrt(2), the distance of orthogonal projectors."""
    seen = observed_sensitivity(additive, PAIRS, generator=1)
    exact = l1_sensitivity(3, Adjacency.REPLACE_ONE, Entries.UPPER_TRIANGLE)
    assert seen.l1 == pytest.approx(float(exact), rel=1e-6)
    assert seen.l2 == pytest.approx(math.sqrt(2), rel=1e-9)


def test_what_does_not_depend_on_the_change_is_said_so() -> None:
    """The sum of squares of records of one norm is the same; noise of that size is no additive noise."""
    pair = next(pair for pair in PAIRS if pair.name.startswith("orthogonal"))
    report = replay(multiplied, pair, generator=1)
    assert report.invariant
    assert not report.additive
    assert "same" in report.sentences()[0]


@pytest.mark.parametrize("target", [multiplied, with_entropy_of_its_own])
def test_no_difference_is_read_off_other_noise(target) -> None:
    pair = next(
        pair for pair in PAIRS if pair.neighbour.any() and np.sum(pair.data**2) > np.sum(pair.neighbour**2) + 0.1
    )
    report = replay(target, pair, generator=1)
    assert not report.additive
    assert not report.repeats
    assert not report.shared
    assert report.reproducible is (target is multiplied)
    assert report.sentences() == ()
    with pytest.raises(InvalidParameterError):
        report.l1()
    with pytest.raises(InvalidParameterError):
        observed_sensitivity(target, [pair], generator=1)


def test_a_fixed_seed_is_found_and_certified() -> None:
    """Seen in one large batch it looks like proper noise; call by call its outputs are constant."""
    report = replay(seeded, PAIRS[0], generator=1)
    assert report.repeats
    assert not report.additive
    result = audit(seeded, PAIRS[:1], epsilon=3, training=50, confirmation=2000, generator=1)
    assert result.violated
    assert result.replay is not None
    assert "repeat" in result.message()


def test_noise_shared_by_a_batch_does_not_count_as_many_samples() -> None:
    """One draw of noise for all outputs of a call would make the samples dependent; here epsilon is exactly 1."""
    report = replay(shared, PAIRS[0], generator=1)
    assert report.shared
    assert not report.repeats
    result = audit(shared, PAIRS[:1], epsilon=1, training=50, confirmation=2000, generator=1)
    assert not result.violated


def test_a_grid_does_not_hide_that_noise_is_additive() -> None:
    """The difference is no multiple of the resolution and varies by a step; noise that grows varies by more."""
    pair = NeighbouringPair("0.3 or nothing", Adjacency.REPLACE_ONE, np.full((1, 1), 0.3), np.zeros((1, 1)))

    def added(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.sum(data**2) + generator.laplace(size=size)

    def multiplied(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return (1 + np.sum(data**2)) * generator.laplace(size=size)

    report = replay(at_norm_bound(seen_at_resolution(added, 2.0**-10), 1.5), pair, generator=1)
    assert report.additive
    assert report.l1() == pytest.approx((0.3 * 1.5) ** 2, abs=2.0**-10)
    assert not replay(seen_at_resolution(multiplied, 2.0**-10), pair, generator=1).additive
