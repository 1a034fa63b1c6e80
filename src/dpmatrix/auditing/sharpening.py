"""The last step of training: the thresholds of the chosen features, on as many samples as rare events need.

The event that shows the largest epsilon is often rare, and the more outputs will confirm it, the rarer it may be. A
share of what the confirmation takes is spent on finding it, on the chosen pair and for the chosen features alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from dpmatrix.auditing.events import best_event
from dpmatrix.auditing.portable import PortableEvent
from dpmatrix.auditing.sampling import Key, Sampler, chunks, draw_chunk
from dpmatrix.auditing.targets import FloatArray, Target
from dpmatrix.auditing.training import Claim

SHARPENING_SHARE = 8
"""One output is spent on the thresholds for so many that confirm."""

MOST_SHARPENING = 2**17
"""Outputs on each data set, at most: more would take longer to sort than to draw."""

_SHARPENING = 4


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
    return np.stack([event.feature().evaluate(batch)[event.row] for event in events])


def _values(
    sampler: Sampler, events: tuple[PortableEvent, ...], size: int, deadline: float
) -> tuple[FloatArray, FloatArray]:
    """Evaluate features on outputs on both data sets, shape (events, size) each, or on fewer if time is short."""

    def jobs() -> Iterator[tuple[tuple[int, bool], tuple[Any, ...]]]:
        for number, part in enumerate(chunks(size, sampler.chunk)):
            if time.monotonic() > deadline:
                return
            for side in (False, True):
                key = (_SHARPENING, number, int(side))
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
    chosen: Sequence[PortableEvent],
    claims: Sequence[Claim],
    *,
    size: int,
    seen: int,
    deadline: float,
) -> tuple[PortableEvent, ...]:
    """Choose the thresholds of chosen events again.

    Parameters
    ----------
    sampler
        Where outputs come from.
    chosen, claims
        Events of one pair, one for each claim.
    size
        Outputs to draw on each of the two data sets.
    seen
        How many the events were chosen on; they stay as they are if no more can be had.
    deadline
        On the monotonic clock; nothing more is asked for after it.

    Returns
    -------
    tuple of PortableEvent
        The best for each claim, repetitions dropped, that of the first claim first.
    """
    features = distinct(chosen)
    if size <= seen:
        return features
    values, other_values = _values(sampler, features, size, deadline)
    if values.shape[1] <= seen:
        return features
    families = [event.feature() for event in features]
    best = []
    for claim in claims:
        found = [
            (place, *best_event(family, event.row, own, other, epsilon=claim.epsilon, delta=claim.delta))
            for place, (family, event, own, other) in enumerate(
                zip(families, features, values, other_values, strict=True)
            )
        ]
        place, _, event = max(found, key=lambda one: one[1])
        best.append(features[place].with_choice(event))
    return distinct(best)
