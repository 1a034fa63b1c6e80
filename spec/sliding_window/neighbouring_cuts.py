"""Corollary 2: two windows of one edge, and what its bounds allow for the cut on both."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.sliding_window.distinguishing import confusion_at_distance, noise_degrees


@attrs.frozen
class NeighbouringCuts:
    """A window of one row, x (e_1 - e_2) or (x + g y)(e_1 - e_2), and the cut of one vertex.

    Parameters
    ----------
    vertices
        n.
    eta, epsilon, delta
        Parameters of the algorithm.
    constant
        c of the bounds.
    length, change
        x >= 0 and y >= 0, with y sqrt(2) <= 1: each change moves the row by norm at most 1.
    changes
        g, the number of changes.
    failure
        Probability with which the bounds may fail; the corollary allows none.
    """

    vertices: int
    eta: Exact
    epsilon: Exact
    delta: Real
    constant: Exact
    length: Exact
    change: Exact
    changes: int = 1
    failure: Exact = 0


def additive_error(p: NeighbouringCuts) -> arb:
    """``c |S| sqrt(tau log tau) / epsilon`` with |S| = 1 and tau = n + 14 log(4/delta) / epsilon^2."""
    degrees = noise_degrees(p.vertices, p.epsilon, p.delta)
    return ball(p.constant) * (degrees * degrees.log()).sqrt() / ball(p.epsilon)


def common_answers(p: NeighbouringCuts) -> arb:
    """Largest answer that the bounds allow for x^2, minus the least that they allow for (x + g y)^2."""
    length = rational(p.length)
    lighter, heavier = (ball(value**2) for value in (length, length + p.changes * rational(p.change)))
    return lighter / (1 - ball(p.eta)) + additive_error(p) - (heavier - additive_error(p))


def some_algorithm(p: NeighbouringCuts) -> arb:
    """Larger of both: below zero no (epsilon, delta)-private algorithm meets the bounds on both streams."""
    return common_answers(p).max(confusion_at_distance(p))


def norm_margin(p: NeighbouringCuts) -> arb:
    """``1 - 2 y^2``."""
    return 1 - 2 * ball(rational(p.change) ** 2)
