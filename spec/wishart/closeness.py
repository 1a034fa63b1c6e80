"""Theorem 7: how many records the Wishart mechanism needs to find the top eigenvector."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Real, ball, square
from dpmatrix.spec.conditions import below, equality, exceeds, positive, whole
from dpmatrix.spec.wishart.spectra import (
    DECREASING,
    EIGENVECTORS,
    PROPER_RANK,
    PSD_MATRIX,
    PSD_NOISE,
    SpectralPair,
    column,
    frobenius_norm,
    gap,
    noise_norm,
    projector_difference,
    squared_frobenius_norm,
    trace,
)
from dpmatrix.spec.wishart.subspace import GAP


@attrs.frozen
class TopVectorRun(SpectralPair):
    """One run of the Wishart mechanism: spectra of A = XX'/n and of A + W, k = 1, and the parameters of Theorem 7.

    Parameters
    ----------
    records
        Number of records n.
    epsilon
        Privacy parameter, which sets C = 3/(2 n epsilon) I.
    rho, eta
        Closeness asked for, and probability with which it may be missed.
    """

    records: int
    epsilon: Real
    rho: Real
    eta: Real


def tail_parameter(p: TopVectorRun) -> arb:
    """``theta = log(d/eta)``."""
    return (len(p.values) / ball(p.eta)).log()


def tail_factor(p: TopVectorRun) -> arb:
    """``d + 1 + sqrt(2 (d+1)(d+2) theta) + 2 d theta``: Lemma 1 for m = d + 1 and C a multiple of I."""
    d, theta = len(p.values), tail_parameter(p)
    return d + 1 + (2 * (d + 1) * (d + 2) * theta).sqrt() + 2 * d * theta


def scale_eigenvalue(p: TopVectorRun) -> arb:
    """``lambda_1(C) = 3/(2 n epsilon)``."""
    return fmpq(3, 2) / (p.records * ball(p.epsilon))


def sample_size(p: TopVectorRun) -> arb:
    """``3 (tail factor) / (2 epsilon (1 - rho^2)(lambda_1 - lambda_2))``."""
    return 3 * tail_factor(p) / (2 * ball(p.epsilon) * (1 - square(ball(p.rho))) * gap(p))


def cosine(p: SpectralPair) -> arb:
    """``<v_1, vhat_1>``, exact."""
    return arb(trace(column(p.frame, 1).transpose() * column(p.perturbed_frame, 1)))


def signed_closeness_margin(p: TopVectorRun) -> arb:
    """``<vhat_1, v_1> - rho``."""
    return cosine(p) - ball(p.rho)


def closeness_margin(p: TopVectorRun) -> arb:
    """``|<vhat_1, v_1>| - rho``."""
    return abs(cosine(p)) - ball(p.rho)


def first_rank_margin(p: SpectralPair) -> arb:
    """Zero exactly for k = 1."""
    return -arb(abs(p.k - 1))


def root_half_margin(p: TopVectorRun) -> arb:
    """``rho - sqrt(2)/2``."""
    return ball(p.rho) - arb(2).sqrt() / 2


def sample_size_margin(p: TopVectorRun) -> arb:
    """Records minus the printed sample size."""
    return p.records - sample_size(p)


def tail_event_margin(p: TopVectorRun) -> arb:
    """``(tail factor) lambda_1(C) - ||W||_2``."""
    return tail_factor(p) * scale_eigenvalue(p) - noise_norm(p)


def frobenius_is_trace_margin(p: SpectralPair) -> arb:
    """The norm ||v_1 v_1' - vhat_1 vhat_1'||_F equals tr[(v_1 v_1' - vhat_1 vhat_1')(v_1 v_1' - vhat_1 vhat_1')']."""
    difference = projector_difference(p)
    return equality(frobenius_norm(difference), squared_frobenius_norm(difference))


def trace_value_margin(p: SpectralPair) -> arb:
    """The trace equals ``2 - 2 (v_1'vhat_1)^2``."""
    return equality(squared_frobenius_norm(projector_difference(p)), 2 - 2 * square(cosine(p)))


def twice_sine_margin(p: SpectralPair) -> arb:
    """``2 ||W||_2/(lambda_1 - lambda_2) - (2 - 2 (v_1'vhat_1)^2)``."""
    return 2 * noise_norm(p) / gap(p) - (2 - 2 * square(cosine(p)))


def last_term_margin(p: SpectralPair) -> arb:
    """``1 - 2 ||W||_2/(lambda_1 - lambda_2)``."""
    return 1 - 2 * noise_norm(p) / gap(p)


def half_margin(p: SpectralPair) -> arb:
    """``|v_1'vhat_1| - sqrt(2)/2``."""
    return abs(cosine(p)) - arb(2).sqrt() / 2


def tail_probability_margin(p: TopVectorRun) -> arb:
    """``d exp(-theta) = eta`` for theta = log(d/eta)."""
    return equality(len(p.values) * (-tail_parameter(p)).exp(), ball(p.eta))


def squared_cosine_margin(p: SpectralPair) -> arb:
    """``(v_1'vhat_1)^2 - (1 - ||W||_2/(lambda_1 - lambda_2))``."""
    return square(cosine(p)) - (1 - noise_norm(p) / gap(p))


def norm_is_bound_margin(p: TopVectorRun) -> arb:
    """``1 - ||W||_2/gap = 1 - (tail factor) lambda_1(C)/gap``."""
    return equality(1 - noise_norm(p) / gap(p), 1 - tail_factor(p) * scale_eigenvalue(p) / gap(p))


def printed_lower_bound(p: TopVectorRun) -> arb:
    """``1 - 3 (tail factor)/(2 n epsilon (lambda_1 - lambda_2))``."""
    return 1 - 3 * tail_factor(p) / (2 * p.records * ball(p.epsilon) * gap(p))


def scale_margin(p: TopVectorRun) -> arb:
    """``1 - (tail factor) lambda_1(C)/gap`` equals the printed lower bound."""
    return equality(1 - tail_factor(p) * scale_eigenvalue(p) / gap(p), printed_lower_bound(p))


def enough_records_margin(p: TopVectorRun) -> arb:
    """The printed lower bound minus ``rho^2``."""
    return printed_lower_bound(p) - square(ball(p.rho))


def squares_close_margin(p: TopVectorRun) -> arb:
    """``(v_1'vhat_1)^2 - rho^2``."""
    return square(cosine(p)) - square(ball(p.rho))


TOP = (Condition("k = 1", first_rank_margin), EIGENVECTORS)
NOISY_TOP = (*TOP, PROPER_RANK[1], DECREASING, PSD_MATRIX, PSD_NOISE, exceeds("lambda_1 > lambda_2", gap))
PARAMETERS = (whole("records", 1), positive("epsilon"), positive("eta"), below("eta", 1))
RHO = (Condition("rho >= sqrt(2)/2", root_half_margin), below("rho", 1))
SAMPLE_SIZE = Condition(
    "n >= 3 (d + 1 + sqrt(2 (d+1)(d+2) log(d/eta)) + 2 d log(d/eta)) / (2 epsilon (1 - rho^2)(lambda_1 - lambda_2))",
    sample_size_margin,
)
TAIL_EVENT = Condition("||W||_2 is at most the bound of Lemma 1 for theta = log(d/eta)", tail_event_margin)
HYPOTHESES = (*NOISY_TOP, *PARAMETERS, *RHO, SAMPLE_SIZE, TAIL_EVENT)

THEOREM_7 = Claim(
    id="wishart.theorem-7",
    kind=Kind.UTILITY,
    source=Locator(
        "wishart",
        "Theorem 7",
        "n >= 3 (d + 1 + sqrt(2 (d+1)(d+2) log(d/eta)) + 2 d log(d/eta)) / (2 eps (1 - rho^2)(lambda_1 - lambda_2)) "
        "and "
        "rho >= sqrt(2)/2 imply P(<vhat_1, v_1> >= rho) >= 1 - eta",
    ),
    statement=Statement(
        "on the event of Lemma 1, which has probability at least 1 - eta, <vhat_1, v_1> >= rho",
        signed_closeness_margin,
        given=HYPOTHESES,
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    reading=(
        "A point is one run. By Lemma 1 with theta = log(d/eta) the event ||W||_2 <= (tail factor) lambda_1(C) has "
        "probability at least 1 - eta, so the theorem follows from the inequality on that event. The gap is positive, "
        "since the sample size divides by it, and d >= 2. Nothing fixes the sign of an eigenvector, so every sign is "
        "allowed."
    ),
    because=(
        "With the signed inner product the statement is false: A + W determines vhat_1 up to its sign, for one of the "
        "two signs <vhat_1, v_1> <= 0, and with a fair coin for the sign the probability is at most 1/2. With |<.,.>| "
        "it holds: vhat_1 maximises the form of A + W, so (lambda_1 - lambda_2) sin^2 <= vhat_1'W vhat_1 - v_1'W v_1 "
        "<= ||W||_2 for positive semidefinite W, which is at most (1 - rho^2)(lambda_1 - lambda_2) on the event. No "
        "gap condition and no rho >= sqrt(2)/2 is needed, nor Theorem 6. The printed proof equates a Frobenius norm "
        "with its square and a random norm with its bound, and drops a sign."
    ),
    repair=Repair(
        "|<vhat_1, v_1>| in place of <vhat_1, v_1>, as in the repaired Definition 6",
        Statement(
            "on the event of Lemma 1, which has probability at least 1 - eta, |<vhat_1, v_1>| >= rho",
            closeness_margin,
            given=HYPOTHESES,
        ),
    ),
    steps=(
        Step(
            "frobenius-is-trace",
            Statement("||D||_F = tr(DD') for D = v_1 v_1' - vhat_1 vhat_1'", frobenius_is_trace_margin, given=TOP),
            sound=False,
            note="the left side lacks a square: ||D||_F^2 = tr(DD')",
        ),
        Step("trace-value", Statement("tr(DD') = 2 - 2 (v_1'vhat_1)^2", trace_value_margin, given=TOP), sound=True),
        Step(
            "twice-sine",
            Statement("2 - 2 (v_1'vhat_1)^2 <= 2 ||W||_2/(lambda_1 - lambda_2)", twice_sine_margin, given=NOISY_TOP),
            sound=True,
            note="Theorem 6 bounds the root of the left side; the inequality is true for another reason",
        ),
        Step(
            "last-term",
            Statement(
                "lambda_1 - lambda_2 >= 2 ||W||_2 makes the last term at most 1",
                last_term_margin,
                given=(*NOISY_TOP, GAP),
            ),
            sound=True,
        ),
        Step(
            "root-half",
            Statement("which implies |v_1'vhat_1| >= sqrt(2)/2", half_margin, given=(*NOISY_TOP, GAP)),
            sound=True,
            note="the printed proof goes no further with rho >= sqrt(2)/2; it would serve to meet this gap condition",
        ),
        Step(
            "tail-parameter",
            Statement("eta = d exp(-theta) for theta = log(d/eta)", tail_probability_margin, given=PARAMETERS),
            sound=True,
        ),
        Step(
            "squared-cosine",
            Statement("(v_1'vhat_1)^2 >= 1 - ||W||_2/(lambda_1 - lambda_2)", squared_cosine_margin, given=NOISY_TOP),
            sound=True,
        ),
        Step(
            "norm-is-bound",
            Statement(
                "1 - ||W||_2/(lambda_1 - lambda_2) = 1 - (tail factor) lambda_1(C)/(lambda_1 - lambda_2)",
                norm_is_bound_margin,
                given=(*NOISY_TOP, *PARAMETERS),
            ),
            sound=False,
            note="W is random; '>=' holds with probability at least 1 - eta",
        ),
        Step(
            "scale",
            Statement(
                "1 - (tail factor) lambda_1(C)/(lambda_1 - lambda_2) = "
                "1 - 3 (tail factor)/(2 n epsilon (lambda_1 - lambda_2))",
                scale_margin,
                given=(*NOISY_TOP, *PARAMETERS),
            ),
            sound=True,
        ),
        Step(
            "enough-records",
            Statement(
                "under the condition on n the last expression is at least 1 - (1 - rho^2) = rho^2",
                enough_records_margin,
                given=(*NOISY_TOP, *PARAMETERS, *RHO, SAMPLE_SIZE),
            ),
            sound=True,
        ),
        Step(
            "sign",
            Statement(
                "(v_1'vhat_1)^2 >= rho^2 yields v_1'vhat_1 >= rho",
                signed_closeness_margin,
                given=(*TOP, *RHO, Condition("(v_1'vhat_1)^2 >= rho^2", squares_close_margin)),
            ),
            sound=False,
            note="it yields |v_1'vhat_1| >= rho",
        ),
    ),
    uses=("wishart.lemma-1",),
)
