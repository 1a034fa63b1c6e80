"""An auditor before a specimen: what was certified, next to what is true."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import numpy as np
from attrs import frozen

from dpmatrix.auditing.pairs import NeighbouringPair
from dpmatrix.auditing.plan import AuditPlan
from dpmatrix.auditing.representation import audit_representation
from dpmatrix.auditing.search import audit
from dpmatrix.auditing.zoo.specimen import Specimen
from dpmatrix.exact import Exact

_LEAST_LOW_BIT_TRAINING = 4000
_MOST_LOW_BIT_SAMPLES = 40_000
_LOW_BIT_PAIRS = 6


@frozen(kw_only=True)
class Budget:
    """What one trial may cost.

    Attributes
    ----------
    training, confirmation
        As for `audit`.
    stages, tightness, seconds, learned, replay, chunk, clock
        As in `AuditPlan`.
    failure_probability
        Of the trial.
    """

    training: int = 1000
    confirmation: int = 2**15
    stages: int = 4
    tightness: float = 0.0
    seconds: float | None = None
    learned: bool = True
    replay: bool = True
    failure_probability: Exact = 1e-6
    chunk: int = 4096
    clock: Callable[[], float] = time.monotonic


@frozen(eq=False)
class Finding:
    """What a trial found.

    Attributes
    ----------
    specimen
        The mechanism.
    violated
        Whether a violation of the claim was certified.
    epsilon, delta
        Certified: no smaller epsilon holds with the claimed delta, no smaller delta with the claimed epsilon.
    samples
        Outputs drawn, on both data sets.
    seconds
        Wall time.
    processor_seconds
        Time of this process on all processors, which other work on the machine does not lengthen.
    event, pair
        What told the data sets apart.
    """

    specimen: Specimen
    violated: bool
    epsilon: float
    delta: float
    samples: int
    seconds: float
    processor_seconds: float
    event: str
    pair: str

    def share_of_truth(self) -> float:
        """Return the certified bound over the true value, of epsilon if that is finite, else of delta; or NaN."""
        truth = self.specimen.truth()
        if truth is None:
            return math.nan
        if math.isfinite(truth.epsilon):
            return self.epsilon / truth.epsilon
        return self.delta / truth.delta if truth.delta else math.nan


def examine(
    specimen: Specimen,
    budget: Budget,
    *,
    generator: np.random.Generator | int,
    pairs: Sequence[NeighbouringPair] | None = None,
    executor: Executor | None = None,
    workers: int = 2,
) -> Finding:
    """Audit a specimen, its low bits if it is about these.

    Parameters
    ----------
    specimen
        The mechanism.
    budget
        What it may cost.
    generator
        Randomness, or a seed for it.
    pairs
        Neighbours to try instead of all those of the specimen.
    executor, workers
        As in `AuditPlan`; threads, since targets are closures. The low bits are looked at in this thread.
    """
    begin = time.perf_counter(), time.process_time()
    if specimen.is_about_representation:
        return _examine_low_bits(specimen, budget, np.random.default_rng(generator), begin)
    plan = AuditPlan(
        stages=budget.stages,
        tightness=budget.tightness,
        seconds=budget.seconds,
        learned=budget.learned,
        replay=budget.replay,
        executor=executor,
        workers=workers,
        chunk=budget.chunk,
        clock=budget.clock,
    )
    result = audit(
        specimen.audited_target(),
        specimen.pairs() if pairs is None else pairs,
        epsilon=specimen.epsilon,
        delta=specimen.delta,
        training=budget.training,
        confirmation=budget.confirmation,
        failure_probability=budget.failure_probability,
        generator=generator,
        plan=plan,
    )
    return Finding(
        specimen,
        result.violated,
        result.epsilon_lower_bound,
        result.delta_lower_bound_at_epsilon,
        result.training_samples + result.counts.trials + result.counts.other_trials,
        time.perf_counter() - begin[0],
        time.process_time() - begin[1],
        result.event,
        result.pair.name,
    )


def _examine_low_bits(
    specimen: Specimen, budget: Budget, randomness: np.random.Generator, begin: tuple[float, float]
) -> Finding:
    confirmation = min(budget.confirmation, _MOST_LOW_BIT_SAMPLES)
    result = audit_representation(
        specimen.audited_target(),
        specimen.pairs()[:_LOW_BIT_PAIRS],
        epsilon=specimen.epsilon,
        delta=specimen.delta,
        training=max(budget.training, _LEAST_LOW_BIT_TRAINING),
        confirmation=confirmation,
        failure_probability=budget.failure_probability,
        generator=randomness,
    )
    return Finding(
        specimen,
        result.leaks,
        0.0,
        result.delta_lower_bound,
        result.training_samples + 2 * confirmation,
        time.perf_counter() - begin[0],
        time.process_time() - begin[1],
        result.event,
        result.pair.name,
    )
