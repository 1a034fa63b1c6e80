"""Theorems about statements of `beyond`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq_mat

from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.theorems import about
from dpmatrix.spec.beyond.coupled_traces import CoupledPair
from dpmatrix.spec.beyond.k_norm import AnyPair, KNormPoint
from dpmatrix.spec.beyond.lower_bound import Moved

theorems = about("beyond")
LARGE = fmpq_mat([[4, 1], [1, 3]])
REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
POINTS: dict[str, list[Any]] = {
    "beyond.coupled-traces-privacy": [
        CoupledPair(LARGE, LARGE, (1, 0), (0, 1), 1, Fraction(1)),
        CoupledPair(LARGE, LARGE, (Fraction(1, 2), 0), (0, 0), 3, Fraction(2)),
    ],
    "beyond.k-norm-privacy": [
        KNormPoint(LARGE, (Fraction(1, 2), 0), (0, 1), 1, Fraction(1), REPLACE),
        KNormPoint(LARGE, (Fraction(1, 2), Fraction(1, 2)), (0, 0), 2, Fraction(1), ADD),
    ],
    "beyond.k-norm-sampler": [
        AnyPair(LARGE, fmpq_mat([[1, 0], [0, 1]])),
        AnyPair(fmpq_mat([[1, 2], [2, 1]]), fmpq_mat([[0, 0], [0, 5]])),
    ],
    "beyond.least-noise/tangent": [
        Moved(3, Fraction(9), Fraction(1, 5), REPLACE, Fraction(1)),
        Moved(8, Fraction(1, 3), Fraction(1), ADD, Fraction(1)),
    ],
}
"""Where few points are inside the hypotheses."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
