"""Size of the construction of Theorem 19 of `sliding-window`: shared by the evidence, no evidence by itself."""

from __future__ import annotations

from fractions import Fraction

import sympy

WINDOW, DIMENSION, RANK, BLOCKS, ETA = sympy.symbols("window dimension rank blocks eta")
COLUMNS = RANK * BLOCKS / (20 * ETA)
"""``a = k l / (20 eta)``, all blocks together, in the fields of a point."""


def columns(p) -> Fraction:
    """Evaluate `COLUMNS` at a point."""
    return Fraction(p.rank * p.blocks, 20) / p.eta
