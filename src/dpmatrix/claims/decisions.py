"""Evaluate a margin until its sign is certain."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from flint import arb, ctx

from dpmatrix.claims.truth import Truth, decide

Margin: TypeAlias = Callable[[Any], arb]

FIRST_PRECISION = 64
LAST_PRECISION = 2048
EQUALITY_PRECISION = 4 * FIRST_PRECISION
EQUALITY = 2.0**-128
"""An undecided margin that is surely smaller at that precision is an equality; another one is of a box too wide."""


def decided(margin: Margin, point: Any, *, strict: bool) -> tuple[Truth, arb]:  # noqa: ANN401 - points are its own
    """Evaluate with growing precision until the sign of the margin is certain, or precision no longer helps.

    Returns
    -------
    tuple
        The answer, and the last value of the margin.
    """
    before = ctx.prec
    try:
        bits, radius, value = FIRST_PRECISION, math.inf, arb("nan")
        while bits <= LAST_PRECISION:
            ctx.prec = bits
            value = margin(point)
            answer = decide(value, strict=strict)
            if answer is not Truth.UNDECIDED:
                return answer, value
            last, radius = radius, float(value.rad())
            if bits > 2 * FIRST_PRECISION and not radius < last / 2:
                break  # the width is the box's own, not rounding
            bits *= 2
    finally:
        ctx.prec = before
    return Truth.UNDECIDED, value


def is_equality(margin: Margin, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
    """Whether the margin is so nearly zero that no precision tells its sign."""
    before = ctx.prec
    try:
        ctx.prec = EQUALITY_PRECISION
        return bool(abs(margin(point)) < EQUALITY)
    finally:
        ctx.prec = before


def is_function(margin: Margin, point: Any) -> bool:  # noqa: ANN401 - points are the statement's own
    """Whether a margin has one finite value at a point: asked twice it answers alike, and with more bits it agrees.

    An infinite one is the least of no numbers: there the statement asks for nothing.
    """
    before = ctx.prec
    try:
        ctx.prec = FIRST_PRECISION
        first, again = margin(point), margin(point)
        ctx.prec = 3 * FIRST_PRECISION
        finer = margin(point)
    finally:
        ctx.prec = before
    same = first.mid() == again.mid() and first.rad() == again.rad()
    return first.is_finite() and same and bool(first.overlaps(finer))
