"""Whether evidence notices an empty statement, and whether a hypothesis is needed: tried by machine, for every claim.

In a run with ``--margins KIND`` a statement stands with another margin: a constant, or the sign of its own. An item
about it notices if it objects, or passes without seeing what its role needs; an item that crashes notices nothing. Of
several statements that an item is about one is emptied at a time, the one with the number ``--turn``: the others would
be noticed in its place.

In a run with ``--hypotheses`` each of the hypotheses is looked at alone: is there a point that violates it and no
other, and at which the conclusion is false?
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

import attrs
from flint import arb

from dpmatrix.claims import Claim, Observed, Registry, Statement, Step, Truth
from dpmatrix.claims.conditions import Condition
from dpmatrix.claims.decisions import Margin
from dpmatrix.claims.forms import Law
from dpmatrix.claims.tried import Need
from dpmatrix.claims.variations import variations

Replacement: TypeAlias = Callable[[arb], arb]

VARIATIONS = 200
"""How many points near each known one are tried for one hypothesis."""
_TELLING = tuple(Need)
SECONDS = 3
"""Processor time for one hypothesis of one statement, in one item."""
MEMORY = 4 << 30
"""Bytes of addresses that the search for one hypothesis may use."""


def _sign(margin: Any) -> arb:  # noqa: ANN401 - a ball, or an expression
    """Return the sign of a margin; where it is not certain, the margin itself; of a margin in symbols, one."""
    if not isinstance(margin, arb):  # for sympy the sign of an unknown margin has no end
        return arb(1)
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
    """Replace the margin, and with it the bound of a law, whose quantity stays what it is."""
    formula, law = statement.formula, statement.law

    def margin(point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
        return change(formula(point))

    margin.__module__ = statement.source.__module__  # where its points are at home
    margin.__annotations__ = getattr(statement.source, "__annotations__", {})  # what its points are
    margin.__wrapped__ = statement.source  # type: ignore[attr-defined]  # where the names in these are looked up
    return attrs.evolve(
        statement, margin=margin, law=None if law is None else attrs.evolve(law, bound=_bound(law, change))
    )


def _bound(law: Law, change: Replacement) -> Margin:
    """Return the bound with which a law has the changed margin."""
    quantity, bound, sense = law.quantity, law.bound, 1 if law.at_most else -1

    def changed(point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
        value = quantity(point)
        return value + sense * change(sense * (bound(point) - value))

    return changed


def needs(statement: Statement, observed: Observed, known: Container[str] = ()) -> dict[str, Need]:
    """Search for what each hypothesis excludes, near the points that the observer knows.

    Parameters
    ----------
    statement
        A statement that is held to be true.
    observed
        Where it was met, and the points that were shown to be excluded.
    known
        Hypotheses that need no search.
    """
    met = observed.met[statement].samples if statement in observed.met else []
    found = {}
    for condition in (one for one in statement.given if one.says not in known):
        shown = observed.excluded.get((statement, condition.says))
        starts = [*met] if shown is None else [shown, *met]
        near = chain.from_iterable(variations(start, condition.says, VARIATIONS) for start in starts)
        found[condition.says] = _last(_found(statement, condition, chain(starts, near)))
    return found


def _found(statement: Statement, condition: Condition, points: Iterable[Any]) -> Iterator[Need]:
    """Yield what is found of a hypothesis, each time something more telling is."""
    bare = statement.without(condition.says)
    outside = False
    for point in points:
        try:
            excluded = condition.at(point) is Truth.FALSE and bare.speaks_of(bare.exhibiting(point))
        except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError):
            continue  # a hypothesis that has no value there excludes nothing by itself
        if not excluded:
            continue
        answer = bare.consider(point)
        if answer is not None and answer[1].is_finite() and answer[0] is Truth.FALSE:
            yield Need.NEEDED
            return
        if not outside and (answer is None or not answer[1].is_finite()):
            outside = True
            yield Need.DOMAIN


def _last(found: Iterator[Need]) -> Need:
    """Return the last of what is found, by a child of this process with a limit of time and of memory.

    Outside its hypotheses a margin may take any time, and any memory: a dimension is a number like others there.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(receiver)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            for need in found:
                os.write(sender, bytes([_TELLING.index(need)]))
        finally:
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as told:
        said = told.read()
    os.waitpid(child, 0)
    return _TELLING[said[-1]] if said else Need.NOT_FOUND
