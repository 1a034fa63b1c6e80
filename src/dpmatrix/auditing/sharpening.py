"""The last step of training: pair, feature and threshold, on as many samples as rare events need.

The event that shows the largest epsilon is often rare, and the more outputs will confirm it, the rarer it may be. A
share of what the confirmation takes is spent on finding it, in rounds: ever fewer pairs and features, ever more
outputs. An event is judged by the bound that so many confirming outputs may be expected to certify.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from dpmatrix.auditing.costs import Costs
from dpmatrix.auditing.events import best_events
from dpmatrix.auditing.portable import PortableEvent, values_of
from dpmatrix.auditing.sampling import Key, Sampler, chunks, draw_chunk
from dpmatrix.auditing.targets import FloatArray, Target
from dpmatrix.auditing.training import AMPLE, Claim, Shortlist, features_of

SHARPENING_SHARE = 8
"""One output is spent on the thresholds for so many that confirm."""

MOST_SHARPENING = 2**20
"""Outputs on each data set, at most: more would take longer to sort than to draw."""

_SHARPENING = 4

_ROUNDS = ((6, 16, 0.3), (2, 1, 1.0))
"""For every round: how many pairs, the part of the largest size, and the share of the time that is left."""

_FEATURES = 5
"""Kept for every claim from one round to the next."""


def distinct(events: Iterable[PortableEvent]) -> tuple[PortableEvent, ...]:
    """Drop repetitions, each of which would have a share of the failure probability."""
    unique: dict[str, PortableEvent] = {}
    for event in events:
        unique.setdefault(json.dumps(event.to_json()), event)
    return tuple(unique.values())


def evaluate_chunk(
    target: Target, events: tuple[PortableEvent, ...], on_neighbour: bool, size: int, entropy: int, key: Key
) -> FloatArray:
    """Evaluate the features of events of one pair on one chunk of outputs; shape (events, size)."""
    pair = events[0].pair
    batch = draw_chunk(target, pair.neighbour if on_neighbour else pair.data, size, entropy, key)
    return values_of(events, batch)


def _values(
    sampler: Sampler, events: tuple[PortableEvent, ...], size: int, deadline: float, place: tuple[int, int]
) -> tuple[FloatArray, FloatArray]:
    """Evaluate features on outputs on both data sets, shape (events, size) each, or on fewer if time is short."""

    def jobs() -> Iterator[tuple[tuple[int, bool], tuple[Any, ...]]]:
        for number, part in enumerate(chunks(size, sampler.chunk)):
            if sampler.clock() > deadline:
                return
            for side in (False, True):
                key = (_SHARPENING, *place, number, int(side))
                yield (number, side), (sampler.target, events, side, part, sampler.entropy, key)

    found = dict(sampler.run(evaluate_chunk, jobs()))
    numbers = sorted({number for number, _ in found})
    data, neighbour = (
        np.concatenate([np.zeros((len(events), 0)), *(found[number, side] for number in numbers)], axis=1)
        for side in (False, True)
    )
    return data, neighbour


def sharpened(
    sampler: Sampler,
    shortlists: Sequence[Shortlist],
    claims: Sequence[Claim],
    *,
    size: int,
    seen: int,
    deadline: float,
    confirming: int,
    seconds: float,
) -> tuple[int, tuple[PortableEvent, ...], int]:
    """Choose the pair and the events.

    Parameters
    ----------
    sampler
        Where outputs come from.
    shortlists
        What was found on several pairs, the best first.
    claims
        Each of which gets an event; the first one chooses the pair.
    size
        Outputs to draw on each of the two data sets of the pair that is left.
    seen
        How many the events were chosen on; they stay as they are if no more can be had.
    deadline
        On the sampler's clock; nothing more is asked for after it.
    confirming, seconds
        Outputs on each data set that are going to confirm the events, at most, and the time that there is for them.

    Returns
    -------
    tuple
        The place of the pair; the best event for each claim, repetitions dropped, that of the first claim first; and
        the number of outputs that were drawn, on both data sets.
    """
    costs: dict[int, Costs] = {}
    left, drawn = list(shortlists), 0
    for number, (pairs, part, share) in enumerate(_ROUNDS):
        left = left[:pairs]
        if not claims[0].delta and left[0].score > claims[0].epsilon + AMPLE:
            break
        if size // part <= seen or (number == 0 and len(left) == 1):
            continue
        for shortlist in left:
            if shortlist.place not in costs:
                costs[shortlist.place] = Costs.of(sampler, shortlist, confirming, seconds)
        begin = sampler.clock()
        each = max(0.0, deadline - begin) * share / len(left)
        for index, shortlist in enumerate(left):
            affordable = costs[shortlist.place].outputs_within(each, shortlist.features, len(claims))
            values = _values(
                sampler,
                shortlist.features,
                min(size // part, affordable),
                begin + (index + 1) * each,
                (number, shortlist.place),
            )
            drawn += 2 * values[0].shape[1]
            if values[0].shape[1] > seen:
                left[index] = _judged_again(shortlist, values, claims, costs[shortlist.place])
        left.sort(key=lambda one: -one.score)
    return left[0].place, distinct(left[0].best), drawn


def _judged_again(
    shortlist: Shortlist, values: tuple[FloatArray, FloatArray], claims: Sequence[Claim], costs: Costs
) -> Shortlist:
    """Choose the thresholds of all features again, and keep the best few for every claim."""
    pairs = [(claim.epsilon, claim.delta) for claim in claims]
    found = [
        best_events(feature.feature(), feature.row, own, other, pairs, confirming=costs.affordable(feature))
        for feature, own, other in zip(shortlist.features, *values, strict=True)
    ]
    best: list[PortableEvent] = []
    kept: list[PortableEvent] = []
    score = -math.inf
    for number in range(len(claims)):
        ranked = sorted(zip(found, shortlist.features, strict=True), key=lambda one: -one[0][number][0])
        events = [(one[number][0], feature.with_choice(one[number][1])) for one, feature in ranked]
        score = score if best else events[0][0]
        first = best[0] if best else events[0][1]
        cheap = [event for _, event in events if event is first or costs.bears(first, event)]
        best.append(cheap[0])
        kept.extend(cheap[:_FEATURES])
    return Shortlist(score, shortlist.place, tuple(best), features_of(kept))
