"""From an amount of time to numbers of samples, by a pilot whose outputs serve nothing else."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.checks import positive_finite
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.planning.conditions import Sizes
from dpmatrix.auditing.search.events import Feature, first_features
from dpmatrix.auditing.search.family import FeatureFamily
from dpmatrix.auditing.search.learned import learn_scores
from dpmatrix.auditing.search.tallies import Tally
from dpmatrix.auditing.search.training import FINALISTS, LEARNING_PAIRS, REFINEMENT
from dpmatrix.auditing.targets.sampling import Clock, generator_for
from dpmatrix.auditing.targets.target import Target, at_norm_bound, draw_batch
from dpmatrix.errors import InvalidParameterError, NoVerdictError

_PILOT = 5
_LONGEST_PILOT = 0.5
_LONGEST_SHARE = 0.05
_TRAINING_SHARE, _CONFIRMING_SHARE = 0.3, 0.5
_LEAST_TRAINING, _FEWEST_TRAINING, _MOST_TRAINING = 16, 200, 20_000
_LEAST_CONFIRMATION, _FEWEST_CONFIRMATION, _MOST_CONFIRMATION = 64, 200, 2 * 10**8
_LEARNING_PILOT = 256
_FEW = 8
_FEWEST_PAIRS = 3
_MOST_STAGES = 20
_CHUNK_SECONDS = 0.25
_SMALLEST_CHUNK, _LARGEST_CHUNK, _LARGEST_BATCH = 64, 2**15, 2**21
_BITS = 20


def stages_for(confirmation: int) -> int:
    """Return a number of stages of which the first, always finished, takes little and has some hundred samples."""
    return min(_MOST_STAGES, max(1, int(math.log2(max(1.0, confirmation / _FEWEST_CONFIRMATION))) + 1))


def again_beside(tried: int, most: int) -> int:
    """Return how many pairs to try again in other rows: not so many that they take most of the time."""
    return min(most, 2 * tried // 3)


def sizes_within(
    target: Target,
    pairs: Sequence[NeighbouringPair],
    *,
    seconds: float,
    workers: int,
    norm_bound: float = 1.0,
    clock: Clock = time.perf_counter,
    learned: bool = False,
    elsewhere: int = 0,
) -> Sizes:
    """Plan an audit that takes about so many seconds; the times of outputs, features and learning are measured.

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
    norm_bound, clock, learned
        As in `AuditPlan`.
    elsewhere
        How many pairs to try again in other rows, at most; see `again_beside`.

    Raises
    ------
    NoVerdictError
        If so few outputs fit into the time that an audit of them could find nothing.
    InvalidParameterError
        If there is no pair, the time is not positive, or the target's outputs are not batches of one real shape.
    """
    if len(pairs) == 0:
        raise InvalidParameterError("pairs", "no pair is given", "pass at least one pair of neighbouring data sets")
    positive_finite(seconds, "seconds", "pass say 60")
    scaled = at_norm_bound(target, norm_bound)
    longest = min(_LONGEST_PILOT, _LONGEST_SHARE * seconds)
    batch, drawing = _timed_batch(scaled, pairs[0].data, longest, clock)
    firsts = first_features(pairs[0], batch.shape[1:], norm_bound)
    families = [first.family for first in firsts]
    features, choosing = _timed_features(firsts, batch, clock)
    each = 2.0 * (drawing / workers + features + choosing)
    learning = _timed_learning(families, batch, clock) if learned else 0.0
    affordable = _TRAINING_SHARE * seconds / each
    # Learning is paid for by the output, on few pairs.
    further = REFINEMENT * LEARNING_PAIRS * learning / each
    refining = REFINEMENT * FINALISTS + further
    fewest = max(1, min(_FEWEST_PAIRS, int(affordable / ((1 + REFINEMENT) * _LEAST_TRAINING))))
    tried = min(len(pairs), max(fewest, int(affordable / _FEWEST_TRAINING - refining)))
    refining = REFINEMENT * min(FINALISTS, tried) + further
    elsewhere = again_beside(tried, elsewhere)
    training = min(_MOST_TRAINING, int(affordable / (tried + elsewhere + refining)))
    confirming = 2.0 * (drawing + features / max(1, len(families) // 2)) / workers
    confirmation = min(_MOST_CONFIRMATION, int(_CONFIRMING_SHARE * seconds / confirming))
    if training < _LEAST_TRAINING or confirmation < _LEAST_CONFIRMATION:
        outputs = int(seconds / confirming)
        raise NoVerdictError(
            f"only {outputs} outputs on each data set fit into {seconds:.3g} s, at {drawing:.2g} s each"
        )
    entries = max(1, batch[0].size)
    chunk = int(min(_LARGEST_CHUNK, _LARGEST_BATCH / entries, _CHUNK_SECONDS / (drawing + features)))
    chunk = min(chunk, max(_SMALLEST_CHUNK, training // workers))
    return Sizes(
        pairs=tried,
        training=training,
        confirmation=confirmation,
        stages=stages_for(confirmation),
        chunk=max(1, chunk),
        elsewhere=elsewhere,
    )


def _timed_learning(families: Sequence[FeatureFamily], batch: FloatArray, clock: Clock) -> float:
    """Return the time per output that learning takes."""
    size = -(-_LEARNING_PILOT // len(batch)) if len(batch) < _LEARNING_PILOT else 1
    rows = np.concatenate([batch] * size)[:_LEARNING_PILOT]
    learn_scores(families, rows, rows, 0)
    begin = clock()
    learn_scores(families, rows, rows, 0)
    return (clock() - begin) / len(rows)


def _timed_features(firsts: Sequence[Feature], batch: FloatArray, clock: Clock) -> tuple[float, float]:
    """Return the time that all features of an output take, and that the choice of their thresholds takes."""
    begin = clock()
    values = [first.family.evaluate(batch) for first in firsts]
    evaluated = clock()
    for first, rows in zip(firsts, values, strict=True):
        for feature, row in zip(first.of_family(), rows, strict=True):
            Tally.of(row, row).events(feature, [(1.0, 0.0)])
    return (evaluated - begin) / len(batch), (clock() - evaluated) / len(batch)


def _timed_batch(target: Target, data: FloatArray, longest: float, clock: Clock) -> tuple[FloatArray, float]:
    """Draw ever larger batches until one takes long enough to be timed; return the last and the time of an output."""
    size = 1
    while True:
        begin = clock()
        batch = draw_batch(target, data, size, generator_for(0, (_PILOT, size)))
        taken = clock() - begin
        if longest / 8 < taken < longest:
            # Other work on the machine may have come between; the batch is drawn once more.
            begin = clock()
            draw_batch(target, data, size, generator_for(0, (_PILOT, size)))
            taken = min(taken, clock() - begin)
        if taken > longest / 8 or size >= 4096:
            return batch, max(taken, 1e-9) / size
        size *= 2


def resolution_for(batches: Sequence[FloatArray]) -> FloatArray:
    """Return powers of two about a millionth of the spreads of the coordinates, to see outputs at.

    Noise of that spread keeps its privacy on this grid but for a relative change of about 2**-20 of epsilon, and what
    is left below the grid are the low bits, which `audit_representation` judges.

    Parameters
    ----------
    batches
        Outputs on several data sets, shape (size, ...) each.

    Returns
    -------
    ndarray
        Of the shape of one output. Each coordinate has a resolution of its own, by its least spread on a data set: the
        distance of its quartiles or, where these are equal, of those of its values beside the median. It is zero, and
        the coordinate is not to be rounded, where it has no spread on some data set.
    """
    steps = np.stack([_spreads(batch.reshape(len(batch), -1)) for batch in batches]).min(axis=0)
    exponents = np.frexp(steps)[1] - 1 - _BITS
    return np.where(steps > 0, np.ldexp(1.0, exponents), 0.0).reshape(batches[0].shape[1:])


def _spreads(flat: FloatArray) -> FloatArray:
    finite = np.where(np.isfinite(flat), flat, np.nan)
    known = np.where(np.isnan(finite).all(axis=0), 0.0, finite)
    low, middle, high = np.nanpercentile(known, [25.0, 50.0, 75.0], axis=0)
    spreads = high - low
    for place in np.flatnonzero(spreads == 0):
        column = known[:, place]
        others = column[np.isfinite(column) & (column != middle[place])]
        if len(others) >= _FEW:
            spreads[place] = np.subtract(*np.percentile(others, [75.0, 25.0]))
    return np.asarray(np.where(np.isfinite(spreads), spreads, 0.0))
