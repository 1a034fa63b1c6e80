"""What became of the items of a run, and whether each is bound to the statement that it names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from dpmatrix.claims import AuditRecord, Evidence, Observed, Outcome, Registry, Role, Statement, held

PROPERTY = "statements"
"""Property of every item: what `seen` says of it, as the text of its JSON, so that any report of tests can hold it."""
AUDIT = "audit"
"""Property of an item, several times if need be: an `AuditRecord` as the text of its JSON."""
_SEVERITY = (Outcome.PASSED, Outcome.SKIPPED, Outcome.FAILED)
_NOTHING = json.dumps({"refused": (), "met": {}, "failed": (), "replaced": ()})


class Specified:
    """The statements of a specification as they are now: what is put in their place later is not one of them.

    Functions count by what they are: an object may call itself equal to any other.
    """

    def __init__(self, registry: Registry) -> None:
        self._known = {
            name: (_words(one), _code(one)) for claim in registry for name, one in claim.statements().items()
        }
        self._data = {name: one.data for claim in registry for name, one in claim.statements().items()}
        self._held = {name for claim in registry for name in held(claim)}

    def has(self, statement: Statement) -> bool:
        """Whether a statement is one of them, unchanged."""
        if statement.name not in self._known:
            return False
        words, code = self._known[statement.name]
        same_words, here = words == _words(statement), _code(statement)
        return same_words and all(one is other for one, other in zip(code, here, strict=True))

    def is_held(self, statement: Statement) -> bool:
        """Whether a statement is one of them, unchanged, that its author holds to be true."""
        return statement.name in self._held and self.has(statement)

    def is_changed(self, statement: Statement) -> bool:
        """Whether a statement was made of one of them by a change, or asks one of them elsewhere."""
        if statement.origin is not None:
            return self.has(statement.origin)
        data = self._data.get(statement.name, ())
        return not statement.instance and self.has(attrs.evolve(statement, instance=True, data=data))


def _words(statement: Statement) -> tuple[object, ...]:
    given = tuple((condition.says, condition.strict) for condition in statement.given)
    return statement.says, statement.strict, statement.forms, statement.exists, statement.data, given


def _code(statement: Statement) -> list[object]:
    """Return the functions of a statement, and what they run."""
    functions = [statement.formula, *(condition.margin for condition in statement.given)]
    return [*functions, *(getattr(function, "__code__", None) for function in functions)]


def seen(observed: Observed, specified: Specified) -> dict[str, Any]:
    """Return names of statements: of which a changed version failed, the specification's own that were met or failed.

    A statement that was nudged, or that lost a hypothesis, keeps its name and is not the specification's own. Where it
    was met stands beside it. Beside them the names of modules that stood for something else meanwhile.
    """
    return {
        "refused": sorted(
            {one.name for one in observed.failed if not specified.has(one) and specified.is_changed(one)}
        ),
        "met": {one.name: where.to_json() for one, where in observed.met.items() if specified.has(one)},
        "failed": sorted({one.name for one in observed.failed if specified.has(one)}),
        "replaced": sorted(observed.replaced),
    }


@attrs.frozen
class _Report:
    """What pytest reported of one item."""

    outcome: Outcome
    seconds: float
    seen: Mapping[str, Any]
    detail: str
    audits: tuple[AuditRecord, ...] = ()

    def binds(self, evidence: Evidence) -> bool:
        """Whether the item evaluated the statement itself inside its hypotheses, and what it saw fits its role.

        A control shows that the check can fail: it must see a changed version of the statement fail.
        """
        target = evidence.citation.target
        if evidence.role is Role.CONTROL:
            return target in self.seen["refused"]
        if evidence.role is Role.REFUTES:
            return target in self.seen["failed"]
        met = self.seen["met"].get(target)
        return met is not None and not met["edge"] and target not in self.seen["failed"]


class Outcomes:
    """The worst report of every item that ran."""

    def __init__(self) -> None:
        self._reports: dict[str, _Report] = {}

    def add(self, report: pytest.TestReport) -> None:
        """Take note of a report: of the call, and of a setup or teardown that did not pass."""
        if report.when != "call" and report.passed:
            return
        outcome = Outcome(report.outcome)
        if outcome is Outcome.PASSED and hasattr(report, "wasxfail"):
            outcome = Outcome.SKIPPED  # an item that is allowed to fail shows nothing by passing
        known = self._reports.get(report.nodeid)
        if known is not None and _SEVERITY.index(known.outcome) > _SEVERITY.index(outcome):
            outcome = known.outcome
        properties: dict[str, Any] = dict(report.user_properties)
        detail = str(properties.get("detail", ""))
        pairs: list[tuple[str, Any]] = report.user_properties
        audits = tuple(AuditRecord.from_json(json.loads(value)) for name, value in pairs if name == AUDIT)
        self._reports[report.nodeid] = _Report(
            outcome, report.duration, json.loads(properties.get(PROPERTY, _NOTHING)), detail, audits
        )

    def audits(self) -> tuple[AuditRecord, ...]:
        """Return what audits recorded, by mechanism and view, with what became of their items."""
        found = [
            attrs.evolve(audit, node=node, outcome=report.outcome.value)
            for node, report in self._reports.items()
            for audit in report.audits
        ]
        return tuple(sorted(found, key=lambda audit: (audit.mechanism, audit.view, audit.node)))

    def failures(self) -> dict[str, tuple[str, ...]]:
        """Return unchanged statements that were false inside their hypotheses, with the items that saw it."""
        found: dict[str, list[str]] = {}
        for node, report in sorted(self._reports.items()):
            for name in report.seen["failed"]:
                found.setdefault(name, []).append(node)
        return {name: tuple(nodes) for name, nodes in found.items()}

    def replacements(self) -> list[str]:
        """List the items that evaluated a statement while part of what it computes with was replaced."""
        return [
            f"{node}: evaluated a statement while {', '.join(report.seen['replaced'])} stood for something else"
            for node, report in sorted(self._reports.items())
            if report.seen["replaced"]
        ]

    def judge(self, evidence: Evidence) -> Evidence:
        """Return the evidence with what became of it."""
        if evidence.node not in self._reports:
            return attrs.evolve(evidence, outcome=Outcome.DESELECTED)
        report = self._reports[evidence.node]
        unbound = report.outcome is Outcome.PASSED and not report.binds(evidence)
        outcome = Outcome.UNBOUND if unbound else report.outcome
        return attrs.evolve(evidence, outcome=outcome, seconds=report.seconds, detail=report.detail)
