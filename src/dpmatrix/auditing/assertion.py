"""An audit as an assertion, for the test suite of whoever wrote a mechanism."""

from __future__ import annotations

import time
from concurrent.futures import Executor

import numpy as np

from dpmatrix.auditing.adapters import as_target
from dpmatrix.auditing.budget import resolution_for, sizes_within
from dpmatrix.auditing.neighbours import neighbouring_pairs
from dpmatrix.auditing.plan import AuditPlan
from dpmatrix.auditing.result import AuditResult
from dpmatrix.auditing.sampling import Clock
from dpmatrix.auditing.search import audit
from dpmatrix.auditing.targets import seen_at_resolution
from dpmatrix.exact import Exact
from dpmatrix.privacy.adjacency import Adjacency


class PrivacyViolationError(AssertionError):
    """A mechanism breaks its promise, certified at the confidence that the message states.

    Attributes
    ----------
    result
        What the audit found.
    """

    def __init__(self, result: AuditResult) -> None:
        super().__init__(result.message())
        self.result = result


def audit_mechanism(
    mechanism: object,
    *,
    epsilon: Exact,
    delta: Exact = 0,
    adjacency: Adjacency,
    records: int,
    dimension: int,
    norm_bound: float = 1.0,
    delete_rows: bool = False,
    seconds: float = 10.0,
    clock: Clock = time.monotonic,
    failure_probability: Exact = 1e-9,
    learned: bool = False,
    executor: Executor | None = None,
    workers: int = 2,
    generator: np.random.Generator | int,
) -> AuditResult:
    """Assert that no violation of a privacy promise is found in the time given.

    The outputs are rounded to about a millionth of their spread, so that the verdict is about the mathematics and not
    about the low bits of floats, which `audit_representation` judges.

    Parameters
    ----------
    mechanism
        As `as_target` takes it.
    epsilon, delta
        The promise.
    adjacency, records, dimension, delete_rows
        Of the data sets to try; see `neighbouring_pairs`.
    norm_bound
        Every record has at most this Euclidean norm.
    seconds, clock
        About how long to try, by which clock; ``time.process_time`` leaves other work on the machine out.
    failure_probability
        Of a false alarm, at most.
    learned
        Whether to learn events with scikit-learn.
    executor, workers
        As in `AuditPlan`; without an executor the samples are drawn in this process.
    generator
        Randomness or a seed.

    Returns
    -------
    AuditResult
        Of a pass; its ``message()`` says what would have been caught.

    Raises
    ------
    PrivacyViolationError
        If a violation is certified; an `AssertionError` with the pair, the event, the counts and the bounds.
    InvalidParameterError
        If a parameter is out of its domain.
    """
    begin = clock()
    pairs = neighbouring_pairs(dimension, records, adjacency, delete_rows=delete_rows)
    target = as_target(mechanism)
    drawing = workers if executor is not None else 1
    sizes = sizes_within(target, pairs, seconds=seconds, workers=drawing, norm_bound=norm_bound, clock=clock)
    resolution = resolution_for(target, pairs[0], norm_bound)
    plan = AuditPlan(
        stages=sizes.stages,
        seconds=max(1e-3, seconds - (clock() - begin)),
        learned=learned,
        norm_bound=norm_bound,
        executor=executor,
        workers=workers,
        chunk=sizes.chunk,
        clock=clock,
    )
    result = audit(
        target if resolution is None else seen_at_resolution(target, resolution),
        pairs[: sizes.pairs],
        epsilon=epsilon,
        delta=delta,
        training=sizes.training,
        confirmation=sizes.confirmation,
        failure_probability=failure_probability,
        generator=generator,
        plan=plan,
    )
    if result.violated:
        raise PrivacyViolationError(result)
    return result
