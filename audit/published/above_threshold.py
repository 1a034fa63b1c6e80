"""The sparse vector technique and its variants, in batches: which answers exceed a noisy threshold, until enough do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import frozen

from audit.published.record import FloatArray
from dpmatrix.auditing import Target

BELOW, NOT_ASKED = -1000.0, -2000.0
"""In outputs that hold noisy numbers: an answer below the threshold, and one after the end."""


@frozen
class AboveThreshold:
    """Parameters of the sparse vector technique; all noise is Laplace.

    Attributes
    ----------
    threshold
        What the answers are compared with.
    threshold_scale
        Of the noise on the threshold.
    query_scale
        Of the noise on each answer; zero for none.
    cutoff
        Answers above the threshold after which it ends; None for no end.
    refreshed_scale
        Of new noise on the threshold, drawn after each answer above; None to keep the first.
    """

    threshold: float
    threshold_scale: float
    query_scale: float
    cutoff: int | None = None
    refreshed_scale: float | None = None

    def run(
        self, row: FloatArray, size: int, generator: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return, shape (size, k) each: 1 above, 0 below, -1 not asked; the noisy answers; the noisy thresholds."""
        shape = (size, len(row))
        noisy = row + generator.laplace(size=shape) * self.query_scale
        bars = np.empty(shape)
        bar = self.threshold + generator.laplace(scale=self.threshold_scale, size=size)
        facts = np.full(shape, -1.0)
        count = np.zeros(size, dtype=np.int64)
        for place in range(len(row)):
            bars[:, place] = bar
            asked = np.full(size, True) if self.cutoff is None else count < self.cutoff
            above = asked & (noisy[:, place] >= bar)
            facts[asked, place] = above[asked]
            count += above
            if self.refreshed_scale is not None:
                fresh = self.threshold + generator.laplace(scale=self.refreshed_scale, size=size)
                bar = np.where(above, fresh, bar)
        return facts, noisy, bars


def facts(of: AboveThreshold) -> Target:
    """Release for each answer 1 if it is above, 0 if below, -1 if not asked."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return of.run(data[0], size, generator)[0]

    return target


def _marked(facts: FloatArray, numbers: FloatArray) -> FloatArray:
    return np.select([facts == 1, facts == 0], [numbers, np.full_like(numbers, BELOW)], NOT_ASKED)


def values(of: AboveThreshold) -> Target:
    """Release the noisy answer that was compared, where it is above."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        found, noisy, _ = of.run(data[0], size, generator)
        return _marked(found, noisy)

    return target


def gaps(of: AboveThreshold) -> Target:
    """Release by how much the noisy answer exceeds the noisy threshold, where it does."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        found, noisy, bars = of.run(data[0], size, generator)
        return _marked(found, noisy - bars)

    return target


def fresh_values(of: AboveThreshold, scale: float) -> Target:
    """Release the answer with noise of its own, where the one that was compared is above."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        found = of.run(data[0], size, generator)[0]
        return _marked(found, data[0] + generator.laplace(scale=scale, size=found.shape))

    return target


def summarised(of: AboveThreshold, summary: Callable[[FloatArray], FloatArray]) -> Target:
    """Release a number made of the facts, shape (size, k) to (size,)."""
    inner = facts(of)

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return summary(np.asarray(inner(data, size, generator), dtype=np.float64))

    return target


def falses(found: FloatArray) -> FloatArray:
    """Count the answers below the threshold, shape (size, k) to (size,)."""
    return np.asarray((found == 0).sum(axis=1), dtype=np.float64)


def distance_from_half(found: FloatArray) -> FloatArray:
    """Count the places that differ from "the first half above, the second below", shape (size, k) to (size,).

    A place that was not asked differs from either.
    """
    length = found.shape[1]
    expected = (np.arange(length) < length // 2).astype(np.float64)
    return np.asarray((found != expected).sum(axis=1), dtype=np.float64)


def reported(numbers: FloatArray) -> FloatArray:
    """Make two numbers of marked ones, shape (size, k) to (size, 2): how many answers are below, and the last above."""
    above = numbers > BELOW
    last = numbers.shape[1] - 1 - above[:, ::-1].argmax(axis=1)
    value = np.where(above.any(axis=1), numbers[np.arange(len(numbers)), last], 0.0)
    return np.stack([(numbers == BELOW).sum(axis=1), value], axis=1)


def falses_and_last(of: AboveThreshold) -> Target:
    """Release the number of answers below, and the last entry of the list: a noisy answer, or 0 for one below."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        found, noisy, _ = of.run(data[0], size, generator)
        last = (found >= 0).sum(axis=1) - 1
        places = np.arange(size)
        value = np.where(found[places, last] == 1, noisy[places, last], 0.0)
        return np.stack([falses(found), value], axis=1)

    return target
