"""Theorems about statements of `wishart`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat, fmpz_mat

from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.theorems import about
from dpmatrix.spec.common.spectra import SpectralPair
from dpmatrix.spec.sliding_window.sequences import OneOutput
from dpmatrix.spec.wishart.closeness_proof import TopVectorRun
from dpmatrix.spec.wishart.definitions import LawPair
from dpmatrix.spec.wishart.laplace_algorithm import LaplaceRun
from dpmatrix.spec.wishart.low_rank import LowRankRelease
from dpmatrix.spec.wishart.lower_bound_proof import ProjectorData
from dpmatrix.spec.wishart.matrix_inequalities import HermitianPair, IndexedMatrixPair, MatrixPair
from dpmatrix.spec.wishart.projectors import FramePair
from dpmatrix.spec.wishart.scalar_noise import GaussianNoise
from dpmatrix.spec.wishart.wishart_algorithm import PositiveDefiniteSum
from dpmatrix.spec.wishart.wishart_perturbation import SymmetrisedNoise, WishartOutput
from proofs_checks.exact_matrices import cayley, diagonal

theorems = about("wishart")
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
PLANE, SPACE = diagonal([1, 1]), diagonal([1, 1, 1])
TURN = cayley(fmpq_mat([[0, fmpq(1, 40)], [0, 0]]))
TURN_IN_SPACE = cayley(fmpq_mat([[0, fmpq(1, 40), 0], [0, 0, fmpq(1, 50)], [0, 0, 0]]))
PAIRS = [SpectralPair((4, 0), PLANE, (5, 1), TURN, 1), SpectralPair((6, 5, 0), SPACE, (7, 6, 1), TURN_IN_SPACE, 2)]
RUN = TopVectorRun((1, 0), PLANE, (Fraction(6, 5), TENTH), TURN, 1, 100, 1, Fraction(3, 4), TENTH)
FLAT = fmpq_mat([[1, 0], [0, 1], [0, 0], [0, 0]])
TILTED = fmpq_mat([[fmpq(3, 5), 0], [0, fmpq(5, 13)], [fmpq(4, 5), 0], [0, fmpq(12, 13)]])
SKEW = fmpq_mat([[0, 1], [-1, 0]])
LAWS = (fmpq(1, 2), fmpq(1, 3), fmpq(1, 6)), (fmpq(1, 3), fmpq(1, 3), fmpq(1, 3))
GRAM, NOISE = fmpz_mat([[5, 2], [2, 3]]), fmpz_mat([[-1, 4], [4, 0]])
RECORDS = fmpq_mat([[1, 1, 0], [0, 0, 1]])
POINTS: dict[str, list[Any]] = {
    "sliding-window.definition-1": [OneOutput(*LAWS, 1), OneOutput(*LAWS, 2)],
    "wishart.algorithm-1+repair": [
        LaplaceRun(2, 4, 1, 1, 1, GRAM, NOISE, GRAM + NOISE),
        LaplaceRun(2, 8, HALF, HALF, 1, NOISE, GRAM, GRAM + NOISE),
    ],
    "wishart.definition-4": [LawPair(*LAWS, fmpq(1), fmpq(1, 10)), LawPair(*LAWS, fmpq(2), fmpq(0))],
    "wishart.lemma-3": PAIRS,
    "wishart.lemma-4+repair": [
        HermitianPair(fmpq_mat([[2, 1], [1, 0]]), SKEW, fmpq_mat([[1, 3], [3, -2]]), -2 * SKEW, i, 5) for i in (1, 2)
    ],
    "wishart.projector-norm-property+repair": [
        FramePair(FLAT, TILTED),
        FramePair(fmpq_mat([[1, 0], [0, 1], [0, 0]]), fmpq_mat([[1, 0], [0, fmpq(3, 5)], [0, fmpq(4, 5)]])),
    ],
    "wishart.psd-preservation": [
        PositiveDefiniteSum(RECORDS, fmpq_mat([[1], [2]]), fmpq_mat([[1], [-3]])),
        PositiveDefiniteSum(SPACE, SPACE, fmpq_mat([[1], [-3], [2]])),
    ],
    "wishart.singular-value-inequality": [
        IndexedMatrixPair(fmpq_mat([[2, 1], [1, 0]]), fmpq_mat([[1, 3], [0, -2]]), i, j)
        for i, j in ((1, 1), (1, 2), (2, 1))
    ],
    "wishart.theorem-2": [GaussianNoise(10, TENTH, 1, Fraction(23, 10), Fraction(231, 1000))],
    "wishart.theorem-4+repair": [
        SymmetrisedNoise(2, Adjacency.REPLACE_ONE, 1, HALF, Fraction(1, 3), Fraction(1, 4)),
        SymmetrisedNoise(3, Adjacency.ADD_REMOVE_ONE, HALF, Fraction(3, 4), 0, 0),
    ],
    "wishart.theorem-4/common-support": [WishartOutput(HALF, 3, 1, 0, 1)],
    "wishart.theorem-6": PAIRS,
    "wishart.theorem-6/davis-kahan": PAIRS,
    "wishart.theorem-6/gap-halves": PAIRS,
    "wishart.theorem-6/weyl": PAIRS,
    "wishart.theorem-6/weyl-in-denominator": PAIRS,
    "wishart.theorem-7+repair": [RUN],
    "wishart.theorem-7/squared-cosine": [RUN],
    "wishart.theorem-7/trace-value": [RUN, PAIRS[0]],
    "wishart.theorem-7/twice-squared-sine": [RUN],
    "wishart.theorem-9+repair": [
        LowRankRelease(TURN, (2, 1), diagonal([HALF, TENTH]), rank, 1, HALF, 1) for rank in (1, 2)
    ],
    "wishart.trace-inequality": [
        MatrixPair(fmpq_mat([[2, 1], [1, 0]]), fmpq_mat([[1, 3], [0, -2]])),
        MatrixPair(TURN_IN_SPACE, diagonal([3, -1, 2])),
    ],
    "wishart.theorem-10/disjoint-balls": [ProjectorData(1, 2, 1, Fraction(1, 4), Fraction(1, 100), 1, 1)],
}
"""Where the statement has no expression, or few points are inside the hypotheses, or few fail."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
