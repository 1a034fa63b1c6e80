"""The law of what Algorithm 2 outputs for a stream of one row, and the probability that printed bounds hold.

For the row M e_1 the output is sigma Phi + g'a: m = 4r/eta rows of independent normal variates. Its columns are
independent, and the squared norm of the first is (sigma^2 + M^2) chi^2_m / m.
"""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import Exact, ball, square
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail
from dpmatrix.spec.common.conditions import at_least, below, positive, whole
from dpmatrix.spec.sliding_window.sketch_privacy import floor
from dpmatrix.spec.sliding_window.sketch_size import WHOLE_SIZE, sketch_size


@attrs.frozen
class OneRowOutput:
    """The row M e_1, the parameters of Algorithm 2, and those of a bound.

    Parameters
    ----------
    rank, eta
        r and eta; m = 4r/eta rows.
    dimension
        d.
    epsilon, delta
        The guarantee, from which sigma is computed.
    row
        M >= 0.
    constant
        c of the bound.
    failure
        beta, the probability with which the bound may fail.
    """

    rank: int
    eta: Exact
    dimension: int
    epsilon: Exact
    delta: Exact
    row: Exact
    constant: Exact
    failure: Exact


def ridge(p: OneRowOutput) -> arb:
    """``sigma^2``."""
    return square(floor(p.rank, p.epsilon, p.delta))


def scale(p: OneRowOutput) -> arb:
    """``c r / epsilon^2``, by which the printed errors are multiples of powers of log(1/delta)."""
    return ball(p.constant) * p.rank / square(ball(p.epsilon))


def inverse_log(p: OneRowOutput) -> arb:
    """``log(1/delta)``."""
    return -ball(p.delta).log()


def below_value(p: OneRowOutput, value: arb) -> arb:
    """Probability that the squared norm of the first column of the output is below a value."""
    if value <= 0:
        return arb(0)
    half = arb(sketch_size(p) / 2)
    return lower_tail(half * value / (ridge(p) + square(ball(p.row))), half)


def within_values(p: OneRowOutput, low: arb, high: arb) -> arb:
    """Probability that bounds on A~'A~ hold in all directions, when they are ``low`` and ``high`` in direction e_1.

    In dimension 1 it is that of e_1; in others it is at most that.
    """
    first = below_value(p, high) - below_value(p, low)
    return first if p.dimension == 1 else arb(0).union(first)


def _lemma_2(p: OneRowOutput, power: int) -> arb:
    eta, window = ball(p.eta), square(ball(p.row))
    extra = scale(p) * inverse_log(p) ** 2
    if p.dimension > sketch_size(p):
        return arb(0)  # A~u = 0 for some u, while the lower bound is positive definite
    return within_values(p, (1 - eta / 4) * (window + extra), (1 + eta / 4) ** power / (1 - eta) * window + extra)


def lemma_2_probability(p: OneRowOutput) -> arb:
    """Probability of both bounds of Lemma 2."""
    return _lemma_2(p, 1)


def theorem_3_probability(p: OneRowOutput) -> arb:
    """Probability of both bounds of Theorem 3, where 1 + eta/4 is squared."""
    return _lemma_2(p, 2)


def lost_probability(p: OneRowOutput, extra: arb) -> arb:
    """Probability that A~u = 0 for a u with u'A'Au > extra |u|^2, where u = e_1 + w and w is orthogonal to e_1; d > m.

    The shortest such w has the squared norm (1 + M^2/sigma^2) F, F = chi^2_m/chi^2_(d-m) of independent variables: the
    first column is independent of the others, whose m rows have a Wishart law of d - 1 degrees.
    """
    window, floor_value = square(ball(p.row)), ridge(p)
    most = (window / extra - 1) * floor_value / (floor_value + window)
    if not most > 0:
        return arb(0).union(arb(1))
    halves = arb(sketch_size(p) / 2), arb((p.dimension - sketch_size(p)) / 2)
    return (most / (1 + most)).beta_lower(*halves, regularized=True)


def corollary_1_probability(p: OneRowOutput) -> arb:
    """Probability of (1-eta)(A'A - c r log(1/delta)/eps^2) <= A~'A~ <= (1+eta)(A'A + c r log(1/delta)/eps)."""
    eta, window = ball(p.eta), square(ball(p.row))
    extra = scale(p) * inverse_log(p)
    both = within_values(p, (1 - eta) * (window - extra), (1 + eta) * (window + extra * ball(p.epsilon)))
    if p.dimension <= sketch_size(p):
        return both
    return arb(0).union(both.upper().min((1 - lost_probability(p, extra)).upper()))


def theorem_4_probability(p: OneRowOutput) -> arb:
    """Probability of both bounds on C = A~'A~ - sigma^2, with ``c eta r log(1/delta) / epsilon^2`` and a quarter."""
    eta, window = ball(p.eta), square(ball(p.row))
    extra = eta * scale(p) * inverse_log(p)
    if p.dimension > sketch_size(p) and extra / 4 < ridge(p):
        return arb(0)  # A~u = 0 for some u, where C is -sigma^2, and the lower bound is at least -extra/4
    return within_values(p, ridge(p) + (1 - eta) * window - extra / 4, ridge(p) + (1 + eta) * window + extra)


def success_asked(p: OneRowOutput) -> arb:
    """``1 - beta``."""
    return 1 - ball(p.failure)


ONE_ROW = (
    whole("rank", 1),
    whole("dimension", 1),
    positive("eta"),
    below("eta", 1),
    WHOLE_SIZE,
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    positive("constant"),
    at_least("row", 0),
)
FAILURE = (positive("failure"), below("failure", 1))
