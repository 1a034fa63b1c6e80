"""Events, which are half-lines of a feature, and the choice of a threshold on training samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing.features import FeatureFamily
from dpmatrix.auditing.targets import FloatArray

# Choosing among some 10^5 events inflates the best one by about this many standard deviations.
_TRAINING_DEVIATIONS = 4.0

# Where the confirmation is known, its bounds lie some five deviations away, and training may err by two and a half.
_CONFIRMING_DEVIATIONS, _CHOOSING_DEVIATIONS = 5.0, 2.5


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


def _effective(trials: int, confirming: float | None) -> tuple[float, float]:
    """Return a number of trials, and of deviations, at which Wilson's bounds tell what a confirmation may certify.

    The squared error of a bound is the confirmation's plus that of what was learned here.
    """
    if confirming is None:
        return float(trials), _TRAINING_DEVIATIONS
    ratio = (_CHOOSING_DEVIATIONS / _CONFIRMING_DEVIATIONS) ** 2
    return 1.0 / (1.0 / confirming + ratio / trials), _CONFIRMING_DEVIATIONS


def _wilson(
    hits: FloatArray, other_hits: FloatArray, trials: float, deviations: float
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's lower bounds for hits and upper ones for the other hits: cheap and only good enough to choose."""
    squared = deviations**2

    def bound(counts: FloatArray, sign: float) -> FloatArray:
        spread = deviations * np.sqrt(counts * (trials - counts) / trials + squared / 4)
        return np.asarray((counts + squared / 2 + sign * spread) / (trials + squared))

    return bound(hits, -1.0), bound(other_hits, 1.0)


def _training_score(lower: FloatArray, upper: FloatArray, epsilon: float, delta: float) -> FloatArray:
    """Score events by bounds p and q on their probabilities.

    For delta = 0 the score is ``log(p / q)``. Else it is ``p - exp(epsilon) q`` where that is positive, and below zero
    it grows with ``(p - delta) / q``, so that something is learnt of a claim that holds.
    """
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
    confirming: float | None = None,
) -> tuple[float, Event]:
    """Choose the threshold, the side and the likelier data set for one feature and one claim; see `best_events`."""
    return best_events(family, row, values, other_values, [(epsilon, delta)], confirming=confirming)[0]


def best_events(
    family: FeatureFamily,
    row: int,
    values: FloatArray,
    other_values: FloatArray,
    claims: Sequence[tuple[float, float]],
    *,
    confirming: float | None = None,
) -> list[tuple[float, Event]]:
    """Choose the threshold, the side and the likelier data set for one feature, for each of some claims.

    Parameters
    ----------
    family, row
        The feature.
    values, other_values
        Shape (b,) each: the feature on training outputs for the data and for the neighbour; no NaN.
    claims
        Pairs of epsilon and delta.
    confirming
        How many outputs on each data set will confirm the event; without it the choice keeps to what is certain now.

    Returns
    -------
    list of tuple of float and Event
        For every claim a score, minus infinity where nothing was learnt, and the event.
    """
    trials = len(values)
    pooled = np.concatenate([values, other_values])
    order = np.argsort(pooled, kind="stable")
    ordered = pooled[order]
    cuts = np.flatnonzero(ordered[1:] > ordered[:-1])
    if cuts.size == 0:
        anchor = float(ordered[0]) if math.isfinite(ordered[0]) else 0.0
        return [(-math.inf, Event(family, row, anchor, at_least=True, on_neighbour=False)) for _ in claims]
    below = np.cumsum(order < trials)[cuts].astype(np.float64)
    other_below = np.cumsum(order >= trials)[cuts].astype(np.float64)
    effective, deviations = _effective(trials, confirming)
    scale = effective / trials
    best, chosen = [-math.inf] * len(claims), [(0, False, False)] * len(claims)
    for at_least in (False, True):
        hits = trials - below if at_least else below
        other_hits = trials - other_below if at_least else other_below
        for on_neighbour in (False, True):
            first, second = (other_hits, hits) if on_neighbour else (hits, other_hits)
            bounds = _wilson(first * scale, second * scale, effective, deviations)
            for place, (epsilon, delta) in enumerate(claims):
                scores = _training_score(*bounds, epsilon, delta)
                index = int(np.argmax(scores))
                if scores[index] > best[place]:
                    best[place], chosen[place] = float(scores[index]), (index, at_least, on_neighbour)
    found = []
    for score, (index, at_least, on_neighbour) in zip(best, chosen, strict=True):
        cut = int(cuts[index])
        threshold = _between(float(ordered[cut]), float(ordered[cut + 1]))
        found.append((score, Event(family, row, threshold, at_least=at_least, on_neighbour=on_neighbour)))
    return found
