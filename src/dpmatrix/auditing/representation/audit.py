"""The representation audit: whether the low bits of the outputs give the input away.

Noise added in floating point leaves traces of the input in bits that no analysis over the real numbers sees (Mironov
2012): outputs that one input can give and its neighbour cannot, or multiples of a unit in the last place that depends
on where the input lies (Haney, Desfontaines, Hartman, Shrestha and Hay 2022), whatever the sampler (Jin, McMurtry,
Rubinstein and Ohrimenko 2022). The audit looks for such traces from outputs alone and knows no sampler.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpmatrix.auditing.certify.confidence import (
    EventCounts,
    delta_lower_bound,
    lower_confidence_bound,
    upper_confidence_bound,
)
from dpmatrix.auditing.certify.detectability import detectable
from dpmatrix.auditing.checks import checked_delta, checked_epsilon, checked_failure_probability
from dpmatrix.auditing.representation.bits import Representation, RepresentationTarget
from dpmatrix.auditing.representation.events import MARGIN, LowBitEvent, best_low_bit_event
from dpmatrix.auditing.representation.features import cell_of, low_bits
from dpmatrix.auditing.representation.result import InputPair, RepresentationAuditResult
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction, positive_integer

_CHUNK = 2**17
_LEAST_TRAINING = 100


def _outputs(target: RepresentationTarget, data: object, size: int, generator: np.random.Generator) -> Representation:
    return Representation.of(target(data, size, generator), size)


def _explore(
    target: RepresentationTarget,
    pair: InputPair,
    size: int,
    claim: tuple[float, float],
    generator: np.random.Generator,
) -> tuple[float, LowBitEvent] | None:
    batch, other_batch = (_outputs(target, data, size, generator) for data in (pair.data, pair.neighbour))
    if batch.values.shape != other_batch.values.shape:
        problem = f"{pair.name}: its outputs have {batch.values.shape[1]} and {other_batch.values.shape[1]} coordinates"
        raise InvalidParameterError("target", problem, "return outputs of one shape")
    samples = (batch, other_batch)
    return best_low_bit_event(low_bits(samples), samples, epsilon=claim[0], delta=claim[1])


def _count(
    target: RepresentationTarget, data: object, event: LowBitEvent, size: int, generator: np.random.Generator
) -> tuple[int, int, int]:
    """Count the event, the cell, and both together, on fresh outputs."""
    totals = np.zeros(3, dtype=np.int64)
    for start in range(0, size, _CHUNK):
        codes = event.feature.codes(_outputs(target, data, min(_CHUNK, size - start), generator))
        hits, inside = event.holds(codes), cell_of(codes) == event.cell
        totals += [np.count_nonzero(part) for part in (hits, inside, hits & inside)]
    return int(totals[0]), int(totals[1]), int(totals[2])


def _confirmed(
    target: RepresentationTarget, pair: InputPair, event: LowBitEvent, size: int, generator: np.random.Generator
) -> tuple[EventCounts, EventCounts | None]:
    inputs = (pair.neighbour, pair.data) if event.on_neighbour else (pair.data, pair.neighbour)
    first, second = (_count(target, data, event, size, generator) for data in inputs)
    counts = EventCounts(first[0], size, second[0], size)
    if first[1] == 0 or second[1] == 0:
        return counts, None
    return counts, EventCounts(first[2], first[1], second[2], second[1])


def audit_representation(
    target: RepresentationTarget,
    pairs: Sequence[InputPair],
    *,
    epsilon: Exact,
    delta: Exact = 0,
    training: int,
    confirmation: int,
    failure_probability: Exact = 1e-9,
    generator: np.random.Generator | int,
) -> RepresentationAuditResult:
    """Try to refute the claim that an algorithm is (epsilon, delta)-differentially private by low bits of its outputs.

    *Guarantee.* If the target's outputs are independent and the claim holds for every pair, ``leaks`` is true with
    probability at most ``failure_probability``, whatever the mechanism and however many pairs, features and events were
    tried: one event A and one cell C are fixed on training samples, and counted once on fresh ones. Clopper-Pearson
    bounds give ``P(A) - exp(epsilon) Q(A) > delta``, which a private mechanism satisfies for no event at all. They also
    give ``P(A | C) > 5/4 Q(A | C)`` (the counts in C given how many outputs fell there are binomial), so that it is the
    low bits which speak, not the coarse value. Each statement has half of the failure probability.

    Outputs on a public grid leak nothing if the law on the grid is private: an event of the low bits is an event.

    *Limits.* A pass says that no event of these features breaks the claim by more than ``detectable`` states, provided
    that training found it. Low bits are those at least ten positions below the spread of the outputs; `audit` judges
    the rest. Of more than 16 coordinates, 16 are looked at one by one.

    Parameters
    ----------
    target
        The algorithm, called as ``target(data, size, generator)``; outputs are independent floats or integers of shape
        (size,), (size, k) or (size, d, d). Nothing may be rounded on the way: `seen_at_resolution` would hide all.
    pairs
        Neighbouring inputs to try, at least one; see `adversarial_centres` and `neighbouring_pairs`.
    epsilon, delta
        The claim; epsilon > 0 and 0 <= delta < 1.
    training
        Outputs on each input of each pair, at least 100.
    confirmation
        Outputs on each input of the chosen pair.
    failure_probability
        In (0, 1).
    generator
        Randomness handed to the target, or a seed for it.

    Returns
    -------
    RepresentationAuditResult

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain, or the target's outputs are not batches of one real shape.
    """
    checked_epsilon(epsilon)
    checked_delta(delta)
    half = fraction(checked_failure_probability(failure_probability)) / 2
    confirmation = positive_integer(confirmation, "confirmation")
    if positive_integer(training, "training") < _LEAST_TRAINING:
        raise InvalidParameterError("training", f"{training} outputs show too little", "take at least 100")
    if len(pairs) == 0:
        raise InvalidParameterError("pairs", "no pair is given", "pass at least one pair of neighbouring inputs")
    randomness = np.random.default_rng(generator)
    claim = float(fraction(epsilon)), float(fraction(delta))
    found = [(pair, _explore(target, pair, training, claim, randomness)) for pair in pairs]
    candidates = [(pair, *candidate) for pair, candidate in found if candidate is not None]
    trained = 2 * training * len(pairs)
    if not candidates:
        return RepresentationAuditResult(
            leaks=False,
            violated=False,
            delta_lower_bound=0.0,
            epsilon=epsilon,
            delta=delta,
            share_lower_bound=0.0,
            other_share_upper_bound=1.0,
            pair=pairs[0],
            direction="data",
            event="the outputs have no low bits that vary",
            counts=None,
            cell_counts=None,
            failure_probability=failure_probability,
            training_samples=trained,
            detectable=None,
        )
    pair, _, event = max(candidates, key=lambda candidate: candidate[1])
    counts, cell_counts = _confirmed(target, pair, event, confirmation, randomness)
    excess = delta_lower_bound(counts, epsilon=epsilon, failure_probability=half)
    share, other_share = 0.0, 1.0
    if cell_counts is not None:
        share = lower_confidence_bound(cell_counts.hits, cell_counts.trials, half / 2)
        other_share = upper_confidence_bound(cell_counts.other_hits, cell_counts.other_trials, half / 2)
    violated = fraction(excess) > fraction(delta)
    return RepresentationAuditResult(
        leaks=violated and fraction(share) > fraction(MARGIN) * fraction(other_share),
        violated=violated,
        delta_lower_bound=excess,
        epsilon=epsilon,
        delta=delta,
        share_lower_bound=share,
        other_share_upper_bound=other_share,
        pair=pair,
        direction="neighbour" if event.on_neighbour else "data",
        event=event.sentence(),
        counts=counts,
        cell_counts=cell_counts,
        failure_probability=failure_probability,
        training_samples=trained,
        detectable=detectable(counts, epsilon=claim[0] + math.log(MARGIN), delta=delta, failure_probability=half),
    )
