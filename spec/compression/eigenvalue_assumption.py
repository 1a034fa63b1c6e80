"""Assumption 1: the eigenvalues of the covariances of a set of databases (section 3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Chosen, Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import positive
from dpmatrix.spec.compression.covariances import (
    DEFINITE,
    NORMALISED,
    SYMMETRIC,
    largest_eigenvalue,
    least_eigenvalue,
    operator_norm,
)


@attrs.frozen
class EigenvalueAssumption:
    """Sigma_1 and Sigma_j with what Assumption 1 says of them, its o(1) made explicit.

    Parameters
    ----------
    first, second
        Sigma_1 and Sigma_j.
    c_min
        C_min.
    smallness
        The number that stands for o(1): a bound on the spectral norms of Gamma and of Delta.
    floor
        What 'stay away from being singular' is measured by.
    """

    first: fmpq_mat
    second: fmpq_mat
    c_min: Exact
    smallness: Exact
    floor: Exact


def upper_eigenvalue_margin(p: EigenvalueAssumption) -> arb:
    """``1/lambda_max(Sigma_1) - C_min``."""
    return 1 / largest_eigenvalue(p.first) - ball(p.c_min)


def lower_eigenvalue_margin(p: EigenvalueAssumption) -> arb:
    """``lambda_min(Sigma_1) - C_min``."""
    return least_eigenvalue(p.first) - ball(p.c_min)


def small_gamma_margin(p: EigenvalueAssumption) -> arb:
    """``s - ||Gamma||_2``."""
    return ball(p.smallness) - operator_norm(p.second.inv() - p.first.inv())


def small_delta_margin(p: EigenvalueAssumption) -> arb:
    """``s - ||Delta||_2``."""
    return ball(p.smallness) - operator_norm(p.first - p.second)


def away_from_singular_margin(p: EigenvalueAssumption) -> arb:
    """``lambda_min(Sigma_j) - floor``."""
    return least_eigenvalue(p.second) - ball(p.floor)


def one_order_margin(p: EigenvalueAssumption) -> arb:
    """``lambda_min(Sigma_1) - floor ||Sigma_1||_2``."""
    return least_eigenvalue(p.first) - ball(p.floor) * largest_eigenvalue(p.first)


def repaired_floor_margin(p: EigenvalueAssumption) -> arb:
    """``lambda_min(Sigma_j) - (C_min - s)``."""
    return least_eigenvalue(p.second) - (ball(p.c_min) - ball(p.smallness))


SMALL_DELTA = Condition("||Delta||_2 <= s", small_delta_margin)
ASSUMPTION = (
    *DEFINITE,
    NORMALISED,
    positive("c_min"),
    Condition("1/lambda_max(Sigma_1) >= C_min", upper_eigenvalue_margin),
    Condition("||Gamma||_2 <= s", small_gamma_margin),
    SMALL_DELTA,
)

THRESHOLDS = (Chosen("smallness", after=("c_min",)), Chosen("floor", after=("c_min",)))
"""o(1) and 'some constant': once C_min is given there are an s and a floor."""

ASSUMPTION_1 = Claim(
    id="compression.assumption-1",
    kind=Kind.DEFINITION,
    source=Locator(
        "compression",
        "Assumption 1",
        "lambda_min(Sigma_1^-1) = 1/lambda_max(Sigma_1) >= C_min > 0; ||Gamma||_2 = o(1); ||Delta||_2 = o(1)",
    ),
    statement=Statement(
        "it 'guarantees that all matrices in S_n stay away from being singular': for every C_min there are s and a "
        "floor such that ||Gamma||_2, ||Delta||_2 <= s gives lambda_min(Sigma_j) >= floor",
        away_from_singular_margin,
        given=ASSUMPTION,
        exists=THRESHOLDS,
    ),
    verdict=Verdict.ILL_POSED,
    because=(
        "The assumption bounds lambda_max(Sigma_1) from above and nothing from below. With correlations 1 - eta and 1 "
        "- eta - eta^3 of two columns ||Delta|| = eta^3, ||Gamma|| = eta/(1 + eta^2), 1/lambda_max > 1/2, and "
        "lambda_min(Sigma_j) = eta + eta^3: all that is o(1) vanishes with the least eigenvalue, and no floor "
        "survives. lambda_min(Sigma_1) >= C_min was meant."
    ),
    reading=(
        "o(1) is read for one pair: below some s > 0, which may depend on C_min. A floor means one for all such pairs."
    ),
    repair=Repair(
        "lambda_min(Sigma_1) >= C_min as well",
        Statement(
            "then lambda_min(Sigma_j) >= C_min - s, a floor for s < C_min",
            repaired_floor_margin,
            given=(SYMMETRIC, Condition("lambda_min(Sigma_1) >= C_min", lower_eigenvalue_margin), SMALL_DELTA),
        ),
    ),
    steps=(
        Step(
            "eigenvalue-conditions",
            Statement(
                "the eigenvalues in Theorem 3.2 are of one order: for every C_min there are s and a floor such that "
                "||Gamma||_2, ||Delta||_2 <= s gives lambda_min(Sigma_1) >= floor ||Sigma_1||_2",
                one_order_margin,
                given=ASSUMPTION,
                exists=THRESHOLDS,
            ),
            defect=Defect.HYPOTHESIS,
            note="The sentence before Lemma 3.3; the same family refutes it, whatever s and the floor are.",
        ),
    ),
    uses=("compression.lemma-3-3",),
)
