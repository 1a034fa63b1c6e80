"""The best that any audit could certify: against closed forms, and as a bound that no event beats but by luck."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from audit.zoo import specimen
from audit.zoo.ceiling import laplace_losses, most_certifiable
from dpmatrix.auditing import EventCounts, epsilon_lower_bound


@pytest.mark.parametrize(("shift", "entries"), [(1.0, 1), (0.5, 2), (0.1, 55)])
def test_the_law_is_one_and_its_extreme_is_the_sum_of_the_shifts(shift: float, entries: int) -> None:
    law = laplace_losses([shift] * entries)
    assert law.probabilities.sum() == pytest.approx(1.0, rel=1e-9)
    assert law.losses[-1] == pytest.approx(shift * entries)
    # Every entry lies beyond the shift with probability one half; rounding up adds only to what is above.
    assert law.probabilities[-1] >= 2.0**-entries * (1 - 1e-9)


def test_the_law_agrees_with_a_simulation() -> None:
    """By Hoeffding's inequality a deviation of 0.012 among 100,000 has probability below 1e-12; rounding adds 0.002."""
    law = laplace_losses([0.3] * 6, steps=3000)
    noise = np.random.default_rng(4).laplace(size=(100_000, 6))
    losses = (np.abs(noise + 0.3) - np.abs(noise)).sum(axis=1)
    for threshold in (-0.502, 0.001, 0.702, 1.504):
        assert law.probabilities[law.losses > threshold].sum() == pytest.approx(np.mean(losses > threshold), abs=0.014)


def test_one_entry_is_certified_up_to_its_shift() -> None:
    """The best event has probability 1/2 against e^-1 / 2, and any finite number of samples gives less than epsilon."""
    law = laplace_losses([1.0])
    bounds = [most_certifiable(law, samples, 1e-6) for samples in (10**3, 10**5, 10**7)]
    assert bounds == sorted(bounds)
    assert 0.99 < bounds[-1] < 1.01
    assert bounds[0] < 0.9


@pytest.mark.parametrize("threshold", [0.5, 1.0, 2.0, 2.5])
def test_no_event_does_better_but_by_luck(threshold: float) -> None:
    """Counts at their medians give less for every event, and so do those that are lucky once in a hundred."""
    law, samples = laplace_losses([0.1] * 55), 10**6
    best = most_certifiable(law, samples, 1e-6)
    above = law.losses > threshold
    chances = law.probabilities[above].sum(), (law.probabilities * np.exp(-law.losses))[above].sum()
    counts = [int(binom.ppf(level, samples, chance)) for level, chance in zip((0.995, 0.005), chances, strict=True)]
    found = epsilon_lower_bound(EventCounts(counts[0], samples, counts[1], samples), delta=0, failure_probability=1e-6)
    assert found <= best


def test_fifty_five_small_shifts_hide_most_of_their_epsilon() -> None:
    creature = specimen("laplace-l2-sensitivity-10")
    truth = creature.truth()
    assert truth is not None
    assert math.isclose(truth.epsilon, 5.5)
    best = creature.best_possible(10**7, 1e-6)
    assert best is not None
    assert 0.4 < best / truth.epsilon < 0.5
    assert specimen("laplace-half").best_possible(10**7, 1e-6) is None
