"""Where a statement was seen to be true inside its hypotheses."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs
from flint import arb, fmpq, fmpz

from dpmatrix.claims.truth import Truth
from dpmatrix.exact import ball

if TYPE_CHECKING:
    from dpmatrix.claims.statement import Statement


@attrs.define
class Seen:
    """Where a statement was seen to be true inside its hypotheses.

    Parameters
    ----------
    points, boxes
        How many points, and boxes with an inside.
    ranges
        Least and greatest value of each numeric field.
    inside
        The hypotheses that were strictly true at some of the points.
    beyond
        The hypotheses that are strictly true at some point nearby where the statement is not decided.
    samples
        A few of the points.
    several
        Whether two of the points differ, or one is a box.
    others
        Whether another point is known of which the statement speaks.
    hurried
        Whether time ran out before the search had asked at a few points nearby.
    restated
        The hypotheses that say as much as the conclusion, and those that are known not to: see `restatements`.
    """

    points: int = 0
    boxes: int = 0
    ranges: dict[str, tuple[float, float]] = attrs.Factory(dict)
    inside: set[str] = attrs.Factory(set)
    beyond: set[str] = attrs.Factory(set)
    samples: list[Any] = attrs.Factory(list)
    several: bool = False
    others: bool = False
    hurried: bool = False
    restated: dict[str, bool] = attrs.Factory(dict)

    def add(self, point: Any) -> None:  # noqa: ANN401 - points are the statement's own
        """Count a point."""
        wide = is_box(point)
        for name, value in numbers(point):
            enclosed = ball(value)
            low, high = float(enclosed.lower()), float(enclosed.upper())
            known = self.ranges.get(name, (low, high))
            self.ranges[name] = min(low, known[0]), max(high, known[1])
        self.several = self.several or wide or self.is_another(point)
        if wide:
            self.boxes += 1
        else:
            self.points += 1
        if len(self.samples) < 3:  # enough to begin a search at
            self.samples.append(point)

    def is_another(self, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
        """Whether a point differs from the first one; a point without fields is all that there is."""
        kind = type(point)
        return (attrs.has(kind) and not attrs.fields(kind)) or any(repr(one) != repr(point) for one in self.samples[:1])

    def look_inside(self, statement: Statement, point: Any, answer: Truth) -> None:  # noqa: ANN401
        """Note which hypotheses are strictly true at a point of which the statement speaks, and what it says there."""
        known = answer is Truth.TRUE or statement.is_equality(point)
        found = self.inside if known else self.beyond
        found |= {one.says for one in statement.given if one.says not in self.inside and one.inside(point)}

    def to_json(self) -> dict[str, Any]:
        """Return what a report tells of it."""
        return {
            "points": self.points,
            "boxes": self.boxes,
            "ranges": {name: list(ends) for name, ends in sorted(self.ranges.items())},
            "edge": sorted(self.beyond - self.inside),
            "hurried": self.hurried,
            "restated": dict(sorted(self.restated.items())),
            "alone": "" if self.several or self.others else repr(self.samples[:1]),
        }


def numbers(point: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - points are the statement's own
    """Yield the numeric fields of a record."""
    fields = attrs.fields(type(point)) if attrs.has(type(point)) else ()
    for field in fields:
        value = getattr(point, field.name)
        if isinstance(value, int | float | Fraction | fmpq | fmpz | arb):
            yield field.name, value


def is_box(point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
    """Whether some number of a point is a ball with an inside."""
    if isinstance(point, arb):
        return not point.is_exact()
    entries = (getattr(point, field.name) for field in attrs.fields(type(point))) if attrs.has(type(point)) else point
    return (attrs.has(type(point)) or isinstance(point, tuple)) and any(is_box(entry) for entry in entries)
