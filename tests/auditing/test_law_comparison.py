"""The exact comparison of released values with a law: its tail, what it notices, and what it does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpmatrix.auditing.certify.laws import QUANTILES, compare_laws, would_differ
from dpmatrix.errors import InvalidParameterError

LEVEL = 1e-9


def laplace(size: int, scale: float, seed: int) -> dict[str, np.ndarray]:
    values = np.random.default_rng(seed).laplace(scale=scale, size=size)
    return {"value": values, "size": np.abs(values)}


def exact_tail(hits: int, values: int, other_hits: int, other_values: int) -> float:
    below, total = hits + other_hits, values + other_values
    few = hits * total <= below * values
    counts = range(hits + 1) if few else range(hits, min(values, below) + 1)
    return sum(math.comb(values, k) * math.comb(other_values, below - k) for k in counts if below - k >= 0) / math.comb(
        total, below
    )


@pytest.mark.parametrize("scale", [0.5, 1.0, 1.7])
def test_the_tail_is_hypergeometric(scale: float) -> None:
    found = compare_laws(laplace(70, scale, 1), laplace(300, 1, 2), failure_probability=LEVEL)
    counts = (found.hits, found.values, found.other_hits, found.other_values)
    assert math.isclose(found.tail, exact_tail(*counts), rel_tol=1e-8)


def test_one_law_is_hardly_ever_said_to_differ() -> None:
    """At a level of 1/100, 400 comparisons; more than 20 alarms have probability below 1e-6 if the level is kept."""
    alarms = sum(
        compare_laws(laplace(60, 1, seed), laplace(200, 1, seed + 1000), failure_probability=0.01).differs
        for seed in range(400)
    )
    assert alarms <= 20


def test_ties_raise_no_alarm() -> None:
    values = {"constant": np.ones(500)}
    assert not compare_laws(values, {"constant": np.ones(5000)}, failure_probability=0.5).differs


@pytest.mark.parametrize(("scale", "caught"), [(1.0, False), (0.7, True), (1.5, True)])
def test_what_is_noticed_of_1500_values(scale: float, caught: bool) -> None:
    """And it is what was said would be noticed."""
    law, other = laplace(20_000, 1, 3), laplace(20_000, scale, 4)
    counts = {"value": 1500, "size": 1500}
    assert would_differ(counts, law, other, failure_probability=LEVEL) is caught
    assert compare_laws(laplace(1500, scale, 5), law, failure_probability=LEVEL).differs is caught


def test_no_noise_at_all_is_noticed_by_forty_values() -> None:
    nothing = {"value": np.zeros(40), "size": np.zeros(40)}
    found = compare_laws(nothing, laplace(2000, 1, 6), failure_probability=LEVEL)
    assert found.differs
    assert "do not follow the stated law" in found.message()
    assert f"{found.hits} of 40 released values" in found.message()


@pytest.mark.parametrize(
    ("released", "law"),
    [
        ({}, {}),
        ({"a": np.ones(3)}, {"b": np.ones(3)}),
        ({"a": np.ones(0)}, {"a": np.ones(3)}),
        ({"a": np.array([1.0, np.nan])}, {"a": np.ones(3)}),
        ({"a": np.ones(3)}, {"a": np.ones((3, 1))}),
    ],
)
def test_malformed_samples_are_refused(released, law) -> None:
    with pytest.raises(InvalidParameterError):
        compare_laws(released, law, failure_probability=LEVEL)


@pytest.mark.parametrize(("share", "differs"), [(1.05, True), (0.95, False)])
def test_quantiles_and_sides_share_the_level(share: float, differs: bool) -> None:
    """What one look alone would call out is not called out where there are thirty."""
    released, law = {"x": np.r_[np.zeros(28), np.ones(2)]}, {"x": np.r_[np.zeros(150), np.ones(150)]}
    tail = compare_laws(released, law, failure_probability=LEVEL).tail
    level = share * tail * 2 * len(QUANTILES)
    assert compare_laws(released, law, failure_probability=level).differs is differs
