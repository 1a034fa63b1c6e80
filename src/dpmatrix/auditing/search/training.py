"""Training: which event of which pair is the most telling; nothing that is decided here can make a verdict wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from attrs import evolve, frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.search.counted import CountedScore, count_scores, has_atoms
from dpmatrix.auditing.search.events import best_event
from dpmatrix.auditing.search.features import FeatureFamily, feature_families
from dpmatrix.auditing.search.learned import LearnedScore, learn_scores
from dpmatrix.auditing.search.portable import PortableEvent
from dpmatrix.auditing.targets.sampling import Sampler
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction

Batches: TypeAlias = tuple[FloatArray, FloatArray]

FINALISTS = 6
"""Pairs that are looked at again on more samples."""

_FINALISTS_PER_PAIR = 2
LEARNING_PAIRS = 3
"""The scores are learned on the best so many pairs."""

_KEPT_FEATURES = 4
_EXPLORING, _REFINING = 0, 1

REFINEMENT = 4
"""The pairs of the finalists get so many times the samples of a first look."""

AMPLE = 5.0
"""Where epsilon exceeds the claim by so much, the rest is not looked for."""

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
class Shortlist:
    """What was found on one pair: a score, the best event for every claim, and features that deserve another look."""

    score: float
    place: int
    best: tuple[PortableEvent, ...]
    features: tuple[PortableEvent, ...]


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
    blank: Candidate, family: FeatureFamily, batches: Batches, claims: Sequence[Claim], confirming: float | None = None
) -> list[list[Candidate]]:
    """Choose the threshold for every number of a family; a list for every claim."""
    values, other_values = (family.evaluate(batch) for batch in batches)
    found: list[list[Candidate]] = [[] for _ in claims]
    for row in range(len(family.names)):
        feature = evolve(blank.event, row=row)
        for claim, candidates in zip(claims, found, strict=True):
            candidates.append(_thresholded(blank, feature, family, (values[row], other_values[row]), claim, confirming))
    return found


def _thresholded(
    blank: Candidate,
    feature: PortableEvent,
    family: FeatureFamily,
    values: Batches,
    claim: Claim,
    confirming: float | None = None,
) -> Candidate:
    score, event = best_event(
        family, feature.row, *values, epsilon=claim.epsilon, delta=claim.delta, confirming=confirming
    )
    return Candidate(score, blank.place, feature.with_choice(event))


def explore(
    sampler: Sampler,
    pair: NeighbouringPair,
    place: int,
    size: int,
    claim: Claim,
    norm_bound: float,
    *,
    counted: bool = False,
    confirming: float | None = None,
) -> tuple[Candidate, ...]:
    """Score every feature on one pair, the one at ``place``; return the best events, at most two.

    Where values repeat, patterns of them can be all that tells the data sets apart; they take part if ``counted``,
    learned and judged on the same outputs, which is good enough to rank pairs.
    """
    batches = outputs(sampler, pair, size, (_EXPLORING, place))
    blank = _blank(pair, place, batches, norm_bound)
    found = []
    for index, family in enumerate(feature_families(pair, blank.event.output_shape, norm_bound)):
        of_family = evolve(blank, event=evolve(blank.event, family=index))
        found.extend(_judged(of_family, family, batches, [claim], confirming)[0])
    if counted and has_atoms(*batches):
        scored = evolve(blank, event=evolve(blank.event, learned=count_scores(*batches)))
        found.extend(_judged(scored, scored.event.feature(), batches, [claim], confirming)[0])
    return tuple(sorted(found, key=lambda candidate: -candidate.score)[:_FINALISTS_PER_PAIR])


def finalists_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the events of the few best pairs, by their scores."""
    ranked = sorted(candidates, key=lambda candidate: -candidate.score)
    best = pairs_of(ranked)[:FINALISTS]
    return [candidate for candidate in ranked if candidate.place in best]


def _learned(
    blank: Candidate, batches: Batches, claims: Sequence[Claim], confirming: float, *, only_counted: bool
) -> list[list[Candidate]]:
    """Learn scores on one half of the outputs, choose their thresholds on the other; a list for every claim."""
    half, event = len(batches[0]) // 2, blank.event
    families = feature_families(event.pair, event.output_shape, event.norm_bound)
    first, second = batches[0][:half], batches[1][:half]
    scores: list[LearnedScore | CountedScore] = [count_scores(first, second)]
    if not only_counted:
        scores.extend(learn_scores(families, first, second, blank.place))
    rest = (batches[0][half:], batches[1][half:])
    found: list[list[Candidate]] = [[] for _ in claims]
    for score in scores:
        scored = evolve(blank, event=evolve(event, learned=score))
        for candidates, more in zip(
            found, _judged(scored, scored.event.feature(), rest, claims, confirming), strict=True
        ):
            candidates.extend(more)
    return found


def refine(
    sampler: Sampler,
    finalists: Sequence[Candidate],
    size: int,
    claims: Sequence[Claim],
    *,
    learned: bool,
    confirming: float,
    deadline: float = math.inf,
) -> list[Shortlist]:
    """Choose the thresholds again on fresh samples; return what was found on each pair, the best first.

    The first claim is the one under audit, and ranks the pairs. After the deadline, on the sampler's clock, no further
    pair is looked at.
    """
    lists: list[Shortlist] = []
    for rank, place in enumerate(pairs_of(finalists)):
        if lists and sampler.clock() > deadline:
            break
        here = [candidate for candidate in finalists if candidate.place == place]
        pair = here[0].event.pair
        batches = outputs(sampler, pair, size, (_REFINING, place))
        found: list[list[Candidate]] = [[] for _ in claims]
        # What was counted is counted again, on more outputs.
        for candidate in (one for one in here if one.event.learned is None):
            family, row = candidate.event.feature(), candidate.event.row
            values = tuple(family.evaluate(batch)[row] for batch in batches)
            for claim, candidates in zip(claims, found, strict=True):
                both = (values[0], values[1])
                candidates.append(_thresholded(candidate, candidate.event, family, both, claim, confirming))
        if learned:
            blank = _blank(pair, place, batches, here[0].event.norm_bound)
            more = _learned(blank, batches, claims, confirming, only_counted=rank >= LEARNING_PAIRS)
            for candidates, others in zip(found, more, strict=True):
                candidates.extend(others)
        lists.append(_shortlist(place, found))
    return sorted(lists, key=lambda one: -one.score)


def _shortlist(place: int, found: Sequence[Sequence[Candidate]]) -> Shortlist:
    ranked = [sorted(candidates, key=lambda candidate: -candidate.score) for candidates in found]
    kept = [candidate.event for candidates in ranked for candidate in candidates[:_KEPT_FEATURES]]
    counted = [candidate.event for candidate in found[0] if isinstance(candidate.event.learned, CountedScore)]
    best = tuple(candidates[0].event for candidates in ranked)
    return Shortlist(ranked[0][0].score, place, best, features_of([*kept, *counted]))


def features_of(events: Iterable[PortableEvent]) -> tuple[PortableEvent, ...]:
    """Drop events of the feature of an earlier one."""
    unique: dict[tuple[int, int, int], PortableEvent] = {}
    for event in events:
        unique.setdefault(event.feature_key(), event)
    return tuple(unique.values())


def pairs_of(candidates: Sequence[Candidate]) -> list[int]:
    """Return the places of the pairs of candidates, the best first."""
    return list(dict.fromkeys(candidate.place for candidate in candidates))
