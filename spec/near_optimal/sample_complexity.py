"""Theorem 7: the sample complexity of PPCA for k = 1 (sections 3.4 and 4.2)."""

from __future__ import annotations

from flint import arb

from dpmatrix.claims import Claim, Kind, Locator, Statement, Verdict
from dpmatrix.exact import ball
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.near_optimal.matching_sizes import MATCHING
from dpmatrix.spec.near_optimal.sample_complexity_proof import PROOF_STEPS
from dpmatrix.spec.near_optimal.tilted_laws import UTILITY_STEPS
from dpmatrix.spec.wishart.ppca import SETTING, PpcaPoint, failure_probability, repaired_records_margin

ENOUGH_RECORDS = exceeds(
    "n > d/(epsilon (1-rho)(lambda_1-lambda_2)) (4 log(1/eta)/d + 2 log(8 lambda_1/((1-rho^2)(lambda_1-lambda_2))))",
    repaired_records_margin,
)


def allowed_failure(p: PpcaPoint) -> arb:
    """``eta``."""
    return ball(p.eta)


THEOREM_7 = Claim(
    id="near-optimal.theorem-7",
    kind=Kind.UTILITY,
    source=Locator(
        "near-optimal",
        "Theorem 7",
        "n > d/(eps Delta (1 - rho)) (4 log(1/eta)/d + 2 log(8 l1/((1 - rho^2) Delta))) implies P(|<v_1, vhat_1>| > "
        "rho) >= 1 - eta; that is, PPCA is a (rho, eta)-close approximation to PCA",
    ),
    statement=Statement.of_law(
        "P(|<vhat, v_1>| <= rho) <= eta for PPCA with k = 1 and n above the sample size",
        failure_probability,
        at_most=allowed_failure,
        given=(*SETTING, ENOUGH_RECORDS),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "d >= 2, k = 1, Delta > 0, 0 < rho < 1 and 0 < eta < 1, which go unsaid; records of norm at most 1. "
        "The bound is that of the first sentence; '(rho, eta)-close' sums it up, for the data sets whose own lambda_1 "
        "and Delta meet the condition on n. A point fixes lambda_1 and lambda_2; the failure probability is that of "
        "lambda_1, lambda_2, ..., lambda_2, the largest for these two. The probability of |<vhat, v_1>| = rho is 0."
    ),
    because=(
        "The bound holds as it is stated. With u'Bu in place of q_F the printed proof is right: on the sphere u'Bu is "
        "at most (n eps/2)(rho^2 l1 + (1 - rho^2) l2) outside the double cap of rho and at least (n eps/2) sigma^2 l1 "
        "inside that of sigma; the double cap has measure at least ((1 - sigma)/2)^((d-1)/2) by Lemma 10, and sigma "
        "with 1 - sigma^2 = (1 - rho^2)(1 - l2/l1)/2 gives the bound.\n\n"
        "As printed (7) and (8) speak of q_F, which is n "
        "u'Au in section 4.2 and lacks the factor eps/2: (7) fails where eps < 2 and (8) where eps > 2.\n\n"
        "The sample size depends on the eigenvalues of the data at hand, so the closeness of the last sentence is that "
        "of Definition 2 over the data sets that meet it. The bound is loose by the factor (1 - rho^2)/(1 - rho) < 2 "
        "that the last step gives away, and l1/Delta in the logarithm is not needed."
    ),
    steps=(
        *PROOF_STEPS,
        *MATCHING,
        *UTILITY_STEPS,
    ),
    uses=("near-optimal.lemma-10", "near-optimal.definition-2+repair"),
)
