"""Integrals enclosed by ball arithmetic, for formulas that are written a second time; no evidence by itself."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
from flint import acb, arb, fmpq

from dpmatrix.exact import precision

BITS = 320
DIGITS = 65


def integrated(integrand: Callable[[acb], acb], start: arb | fmpq, end: arb | fmpq) -> mpmath.mpf:
    """Integrate an entire function to 65 digits after the point."""
    with precision(BITS):
        total = acb.integral(lambda x, _: integrand(x), acb(start), acb(end)).real
    assert total.rad() < arb(10) ** -DIGITS, total
    with mpmath.workdps(DIGITS):
        return mpmath.mpf(total.str(DIGITS, radius=False))
