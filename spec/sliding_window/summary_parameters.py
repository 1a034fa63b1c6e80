"""Parameters of Lemma 5 and Theorem 7, an empty window, and the norms of (16)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.sketch_privacy import floor
from dpmatrix.spec.sliding_window.sketch_size import WHOLE_SIZE

MANY_DEGREES = 10**5


@attrs.frozen
class SummaryParameters:
    """Parameters of the lemma, a window and a projection P of rank k.

    Parameters
    ----------
    k, dimension
        k and d.
    beta
        Allowed probability of failure.
    rank
        r of Algorithm 2: (k + log(1/beta))/eta, rounded up.
    eta, epsilon, delta
        The other parameters of Algorithm 2.
    constant
        c of the bounds.
    row
        M >= 0: the window is the one row M u, for a unit vector u that P maps to 0.
    """

    k: int
    dimension: int
    beta: Exact
    rank: int
    eta: Exact
    epsilon: Exact
    delta: Exact
    constant: Exact = 1
    row: Exact = 0


def enlarged_rank(p: SummaryParameters) -> arb:
    """``k' = k + log(1/beta)``."""
    return p.k - ball(p.beta).log()


def additive(p: SummaryParameters) -> arb:
    """``K = sqrt(k' d log(1/delta)) / epsilon``."""
    return (enlarged_rank(p) * p.dimension * -ball(p.delta).log()).sqrt() / ball(p.epsilon)


def empty_window_probability(p: SummaryParameters) -> arb:
    """Probability that (1 - 6 eta)|sigma Phi(1 - P)|_F <= c K: m |Phi(1 - P)|_F^2 is chi-square, m = 4r/eta."""
    size = ball(4 * p.rank / rational(p.eta))
    limit = ball(p.constant) * additive(p) / ((1 - 6 * ball(p.eta)) * floor(p.rank, p.epsilon, p.delta))
    return chi_square_below(size * (p.dimension - p.k), size * square(limit))


def chi_square_below(degrees: arb, value: arb) -> arb:
    """Pr(chi^2_n <= y), from n = 10^5 on enclosed by Chernoff's exp(-(y - n - n log(y/n))/2) on the side of y."""
    if degrees < MANY_DEGREES:
        return lower_tail(value / 2, degrees / 2)
    ratio = value / degrees
    tail = (-(ratio - 1 - ratio.log()) * degrees / 2).exp()
    return arb(0).union(tail) if ratio < 1 else arb(1).union(1 - tail)


def success_asked(p: SummaryParameters) -> arb:
    """``1 - beta``."""
    return 1 - ball(p.beta)


def rounding_margin(p: SummaryParameters) -> arb:
    """Smaller of r - k'/eta and k'/eta + 1 - r."""
    wanted = enlarged_rank(p) / ball(p.eta)
    return (p.rank - wanted).min(wanted + 1 - p.rank)


def room_margin(p: SummaryParameters) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.k)


def stacked_cost(p: SummaryParameters) -> arb:
    """``|A^(1 - P)|_F`` for A^ = (sigma I; A)."""
    return (square(ball(p.row)) + floor(p.rank, p.epsilon, p.delta) ** 2 * (p.dimension - p.k)).sqrt()


def subadditive_lower(p: SummaryParameters) -> arb:
    """(16), left: |A^(1 - P)|_F - |A(1 - P)|_F + K."""
    return stacked_cost(p) - ball(p.row) + additive(p)


def subadditive_upper(p: SummaryParameters) -> arb:
    """(16), right: |A(1 - P)|_F + K - |A^(1 - P)|_F."""
    return ball(p.row) + additive(p) - stacked_cost(p)


EMPTY_WINDOW = (
    whole("k", 1),
    exceeds("k < d", room_margin),
    positive("beta"),
    below("beta", 1),
    exceeds("r = k'/eta, rounded up", rounding_margin, strict=False),
    positive("eta"),
    WHOLE_SIZE,
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    positive("constant"),
)
PARAMETERS = (*(each for each in EMPTY_WINDOW if each.says != "constant > 0"), at_least("row", 0))
