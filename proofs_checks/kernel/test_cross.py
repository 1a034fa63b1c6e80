"""Theorems about statements of `cross`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.cross_adjacency import TwoSteps

theorems = about("cross")
LAWS = (fmpq(1, 2), fmpq(1, 2)), (fmpq(2, 5), fmpq(3, 5)), (fmpq(1, 3), fmpq(2, 3))
POINTS: dict[str, list[Any]] = {
    "cross.adjacency/two-steps": [TwoSteps(*LAWS, fmpq(6, 5), fmpq(1, 20)), TwoSteps(*LAWS, fmpq(3, 2), fmpq(1, 100))],
}
"""Where few points are inside the hypotheses."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
