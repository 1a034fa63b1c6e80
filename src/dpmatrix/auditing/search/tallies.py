"""How often a feature lay below each of many thresholds, and which threshold makes the most telling event.

A tally can grow: the thresholds come from the first outputs, further ones are only counted, so that millions of them
cost neither memory nor sorting. Every choice comes with two numbers: the bound that the confirmation may be expected to
certify if training flattered the event, and the bound if training wronged it. Rare events have the widest gap between
the two; they are given up only once the second number says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.search.events import Event, Feature

# Choosing among some 10^5 events inflates the best one by about this many standard deviations.
_TRAINING_DEVIATIONS = 4.0

# Where the confirmation is known, its bounds lie some five deviations away, and the best of some correlated events is
# flattered by about one and a half; an event is given up only where two and a half in its favour do not help.
_CONFIRMING_DEVIATIONS, _CHOOSING_DEVIATIONS, _HOPING_DEVIATIONS = 5.0, 1.5, 2.5

# Thresholds that stay in a thinned tally leave this ratio, at most, between the outputs beyond them in either tail.
_RATIO_OF_RANKS = 1.04


@frozen(eq=False)
class Tally:
    """Counts of one feature.

    Attributes
    ----------
    thresholds
        Shape (k,), finite, in growing order; k = 0 for a feature that did not vary.
    below, other_below
        Shape (k,) each: outputs on the data, and on the neighbour, for which the feature was below each threshold.
    trials
        Outputs on each of the two.
    anchor
        A finite value, for events of a feature that did not vary.
    """

    thresholds: FloatArray
    below: FloatArray
    other_below: FloatArray
    trials: int
    anchor: float = 0.0

    @classmethod
    def of(cls, values: FloatArray, other_values: FloatArray) -> Tally:
        """Count at thresholds between all values, shape (b,) each; no NaN."""
        trials = len(values)
        pooled = np.concatenate([values, other_values])
        order = np.argsort(pooled, kind="stable")
        ordered = pooled[order]
        cuts = np.flatnonzero(ordered[1:] > ordered[:-1])
        return cls(
            _between(ordered[cuts], ordered[cuts + 1]),
            np.cumsum(order < trials)[cuts].astype(np.float64),
            np.cumsum(order >= trials)[cuts].astype(np.float64),
            trials,
            float(ordered[0]) if math.isfinite(ordered[0]) else 0.0,
        )

    def thinned(self) -> Tally:
        """Keep some hundreds of the thresholds, the denser the fewer outputs lie beyond them."""
        steps = int(math.log(max(2, self.trials)) / math.log(_RATIO_OF_RANKS)) + 1
        ranks = np.unique(np.ceil(_RATIO_OF_RANKS ** np.arange(steps)))
        if len(self.thresholds) <= 2 * len(ranks):
            return self
        pooled = self.below + self.other_below
        wanted = np.searchsorted(pooled, np.concatenate([ranks, 2 * self.trials - ranks]))
        kept = np.unique(np.minimum(wanted, len(pooled) - 1))
        return evolve(
            self, thresholds=self.thresholds[kept], below=self.below[kept], other_below=self.other_below[kept]
        )

    def with_more(self, below: FloatArray, other_below: FloatArray, trials: int) -> Tally:
        """Add what was counted on so many further outputs on each of the two data sets."""
        return evolve(
            self, below=self.below + below, other_below=self.other_below + other_below, trials=self.trials + trials
        )

    def events(
        self, feature: Feature, claims: Sequence[tuple[float, float]], confirming: float | None = None
    ) -> list[Event]:
        """Choose the threshold, the side and the likelier data set, for each of some claims.

        Parameters
        ----------
        feature
            What was counted.
        claims
            Pairs of epsilon and delta.
        confirming
            How many outputs on each data set will confirm the event; without it the choice keeps to what is certain
            now.
        """
        if len(self.thresholds) == 0:
            return [Event(feature, self.anchor, at_least=True, on_neighbour=False) for _ in claims]
        effective, deviations = _effective(self.trials, confirming)
        scale = effective / self.trials
        best, chosen = [-math.inf] * len(claims), [(0, False, False)] * len(claims)
        for at_least in (True, False):
            for on_neighbour in (False, True):
                first, second = self._hits(at_least, on_neighbour)
                bounds = _wilson(first * scale, second * scale, effective, deviations)
                for place, (epsilon, delta) in enumerate(claims):
                    scores = _training_score(*bounds, epsilon, delta)
                    index = int(np.argmax(scores))
                    if scores[index] > best[place]:
                        best[place], chosen[place] = float(scores[index]), (index, at_least, on_neighbour)
        return [
            Event(
                feature,
                float(self.thresholds[index]),
                at_least,
                on_neighbour,
                score,
                self._hope(index, at_least, on_neighbour, claim, confirming),
            )
            for score, claim, (index, at_least, on_neighbour) in zip(best, claims, chosen, strict=True)
        ]

    def _hits(self, at_least: bool, on_neighbour: bool) -> tuple[FloatArray, FloatArray]:
        hits, other_hits = (
            (self.trials - self.below, self.trials - self.other_below) if at_least else (self.below, self.other_below)
        )
        return (other_hits, hits) if on_neighbour else (hits, other_hits)

    def _hope(
        self, index: int, at_least: bool, on_neighbour: bool, claim: tuple[float, float], confirming: float | None
    ) -> float:
        """Score an event at the probabilities that are as favourable as training leaves possible."""
        first, second = (counts[index : index + 1] for counts in self._hits(at_least, on_neighbour))
        rates = _wilson(first, second, self.trials, -_HOPING_DEVIATIONS)
        number = self.trials if confirming is None else confirming
        bounds = _wilson(rates[0] * number, rates[1] * number, number, _CONFIRMING_DEVIATIONS)
        return float(_training_score(*bounds, *claim)[0])


def counted_below(values: FloatArray, thresholds: FloatArray) -> NDArray[np.int64]:
    """Count the values, shape (b,), below each threshold, shape (k,), in growing order."""
    bins = np.searchsorted(thresholds, values, side="right")
    return np.cumsum(np.bincount(bins, minlength=len(thresholds) + 1)[:-1])


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
    """Return Wilson's lower bounds for hits and upper ones for the other hits: cheap and only good enough to choose.

    Negative deviations give the upper and the lower ones.
    """
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


def _between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return finite thresholds t with low < t <= high, for low < high; shape (k,) each."""
    limit = float(np.finfo(np.float64).max)
    low, high = np.maximum(low, -limit), np.minimum(high, limit)
    middle = low / 2 + high / 2
    return np.where((low < middle) & (middle <= high), middle, high)
