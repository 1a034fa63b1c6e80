"""What the audits share: the confidence of every verdict, and the sentence that a finding leaves in the ledger."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from dpmatrix.auditing import AuditResult, NeighbouringPair, RepresentationAuditResult, Target, audit
from dpmatrix.auditing.density import WorstLoss
from dpmatrix.claims import AuditRecord, AuditVerdict, Excess, Way, code_name
from dpmatrix.exact import Exact
from dpmatrix.experiments import DataSet, real_records

FAILURE_PROBABILITY = 1e-9
"""Of each audit: a false alarm, or a bound that is wrong. The whole folder holds fewer than 500 audits."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the audits of the faulty mechanisms take as long as they are told."""
    words = "default: a few small audits; deep: all, a minute each; a time such as 30m or 2h: all, within it in turn"
    parser.addoption("--audit-budget", default="default", metavar="BUDGET", help=words)


@pytest.fixture
def say(request) -> Callable[[str], None]:
    """Print the whole message of an audit, which a failure of the item shows, and the command that repeats it."""
    return lambda message: print(f"{message}\nrun it again: python -m pytest {shlex.quote(request.node.nodeid)}")


@pytest.fixture
def failure_probability() -> float:
    return FAILURE_PROBABILITY


@pytest.fixture(scope="session")
def records() -> DataSet:
    """Return real records: the insurance data where the user names their directory, else a bundled data set."""
    return real_records()


@pytest.fixture
def note(record_property) -> Callable[[AuditResult], None]:
    """Leave a finding in the ledger."""

    def write(result: AuditResult) -> None:
        counts = result.counts
        record_property(
            "detail",
            f"epsilon >= {result.epsilon_lower_bound:.3f} (claimed {result.epsilon}), delta at the claimed epsilon >= "
            f"{result.delta_lower_bound_at_epsilon:.3g}, confidence 1 - {result.failure_probability}; event: "
            f"{result.event}; pair: {result.pair.name}; {counts.hits} of {counts.trials} on the {result.direction}, "
            f"{counts.other_hits} of {counts.other_trials} on the other data set",
        )

    return write


@pytest.fixture
def record_audit(record_property) -> Callable[[AuditRecord], None]:
    """Leave a record in the report's table of audits."""
    return lambda found: record_property("audit", json.dumps(found.to_json()))


@pytest.fixture
def audited(note, record_audit, say, failure_probability) -> Callable[..., AuditResult]:
    """Audit a target at the common confidence, and leave the finding in the ledger.

    With a subject, a mechanism and a view of it, the finding is in the report's table of audits too. The mechanism is a
    name, or an object of this library, in whose privacy certificate the finding then stands; a control is one that has
    too little noise on purpose.
    """

    def run(
        target: Target,
        pairs: Sequence[NeighbouringPair],
        *,
        epsilon: float,
        training: int,
        confirmation: int,
        seed: int,
        delta: Exact = 0,
        subject: tuple[object, str] | None = None,
        control: bool = False,
    ) -> AuditResult:
        result = audit(
            target,
            pairs,
            epsilon=epsilon,
            delta=delta,
            training=training,
            confirmation=confirmation,
            failure_probability=failure_probability,
            generator=seed,
        )
        say(result.message())
        note(result)
        if subject is not None:
            record_audit(_record(result, *subject, control=control))
        return result

    return run


