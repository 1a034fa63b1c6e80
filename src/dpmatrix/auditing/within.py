"""The audit as users run it, within a time: the one recipe of the command line and the assertion.

A pilot plans the sizes and the rounding; the outputs are tested for repetitions, in this process and in new ones; the
audit itself follows; and where it finds a violation the outputs on its pair are tested again. No answer is given where
the outputs cannot be taken for independent, or where a pass would mean nothing.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from attrs import evolve

from dpmatrix.auditing.independence.probes import FROZEN, Checks, is_frozen, judge, surely_without_noise
from dpmatrix.auditing.independence.processes import FreshProcess, fresh_processes
from dpmatrix.auditing.independence.repeats import CALLS, Drawn
from dpmatrix.auditing.independence.replay import FreshCalls
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.planning.budget import again_beside, resolution_for, sizes_within, stages_for
from dpmatrix.auditing.planning.conditions import LIBRARY, Conditions, Planned, Sizes
from dpmatrix.auditing.planning.plan import AuditPlan
from dpmatrix.auditing.result import AuditResult
from dpmatrix.auditing.search.rows import MOST_ELSEWHERE
from dpmatrix.auditing.statistical import audit
from dpmatrix.auditing.targets.sampling import entropy_of
from dpmatrix.auditing.targets.target import Guarded, Target, at_norm_bound, form_in, seen_at_resolution
from dpmatrix.auditing.wording import in_words
from dpmatrix.errors import InvalidParameterError, NoVerdictError
from dpmatrix.exact import Exact, fraction
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.time_limits import SLACK, TOLERANCE

TIGHTNESS = 0.92
_PATIENCE = 0.1
_REPLAY_CALLS, _REPLAY_SHARE = 12 * CALLS, 0.1
_BEYOND = 2.0
_LONGEST_CHECK = 60.0


def can_learn() -> bool:
    """Tell whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


def wall_limit(seconds: float, plan: AuditPlan) -> float:
    """Return the wall time after which an audit of so many seconds, on the plan's clock, is given up.

    Where the clock counts the processor's time a busy machine may take twenty times as long.
    """
    on_wall = plan.clock in (time.monotonic, time.perf_counter)
    return (1 + TOLERANCE / 2) * seconds + SLACK / 2 if on_wall else 20 * seconds + _LONGEST_CHECK


