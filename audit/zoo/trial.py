"""An auditor before a specimen: what was certified, next to what is true."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import numpy as np
from attrs import evolve, frozen

from audit.zoo.specimen import Specimen
from dpmatrix.auditing.density import worst_privacy_loss
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.planning.plan import AuditPlan
from dpmatrix.auditing.representation.audit import audit_representation
from dpmatrix.auditing.result import AuditResult
from dpmatrix.auditing.statistical import audit
from dpmatrix.auditing.within import audit_within
from dpmatrix.errors import NoVerdictError
from dpmatrix.exact import Exact, fraction

_LEAST_LOW_BIT_TRAINING = 4000
_MOST_LOW_BIT_SAMPLES = 40_000
_LOW_BIT_PAIRS = 6
_DENSITY_EXAMPLES = 30


@frozen(kw_only=True)
class Budget:
    """What one trial may cost.

    Attributes
    ----------
    training, confirmation
        As for `audit`.
    stages, tightness, seconds, learned, replay, chunk, clock
        As in `AuditPlan`.
    density
        Whether density ratios are looked at, where they are known and delta is 0.
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
    density: bool = True
    failure_probability: Exact = 1e-6
    chunk: int = 4096
    clock: Callable[[], float] = time.monotonic


@frozen(kw_only=True)
class Allowance:
    """What the audit that users run may cost a trial.

    Attributes
    ----------
    seconds, clock
        As for `audit_within`.
    failure_probability
        Of the trial.
    """

    seconds: float = 60.0
    failure_probability: Exact = 1e-6
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
    density_epsilon
        What a density ratio certified, without any outputs; 0 where no density is known.
    no_verdict
        Why there is none; empty where there is one.
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
    density_epsilon: float = 0.0
    no_verdict: str = ""

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
    loss = 0.0 if specimen.delta or not budget.density else density_loss(specimen)
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
    found = _found(specimen, result, _since(begin), loss)
    violated = found.violated or fraction(loss) > fraction(specimen.epsilon)
    return evolve(found, violated=violated, epsilon=max(loss, found.epsilon))


def examine_within(
    specimen: Specimen,
    allowance: Allowance,
    *,
    generator: np.random.Generator | int,
    pairs: Sequence[NeighbouringPair] | None = None,
    executor: Executor | None = None,
    workers: int = 2,
) -> Finding:
    """Audit a specimen as users audit, by `audit_within` with all its defaults, on the specimen's own pairs.

    Parameters
    ----------
    specimen, generator, pairs, executor, workers
        As for `examine`. Low bits, which this audit hides, are looked at as `examine` does.
    allowance
        What it may cost.
    """
    begin = time.perf_counter(), time.process_time()
    if specimen.is_about_representation:
        budget = Budget(failure_probability=allowance.failure_probability)
        return _examine_low_bits(specimen, budget, np.random.default_rng(generator), begin)
    try:
        result = audit_within(
            specimen.target,
            specimen.pairs() if pairs is None else pairs,
            epsilon=specimen.epsilon,
            delta=specimen.delta,
            seconds=allowance.seconds,
            failure_probability=allowance.failure_probability,
            generator=generator,
            plan=AuditPlan(executor=executor, workers=workers, clock=allowance.clock),
        )
    except NoVerdictError as error:
        return Finding(specimen, False, 0.0, 0.0, 0, *_since(begin), "", "", no_verdict=str(error))
    return _found(specimen, result, _since(begin), 0.0 if specimen.delta else density_loss(specimen))


def _since(begin: tuple[float, float]) -> tuple[float, float]:
    """Return the wall time and the processor time that went by."""
    return time.perf_counter() - begin[0], time.process_time() - begin[1]


def _found(specimen: Specimen, result: AuditResult, spent: tuple[float, float], loss: float) -> Finding:
    """Return what outputs alone show; the loss by density stands beside it."""
    return Finding(
        specimen,
        result.violated,
        result.epsilon_lower_bound,
        result.delta_lower_bound_at_epsilon,
        result.training_samples + result.counts.trials + result.counts.other_trials,
        *spent,
        result.event,
        result.pair.name,
        loss,
    )


def density_loss(specimen: Specimen) -> float:
    """Return what the density ratio certifies of epsilon at delta = 0, the cheapest tier; 0 without a density."""
    if specimen.density is None:
        return 0.0
    worst = worst_privacy_loss(
        specimen.density.log_ratio,
        specimen.density.outputs,
        dimension=specimen.dimension,
        records=specimen.records,
        adjacency=specimen.adjacency,
        output_parameters=specimen.density.output_parameters,
        examples=_DENSITY_EXAMPLES,
        refinement=_DENSITY_EXAMPLES,
        delete_rows=specimen.delete_rows,
    )
    return worst.loss if worst.certified else 0.0


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
        *_since(begin),
        result.event,
        result.pair.name,
    )
