"""What no private algorithm can do: answers that are right on one stream and wrong on its neighbour.

If no answer is right for both, "the answer is right for the first" has probability at least 1 - beta on the first
stream and at most beta on the second, and privacy asks for 1 - beta <= e^epsilon beta + delta.
"""

from __future__ import annotations

from typing import Protocol

import attrs
from flint import arb

from dpmatrix.exact import Exact, Real, ball, square


class PrivateAnswer(Protocol):
    """Parameters of a private algorithm whose answers fail with probability ``failure``."""

    @property
    def epsilon(self) -> Exact:
        """Epsilon of the guarantee."""

    @property
    def delta(self) -> Real:
        """Delta of the guarantee."""

    @property
    def failure(self) -> Exact:
        """Beta, the probability of a wrong answer."""


def confusion(p: PrivateAnswer) -> arb:
    """``e^eps beta + delta - (1 - beta)``: below zero the streams are told apart better than privacy allows."""
    return ball(p.epsilon).exp() * ball(p.failure) + ball(p.delta) - (1 - ball(p.failure))


class PrivateRows(PrivateAnswer, Protocol):
    """The same, for streams that a number of changes takes into each other."""

    @property
    def changes(self) -> int:
        """Number g of changes of one row."""


def delta_of_group(epsilon: arb, delta: arb, changes: int | arb) -> arb:
    """``delta (e^(g eps) - 1)/(e^eps - 1)``, what delta becomes after g changes, with g eps for eps."""
    return delta * ((changes * epsilon).exp() - 1) / (epsilon.exp() - 1)


def confusion_at_distance(p: PrivateRows) -> arb:
    """``e^(g eps) beta + delta (e^(g eps) - 1)/(e^eps - 1) - (1 - beta)``: `confusion` after g changes of a row."""
    epsilon = ball(p.epsilon)
    delta = delta_of_group(epsilon, ball(p.delta), p.changes)
    return (p.changes * epsilon).exp() * ball(p.failure) + delta - (1 - ball(p.failure))


def noise_degrees(dimension: int, epsilon: Real, delta: Real) -> arb:
    """``tau = d + 14 log(4/delta) / epsilon^2``."""
    return dimension + 14 * (4 / ball(delta)).log() / square(ball(epsilon))


@attrs.frozen
class NeighbouringQueries:
    """The streams (M e_1) and ((M + g) e_1) of one row, and the query e_1.

    Parameters
    ----------
    queries, dimension
        q and d.
    eta, epsilon, delta
        Parameters of the algorithm.
    constant
        c of the bounds.
    row
        M >= 0.
    changes
        g: each step from M to M + g changes the row by a vector of norm 1.
    failure
        Probability with which the bounds may fail; the theorem allows none.
    """

    queries: int
    dimension: int
    eta: Exact
    epsilon: Exact
    delta: Exact
    constant: Exact
    row: Exact
    changes: int = 1
    failure: Exact = 0


def common_variance(p: NeighbouringQueries) -> arb:
    """Largest answer that the bounds of Theorem 5 allow for M^2, minus the least that they allow for (M + g)^2."""
    extra = ball(p.constant) * arb(p.queries).log() * arb(p.dimension).log() / ball(p.epsilon)
    return square(ball(p.row)) / (1 - ball(p.eta)) + extra - (square(ball(p.row) + p.changes) - extra)


def some_query_algorithm(p: NeighbouringQueries) -> arb:
    """Below zero no (epsilon, delta)-private algorithm answers the query on both streams."""
    return common_variance(p).max(confusion_at_distance(p))


@attrs.frozen
class NeighbouringRegressions:
    """The streams of n rows (a, 1/2) and a last row, (0, 0) or (1/2, 0), and regression with d = p = 1.

    Parameters
    ----------
    rows
        n.
    feature
        a in (0, 1/2].
    eta, epsilon, delta
        Parameters of the algorithm.
    constant
        c of the additive error ``c (tau + 1)^2 log(tau + 1)/epsilon``, tau = 1 + 14 log(4/delta)/epsilon^2.
    failure
        Probability with which the bound may fail; the theorem allows none.
    """

    rows: int
    feature: Exact
    eta: Exact
    epsilon: Exact
    delta: Exact
    constant: Exact
    failure: Exact = 0


def regression_extra(p: NeighbouringRegressions) -> arb:
    """``c (tau + 1)^2 log(tau + 1)/epsilon``."""
    size = noise_degrees(1, p.epsilon, p.delta) + 1
    return ball(p.constant) * size * size * size.log() / ball(p.epsilon)


def common_solution(p: NeighbouringRegressions) -> arb:
    """What the bound allows with the row (1/2, 0), minus the least cost there of an X that is right without it.

    Without it OPT is 0, and X is right if n (aX - 1/2)^2 is at most the additive error. With it the cost is n (aX -
    1/2)^2 + X^2/4, least at ``best``, where it is n/(16 (n a^2 + 1/4)), and it grows from there on.
    """
    extra, a, rows, half = regression_extra(p), ball(p.feature), arb(p.rows), arb(1) / 2
    moment = rows * square(a) + arb(1) / 4
    best = rows * a * half / moment
    nearest = best.max((half - (extra / rows).sqrt()) / a)
    cost = rows * square(a * nearest - half) + square(nearest * half)
    return rows / (16 * moment) / (1 - ball(p.eta)) + extra - cost


def some_regression_algorithm(p: NeighbouringRegressions) -> arb:
    """Below zero no (epsilon, delta)-private algorithm solves the regression on both streams."""
    return common_solution(p).max(confusion(p))
