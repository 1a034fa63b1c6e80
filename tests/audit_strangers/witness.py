"""A pair of neighbours and an event whose two probabilities are known exactly, and small data sets to make pairs of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import laplace

from audit.strangers.record import RECORDS, Array

X, N, Y, Z = (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)
U, V = (1 / math.sqrt(3),) * 3, (-1 / math.sqrt(3),) * 3
WARDS = [(-0.75, 0.0, 0.0), (-0.25, 0.0, 0.0), (0.25, 0.0, 0.0), (0.75, 0.0, 0.0)]

Record = tuple[float, float, float]


@dataclass(frozen=True)
class Witness:
    """An event that is more probable on `likely` than on `unlikely`, with both probabilities.

    `attains` says whether the event loses all of the epsilon that is on record, or part of it.
    """

    likely: Array
    unlikely: Array
    event: Callable[[Array], bool]
    p: float
    q: float
    attains: bool = True

    def epsilon(self, delta: float) -> float:
        """Return the least epsilon for which the two probabilities agree with the delta."""
        if self.p <= delta:
            return -math.inf
        return math.log((self.p - delta) / self.q) if self.q > 0 else math.inf


def rows(*groups: Record | tuple[int, Record]) -> Array:
    """Return the records, each as often as the number before it says."""
    flat: list[Record] = []
    for group in groups:
        if len(group) == 2:
            flat += group[0] * [group[1]]
        else:
            flat.append(group)
    return np.array(flat)


def first(record: Record, other: Record) -> Array:
    """Return twenty records, the first one of them given and the others alike."""
    return rows(record, (RECORDS - 1, other))


def above(*thresholds: float) -> Callable[[Array], bool]:
    """Return the event that the output, or each of its first entries, is above the threshold."""
    bars = np.array(thresholds)
    return lambda output: bool(np.all(np.ravel(output)[: len(bars)] > bars))


def equals(value: float, index: int = 0) -> Callable[[Array], bool]:
    """Return the event that one entry of the output is this number."""
    return lambda output: bool(np.ravel(output)[index] == value)


def tails(*losses: float) -> tuple[float, float]:
    """Return p and q of an event beyond the centre of Laplace noise; the other centre is so many scales away."""
    return 0.5 ** len(losses), math.prod(float(laplace.sf(loss)) for loss in losses)
