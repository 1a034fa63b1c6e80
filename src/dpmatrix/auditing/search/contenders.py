"""Pairs in the race for the most telling event: what they showed, and what they may still show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from attrs import frozen

from dpmatrix.auditing.search.costs import Costs
from dpmatrix.auditing.search.events import Event, Feature
from dpmatrix.auditing.search.tallies import Tally
from dpmatrix.auditing.search.training import Claim, Shortlist

_FEATURES, _HOPEFUL, _FURTHER = 5, 3, 2
"""Features kept, at most: so many by their scores and by what may become of them; and by scores for further claims."""

_WORTH_WHILE = 0.05
"""A gain by less than this share of a score is not pursued."""


@frozen(eq=False)
class Contender:
    """A pair in the race.

    Attributes
    ----------
    shortlist
        Its best events, and the features that are still looked at.
    tallies
        One for each of these features; none before there was time for it.
    hopes
        For each of these features the score that it may come to for the first claim; none without tallies.
    """

    shortlist: Shortlist
    tallies: tuple[Tally, ...] = ()
    hopes: tuple[float, ...] = ()

    @property
    def trials(self) -> int:
        """Outputs on each data set that were counted."""
        return self.tallies[0].trials if self.tallies else 0

    def may_beat(self, score: float) -> bool:
        """Tell whether this pair may turn out better than a score, as far as is known."""
        return not self.hopes or max(self.hopes) > _worth_while(score)

    def may_change(self) -> bool:
        """Tell whether another feature than that of the best event may turn out better."""
        best = self.shortlist.best[0].feature.key()
        pairs = zip(self.shortlist.features, self.hopes, strict=False)
        others = [hope for feature, hope in pairs if feature.key() != best]
        return max(others, default=-math.inf) > _worth_while(self.shortlist.score)


def _worth_while(score: float) -> float:
    return score + _WORTH_WHILE * abs(score)


def judged(contender: Contender, tallies: Sequence[Tally], claims: Sequence[Claim], costs: Costs) -> Contender:
    """Choose the thresholds of all features by new tallies, and keep the best few for every claim.

    Parameters
    ----------
    contender
        The pair; its former choices are forgotten.
    tallies
        One for each of its features.
    claims
        Each of which gets an event; the first one makes the score.
    costs
        How many outputs can confirm which event.
    """
    looked_at = [
        _Judgement(tally, tally.events(feature, claims, costs.affordable(feature)))
        for feature, tally in _different(contender.shortlist.features, tallies)
    ]
    score = max(one.events[0].score for one in looked_at)
    hopeful = sorted(looked_at, key=lambda one: -one.hope)[:_HOPEFUL]
    best: list[Event] = []
    kept: list[_Judgement] = []
    for number in range(len(claims)):
        ranked = sorted(looked_at, key=lambda one: one.events[number].rank())
        first = best[0].feature if best else ranked[0].feature
        cheap = [one for one in ranked if costs.bears(first, one.feature)]
        best.append(cheap[0].events[number])
        kept.append(cheap[0])
        kept.extend(cheap[1:_FURTHER] if number else _above(_worth_while(score), [*cheap[1:_FEATURES], *hopeful]))
    left = list({one.feature.key(): one for one in kept}.values())
    return Contender(
        Shortlist(contender.shortlist.place, tuple(best), tuple(one.feature for one in left)),
        tuple(one.tally.thinned() for one in left),
        tuple(one.hope for one in left),
    )


@frozen(eq=False)
class _Judgement:
    tally: Tally
    events: list[Event]

    @property
    def feature(self) -> Feature:
        return self.events[0].feature

    @property
    def hope(self) -> float:
        return self.events[0].hope


def _above(level: float, some: Iterable[_Judgement]) -> list[_Judgement]:
    return [one for one in some if one.hope > level]


def _different(features: Sequence[Feature], tallies: Sequence[Tally]) -> list[tuple[Feature, Tally]]:
    """Drop features that count the same as an earlier one, as a number and its size may: they are no rivals."""
    unique: dict[tuple[bytes, bytes], tuple[Feature, Tally]] = {}
    for feature, tally in zip(features, tallies, strict=True):
        unique.setdefault((tally.below.tobytes(), tally.other_below.tobytes()), (feature, tally))
    return list(unique.values())


def still_open(contenders: Sequence[Contender]) -> list[Contender]:
    """Return the pairs that may still come first: the best one, then those of which the most may be hoped."""
    first, *others = sorted(contenders, key=lambda one: -one.shortlist.score)
    rivals = [one for one in others if one.may_beat(first.shortlist.score)]
    return [first, *sorted(rivals, key=lambda one: -max(one.hopes, default=math.inf))]