def audit_within(
    target: Target,
    pairs: Sequence[NeighbouringPair],
    *,
    epsilon: Exact,
    delta: Exact = 0,
    seconds: float | None,
    failure_probability: Exact,
    generator: np.random.Generator | int,
    plan: AuditPlan | None = None,
    learned: bool | None = None,
    sizes: Sizes | None = None,
    planned: Planned | None = None,
    given: Mapping[str, Any] | None = None,
    source: str | None = None,
    domain: str | None = None,
) -> AuditResult:
    """Try to refute a claim in the time given, or raise an error that says why there is no verdict.

    Parameters
    ----------
    target
        The algorithm, as its author wrote it. Its outputs are rounded to about a millionth of their spread, each
        coordinate by its own, so that the verdict is about the mathematics and not about the low bits of floats.
    pairs
        Neighbouring data sets, the most telling first; the time may suffice for the first of them only.
    epsilon, delta, failure_probability, generator
        As for `audit`.
    seconds
        How long, on the plan's clock; None, with ``sizes``, for as long as it takes. The audit is over, with or without
        a verdict, after a fifth and two seconds more of wall time, or twenty times as much on the processor's clock.
    plan
        Options; its stages, chunk, seconds, limit, label, ``learned`` and ``replay`` are set here.
    learned
        Whether to learn events with scikit-learn; None for wherever it is installed.
    sizes
        Numbers of samples, instead of those that fit into the time.
    planned
        What an interrupted audit of the same checkpoint settled on, instead of a plan made now.
    given
        What identifies the audit in its checkpoint.
    source
        Whose the pairs are, in words; `LIBRARY` of `dpmatrix.auditing.planning.conditions` where nobody handed them
        over, and the message about a violation then says so.

    domain
        What their records are, in words, where they are no numbers of bounded norm.

    Returns
    -------
    AuditResult
        With its ``conditions``.

    Raises
    ------
    NoVerdictError
        If the mechanism fails, exits or hangs, or its outputs are no real numbers of one shape; if they repeat as
        independent ones do not, in a process, across workers, or in new processes; if there is no noise to be seen
        on a pair; or if there were so few outputs that a pass would mean nothing.
    InvalidParameterError
        As for `audit`.
    """
    plan = AuditPlan() if plan is None else plan
    if seconds is None and sizes is None and planned is None:
        raise InvalidParameterError("seconds", "there is neither a time nor sizes", "pass say 60")
    begin, started = plan.clock(), time.monotonic()
    limit = math.inf if seconds is None else started + wall_limit(seconds, plan)
    target = Guarded(target)
    scaled = at_norm_bound(target, plan.norm_bound)
    entropy = entropy_of(generator)
    checks = Checks(scaled, entropy, fresh_processes(scaled, entropy), limit, plan.executor, plan.workers)
    try:
        checks.ask(pairs[0])
        if seconds is not None:
            _wait(checks.others, _PATIENCE * seconds)
        probes = checks.here(pairs[0], 0)
        judge(probes)
        if surely_without_noise(probes, epsilon, delta):
            raise NoVerdictError(FROZEN)
        wants = can_learn() if learned is None else learned
        left = None if seconds is None else max(1e-3, seconds - (plan.clock() - begin))
        if planned is None:
            # Pairs that somebody hands over are audited as they are.
            elsewhere = MOST_ELSEWHERE if source == LIBRARY and max(map(_records, pairs)) > 1 else 0
            planned = _planned(target, pairs, probes, left, plan, sizes, learned=wants, elsewhere=elsewhere)
        left = None if seconds is None else max(1e-3, seconds - (plan.clock() - begin))
        result = audit(
            _seen(target, planned),
            pairs[: planned.sizes.pairs],
            epsilon=epsilon,
            delta=delta,
            training=planned.sizes.training,
            confirmation=planned.sizes.confirmation,
            failure_probability=failure_probability,
            generator=entropy,
            plan=_final(plan, planned, left, limit, given),
        )
        drawn, remark = checks.elsewhere()
        checks.judge(pairs[0], [*probes, *drawn])
        if result.violated:
            checks.ask(result.pair)
            again = checks.here(result.pair, 1)
            drawn, remark = checks.elsewhere()
            checks.judge(result.pair, [*again, *drawn])
            if is_frozen([*again, *drawn]):
                raise NoVerdictError(FROZEN)
    except InvalidParameterError as error:
        if error.parameter != "target":
            raise
        raise NoVerdictError(f"the mechanism cannot be audited: {error.problem}; {error.remedy}") from error
    finally:
        for process in checks.others:
            process.end()
    if not result.violated:
        _check_power(result)
    form = form_in(target)
    conditions = evolve(_conditions(pairs, plan, planned, remark, source), form=form, domain=domain)
    return evolve(result, conditions=conditions, event=in_words(result.counted_event, form))


def _wait(processes: Sequence[FreshProcess], timeout: float) -> None:
    deadline = time.monotonic() + timeout
    for process in processes:
        if process.wait(deadline - time.monotonic()):
            process.answer(0.0)  # an exit is known now


def _seen(target: Target, planned: Planned) -> Target:
    calls = target if planned.replay else FreshCalls(target)
    return seen_at_resolution(calls, planned.resolution) if planned.resolution.any() else calls


