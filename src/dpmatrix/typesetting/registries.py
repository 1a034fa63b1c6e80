"""All claims as formulas."""

from __future__ import annotations

from dpmatrix.claims import Registry
from dpmatrix.claims.traced import NOT, Traces
from dpmatrix.typesetting.statements import Typeset, typeset


def typeset_claims(registry: Registry, traces: Traces | None = None) -> dict[str, Typeset]:
    """Return the statements of claims, and their repairs, by name as formulas, where there are some.

    Parameters
    ----------
    registry
        The claims.
    traces
        What the tracer found: what had no expression then is not traced again, unless its claim changed.
    """
    found = {}
    for claim in registry:
        repaired = [] if claim.repair is None else [claim.repair.statement]
        for statement in (claim.statement, *repaired):
            if _had_none(statement.name, claim.id, registry, traces):
                continue
            shown = typeset(statement)
            if shown is not None:
                found[statement.name] = shown
    return found


def _had_none(name: str, claim: str, registry: Registry, traces: Traces | None) -> bool:
    if traces is None or name not in traces.statements or traces.statements[name].extent != NOT:
        return False
    return traces.fingerprints.get(claim) == registry.fingerprints[claim]
