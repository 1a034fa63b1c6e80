"""Hypotheses that recur, as named conditions on the fields of a point."""

from __future__ import annotations

from typing import Any

from flint import arb

from dpmatrix.claims import Condition
from dpmatrix.claims.decisions import Margin
from dpmatrix.exact import Real, ball


def positive(field: str) -> Condition:
    """``field > 0``."""

    def margin(point: Any) -> arb:  # noqa: ANN401 - any point that has the field
        return ball(getattr(point, field))

    return Condition(f"{field} > 0", margin, strict=True, of=field)


def at_least(field: str, bound: Real) -> Condition:
    """``field >= bound``."""

    def margin(point: Any) -> arb:  # noqa: ANN401 - any point that has the field
        return ball(getattr(point, field)) - ball(bound)

    return Condition(f"{field} >= {bound}", margin, of=field)


def at_most(field: str, bound: Real) -> Condition:
    """``field <= bound``."""

    def margin(point: Any) -> arb:  # noqa: ANN401 - any point that has the field
        return ball(bound) - ball(getattr(point, field))

    return Condition(f"{field} <= {bound}", margin, of=field)


def below(field: str, bound: Real) -> Condition:
    """``field < bound``."""

    def margin(point: Any) -> arb:  # noqa: ANN401 - any point that has the field
        return ball(bound) - ball(getattr(point, field))

    return Condition(f"{field} < {bound}", margin, strict=True, of=field)


def whole(field: str, least: int) -> Condition:
    """``field`` is an integer of at least ``least``."""

    def margin(point: Any) -> arb:  # noqa: ANN401 - any point that has the field
        value = getattr(point, field)
        return arb(value - least) if isinstance(value, int) else arb(-1)

    return Condition(f"{field} >= {least}, an integer", margin, of=field)


def exceeds(says: str, margin: Margin, *, strict: bool = True) -> Condition:
    """Build any other hypothesis: a sentence and its margin, strict unless said otherwise."""
    return Condition(says, margin, strict)


def equality(left: arb, right: arb) -> arb:
    """Margin of an equation: zero when both sides agree exactly, negative when they certainly differ."""
    return -abs(left - right)
