"""The deviation of Gaussian noise that serves every epsilon."""

from __future__ import annotations

from flint import arb

from dpmatrix.exact import Real, ball, square


def deviation_at_tail(tail: arb, epsilon: Real) -> arb:
    """``(z + sqrt(z^2 + 2 epsilon)) / (2 epsilon)``, for sensitivity one: the t with ``epsilon t - 1/(2t) = z``.

    The loss of such noise exceeds epsilon with the probability that a standard normal variate exceeds z.
    """
    budget = ball(epsilon)
    return (tail + (square(tail) + 2 * budget).sqrt()) / (2 * budget)
