"""Theorems about statements of `cross`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from dpmatrix.reporting.theorems import about

theorems = about("cross")


@theorems.evidence()
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
