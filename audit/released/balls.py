"""Balls held against numbers of many digits."""

from __future__ import annotations

from fractions import Fraction

import mpmath
from flint import arb
from mpmath import mpf

CLOSE = mpf(2) ** -39
"""Relative; that of the answers is 2^-40."""


def number(value: Fraction) -> mpf:
    """Return a fraction with the digits that are worked with."""
    return mpf(value.numerator) / value.denominator


def ends(ball: arb) -> tuple[mpf, mpf]:
    """Return the ends of a ball, without rounding."""
    found = []
    for end in (ball.lower(), ball.upper()):
        mantissa, exponent = end.man_exp()
        found.append(mpmath.ldexp(mpf(int(mantissa)), int(exponent)))
    return found[0], found[1]


def encloses(ball: arb, value: mpf, close: mpf = CLOSE) -> bool:
    """Whether a value lies in a ball, up to the digits of the value, and the ball is small."""
    low, high = ends(ball)
    slack = abs(value) * mpf(10) ** (12 - mpmath.mp.dps)
    return bool(low <= value + slack and high >= value - slack and high - low <= 2 * close * abs(value))
