"""Learned scores: they find what single features miss, they cannot see low bits, and they travel as numbers."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest
from scipy.stats import binom

from dpmatrix.auditing import AuditPlan, NeighbouringPair, audit, feature_families
from dpmatrix.auditing.search.learned import LearnedScore, learn_scores
from dpmatrix.errors import MissingExtraError
from dpmatrix.privacy.adjacency import Adjacency

PAIR = NeighbouringPair("one or zero", Adjacency.REPLACE_ONE, np.ones((1, 1)), np.zeros((1, 1)))
LENGTH = 6


def coordinates(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Give away in every coordinate a little: +1 or -1 with probabilities 0.65 and 0.35, in alternating directions."""
    signs = (2.0 * data[0, 0] - 1.0) * np.where(np.arange(LENGTH) % 2 == 0, 1.0, -1.0)
    return np.where(generator.random((size, LENGTH)) < 0.65, signs, -signs)


def parity(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Give the bit away in the sign of a product alone: no single coordinate and no linear score knows anything."""
    number = generator.normal(size=size)
    kept = np.where(generator.random(size) < 0.9, 0.1, -0.1) * (2.0 * data[0, 0] - 1.0)
    return np.stack([np.sign(number) * kept, number], axis=1)


def low_bits(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Betray the bit in the parity of the mantissa of a number that is otherwise proper noise."""
    noise = np.rint(generator.normal(size=size) * 2.0**39) * 2.0**-39
    return noise + data[0, 0] * 2.0**-40


@pytest.mark.parametrize(("target", "truth"), [(coordinates, 6 * math.log(0.65 / 0.35)), (parity, math.log(9))])
def test_a_learned_score_finds_what_single_features_miss(target, truth: float) -> None:
    """At 40,000 samples both are certified with room; both events have probability above 0.01 on one side."""
    options = {"epsilon": 0.55 * truth, "training": 2000, "confirmation": 40_000, "generator": 3}
    plain = audit(target, [PAIR], **options)
    learned = audit(target, [PAIR], **options, plan=AuditPlan(learned=True))
    assert not plain.violated
    assert learned.violated
    assert learned.epsilon_lower_bound <= truth
    assert "learned by" in learned.event


def test_a_learned_score_raises_no_alarm_at_the_exact_epsilon() -> None:
    """Of 40 audits at failure probability 0.05, more than 18 false alarms have probability below 1e-9."""
    assert binom.sf(18, 40, 0.05) < 1e-9
    alarms = 0
    for seed in range(40):
        result = audit(
            parity,
            [PAIR],
            epsilon=math.log(9) + 1e-12,
            training=100,
            confirmation=1000,
            failure_probability=0.05,
            generator=seed,
            plan=AuditPlan(learned=True),
        )
        alarms += result.violated
    assert alarms <= 18


def test_low_bits_do_not_speak_through_learned_scores() -> None:
    generator = np.random.default_rng(5)
    batches = [low_bits(data, 4000, generator) for data in (PAIR.data, PAIR.neighbour)]
    families = feature_families(PAIR, ())
    coarse = np.rint(batches[0] * 2.0**20) * 2.0**-20
    moved = np.abs(batches[0] - coarse).max()
    assert moved > 0
    for score in learn_scores(families, *batches, 0):
        family = score.family(families)
        values = [family.evaluate(batch) for batch in (coarse, coarse + 2.0**-40)]
        # Only values at the very edge of a rounding cell may change.
        assert np.mean(values[0] != values[1]) < 0.001


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_outputs_that_are_no_numbers_are_no_obstacle_to_learning(share: float) -> None:
    """On the neighbour a part of the outputs is NaN, or every one; the others have a score that is a number."""
    generator = np.random.default_rng(5)
    batches = [parity(data, 2000, generator) for data in (PAIR.data, PAIR.neighbour)]
    missing = int(share * 2000)
    batches[1][:missing] = np.nan
    families = feature_families(PAIR, (2,))
    for score in learn_scores(families, *batches, 0):
        own, other = (score.family(families).evaluate(batch)[0] for batch in batches)
        assert np.all(np.isfinite(own))
        assert np.array_equal(np.isfinite(other), np.arange(2000) >= missing)


def test_an_audit_of_outputs_of_which_many_are_no_numbers_ends_in_a_verdict() -> None:
    def lost(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        drawn = generator.normal(size=size)
        return drawn if data[0, 0] else np.full(size, np.nan)

    options = {"epsilon": 1.0, "training": 500, "confirmation": 2000, "generator": 3}
    assert audit(lost, [PAIR], **options, plan=AuditPlan(learned=True)).violated


def test_a_score_is_the_same_after_a_journey() -> None:
    generator = np.random.default_rng(5)
    batches = [parity(data, 2000, generator) for data in (PAIR.data, PAIR.neighbour)]
    families = feature_families(PAIR, (2,))
    for score in learn_scores(families, *batches, 0):
        again = LearnedScore.from_json(json.loads(json.dumps(score.to_json())))
        first, second = (one.family(families).evaluate(batches[0]) for one in (score, again))
        assert np.array_equal(first, second)


def test_without_scikit_learn_the_error_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(MissingExtraError, match=r"dpmatrix\[audit\]"):
        audit(parity, [PAIR], epsilon=1, training=50, confirmation=50, generator=1, plan=AuditPlan(learned=True))
