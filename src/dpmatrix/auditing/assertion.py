"""An audit as an assertion, for the test suite of whoever wrote a mechanism."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial

import numpy as np

from dpmatrix.auditing.checks import positive_finite
from dpmatrix.auditing.pairs.of_domain import pairs_to_try
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.planning.conditions import LIBRARY
from dpmatrix.auditing.planning.plan import AuditPlan
from dpmatrix.auditing.raising import begun_again
from dpmatrix.auditing.result import AuditResult
from dpmatrix.auditing.targets.adapters import MOST_PILOTED, PILOT_SECONDS, as_target, form_of
from dpmatrix.auditing.targets.forms import Form
from dpmatrix.auditing.targets.sampling import Clock
from dpmatrix.auditing.targets.target import scaled_records
from dpmatrix.auditing.within import audit_within, wall_limit
from dpmatrix.errors import DpmatrixError, NoVerdictError
from dpmatrix.exact import Exact
from dpmatrix.privacy.adjacency import Adjacency

_GRACE = 0.5


class PrivacyViolationError(AssertionError):
    """A mechanism breaks its guarantee, certified at the confidence that the message states.

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
    dimension: int | None = None,
    norm_bound: float | None = None,
    domain: str | None = None,
    delete_rows: bool = True,
    seconds: float = 10.0,
    clock: Clock = time.monotonic,
    failure_probability: Exact = 1e-9,
    learned: bool | None = None,
    executor: Executor | None = None,
    workers: int = 2,
    generator: np.random.Generator | int | None = None,
) -> AuditResult:
    """Assert that no violation of a privacy guarantee is found in the time given.

    This is the audit of the command line; see `dpmatrix.auditing.within.audit_within`. The outputs are rounded to about
    a millionth of their spread, each coordinate by its own, so that the verdict is about the mathematics and not about
    the low bits of floats, which `audit_representation` judges. The mechanism is called in a thread, and, where it can
    be imported by its name, in two new processes, whose outputs must not be the same.

    The data sets are the library's own, with entries of either sign. Where the mechanism is ``f`` and admits none below
    zero, audit ``lambda data: f(abs(data))``: neighbours stay neighbours, and norms what they are.

    Parameters
    ----------
    mechanism
        As `as_target` takes it.
    epsilon, delta
        The guarantee.
    adjacency, records, dimension
        Of the data sets to try; see `neighbouring_pairs`.
    norm_bound
        Every record has at most this Euclidean norm, 1 if nothing is said.
    domain
        What a record may be, instead of a dimension and a bound: such as ``"age: int 0..120, ill: {yes, no}"``; see
        `dpmatrix.auditing.pairs.domains`, which says what the mechanism then is given.
    delete_rows
        Under ``ADD_REMOVE_ONE``, whether a removed record takes its row along (True), as the relation says, or leaves
        zeros (False), for mechanisms that take n for public and zeros for no record.
    seconds, clock
        How long to try, by which clock; ``time.process_time`` leaves other work on the machine out. On the clock of the
        wall the call takes a fifth and two seconds more at most, even if the mechanism hangs.
    failure_probability
        Of a false alarm, at most.
    learned
        Whether to learn events with scikit-learn; None for wherever it is installed.
    executor, workers
        As in `AuditPlan`; without an executor the samples are drawn in this process.
    generator
        Randomness or a seed; None for a fresh seed in each call, as the command takes one.

    Returns
    -------
    AuditResult
        Of a pass; its ``message()`` says what was tried and what would have been caught.

    Raises
    ------
    PrivacyViolationError
        If a violation is certified; an `AssertionError` with the pair, the event, the counts and the bounds.
    NoVerdictError
        If there is no verdict: the mechanism always fails, exits, hangs or returns nothing, its outputs repeat, or
        there are too few.
    InvalidParameterError
        If a parameter is out of its domain.
    """
    # In the report of pytest a failure is the line of the test that asked, and what is raised says the rest.
    __tracebackhide__ = True
    try:
        offered = pairs_to_try(adjacency, records, dimension, norm_bound, domain, delete_rows)
        result = _audited(
            mechanism,
            offered.pairs,
            epsilon=epsilon,
            delta=delta,
            seconds=positive_finite(seconds, "seconds", "pass say 10"),
            failure_probability=failure_probability,
            generator=np.random.default_rng() if generator is None else generator,
            plan=AuditPlan(norm_bound=offered.norm_bound, executor=executor, workers=workers, clock=clock),
            learned=learned,
            domain=domain,
        )
    except DpmatrixError as error:
        raise error.with_traceback(None) from error.__cause__
    if result.violated:
        raise PrivacyViolationError(result)
    return result


def _audited(
    mechanism: object,
    pairs: Sequence[NeighbouringPair],
    *,
    epsilon: Exact,
    delta: Exact,
    seconds: float,
    failure_probability: Exact,
    generator: np.random.Generator | int,
    plan: AuditPlan,
    learned: bool | None,
    domain: str | None,
) -> AuditResult:
    """Audit in a thread, which is left alone where the mechanism hangs."""
    bare, bound = as_target(mechanism, None, domain), plan.norm_bound
    sets = [scaled_records(data, bound) for pair in pairs[:MOST_PILOTED] for data in (pair.data, pair.neighbour)]
    # The audit gives itself up at its limit; what comes later is stuck in a call.
    limit = wall_limit(seconds, plan) + _GRACE
    outcome: list[AuditResult | BaseException] = []

    def run() -> None:
        try:
            begin = plan.clock()
            audited = partial(once, begin)
            form = form_of(bare, sets, min(PILOT_SECONDS, seconds / 10))
            outcome.append(begun_again(audited, form, bare, sets))
        except BaseException as error:
            # It is raised again where the caller is.
            outcome.append(error)

    def once(begin: float, form: Form | None) -> AuditResult:
        return audit_within(
            as_target(mechanism, form, domain),
            pairs,
            epsilon=epsilon,
            delta=delta,
            seconds=max(seconds - (plan.clock() - begin), seconds / 10),
            failure_probability=failure_probability,
            generator=generator,
            plan=plan,
            learned=learned,
            source=LIBRARY,
            domain=domain,
        )

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    thread.start()
    thread.join(limit)
    if not outcome:
        raise NoVerdictError(f"the mechanism has not returned after {limit:.3g} s")
    (result,) = outcome
    if isinstance(result, BaseException):
        raise result
    return result
