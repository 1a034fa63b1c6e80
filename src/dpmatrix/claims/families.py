"""Families of points that refute a sentence about some number, whatever the number is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from dpmatrix.claims.forms import Chosen, NoFamilyError, Number, Range, agrees_with
from dpmatrix.claims.seen import numbers
from dpmatrix.claims.truth import Truth
from dpmatrix.exact import rational

if TYPE_CHECKING:
    from dpmatrix.claims.statement import Statement

_POWERS = range(-12, 13, 2)
_NUMBERS: Mapping[Range, tuple[Number, ...]] = {
    Range.POSITIVE: tuple(fmpq(10) ** power for power in _POWERS),
    Range.WHOLE: (2, 3, 5, 50, 500, *(10**power for power in _POWERS if power >= 0)),
    Range.SHARE: (
        *(fmpq(10) ** power for power in _POWERS if power < 0),
        *(fmpq(k, 32) for k in range(1, 32)),
    ),
}
_FAR = tuple(fmpq(10) ** power for power in (14, 24, 48))
"""Beyond those; there precision may not suffice to see a failure, and it is enough that no point is seen to hold."""


def ask_family(statement: Statement, family: Callable[..., Any]) -> None:
    """Ask whether a sentence that says that numbers exist fails at every point of a family.

    It must certainly fail at numbers all over the ranges of the fields. It is asked farther out as well, and beyond the
    numbers of its own points: there it must not be seen to hold, nor its hypotheses to fail.

    Parameters
    ----------
    statement, family
        See `Statement.refute`.

    Raises
    ------
    NoFamilyError
        If a point has other numbers, does not certainly meet the hypotheses or does not certainly fail, or if a field
        that comes before the choice changes with it.
    """
    before: dict[str, Any] = {}
    asked = list(choices(statement.exists))
    points = []
    for values in asked:
        point = _point(statement, family, values, before)
        if statement.applies(point) is not Truth.TRUE or statement.concludes(point) is not Truth.FALSE:
            raise NoFamilyError(f"{statement.name} does not certainly fail at the point for {values}")
        points.append(point)
    for place in (0, -1):
        for values in _farther(statement.exists, points[place], asked[place]):
            point = _point(statement, family, values, before)
            if statement.applies(point) is Truth.FALSE or statement.concludes(point) is Truth.TRUE:
                raise NoFamilyError(f"{statement.name} does not fail at the point for {values}")


def choices(exists: Iterable[Chosen]) -> Iterator[dict[str, Number]]:
    """Yield values of the chosen fields, over all of their ranges: all of one field, or ends and middles of several."""
    chosen = tuple(exists)
    values = [_NUMBERS[one.range] for one in chosen]
    if len(chosen) > 1:
        values = [(some[0], *some[:: max(1, len(some) // 4)][1:], some[-1]) for some in values]
    for combination in itertools.product(*values):
        yield {one.field: value for one, value in zip(chosen, combination, strict=True)}


def _point(
    statement: Statement, family: Callable[..., Any], values: Mapping[str, Number], before: dict[str, Any]
) -> Any:  # noqa: ANN401 - points are the statement's own
    """Return the point of a family for some values, which it has, beside those that come before the choice."""
    point = family(**values)
    if not agrees_with(point, values):
        raise NoFamilyError(f"{statement.name}: the point for {values} has other numbers")
    for name in {name for one in statement.exists for name in one.after} - values.keys():
        if before.setdefault(name, getattr(point, name)) != getattr(point, name):
            raise NoFamilyError(f"{statement.name}: {name} comes before the choice, and changes with it")
    return point


def _farther(exists: Iterable[Chosen], point: Any, values: Mapping[str, Number]) -> Iterator[dict[str, Number]]:  # noqa: ANN401
    """Yield values with one of them far out, or beyond a number of the point."""
    own = [abs(rational(value)) for _, value in numbers(point) if not isinstance(value, arb)]
    for chosen in exists:
        for far in [*_FAR, *(number for number in own if 1 / _FAR[-1] ** 2 < number < _FAR[-1] ** 2)]:
            for value in _beyond(chosen.range, far):
                yield {**values, chosen.field: value}


def _beyond(place: Range, number: fmpq) -> list[Number]:
    if place is Range.WHOLE:
        return [2 * int(number.ceil())]
    inside = number if number < 1 else 1 / number
    return [inside / 2, (1 + inside) / 2] if place is Range.SHARE else [2 * number, 1 / (2 * number)]
