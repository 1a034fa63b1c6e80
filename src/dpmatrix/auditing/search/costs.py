"""What outputs and their features cost, so that an audit of limited time divides it well; no verdict depends on it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from dpmatrix.auditing.search.evaluation import count_chunk
from dpmatrix.auditing.search.events import Event, Feature, values_of
from dpmatrix.auditing.search.tallies import Tally, counted_below
from dpmatrix.auditing.search.training import Shortlist
from dpmatrix.auditing.targets.sampling import Sampler, draw_chunk

_PILOT, _TIMING = 6, 7
_PILOT_SHARE, _CAUTION = 0.02, 0.75

_PLENTY = 4
"""So many times the outputs that are wanted must fit into the time for the counting to end early."""

_TIMED = 2048
"""Outputs by which features are timed."""

_FURTHER_COST = 0.5
"""An event for a further claim may make an output dearer by this part of what it costs for the first."""


@frozen(eq=False)
class Costs:
    """Times per output; all are zero where time is not limited.

    Attributes
    ----------
    most
        Confirming outputs on each data set, at most.
    seconds, workers
        Time for the confirmation, and how many outputs are drawn at a time.
    drawing
        Seconds that an output takes.
    evaluating
        Seconds that the numbers of a family take on top, by its key.
    choosing
        Seconds per output that the choice of a threshold takes, for one feature and one claim.
    counting
        Seconds per output that it takes to count one feature at thresholds that are known.
    """

    most: int
    seconds: float
    workers: int
    drawing: float
    evaluating: dict[tuple[int, int], float]
    choosing: float
    counting: float = 0.0

    @classmethod
    def of(cls, sampler: Sampler, shortlist: Shortlist, most: int, seconds: float) -> Costs:
        """Time the features of a shortlist, if time is limited, on a few outputs that serve nothing else."""
        workers = sampler.workers if sampler.executor is not None else 1
        if math.isinf(seconds):
            return cls(most, seconds, workers, 0.0, {}, 0.0)
        size, first = min(_TIMED, sampler.chunk), shortlist.features[0]
        begin = sampler.clock()
        batch = draw_chunk(sampler.target, first.pair.data, size, sampler.entropy, (_TIMING, shortlist.place))
        drawing = (sampler.clock() - begin) / size
        evaluating: dict[tuple[int, int], float] = {}
        for feature in shortlist.features:
            key = feature.family_key()
            if key not in evaluating:
                begin = sampler.clock()
                values_of([one for one in shortlist.features if one.family_key() == key], batch)
                evaluating[key] = (sampler.clock() - begin) / size
        values = values_of([first], batch)[0]
        begin = sampler.clock()
        tally = Tally.of(values, values)
        tally.events(first, [(1.0, 0.0)])
        choosing, thinned = (sampler.clock() - begin) / size, tally.thinned()
        begin = sampler.clock()
        counted_below(values, thinned.thresholds)
        return cls(most, seconds, workers, drawing, evaluating, choosing, (sampler.clock() - begin) / size)

    def affordable(self, feature: Feature) -> float:
        """Return how many outputs on each data set can confirm an event of one feature alone."""
        each = self.drawing + self.evaluating.get(feature.family_key(), 0.0)
        return min(self.most, max(1.0, self.workers * self.seconds / (2.0 * each))) if each else float(self.most)

    def bears(self, first: Feature, further: Feature) -> bool:
        """Tell whether a further feature costs little beside the first."""
        if first.family_key() == further.family_key():
            return True
        each = self.drawing + self.evaluating.get(first.family_key(), 0.0)
        return self.evaluating.get(further.family_key(), 0.0) <= _FURTHER_COST * each

    def outputs_within(self, seconds: float, features: Sequence[Feature], claims: int, *, counted: bool = False) -> int:
        """Return how many outputs on each data set can be drawn, evaluated and judged for all features in a time.

        Judged are thresholds between all outputs, or, if the outputs are only to be ``counted``, those that are known.
        """
        keys = {feature.family_key() for feature in features}
        evaluating = sum(self.evaluating.get(key, 0.0) for key in keys)
        judging = 2.0 * self.counting / self.workers if counted else self.choosing * claims
        each = 2.0 * (self.drawing + evaluating) / self.workers + judging * len(features)
        return int(min(self.most, seconds / each)) if each else self.most


def likely_end(sampler: Sampler, events: tuple[Event, ...], most: int, deadline: float) -> int:
    """Return how many confirming outputs on each data set the time is likely to suffice for, at most ``most``.

    Outputs that serve nothing else are counted for a fiftieth of the time, or until it is plain that there is plenty of
    time; the answer errs on the low side.
    """
    if math.isinf(deadline):
        return most
    begin = sampler.clock()
    longest = _PILOT_SHARE * max(0.0, deadline - begin)
    counted = 0

    def suffices_for() -> float:
        now = sampler.clock()
        return _CAUTION * counted / 2 / max(now - begin, 1e-9) * max(0.0, deadline - now)

    def jobs() -> Iterator[tuple[int, tuple[Any, ...]]]:
        number = 0
        while sampler.clock() - begin < longest and suffices_for() < _PLENTY * most:
            yield number, (sampler.target, events, number % 2 == 1, sampler.chunk, sampler.entropy, (_PILOT, number))
            number += 1

    for _ in sampler.run(count_chunk, jobs()):
        counted += sampler.chunk
    return max(1, min(most, int(suffices_for())))
