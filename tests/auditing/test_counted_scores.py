"""Counted scores: they find what hides in patterns of repeated values, raise no alarm, and travel as numbers."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import binom

from dpmatrix.auditing import AuditPlan, NeighbouringPair, audit
from dpmatrix.auditing.search.counted import CountedScore, cautious_ratio, count_scores, entries_of
from dpmatrix.privacy.adjacency import Adjacency

PAIR = NeighbouringPair("one or zero", Adjacency.REPLACE_ONE, np.ones((1, 1)), np.zeros((1, 1)))
KEEP = 0.9


def parity_of_bits(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Give the record away by the parity of four fair bits alone, with probability 0.9: epsilon = log 9."""
    bits = generator.integers(0, 2, (size, 4)).astype(float)
    told = np.where(generator.random(size) < KEEP, data[0, 0], 1 - data[0, 0])
    bits[:, 3] = (bits[:, :3].sum(axis=1) + told) % 2
    return bits


def number_when_silent(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Add noise to the record where a coin says so, noise of its own elsewhere; the coin is there to be read.

    Within the pattern "no answer" the number is Laplace noise around 2 or -2, of scale one: epsilon = 4.
    """
    silent = generator.random(size) < 0.2
    noise = generator.laplace(size=size)
    centre = np.where(silent, 4 * data[0, 0] - 2, 2 * generator.integers(0, 2, size) * 2.0 - 2)
    return np.stack([np.where(silent, -1.0, generator.integers(0, 3, size)), centre + noise], axis=1)


def small_votes(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Tell each of nine bits with probability 0.6, and three that mean nothing: epsilon = 9 log 1.5."""
    told = np.where(generator.random((size, 9)) < 0.6, data[0, 0], 1 - data[0, 0])
    return np.concatenate([told, generator.integers(0, 2, (size, 3))], axis=1)


@pytest.mark.parametrize(
    ("target", "truth", "least", "name"),
    [
        (parity_of_bits, math.log(9), 0.9, "counting patterns"),
        (number_when_silent, 4.0, 0.9, "within pattern"),
        (small_votes, 9 * math.log(1.5), 0.7, "learned by"),
    ],
)
def test_counted_scores_come_near_the_truth(target, truth: float, least: float, name: str) -> None:
    """400,000 outputs certify nine tenths of it, or seven where the votes that show it have probability 0.01."""
    plan = AuditPlan(learned=True, tightness=1)
    result = audit(target, [PAIR], epsilon=1, training=3000, confirmation=400_000, generator=3, plan=plan)
    assert name in result.event
    assert least * truth < result.epsilon_lower_bound <= truth


def test_counted_scores_raise_no_alarm_at_the_exact_epsilon() -> None:
    """Of 40 audits at failure probability 0.05, more than 18 false alarms have probability below 1e-9."""
    assert binom.sf(18, 40, 0.05) < 1e-9
    alarms, seen = 0, 0
    options = {"training": 100, "confirmation": 1000, "failure_probability": 0.05}
    for seed in range(40):
        plan = AuditPlan(learned=True, replay=False)
        exact, half = (
            audit(parity_of_bits, [PAIR], epsilon=epsilon, generator=seed, plan=plan, **options)
            for epsilon in (math.log(9) + 1e-12, math.log(9) / 2)
        )
        alarms += exact.violated
        seen += half.violated
    assert alarms <= 18
    assert seen >= 30, "control: half of epsilon is refuted nearly always"


@pytest.mark.parametrize("target", [parity_of_bits, number_when_silent, small_votes])
def test_a_counted_score_is_the_same_after_a_journey(target) -> None:
    generator = np.random.default_rng(5)
    batches = [target(data, 2000, generator) for data in (PAIR.data, PAIR.neighbour)]
    score = count_scores(*batches)
    again = CountedScore.from_json(json.loads(json.dumps(score.to_json())))
    first, second = (one.family().evaluate(batches[0]) for one in (score, again))
    assert np.array_equal(first, second)
    assert len(first) == len(score.names())


def test_ratios_are_those_of_the_counts() -> None:
    """Every bit of `small_votes` has log-likelihood ratio log 1.5; five deviations of 40,000 counts are 0.06."""
    generator = np.random.default_rng(6)
    score = count_scores(*(small_votes(data, 40_000, generator) for data in (PAIR.data, PAIR.neighbour)))
    ratios = np.array([entry[:2] for entry in score.entry_ratios])
    assert np.allclose(ratios[:9], [[-math.log(1.5), math.log(1.5)]] * 9, atol=0.06)
    assert np.all(np.abs(ratios[9:]) < 0.06)


def test_a_ratio_is_cautious() -> None:
    assert cautious_ratio(np.array([3.0]), np.array([2.0]), 2.0) == 0
    never = cautious_ratio(np.array([0.0]), np.array([2000.0]), 2.0)
    assert never == pytest.approx(-math.log(4001) + 2 * math.sqrt(2 + 1 / 2000.5))
    plain = cautious_ratio(np.array([300.0]), np.array([100.0]), 0.0)
    assert plain == pytest.approx(math.log(300.5 / 100.5))
    assert 0 < cautious_ratio(np.array([300.0]), np.array([100.0]), 2.0) < plain


def test_symmetric_matrices_are_read_once_and_others_whole() -> None:
    generator = np.random.default_rng(7)
    full = generator.normal(size=(100, 3, 3))
    symmetric = full + np.swapaxes(full, 1, 2)
    assert not count_scores(full, full).symmetric
    assert count_scores(symmetric, symmetric).symmetric
    assert entries_of(full, symmetric=False).shape == (100, 9)
    assert entries_of(symmetric, symmetric=True).shape == (100, 6)


def test_outputs_without_repeated_values_have_one_pattern() -> None:
    generator = np.random.default_rng(8)
    score = count_scores(generator.normal(size=(500, 2)), generator.normal(size=(500, 2)))
    assert score.atoms == ((), ())
    assert len(score.pattern_ratios) == 1
    assert score.within == ()
