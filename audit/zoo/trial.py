"""An auditor before a specimen: what was certified, next to what is true."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import numpy as np
from attrs import frozen

from audit.by_name import importable
from audit.zoo import specimen as specimen_of
from audit.zoo.specimen import Specimen
from dpmatrix.auditing.density import worst_privacy_loss
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.planning.conditions import LIBRARY
from dpmatrix.auditing.planning.plan import AuditPlan
from dpmatrix.auditing.representation.audit import audit_representation
from dpmatrix.auditing.result import AuditResult
from dpmatrix.auditing.statistical import audit
from dpmatrix.auditing.targets.target import Target
from dpmatrix.auditing.within import audit_within
from dpmatrix.errors import NoVerdictError
from dpmatrix.exact import Exact, fraction

_LEAST_LOW_BIT_TRAINING = 4000
_MOST_LOW_BIT_SAMPLES = 40_000
_LOW_BIT_PAIRS = 6
_DENSITY_EXAMPLES = 30
HANDED_OVER = "pairs of the suite, before those of the library"


def target_of(name: str) -> Target:
    """Return the target of a specimen of the suite."""
    return specimen_of(name).target


def source_of(specimen: Specimen) -> str:
    """Say whose the pairs of a specimen are: the library's, or handed over where it has telling ones of its own."""
    return HANDED_OVER if specimen.telling_pairs() else LIBRARY


@frozen(kw_only=True)
class Budget:
    """So many outputs, on the grid of the specimen; repetitions are not tested for.

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

    def audited(
        self,
        specimen: Specimen,
        pairs: Sequence[NeighbouringPair],
        generator: np.random.Generator | int,
        executor: Executor | None,
        workers: int,
    ) -> AuditResult:
        """Audit a specimen by `audit`."""
        plan = AuditPlan(
            stages=self.stages,
            tightness=self.tightness,
            seconds=self.seconds,
            learned=self.learned,
            replay=self.replay,
            executor=executor,
            workers=workers,
            chunk=self.chunk,
            clock=self.clock,
        )
        return audit(
            specimen.audited_target(),
            pairs,
            epsilon=specimen.epsilon,
            delta=specimen.delta,
            training=self.training,
            confirmation=self.confirmation,
            failure_probability=self.failure_probability,
            generator=generator,
            plan=plan,
        )


@frozen(kw_only=True)
class Allowance:
    """So much time, for the audit that users run with all its defaults, which hides low bits and refuses repetitions.

    As for a mechanism in a file, repetitions are tested for in new processes as well; and as for pairs that nobody
    handed over, the changed record is tried in other rows where a specimen has no telling pairs of its own.

    Attributes
    ----------
    seconds, clock
        As for `audit_within`.
    failure_probability
        Of the trial.
    training, confirmation
        Outputs of a specimen that is about low bits.
    """

    seconds: float = 60.0
    failure_probability: Exact = 1e-6
    clock: Callable[[], float] = time.monotonic
    training: int = _LEAST_LOW_BIT_TRAINING
    confirmation: int = 2**15

    def audited(
        self,
        specimen: Specimen,
        pairs: Sequence[NeighbouringPair],
        generator: np.random.Generator | int,
        executor: Executor | None,
        workers: int,
    ) -> AuditResult:
        """Audit a specimen by `audit_within`."""
        return audit_within(
            importable(specimen.target, target_of, specimen.name),
            pairs,
            epsilon=specimen.epsilon,
            delta=specimen.delta,
            seconds=self.seconds,
            failure_probability=self.failure_probability,
            generator=generator,
            plan=AuditPlan(executor=executor, workers=workers, clock=self.clock),
            source=source_of(specimen),
        )


@frozen(eq=False)
class Finding:
    """What a trial found.

    Attributes
    ----------
    specimen
        The mechanism.
    violated
        Whether outputs certify a violation of the claim.
    epsilon, delta
        What outputs certify: no smaller epsilon holds with the claimed delta, no smaller delta with the claimed
        epsilon.
    samples
        Outputs drawn, on both data sets.
    seconds
        Wall time.
    processor_seconds
        Time of this process on all processors, which other work on the machine does not lengthen.
    event, pair
        What told the data sets apart.
    density_epsilon
        What a density ratio certifies, without any outputs; 0 where no density is known.
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

    @property
    def refuted(self) -> bool:
        """Whether outputs or the density certify a violation."""
        return self.violated or fraction(self.density_epsilon) > fraction(self.specimen.epsilon)

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
    limits: Budget | Allowance,
    *,
    generator: np.random.Generator | int,
    executor: Executor | None = None,
    workers: int = 2,
) -> Finding:
    """Audit a specimen on its own pairs, its low bits if it is about these.

    Parameters
    ----------
    specimen
        The mechanism.
    limits
        What it may cost, and so which audit it is.
    generator
        Randomness, or a seed for it.
    executor, workers
        As in `AuditPlan`; threads, since targets are closures. The low bits are looked at in this thread.
    """
    begin = time.perf_counter(), time.process_time()
    if specimen.is_about_representation:
        return _examine_low_bits(specimen, limits, np.random.default_rng(generator), begin)
    try:
        result = limits.audited(specimen, specimen.pairs(), generator, executor, workers)
    except NoVerdictError as error:
        return Finding(specimen, False, 0.0, 0.0, 0, *_since(begin), "", "", no_verdict=str(error))
    return Finding(
        specimen,
        result.violated,
        result.epsilon_lower_bound,
        result.delta_lower_bound_at_epsilon,
        result.training_samples + result.counts.trials + result.counts.other_trials,
        *_since(begin),
        result.event,
        result.pair.name,
        0.0 if specimen.delta else density_loss(specimen),
    )


def _since(begin: tuple[float, float]) -> tuple[float, float]:
    """Return the wall time and the processor time that went by."""
    return time.perf_counter() - begin[0], time.process_time() - begin[1]


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
    specimen: Specimen, limits: Budget | Allowance, randomness: np.random.Generator, begin: tuple[float, float]
) -> Finding:
    confirmation = min(limits.confirmation, _MOST_LOW_BIT_SAMPLES)
    result = audit_representation(
        specimen.audited_target(),
        specimen.pairs()[:_LOW_BIT_PAIRS],
        epsilon=specimen.epsilon,
        delta=specimen.delta,
        training=max(limits.training, _LEAST_LOW_BIT_TRAINING),
        confirmation=confirmation,
        failure_probability=limits.failure_probability,
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
