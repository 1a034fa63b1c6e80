"""Outputs for the tallies of features: their values, or their counts at known thresholds, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.search.events import Event, Feature, values_of
from dpmatrix.auditing.search.tallies import Tally, counted_below
from dpmatrix.auditing.targets.sampling import Key, Sampler, chunks, draw_chunk
from dpmatrix.auditing.targets.target import Target

Counts = list[NDArray[np.int64]]
Part = TypeVar("Part")

_SHARPENING = 4


def evaluate_chunk(
    target: Target, features: tuple[Feature, ...], on_neighbour: bool, size: int, entropy: int, key: Key
) -> FloatArray:
    """Evaluate features of one pair on one chunk of outputs; shape (features, size)."""
    pair = features[0].pair
    batch = draw_chunk(target, pair.neighbour if on_neighbour else pair.data, size, entropy, key)
    return values_of(features, batch)


def count_chunk(
    target: Target, events: tuple[Event, ...], on_neighbour: bool, size: int, entropy: int, key: Key
) -> list[int]:
    """Count events of one pair among the outputs of one chunk."""
    values = evaluate_chunk(target, tuple(event.feature for event in events), on_neighbour, size, entropy, key)
    above = [int(np.count_nonzero(row >= event.threshold)) for event, row in zip(events, values, strict=True)]
    return [count if event.at_least else size - count for event, count in zip(events, above, strict=True)]


def tally_chunk(
    target: Target,
    features: tuple[Feature, ...],
    on_neighbour: bool,
    size: int,
    entropy: int,
    key: Key,
    thresholds: tuple[FloatArray, ...],
) -> Counts:
    """Count, for every feature of one pair, the outputs of one chunk below each of its thresholds."""
    values = evaluate_chunk(target, features, on_neighbour, size, entropy, key)
    return [counted_below(row, some) for row, some in zip(values, thresholds, strict=True)]


def _parts(
    sampler: Sampler,
    work: Callable[..., Part],
    features: tuple[Feature, ...],
    size: int,
    deadline: float,
    place: tuple[int, int],
    *more: object,
) -> tuple[list[Part], list[Part], int]:
    """Work on outputs on both data sets, or on fewer if time is short; return the results, and how many there were."""
    sizes = chunks(size, sampler.chunk)

    def jobs() -> Iterator[tuple[tuple[int, bool], tuple[Any, ...]]]:
        for number, part in enumerate(sizes):
            if sampler.clock() > deadline:
                return
            for side in (False, True):
                key = (_SHARPENING, *place, number, int(side))
                yield (number, side), (sampler.target, features, side, part, sampler.entropy, key, *more)

    found = dict(sampler.run(work, jobs()))
    numbers = sorted({number for number, _ in found})
    own, other = ([found[number, side] for number in numbers] for side in (False, True))
    return own, other, sum(sizes[number] for number in numbers)


def values_on(
    sampler: Sampler, features: tuple[Feature, ...], size: int, deadline: float, place: tuple[int, int]
) -> tuple[FloatArray, FloatArray]:
    """Evaluate features on outputs on both data sets, shape (features, size) each, or on fewer if time is short.

    The place, of the round and of the pair, makes the outputs different from those of any other.
    """
    own, other, _ = _parts(sampler, evaluate_chunk, features, size, deadline, place)
    nothing = np.zeros((len(features), 0))
    return np.concatenate([nothing, *own], axis=1), np.concatenate([nothing, *other], axis=1)


def with_more(
    tallies: Sequence[Tally],
    sampler: Sampler,
    features: tuple[Feature, ...],
    size: int,
    deadline: float,
    place: tuple[int, int],
) -> tuple[tuple[Tally, ...], int]:
    """Add so many outputs on each data set to the tallies of features, or fewer; return how many; see `values_on`."""
    thresholds = tuple(tally.thresholds for tally in tallies)
    own, other, trials = _parts(sampler, tally_chunk, features, size, deadline, place, thresholds)
    if trials == 0:
        return tuple(tallies), 0
    sides = ([sum(parts) for parts in zip(*side, strict=True)] for side in (own, other))
    grown = zip(tallies, *sides, strict=True)
    return tuple(tally.with_more(below, other_below, trials) for tally, below, other_below in grown), trials
