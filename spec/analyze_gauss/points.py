"""What several modules share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from flint import arb, fmpq

from dpmatrix.exact import Exact, rational


def same(left: fmpq, right: fmpq) -> arb:
    """Margin of an equation between rationals: zero when they are equal, and negative when not."""
    return -arb(abs(left - right))


def decreasing_to_zero(values: Sequence[Exact]) -> arb:
    """Least of the last value and the drops from one value to the next."""
    exact = [rational(value) for value in values]
    return arb(min([exact[-1], *(large - small for large, small in pairwise(exact))]))
