"""What became of the items of a run, and whether each is bound to the statement that it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from json import dumps, loads
from typing import Any

import attrs
import pytest
from flint import arb

from dpmatrix.claims import AuditRecord, Evidence, Observed, Outcome, Registry, Role, Statement, claim_of, held
from dpmatrix.claims.evidence import Bound
from dpmatrix.claims.extents import Extent
from dpmatrix.claims.tried import NEEDS

PROPERTY = "statements"
"""Property of every item: what `seen` says of it, as the text of its JSON, so that any report of tests can hold it."""
AUDIT = "audit"
"""Property of an item, several times if need be: an `AuditRecord` as the text of its JSON."""
SUPPORTING = frozenset({Role.SUPPORTS, Role.SUPPORTS_REPAIR})
ENOUGH_TO_VARY = 5
"""Of fewer values nothing is said."""
_SEVERITY = (Outcome.PASSED, Outcome.SKIPPED, Outcome.FAILED)
_NOTHING = dumps({"refused": (), "met": {}, "failed": (), "replaced": (), "values": {}, "raised": False})


class Specified:
    """The statements of a specification as they are now: what is put in their place later is not one of them.

    Functions count by what they are: an object may call itself equal to any other.
    """

    def __init__(self, registry: Registry) -> None:
        self._known = {
            name: (_words(one), _code(one)) for claim in registry for name, one in claim.statements().items()
        }
        self._instances = {name for claim in registry for name, one in claim.statements().items() if one.instance}
        self._data = {name: one.data for claim in registry for name, one in claim.statements().items()}
        self._held = {
            name: one for claim in registry for name, one in claim.statements().items() if name in held(claim)
        }

    def has(self, statement: Statement) -> bool:
        """Whether a statement is one of them, unchanged."""
        if type(statement.name) is not str or statement.name not in self._known:
            return False
        words, code = self._known[statement.name]
        same_words, here = words == _words(statement), _code(statement)
        return same_words and all(one is other for one, other in zip(code, here, strict=True))

    def twins(self) -> dict[str, frozenset[str]]:
        """Return for each statement the names of all that assert the same, in whatever words."""
        names: dict[tuple[object, ...], set[str]] = {}
        for name, (words, code) in self._known.items():
            names.setdefault((*words[1:5], *map(id, code)), set()).add(name)
        return {name: frozenset(same) for same in names.values() for name in same}

    def held_beside(self, names: Iterable[str]) -> list[Statement]:
        """Return the statements that are held to be true of all claims to which statements of these names belong."""
        claims = {claim_of(name) for name in names}
        return [one for name, one in self._held.items() if claim_of(name) in claims]

    def universal(self) -> list[str]:
        """Return the names of the statements and repairs that speak of more than one point."""
        return [name for name in self._known if "/" not in name and name not in self._instances]

    def supported(self) -> list[str]:
        """Return the names of those of them that are held to be true."""
        return [name for name in self.universal() if name in self._held]

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
        "met": {
            one.name: {
                **where.to_json(),
                "compared": observed.compared[one],
                "expressed": one in observed.expressed,
            }
            for one, where in observed.met.items()
            if specified.has(one)
        },
        "failed": sorted({one.name for one in observed.failed if specified.has(one)}),
        "replaced": sorted(observed.replaced),
        "values": {
            one.name: ["0" if value.overlaps(arb(0)) else str(value.mid()), varied, count]
            for one, (value, varied, count) in observed.values.items()
            if specified.has(one)
        },
        "raised": False,
    }


@attrs.frozen
class _Report:
    """What pytest reported of one item."""

    outcome: Outcome
    seconds: float
    seen: Mapping[str, Any]
    detail: str
    audits: tuple[AuditRecord, ...] = ()

    @property
    def crashed(self) -> bool:
        """Whether the item failed otherwise than by an objection of its own: in its call, or before it."""
        return self.outcome is Outcome.FAILED and bool(self.seen.get("crashed", True))

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
        self._objections: list[str] = []
        self._called: set[str] = set()

    def add(self, report: pytest.TestReport) -> None:
        """Take note of a report: of the call, and of a setup or teardown that did not pass."""
        if report.when != "call" and report.passed:
            return
        outcome = Outcome(report.outcome)
        if outcome is Outcome.PASSED and hasattr(report, "wasxfail"):
            outcome = Outcome.SKIPPED  # an item that is allowed to fail shows nothing by passing
        known = self._reports.get(report.nodeid)
        self._look_for_forgery(report)
        if known is not None and _SEVERITY.index(known.outcome) > _SEVERITY.index(outcome):
            outcome = known.outcome
        properties: dict[str, Any] = dict(report.user_properties)
        detail = str(properties.get("detail", ""))
        pairs: list[tuple[str, Any]] = report.user_properties
        audits = tuple(AuditRecord.from_json(loads(value)) for name, value in pairs if name == AUDIT)
        self._reports[report.nodeid] = _Report(
            outcome, report.duration, loads(properties.get(PROPERTY, _NOTHING)), detail, audits
        )

    def _look_for_forgery(self, report: pytest.TestReport) -> None:
        """Note a report that contradicts what the item did, or one that is not the only one of its call."""
        if report.when != "call" or isinstance(report, pytest.SubtestReport):
            return
        if report.nodeid in self._called:
            self._objections.append(f"{report.nodeid}: reported twice")
        self._called.add(report.nodeid)
        told = [str(value) for name, value in report.user_properties if name == PROPERTY]
        if len(told) != 1:
            self._objections.append(f"{report.nodeid}: what it saw is told {len(told)} times")
        elif report.passed and loads(told[0])["raised"]:
            self._objections.append(f"{report.nodeid}: reported as passed, and raised an error")

    def needs(self) -> dict[str, dict[str, str]]:
        """Return for each statement what was found of each hypothesis: the first of these words that any item found."""
        found: dict[str, dict[str, str]] = {}
        for report in self._reports.values():
            for name, words in report.seen.get("needs", {}).items():
                known = found.setdefault(name, {})
                for says, word in words.items():
                    known[says] = min(word, known.get(says, word), key=NEEDS.index)
        return found

    def crashed(self, node: str) -> bool:
        """Whether an item failed, and not by an objection of its own."""
        return node in self._reports and self._reports[node].crashed

    def constant(self, names: Iterable[str]) -> list[str]:
        """Return the statements among these whose margin was the same number, not zero, wherever it was asked."""
        values: dict[str, set[str]] = {}
        asked: dict[str, int] = {}
        for report in self._reports.values():
            for name, (value, varied, count) in report.seen["values"].items():
                values.setdefault(name, set()).update({value, ""} if varied else {value})
                asked[name] = asked.get(name, 0) + count
        return [
            name
            for name in names
            if asked.get(name, 0) >= ENOUGH_TO_VARY and len(values[name]) == 1 and not values[name] <= {"0", "nan"}
        ]

    def alone(self, names: Iterable[str]) -> list[str]:
        """Return the statements among these that were met at one point, and no other is known of which they speak."""
        points: dict[str, set[str]] = {}
        for report in self._reports.values():
            for name, met in report.seen["met"].items():
                points.setdefault(name, set()).update({met["alone"]} if met["alone"] else {"", "several"})
        return [name for name in names if len(points.get(name, ())) == 1]

    def hurried(self, names: Iterable[str]) -> list[str]:
        """Return the statements among these near which no item had the time to search."""
        times: dict[str, list[bool]] = {}
        for report in self._reports.values():
            for name, met in report.seen["met"].items():
                times.setdefault(name, []).append(met["hurried"])
        return [name for name in names if times.get(name) and all(times[name])]

    def restated(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """Return the statements among these with a hypothesis that says as much, wherever it was compared."""
        found: dict[tuple[str, str], set[bool]] = {}
        for report in self._reports.values():
            for name, met in report.seen["met"].items():
                for says, same in met["restated"].items():
                    found.setdefault((name, says), set()).add(same)
        wanted = set(names)
        return sorted(pair for pair, same in found.items() if pair[0] in wanted and same == {True})

    def audits(self) -> tuple[AuditRecord, ...]:
        """Return what audits recorded, by mechanism and view, with what became of their items."""
        found = [
            attrs.evolve(audit, node=node, outcome=report.outcome.value)
            for node, report in self._reports.items()
            for audit in report.audits
        ]
        return tuple(sorted(found, key=lambda audit: (audit.mechanism, audit.view, audit.node)))

    def failures(self, twins: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
        """Return unchanged statements that were false inside their hypotheses, with the items that saw it.

        Where one of several ``twins`` failed, all did.
        """
        found: dict[str, list[str]] = {}
        for node, report in sorted(self._reports.items()):
            for name in {twin for failed in report.seen["failed"] for twin in twins.get(failed, (failed,))}:
                found.setdefault(name, []).append(node)
        return {name: tuple(nodes) for name, nodes in found.items()}

    def replacements(self) -> list[str]:
        """List the items that evaluated a statement while part of what it computes with was replaced, and forgeries."""
        return self._objections + [
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
        met = report.seen["met"].get(evidence.citation.target) if evidence.role in SUPPORTING else None
        where, bound = (None, None) if met is None else (Extent.of(met), Bound.of(met))
        told = attrs.evolve(evidence, outcome=outcome, seen=where, bound=bound)
        return attrs.evolve(told, seconds=report.seconds, detail=report.detail)
