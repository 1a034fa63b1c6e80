"""Views: a counter that keeps its guarantee by its outputs and breaks it by when they come, or by what it holds."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.stats import binom

from dpmatrix.auditing import (
    AuditPlan,
    EventCounts,
    NeighbouringPair,
    Stopwatch,
    Transcript,
    View,
    all_views,
    audit,
    from_single_draw,
    seen_through,
    timed,
    violation_is_certified,
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


class Ticks:
    """A clock that counts operations, so that running times depend on data and randomness alone."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        """Return the operations so far."""
        return self.now


PER_EVENT, JITTER = 300, 1000


def counter_that_takes(clock: Ticks, per_event: int):
    """Publish the count with noise for epsilon = 1 after a random number of operations, and some for every event."""

    def mechanism(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
        events = int(np.sum(stream > 0.5))
        clock.now += int(generator.integers(JITTER)) + per_event * events
        return Transcript([events + _noise(generator, 1.0)], [float(len(stream))])

    return mechanism


SAMPLES = 4000
WITHIN = {"epsilon": 1, "training": 500, "confirmation": SAMPLES, "failure_probability": 1e-9, "generator": 1}


@pytest.mark.parametrize(("per_event", "leaks"), [(PER_EVENT, True), (0, False)])
def test_a_running_time_that_depends_on_the_data_is_certified_and_no_other(per_event: int, leaks: bool) -> None:
    """The neighbour's event takes 300 of 1000 equally likely ticks: that many outputs in ten are impossible without it.

    Seen in steps of 100 ticks. The best event, nothing of the last three steps, has probabilities 0.3 and 0. That of
    4000 outputs fewer than 1000 show it has probability below 1e-11, and 1000 are more than enough; a false alarm has
    probability at most 1e-9. The outputs themselves keep their guarantee at either speed.
    """
    assert binom.cdf(999, SAMPLES, PER_EVENT / JITTER) < 1e-11
    assert violation_is_certified(EventCounts(1000, SAMPLES, 0, SAMPLES), epsilon=1, delta=0, failure_probability=1e-9)
    clock = Ticks()
    mechanism = counter_that_takes(clock, per_event)
    targets = all_views(mechanism, length=LENGTH, stopwatch=Stopwatch(clock, 100))
    found = {view for view, target in targets.items() if audit(target, [PAIR], **WITHIN).violated}
    assert found == ({View.TIMING} if leaks else set())
    single = from_single_draw(timed(mechanism, Stopwatch(clock, 100)))
    assert audit(single, [PAIR], **WITHIN).violated == leaks


def test_times_are_whole_steps_of_the_clock() -> None:
    clock = Ticks()

    def mechanism(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
        clock.now += 250 + int(np.sum(stream > 0.5))
        return Transcript([])

    generator = np.random.default_rng(0)
    for step, seen in ((1, [252.0, 253.0]), (100, [2.0, 2.0]), (251, [1.0, 1.0]), (252.5, [0.0, 1.0])):
        target = seen_through(mechanism, View.TIMING, length=1, stopwatch=Stopwatch(clock, step))
        assert [target(data, 1, generator)[0, 0] for data in (PAIR.data, PAIR.neighbour)] == seen


def test_running_times_are_looked_at_on_request_alone() -> None:
    assert View.TIMING not in all_views(silent_counter, length=LENGTH)
    assert set(all_views(silent_counter, length=LENGTH, stopwatch=Stopwatch())) == set(View)
    for step in (0, -1.0, math.inf, math.nan):
        with pytest.raises(InvalidParameterError):
            Stopwatch(step=step)


def test_the_clock_on_the_wall_goes_forward() -> None:
    """Of a mechanism that waits for two steps at least two are seen."""

    def mechanism(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
        begin = time.perf_counter_ns()
        while time.perf_counter_ns() - begin < 2**15:
            pass
        return Transcript([])

    target = seen_through(mechanism, View.TIMING, length=1)
    assert np.all(target(PAIR.data, 3, np.random.default_rng(0)) >= 2)
