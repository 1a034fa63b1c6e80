"""The audit: look for the most telling event on training samples, then confirm it once on fresh ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from dpmatrix.auditing.checks import (
    checked_delta,
    checked_epsilon,
    checked_failure_probability,
    positive_integer,
)
from dpmatrix.auditing.confidence import (
    EventCounts,
    delta_lower_bound,
    epsilon_lower_bound,
    violation_is_certified,
)
from dpmatrix.auditing.detectability import Detectable, detectable
from dpmatrix.auditing.events import Event, best_event
from dpmatrix.auditing.features import feature_families
from dpmatrix.auditing.pairs import NeighbouringPair
from dpmatrix.auditing.targets import FloatArray, Target, draw_batch
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction

_FINALISTS = 6
_FINALISTS_PER_PAIR = 2
_REFINEMENT = 4
_CHUNK = 4096


@frozen(eq=False)
class AuditResult:
    """What one audit found.

    Attributes
    ----------
    epsilon_lower_bound
        No smaller epsilon holds together with the claimed delta.
    delta_lower_bound_at_epsilon
        No smaller delta holds together with the claimed epsilon.
    violated
        Whether the counts refute the claim. The three statements are wrong together with at most the failure
        probability, whatever was tried in training.
    epsilon, delta
        The claim.
    pair
        The data sets that were told apart best.
    direction
        Which of them made the event likelier: "data" or "neighbour".
    event
        The event, as a sentence.
    counts
        Of the confirmation; P is the data set that ``direction`` names.
    failure_probability
        Of this audit.
    training_samples
        How many outputs the choice of the event took.
    detectable
        What a pass could have caught.
    """

    epsilon_lower_bound: float
    delta_lower_bound_at_epsilon: float
    violated: bool
    epsilon: Exact
    delta: Exact
    pair: NeighbouringPair
    direction: str
    event: str
    counts: EventCounts
    failure_probability: Exact
    training_samples: int
    detectable: Detectable


@frozen
class _Claim:
    """The claim in floating point, which is good enough to choose an event by."""

    epsilon: float
    delta: float


@frozen(eq=False)
class _Candidate:
    score: float
    pair: NeighbouringPair
    event: Event


def _outputs(
    target: Target, pair: NeighbouringPair, size: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    batch, other_batch = (draw_batch(target, data, size, generator) for data in (pair.data, pair.neighbour))
    if batch.shape != other_batch.shape:
        problem = f"its outputs have shape {batch.shape[1:]} on the data and {other_batch.shape[1:]} on the neighbour"
        raise InvalidParameterError("target", problem, "return outputs of one shape")
    return batch, other_batch


def _explore(
    target: Target, pair: NeighbouringPair, size: int, claim: _Claim, generator: np.random.Generator
) -> list[_Candidate]:
    """Score every feature on one pair; the best events, at most `_FINALISTS_PER_PAIR`."""
    batch, other_batch = _outputs(target, pair, size, generator)
    found = []
    for family in feature_families(pair, batch.shape[1:]):
        values, other_values = family.evaluate(batch), family.evaluate(other_batch)
        for row in range(len(family.names)):
            score, event = best_event(
                family, row, values[row], other_values[row], epsilon=claim.epsilon, delta=claim.delta
            )
            found.append(_Candidate(score, pair, event))
    return sorted(found, key=lambda candidate: -candidate.score)[:_FINALISTS_PER_PAIR]


def _refine(
    target: Target, finalists: Sequence[_Candidate], size: int, claim: _Claim, generator: np.random.Generator
) -> _Candidate:
    """Choose the thresholds of the finalists again on more samples, fresh ones, and return the best event."""
    best = finalists[0]
    best_score = -math.inf
    for pair in dict.fromkeys(candidate.pair for candidate in finalists):
        batch, other_batch = _outputs(target, pair, size, generator)
        for event in (candidate.event for candidate in finalists if candidate.pair is pair):
            family, row = event.family, event.row
            values, other_values = family.evaluate(batch)[row], family.evaluate(other_batch)[row]
            score, chosen = best_event(family, row, values, other_values, epsilon=claim.epsilon, delta=claim.delta)
            if score > best_score:
                best, best_score = _Candidate(score, pair, chosen), score
    return best


def _hits(target: Target, data: FloatArray, event: Event, size: int, generator: np.random.Generator) -> int:
    total = 0
    for start in range(0, size, _CHUNK):
        batch = draw_batch(target, data, min(_CHUNK, size - start), generator)
        total += int(np.count_nonzero(event.holds(batch)))
    return total


def confirm(
    target: Target, pair: NeighbouringPair, event: Event, *, samples: int, generator: np.random.Generator | int
) -> EventCounts:
    """Count an event on fresh outputs, ``samples`` from each data set; P is the one where it is the likelier."""
    randomness = np.random.default_rng(generator)
    size = positive_integer(samples, "samples")
    first, second = (pair.neighbour, pair.data) if event.on_neighbour else (pair.data, pair.neighbour)
    hits, other_hits = (_hits(target, data, event, size, randomness) for data in (first, second))
    return EventCounts(hits, size, other_hits, size)


def audit(
    target: Target,
    pairs: Sequence[NeighbouringPair],
    *,
    epsilon: Exact,
    delta: Exact = 0,
    training: int,
    confirmation: int,
    failure_probability: Exact = 1e-9,
    generator: np.random.Generator | int,
) -> AuditResult:
    """Try to refute the claim that an algorithm is (epsilon, delta)-differentially private.

    Every feature of every pair is scored on training samples; the best few are scored again on more; then one event
    is fixed and counted on fresh samples. Only that count is used for the verdict, so that it stands at the stated
    confidence whatever was tried before.

    Parameters
    ----------
    target
        The algorithm; its outputs must be independent of each other. Every bit of them counts, so that noise added
        in floating point may be caught for its rounding; `seen_at_resolution` hides the low-order bits.
    pairs
        Neighbouring data sets to try, at least one.
    epsilon, delta
        The claim; epsilon > 0 and 0 <= delta < 1.
    training
        Outputs from each data set of each pair; the finalists take four times as many again.
    confirmation
        Outputs from each data set of the chosen pair.
    failure_probability
        Probability, at most, that any of the reported bounds is wrong.
    generator
        Randomness handed to the target, or a seed for it.

    Returns
    -------
    AuditResult

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain, or the target's outputs are not batches of one real shape.
    """
    checked_epsilon(epsilon)
    checked_delta(delta)
    checked_failure_probability(failure_probability)
    training, confirmation = positive_integer(training, "training"), positive_integer(confirmation, "confirmation")
    if len(pairs) == 0:
        raise InvalidParameterError("pairs", "there is none", "pass at least one pair of neighbouring data sets")
    randomness = np.random.default_rng(generator)
    claim = _Claim(float(fraction(epsilon)), float(fraction(delta)))
    candidates = [found for pair in pairs for found in _explore(target, pair, training, claim, randomness)]
    finalists = sorted(candidates, key=lambda candidate: -candidate.score)[:_FINALISTS]
    best = _refine(target, finalists, _REFINEMENT * training, claim, randomness)
    counts = confirm(target, best.pair, best.event, samples=confirmation, generator=randomness)
    refined_pairs = len({id(candidate.pair) for candidate in finalists})
    return AuditResult(
        epsilon_lower_bound=epsilon_lower_bound(counts, delta=delta, failure_probability=failure_probability),
        delta_lower_bound_at_epsilon=delta_lower_bound(
            counts, epsilon=epsilon, failure_probability=failure_probability
        ),
        violated=violation_is_certified(counts, epsilon=epsilon, delta=delta, failure_probability=failure_probability),
        epsilon=epsilon,
        delta=delta,
        pair=best.pair,
        direction="neighbour" if best.event.on_neighbour else "data",
        event=best.event.sentence(),
        counts=counts,
        failure_probability=failure_probability,
        training_samples=2 * training * (len(pairs) + _REFINEMENT * refined_pairs),
        detectable=detectable(counts, epsilon=epsilon, delta=delta, failure_probability=failure_probability),
    )
