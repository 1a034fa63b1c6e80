"""Intervals cut into cells, and functions that follow a slope on each: shared by checks of profiles."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, fmpq


def cells(lower: fmpq, upper: fmpq, count: int) -> list[tuple[fmpq, fmpq]]:
    """Cut an interval into cells of equal length."""
    step = (upper - lower) / count
    return [(lower + step * i, lower + step * (i + 1)) for i in range(count)]


def follows(value: Callable[[fmpq], arb], slope: Callable[[arb], arb], where: list[tuple[fmpq, fmpq]]) -> bool:
    """On every cell the slope is certainly positive, and the increments agree with it by the mean value theorem."""
    for left, right in where:
        derivative = slope(arb(left).union(arb(right)))
        if not derivative > 0:
            return False
        if not (value(right) - value(left)).overlaps(derivative * arb(right - left)):
            return False
    return True
