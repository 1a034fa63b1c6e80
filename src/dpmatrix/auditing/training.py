"""Training: which event of which pair is the most telling; nothing that is decided here can make a verdict wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from attrs import evolve, frozen

from dpmatrix.auditing.events import best_event
from dpmatrix.auditing.features import FeatureFamily, feature_families
from dpmatrix.auditing.learned import learn_scores
from dpmatrix.auditing.pairs import NeighbouringPair
from dpmatrix.auditing.portable import PortableEvent
from dpmatrix.auditing.sampling import Sampler
from dpmatrix.auditing.targets import FloatArray
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction

Batches: TypeAlias = tuple[FloatArray, FloatArray]

FINALISTS = 6
"""Events that are looked at again on more samples."""

_FINALISTS_PER_PAIR = 2
_LEARNING_PAIRS = 2
_EXPLORING, _REFINING = 0, 1

REFINEMENT = 4
"""The pairs of the finalists get so many times the samples of a first look."""

_UNREACHABLE_EPSILON = 700.0
"""No event breaks a claim of so large an epsilon; the best one is then that of the largest ratio beyond delta."""

_VANISHING_DELTA = 1e-300
"""A claim of so small a delta is broken most clearly by the event of the largest delta, not of the largest ratio."""


@frozen
class Claim:
    """The claim in floating point, which is good enough to choose an event by."""

    epsilon: float
    delta: float

    @classmethod
    def of(cls, epsilon: Exact, delta: Exact) -> Claim:
        """Round a claim."""
        return cls(float(fraction(epsilon)), float(fraction(delta)))


def claims_to_choose_by(epsilon: Exact, delta: Exact, curve: Iterable[Exact]) -> list[Claim]:
    """List claims, each of which gets an event: the one under audit first, then the points of the trade-off curve.

    The event that shows best that a claim is broken seldom shows both how large epsilon and how large delta is. The
    last claim asks for the other of the two.
    """
    first = Claim.of(epsilon, delta)
    points = [Claim(float(fraction(point)), _VANISHING_DELTA) for point in curve]
    other = Claim(_UNREACHABLE_EPSILON, first.delta) if first.delta else Claim(first.epsilon, _VANISHING_DELTA)
    return [first, *points, other]


@frozen(eq=False)
class Candidate:
    """An event with its score on training samples, and the place of its pair among those tried."""

    score: float
    place: int
    event: PortableEvent

    def to_json(self) -> dict[str, Any]:
        """Return plain numbers; minus infinity becomes nothing."""
        score = self.score if math.isfinite(self.score) else None
        return {"score": score, "place": self.place, "event": self.event.to_json()}

    @classmethod
    def from_json(cls, record: dict[str, Any], pairs: Sequence[NeighbouringPair]) -> Candidate:
        """Read what `to_json` returned, given the pairs."""
        score, place = record["score"], record["place"]
        event = PortableEvent.from_json(record["event"], pairs[place])
        return cls(-math.inf if score is None else score, place, event)


def outputs(sampler: Sampler, pair: NeighbouringPair, size: int, key: tuple[int, int]) -> Batches:
    """Draw training outputs on both data sets of a pair.

    Raises
    ------
    InvalidParameterError
        If the two have outputs of different shapes.
    """
    batch, other_batch = (
        sampler.outputs(data, size, (*key, side)) for side, data in enumerate((pair.data, pair.neighbour))
    )
    if batch.shape != other_batch.shape:
        problem = f"its outputs have shape {batch.shape[1:]} on the data and {other_batch.shape[1:]} on the neighbour"
        raise InvalidParameterError("target", problem, "return outputs of one shape")
    return batch, other_batch


def _blank(pair: NeighbouringPair, place: int, batches: Batches, norm_bound: float) -> Candidate:
    shape = batches[0].shape[1:]
    event = PortableEvent(pair, shape, norm_bound, 0, 0, 0.0, at_least=True, on_neighbour=False)
    return Candidate(-math.inf, place, event)


def _judged(
    blank: Candidate, family: FeatureFamily, batches: Batches, claims: Sequence[Claim]
) -> list[list[Candidate]]:
    """Choose the threshold for every number of a family; a list for every claim."""
    values, other_values = (family.evaluate(batch) for batch in batches)
    found: list[list[Candidate]] = [[] for _ in claims]
    for row in range(len(family.names)):
        feature = evolve(blank.event, row=row)
        for claim, candidates in zip(claims, found, strict=True):
            candidates.append(_thresholded(blank, feature, family, (values[row], other_values[row]), claim))
    return found


def _thresholded(
    blank: Candidate, feature: PortableEvent, family: FeatureFamily, values: Batches, claim: Claim
) -> Candidate:
    score, event = best_event(family, feature.row, *values, epsilon=claim.epsilon, delta=claim.delta)
    return Candidate(score, blank.place, feature.with_choice(event))


def explore(
    sampler: Sampler, pair: NeighbouringPair, place: int, size: int, claim: Claim, norm_bound: float
) -> tuple[Candidate, ...]:
    """Score every feature on one pair, the one at ``place``; return the best events, at most two."""
    batches = outputs(sampler, pair, size, (_EXPLORING, place))
    blank = _blank(pair, place, batches, norm_bound)
    found = []
    for index, family in enumerate(feature_families(pair, blank.event.output_shape, norm_bound)):
        found.extend(_judged(evolve(blank, event=evolve(blank.event, family=index)), family, batches, [claim])[0])
    return tuple(sorted(found, key=lambda candidate: -candidate.score)[:_FINALISTS_PER_PAIR])


def finalists_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the few events of the highest scores."""
    return sorted(candidates, key=lambda candidate: -candidate.score)[:FINALISTS]