def _named(mechanism: Any) -> tuple[str, str]:
    """Return what a reader calls a mechanism or its class, and the dotted name of the class; none for a mere name."""
    if isinstance(mechanism, str):
        return mechanism, ""
    return str(mechanism.name), code_name(mechanism)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _record(result: AuditResult, mechanism: object, view: str, *, control: bool) -> AuditRecord:
    name, code = _named(mechanism)
    return AuditRecord(
        name,
        view,
        AuditVerdict.VIOLATED if result.violated else AuditVerdict.NOT_REFUTED,
        f"({result.epsilon}, {float(result.delta):.3g})",
        _finite(result.epsilon_lower_bound),
        result.delta_lower_bound_at_epsilon,
        f"1 - {result.failure_probability}",
        f"{result.event}; pair: {result.pair.name}" if result.violated else result.detectable.sentence(),
        code=code,
        control=control,
        adjacency=result.pair.adjacency.value,
        samples=result.counts.trials,
        training=result.training_samples,
        smallest_epsilon=_finite(result.detectable.smallest_epsilon),
        smallest_leak=_finite(result.detectable.smallest_leak),
        power=result.detectable.power,
        unnoticed=_unnoticed(result),
    )


def _unnoticed(result: AuditResult) -> Excess | None:
    """Say what the counts would have passed over on an event of probability one half."""
    if result.violated:
        return None
    smallest = _finite(result.detectable.smallest_epsilon)
    return Excess(Way.EVENTS, float(result.epsilon), smallest, certain=False)


@pytest.fixture
def record_loss(record_audit) -> Callable[..., None]:
    """Leave the greatest privacy loss that a search met in the report's table of audits: a certain one, of delta = 0.

    The slack is what the rounding of a scale may add to epsilon, relative to it.
    """

    def write(
        worst: WorstLoss, mechanism: object, view: str, *, epsilon: float, slack: float = 0.0, control: bool = False
    ) -> None:
        assert worst.certified
        name, code = _named(mechanism)
        found = f"greatest loss {worst.loss:.6g} on '{worst.pair.name}' after {worst.evaluations} density ratios"
        record_audit(
            AuditRecord(
                name,
                view,
                AuditVerdict.BROKEN if worst.loss > epsilon * (1 + slack) else AuditVerdict.NOT_REFUTED,
                f"({epsilon}, 0)",
                _finite(worst.loss),
                None,
                "certain",
                f"{found}; a search, which shows nothing of outputs that it did not visit",
                code=code,
                control=control,
                adjacency=worst.pair.adjacency.value,
            )
        )

    return write


@pytest.fixture
def note_representation(record_property, record_audit) -> Callable[..., None]:
    """Leave a finding about low bits in the ledger, with what a pass could have caught.

    With a subject, a mechanism of this library and a view of it, it is in the report's table of audits too.
    """

    def write(result: RepresentationAuditResult, subject: tuple[object, str] | None = None, **more: Any) -> None:
        words = f"delta at epsilon = {float(result.epsilon):.3g} is at least {result.delta_lower_bound:.3g}"
        if result.detectable is not None:
            caught = f"{result.detectable.smallest_leak:.2g} with probability {result.detectable.power}"
            words += f"; a leak of probability {caught} would have been caught"
        record_property(
            "detail",
            f"{words}; confidence 1 - {result.failure_probability}; event: {result.event}; pair: {result.pair.name}",
        )
        if subject is not None:
            record_audit(_representation_record(words, result, *subject, **more))

    return write


def _representation_record(
    words: str, result: RepresentationAuditResult, mechanism: object, view: str, *, control: bool = False
) -> AuditRecord:
    name, code = _named(mechanism)
    detectable = result.detectable
    return AuditRecord(
        name,
        view,
        AuditVerdict.VIOLATED if result.violated else AuditVerdict.NOT_REFUTED,
        f"({float(result.epsilon):.6g}, {float(result.delta):.3g})",
        None,
        result.delta_lower_bound,
        f"1 - {result.failure_probability}",
        f"{words}; event: {result.event}",
        code=code,
        control=control,
        adjacency=getattr(getattr(result.pair, "adjacency", None), "value", ""),
        samples=None if result.counts is None else result.counts.trials,
        training=result.training_samples,
        smallest_epsilon=None if detectable is None else _finite(detectable.smallest_epsilon),
        smallest_leak=None if detectable is None else _finite(detectable.smallest_leak),
        power=None if detectable is None else detectable.power,
    )
