"""Size of the construction of Theorem 19 of `sliding-window`: shared by the evidence, no evidence by itself."""

from __future__ import annotations

from fractions import Fraction


def columns(p) -> Fraction:
    """Count the columns of all blocks together: ``a = k l / (20 eta)``."""
    return Fraction(p.rank * p.blocks, 20) / p.eta
