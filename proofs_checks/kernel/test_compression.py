"""Theorems about statements of `compression`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.common.spectra import SpectralPair
from dpmatrix.spec.compression.covariances import CovariancePair, NearbyPair
from dpmatrix.spec.compression.definitions import PrivacyAlgorithm, TwoLaws
from dpmatrix.spec.compression.distributional_loss import ThreeCovariances
from dpmatrix.spec.compression.eigenvalue_assumption import EigenvalueAssumption
from dpmatrix.spec.compression.procedures import RejectionTable, TwoCentres
from dpmatrix.spec.compression.restricted_neighbours import FiniteMechanism
from dpmatrix.spec.compression.truncated_loss import OutputPoint, TruncatedPair
from dpmatrix.spec.compression.truncated_mass import TruncationSetting
from proofs_checks.exact_matrices import cayley, correlated, diagonal

theorems = about("compression")
QUARTER, THIRD = Fraction(1, 4), Fraction(1, 3)
FLAT, TILTED = correlated(QUARTER), fmpq_mat([[fmpq(9, 8), fmpq(1, 3)], [fmpq(1, 3), 1]])
LARGE, SMALL = correlated(QUARTER, 0, Fraction(1, 5)), diagonal([1, 2, 3])
TURN = cayley(fmpq_mat([[0, fmpq(1, 40)], [0, 0]]))
TURN_IN_SPACE = cayley(fmpq_mat([[0, fmpq(1, 40), 0], [0, 0, fmpq(1, 50)], [0, 0, 0]]))
PAIRS = [CovariancePair(FLAT, TILTED), CovariancePair(LARGE, SMALL)]
NEARBY = [NearbyPair(FLAT, TILTED, THIRD), NearbyPair(LARGE, SMALL, 3)]
INDEFINITE = CovariancePair(diagonal([1, -2]), fmpq_mat([[0, 3], [3, 1]]))
EVEN, THIRDS, QUARTERS = (fmpq(1, 2), fmpq(1, 2)), (fmpq(1, 3), fmpq(2, 3)), (fmpq(3, 4), fmpq(1, 4))
THREE = (fmpq(1, 2), fmpq(1, 6), fmpq(1, 3))
ROWS, NEAR = ((0, 1, 2), (1, 0, 1), (2, 1, 0)), fmpq(1, 2)
DISTANCES = ((fmpq(0), fmpq(1, 4), fmpq(3, 4)), (fmpq(1, 4), fmpq(0), fmpq(1, 3)), (fmpq(3, 4), fmpq(1, 3), fmpq(0)))
MECHANISMS = [
    FiniteMechanism(laws, ROWS, DISTANCES, (True, True, True), factor, NEAR)
    for laws, factor in (((EVEN, THIRDS, QUARTERS), fmpq(3)), ((EVEN, THIRDS, EVEN), fmpq(2)))
]
POINTS: dict[str, list[Any]] = {
    "compression.assumption-1+repair": [
        EigenvalueAssumption(FLAT, TILTED, Fraction(1, 2), QUARTER, 1),
        EigenvalueAssumption(LARGE, SMALL, Fraction(1, 2), 3, 1),
    ],
    "compression.definition-2-1": [TwoLaws(EVEN, THIRDS, fmpq(2)), TwoLaws(EVEN, THIRDS, fmpq(1))],
    "compression.definition-2-1/range-of-alpha": [TwoLaws(EVEN, EVEN, fmpq(2)), TwoLaws(THIRDS, THIRDS, fmpq(3, 2))],
    "compression.definition-2-2": [
        PrivacyAlgorithm((EVEN, THIRDS), (QUARTERS, EVEN)),
        PrivacyAlgorithm((THIRDS,), (QUARTERS, THIRDS)),
    ],
    "compression.definition-2-3": MECHANISMS,
    "compression.definition-2-4/composes": MECHANISMS,
    "compression.lemma-3-3": [*PAIRS, INDEFINITE],
    "compression.lemma-c-2/first-inequality": PAIRS,
    "compression.lemma-4-4/tau-at-most-one": [TruncationSetting(2, 3, 200), TruncationSetting(1, 1, 1000)],
    "compression.lipschitz-class": [*PAIRS, INDEFINITE],
    "compression.procedure-4-1": [TwoCentres(1, 1, 1000, Fraction(1, 10), first=-1, second=1)],
    "compression.procedure-4-2": [RejectionTable(THREE, (True, False, True), k, 3) for k in (0, 2)],
    "compression.proposition-3-1": NEARBY,
    "compression.proposition-3-1/inverse": NEARBY,
    "compression.proposition-3-1/gamma": PAIRS,
    "compression.proposition-3-4": [
        SpectralPair((4, 1), diagonal([1, 1]), (5, 1), TURN, 1),
        SpectralPair((6, 5, 1), diagonal([1, 1, 1]), (7, 5, 2), TURN_IN_SPACE, 2),
    ],
    "compression.remark-4-7": [
        ThreeCovariances(FLAT, TILTED, diagonal([1, 1]), fmpq_mat([[2, 1], [0, 1]])),
        ThreeCovariances(LARGE, SMALL, diagonal([2, 1, 1]), fmpq_mat([[2, 1, 1], [0, 1, -1]])),
    ],
    "compression.theorem-2-5": MECHANISMS,
    "compression.theorem-4-6/gamma": [
        TruncatedPair(FLAT, TILTED, THIRD, records=20, rows=10),
        TruncatedPair(LARGE, SMALL, 3, records=30, rows=10),
    ],
    "compression.theorem-4-6/largest-entry": [
        OutputPoint(FLAT, TILTED, output=fmpq_mat([[2, 1], [0, 1]])),
        OutputPoint(LARGE, SMALL, output=fmpq_mat([[2, 1, 1], [0, 1, -1]])),
    ],
    "compression.theorem-4-6/vector-norm": PAIRS,
}
"""Where the statement has no expression, or few points are inside the hypotheses."""


@theorems.evidence(POINTS)
def test_theorem(proved, statement) -> None:
    proved.agrees(statement)
