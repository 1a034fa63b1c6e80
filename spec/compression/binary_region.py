"""The fixed region of the repaired binary game: kept are the outputs with |X'X/m| <= 2, whatever the data are.

Off the region some entry of X'X/m leaves that of its own covariance by more than 1, since |Sigma_jk| <= 1. For m >= 2
(C_1 + C_2) ln 2np that is at least the tau of Lemma 4.4, so each law has at most 1/n^2 there.
"""

from __future__ import annotations

from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.spectra import trace
from dpmatrix.spec.compression.covariances import (
    inverse_difference,
    largest_eigenvalue,
    least_eigenvalue,
    log_determinant_ratio,
)
from dpmatrix.spec.compression.truncated_loss import TruncatedPair, entry_sum, renormalisation, renormalisation_shift

LARGEST = 2
"""The largest entry of X'X/m that is kept."""


def _sign_patterns(matrix: fmpq_mat) -> list[fmpq_mat]:
    """The matrices uu' with u the signs of a row of the matrix: some of the corners of the region."""
    rows = [[1 if entry >= 0 else -1 for entry in row] for row in matrix.tolist()]
    return [fmpq_mat([[a * b for b in row] for a in row]) for row in rows]


def capped_loss(p: TruncatedPair, largest: Exact) -> arb:
    """Enclose sup |ln f_D'/f_E'| of two laws of m Gaussian rows over the outputs with no entry of X'X/m above a cap.

    With G = X'X/m the log-ratio is (m/2)(ln of the determinants' ratio + tr(Gamma G)) + c, c what renormalisation adds.
    With L the cap tr(Gamma G) is at most L times the sum of |Gamma|, and at most L p lambda_max(Gamma) or 0, as tr G <=
    L p; -tr(Gamma G) likewise. 0 and each L uu', u a row of signs, is X'X/m for an output.
    """
    half, gamma, cap = arb(p.rows) / 2, inverse_difference(p), ball(largest)
    constant = half * log_determinant_ratio(p) + renormalisation_shift(p)
    reach, size = half * cap * arb(entry_sum(gamma)), gamma.nrows()
    above, below = (
        reach.min(half * cap * size * value.max(arb(0)))
        for value in (largest_eigenvalue(gamma), -least_eigenvalue(gamma))
    )
    attained = abs(constant)
    for corner in _sign_patterns(gamma):
        attained = attained.max(abs(constant + half * cap * arb(trace(gamma * corner))))
    return attained.union((constant + above).max(below - constant))


def region_loss(p: TruncatedPair) -> arb:
    """Enclose the loss of two databases over the region."""
    return capped_loss(p, LARGEST)


def region_bound(growth: arb, floor: arb, records: int) -> arb:
    """``(1 + 1/(2n)) g/c^2 + ln(1 + 1/(n^2 - 1))`` with g >= m p^2/n."""
    return arb(fmpq(2 * records + 1, 2 * records)) * growth / (floor * floor) + renormalisation(records)
