"""Adversarial centres are neighbours, exactly, and the attack on a known sampler tells them apart."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpmatrix.auditing import CentrePair, EventCounts, adversarial_centres, delta_lower_bound, reachable
from dpmatrix.errors import InvalidParameterError

LOG = np.frompyfunc(math.log, 1, 1)


@given(st.one_of(st.integers(1, 2**70), st.floats(1e-300, 1e300)))
def test_proposed_centres_are_within_the_sensitivity(sensitivity) -> None:
    pairs = adversarial_centres(sensitivity)
    assert all(0 < pair.distance <= Fraction(sensitivity) for pair in pairs)
    assert all(type(pair.data) is type(pair.neighbour) is type(sensitivity) for pair in pairs)
    assert any(pair.data == 0 and pair.distance == Fraction(sensitivity) for pair in pairs)
    assert len({pair.name for pair in pairs}) == len(pairs) >= 5


@pytest.mark.parametrize("sensitivity", [0, -1, 0.0, math.inf, math.nan, True, "1", None, 1j])
def test_a_sensitivity_that_is_not_positive_is_refused(sensitivity) -> None:
    with pytest.raises(InvalidParameterError):
        adversarial_centres(sensitivity)


@pytest.mark.parametrize(("data", "neighbour"), [(1, 1), (1.0, 1.0), (1, 2.0), (math.nan, 1.0), (0.0, "1"), (0, True)])
def test_centres_that_are_no_pair_are_refused(data, neighbour) -> None:
    with pytest.raises(InvalidParameterError):
        CentrePair("a pair", data, neighbour)


def inverse_distribution(index: np.ndarray) -> np.ndarray:
    """Give numpy's Laplace variate for the uniform ``index / 2**53``; zero is drawn again there."""
    uniform = np.maximum(index, 1) * 2.0**-53
    lower = uniform < 0.5
    left = LOG(np.where(lower, uniform + uniform, 1.0)).astype(float)
    right = LOG(np.where(lower, 1.0, 2.0 - uniform - uniform)).astype(float)
    return np.where(lower, left, 0.0 - right)


@pytest.mark.parametrize(("centre", "other"), [(0.0, 1.0), (0.0, 2.0**-30), (1 / 3, 1.0)])
def test_most_outputs_of_a_float_sampler_can_come_from_one_centre_alone(centre: float, other: float) -> None:
    """Mironov's attack: at any distance some three outputs in four are out of the neighbour's reach.

    The least share is 0.74; that 4000 outputs certify no more than 0.6 is ten standard deviations away.
    """
    outputs = centre + np.random.default_rng(3).laplace(size=4000)
    own = reachable(outputs, centre, inverse_distribution)
    assert np.mean(own) > 0.95, "outputs are found at their own centre, all of them if both logarithms round alike"
    hits = int(np.count_nonzero(~reachable(outputs, other, inverse_distribution)))
    others = other + np.random.default_rng(4).laplace(size=4000)
    other_hits = int(np.count_nonzero(~reachable(others, other, inverse_distribution)))
    counts = EventCounts(hits, 4000, other_hits, 4000)
    assert delta_lower_bound(counts, epsilon=1, failure_probability=1e-9) > 0.6


def test_on_a_common_grid_both_centres_reach_all() -> None:
    """The control: a grid that both centres share gives nothing away."""
    outputs = np.arange(-100, 100) / 4
    for centre in (0.0, 7.25):
        found = reachable(outputs, centre, lambda index: (index - 512) / 4, grid_bits=10)
        assert np.array_equal(found, np.abs(outputs - centre) < 128)
        assert np.all(found)
    assert not np.any(reachable(outputs, 0.125, lambda index: (index - 512) / 4, grid_bits=10))


def test_reach_is_what_enumeration_says() -> None:
    outputs = np.array([-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 7.0, 8.0])
    noise = np.array([-2.0, -1.0, -1.0, 0.5, 1.0, 1.0, 3.0, 7.0])
    found = reachable(outputs, 0.0, lambda index: noise[index], grid_bits=3)
    assert found.tolist() == [value in noise for value in outputs]


@pytest.mark.parametrize(
    ("outputs", "centre", "bits"),
    [
        ([np.nan], 0.0, 53),
        ([[1.0]], 0.0, 53),
        ([1.0], np.inf, 53),
        ([1.0], 0.0, 0),
        ([1.0], 0.0, 63),
        ([1.0], 0.0, 1.5),
    ],
)
def test_reach_refuses_what_it_cannot_decide(outputs, centre, bits) -> None:
    with pytest.raises(InvalidParameterError):
        reachable(outputs, centre, inverse_distribution, grid_bits=bits)
