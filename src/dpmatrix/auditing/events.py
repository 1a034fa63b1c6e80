"""Events, which are half-lines of a feature, and the choice of a threshold on training samples."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing.features import FeatureFamily
from dpmatrix.auditing.targets import FloatArray

# Choosing among some 10^5 events inflates the best one by about this many standard deviations.
_TRAINING_DEVIATIONS = 4.0


@frozen(eq=False)
class Event:
    """The outputs for which a feature lies on one side of a finite threshold.

    Attributes
    ----------
    family, row
        The feature: a number of the family.
    threshold
        Finite.
    at_least
        Whether the event is "feature >= threshold"; else it is the complement.
    on_neighbour
        Whether the event is likelier on the neighbour than on the data.
    """

    family: FeatureFamily
    row: int
    threshold: float
    at_least: bool
    on_neighbour: bool

    def holds(self, batch: FloatArray) -> NDArray[np.bool_]:
        """Tell for each output of a batch, shape (b, ...), whether the event happens; shape (b,)."""
        above = np.asarray(self.family.evaluate(batch)[self.row] >= self.threshold)
        return above if self.at_least else ~above

    def sentence(self) -> str:
        """Say what happens, and on which data set it is the likelier."""
        relation = "is at least" if self.at_least else "is below"
        where = "neighbour" if self.on_neighbour else "data"
        return f"{self.family.names[self.row]} {relation} {self.threshold:.6g}, likelier on the {where}"


def _training_score(hits: FloatArray, other_hits: FloatArray, trials: int, epsilon: float, delta: float) -> FloatArray:
    """Score events at Wilson bounds p and q, which are cheap and only good enough to choose by.

    For delta = 0 the score is ``log(p / q)``. Else it is ``p - exp(epsilon) q`` where that is positive, and below zero
    it grows with ``(p - delta) / q``, so that something is learnt of a claim that holds.
    """
    squared = _TRAINING_DEVIATIONS**2

    def bound(counts: FloatArray, sign: float) -> FloatArray:
        spread = _TRAINING_DEVIATIONS * np.sqrt(counts * (trials - counts) / trials + squared / 4)
        return np.asarray((counts + squared / 2 + sign * spread) / (trials + squared))

    lower, upper = bound(hits, -1.0), bound(other_hits, 1.0)
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.maximum(lower - delta, 0.0) / upper
        if delta == 0:
            return np.asarray(np.log(ratio))
        excess = lower - np.exp(epsilon) * upper
        return np.where(excess > 0, excess, -1.0 / ratio)


def _between(low: float, high: float) -> float:
    """Return a finite threshold t with low < t <= high, for low < high."""
    limit = float(np.finfo(np.float64).max)
    low, high = max(low, -limit), min(high, limit)
    middle = low / 2 + high / 2
    return middle if low < middle <= high else high


def best_event(
    family: FeatureFamily,
    row: int,
    values: FloatArray,
    other_values: FloatArray,
    *,
    epsilon: float,
    delta: float,
) -> tuple[float, Event]:
    """Choose the threshold, the side and the likelier data set for one feature.

    Parameters
    ----------
    family, row
        The feature.
    values, other_values
        Shape (b,) each: the feature on training outputs for the data and for the neighbour; no NaN.
    epsilon, delta
        The claim.

    Returns
    -------
    tuple of float and Event
        A score, minus infinity where nothing was learnt, and the event.
    """
    trials = len(values)
    pooled = np.concatenate([values, other_values])
    order = np.argsort(pooled, kind="stable")
    ordered = pooled[order]
    cuts = np.flatnonzero(ordered[1:] > ordered[:-1])
    if cuts.size == 0:
        anchor = float(ordered[0]) if math.isfinite(ordered[0]) else 0.0
        return -math.inf, Event(family, row, anchor, at_least=True, on_neighbour=False)
    below = np.cumsum(order < trials)[cuts].astype(np.float64)
    other_below = np.cumsum(order >= trials)[cuts].astype(np.float64)
    best, chosen = -math.inf, (0, False, False)
    for at_least in (False, True):
        hits = trials - below if at_least else below
        other_hits = trials - other_below if at_least else other_below
        for on_neighbour in (False, True):
            pair = (other_hits, hits) if on_neighbour else (hits, other_hits)
            scores = _training_score(*pair, trials, epsilon, delta)
            index = int(np.argmax(scores))
            if scores[index] > best:
                best, chosen = float(scores[index]), (index, at_least, on_neighbour)
    cut = int(cuts[chosen[0]])
    threshold = _between(float(ordered[cut]), float(ordered[cut + 1]))
    return best, Event(family, row, threshold, at_least=chosen[1], on_neighbour=chosen[2])
