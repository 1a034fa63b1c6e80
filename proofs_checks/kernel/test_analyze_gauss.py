"""Theorems about statements of `analyze-gauss`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_mat

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.analyze_gauss.decompositions import Decomposition
from dpmatrix.spec.analyze_gauss.traces import TracePoint
from dpmatrix.spec.common.spectra import SpectralPair
from proofs_checks.exact_matrices import cayley, diagonal, line

theorems = about("analyze-gauss")
FIRST, SECOND = fmpq_mat([[1, 2], [3, 4]]), fmpq_mat([[0, -1], [5, 2]])
ROW, COLUMN, NUMBER = fmpq_mat([[1, 2, 3]]), fmpq_mat([[2], [-1], [4]]), fmpq_mat([[3]])
TRACES = [
    TracePoint(FIRST, SECOND, 2, ROW, COLUMN, NUMBER, (FIRST, SECOND), idempotent)
    for idempotent in (fmpq_mat([[1, 7], [0, 0]]), line(1, 2), diagonal([1, 1]))
]
TURN = cayley(fmpq_mat([[0, fmpq(1, 3)], [0, 0]]))
TURN_IN_SPACE = cayley(fmpq_mat([[0, fmpq(1, 2), 0], [0, 0, -1], [0, 0, 0]]))
ORTHONORMAL = fmpq_mat([[fmpq(3, 5), 0], [0, 1], [fmpq(4, 5), 0]])
POINTS: dict[str, list[Any]] = {
    "analyze-gauss.svd-relations+repair": [
        Decomposition(ORTHONORMAL, (3, 1), TURN),
        Decomposition(diagonal([1, 1, 1]), (2, 1, 1), TURN_IN_SPACE),
    ],
    "analyze-gauss.svd-relations/existence": [
        Decomposition(ORTHONORMAL, (3, 0), TURN),
        Decomposition(diagonal([1, 1, 1]), (2, 1, 1), TURN_IN_SPACE),
    ],
    "analyze-gauss.theorem-4/3-noise": [
        SpectralPair((3, -1), diagonal([1, 1]), (2, 1), TURN, 1),
        SpectralPair((3, 2, 0), diagonal([1, 1, 1]), (4, 1, -1), TURN_IN_SPACE, 2),
    ],
    "analyze-gauss.trace-properties/differential": TRACES,
    "analyze-gauss.trace-properties/idempotent": TRACES,
}
"""Where the statement has no expression, or few points are inside the hypotheses."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
