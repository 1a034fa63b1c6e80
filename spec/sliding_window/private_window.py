"""A private approximation of the window: dyadic sums, released once, whose signed sum is A_W'A_W and Gaussian noise.

Leaves are single rows, of norm at most 1, of which one may be replaced by zero. The noise of a released sum has
independent entries N(0, s^2) on and above the diagonal, s as in `dyadic_release`.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.exact import Exact, ball, square
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.distinguishing import confusion_at_distance
from dpmatrix.spec.sliding_window.dyadic_release import (
    RELEASE,
    DyadicRelease,
    WindowCover,
    deviation,
    signed_cover,
    window_fits,
    window_nonempty,
)
from dpmatrix.spec.sliding_window.loewner import precedes_margin, scaled


@attrs.frozen
class PrivateWindow(DyadicRelease):
    """A release and one window of it.

    Parameters
    ----------
    begin, end
        The window is made of the rows ``begin`` to ``end`` (not included), counted from 0.
    dimension
        d.
    beta
        Allowed probability of failure.
    bound
        zeta, a bound on the norm of the noise of the window.
    """

    begin: int
    end: int
    dimension: int
    beta: Exact
    bound: Exact


def cover(p: PrivateWindow) -> WindowCover:
    """Rows of the window in blocks of 2^h."""
    return WindowCover(p.begin, p.end, p.height)


def sums_of_window(p: PrivateWindow) -> int:
    """Number q of released sums that make the window."""
    return len(signed_cover(cover(p)))


def needed_bound(p: PrivateWindow) -> arb:
    """``4 s sqrt(q (d log 9 + log(2/beta)))``."""
    exponent = p.dimension * arb(9).log() + (2 / ball(p.beta)).log()
    return 4 * deviation(p) * (sums_of_window(p) * exponent).sqrt()


def bound_margin(p: PrivateWindow) -> arb:
    """``zeta`` minus what it has to be."""
    return ball(p.bound) - needed_bound(p)


WINDOW = (
    *RELEASE,
    whole("begin", 0),
    exceeds("the window is not empty", window_nonempty, strict=False),
    exceeds("the window has at most 2^h rows", window_fits, strict=False),
    whole("dimension", 1),
    positive("beta"),
    below("beta", 1),
    exceeds("zeta >= 4 s sqrt(q (d log 9 + log(2/beta)))", bound_margin, strict=False),
)


def within_bound(noise: fmpq_mat, bound: Exact) -> arb:
    """Non-negative exactly when the symmetric matrix has norm at most the bound."""
    limit = scaled(bound, identity(noise.nrows()))
    return precedes_margin(-limit, noise).min(precedes_margin(noise, limit))


@attrs.frozen
class NeighbouringWindows:
    """One row in one dimension, M or M + g: for g = 1 neighbours, and for M = 0 also where a row comes and goes.

    Parameters
    ----------
    rank
        r.
    eta, epsilon, delta
        Parameters of the algorithm.
    constant
        c of the bounds.
    row
        M >= 0.
    changes
        g: each step from M to M + g changes the row by 1.
    failure
        Probability with which the bounds may fail.
    """

    rank: int
    eta: Exact
    epsilon: Exact
    delta: Exact
    constant: Exact
    row: Exact
    changes: int = 1
    failure: Exact = 0


def common_answers(p: NeighbouringWindows) -> arb:
    """Largest C that the bounds of Theorem 4 allow for the row M, minus the least that they allow for M + g."""
    eta, row = ball(p.eta), ball(p.row)
    extra = ball(p.constant) * eta * p.rank * -ball(p.delta).log() / square(ball(p.epsilon))
    return (1 + eta) * square(row) + extra - ((1 - eta) * square(row + p.changes) - extra / 4)


def some_algorithm(p: NeighbouringWindows) -> arb:
    """Larger of both: below zero no (epsilon, delta)-private algorithm meets the bounds on both streams."""
    return common_answers(p).max(confusion_at_distance(p))


ANY_ALGORITHM = (
    whole("rank", 1),
    positive("eta"),
    below("eta", 1),
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    positive("constant"),
    at_least("row", 0),
    whole("changes", 1),
    at_least("failure", 0),
)
