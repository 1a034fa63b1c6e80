"""Enclosures of a wanted relative accuracy, and of monotone functions over boxes."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision

LEAST_ACCURACY = 40
"""Bits of relative accuracy that every certified value has."""

GUARD = 13
"""Bits of the working precision that a certified value may lack."""

MOST_PRECISION = 1 << 20
"""Working precision, in bits, at which the search for accuracy gives up."""


def certified(compute: Callable[[], arb], name: str, *, zero_allowed: bool = False) -> arb:
    """Repeat a computation at doubled precision until its relative radius is small.

    Parameters
    ----------
    compute
        Computation whose ball shrinks as the working precision grows, of a value other than zero.
    name
        What is computed, for the message.
    zero_allowed
        Whether the computation may also find that the value is exactly zero.

    Returns
    -------
    arb
        Ball of relative radius at most 2^-40, or 2^(13 - p) at a working precision of p > 53 bits.

    Raises
    ------
    UndecidedError
        If the accuracy is not reached at `MOST_PRECISION` bits.
    """
    accuracy = max(LEAST_ACCURACY, ctx.prec - GUARD)
    bits = accuracy + 2 * GUARD
    while bits <= MOST_PRECISION:
        with precision(bits):
            value = compute()
            if zero_allowed and value.is_zero():
                return value
            if value.is_finite() and value.rad() <= value.abs_lower() * arb(2) ** -accuracy and value != 0:
                return value
        bits *= 2
    raise UndecidedError(f"{name} did not reach {accuracy} bits of accuracy at {MOST_PRECISION} bits of precision")


def hull(smallest: arb, largest: arb) -> arb:
    """Enclose everything between two values."""
    if smallest.is_exact() and largest.is_exact() and smallest == largest:
        return smallest
    return smallest if smallest is largest else smallest.union(largest)


def over_box(smallest: Callable[[], arb], largest: Callable[[], arb], is_point: bool) -> arb:
    """Enclose a monotone function over a box from its values at the two extreme corners."""
    value = smallest()
    return value if is_point else hull(value, largest())
