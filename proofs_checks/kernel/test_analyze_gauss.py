"""Theorems about statements of `analyze-gauss`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from typing import Any

from flint import fmpq_mat

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.analyze_gauss.traces import TracePoint
from proofs_checks.exact_matrices import diagonal, line

theorems = about("analyze-gauss")
FIRST, SECOND = fmpq_mat([[1, 2], [3, 4]]), fmpq_mat([[0, -1], [5, 2]])
ROW, COLUMN, NUMBER = fmpq_mat([[1, 2, 3]]), fmpq_mat([[2], [-1], [4]]), fmpq_mat([[3]])
POINTS: dict[str, list[Any]] = {
    "analyze-gauss.trace-properties/idempotent": [
        TracePoint(FIRST, SECOND, 2, ROW, COLUMN, NUMBER, (FIRST, SECOND), idempotent)
        for idempotent in (fmpq_mat([[1, 7], [0, 0]]), line(1, 2), diagonal([1, 1]))
    ],
}
"""Where few points are inside the hypotheses."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