def _learned(blank: Candidate, batches: Batches, claims: Sequence[Claim]) -> list[list[Candidate]]:
    """Learn scores on one half of the outputs, choose their thresholds on the other; a list for every claim."""
    half, event = len(batches[0]) // 2, blank.event
    families = feature_families(event.pair, event.output_shape, event.norm_bound)
    scores = learn_scores(families, batches[0][:half], batches[1][:half], blank.place)
    rest = (batches[0][half:], batches[1][half:])
    found: list[list[Candidate]] = [[] for _ in claims]
    for score in scores:
        scored = evolve(blank, event=evolve(event, learned=score))
        for candidates, more in zip(found, _judged(scored, score.family(families), rest, claims), strict=True):
            candidates.extend(more)
    return found


def refine(
    sampler: Sampler, finalists: Sequence[Candidate], size: int, claims: Sequence[Claim], *, learned: bool
) -> tuple[int, tuple[PortableEvent, ...]]:
    """Choose the thresholds again on fresh samples; return the place of one pair, and an event of it for each claim.

    The first claim is the one under audit, and picks the pair.
    """
    best: list[Candidate] = []
    for rank, place in enumerate(pairs_of(finalists)):
        here = [candidate for candidate in finalists if candidate.place == place]
        pair = here[0].event.pair
        batches = outputs(sampler, pair, size, (_REFINING, place))
        found: list[list[Candidate]] = [[] for _ in claims]
        for candidate in here:
            family, row = candidate.event.feature(), candidate.event.row
            values, other_values = (family.evaluate(batch)[row] for batch in batches)
            for claim, candidates in zip(claims, found, strict=True):
                candidates.append(_thresholded(candidate, candidate.event, family, (values, other_values), claim))
        if learned and rank < _LEARNING_PAIRS:
            blank = _blank(pair, place, batches, here[0].event.norm_bound)
            for candidates, more in zip(found, _learned(blank, batches, claims), strict=True):
                candidates.extend(more)
        chosen = [max(candidates, key=lambda candidate: candidate.score) for candidates in found]
        if not best or chosen[0].score > best[0].score:
            best = chosen
    return best[0].place, tuple(candidate.event for candidate in best)


def pairs_of(candidates: Sequence[Candidate]) -> list[int]:
    """Return the places of the pairs of candidates, the best first."""
    return list(dict.fromkeys(candidate.place for candidate in candidates))
