"""Certify a statement over a box of parameters by subdivision."""

from __future__ import annotations

from collections import deque
from typing import Any

import attrs
from flint import arb

from dpmatrix.claims.statement import Statement
from dpmatrix.claims.truth import Truth
from dpmatrix.exact import Real, ball


@attrs.frozen
class Certificate:
    """Outcome of a subdivision.

    Parameters
    ----------
    answer
        TRUE: the statement holds at every point of the box that meets the hypotheses.
        FALSE: ``witness`` is a sub-box on which the hypotheses hold and the statement fails.
        UNDECIDED: ``witness`` is a sub-box on which the budget ran out.
    proved
        Number of sub-boxes on which the statement was proved.
    excluded
        Number of sub-boxes on which a hypothesis is certainly false.
    """

    answer: Truth
    proved: int
    excluded: int
    witness: Any = None


def interval(low: Real, high: Real) -> arb:
    """Return the smallest ball that contains both ends."""
    return ball(low).union(ball(high))


def _wide_fields(point: Any) -> dict[str, arb]:  # noqa: ANN401 - points are the statement's own
    values = {field.name: getattr(point, field.name) for field in attrs.fields(type(point))}
    return {name: value for name, value in values.items() if isinstance(value, arb) and not value.is_exact()}


def _split(point: Any, root: dict[str, float]) -> tuple[Any, Any]:  # noqa: ANN401
    """Halve the field that is widest relative to its width in the root box."""
    wide = _wide_fields(point)
    name = max(wide, key=lambda key: float(wide[key].rad()) / root[key])
    value = wide[name]
    middle = value.mid()
    return (
        attrs.evolve(point, **{name: value.lower().union(middle)}),
        attrs.evolve(point, **{name: middle.union(value.upper())}),
    )


def _centre(point: Any) -> Any:  # noqa: ANN401
    return attrs.evolve(point, **{name: value.mid() for name, value in _wide_fields(point).items()})


def _holds_at(statement: Statement, point: Any) -> bool:  # noqa: ANN401
    """Whether a point meets the hypotheses and the statement is seen to be true there."""
    return statement.applies(point) is Truth.TRUE and statement.conclusion(point) is Truth.TRUE


def certify(statement: Statement, box: Any, *, budget: int = 20_000) -> Certificate:  # noqa: ANN401
    """Prove a statement on a box, find a sub-box that refutes it, or give up.

    Parameters
    ----------
    statement
        The statement; its hypotheses cut the box, they need not hold on all of it.
    box
        An attrs record whose ball-valued fields with positive radius span the box.
    budget
        The largest number of sub-boxes to examine.

    Returns
    -------
    Certificate
        TRUE only if every sub-box was proved or lies outside the hypotheses, and some point of a proved sub-box
        certainly meets the hypotheses: a vacuous truth is no answer.
    """
    root = {name: float(value.rad()) for name, value in _wide_fields(box).items()}
    queue = deque([box])  # breadth first: depth first would spend the budget where the margin crosses zero
    proved, excluded, examined, inhabited = 0, 0, 0, False
    while queue:
        here = queue.popleft()
        examined += 1
        applies = statement.applies(here)
        if applies is Truth.FALSE:
            excluded += 1
            continue
        answer = statement.conclusion(here)
        if answer is Truth.TRUE:
            proved += 1
            inhabited = inhabited or applies is Truth.TRUE or _holds_at(statement, _centre(here))
        elif answer is Truth.FALSE and applies is Truth.TRUE:
            return Certificate(Truth.FALSE, proved, excluded, here)
        elif examined >= budget or not _wide_fields(here):
            return Certificate(Truth.UNDECIDED, proved, excluded, here)
        else:
            queue.extend(_split(here, root))
    return Certificate(Truth.TRUE if inhabited else Truth.UNDECIDED, proved, excluded)
