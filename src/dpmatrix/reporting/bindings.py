"""How the formula of each proof is bound to its statement, and the reason where it is not bound by expression."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from dpmatrix.claims import Grade, Registry, Role, held
from dpmatrix.claims.evidence import BOUNDS, Bound
from dpmatrix.claims.traced import AT_SIZES, EVERYWHERE, Trace, Traces
from dpmatrix.reporting.sentences import counted
from dpmatrix.reporting.terminal import table_text

FORMULAS = frozenset({Grade.DERIVED.value, Grade.SYMBOLIC.value})
"""Grades of items that prove a formula."""
SUPPORTS = frozenset({Role.SUPPORTS.value, Role.SUPPORTS_REPAIR.value})
NOT_ASKED = "not traced since the claim changed"
COULD_BE = "an expression is known, so that it could be"
NO_RUN = "no run says"
_TRACED = {EVERYWHERE: "has an expression at every point", AT_SIZES: "has expressions at small sizes alone"}


def has_formula(item: Mapping[str, Any]) -> bool:
    """Whether a piece of evidence supports its statement with something that is a formula."""
    return item["role"] in SUPPORTS and item["grade"] in FORMULAS


def add_bindings(described: Iterable[dict[str, Any]], registry: Registry, traces: Traces | None) -> None:
    """Add to claims, as `dpmatrix.claims.describe` returns them, how their formulas are bound, and why not better.

    Parameters
    ----------
    described
        The claims. Each piece of evidence gets ``not_by_expression``, the reason; empty where its formula is bound by
        expression, and where it has no formula. Each claim gets ``bindings``, one record a statement that is held to
        be true, with the best of its pieces.
    registry
        The claims as they are now.
    traces
        What the tracer found; nothing is taken from it of a claim that changed since.
    """
    for claim in described:
        known = _known(claim["id"], registry, traces)
        for item in claim["evidence"]:
            item["not_by_expression"] = _reason(item["bound"], known.get(item["target"])) if has_formula(item) else ""
        claim["bindings"] = [
            _row(name, claim["evidence"], known.get(name))
            for name in registry[claim["id"]].statements()
            if name in held(registry[claim["id"]])
        ]


def _known(claim: str, registry: Registry, traces: Traces | None) -> Mapping[str, Trace]:
    if traces is None or traces.fingerprints.get(claim) != registry.fingerprints[claim]:
        return {}
    return traces.statements


def _reason(bound: str | None, trace: Trace | None) -> str:
    if bound == Bound.EXPRESSION.value:
        return ""
    if trace is None:
        return NOT_ASKED
    return trace.reason or COULD_BE


def _row(name: str, evidence: Iterable[Mapping[str, Any]], trace: Trace | None) -> dict[str, Any]:
    items = [item for item in evidence if item["target"] == name and has_formula(item)]
    bounds = [Bound(item["bound"]) for item in items if item["bound"] is not None]
    best = min(bounds, key=BOUNDS.index).value if bounds else None
    return {
        "statement": name,
        "traced": None if trace is None else trace.extent,
        "bound": best,
        "not_by_expression": _reason(best, trace) if items else "",
        "items": dict(Counter(item["bound"] or NO_RUN for item in items)),
        "derived": sum(item["grade"] == Grade.DERIVED.value for item in items),
    }


def bindings_text(described: Iterable[Mapping[str, Any]]) -> str:
    """Return for a person how many statements are bound how, why not by expression, and which could be."""
    rows = [row for claim in described for row in claim["bindings"] if row["items"]]
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        counts.setdefault(_sort(row), Counter())[row["bound"] or NO_RUN] += 1
    columns = (*(bound.value for bound in BOUNDS), NO_RUN)
    total: Counter[str] = sum(counts.values(), Counter())
    order = [*_TRACED.values()]
    sorts = sorted(counts, key=lambda sort: (order.index(sort[0]) if sort[0] in order else 2, -counts[sort].total()))
    shown = [
        (": ".join(filter(None, sort)), *(str(counts[sort][one]) for one in columns), str(counts[sort].total()))
        for sort in sorts
    ]
    shown.append(("all", *(str(total[one]) for one in columns), str(total.total())))
    items: Counter[str] = sum((Counter(row["items"]) for row in rows), Counter())
    told = ", ".join(f"{items[one]} {one}" for one in columns if items[one])
    pieces = counted(items.total(), "piece of evidence", "pieces of evidence")
    caption = (
        "statements that are held to be true, with symbolic or derived support: each by the best of its items; "
        f"the items: {pieces}, {told}"
    )
    open_ones = [row for row in rows if row["traced"] == EVERYWHERE and row["bound"] != Bound.EXPRESSION.value]
    lines = [
        f"{row['statement']}: {row['bound'] or NO_RUN}, {counted(row['derived'], 'derived item')}" for row in open_ones
    ]
    heading = f"not bound by expression, though an expression is known: {len(open_ones)}"
    table = table_text(("the margin", *columns, "statements"), shown, caption)
    return "\n".join([table, heading, *lines, ""])


def _sort(row: Mapping[str, Any]) -> tuple[str, str]:
    if row["traced"] in _TRACED:
        return _TRACED[row["traced"]], ""
    return "has no expression", row["not_by_expression"] or NOT_ASKED
