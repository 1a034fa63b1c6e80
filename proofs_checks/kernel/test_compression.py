"""Theorems about statements of `compression`: the certificate, the fresh trace, and points inside the hypotheses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from dpmatrix.reporting.theorems import about
from dpmatrix.spec.common.spectra import SpectralPair
from dpmatrix.spec.compression.covariances import CovariancePair, NearbyPair
from dpmatrix.spec.compression.eigenvalue_assumption import EigenvalueAssumption
from dpmatrix.spec.compression.truncated_loss import OutputPoint, TruncatedPair
from proofs_checks.compression.sign_pairs import from_data, game
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
POINTS: dict[str, list[Any]] = {
    "compression.assumption-1+repair": [
        EigenvalueAssumption(FLAT, TILTED, Fraction(1, 2), QUARTER, 1),
        EigenvalueAssumption(LARGE, SMALL, Fraction(1, 2), 3, 1),
    ],
    "compression.corollary-3-7/alpha-differential-privacy": [
        game(10**4, 0, smallness=1, ratio=6),
        from_data(fmpq_mat([[1, 1]] * 400), 0, [1, -1], smallness=1, ratio=6),
    ],
    "compression.lemma-3-3": [*PAIRS, INDEFINITE],
    "compression.lemma-c-2/first-inequality": PAIRS,
    "compression.lipschitz-class+repair": [*PAIRS, INDEFINITE],
    "compression.proposition-3-1": NEARBY,
    "compression.proposition-3-1/inverse": NEARBY,
    "compression.proposition-3-1/gamma": PAIRS,
    "compression.proposition-3-4": [
        SpectralPair((4, 1), diagonal([1, 1]), (5, 1), TURN, 1),
        SpectralPair((6, 5, 1), diagonal([1, 1, 1]), (7, 5, 2), TURN_IN_SPACE, 2),
    ],
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
