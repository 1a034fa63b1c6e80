"""Both tails of the gamma distribution, accurate when they are tiny and when the shape is large."""

from __future__ import annotations

from flint import arb, ctx

LARGE_SHAPE = 64
"""Shape above which the hypergeometric series of the lower tail cancels badly."""


def upper_tail(point: arb, shape: arb) -> arb:
    """Enclose Pr(Gamma(shape) > point) for point > 0."""
    return point.gamma_upper(shape, 1)


def lower_tail(point: arb, shape: arb) -> arb:
    r"""Enclose Pr(Gamma(shape) < point) for point > 0.

    Below a large shape s it sums :math:`\frac{z^s e^{-z}}{\Gamma(s+1)} \sum_n z^n / ((s+1)\cdots(s+n))`, whose terms
    are positive.
    """
    if shape < LARGE_SHAPE:
        return point.gamma_lower(shape, 1)
    if not point < shape:
        return 1 - upper_tail(point, shape)
    series = positive_series(point, shape, arb(2) ** -ctx.prec)
    return (shape * point.log() - point - (shape + 1).lgamma()).exp() * series


def positive_series(point: arb, shape: arb, negligible: arb) -> arb:
    r"""Enclose :math:`\sum_{n \geq 0} z^n / ((s+1)\cdots(s+n))` for 0 < z < s + 1, z the point and s the shape.

    Terms are added until one is negligible. Each later term is the one before it times less than the ratio of the
    first that is left out, so the rest is at most a geometric series.
    """
    total, term, index = arb(1), arb(1), 0
    while term > negligible:
        index += 1
        term *= point / (shape + index)
        total += term
    ratio = point / (shape + index + 1)
    return total + (term * ratio / (1 - ratio)).union(arb(0))
