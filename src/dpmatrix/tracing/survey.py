"""Which statements are traced, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from dpmatrix.claims import Claim, Registry
from dpmatrix.claims.traced import AT_SIZES, EVERYWHERE, NOT, Trace, Traces
from dpmatrix.tracing.expressions import Requirement, UntraceableError, requirements
from dpmatrix.tracing.facts import Facts
from dpmatrix.tracing.rendering import render, render_comparison
from dpmatrix.tracing.settling import answer
from dpmatrix.tracing.tracer import COUNTS, Assertion, Case, Traced, trace


@attrs.frozen
class Entry:
    """A statement, and its expressions or the reason for having none."""

    name: str
    traced: Traced | None
    reason: str = ""

    @property
    def document(self) -> str:
        """The document that the claim is of."""
        return self.name.partition(".")[0]

    @property
    def role(self) -> str:
        """What the statement is to its claim."""
        return "step" if "/" in self.name else "repair" if self.name.endswith("+repair") else "main"

    @property
    def extent(self) -> str:
        """Where the expressions hold: one of `EXTENTS`."""
        if self.traced is None:
            return NOT
        return EVERYWHERE if self.traced.complete else AT_SIZES

    @property
    def kept(self) -> Trace:
        """What is kept of it for readers: where the expressions hold, and why not at every point."""
        if self.traced is None:
            return Trace(NOT, self.reason)
        sizes = ", ".join(map(str, self.traced.sizes))
        counts = f"{COUNTS[0]} to {COUNTS[-1]}"
        limits = [f"traced at sizes {sizes} only"] if sizes else []
        limits += [f"counts with {name}, traced for {counts} only" for name in self.traced.counted]
        return Trace(self.extent, "; ".join(limits))

    def to_json(self) -> dict[str, Any]:
        """Return everything in this entry, for JSON."""
        found: dict[str, Any] = {"statement": self.name, "role": self.role, "traced": self.extent}
        if self.traced is None:
            return {**found, "reason": self.reason}
        cases = [case_record(case) for case in self.traced.cases]
        return {**found, "sizes": list(self.traced.sizes), "counted": list(self.traced.counted), "cases": cases}


def survey(claims: Iterable[Claim]) -> Iterator[Entry]:
    """Trace every statement of some claims."""
    for claim in claims:
        for name, statement in claim.statements().items():
            try:
                yield Entry(name, trace(statement))
            except UntraceableError as error:
                yield Entry(name, None, str(error))


def kept(registry: Registry, entries: Iterable[Entry]) -> Traces:
    """Return what is kept of the statements of some claims."""
    return Traces({entry.name: entry.kept for entry in entries}, dict(registry.fingerprints))


def counts(entries: Iterable[Entry], by: str) -> Mapping[str, Counter[str]]:
    """Count entries by an attribute, ``document`` or ``role``, and within it by extent."""
    found: dict[str, Counter[str]] = {}
    for entry in entries:
        found.setdefault(getattr(entry, by), Counter())[entry.extent] += 1
    return found


def reasons(entries: Iterable[Entry]) -> Counter[str]:
    """Count the reasons for not being traced."""
    return Counter(entry.reason for entry in entries if entry.traced is None)


def case_record(case: Case) -> dict[str, Any]:
    """Return a case in words, for JSON."""
    return {
        "fixed": {name: str(getattr(value, "value", value)) for name, value in case.fixed.items()},
        "variables": {variable.name: variable.sort.value for variable in case.variables},
        "hypotheses": {hypothesis.says: written(hypothesis) for hypothesis in case.hypotheses},
        "conclusion": written(case.inside),
        "defined_where": list(defined_where(case)),
    }


def written(assertion: Assertion) -> str:
    """Write an assertion in one line."""
    return f"{render(assertion.margin)} {'>' if assertion.strict else '>='} 0"


def defined_where(case: Case) -> tuple[str, ...]:
    """Write what the conclusion's divisions, roots, logarithms and powers ask for beyond the hypotheses, each once."""
    return tuple(dict.fromkeys(_written(needed) for needed in open_requirements(case)))


def open_requirements(case: Case) -> Iterator[Requirement]:
    """Yield what the conclusion needs to be defined, less what the hypotheses are known to give."""
    inside = Facts(case.known)
    for needed in requirements(case.conclusion.margin):
        known = [answer(comparison, inside) for comparison, _ in needed.answers]
        if any(found is (not wanted) for found, (_, wanted) in zip(known, needed.answers, strict=True)):
            continue
        way = tuple(asked for found, asked in zip(known, needed.answers, strict=True) if found is None)
        there = Facts((*case.known, *way))
        met = needed.comparison is not None and answer(needed.comparison, there) is needed.answer
        if not (met or there.contradictory):
            yield attrs.evolve(needed, answers=way)


def _written(needed: Requirement) -> str:
    said = "never" if needed.comparison is None else render_comparison(needed.comparison, needed.answer)
    if not needed.answers:
        return said
    return f"{said}, where {' and '.join(render_comparison(*asked) for asked in needed.answers)}"
