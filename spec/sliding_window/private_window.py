"""What no private algorithm can know of a window of one row, and a bound on the norm of a noise."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.exact import Exact, ball, square
from dpmatrix.spec.common.conditions import at_least, below, positive, whole
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.distinguishing import confusion_at_distance
from dpmatrix.spec.sliding_window.loewner import precedes_margin, scaled


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
