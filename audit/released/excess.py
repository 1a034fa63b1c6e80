"""The largest epsilon whose noise a computed check passes over: what the check would not have noticed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpmatrix.claims import Excess, Way
from dpmatrix.claims.audits import FINENESS

FIRST = Fraction(103, 100)
MOST = 2**10


def largest_unnoticed(way: Way, claimed: Fraction, passes: Callable[[Fraction], bool]) -> Excess:
    """Find the largest epsilon that passes in place of the claimed one, up to `FINENESS`, by halving.

    Parameters
    ----------
    way
        How the check looks.
    claimed
        The epsilon that is claimed, which passes.
    passes
        Whether the noise for an epsilon passes; false above some epsilon.
    """
    low, high = claimed, claimed * FIRST
    while passes(high):
        low, high = high, 2 * high
        if high > MOST * claimed:
            return Excess(way, float(claimed), None, certain=True)
    while float(high - low) > FINENESS * float(low):
        middle = (low + high) / 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return Excess(way, float(claimed), float(low), certain=True)
