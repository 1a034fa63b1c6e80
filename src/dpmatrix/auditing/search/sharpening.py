"""The last step of training: pair, feature and threshold, on as many samples as rare events need.

The event that shows the largest epsilon is often rare, and the more outputs will confirm it, the rarer it may be. A
share of what the confirmation takes is spent on finding it, in rounds: ever fewer pairs and features, ever more
outputs. An event is judged by the bound that so many confirming outputs may be expected to certify. Few outputs say
little about rare events, so that these look poor at first. Pairs and features are kept as long as what is known allows
that they are the best, and rounds go on as long as more than one may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from dpmatrix.auditing.search.contenders import Contender, judged, still_open
from dpmatrix.auditing.search.costs import Costs
from dpmatrix.auditing.search.evaluation import values_on, with_more
from dpmatrix.auditing.search.events import Event
from dpmatrix.auditing.search.tallies import Tally
from dpmatrix.auditing.search.training import AMPLE, Claim, Shortlist
from dpmatrix.auditing.targets.sampling import Sampler

SHARPENING_SHARE = 8
"""How many outputs confirm for each output that is spent on the thresholds."""

MOST_SHARPENING = 2**22
"""At most so many outputs are drawn on each data set of a pair; twice as many while events are still compared."""

_ENOUGH = 2**20
"""After so many outputs on each data set more are drawn only while several events may still be the best."""

_MOST_VALUES = 2**16
"""Outputs whose values are kept, to make thresholds of; further outputs are only counted."""

_ROUNDS = ((6, 1 / 64, 0.25), (3, 1 / 16, 0.35), (2, 1 / 4, 0.5), (2, 1.0, 0.7), (2, 2.0, 1.0))
"""For every round: how many pairs, the part of the outputs, and the share of the time that is left."""


def distinct(events: Iterable[Event]) -> tuple[Event, ...]:
    """Drop repetitions, each of which would have a share of the failure probability."""
    unique: dict[tuple[object, ...], Event] = {}
    for event in events:
        unique.setdefault(event.key(), event)
    return tuple(unique.values())


def sharpened(
    sampler: Sampler,
    shortlists: Sequence[Shortlist],
    claims: Sequence[Claim],
    *,
    size: int,
    seen: int,
    deadline: float,
    confirming: int,
    seconds: float,
) -> tuple[int, tuple[Event, ...], int]:
    """Choose the pair and the events.

    Parameters
    ----------
    sampler
        Where outputs come from.
    shortlists
        What was found on several pairs, the best first.
    claims
        Each of which gets an event; the first one chooses the pair.
    size
        Outputs to draw on each of the two data sets of a pair, at most.
    seen
        How many the events were chosen on; they stay as they are if no more can be had.
    deadline
        On the sampler's clock; nothing more is asked for after it.
    confirming, seconds
        Outputs on each data set that are going to confirm the events, at most, and the time that there is for them.

    Returns
    -------
    tuple
        The place of the pair; the best event for each claim, repetitions dropped, that of the first claim first; and
        the number of outputs that were drawn, on both data sets.
    """
    costs: dict[int, Costs] = {}
    left, drawn = [Contender(shortlist) for shortlist in shortlists], 0
    for number, (pairs, share, outputs) in enumerate(_planned(size, seen)):
        left = left[:pairs]
        if _is_over(left, claims[0], size):
            break
        alone = len(left) == 1
        for place, contender in enumerate(left):
            shortlist = contender.shortlist
            if shortlist.place not in costs:
                costs[shortlist.place] = Costs.of(sampler, shortlist, confirming, seconds)
            rounds = _Round(sampler, claims, costs[shortlist.place], seen, number)
            now = sampler.clock()
            until = now + max(0.0, deadline - now) * (1.0 if alone else share / (len(left) - place))
            wanted = max(outputs, min(size, _ENOUGH)) if alone else outputs
            left[place], more = rounds.grown(contender, wanted, until)
            drawn += 2 * more
        left = still_open(left)
    best = left[0].shortlist
    return best.place, distinct(best.best), drawn


def _planned(size: int, seen: int) -> list[tuple[int, float, int]]:
    """List pairs, share and outputs of every round that sees more than was seen before."""
    if size <= seen:
        return []
    worth_while = [(share, int(part * size)) for _, part, share in _ROUNDS if int(part * size) > seen]
    return [(pairs, share, outputs) for (pairs, _, _), (share, outputs) in zip(_ROUNDS, worth_while, strict=False)]


def _is_over(left: Sequence[Contender], claim: Claim, size: int) -> bool:
    """Tell whether the best is far above the claim, or alone and known well enough."""
    first = left[0]
    if not claim.delta and first.shortlist.score > claim.epsilon + AMPLE:
        return True
    return len(left) == 1 and first.trials >= min(size, _ENOUGH) and not first.may_change()


@frozen(eq=False)
class _Round:
    """What one pair is given in one round."""

    sampler: Sampler
    claims: Sequence[Claim]
    costs: Costs
    seen: int
    number: int

    def grown(self, contender: Contender, size: int, until: float) -> tuple[Contender, int]:
        """Draw outputs until the pair has so many, or time is short; return how many on each data set were drawn."""
        begun = 0
        if not contender.tallies:
            contender, begun = self._begun(contender, size, until)
        if not contender.tallies:
            return contender, begun
        more = min(size - contender.trials, self._affordable(contender, until, counted=True))
        if 2 * more < contender.trials:
            return contender, begun
        tallies, counted = with_more(
            contender.tallies, self.sampler, contender.shortlist.features, more, until, self._key(contender, 1)
        )
        return judged(contender, tallies, self.claims, self.costs), begun + counted

    def _begun(self, contender: Contender, size: int, until: float) -> tuple[Contender, int]:
        """Make tallies with thresholds from the first outputs, if there is time for more of them than were seen."""
        affordable = self._affordable(contender, until, counted=False)
        first = min(size, max(_MOST_VALUES, 2 * self.seen), affordable)
        if first <= self.seen:
            return contender, 0
        values = values_on(self.sampler, contender.shortlist.features, first, until, self._key(contender, 0))
        drawn = values[0].shape[1]
        if drawn <= self.seen:
            return contender, drawn
        tallies = [Tally.of(own, other) for own, other in zip(*values, strict=True)]
        return judged(contender, tallies, self.claims, self.costs), drawn

    def _affordable(self, contender: Contender, until: float, *, counted: bool) -> int:
        seconds = max(0.0, until - self.sampler.clock())
        return self.costs.outputs_within(seconds, contender.shortlist.features, len(self.claims), counted=counted)

    def _key(self, contender: Contender, kind: int) -> tuple[int, int]:
        return 2 * self.number + kind, contender.shortlist.place
