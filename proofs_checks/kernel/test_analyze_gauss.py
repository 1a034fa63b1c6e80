"""Theorems about statements of `analyze-gauss`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from flint import fmpq_mat

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.analyze_gauss.traces import TracePoint
from proofs_checks.exact_matrices import diagonal, line, scalars

theorems = about("analyze-gauss")
FIRST, SECOND = fmpq_mat([[1, 2], [3, 4]]), fmpq_mat([[0, -1], [5, 2]])
ROW, COLUMN = fmpq_mat([[1, 2, 3]]), fmpq_mat([[2], [-1], [4]])
POINTS = {
    "analyze-gauss.trace-properties/idempotent": [
        TracePoint(FIRST, SECOND, 2, ROW, COLUMN, *scalars(3), (FIRST, SECOND), idempotent)
        for idempotent in (fmpq_mat([[1, 7], [0, 0]]), line(1, 2), diagonal([1, 1]))
    ],
}
"""Where few points are inside the hypotheses."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
