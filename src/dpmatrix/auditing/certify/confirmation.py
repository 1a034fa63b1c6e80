"""The confirmation: fixed events are counted on fresh samples, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import evolve, frozen

from dpmatrix.auditing.certify.checkpoint import AuditState, SideCounts
from dpmatrix.auditing.certify.confidence import (
    EventCounts,
    delta_lower_bound,
    epsilon_lower_bound,
    violation_is_certified,
)
from dpmatrix.auditing.certify.stages import Stage
from dpmatrix.auditing.search.evaluation import count_chunk
from dpmatrix.auditing.search.events import Event
from dpmatrix.auditing.search.training import AMPLE
from dpmatrix.auditing.targets.sampling import Sampler, chunks
from dpmatrix.exact import Exact, fraction

_CONFIRMING = 2


@frozen
class Look:
    """The counts of one event after one stage, and the failure probability that is spent on them."""

    event: int
    stage: Stage
    counts: EventCounts
    failure_probability: Exact

    def epsilon_lower_bound(self, delta: Exact) -> float:
        """Bound epsilon at a delta."""
        return epsilon_lower_bound(self.counts, delta=delta, failure_probability=self.failure_probability)

    def delta_lower_bound(self, epsilon: Exact) -> float:
        """Bound delta at an epsilon."""
        return delta_lower_bound(self.counts, epsilon=epsilon, failure_probability=self.failure_probability)

    def violates(self, epsilon: Exact, delta: Exact) -> bool:
        """Tell whether the counts refute a claim."""
        return violation_is_certified(
            self.counts, epsilon=epsilon, delta=delta, failure_probability=self.failure_probability
        )


def looks(events: tuple[Event, ...], plan: tuple[Stage, ...], totals: tuple[SideCounts, ...]) -> list[Look]:
    """List every event after every finished stage.

    Of several events the first has half of the failure probability, the others share the rest: all bounds of all looks
    hold together.
    """
    others = len(events) - 1
    shares = [fraction(1)] if others == 0 else [fraction(1) / 2, *[fraction(1) / (2 * others)] * others]
    found = []
    for stage, sides in zip(plan, totals, strict=False):
        for index, event in enumerate(events):
            hits, other_hits = (sides[side][index] for side in (event.on_neighbour, not event.on_neighbour))
            counts = EventCounts(hits, stage.size, other_hits, stage.size)
            found.append(Look(index, stage, counts, stage.failure_probability * shares[index]))
    return found


def _close_enough(newest: list[Look], epsilon: Exact, delta: Exact, tightness: float) -> bool:
    """Tell whether a violation is certain and the bound on epsilon near its estimate, or far above the claim."""
    if tightness == 1 or not any(look.violates(epsilon, delta) for look in newest):
        return False
    allowance = float(fraction(delta))
    excesses = [(look.counts.hits - allowance * look.counts.trials, look.counts.other_hits + 0.5) for look in newest]
    estimate = max(math.log(excess / other_hits) for excess, other_hits in excesses if excess > 0)
    bound = max(look.epsilon_lower_bound(delta) for look in newest)
    return bound >= min(tightness * estimate, float(fraction(epsilon)) + AMPLE)


def _jobs(sampler: Sampler, state: AuditState, sizes: list[int], stage: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """List the chunks that are missing from the stage under way, the two data sets in turn."""
    for number, size in enumerate(sizes):
        for side in (0, 1):
            name = f"{side}:{number}"
            if name not in state.partial:
                key = (_CONFIRMING, stage, side, number)
                yield name, (sampler.target, state.events, bool(side), size, sampler.entropy, key)


def _folded(state: AuditState) -> AuditState:
    """Close a stage whose chunks are all there."""
    before = state.totals[-1] if state.totals else ((0,) * len(state.events),) * 2
    after = [np.array(before[side], dtype=np.int64) for side in (0, 1)]
    for name, hits in state.partial.items():
        after[int(name.split(":")[0])] += np.array(hits, dtype=np.int64)
    data, neighbour = (tuple(int(value) for value in side) for side in after)
    return evolve(state, totals=(*state.totals, (data, neighbour)), partial={})


@frozen(eq=False)
class Confirmation:
    """How the stages of one audit are run.

    Attributes
    ----------
    sampler, stages
        Where samples come from, and how many.
    epsilon, delta, tightness
        The claim, and when to stop early.
    deadline
        On the sampler's clock; no chunk is asked for after it, unless it belongs to the first stage.
    keep
        Called with the state after every chunk, and with True after every stage.
    tell
        Called with progress.
    """

    sampler: Sampler
    stages: tuple[Stage, ...]
    epsilon: Exact
    delta: Exact
    tightness: float
    deadline: float
    keep: Callable[[AuditState, bool], None]
    tell: Callable[[str], None]

    def run(self, state: AuditState) -> AuditState:
        """Go on from a state until a violation is certain, the stages are over, or the time is."""
        while len(state.totals) < len(self.stages):
            if state.totals and self._enough(state):
                break
            number = len(state.totals)
            begun = self.stages[number - 1].size if number else 0
            sizes = chunks(self.stages[number].size - begun, self.sampler.chunk)
            for name, hits in self.sampler.run(
                count_chunk, self._in_time(_jobs(self.sampler, state, sizes, number), number)
            ):
                state = evolve(state, partial=state.partial | {name: hits})
                self.keep(state, False)
            if len(state.partial) < 2 * len(sizes):
                break
            state = _folded(state)
            self.keep(state, True)
            first = looks(state.events, self.stages[number:], state.totals[number:])[0]
            bound = first.epsilon_lower_bound(self.delta)
            counts = first.counts
            counted = f"the event {counts.hits} and {counts.other_hits} times in {counts.trials} outputs each"
            self.tell(f"stage {number + 1} of {len(self.stages)}: {counted}, epsilon at least {bound:.4g}")
        return state

    def _enough(self, state: AuditState) -> bool:
        last = len(state.totals) - 1
        newest = looks(state.events, self.stages[last:], state.totals[last:])
        return _close_enough(newest, self.epsilon, self.delta, self.tightness)

    def _in_time(
        self, jobs: Iterator[tuple[str, tuple[Any, ...]]], stage: int
    ) -> Iterator[tuple[str, tuple[Any, ...]]]:
        for job in jobs:
            if stage > 0 and self.sampler.clock() > self.deadline:
                return
            yield job
