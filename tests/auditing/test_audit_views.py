"""Views: a counter that keeps its promise by its outputs and breaks it by when they come, or by what it holds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpmatrix.auditing import (
    AuditPlan,
    NeighbouringPair,
    Transcript,
    View,
    all_views,
    audit,
    from_single_draw,
    seen_through,
    timed,
)
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency

STREAM = np.array([[0.0], [1.0], [0.0], [1.0]])
PAIR = NeighbouringPair(
    "the third event or none", Adjacency.REPLACE_ONE, STREAM, np.where([[0], [0], [1], [0]], 1.0, STREAM)
)
LENGTH = 6


def _noise(generator: np.random.Generator, epsilon: float) -> float:
    rate = -math.expm1(-epsilon)
    return float(generator.geometric(rate) - generator.geometric(rate))


def leaky_counter(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
    """Publish the count once, with noise for epsilon = 1, in the step after the first pair of neighbouring events."""
    events = stream[:, 0] > 0.5
    pairs = np.flatnonzero(events[1:] & events[:-1])
    step = float(pairs[0] + 2) if pairs.size else float(len(stream))
    return Transcript([np.sum(events) + _noise(generator, 1.0)], [step], [_noise(generator, 1.0)])


def remembering_counter(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
    """Publish a noisy count at the end, in due time, and keep the exact one in memory."""
    events = float(np.sum(stream > 0.5))
    return Transcript([events + _noise(generator, 1.0)], [float(len(stream))], [events])


def silent_counter(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
    """Publish zero after every event: the outputs tell nothing but how many they are."""
    return Transcript([0.0 for record in stream if record[0] > 0.5])


def spending_counter(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
    """Publish a running count with fresh noise for epsilon = 1 in every step: each is private, the sequence is not."""
    counts = np.cumsum(stream[:, 0] > 0.5)
    return Transcript([count + _noise(generator, 1.0) for count in counts], np.arange(len(stream)))


@pytest.mark.parametrize(
    ("mechanism", "leaks"),
    [
        (leaky_counter, {View.TIMESTAMPS}),
        (remembering_counter, {View.STATE}),
        (silent_counter, {View.SEQUENCE}),
        (spending_counter, {View.SEQUENCE}),
    ],
)
def test_a_leak_is_seen_from_the_side_where_it_is(mechanism, leaks: set[View]) -> None:
    """At 8000 samples; every false alarm has probability at most 1e-9.

    What is deterministic is missed with probability zero; in the sequence of the spending counter the two last counts
    move, and that both reach the truth has probability 0.53 against 0.07: learned scores find such joint events.
    """
    found, plan = set(), AuditPlan(learned=True)
    for view, target in all_views(mechanism, length=LENGTH).items():
        result = audit(target, [PAIR], epsilon=1, training=500, confirmation=8000, generator=1, plan=plan)
        found |= {view} if result.violated else set()
    assert found == leaks


def test_a_view_is_padded_so_that_length_shows() -> None:
    target = seen_through(silent_counter, View.SEQUENCE, length=4)
    first, second = (target(data, 1, np.random.default_rng(0))[0] for data in (PAIR.data, PAIR.neighbour))
    assert first.tolist() == [2.0, 0.0, 0.0, 0.0]
    assert second.tolist() == [3.0, 0.0, 0.0, 0.0]


def test_views_out_of_their_domain_are_refused() -> None:
    with pytest.raises(InvalidParameterError):
        seen_through(silent_counter, View.SEQUENCE, length=0)
    with pytest.raises(InvalidParameterError):
        seen_through(silent_counter, View.SEQUENCE, length=2)(PAIR.data, 1, np.random.default_rng(0))
    with pytest.raises(InvalidParameterError):
        Transcript([1.0, 2.0], [1.0])
    with pytest.raises(InvalidParameterError):
        Transcript(["text"])


def test_running_time_is_an_output_like_any_other() -> None:
    """The clock of the test counts the records that were touched."""
    touched = [0.0]

    def mechanism(data: np.ndarray, generator: np.random.Generator) -> None:
        touched[0] += float(np.sum(data > 0.5))

    target = from_single_draw(timed(mechanism, lambda: touched[0]))
    assert audit(target, [PAIR], epsilon=1, training=50, confirmation=1000, generator=1).violated
