"""Hypotheses that say as much as the conclusion: their margin is everywhere the same multiple of the statement's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flint import arb

if TYPE_CHECKING:
    from dpmatrix.claims.statement import Statement

ENOUGH = 3
"""At so many different values above zero and as many below, a multiple of the margin is no accident."""
_NARROW = 2.0**-20


def restatements(statement: Statement, points: Iterable[Any]) -> dict[str, bool]:
    """Say which hypotheses have a positive multiple of the statement's margin, as far as some points tell.

    Parameters
    ----------
    statement
        The statement.
    points
        Points of its sort; whether the hypotheses hold there does not matter.

    Returns
    -------
    dict
        False for a hypothesis with another margin; True where both margins are in one ratio at `ENOUGH` different
        values of either sign, which those of two equations never are; nothing of others.
    """
    found: dict[str, bool] = {}
    waiting = {condition.says: condition.margin for condition in statement.given}
    pairs: dict[str, list[tuple[arb, arb]]] = {says: [] for says in waiting}
    for point in points:
        if not waiting:
            break
        own = _value(statement.formula, point)
        for says, margin in tuple(waiting.items()) if own is not None else ():
            value = _value(margin, point)
            if own is None or value is None:
                continue
            known = pairs[says]
            if _differ(own, value) or any(not (own * other).overlaps(value * mine) for mine, other in known):
                found[says] = False
            elif own * value > 0 and all(not own.overlaps(mine) for mine, _ in known):
                known.append((own, value))
                above = sum(bool(mine > 0) for mine, _ in known)
                if min(above, len(known) - above) >= ENOUGH:
                    found[says] = True
            if says in found:
                del waiting[says]
    return found


def _differ(own: arb, value: arb) -> bool:
    """Whether one of two margins is certainly no positive multiple of the other."""
    return bool(own * value < 0 or (own == 0 and value != 0) or (value == 0 and own != 0))


def _value(margin: Any, point: Any) -> arb | None:  # noqa: ANN401 - points are the statement's own
    """Return a margin's value, unless it has none there or says little of the number."""
    try:
        value = margin(point)
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError):
        return None
    narrow = value.is_finite() and value.rad() <= _NARROW * (1 if value.contains(0) else abs(value).lower())
    return value if narrow else None
