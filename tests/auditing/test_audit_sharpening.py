"""The thresholds are chosen again on more outputs where the confirmation can afford rarer events."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from attrs import evolve

from dpmatrix.auditing import AuditPlan, AuditResult, NeighbouringPair, audit, statistical
from dpmatrix.auditing.search.contenders import Contender
from dpmatrix.auditing.search.costs import Costs, likely_end
from dpmatrix.auditing.search.events import Feature
from dpmatrix.auditing.search.sharpening import distinct, sharpened
from dpmatrix.auditing.search.tallies import Tally
from dpmatrix.auditing.search.training import AMPLE, Shortlist, claims_to_choose_by, explore
from dpmatrix.auditing.targets.sampling import Sampler
from dpmatrix.privacy import Adjacency

PAIR = NeighbouringPair("one or zero", Adjacency.REPLACE_ONE, np.ones((1, 1)), np.zeros((1, 1)))


def rare_answer(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Return zero, but a large number with a probability that falls with it, steeply on one side: epsilon = 3 at 8."""
    uniform = generator.random(size)
    rates = [0.3, 0.06, 0.012]
    if data[0, 0]:
        rates = [0.6, 0.4, 0.012 * math.e**3]
    return np.select([uniform < rates[2], uniform < rates[1], uniform < rates[0]], [8.0, 4.0, 2.0], 0.0)


def run(**options: object) -> AuditResult:
    plan = AuditPlan(stages=1, tightness=1, **options)
    return audit(rare_answer, [PAIR], epsilon=1, training=10, confirmation=40_000, generator=3, plan=plan)


def test_more_outputs_find_a_rarer_event(monkeypatch) -> None:
    """The last answer has probabilities 0.241 and 0.012, for which 40 outputs are too few and 5,000 are not."""
    sharp = run()
    monkeypatch.setattr(
        statistical, "sharpened", lambda *given, **_: (given[1][0].place, distinct(given[1][0].best), 0)
    )
    blunt = run()
    assert 2.5 < sharp.epsilon_lower_bound < 3
    assert blunt.epsilon_lower_bound < 2.3
    assert sharp.training_samples == 2 * (10 + 4 * 10 + 5000)


def shortlist(place: int, pair: NeighbouringPair, sampler: Sampler, **changes: float) -> Shortlist:
    found = evolve(explore(sampler, pair, place, 40, CLAIMS[0], 1.0)[0], **changes)
    return Shortlist(place, (found,) * len(CLAIMS), (found.feature,))


CLAIMS = claims_to_choose_by(1, 0, (2,))
OPTIONS = {"size": 5000, "seen": 160, "confirming": 40_000, "seconds": math.inf}


def test_no_sharper_event_without_time_or_samples() -> None:
    sampler = Sampler(rare_answer, 5, None, 1, 512)
    given = shortlist(3, PAIR, sampler)
    later = time.monotonic() + 600
    assert sharpened(sampler, [given], CLAIMS, deadline=0.0, **OPTIONS) == (3, (given.best[0],), 0)
    assert sharpened(sampler, [given], CLAIMS, deadline=later, **(OPTIONS | {"size": 100})) == (3, (given.best[0],), 0)
    place, events, drawn = sharpened(sampler, [given], CLAIMS, deadline=later, **OPTIONS)
    assert (place, drawn) == (3, 10_000)
    assert [event.threshold for event in events] == [6.0, 3.0]


def test_the_pair_is_chosen_by_what_more_outputs_show() -> None:
    """The pair without any difference comes first, and goes."""
    sampler = Sampler(rare_answer, 5, None, 1, 512)
    nothing = NeighbouringPair("half or one", Adjacency.REPLACE_ONE, np.full((1, 1), 0.5), np.ones((1, 1)))
    lists = [shortlist(0, nothing, sampler, score=9.0 / 2), shortlist(1, PAIR, sampler)]
    place, events, _ = sharpened(sampler, lists, CLAIMS, deadline=time.monotonic() + 600, **OPTIONS)
    assert place == 1
    assert events[0].feature.pair is PAIR


COMMON = NeighbouringPair("one or zero", Adjacency.REPLACE_ONE, np.ones((1, 1)), np.zeros((1, 1)))
RARE = NeighbouringPair("half or zero", Adjacency.REPLACE_ONE, np.full((1, 1), 0.5), np.zeros((1, 1)))


