"""The remainder A of Proposition C.1, and a bound on it for which nothing need be small (a step of Lemma C.2)."""

from __future__ import annotations

from flint import arb

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import square
from dpmatrix.spec.common.spectra import frobenius_norm, trace
from dpmatrix.spec.compression.covariances import (
    DEFINITE,
    CovariancePair,
    difference,
    inverse_difference,
    least_eigenvalue,
    log_determinant_ratio,
)


def remainder(p: CovariancePair) -> arb:
    """A in closed form, by Proposition C.1."""
    return log_determinant_ratio(p) + arb(trace(inverse_difference(p) * p.first))


def by_delta_margin(p: CovariancePair) -> arb:
    """``||Delta||_F^2 / (lambda_min(Sigma_1) lambda_min(Sigma_2))`` minus A."""
    least = least_eigenvalue(p.first) * least_eigenvalue(p.second)
    return square(frobenius_norm(difference(p))) / least - remainder(p)


REMAINDER_BY_DELTA = Step(
    "by-delta",
    Statement("A <= ||Delta||_F^2 / (lambda_min(Sigma_1) lambda_min(Sigma_2))", by_delta_margin, given=DEFINITE),
    defect=None,
    note="Nothing need be small, and ||Sigma_1|| does not occur; where the printed bound applies either may be less.",
)
