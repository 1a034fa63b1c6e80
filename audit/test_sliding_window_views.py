"""Four views of the sliding-window algorithms, each attacked by itself: output, sequence, time stamps, state.

Every audit is wrong with probability at most 1e-9. The event that breaks a printed view has probability one against
zero, so 1,000 samples a side certify it with probability one; the control, noise for epsilon = 40, moves
an output by more than two standard deviations and is certified with probability above 1 - 1e-9.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.auditing.views import Transcript, View, seen_through
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

EPSILON = 1
DEGREES = 194
"""Tau of Algorithm 7 for d = 1, epsilon = 1, delta = 1e-6."""

STREAMS = (
    NeighbouringPair(
        "the last of three rows is zero",
        Adjacency.ADD_REMOVE_ONE,
        np.array([[0.5], [0.5], [1.0]]),
        np.array([[0.5], [0.5], [0.0]]),
    ),
)
LENGTH = 24


def increments(values: list[float]) -> list[float]:
    """Take differences of neighbours, the first value kept: as much information, easier to see."""
    return [values[0], *np.diff(values)]


def wishart_window(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
    """Algorithm 8 with its loop mended and W = 4, d = 1: all outputs."""
    held: list[float] = []
    outputs = []
    for (row,) in stream:
        held = [value + row * row for value in held]
        held.append(row * row + generator.chisquare(DEGREES))
        outputs.append(held[0])
    return Transcript(increments(outputs))


def last_output(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
    """Add up the rows and one Wishart matrix, which is all that Algorithm 8 outputs at the end."""
    return Transcript([float(np.sum(stream**2)) + generator.chisquare(DEGREES)])


def sketch_window(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
    """Algorithm 2 with its lines mended, m = 1 row in d = 2, W = 4; its stamps, and its memory as differences."""
    base = 50 * generator.normal(size=2)
    rows = [np.array([value, 0.0]) for (value,) in stream]
    terms = [generator.normal() * row for row in rows]
    held: list[tuple[int, np.ndarray]] = []
    for time, term in enumerate(terms, start=1):
        held = [(stamp, sketch + term) for stamp, sketch in held] + [(time, base + term)]
        place = 0
        while place + 2 < len(held):
            older, newer = held[place][1], held[place + 2][1]
            # In one row, (1 - eta/2) older'older <= newer'newer means that the rows are parallel.
            if older[0] * newer[1] == older[1] * newer[0]:
                del held[place + 1]
            else:
                place += 1
    matrices = [sketch for _, sketch in held]
    memory = [matrices[0], *(newer - older for older, newer in pairwise(matrices))]
    return Transcript(matrices, [stamp for stamp, _ in held], memory)


def private_window(parameters: WindowParameters):
    """Run the repaired window: everything published after each row, its stamps, and its memory."""

    def run(stream: np.ndarray, generator: np.random.Generator) -> Transcript:
        window = SlidingWindowGram(parameters, entropy=SeededEntropy(int(generator.integers(2**62))))
        outputs, firsts = [], []
        for row in stream:
            window.add(row[None])
            outputs.append(window.publish().to_numpy())
            firsts.append(window.stamps[0])
        scale = 4.0**parameters.coordinate_bits
        return Transcript(outputs, firsts, np.array([value / scale for value in window.memory[:LENGTH]]))

    return run


def promised(epsilon: int) -> WindowParameters:
    promise = PrivacyGuarantee(epsilon, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
    return WindowParameters(1, 2, promise, coordinate_bits=6)


def test_the_outputs_of_algorithm_8_give_a_row_away(audited) -> None:
    target = seen_through(wishart_window, View.SEQUENCE, length=LENGTH)
    result = audited(target, STREAMS, epsilon=EPSILON, training=500, confirmation=1000, seed=1)
    assert result.violated
    assert result.delta_lower_bound_at_epsilon > 0.9


def test_the_last_output_of_algorithm_8_alone_is_not_caught(audited) -> None:
    target = seen_through(last_output, View.OUTPUT, length=2)
    result = audited(target, STREAMS, epsilon=EPSILON, training=500, confirmation=2000, seed=2)
    assert not result.violated


@pytest.mark.parametrize("view", [View.TIMESTAMPS, View.STATE])
def test_stamps_and_memory_of_algorithm_2_give_a_row_away(audited, view: View) -> None:
    zeros = np.zeros((4, 1))
    one = zeros.copy()
    one[1] = 1.0
    pairs = (NeighbouringPair("the second of four rows is zero, as all others", Adjacency.ADD_REMOVE_ONE, one, zeros),)
    target = seen_through(sketch_window, view, length=LENGTH)
    result = audited(target, pairs, epsilon=EPSILON, training=500, confirmation=1000, seed=3)
    assert result.violated
    assert result.delta_lower_bound_at_epsilon > 0.9


@pytest.mark.parametrize("view", list(View))
def test_no_view_of_the_private_window_is_caught(audited, view: View) -> None:
    target = seen_through(private_window(promised(EPSILON)), view, length=LENGTH)
    result = audited(target, STREAMS, epsilon=EPSILON, training=200, confirmation=1000, seed=4)
    assert not result.violated


@pytest.mark.parametrize("view", [View.SEQUENCE, View.STATE])
def test_too_little_noise_is_caught(audited, view: View) -> None:
    target = seen_through(private_window(promised(40)), view, length=LENGTH)
    result = audited(target, STREAMS, epsilon=EPSILON, training=200, confirmation=1000, seed=5)
    assert result.violated
