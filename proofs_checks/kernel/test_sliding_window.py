"""Theorems about statements of `sliding-window`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from fractions import Fraction

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.sliding_window.directional_variance import Plane
from dpmatrix.spec.sliding_window.lower_bound_entries import Block

theorems = about("sliding-window")
POINTS = {
    "sliding-window.theorem-15/inner-product": [Plane(Fraction(3, 5), Fraction(4, 5))],
    "sliding-window.theorem-19/diagonal": [Block(3, 2, 162, 5, Fraction(1, 400), 3)],
}
"""Where few points are inside the hypotheses, or few fail."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