def common_or_rare(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Show one often at epsilon = log 5, or half seldom at epsilon = 3."""
    uniform = generator.random(size)
    seldom, often = {0.0: (0.0005, 0.1), 0.5: (0.0005 * math.e**3, 0.1), 1.0: (0.0005, 0.5)}[float(data[0, 0])]
    return np.select([uniform < seldom, uniform < seldom + often], [8.0, 2.0], 0.0)


@pytest.mark.parametrize("hoping", [True, False])
def test_a_rare_event_stays_in_the_race(monkeypatch, hoping: bool) -> None:
    """On 1,250 outputs the rare event, 12 against one, looks worse than the common one; on 80,000 it is far better.

    The difference of the two is then six of its standard deviations. Without hope the rare event would be given up.
    """
    if not hoping:
        monkeypatch.setattr(Contender, "may_beat", lambda *_: False)
    sampler = Sampler(common_or_rare, 7, None, 1, 4096)
    lists = [shortlist(0, COMMON, sampler), shortlist(1, RARE, sampler)]
    options = OPTIONS | {"size": 80_000, "confirming": 10**6}
    place, events, drawn = sharpened(sampler, lists, CLAIMS, deadline=math.inf, **options)
    assert place == (1 if hoping else 0)
    assert (events[0].threshold > 2) == hoping
    assert drawn <= 2 * 2 * 2 * 80_000


def test_what_exceeds_the_claim_by_far_is_not_sharpened() -> None:
    sampler = Sampler(rare_answer, 5, None, 1, 512)
    given = shortlist(3, PAIR, sampler, score=CLAIMS[0].epsilon + AMPLE + 0.1)
    assert sharpened(sampler, [given], CLAIMS, deadline=math.inf, **OPTIONS) == (3, (given.best[0],), 0)


@pytest.mark.parametrize(("confirming", "threshold"), [(None, 2.0), (10**3, 2.0), (10**6, 6.0)])
def test_a_larger_confirmation_dares_a_rarer_event(confirming: int | None, threshold: float) -> None:
    """Of 2,000 outputs 60 and 1 show the rarest answer: a ratio of 60, not 5, if there will be enough to see it."""
    counts = {8.0: (60, 1), 4.0: (540, 119), 0.0: (1400, 1880)}
    own, other = (np.repeat(list(counts), [pair[side] for pair in counts.values()]) for side in (0, 1))
    (event,) = Tally.of(own, other).events(Feature(PAIR, (), 1.0), [(1.0, 0.0)], confirming)
    assert event.threshold == threshold


def test_costs_keep_a_dear_feature_from_joining_a_cheap_one() -> None:
    sampler = Sampler(rare_answer, 5, None, 1, 512)
    cheap = shortlist(0, PAIR, sampler).features[0]
    dear = evolve(cheap, index=7)
    costs = Costs(10**6, 10.0, 2, 1e-6, {cheap.family_key(): 1e-6, dear.family_key(): 1e-4}, 1e-6)
    assert costs.bears(dear, cheap)
    assert costs.bears(dear, dear)
    assert not costs.bears(cheap, dear)
    assert costs.affordable(cheap) == 10**6
    assert costs.affordable(dear) == pytest.approx(2 * 10.0 / (2 * 1.01e-4))
    assert costs.outputs_within(1.0, [cheap], 3) == int(1 / (2 * 2e-6 / 2 + 3e-6))
    free = Costs.of(sampler, shortlist(0, PAIR, sampler), 99, math.inf)
    assert free.outputs_within(0.0, [cheap], 3) == free.affordable(cheap) == 99


def test_the_likely_end_follows_the_time() -> None:
    sampler = Sampler(rare_answer, 5, None, 1, 512)
    events = shortlist(0, PAIR, sampler).best[:1]
    assert likely_end(sampler, events, 10**6, math.inf) == 10**6
    assert likely_end(sampler, events, 10, time.monotonic() + 1) == 10
    assert likely_end(sampler, events, 10**6, 0.0) == 1
    assert 1 < likely_end(sampler, events, 10**15, time.monotonic() + 1) < 10**9


@pytest.mark.parametrize(("most", "fewest", "largest"), [(10, 1, 3), (10**9, 50, 10**4)])
def test_outputs_are_counted_no_longer_than_it_takes_to_know(most: int, fewest: int, largest: int) -> None:
    """On a clock of which every look takes 0.1 s: a fiftieth of 1,000 s, or no more than a few batches."""
    looks, batches = iter(range(10**6)), []

    def counted(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        batches.append(size)
        return rare_answer(data, size, generator)

    events = shortlist(0, PAIR, Sampler(rare_answer, 5, None, 1, 512)).best[:1]
    sampler = Sampler(counted, 5, None, 1, 512, lambda: next(looks) / 10)
    assert likely_end(sampler, events, most, 1000.0) == pytest.approx(min(most, 0.75 * 512 / 2 * 1000 / 0.2), rel=0.2)
    assert fewest <= len(batches) <= largest
