"""Every auditor on one record: ours as its users get it, the others with their own defaults, all with one budget.

The budget is processor time, and the confidence is one. Both are the defaults of `audit_mechanism`. Ours is given all
pairs and is `audit_within`, which `audit_mechanism` and `dpmatrix audit` run, with what they pass by default. The new
processes that it starts, to see whether outputs repeat there, find the mechanism by its name; their time is not in its
budget. The others take a number of outputs instead of a time: two pilots, which the budget pays for, say how many fit
into the rest. A pilot that refutes ends it, so each try has its share of the error probability. Those that search
inputs are given all pairs, and those that do not the pair at which ours ended, which is on nobody's account. An output
of many numbers is told in one or two to those that do not take it. Delta-Siege is told all claims of the noise as well.
"""

from __future__ import annotations

import inspect
import math
import os
import secrets
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TypeAlias

import numpy as np
from attrs import evolve, frozen

from audit.by_name import importable
from audit.peers.other_auditors import Row, Task, ask_histogram, ask_hockey_stick, ask_statdp, not_asked
from audit.published.record import FloatArray, Published
from audit.published.siege import ask_delta_siege
from audit.published.sniper import ask_dp_sniper
from dpmatrix.auditing import AuditPlan, Target, audit_mechanism, audit_within
from dpmatrix.errors import NoVerdictError

Ask: TypeAlias = Callable[[Task], Row]
OURS = "dpmatrix"
_DEFAULTS = {name: one.default for name, one in inspect.signature(audit_mechanism).parameters.items()}
SECONDS: float = _DEFAULTS["seconds"]
ALPHA: float = _DEFAULTS["failure_probability"]
MOST = 1_000_000
_SPARE = 0.9
_TRIAL = 200
SOURCE = "pairs of the publication"


@frozen
class Other:
    """One of the other auditors.

    Attributes
    ----------
    packages
        What it needs to import.
    ask
        How it is asked.
    searches
        Whether it takes several pairs and chooses.
    whole
        Whether it is told outputs of many numbers as they are.
    pilots
        Numbers of outputs of the pilots. One alone is the whole audit, of an auditor whose time hardly depends on it.
    finite
        Whether it takes finite numbers alone.
    """

    packages: tuple[str, ...]
    ask: Ask
    searches: bool
    whole: bool
    pilots: tuple[int, ...] = (4_000, 16_000)
    finite: bool = True


OTHERS = {
    "StatDP": Other(("statdp",), ask_statdp, searches=True, whole=False, pilots=(100_000, 200_000)),
    "DP-Sniper": Other(("dpsniper", "torch"), ask_dp_sniper, searches=True, whole=True, pilots=(50_000, 200_000)),
    "DP-Auditorium, histogram": Other(("dp_auditorium",), ask_histogram, searches=False, whole=False),
    "DP-Auditorium, hockey-stick": Other(
        ("dp_auditorium", "tensorflow"), ask_hockey_stick, searches=False, whole=True, pilots=(100_000,)
    ),
    "Delta-Siege": Other(
        ("deltasiege", "torch", "optuna"),
        ask_delta_siege,
        searches=False,
        whole=True,
        pilots=(16_000, 48_000),
        finite=False,
    ),
}


def installed() -> list[str]:
    """Return the names of those of the others whose packages are there."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    return [name for name, other in OTHERS.items() if all(map(find_spec, other.packages))]


@frozen
class Answer:
    """What an auditor said, and from how many outputs in the last try; the remark names the pair, where it is known."""

    row: Row
    outputs: int | None = None


def mechanism_of(name: str) -> Target:
    """Return the mechanism of a record by its name."""
    # The package imports its modules first.
    from audit.published import PUBLISHED

    return {record.name: record.mechanism for record in PUBLISHED}[name]


def ask_ours(record: Published, seconds: float = SECONDS, generator: int | None = None) -> Answer:
    """Audit a record as a user with these pairs would; no verdict is an answer as well."""
    own, target = record.pairs(), importable(record.mechanism, mechanism_of, record.name)
    begin = time.process_time()
    try:
        result = audit_within(
            target,
            own.pairs,
            epsilon=record.epsilon,
            delta=record.delta,
            seconds=seconds,
            failure_probability=ALPHA,
            generator=secrets.randbits(64) if generator is None else generator,
            plan=AuditPlan(norm_bound=own.norm_bound, clock=time.process_time),
            learned=_DEFAULTS["learned"],
            source=SOURCE,
        )
    except NoVerdictError as error:
        return Answer(Row(None, math.nan, math.nan, time.process_time() - begin, f"no verdict: {error}"))
    elapsed = time.process_time() - begin
    bounds = (result.epsilon_lower_bound, result.delta_lower_bound_at_epsilon)
    row = Row(result.violated, *bounds, elapsed, result.pair.name)
    return Answer(row, result.training_samples + 2 * result.counts.trials)


def place_of(record: Published, ours: Row) -> int:
    """Return the place of the pair at which our audit ended; of the first if it is not known."""
    names = [one.name for one in record.inputs]
    return names.index(ours.remark) if ours.remark in names else 0


def task_of(record: Published, other: Other, place: int) -> Task:
    """Return what one of the others is given; ``place`` is of the pair for those that take one."""
    compact = None if other.whole else record.compact

    def sampler(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        batch = np.asarray(record.mechanism(data, size, generator), dtype=np.float64)
        return batch if compact is None else compact(batch)

    inputs = record.inputs if other.searches else record.inputs[place : place + 1]
    first, *further = ((one.data, one.neighbour) for one in inputs)
    tries = len(other.pilots) + (len(other.pilots) > 1)
    return Task(
        sampler, *first, record.epsilon, record.delta, other.pilots[0], ALPHA / tries, tuple(further), record.claims()
    )


def all_finite(task: Task) -> bool:
    """Tell whether some outputs on the data sets of a task are all finite numbers."""
    generator = np.random.default_rng()
    return all(np.all(np.isfinite(task.sampler(side, _TRIAL, generator))) for side in (task.data, task.neighbour))


def ask_other(name: str, record: Published, place: int, seconds: float = SECONDS) -> Answer:
    """Ask one of the others with as many outputs as fit into the time.

    The seconds are those of the pilots as well, and of what an auditor does before it looks at its clock.
    """
    other = OTHERS[name]
    task = task_of(record, other, place)
    if other.finite and not all_finite(task):
        return Answer(not_asked("not asked: takes finite numbers"))
    spent: list[float] = []

    def ask(outputs: int) -> Answer:
        begin = time.process_time()
        row = other.ask(evolve(task, outputs=outputs))
        spent.append(time.process_time() - begin)
        return Answer(evolve(row, seconds=sum(spent)), outputs)

    found = Answer(Row(None, math.nan, math.nan, math.nan))
    for outputs in other.pilots:
        found = ask(outputs)
        if found.row.detected is not False or sum(spent) > seconds / 2 or len(other.pilots) == 1:
            return found
    each = max(1e-9, (spent[1] - spent[0]) / (other.pilots[1] - other.pilots[0]))
    fixed = max(0.0, spent[0] - each * other.pilots[0])
    more = int(min(MOST, (_SPARE * (seconds - sum(spent)) - fixed) / each))
    return ask(more) if more > other.pilots[1] else found


def warm_up(names: Sequence[str], record: Published) -> None:
    """Ask once about a record on nobody's account: what is imported or compiled at the first call is then there."""
    for name in names:
        _ = ask_ours(record, 1.0) if name == OURS else ask_other(name, record, 0, 1.0)
