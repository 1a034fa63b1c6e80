"""Theorem 7: how many records the Wishart mechanism needs to find the top eigenvector."""

from __future__ import annotations

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.spec.common.spectra import PSD_MATRIX
from dpmatrix.spec.wishart.closeness_proof import (
    NOISY_TOP,
    PARAMETERS,
    RHO,
    SAMPLE_SIZE,
    STEPS,
    signed_closeness_margin,
)
from dpmatrix.spec.wishart.private_closeness import PRIVATE, TAIL_EVENT, closeness_margin
from dpmatrix.spec.wishart.sample_sizes import COMPARISON

HYPOTHESES = (*NOISY_TOP, PSD_MATRIX, *PARAMETERS, *RHO, SAMPLE_SIZE, TAIL_EVENT)
REPAIRED_HYPOTHESES = (*NOISY_TOP, *PARAMETERS, RHO[1], SAMPLE_SIZE, TAIL_EVENT)

THEOREM_7 = Claim(
    id="wishart.theorem-7",
    kind=Kind.UTILITY,
    source=Locator(
        "wishart",
        "Theorem 7",
        "n >= 3 (d + 1 + sqrt(2 (d+1)(d+2) log(d/eta)) + 2 d log(d/eta)) / (2 eps (1 - rho^2)(lambda_1 - lambda_2)) "
        "and "
        "rho >= sqrt(2)/2 imply that the Wishart mechanism is a (rho, eta)-close approximation to PCA",
    ),
    statement=Statement(
        "on the event of Lemma 1, which has probability at least 1 - eta, <vhat_1, v_1> >= rho",
        signed_closeness_margin,
        given=HYPOTHESES,
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    reading=(
        "A point is one run; the probability of 1 - eta is not computed. "
        "By Lemma 1 with theta = log(d/eta) the event ||W||_2 <= (tail factor) lambda_1(C) has "
        "probability at least 1 - eta, so the theorem follows from the inequality on that event. The gap is positive, "
        "since the sample size divides by it, and d >= 2. Definition 6 asks for closeness on all data sets of n "
        "points, which no n gives that depends on the gap of one of them (`near-optimal.theorem-7`); what is judged "
        "is the run on data whose own gap meets the condition. Nothing fixes the sign of an eigenvector, so every "
        "sign is allowed."
    ),
    because=(
        "With the signed inner product the statement is false: A + W determines vhat_1 up to its sign, for one of the "
        "two signs <vhat_1, v_1> <= 0, and with a fair coin for the sign the probability is at most 1/2.\n\n"
        "With |<.,.>| it holds: vhat_1 maximises the form of A + W, so (lambda_1 - lambda_2) sin^2 <= vhat_1'W vhat_1 "
        "- v_1'W v_1 <= ||W||_2 for positive semidefinite W, which is at most (1 - rho^2)(lambda_1 - lambda_2) on the "
        "event. No gap condition, no rho >= sqrt(2)/2 and no semidefinite A is needed, nor Theorem 6. The printed "
        "proof equates a Frobenius norm with its square and a random norm with its bound, and drops a sign.\n\n"
        "The noise of Algorithm 2 is not private (Theorem 4). With the private noise W_1 - W_2 in its place the "
        "theorem is true at the n and rho that are printed, rho >= sqrt(2)/2 included. For the angle phi between v_1 "
        "and vhat_1, sin 2 phi is at most the spread of the noise, lambda_max - lambda_min, divided by lambda_1 - "
        "lambda_2; and the tail factor of Lemma 1 for log(2d/eta) is less than 3/2 of that for log(d/eta). For the "
        "printed noise the same bound lets 2 rho sqrt(1 - rho^2) replace 1 - rho^2."
    ),
    repair=Repair(
        "|<vhat_1, v_1>| in place of <vhat_1, v_1>, as in the repaired Definition 6, and closeness on the data sets "
        "whose own lambda_1 - lambda_2 meets the condition on n",
        Statement(
            "on the event of Lemma 1, which has probability at least 1 - eta, |<vhat_1, v_1>| >= rho",
            closeness_margin,
            given=REPAIRED_HYPOTHESES,
        ),
    ),
    steps=(*STEPS, *COMPARISON, *PRIVATE),
    uses=("wishart.lemma-1", "wishart.definition-6+repair"),
)
