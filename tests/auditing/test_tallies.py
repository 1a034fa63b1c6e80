"""Tallies: counting at thresholds agrees with sorting all values, and what may be hoped is never below what is sure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.auditing.search.counted import count_scores, has_atoms
from dpmatrix.auditing.search.evaluation import values_on, with_more
from dpmatrix.auditing.search.events import Feature
from dpmatrix.auditing.search.tallies import Tally, counted_below
from dpmatrix.auditing.search.training import Claim, explore
from dpmatrix.auditing.targets.sampling import Sampler
from dpmatrix.privacy.adjacency import Adjacency

CLAIMS = [(1.0, 0.0), (1.0, 0.01), (700.0, 1e-3)]
PAIR = NeighbouringPair("one or zero", Adjacency.REPLACE_ONE, np.ones((1, 1)), np.zeros((1, 1)))
FEATURE = Feature(PAIR, (), 1.0)

values = st.lists(st.sampled_from([-np.inf, -3.0, -1.0, 0.0, 1.0, 2.0, 2.5, np.inf]), min_size=1, max_size=30)


@given(values, values)
def test_counts_below_are_those_of_comparisons(own: list[float], other: list[float]) -> None:
    size = min(len(own), len(other))
    first, second = np.array(own[:size]), np.array(other[:size])
    tally = Tally.of(first, second)
    assert np.all(np.isfinite(tally.thresholds))
    assert np.all(np.diff(tally.thresholds) > 0)
    for counts, sample in ((tally.below, first), (tally.other_below, second)):
        assert counts.tolist() == [np.count_nonzero(sample < threshold) for threshold in tally.thresholds]
        assert counted_below(sample, tally.thresholds).tolist() == counts.tolist()


def test_a_tally_grows_to_that_of_all_outputs() -> None:
    """At the thresholds that it has; a thinned one has a few hundred, and chooses nearly as well."""
    generator = np.random.default_rng(1)
    own, other = generator.laplace(1.0, size=(2, 40_000)), generator.laplace(0.0, size=(2, 40_000))
    whole = Tally.of(own.ravel(), other.ravel())
    thin = Tally.of(own[0], other[0]).thinned()
    assert len(thin.thresholds) < 1000 < len(whole.thresholds)
    grown = thin.with_more(*(counted_below(sample[1], thin.thresholds) for sample in (own, other)), 40_000)
    assert grown.trials == whole.trials == 80_000
    assert grown.below.tolist() == counted_below(own.ravel(), thin.thresholds).tolist()
    for best, near in zip(*(tally.events(FEATURE, CLAIMS, 10**6) for tally in (whole, grown)), strict=True):
        assert near.score == pytest.approx(best.score, rel=0.02)
    few = Tally.of(np.arange(5.0), np.arange(5.0))
    assert few.thinned() is few


def test_tails_are_thinned_least() -> None:
    """Beyond neighbouring thresholds lie numbers of outputs that differ by a twentieth, or by a few, in both tails."""
    own = np.random.default_rng(2).normal(size=50_000)
    tally = Tally.of(own, own + 0.5).thinned()
    for ranks in (tally.below + tally.other_below, 100_000 - (tally.below + tally.other_below)[::-1]):
        low = ranks[ranks < 50_000]
        assert low[0] <= 2
        assert np.all(np.diff(low) <= np.maximum(3.0, 0.06 * low[1:]))


@pytest.mark.parametrize("claim", CLAIMS)
def test_hope_shrinks_to_the_score(claim: tuple[float, float]) -> None:
    gaps = []
    for size in (3000, 30_000, 300_000):
        rare = np.zeros(size)
        rare[: size // 50] = 1.0
        other = np.zeros(size)
        other[: size // 300] = 1.0
        (event,) = Tally.of(rare, other).events(FEATURE, [claim], 10**6)
        assert event.hope > event.score
        gaps.append(event.hope - event.score)
    assert gaps == sorted(gaps, reverse=True)


def test_a_feature_that_does_not_vary_is_hopeless() -> None:
    (event,) = Tally.of(np.full(9, 2.0), np.full(9, 2.0)).events(FEATURE, [(1.0, 0.0)], 100)
    assert (event.score, event.hope, event.threshold) == (-math.inf, -math.inf, 2.0)


def bits(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Give the record away by the parity of three fair bits, with probability 0.9; the fourth entry is much noise."""
    drawn = generator.integers(0, 2, (size, 4)).astype(float)
    told = np.where(generator.random(size) < 0.9, data[0, 0], 1 - data[0, 0])
    drawn[:, 2] = (drawn[:, :2].sum(axis=1) + told) % 2
    drawn[:, 3] = generator.normal(scale=100.0, size=size)
    return drawn


def test_rows_alone_are_the_rows_of_all() -> None:
    generator = np.random.default_rng(3)
    batches = [bits(data, 2000, generator) for data in (PAIR.data, PAIR.neighbour)]
    family = count_scores(*batches).family()
    everything = family.evaluate(batches[0])
    assert len(everything) > 4
    for rows in ([0], [1], [3, 0], range(len(everything))):
        assert np.array_equal(family.evaluate(batches[0], rows), everything[list(rows)])


def test_patterns_take_part_when_pairs_are_ranked() -> None:
    """Every bit alone is fair, so that nothing is seen without patterns; with them epsilon is log 9."""
    sampler = Sampler(bits, 4, None, 1, 512)
    seen = [explore(sampler, PAIR, 0, 2000, Claim(1.0, 0.0), 1.0, counted=counted)[0] for counted in (False, True)]
    assert seen[0].score < 0.5 < 1.5 < seen[1].score < math.log(9)
    generator = np.random.default_rng(5)
    drawn = [bits(PAIR.data, 500, generator) for _ in range(2)]
    assert has_atoms(*drawn)
    assert not has_atoms(*(batch[:, 3:] for batch in drawn))


def test_outputs_are_counted_chunk_by_chunk() -> None:
    sampler = Sampler(bits, 6, None, 1, 512)
    features = tuple(event.feature for event in explore(sampler, PAIR, 0, 500, Claim(1.0, 0.0), 1.0, counted=True))
    first = values_on(sampler, features, 700, math.inf, (0, 0))
    tallies = [Tally.of(own, other) for own, other in zip(*first, strict=True)]
    again = values_on(sampler, features, 1300, math.inf, (1, 0))
    grown, drawn = with_more(tallies, sampler, features, 1300, math.inf, (1, 0))
    assert drawn == 1300
    for tally, before, own in zip(grown, tallies, again[0], strict=True):
        assert tally.trials == 2000
        assert np.array_equal(tally.below - before.below, counted_below(own, tally.thresholds))
    assert with_more(tallies, sampler, features, 1300, -math.inf, (2, 0)) == (tuple(tallies), 0)