def _planned(
    target: Target,
    pairs: Sequence[NeighbouringPair],
    probes: Sequence[tuple[Drawn, ...]],
    seconds: float | None,
    plan: AuditPlan,
    sizes: Sizes | None,
    *,
    learned: bool,
    elsewhere: int,
) -> Planned:
    sides = [np.concatenate([batch for drawn in probes for batch in drawn[side].batches]) for side in (0, 1)]
    shapes = [side.shape[1:] for side in sides]
    if shapes[0] != shapes[1]:
        problem = f"its outputs have shape {shapes[0]} on the data and {shapes[1]} on the neighbour"
        raise InvalidParameterError("target", problem, "return outputs of one shape")
    resolution = resolution_for(sides)
    replay = True
    if seconds is not None and sizes is None:
        begin = plan.clock()
        at_norm_bound(target, plan.norm_bound)(pairs[0].data, 1, np.random.default_rng(0))
        replay = (plan.clock() - begin) * _REPLAY_CALLS <= _REPLAY_SHARE * seconds
        drawing = plan.workers if plan.executor is not None else 1
        sizes = sizes_within(
            target if replay else FreshCalls(target),
            pairs,
            seconds=seconds,
            workers=drawing,
            norm_bound=plan.norm_bound,
            clock=plan.clock,
            learned=learned,
            elsewhere=elsewhere,
        )
    elif sizes is not None:
        sizes = evolve(sizes, elsewhere=again_beside(sizes.pairs, elsewhere))
    if sizes is None:
        raise InvalidParameterError("seconds", "there is neither a time nor sizes", "pass say 60")
    return Planned(sizes=sizes, resolution=resolution, learned=learned, replay=replay)


def _records(pair: NeighbouringPair) -> int:
    return max(len(pair.data), len(pair.neighbour))


def given_sizes(pairs: int, training: int, confirmation: int) -> Sizes:
    """Return sizes that somebody asks for by number."""
    return Sizes(
        pairs=pairs,
        training=training,
        confirmation=confirmation,
        stages=stages_for(confirmation),
        chunk=AuditPlan().chunk,
    )


def _final(
    plan: AuditPlan, planned: Planned, seconds: float | None, limit: float, given: Mapping[str, Any] | None
) -> AuditPlan:
    label = "" if given is None else json.dumps({"given": dict(given), "planned": planned.to_json()}, sort_keys=True)
    return evolve(
        plan,
        stages=planned.sizes.stages,
        chunk=planned.sizes.chunk,
        seconds=seconds,
        limit=None if math.isinf(limit) else max(1e-3, limit - time.monotonic()),
        learned=planned.learned,
        replay=planned.replay,
        elsewhere=planned.sizes.elsewhere,
        tightness=TIGHTNESS,
        label=label,
    )


def _check_power(result: AuditResult) -> None:
    """Raise an error if a pass would mean nothing."""
    smallest, claimed = result.detectable.smallest_epsilon, float(fraction(result.epsilon))
    if smallest <= claimed + _BEYOND:
        return
    outputs = result.counts.trials
    passes = f"a mechanism that loses {smallest:.3g} would have passed" if math.isfinite(smallest) else "any would pass"
    raise NoVerdictError(f"only {outputs} outputs on each data set were counted: {passes}; allow more time")


def _conditions(
    pairs: Sequence[NeighbouringPair], plan: AuditPlan, planned: Planned, remark: str | None, source: str | None
) -> Conditions:
    tried = pairs[: planned.sizes.pairs]
    adjacency = pairs[0].adjacency
    deleted = sum(len(pair.data) != len(pair.neighbour) for pair in tried)
    found = Conditions(
        adjacency=adjacency,
        records=max(map(_records, pairs)),
        dimension=pairs[0].data.shape[1],
        norm_bound=plan.norm_bound,
        deleted=deleted,
        zeroed=len(tried) - deleted if adjacency is Adjacency.ADD_REMOVE_ONE else 0,
        offered=len(pairs),
        planned=planned,
        source=source,
    )
    return found if remark is None else found.with_remark(remark)
