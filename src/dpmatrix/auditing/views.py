"""Stateful mechanisms on streams, seen from several sides: each side is a target of its own.

A mechanism that answers while data come in gives away more than its outputs: how many they are, when they come, and
what it holds in memory if that is ever seen (pan-privacy). A run turns a stream into a transcript; a view reads one
side of it as a vector of numbers of fixed length, which `audit` takes like any other output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Protocol

import numpy as np
from attrs import field, frozen

from dpmatrix.auditing.targets import FloatArray, Target
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

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        rows = [_numbers(self.mechanism(data, generator), self.view) for _ in range(size)]
        return np.stack([self._padded(row) for row in rows])

    def _padded(self, row: FloatArray) -> FloatArray:
        if row.size > self.length:
            problem = f"the {self.view.value} has {row.size} numbers"
            raise InvalidParameterError("length", problem, f"pass at least {row.size}")
        # The number in front tells the zeros that are there from those that are not.
        return np.concatenate([row, np.zeros(self.length - row.size)])


def seen_through(mechanism: StreamMechanism, view: View, *, length: int) -> Target:
    """Make a target of one side of a stateful mechanism.

    Parameters
    ----------
    mechanism
        Run anew for every output of the target; the data set is its stream.
    view
        The side.
    length
        How many numbers the view has at most; shorter ones are padded by zeros.

    Raises
    ------
    InvalidParameterError
        If the length is not positive; later, if a transcript is longer.
    """
    if length < 1:
        raise InvalidParameterError("length", f"{length!r} is not positive", "pass the number of numbers to be seen")
    return _Seen(mechanism, view, length)


def all_views(mechanism: StreamMechanism, *, length: int) -> dict[View, Target]:
    """Return a target for every side; audit each with its share of the failure probability."""
    return {view: seen_through(mechanism, view, length=length) for view in View}


def timed(
    mechanism: Callable[[FloatArray, np.random.Generator], object], clock: Callable[[], float]
) -> Callable[[FloatArray, np.random.Generator], float]:
    """Return the running time of a mechanism as its output, for `from_single_draw`; times of a busy machine are noisy.

    Successive times depend on each other through the machine, which the guarantee of `audit` does not allow for: a
    violation that is found this way is a lead, not a certificate.
    """

    def run(data: FloatArray, generator: np.random.Generator) -> float:
        begin = clock()
        mechanism(data, generator)
        return clock() - begin

    return run
