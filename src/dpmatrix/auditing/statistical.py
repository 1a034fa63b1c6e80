"""The audit: look for the most telling event on training samples, then confirm it on fresh ones."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve

from dpmatrix.auditing.certify.checkpoint import AuditState, load, save
from dpmatrix.auditing.certify.confidence import EventCounts
from dpmatrix.auditing.certify.confirmation import Confirmation
from dpmatrix.auditing.certify.stages import Stage, stages
from dpmatrix.auditing.checks import checked_delta, checked_epsilon, checked_failure_probability
from dpmatrix.auditing.independence.replay import FreshCalls, replay
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.planning.plan import AuditPlan
from dpmatrix.auditing.result import AuditResult
from dpmatrix.auditing.search.costs import likely_end
from dpmatrix.auditing.search.events import Event
from dpmatrix.auditing.search.rows import pairs_elsewhere
from dpmatrix.auditing.search.sharpening import sharpened
from dpmatrix.auditing.search.training import REFINEMENT, claims_to_choose_by, explore, finalists_of, refine
from dpmatrix.auditing.targets.sampling import Sampler, chunks, entropy_of
from dpmatrix.auditing.targets.target import MechanismRaisedError, Target, at_norm_bound, draw_batch
from dpmatrix.auditing.verdict import Setting, concluded
from dpmatrix.errors import InvalidParameterError, NoVerdictError
from dpmatrix.exact import Exact, fraction, positive_integer

_EXPLORING_SHARE, _TRAINING_SHARE = 0.3, 0.5


def confirm(
    target: Target, pair: NeighbouringPair, event: Event, *, samples: int, generator: np.random.Generator | int
) -> EventCounts:
    """Count an event on fresh outputs, ``samples`` from each data set; P is the one where it is the likelier."""
    randomness = np.random.default_rng(generator)
    size = positive_integer(samples, "samples")
    totals = []
    for data in (pair.neighbour, pair.data) if event.on_neighbour else (pair.data, pair.neighbour):
        parts = chunks(size, AuditPlan().chunk)
        totals.append(sum(int(np.sum(event.holds(draw_batch(target, data, part, randomness)))) for part in parts))
    return EventCounts(totals[0], size, totals[1], size)


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
    plan: AuditPlan | None = None,
) -> AuditResult:
    """Try to refute the claim that an algorithm is (epsilon, delta)-differentially private.

    Every feature of every pair is scored on training samples; the best few are scored again on more; then the events
    are fixed and counted on fresh samples. Only these counts are used for the verdict.

    *Guarantee.* If the outputs are independent, then with probability at least 1 - failure_probability every bound of
    the result is right, whatever was tried before and whenever the sampling stops: the events and the sizes of the
    stages are fixed before the first confirming sample, each look at an event has a share of the failure probability
    that is fixed as well, and the shares add up to at most the whole (see `dpmatrix.auditing.certify.stages`).

    Parameters
    ----------
    target
        The algorithm; its outputs must be independent of each other. Every bit of them counts, so that noise added
        in floating point may be caught for its rounding; `seen_at_resolution` hides the low-order bits. Where frozen
        noise shows that outputs repeat or share their noise, every output is taken from a call of its own.
    pairs
        Neighbouring data sets to try, at least one.
    epsilon, delta
        The claim; epsilon > 0 and 0 <= delta < 1.
    training
        Outputs from each data set of each pair; the finalists take four times as many again.
    confirmation
        Outputs from each data set of the chosen pair, at most.
    failure_probability
        Probability, at most, that any of the reported bounds is wrong.
    generator
        Randomness from which the generators handed to the target are seeded, or a seed for it.
    plan
        Options; see `AuditPlan`.

    Returns
    -------
    AuditResult

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain, the target's outputs are not batches of one real shape, or the checkpoint
        belongs to another audit.
    MissingExtraError
        If learned scores are asked for and scikit-learn is not installed.
    NoVerdictError
        If the plan has a limit and it is over.
    """
    plan = AuditPlan() if plan is None else plan
    begin = plan.clock()
    setting = _setting(pairs, epsilon, delta, training, confirmation, failure_probability, plan)
    facts = _facts(setting, pairs, plan)
    if plan.checkpoint is not None and plan.checkpoint.exists():
        state = load(plan.checkpoint, facts, pairs)
    else:
        state = AuditState(facts, entropy_of(generator))
    target = at_norm_bound(target, plan.norm_bound)
    if plan.replay:
        first = replay(target, pairs[0], generator=state.entropy)
        target = FreshCalls(target) if first.wants_fresh_calls else target
    limit = math.inf if plan.limit is None else time.monotonic() + plan.limit
    sampler = Sampler(target, state.entropy, plan.executor, plan.workers, plan.chunk, plan.clock, limit)
    state = _trained(sampler, pairs, setting, plan, state)
    deadline = math.inf if plan.seconds is None else begin + plan.seconds
    if not state.likely:
        state = evolve(state, likely=likely_end(sampler, state.events, confirmation, deadline))
        _Keeper(plan).keep(state, True)
    setting = evolve(setting, stages=stages(confirmation, plan.stages, failure_probability, state.likely))
    counting = Confirmation(
        sampler, setting.stages, epsilon, delta, plan.tightness, deadline, _Keeper(plan).keep, plan.tell
    )
    try:
        confirmed = counting.run(state)
    except MechanismRaisedError as error:
        # To begin again now would choose between two verdicts.
        raise NoVerdictError(f"{error}; it was the first time, and the outputs were being counted") from error
    return concluded(sampler, setting, plan, confirmed)


def _setting(
    pairs: Sequence[NeighbouringPair],
    epsilon: Exact,
    delta: Exact,
    training: int,
    confirmation: int,
    failure_probability: Exact,
    plan: AuditPlan,
) -> Setting:
    checked_epsilon(epsilon)
    checked_delta(delta)
    checked_failure_probability(failure_probability)
    training, confirmation = positive_integer(training, "training"), positive_integer(confirmation, "confirmation")
    if len(pairs) == 0:
        raise InvalidParameterError("pairs", "no pair is given", "pass at least one pair of neighbouring data sets")
    looks: tuple[Stage, ...] = stages(confirmation, plan.stages, failure_probability)
    return Setting(epsilon, delta, training, confirmation, failure_probability, looks)


def _facts(setting: Setting, pairs: Sequence[NeighbouringPair], plan: AuditPlan) -> dict[str, Any]:
    digest = hashlib.sha256()
    for pair in pairs:
        for part in (pair.data, pair.neighbour):
            digest.update(repr(part.shape).encode() + part.tobytes())
    return {
        "target": plan.label,
        "epsilon": str(fraction(setting.epsilon)),
        "delta": str(fraction(setting.delta)),
        "failure probability": str(fraction(setting.failure_probability)),
        "training": setting.training,
        "confirmation": [stage.size for stage in setting.stages],
        "pairs": digest.hexdigest(),
        "curve": [str(fraction(epsilon)) for epsilon in plan.curve],
        "learned": plan.learned,
        "norm bound": plan.norm_bound,
        "chunk": plan.chunk,
        "replay": plan.replay,
        "elsewhere": plan.elsewhere,
    }


class _Keeper:
    """Writes the state when it is time to."""

    def __init__(self, plan: AuditPlan) -> None:
        self._plan = plan
        self._last = -math.inf

    def keep(self, state: AuditState, important: bool) -> None:
        """Write the state if it is important or the last writing is long ago."""
        now = time.monotonic()
        if self._plan.checkpoint is not None and (important or now - self._last >= self._plan.checkpoint_seconds):
            save(self._plan.checkpoint, state)
            self._last = now


def _trained(
    sampler: Sampler, pairs: Sequence[NeighbouringPair], setting: Setting, plan: AuditPlan, state: AuditState
) -> AuditState:
    """Finish the training of a state: the events are fixed, and kept, before any confirming sample is drawn."""
    keep = _Keeper(plan).keep
    claims = claims_to_choose_by(setting.epsilon, setting.delta, plan.curve)
    now, seconds = sampler.clock(), math.inf if plan.seconds is None else plan.seconds
    deadline, last_moment = now + _EXPLORING_SHARE * seconds, now + _TRAINING_SHARE * seconds
    offered = (*pairs, *pairs_elsewhere(pairs, state.explored[: len(pairs)], plan.elsewhere))
    while len(state.explored) < len(offered) and not state.events:
        if state.explored and sampler.clock() > deadline:
            break
        place = len(state.explored)
        found = explore(
            sampler,
            offered[place],
            place,
            setting.training,
            claims[0],
            plan.norm_bound,
            counted=plan.learned,
            confirming=setting.confirmation,
        )
        state = evolve(state, explored=(*state.explored, found))
        keep(state, False)
        plan.tell(f"pair {place + 1} of {len(offered)}: {offered[place].name}")
        if len(state.explored) == len(pairs):
            offered = (*pairs, *pairs_elsewhere(pairs, state.explored, plan.elsewhere))
    if not state.events:
        finalists = finalists_of(state.explored)
        seen = REFINEMENT * setting.training
        confirming = setting.confirmation
        place, events, drawn = sharpened(
            sampler,
            refine(
                sampler,
                finalists,
                seen,
                claims,
                learned=plan.learned,
                confirming=confirming,
                deadline=last_moment,
            ),
            claims,
            size=setting.sharpening,
            seen=seen,
            deadline=last_moment,
            confirming=confirming,
            seconds=(1.0 - _TRAINING_SHARE) * seconds,
        )
        state = evolve(state, place=place, events=events, sharpened=drawn)
        keep(state, True)
        plan.tell(f"event: {events[0].sentence()}")
    return state
