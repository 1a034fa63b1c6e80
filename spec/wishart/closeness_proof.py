"""The printed proof of Theorem 7, line by line, and the quantities that it speaks of."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Defect, Statement, Step
from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.common.conditions import below, equality, exceeds, positive, whole
from dpmatrix.spec.common.spectra import (
    DECREASING,
    EIGENVECTORS,
    PROPER_RANK,
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
    rho: Exact
    eta: Real


def tail_parameter(p: TopVectorRun) -> arb:
    """``theta = log(d/eta)``."""
    return (len(p.values) / ball(p.eta)).log()


def tail_factor_at(d: int, theta: arb) -> arb:
    """``d + 1 + sqrt(2 (d+1)(d+2) theta) + 2 d theta``: Lemma 1 for m = d + 1 and C a multiple of I."""
    return d + 1 + (2 * (d + 1) * (d + 2) * theta).sqrt() + 2 * d * theta


def tail_factor(p: TopVectorRun) -> arb:
    """The factor of Lemma 1 at the dimension and theta of a run."""
    return tail_factor_at(len(p.values), tail_parameter(p))


def scale_eigenvalue(p: TopVectorRun) -> arb:
    """``lambda_1(C) = 3/(2 n epsilon)``."""
    return fmpq(3, 2) / (p.records * ball(p.epsilon))


def records_for_closeness(d: int, eta: arb, rho: arb, difference: arb) -> arb:
    """``3 (tail factor) / (2 (1 - rho^2)(lambda_1 - lambda_2))``: the sample size of Theorem 7 at epsilon = 1."""
    return 3 * tail_factor_at(d, (d / eta).log()) / (2 * (1 - square(rho)) * difference)


def sample_size(p: TopVectorRun) -> arb:
    """``3 (tail factor) / (2 epsilon (1 - rho^2)(lambda_1 - lambda_2))``."""
    return records_for_closeness(len(p.values), ball(p.eta), ball(p.rho), gap(p)) / ball(p.epsilon)


def exact_cosine(p: SpectralPair) -> fmpq:
    """``<v_1, vhat_1>``."""
    return trace(column(p.frame, 1).transpose() * column(p.perturbed_frame, 1))


def cosine(p: SpectralPair) -> arb:
    """``<v_1, vhat_1>`` as a ball."""
    return arb(exact_cosine(p))


def signed_closeness_margin(p: TopVectorRun) -> arb:
    """``<vhat_1, v_1> - rho``."""
    return arb(exact_cosine(p) - rational(p.rho))


def first_rank_margin(p: SpectralPair) -> arb:
    """Zero exactly for k = 1."""
    return -arb(abs(p.k - 1))


def root_half_margin(p: TopVectorRun) -> arb:
    """``rho - sqrt(2)/2``."""
    return ball(p.rho) - arb(2).sqrt() / 2


def sample_size_margin(p: TopVectorRun) -> arb:
    """Records minus the printed sample size."""
    return p.records - sample_size(p)


def frobenius_is_trace_margin(p: SpectralPair) -> arb:
    """The norm ||v_1 v_1' - vhat_1 vhat_1'||_F equals tr[(v_1 v_1' - vhat_1 vhat_1')(v_1 v_1' - vhat_1 vhat_1')']."""
    difference = projector_difference(p)
    return equality(frobenius_norm(difference), squared_frobenius_norm(difference))


def trace_value_margin(p: SpectralPair) -> arb:
    """The trace equals ``2 - 2 (v_1'vhat_1)^2``; exact."""
    difference = projector_difference(p)
    return -arb(abs(trace(difference * difference.transpose()) - (2 - 2 * exact_cosine(p) ** 2)))


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
    return arb(exact_cosine(p) ** 2 - rational(p.rho) ** 2)


TOP = (Condition("k = 1", first_rank_margin), EIGENVECTORS)
TOP_GAP = exceeds("lambda_1 > lambda_2", gap)
NOISY_TOP = (*TOP, PROPER_RANK[1], DECREASING, PSD_NOISE, TOP_GAP)
PARAMETERS = (whole("records", 1), positive("epsilon"), positive("eta"), below("eta", 1))
RHO = (Condition("rho >= sqrt(2)/2", root_half_margin), below("rho", 1))
SAMPLE_SIZE = Condition(
    "n >= 3 (d + 1 + sqrt(2 (d+1)(d+2) log(d/eta)) + 2 d log(d/eta)) / (2 epsilon (1 - rho^2)(lambda_1 - lambda_2))",
    sample_size_margin,
)

STEPS = (
    Step(
        "frobenius-is-trace",
        Statement("||D||_F = tr(DD') for D = v_1 v_1' - vhat_1 vhat_1'", frobenius_is_trace_margin, given=TOP),
        defect=Defect.FORMULA,
        note="the left side lacks a square: ||D||_F^2 = tr(DD')",
    ),
    Step("trace-value", Statement("tr(DD') = 2 - 2 (v_1'vhat_1)^2", trace_value_margin, given=TOP), defect=None),
    Step(
        "twice-squared-sine",
        Statement("2 - 2 (v_1'vhat_1)^2 <= 2 ||W||_2/(lambda_1 - lambda_2)", twice_sine_margin, given=NOISY_TOP),
        defect=None,
        note="Theorem 6 bounds the root of the left side; the inequality is true for another reason",
    ),
    Step(
        "last-term-at-most-one",
        Statement(
            "lambda_1 - lambda_2 >= 2 ||W||_2 makes the last term at most 1",
            last_term_margin,
            given=(TOP_GAP, GAP),
        ),
        defect=None,
    ),
    Step(
        "cosine-at-least-root-half",
        Statement("which implies |v_1'vhat_1| >= sqrt(2)/2", half_margin, given=(*NOISY_TOP, GAP)),
        defect=None,
        note="the printed proof goes no further with rho >= sqrt(2)/2; it would serve to meet this gap condition",
    ),
    Step(
        "tail-parameter",
        Statement("eta = d exp(-theta) for theta = log(d/eta)", tail_probability_margin, given=(positive("eta"),)),
        defect=None,
    ),
    Step(
        "squared-cosine",
        Statement("(v_1'vhat_1)^2 >= 1 - ||W||_2/(lambda_1 - lambda_2)", squared_cosine_margin, given=NOISY_TOP),
        defect=None,
    ),
    Step(
        "norm-is-bound",
        Statement(
            "1 - ||W||_2/(lambda_1 - lambda_2) = 1 - (tail factor) lambda_1(C)/(lambda_1 - lambda_2)",
            norm_is_bound_margin,
            given=(*NOISY_TOP, *PARAMETERS),
        ),
        defect=Defect.FORMULA,
        note="W is random; '>=' holds with probability at least 1 - eta",
    ),
    Step(
        "scale-inserted",
        Statement(
            "1 - (tail factor) lambda_1(C)/(lambda_1 - lambda_2) = "
            "1 - 3 (tail factor)/(2 n epsilon (lambda_1 - lambda_2))",
            scale_margin,
            given=(TOP_GAP, *PARAMETERS),
        ),
        defect=None,
    ),
    Step(
        "enough-records",
        Statement(
            "under the condition on n the last expression is at least 1 - (1 - rho^2) = rho^2",
            enough_records_margin,
            given=(TOP_GAP, *PARAMETERS, *RHO, SAMPLE_SIZE),
        ),
        defect=None,
    ),
    Step(
        "root-of-the-square",
        Statement(
            "(v_1'vhat_1)^2 >= rho^2 yields v_1'vhat_1 >= rho",
            signed_closeness_margin,
            given=(*TOP, *RHO, Condition("(v_1'vhat_1)^2 >= rho^2", squares_close_margin)),
        ),
        defect=Defect.FORMULA,
        note="it yields |v_1'vhat_1| >= rho",
    ),
)
