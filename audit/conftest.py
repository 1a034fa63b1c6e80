"""What the audits share: the confidence of every verdict, and the sentence that a finding leaves in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from dpmatrix.auditing import AuditResult, NeighbouringPair, RepresentationAuditResult, Target, audit
from dpmatrix.claims import AuditRecord, AuditVerdict
from dpmatrix.exact import Exact
from dpmatrix.experiments import DataSet, real_records

FAILURE_PROBABILITY = 1e-9
"""Of each audit: a false alarm, or a bound that is wrong. The whole folder holds fewer than 300 audits."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the audits of the zoo take as long as they are told."""
    words = "default: a few small audits; deep: all, a minute each; a time such as 30m or 2h: all, within it in turn"
    parser.addoption("--audit-budget", default="default", metavar="BUDGET", help=words)


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
        record_property(
            "detail",
            f"epsilon >= {result.epsilon_lower_bound:.3f} (claimed {result.epsilon}), delta at the claimed epsilon >= "
            f"{result.delta_lower_bound_at_epsilon:.3g}, confidence 1 - {result.failure_probability}; event: "
            f"{result.event}; pair: {result.pair.name}; more likely on the {result.direction}: {result.counts}",
        )

    return write


@pytest.fixture
def record_audit(record_property) -> Callable[[AuditRecord], None]:
    """Leave a record in the report's table of audits."""
    return lambda found: record_property("audit", found.to_json())


@pytest.fixture
def audited(note, record_audit, failure_probability) -> Callable[..., AuditResult]:
    """Audit a target at the common confidence, and leave the finding in the ledger.

    With a subject, a mechanism and a view of it, the finding is in the report's table of audits too.
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
        subject: tuple[str, str] | None = None,
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
        note(result)
        if subject is not None:
            record_audit(_record(result, *subject))
        return result

    return run


def _record(result: AuditResult, mechanism: str, view: str) -> AuditRecord:
    verdict = AuditVerdict.VIOLATED if result.violated else AuditVerdict.NOT_REFUTED
    return AuditRecord(
        mechanism,
        view,
        verdict,
        f"({result.epsilon}, {float(result.delta):.3g})",
        result.epsilon_lower_bound if result.epsilon_lower_bound < float("inf") else None,
        result.delta_lower_bound_at_epsilon,
        f"1 - {result.failure_probability}",
        f"{result.event}; pair: {result.pair.name}" if result.violated else result.detectable.sentence(),
    )


@pytest.fixture
def note_representation(record_property) -> Callable[[RepresentationAuditResult], None]:
    """Leave a finding about low bits in the ledger, with what a pass could have caught."""

    def write(result: RepresentationAuditResult) -> None:
        words = f"delta at epsilon = {float(result.epsilon):.3g} is at least {result.delta_lower_bound:.3g}"
        if result.detectable is not None:
            caught = f"{result.detectable.smallest_leak:.2g} with probability {result.detectable.power}"
            words += f"; a leak of probability {caught} would have been caught"
        record_property(
            "detail",
            f"{words}; confidence 1 - {result.failure_probability}; event: {result.event}; pair: {result.pair.name}",
        )

    return write
