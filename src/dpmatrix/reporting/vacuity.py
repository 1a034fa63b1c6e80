"""Whether evidence notices an empty statement, and whether a hypothesis is needed: tried by machine, for every claim.

In a run with ``--margins KIND`` each statement stands with another margin: a constant, or the sign of its own. An item
about it notices if it fails, or passes without seeing what its role needs. In a run with ``--hypotheses`` each of the
hypotheses is looked at alone: is there a point that violates it and no other, and at which the conclusion is false?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import attrs
from flint import arb

from dpmatrix.claims import Claim, Observed, Registry, Statement, Step, Truth
from dpmatrix.claims.conditions import Condition
from dpmatrix.claims.tried import Need
from dpmatrix.claims.variations import variations

Replacement: TypeAlias = Callable[[arb], arb]

VARIATIONS = 200
"""How many points near each known one are tried for one hypothesis."""


def _sign(margin: arb) -> arb:
    """Return the sign of a margin; where it is not certain, the margin itself."""
    if margin > 0:
        return arb(1)
    return arb(-1) if margin < 0 else margin


MARGINS: Mapping[str, Replacement] = {
    "zero": lambda _: arb(0),
    "one": lambda _: arb(1),
    "minus-one": lambda _: arb(-1),
    "sign": _sign,
}
"""What a margin is replaced by."""


def replaced(registry: Registry, kind: str) -> Registry:
    """Return the claims with other margins in all their statements.

    Parameters
    ----------
    registry
        The claims as they are.
    kind
        A key of `MARGINS`.
    """
    return Registry.of([_emptied(claim, MARGINS[kind]) for claim in registry])


def _emptied(claim: Claim, change: Replacement) -> Claim:
    repair = claim.repair
    steps: list[Step] = [attrs.evolve(step, statement=_empty(step.statement, change)) for step in claim.steps]
    return attrs.evolve(
        claim,
        statement=_empty(claim.statement, change),
        repair=None if repair is None else attrs.evolve(repair, statement=_empty(repair.statement, change)),
        steps=tuple(steps),
    )


def _empty(statement: Statement, change: Replacement) -> Statement:
    formula = statement.formula

    def margin(point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
        return change(formula(point))

    margin.__module__ = statement.source.__module__  # where its points are at home
    return attrs.evolve(statement, margin=margin, law=None)


def needs(statement: Statement, observed: Observed) -> dict[str, Need]:
    """Search for what each hypothesis excludes, near the points that the observer knows.

    Parameters
    ----------
    statement
        A statement that is held to be true.
    observed
        Where it was met, and the points that were shown to be excluded.
    """
    met = observed.met[statement].samples if statement in observed.met else []
    found = {}
    for condition in statement.given:
        shown = observed.excluded.get((statement, condition.says))
        starts = [*met] if shown is None else [shown, *met]
        near = (point for start in starts for point in variations(start, condition.says, VARIATIONS))
        found[condition.says] = _need(statement, condition, [*starts, *near])
    return found


def _need(statement: Statement, condition: Condition, points: Iterable[Any]) -> Need:
    best = Need.NOT_FOUND
    bare = statement.without(condition.says)
    for point in points:
        try:
            excluded = condition.at(point) is Truth.FALSE and bare.speaks_of(bare.exhibiting(point))
        except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError):
            continue  # a hypothesis that has no value there excludes nothing by itself
        if not excluded:
            continue
        answer = bare.consider(point)
        if answer is None or not answer[1].is_finite():
            best = Need.DOMAIN
        elif answer[0] is Truth.FALSE:
            return Need.NEEDED
    return best
