"""Theorems 5, 6 and 8: variance queries, principal components and regression from Algorithms 2, 4 and 8."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.sketch_privacy import floor
from dpmatrix.spec.wishart.spectra import nonnegative_spectrum


@attrs.frozen
class QueryPoint:
    """An empty window, and a sketch that has no error in the direction of a query.

    Parameters
    ----------
    rank
        r of Algorithm 2, of the order of log q.
    queries, dimension
        q and d.
    epsilon, delta
        The promise.
    constant
        c of the bound.
    """

    rank: int
    queries: int
    dimension: int
    epsilon: Exact
    delta: Exact
    constant: Exact


def query_margin(p: QueryPoint) -> arb:
    """``c log q log d / epsilon - sigma^2``: the upper bound of Theorem 5 for A_W = 0 and |A~ x|^2 = sigma^2."""
    bound = ball(p.constant) * arb(p.queries).log() * arb(p.dimension).log() / ball(p.epsilon)
    return bound - floor(p.rank, p.epsilon, p.delta) ** 2


THEOREM_5 = Claim(
    id="sliding-window.theorem-5",
    kind=Kind.UTILITY,
    source=Locator(
        "sliding-window",
        "Theorem 5",
        "|A_W x|^2 - c log q log d/eps <= x'Cx <= |A_W x|^2/(1-eta) + c log q log d/eps for q queries, by Algorithm 2 "
        "with r = O(log q)",
    ),
    statement=Statement(
        "for an empty window and a sketch without error, x'Cx <= c log q log d / epsilon",
        query_margin,
        given=(
            whole("rank", 1),
            whole("queries", 2),
            whole("dimension", 2),
            positive("epsilon"),
            positive("delta"),
            below("delta", 1),
            positive("constant"),
        ),
    ),
    verdict=Verdict.REFUTED,
    reading="C is A~'A~ from Algorithm 2, as in the proof; the theorem states no probability.",
    because=(
        "x'Cx contains sigma^2 = (16 sqrt(r log(4/delta)) + log(4/delta))^2/eps^2, and the bound has neither delta nor "
        "the square of epsilon: at q = d = 100, eps = 1, delta = 10^-6, r = 5 it is exceeded 1,000 times, and for eps "
        "-> 0 or delta -> 0 any number of times. Corollary 1, on which the proof rests, has no such bound either."
    ),
)


@attrs.frozen
class FactorPoint:
    """Least cost and cost of the output, |A_W - A_W P|_F and |A_W - A_W X~|_F, eta, and the additive term."""

    least: Real
    cost: Real
    eta: Exact
    extra: Real = 0


def factor_margin(p: FactorPoint) -> arb:
    """``(1 + 6 eta)/(1 - 6 eta) least + extra - cost``."""
    eta = ball(p.eta)
    return (1 + 6 * eta) / (1 - 6 * eta) * ball(p.least) + ball(p.extra) - ball(p.cost)


def optimal_margin(p: FactorPoint) -> arb:
    """Cost minus the least cost."""
    return ball(p.cost) - ball(p.least)


def sixth_margin(p: FactorPoint) -> arb:
    """|1 - 6 eta|, for which the printed factor exists."""
    return arb(abs(1 - 6 * rational(p.eta)))


@attrs.frozen
class DivisionPoint:
    """A and B of (19): (1 - 6 eta) x <= y, and eta."""

    left: Real
    right: Real
    eta: Real


def given_margin(p: DivisionPoint) -> arb:
    """``y - (1 - 6 eta) x``."""
    return ball(p.right) - (1 - 6 * ball(p.eta)) * ball(p.left)


def divided_margin(p: DivisionPoint) -> arb:
    """``y / (1 - 6 eta) - x``."""
    return ball(p.right) / (1 - 6 * ball(p.eta)) - ball(p.left)


THEOREM_6 = Claim(
    id="sliding-window.theorem-6",
    kind=Kind.UTILITY,
    source=Locator(
        "sliding-window",
        "Theorem 6",
        "eta in (0, 1/2): |A_W - A_W X~|_F <= (1+6 eta)/(1-6 eta) min_P |A_W(1-P)|_F + O(log(1/delta)/eps sqrt(d log d "
        "(k + log(1/beta))))",
    ),
    statement=Statement(
        "the cost of the output is at most (1 + 6 eta)/(1 - 6 eta) times the least cost, plus the additive term",
        factor_margin,
        given=(
            at_least("least", 0),
            at_least("extra", 0),
            positive("eta"),
            below("eta", fmpq(1, 2)),
            exceeds(
                "the output is a projection of rank k: its cost is at least the least", optimal_margin, strict=False
            ),
            exceeds("eta is not 1/6", sixth_margin),
        ),
    ),
    verdict=Verdict.REFUTED,
    because=(
        "For eta above 1/6 the factor is negative: at eta = 1/4 it is -5, and no projection whatever costs at most -5 "
        "times the least cost plus a fixed term once the least cost exceeds a sixth of that term. eta < 1/6 is needed, "
        "as the proof divides (19) by 1 - 6 eta. The additive term inherits the defects of Lemma 5."
    ),
    steps=(
        Step(
            "equation-19",
            Statement(
                "from (1 - 6 eta) x <= y follows x <= y/(1 - 6 eta)",
                divided_margin,
                given=(
                    at_least("left", 0),
                    positive("eta"),
                    below("eta", fmpq(1, 2)),
                    exceeds("(1 - 6 eta) x <= y", given_margin, strict=False),
                ),
            ),
            sound=False,
            note="For eta < 1/6.",
        ),
    ),
)


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
        The promise.
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
        "the error of the minimiser under the noisy matrix is at most c (tau + p)^2 log(tau + p)/eps when OPT = 0",
        regression_margin,
        given=(
            whole("window", 1),
            whole("degrees", 1),
            positive("epsilon"),
            positive("constant"),
            exceeds("a^2 + b^2 <= 1", row_margin, strict=False),
            exceeds("R is 2 x 2 and positive semidefinite", noise_margin, strict=False),
            exceeds("R_11 > 0", corner_margin),
        ),
    ),
    verdict=Verdict.REFUTED,
    reading="X~ as in the proof, from the output of Algorithm 8 for rows (a, b); no probability is stated.",
    because=(
        "(41) applied to the columns of (X; -1) costs c tau log tau times |X|_F^2 + p, and the theorem has dropped "
        "|X^|^2 and |X~|^2. W rows (a, b) with W a^2 = tau fit with X^ = b/a, of the order of sqrt(W/tau), and the "
        "ridge tau on the features, the mean of the noise, makes X~ half of it: the error is W b^2/4. At eps = 1, "
        "delta = 10^-6, tau = 214 and W = 10^9 it is 2.4 10^8 against 2.5 10^5 c, and it grows like W."
    ),
)
