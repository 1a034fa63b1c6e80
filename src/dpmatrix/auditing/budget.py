"""From an amount of time to numbers of samples, by a pilot whose outputs serve nothing else."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from dpmatrix.auditing.checks import positive_finite
from dpmatrix.auditing.events import best_event
from dpmatrix.auditing.features import FeatureFamily, feature_families
from dpmatrix.auditing.pairs import NeighbouringPair
from dpmatrix.auditing.sampling import Clock, generator_for
from dpmatrix.auditing.targets import FloatArray, Target, at_norm_bound, draw_batch
from dpmatrix.auditing.training import FINALISTS, REFINEMENT
from dpmatrix.errors import InvalidParameterError

_PILOT = 5
_PILOT_OUTPUTS = 64
_LONGEST_PILOT = 0.5
_LONGEST_SHARE = 0.05
_TRAINING_SHARE, _CONFIRMING_SHARE = 0.3, 0.5
_FEWEST_TRAINING, _MOST_TRAINING = 200, 20_000
_FEWEST_CONFIRMATION, _MOST_CONFIRMATION = 200, 2 * 10**8
_FEWEST_PAIRS = 3
_MOST_STAGES = 6
_CHUNK_SECONDS = 0.25
_SMALLEST_CHUNK, _LARGEST_CHUNK, _LARGEST_BATCH = 64, 2**15, 2**21
_BITS = 20


@frozen
class Sizes:
    """Numbers of samples.

    Attributes
    ----------
    pairs
        How many of the pairs to try, the first ones.
    training, confirmation, stages, chunk
        As for `audit` and `AuditPlan`.
    """

    pairs: int
    training: int
    confirmation: int
    stages: int
    chunk: int


def stages_for(confirmation: int) -> int:
    """Return a number of stages of which the first, always finished, takes little and has some hundred samples."""
    return min(_MOST_STAGES, max(1, int(math.log2(max(1.0, confirmation / _FEWEST_CONFIRMATION))) + 1))


def sizes_within(
    target: Target,
    pairs: Sequence[NeighbouringPair],
    *,
    seconds: float,
    workers: int,
    norm_bound: float = 1.0,
    clock: Clock = time.perf_counter,
) -> Sizes:
    """Plan an audit that takes about so many seconds; the times of outputs and features are measured.

    Parameters
    ----------
    target
        The algorithm.
    pairs
        At least one.
    seconds
        Positive.
    workers
        How many outputs are drawn at a time.
    norm_bound, clock
        As in `AuditPlan`.

    Raises
    ------
    InvalidParameterError
        If there is no pair, the time is not positive, or the target's outputs are not batches of one real shape.
    """
    if len(pairs) == 0:
        raise InvalidParameterError("pairs", "there is none", "pass at least one pair of neighbouring data sets")
    positive_finite(seconds, "seconds", "pass say 60")
    scaled = at_norm_bound(target, norm_bound)
    longest = min(_LONGEST_PILOT, _LONGEST_SHARE * seconds)
    batch, drawing = _timed_batch(scaled, pairs[0].data, longest, clock)
    families = feature_families(pairs[0], batch.shape[1:], norm_bound)
    features, choosing = _timed_features(families, batch, clock)
    each = 2.0 * (drawing / workers + features + choosing)
    affordable = _TRAINING_SHARE * seconds / each
    refining = REFINEMENT * FINALISTS
    tried = min(len(pairs), max(_FEWEST_PAIRS, int(affordable / _FEWEST_TRAINING) - refining))
    training = min(_MOST_TRAINING, max(_FEWEST_TRAINING, int(affordable / (tried + refining))))
    confirming = 2.0 * (drawing + features / max(1, len(families) // 2)) / workers
    confirmation = int(_CONFIRMING_SHARE * seconds / confirming)
    confirmation = min(_MOST_CONFIRMATION, max(_FEWEST_CONFIRMATION, confirmation))
    entries = max(1, batch[0].size)
    chunk = int(min(_LARGEST_CHUNK, _LARGEST_BATCH / entries, _CHUNK_SECONDS / (drawing + features)))
    chunk = min(chunk, max(_SMALLEST_CHUNK, training // workers))
    return Sizes(tried, training, confirmation, stages_for(confirmation), max(1, chunk))


def _timed_features(families: Sequence[FeatureFamily], batch: FloatArray, clock: Clock) -> tuple[float, float]:
    """Return the time that all features of an output take, and that the choice of their thresholds takes."""
    begin = clock()
    values = [family.evaluate(batch) for family in families]
    evaluated = clock()
    for family, rows in zip(families, values, strict=True):
        for row in range(len(family.names)):
            best_event(family, row, rows[row], rows[row], epsilon=1.0, delta=0.0)
    return (evaluated - begin) / len(batch), (clock() - evaluated) / len(batch)


def _timed_batch(target: Target, data: FloatArray, longest: float, clock: Clock) -> tuple[FloatArray, float]:
    """Draw ever larger batches until one takes long enough to be timed; return the last and the time of an output."""
    size = 1
    while True:
        begin = clock()
        batch = draw_batch(target, data, size, generator_for(0, (_PILOT, size)))
        taken = clock() - begin
        if taken > longest / 8 or size >= 4096:
            return batch, max(taken, 1e-9) / size
        size *= 2


def resolution_for(target: Target, pair: NeighbouringPair, norm_bound: float = 1.0) -> float | None:
    """Return a power of two about a millionth of the spread of the outputs, to see a target at; None without spread.

    Noise of that spread keeps its privacy on this grid but for a relative change of about 2**-20 of epsilon, and what
    is left below the grid are the low bits, which `audit_representation` judges.
    """
    scaled = at_norm_bound(target, norm_bound)
    batch = draw_batch(scaled, pair.data, _PILOT_OUTPUTS, generator_for(0, (_PILOT, 0)))
    flat = batch.reshape(len(batch), -1)
    finite = np.where(np.isfinite(flat), flat, 0.0)
    low, high = np.percentile(finite, [25.0, 75.0], axis=0)
    spreads = (high - low)[high > low]
    if spreads.size == 0:
        return None
    return math.ldexp(1.0, math.frexp(float(np.min(spreads)))[1] - 1 - _BITS)
