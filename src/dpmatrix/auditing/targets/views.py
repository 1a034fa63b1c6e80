"""Stateful mechanisms on streams, seen from several sides: each side is a target of its own.

A mechanism that answers while data come in gives away more than its outputs: how many they are, when they come, and
what it holds in memory if that is ever seen (pan-privacy). A run turns a stream into a transcript; a view reads one
side of it as a vector of numbers of fixed length, which `audit` takes like any other output.

How long a run takes is one more side, for an adversary with a watch. It is looked at only on request: what a clock on
the wall shows depends on the machine and on whatever else it does, and successive times depend on each other (caches,
clock rates, collected garbage), whereas the guarantee of `audit` is about independent outputs. A violation that is
found in such times is a lead to follow, not a certificate, and that none was found says nothing about another machine.
With a clock that counts operations the times are a function of data and randomness alone, and the guarantee holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol, TypeVar

import numpy as np
from attrs import field, frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.checks import positive_finite
from dpmatrix.auditing.targets.target import Target
from dpmatrix.errors import InvalidParameterError


def _vector(value: object) -> FloatArray:
    try:
        result = np.array(value, dtype=np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise InvalidParameterError("transcript", f"{value!r} is no array of numbers", "flatten it") from error
    return result


def _vectors(values: Sequence[object]) -> tuple[FloatArray, ...]:
    return tuple(_vector(value) for value in values)


@frozen(eq=False)
class Transcript:
    """What one run of a stateful mechanism leaves.

    Attributes
    ----------
    outputs
        What was published, in order; each an array or a number.
    timestamps
        When each output was published, in steps of the stream or in seconds; as many as the outputs, or none if the
        mechanism's times are not observed.
    state
        What is in the mechanism's memory at the end, as numbers; empty if it is not observed.
    """

    outputs: tuple[FloatArray, ...] = field(converter=_vectors)
    timestamps: FloatArray = field(factory=lambda: np.zeros(0), converter=_vector)
    state: FloatArray = field(factory=lambda: np.zeros(0), converter=_vector)

    def __attrs_post_init__(self) -> None:
        if len(self.timestamps) not in (0, len(self.outputs)):
            problem = f"there are {len(self.timestamps)} for {len(self.outputs)} outputs"
            raise InvalidParameterError("timestamps", problem, "give one for each output, or none")


class StreamMechanism(Protocol):
    """A mechanism that reads records one by one."""

    def __call__(self, stream: FloatArray, generator: np.random.Generator) -> Transcript:
        """Begin afresh, read the records, shape (n, d), in order, and return what the run left."""


class View(Enum):
    """A side of a transcript."""

    OUTPUT = "output"
    """The last output alone, preceded by its size."""

    SEQUENCE = "sequence"
    """All outputs in order, preceded by how many there are."""

    TIMESTAMPS = "timestamps"
    """When outputs were published, preceded by how many there are."""

    STATE = "state"
    """The memory at the end, preceded by its size."""

    TIMING = "timing"
    """How long the run took, in steps of a `Stopwatch`; it is in no transcript, and looked at only on request."""


Result = TypeVar("Result")


def _step(value: float) -> float:
    return positive_finite(value, "step", "pass a number of ticks, say 2**14")


@frozen(eq=False)
class Stopwatch:
    """A clock and how finely the adversary reads it.

    Attributes
    ----------
    clock
        Returns ticks: nanoseconds on the wall without it. ``time.process_time_ns`` leaves other work on the machine
        out; a counter of operations makes times exact and independent.
    step
        Ticks in a step, positive; times are rounded down to whole steps. Without it a step is about 16 microseconds:
        far above what the clock itself takes, and below what an adversary sees across a local network.
    """

    clock: Callable[[], float] = time.perf_counter_ns
    step: float = field(default=2**14, converter=_step)

    def measured(self, run: Callable[[], Result]) -> tuple[Result, float]:
        """Return what a run returns, and the steps that it took."""
        begin = self.clock()
        result = run()
        return result, float((self.clock() - begin) // self.step)


def _numbers(transcript: Transcript, view: View) -> FloatArray:
    if view is View.OUTPUT:
        last = transcript.outputs[-1] if transcript.outputs else np.zeros(0)
        return np.concatenate([[last.size], last])
    if view is View.SEQUENCE:
        return np.concatenate([[len(transcript.outputs)], *transcript.outputs])
    numbers = transcript.timestamps if view is View.TIMESTAMPS else transcript.state
    return np.concatenate([[numbers.size], numbers])


@frozen(eq=False)
class _Seen:
    mechanism: StreamMechanism
    view: View
    length: int
    stopwatch: Stopwatch

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        rows = [self._seen(data, generator) for _ in range(size)]
        return np.stack([self._padded(row) for row in rows])

    def _seen(self, data: FloatArray, generator: np.random.Generator) -> FloatArray:
        if self.view is not View.TIMING:
            return _numbers(self.mechanism(data, generator), self.view)
        return np.array([self.stopwatch.measured(lambda: self.mechanism(data, generator))[1]])

    def _padded(self, row: FloatArray) -> FloatArray:
        if row.size > self.length:
            problem = f"the {self.view.value} has {row.size} numbers"
            raise InvalidParameterError("length", problem, f"pass at least {row.size}")
        # The number in front tells the zeros that are there from those that are not.
        return np.concatenate([row, np.zeros(self.length - row.size)])


def seen_through(mechanism: StreamMechanism, view: View, *, length: int, stopwatch: Stopwatch | None = None) -> Target:
    """Make a target of one side of a stateful mechanism.

    Parameters
    ----------
    mechanism
        Run anew for every output of the target; the data set is its stream.
    view
        The side.
    length
        How many numbers the view has at most; shorter ones are padded by zeros.
    stopwatch
        By which `View.TIMING` is read, which has one number; see above for what an audit of it means.

    Raises
    ------
    InvalidParameterError
        If the length is not positive; later, if a transcript is longer.
    """
    if length < 1:
        raise InvalidParameterError("length", f"{length!r} is not positive", "pass the number of numbers to be seen")
    return _Seen(mechanism, view, length, Stopwatch() if stopwatch is None else stopwatch)


def all_views(mechanism: StreamMechanism, *, length: int, stopwatch: Stopwatch | None = None) -> dict[View, Target]:
    """Return a target for every side; audit each with its share of the failure probability.

    `View.TIMING` is among them only if there is a stopwatch: an audit of it by the wall is noisy, depends on the
    machine, and is outside of the guarantee.
    """
    views = [view for view in View if view is not View.TIMING or stopwatch is not None]
    return {view: seen_through(mechanism, view, length=length, stopwatch=stopwatch) for view in views}


def timed(
    mechanism: Callable[[FloatArray, np.random.Generator], object], stopwatch: Stopwatch | None = None
) -> Callable[[FloatArray, np.random.Generator], float]:
    """Return the running time of each call of a mechanism as its output, for `from_single_draw`.

    The timing view of mechanisms that have no stream: in steps of a stopwatch, with the same limits.
    """
    watch = Stopwatch() if stopwatch is None else stopwatch
    return lambda data, generator: watch.measured(lambda: mechanism(data, generator))[1]
