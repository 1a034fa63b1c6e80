"""How little noise must be missing from an additive mechanism for an audit to notice.

If the output on data X is q(X) + Z, then with the noise cut to a factor c it is q(X) + cZ, and outputs of the cut
mechanism are made from those of the whole one by pulling them towards q(X). Only differences matter, so the median of
the outputs serves for q(X), and that median less the known difference for the neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.certify.detectability import POWER, ConfirmationPlan
from dpmatrix.auditing.certify.quantiles import binomial_quantile
from dpmatrix.auditing.search.events import Feature
from dpmatrix.auditing.search.tallies import Tally

_STEPS = 7
_LEAST = 2.0**-6
_FAMILIES = 3
_DEVIATIONS = 2.0


def _pulled(batch: FloatArray, centre: FloatArray, factor: float) -> FloatArray:
    with np.errstate(all="ignore"):
        return np.asarray(centre + factor * (batch - centre))


def _pessimistic(hits: int, trials: int, sign: float) -> float:
    """Return Wilson's bound on a probability, two deviations to the bad side."""
    squared = _DEVIATIONS**2
    spread = _DEVIATIONS * math.sqrt(hits * (trials - hits) / trials + squared / 4)
    return (hits + squared / 2 + sign * spread) / (trials + squared)


def _caught(
    features: Sequence[Feature], batches: tuple[FloatArray, FloatArray], plan: ConfirmationPlan
) -> tuple[bool, list[float]]:
    """Tell whether an event chosen on half of the outputs would be certified, judging it by the other half."""
    half = len(batches[0]) // 2
    best, scores = False, []
    for first in features:
        values, other_values = (first.family.evaluate(batch) for batch in batches)
        highest = -math.inf
        for row, feature in enumerate(first.of_family()):
            tally = Tally.of(values[row, :half], other_values[row, :half])
            (event,) = tally.events(feature, [(plan.epsilon, plan.delta)])
            highest = max(highest, event.score)
            sides = (other_values, values) if event.on_neighbour else (values, other_values)
            counts = [_count(side[row, half:], event.threshold, event.at_least) for side in sides]
            trials = len(batches[0]) - half
            lower, upper = _pessimistic(counts[0], trials, -1.0), _pessimistic(counts[1], trials, 1.0)
            miss = (1.0 - POWER) / 2
            hits = binomial_quantile(miss, plan.trials, lower)
            other_hits = binomial_quantile(1.0 - miss, plan.trials, upper)
            best = best or plan.certifies(hits, other_hits)
        scores.append(highest)
    return best, scores


def _count(values: FloatArray, threshold: float, at_least: bool) -> int:
    above = int(np.count_nonzero(values >= threshold))
    return above if at_least else len(values) - above


def largest_caught_factor(
    features: Sequence[Feature],
    batch: FloatArray,
    other_batch: FloatArray,
    difference: FloatArray,
    plan: ConfirmationPlan,
) -> float:
    """Find the largest factor c < 1 for which this audit would have caught the mechanism with its noise cut to c.

    An estimate from training samples, on the cautious side; it plans an audit and proves nothing.

    Parameters
    ----------
    features
        The first number of every family to choose an event from.
    batch, other_batch
        Training outputs on the data and on the neighbour, equally many.
    difference
        Noise-free output on the data less that on the neighbour.
    plan
        The confirmation.

    Returns
    -------
    float
        In [1/64, 1); zero if not even 1/64 of the noise would have been noticed.
    """
    with np.errstate(all="ignore"):
        centre = np.asarray(np.median(batch, axis=0))

    def cut(factor: float) -> tuple[FloatArray, FloatArray]:
        return _pulled(batch, centre, factor), _pulled(other_batch, centre - difference, factor)

    caught, scores = _caught(features, cut(_LEAST), plan)
    if not caught:
        return 0.0
    _, scores = _caught(features, cut(0.5), plan)
    kept = [features[place] for place in np.argsort(scores)[::-1][:_FAMILIES]]
    low, high = math.log(_LEAST), 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _caught(kept, cut(math.exp(middle)), plan)[0] else (low, middle)
    return math.exp(low)
