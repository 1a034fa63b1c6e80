"""Theorems about statements of `sliding-window`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from dpmatrix.reporting.theorems import about

theorems = about("sliding-window")


@theorems.evidence()
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
