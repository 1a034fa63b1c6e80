"""What several modules share."""

from __future__ import annotations

from flint import arb, fmpq


def same(left: fmpq, right: fmpq) -> arb:
    """Margin of an equation between rationals: zero when they are equal, and negative when not."""
    return -arb(abs(left - right))
