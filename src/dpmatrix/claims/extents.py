"""How far an item looked: at how many points and boxes it met its statement, and between which numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import attrs

_Ends = tuple[float, float]


@attrs.frozen
class Extent:
    """Where a run saw an item meet its statement, as against the region that its author typed.

    Parameters
    ----------
    points, boxes
        How many it met.
    compared
        At how many points the margin was compared with a formula.
    ranges
        Least and greatest value of each numeric field, by name; infinite where a box has no end.
    """

    points: int
    boxes: int
    compared: int
    ranges: tuple[tuple[str, _Ends], ...] = ()

    @classmethod
    def of(cls, met: Mapping[str, Any]) -> Extent:
        """Read what a run says of where a statement was met, or what `to_json` wrote."""
        ends = {name: (_end(low, -math.inf), _end(high, math.inf)) for name, (low, high) in met["ranges"].items()}
        return cls(met["points"], met["boxes"], met["compared"], tuple(sorted(ends.items())))

    @property
    def words(self) -> str:
        """For a reader: "24 points, 1 box; dimension 1 to 5, epsilon 2"."""
        counts = [_counted(self.points, "point", "points"), _counted(self.boxes, "box", "boxes")]
        counts.append(f"{self.compared} compared with a formula" if self.compared else "")
        fields = [f"{name} {low:.4g}" + (f" to {high:.4g}" if low != high else "") for name, (low, high) in self.ranges]
        return "; ".join(filter(None, [", ".join(filter(None, counts)), ", ".join(fields)]))

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object, in which an end that is infinite is null; the inverse of `of`."""
        ranges = {name: [end if math.isfinite(end) else None for end in ends] for name, ends in self.ranges}
        return {"points": self.points, "boxes": self.boxes, "compared": self.compared, "ranges": ranges}


def _end(value: float | None, unknown: float) -> float:
    return value if value is not None and math.isfinite(value) else unknown


def _counted(number: int, thing: str, things: str) -> str:
    return f"{number} {thing if number == 1 else things}" if number else ""
