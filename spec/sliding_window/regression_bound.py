"""Theorem 8: linear regression from Algorithm 8 (section 4.4)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, at_most, below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import nonnegative_spectrum
from dpmatrix.spec.sliding_window.distinguishing import some_regression_algorithm
from dpmatrix.spec.sliding_window.noisy_regression import NEAR_REGRESSION
from dpmatrix.spec.sliding_window.regression_costs import REGRESSION_COSTS


@attrs.frozen
class RegressionPoint:
    """W equal rows (a, b) of a regression with d = p = 1 and OPT = 0, the noise of Algorithm 8, and the bound.

    Parameters
    ----------
    window
        W.
    feature, response
        a and b of every row.
    noise
        R, 2 x 2, positive semidefinite.
    degrees
        tau.
    epsilon
        The guarantee.
    constant
        c of the bound.
    """

    window: int
    feature: Exact
    response: Exact
    noise: fmpq_mat
    degrees: int
    epsilon: Exact
    constant: Exact


def regression_error(p: RegressionPoint) -> fmpq:
    """``W (a X~ - b)^2`` at the minimiser X~ of (X, -1)(W(a, b)'(a, b) + R)(X, -1)'."""
    a, b = rational(p.feature), rational(p.response)
    corner, side = p.window * a * a + p.noise[0, 0], p.window * a * b + p.noise[0, 1]
    solution = side / corner
    return p.window * (a * solution - b) ** 2


def regression_margin(p: RegressionPoint) -> arb:
    """``c (tau + 1)^2 log(tau + 1)/epsilon`` minus the error; OPT is 0."""
    size = arb(p.degrees + 1)
    return ball(p.constant) * size * size * size.log() / ball(p.epsilon) - arb(regression_error(p))


def row_margin(p: RegressionPoint) -> arb:
    """``1 - a^2 - b^2``."""
    return 1 - square(ball(p.feature)) - square(ball(p.response))


def noise_margin(p: RegressionPoint) -> arb:
    """Non-negative when R is 2 x 2 and positive semidefinite."""
    return nonnegative_spectrum(p.noise) if p.noise.nrows() == p.noise.ncols() == 2 else arb(-1)


def corner_margin(p: RegressionPoint) -> arb:
    """R_11, positive with probability one."""
    return arb(p.noise[0, 0])


THEOREM_8 = Claim(
    id="sliding-window.theorem-8",
    kind=Kind.UTILITY,
    source=Locator(
        "sliding-window",
        "Theorem 8",
        "|A_W X~ - B_W|_F^2 <= min_X |A_W X - B_W|_F^2/(1-eta) + c (tau + p)^2 log(tau + p)/eps",
    ),
    statement=Statement(
        "there is a constant c with which, for the streams of n rows (a, 1/2) and a last row, (0, 0) or (1/2, 0), d = "
        "p = 1, and all n, a, eta, eps, delta, some X meets the bound on both, or answers that fail with probability "
        "beta are so rare that an (eps, delta)-private algorithm can give them",
        some_regression_algorithm,
        given=(
            whole("rows", 1),
            positive("feature"),
            at_most("feature", fmpq(1, 2)),
            positive("eta"),
            below("eta", fmpq(1, 2)),
            positive("epsilon"),
            positive("delta"),
            below("delta", 1),
            at_least("failure", 0),
        ),
        exists=(Chosen("constant"),),
    ),
    verdict=Verdict.REFUTED,
    defect=Defect.CONCLUSION,
    headline=(
        "No private algorithm is so accurate: one short row more or less in a long window of short rows, and no X "
        "meets the bound on both streams."
    ),
    reading=(
        "All rows have norm at most 1, and one of norm 1/2 is present or absent: neighbours under every relation. One "
        "c for all streams, eta, eps and delta; every eta in (0, 1/2) is refuted. The theorem states no probability; "
        "any beta < (1 - delta)/(1 + e^eps) is refuted."
    ),
    because=(
        "No algorithm at all can do it. Let kappa be the additive error and n = q^2, q/4 > sqrt kappa. For n rows (a, "
        "1/2), a = 1/(6q), and a zero row OPT is 0, and a cost of at most kappa means aX > 1/4, that is X > 3q/2. With "
        "the row (1/2, 0) such an X costs more than X^2/4 > 9n/16, but the bound is below 2 n/4 + n/16, as X = 0 costs "
        "n/4. At eps = 1, delta = 10^-6, c = 1 that is so from n = 3.97 10^6 rows on.\n\n"
        "The algorithm of the proof fails "
        "as it must: (41) applied to the columns of (X; -1) costs c tau log tau times |X|_F^2 + p, and (28) has "
        "dropped |X^|^2. W rows (a, b) with W a^2 = tau fit with X^ = b/a, of the order of sqrt(W/tau), and "
        "the ridge tau on the features, the mean of the noise, makes X~ half of it: the error is W b^2/4. At eps = 1, "
        "delta = 10^-6, tau = 214 and W = 10^9 it is 2.45 10^8 against 2.5 10^5 c, and it grows like W. (29) stands, "
        "as the noise is positive "
        "semidefinite.\n\n"
        "Repaired, K <= C~ + zeta <= K + 2 zeta for the second moment K of the window, and the X~ that is best for C~ "
        "+ zeta I costs at most 2 zeta (|X|^2 + p) more than any X: what is lost is a bound free of |X| and W, which "
        "the refutation forbids. Privacy, the probability of that event and its price in space are those of "
        "theorem-4's repair, for rows (a, b) of order d + p."
    ),
    repair=NEAR_REGRESSION,
    steps=(
        Step(
            "algorithm-8",
            Statement(
                "there is a constant c with which, for all W equal rows (a, b) of norm at most 1, the error of the "
                "minimiser under A'A + R is at most c (tau + 1)^2 log(tau + 1)/eps; OPT = 0",
                regression_margin,
                given=(
                    whole("window", 1),
                    whole("degrees", 1),
                    positive("epsilon"),
                    exceeds("a^2 + b^2 <= 1", row_margin, strict=False),
                    exceeds("R is 2 x 2 and positive semidefinite", noise_margin, strict=False),
                    exceeds("R_11 > 0", corner_margin),
                ),
                exists=(Chosen("constant"),),
            ),
            defect=Defect.PROOF,
            note="At R = tau I and, as the error is continuous in R, for all noise near it: with positive probability.",
        ),
        *REGRESSION_COSTS,
    ),
    uses=("sliding-window.theorem-4+repair",),
)
