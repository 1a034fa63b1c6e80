"""Theorems about statements of `wishart`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from fractions import Fraction

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.wishart.wishart_perturbation import WishartOutput

theorems = about("wishart")
POINTS = {"wishart.theorem-4/common-support": [WishartOutput(Fraction(1, 2), 3, 1, 0, 1)]}
"""Where few points are inside the hypotheses, or few fail."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
