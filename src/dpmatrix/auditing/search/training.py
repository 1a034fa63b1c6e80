"""Training: which event of which pair is the most telling; nothing that is decided here can make a verdict wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from attrs import evolve, frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.search.counted import CountedScore, count_scores, has_atoms
from dpmatrix.auditing.search.events import Event, Feature, first_features
from dpmatrix.auditing.search.features import feature_families
from dpmatrix.auditing.search.learned import LearnedScore, learn_scores
from dpmatrix.auditing.search.tallies import Tally
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


class Claim(NamedTuple):
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
    """What was found on one pair: the best event for every claim, and features that deserve another look."""

    place: int
    best: tuple[Event, ...]
    features: tuple[Feature, ...]

    @property
    def score(self) -> float:
        """The score of the best event for the first claim."""
        return self.best[0].score


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


def _best_of_family(
    first: Feature, batches: Batches, claims: Sequence[Claim], confirming: float | None = None
) -> list[list[Event]]:
    """Choose the threshold for every number of a family; a list for every claim."""
    values, other_values = (first.family.evaluate(batch) for batch in batches)
    found: list[list[Event]] = [[] for _ in claims]
    for feature, *both in zip(first.of_family(), values, other_values, strict=True):
        _extend(found, Tally.of(*both).events(feature, claims, confirming))
    return found


def _extend(found: Sequence[list[Event]], events: Sequence[Event]) -> None:
    """Add to the list of every claim its event."""
    for some, event in zip(found, events, strict=True):
        some.append(event)


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
) -> tuple[Event, ...]:
    """Score every feature on one pair, the one at ``place``; return the best events, at most two.

    Where values repeat, patterns of them can be all that tells the data sets apart; they take part if ``counted``,
    learned and judged on the same outputs, which is good enough to rank pairs.
    """
    batches = outputs(sampler, pair, size, (_EXPLORING, place))
    firsts = first_features(pair, batches[0].shape[1:], norm_bound)
    if counted and has_atoms(*batches):
        firsts.append(evolve(firsts[0], learned=count_scores(*batches)))
    found = [event for first in firsts for event in _best_of_family(first, batches, [claim], confirming)[0]]
    return tuple(_ranked(found)[:_FINALISTS_PER_PAIR])


def _ranked(events: Iterable[Event]) -> list[Event]:
    return sorted(events, key=Event.rank)


def finalists_of(explored: Sequence[Sequence[Event]]) -> dict[int, list[Event]]:
    """Return the events of the few best pairs by their places, the best pair and its best event first."""
    ranked = {place: _ranked(found) for place, found in enumerate(explored)}
    best = sorted(ranked, key=lambda place: -ranked[place][0].score)[:FINALISTS]
    return {place: ranked[place] for place in best}


def _learned(
    first: Feature, place: int, batches: Batches, claims: Sequence[Claim], confirming: float, *, only_counted: bool
) -> list[list[Event]]:
    """Learn scores on one half of the outputs, choose their thresholds on the other; a list for every claim."""
    half = len(batches[0]) // 2
    families = feature_families(first.pair, first.output_shape, first.norm_bound)
    own, other = batches[0][:half], batches[1][:half]
    scores: list[LearnedScore | CountedScore] = [count_scores(own, other)]
    if not only_counted:
        scores.extend(learn_scores(families, own, other, place))
    rest = (batches[0][half:], batches[1][half:])
    by_score = [_best_of_family(evolve(first, learned=score), rest, claims, confirming) for score in scores]
    return [[event for found in of_claim for event in found] for of_claim in zip(*by_score, strict=True)]


def refine(
    sampler: Sampler,
    finalists: Mapping[int, Sequence[Event]],
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
    for rank, (place, events) in enumerate(finalists.items()):
        if lists and sampler.clock() > deadline:
            break
        given = events[0].feature
        batches = outputs(sampler, given.pair, size, (_REFINING, place))
        found: list[list[Event]] = [[] for _ in claims]
        # What was counted is counted again, on more outputs.
        for feature in (event.feature for event in events if event.feature.learned is None):
            values = (feature.family.evaluate(batch)[feature.row] for batch in batches)
            _extend(found, Tally.of(*values).events(feature, claims, confirming))
        if learned:
            first = Feature(given.pair, batches[0].shape[1:], given.norm_bound)
            more = _learned(first, place, batches, claims, confirming, only_counted=rank >= LEARNING_PAIRS)
            for some, others in zip(found, more, strict=True):
                some.extend(others)
        lists.append(_shortlist(place, found))
    return sorted(lists, key=lambda one: -one.score)


def _shortlist(place: int, found: Sequence[Sequence[Event]]) -> Shortlist:
    ranked = [_ranked(events) for events in found]
    kept = [event.feature for events in ranked for event in events[:_KEPT_FEATURES]]
    counted = [event.feature for event in found[0] if isinstance(event.feature.learned, CountedScore)]
    best = tuple(events[0] for events in ranked)
    return Shortlist(place, best, _different([*kept, *counted]))


def _different(features: Iterable[Feature]) -> tuple[Feature, ...]:
    """Drop features that are the same number as an earlier one."""
    unique: dict[tuple[int, int, int], Feature] = {}
    for feature in features:
        unique.setdefault(feature.key(), feature)
    return tuple(unique.values())
