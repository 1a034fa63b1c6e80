"""Theorems about statements of `near-optimal`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.near_optimal.fano import Estimation
from dpmatrix.spec.near_optimal.mod_sulq_change import RecordChange
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.spec.near_optimal.ppca import PpcaNeighbours
from dpmatrix.spec.near_optimal.ppca_algorithm import SampledPair
from dpmatrix.spec.near_optimal.ppca_proof import ScoreChange
from dpmatrix.spec.near_optimal.privacy import TwoLaws
from dpmatrix.spec.near_optimal.utility import Decomposition, OtherTop
from dpmatrix.spec.wishart.ppca import PpcaPoint
from dpmatrix.spec.wishart.top_eigenvector import TopVectorOutput
from proofs_checks.exact_matrices import conjugated, diagonal

theorems = about("near-optimal")
HALF = Fraction(1, 2)
COSINE, SINE = Fraction(3, 5), Fraction(4, 5)
TURN = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])
TURNED, UNIT = conjugated((2, 1), TURN), diagonal([1, 1, 1])
TOP, BESIDE = fmpq_mat([[1], [0]]), fmpq_mat([[COSINE.numerator], [SINE.numerator]]) / fmpq(5)
RECORDS = fmpq_mat([[1, 1, 0], [0, 0, 1]])
"""Records e_1, e_1 and e_2, whose top eigenvector is e_1 or -e_1."""
UNEQUAL = [tuple(int(i != j) for j in range(4)) for i in range(4)]
POINTS: dict[str, list[Any]] = {
    "near-optimal.algorithm-2/total-variation": [
        SampledPair(HALF, Fraction(1, 4), Fraction(11, 20), Fraction(1, 5), 2, Fraction(1, 20))
    ],
    "near-optimal.definition-2+repair": [
        OtherTop(TURNED, TURN, (2, 1), (HALF, 3), other=(-COSINE, -SINE)),
        OtherTop(diagonal([3, 1, 0]), UNIT, (3, 1, 0), (COSINE, 0, SINE), other=(-1, 0, 0)),
    ],
    "near-optimal.definition-3": [
        TwoLaws((HALF, HALF), (Fraction(1, 3), Fraction(2, 3)), 2),
        TwoLaws((HALF, HALF, 0), (Fraction(1, 3), 0, Fraction(2, 3)), 3),
    ],
    "near-optimal.sulq": [ModSulq(2, 1, 100, HALF)],
    "near-optimal.theorem-13": [
        Estimation(((HALF, HALF), (Fraction(1, 3), Fraction(2, 3))), ((0, 1), (1, 0)), 1, Fraction(1, 10)),
        Estimation(((Fraction(1, 4),) * 4,) * 4, tuple(UNEQUAL), 1, Fraction(1, 100)),
    ],
    "near-optimal.theorem-5/bound-19": [
        RecordChange(4, (1, 0), (COSINE, SINE)),
        RecordChange(1, (COSINE, 0, SINE), (0, 1, 0)),
    ],
    "near-optimal.theorem-5/last-term": [
        RecordChange(4, (HALF, HALF), (0, -HALF)),
        RecordChange(7, (COSINE, 0, HALF), (0, HALF, 0)),
    ],
    "near-optimal.theorem-6": [
        PpcaNeighbours(RECORDS, fmpq_mat([[1, 1, fmpq(3, 5)], [0, 0, fmpq(4, 5)]]), 1, HALF),
        PpcaNeighbours(TOP / 2, BESIDE, 1, 2),
    ],
    "near-optimal.theorem-6/score-difference": [
        ScoreChange(RECORDS, fmpq_mat([[1, 1, 3], [0, 0, 2]]), (COSINE, SINE)),
        ScoreChange(TOP, BESIDE, (3, -2)),
    ],
    "near-optimal.utility-identity": [
        Decomposition(TURNED, TURN, (2, 1), (HALF, 3)),
        Decomposition(diagonal([3, -1, 0]), UNIT, (3, -1, 0), (1, 2, HALF)),
    ],
    "wishart.definition-6+repair": [
        TopVectorOutput(RECORDS, TOP, -TOP, ((TOP, HALF), (BESIDE, HALF)), rho, Fraction(1, 10))
        for rho in (Fraction(1, 3), SINE)
    ],
    "near-optimal.theorem-7/sufficient": [
        PpcaPoint(2, 1791, Fraction(1, 10), Fraction(3, 5), Fraction(2, 5), Fraction(3, 10), Fraction(1, 20)),
        PpcaPoint(3, 9000, Fraction(1, 10), HALF, Fraction(1, 4), HALF, Fraction(1, 100)),
    ],
}
"""Where the statement has no expression, or few points are inside the hypotheses, or few fail."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
