"""Theorem 7 further: private noise needs no more records than are printed, and the printed noise fewer."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import ball, nonnegative_root, rational, square
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import (
    DECREASING,
    PROPER_RANK,
    SpectralPair,
    gap,
    noise,
    noise_norm,
)
from dpmatrix.spec.wishart.closeness_proof import (
    NOISY_TOP,
    PARAMETERS,
    RHO,
    SAMPLE_SIZE,
    TOP,
    TOP_GAP,
    TopVectorRun,
    cosine,
    exact_cosine,
    half_margin,
    root_half_margin,
    scale_eigenvalue,
    tail_factor,
    tail_factor_at,
)
from dpmatrix.spec.wishart.either_sign import small_spread_margin, spread
from dpmatrix.spec.wishart.private_noise import are_semidefinite, larger_norm, scale_of_one_record


@attrs.frozen
class PrivateRun(TopVectorRun):
    """A run with the noise W_1 - W_2 of the repaired Theorem 4: the second spectrum is that of A + W_1 - W_2.

    Parameters
    ----------
    removed
        W_2, a rational d x d matrix.
    """

    removed: fmpq_mat


def closeness_margin(p: TopVectorRun) -> arb:
    """``|<vhat_1, v_1>| - rho``."""
    return arb(abs(exact_cosine(p)) - rational(p.rho))


def doubled_sine(cosine_of_angle: arb) -> arb:
    """``sin 2 phi = 2 cos phi sqrt(1 - cos^2 phi)`` for phi from 0 to a right angle."""
    return 2 * cosine_of_angle * nonnegative_root(1 - square(cosine_of_angle))


def twice_the_angle_margin(p: SpectralPair) -> arb:
    """``spread/(lambda_1 - lambda_2) - sin 2 phi`` and ``cos phi - sqrt(2)/2``, the smaller of both."""
    return (spread(p) / gap(p) - doubled_sine(abs(cosine(p)))).min(half_margin(p))


def fewer_records(p: TopVectorRun) -> arb:
    """``3 (tail factor) / (4 epsilon rho sqrt(1 - rho^2) (lambda_1 - lambda_2))``."""
    return 3 * tail_factor(p) / (2 * ball(p.epsilon) * doubled_sine(ball(p.rho)) * gap(p))


def fewer_records_margin(p: TopVectorRun) -> arb:
    """Records minus ``fewer_records``."""
    return p.records - fewer_records(p)


def tail_event_margin(p: TopVectorRun) -> arb:
    """``(tail factor) lambda_1(C) - ||W||_2``."""
    return tail_factor(p) * scale_eigenvalue(p) - noise_norm(p)


def semidefinite_parts_margin(p: PrivateRun) -> arb:
    """Non-negative exactly when W_1 and W_2 are symmetric d x d matrices without a negative eigenvalue."""
    return are_semidefinite(noise(p), p.removed)


def private_tail(p: PrivateRun) -> arb:
    """``c (tail factor for theta = log(2d/eta))`` with c = 1/(n epsilon): Lemma 1 for each of both with eta/2."""
    d = len(p.values)
    return tail_factor_at(d, (2 * d / ball(p.eta)).log()) * scale_of_one_record(d, p.epsilon) / p.records


def private_event_margin(p: PrivateRun) -> arb:
    """``c (tail factor for theta = log(2d/eta)) - max(||W_1||_2, ||W_2||_2)``."""
    return private_tail(p) - larger_norm(noise(p), p.removed)


TAIL_EVENT = Condition("||W||_2 is at most the bound of Lemma 1 for theta = log(d/eta)", tail_event_margin)
SYMMETRIC_NOISE = (*TOP, PROPER_RANK[1], DECREASING)

PRIVATE = (
    Step(
        "twice-the-angle",
        Statement(
            "for noise of any sign whose spread is below lambda_1 - lambda_2: phi, the angle of v_1 and vhat_1 as "
            "lines, has sin 2 phi <= spread/(lambda_1 - lambda_2) and is at most 45 degrees",
            twice_the_angle_margin,
            given=(*SYMMETRIC_NOISE, exceeds("the spread of W is below lambda_1 - lambda_2", small_spread_margin)),
        ),
        defect=None,
        note="not printed; the spread is lambda_max(W) - lambda_min(W), at most ||W||_2 for W >= 0",
    ),
    Step(
        "fewer-records",
        Statement(
            "for rho > sqrt(2)/2, 2 rho sqrt(1 - rho^2) may replace 1 - rho^2 in the condition on n",
            closeness_margin,
            given=(
                *NOISY_TOP,
                *PARAMETERS,
                exceeds("rho > sqrt(2)/2", root_half_margin),
                RHO[1],
                exceeds(
                    "n >= 3 (d + 1 + sqrt(2 (d+1)(d+2) log(d/eta)) + 2 d log(d/eta)) / "
                    "(4 epsilon rho sqrt(1 - rho^2) (lambda_1 - lambda_2))",
                    fewer_records_margin,
                    strict=False,
                ),
                TAIL_EVENT,
            ),
        ),
        defect=None,
        note="not printed; a fourteenth of the records at rho = 0.99",
    ),
    Step(
        "private-noise",
        Statement(
            "with the noise W_1 - W_2 of the repaired Theorem 4 in place of W, at the printed n and rho: on the event "
            "that Lemma 1 bounds both norms, which has probability at least 1 - eta, |<vhat_1, v_1>| >= rho",
            closeness_margin,
            given=(
                *SYMMETRIC_NOISE,
                TOP_GAP,
                *PARAMETERS,
                *RHO,
                SAMPLE_SIZE,
                exceeds("W_1 and W_2 are positive semidefinite", semidefinite_parts_margin, strict=False),
                exceeds(
                    "||W_1||_2 and ||W_2||_2 are at most the bound of Lemma 1 for m = d + 1, C = I/(n epsilon) and "
                    "theta = log(2d/eta)",
                    private_event_margin,
                    strict=False,
                ),
            ),
        ),
        defect=None,
        note="not printed, as the printed noise is not private; what is released is the sum, of which the sign is open",
    ),
)
