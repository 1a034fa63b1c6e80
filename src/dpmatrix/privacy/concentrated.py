r"""Concentrated and Rényi differential privacy where they have closed forms, and what they mean in (epsilon, delta).

A Rényi curve bounds, for each order a > 1, the divergence of order a between neighbours in both orders. Curves of
several releases of the same data add up; zero-concentrated privacy with parameter rho is the curve ``a rho``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, Real, ball, fraction, rational, whole_number
from dpmatrix.privacy.domains import nonnegative, positive

RenyiCurve: TypeAlias = Callable[[Fraction], arb]

LEAST_EXPONENT, GREATEST_EXPONENT = -40, 80
"""Orders are sought between 1 + 2^-40 and 1 + 2^80."""

ROUNDS = 64
"""Rounds of the search for an order; each narrows the interval of exponents to two thirds."""


def gaussian_rho(sensitivity: Real, standard_deviation: Real) -> arb:
    """Return s^2 / 2 v, the least rho of Gaussian noise of variance v for an l2 sensitivity s.

    Raises
    ------
    InvalidParameterError
        If the sensitivity is negative or the standard deviation is not positive.
    """
    nonnegative(sensitivity, "sensitivity")
    positive(standard_deviation, "standard_deviation")
    return (ball(sensitivity) / ball(standard_deviation)) ** 2 / 2


def discrete_gaussian_rho(squared_sensitivity: int, variance: Exact) -> Fraction:
    """Return s^2 / 2 v, the rho of discrete Gaussian noise with parameter v, in any number of coordinates.

    Canonne, Kamath and Steinke 2020.

    Raises
    ------
    InvalidParameterError
        If the squared sensitivity is no integer of at least zero or the variance is not positive.
    """
    square = whole_number(squared_sensitivity, "squared_sensitivity")
    return fraction(square / (2 * positive(variance, "variance").upper))


def pure_rho(epsilon: Real) -> arb:
    """Return epsilon^2 / 2, a rho of every (epsilon, 0)-differentially private release (Bun and Steinke 2016).

    Raises
    ------
    InvalidParameterError
        If epsilon is negative.
    """
    nonnegative(epsilon, "epsilon")
    return ball(epsilon) ** 2 / 2


def bounded_range_rho(width: Real) -> arb:
    """Return h^2 / 8, a rho of every mechanism of range h, as in `BoundedRangeProfile` (Cesar and Rogers 2021).

    Raises
    ------
    InvalidParameterError
        If the range is negative.
    """
    nonnegative(width, "width")
    return ball(width) ** 2 / 8


def concentrated(rho: Real) -> RenyiCurve:
    """Return the curve of zero-concentrated privacy: ``a rho`` at the order a.

    Raises
    ------
    InvalidParameterError
        If rho is negative.
    """
    nonnegative(rho, "rho")
    return lambda order: ball(rho) * ball(order)


def laplace_renyi(sensitivity: Real, scale: Real) -> RenyiCurve:
    r"""Return the curve of independent Laplace noise for an l1 sensitivity, which one coordinate may attain.

    With l the sensitivity in scales, ``log(a/(2a-1) e^((a-1) l) + (a-1)/(2a-1) e^(-a l)) / (a-1)`` (Mironov 2017,
    proposition 6). A change spread over several coordinates is no easier to see: see `LaplaceProfile`.

    Raises
    ------
    InvalidParameterError
        If the sensitivity is negative or the scale is not positive.
    """
    nonnegative(sensitivity, "sensitivity")
    positive(scale, "scale")
    level = ball(sensitivity) / ball(scale)

    def divergence(order: Fraction) -> arb:
        exact = rational(order)
        # The larger of the exponentials is taken out, so that no order is too large.
        mixed = exact + (exact - 1) * (-(2 * exact - 1) * level).exp()
        return level + (mixed / (2 * exact - 1)).log() / (exact - 1)

    return divergence


def renyi_delta(curve: RenyiCurve, epsilon: Exact) -> arb:
    r"""Bound delta at epsilon >= 0 from a Rényi curve; the upper end of the ball, which is exact, is certified.

    The least over orders a of ``exp((a-1)(curve(a) - epsilon)) (1 - 1/a)^a / (a-1)`` (Canonne, Kamath and Steinke 2020,
    proposition 12). Every order is valid. ``(a-1) curve(a)`` is convex for the divergence of two laws, and the other
    factors are log-convex, so that a search by thirds finds the best one.

    Raises
    ------
    InvalidParameterError
        If epsilon is negative.
    """
    level = arb(nonnegative(epsilon, "epsilon").lower)

    def bound(exponent: fmpq) -> arb:
        order, above = _order(exponent)
        log = above * (curve(order) - level) + ball(order) * _log_shrink(order) - above.log()
        return log.upper()

    return _least(bound).exp().upper().min(arb(1))


def renyi_epsilon(curve: RenyiCurve, delta: Exact) -> arb:
    r"""Bound epsilon at delta in (0, 1) from a Rényi curve: the least at which `renyi_delta` is at most delta.

    Raises
    ------
    InvalidParameterError
        If delta is not in (0, 1).
    """
    slack = rational(delta, "delta")
    if not 0 < slack < 1:
        raise InvalidParameterError("delta", f"{delta} is not in (0, 1)", "pass 0 < delta < 1")
    log_delta = arb(slack).log()

    def bound(exponent: fmpq) -> arb:
        order, above = _order(exponent)
        spare = -log_delta + ball(order) * _log_shrink(order) - above.log()
        return (curve(order) + spare / above).upper()

    return _least(bound).max(arb(0))


def _order(exponent: fmpq) -> tuple[Fraction, arb]:
    """Return an order a, exact and near 1 + 2^exponent, and a - 1."""
    power = (arb(2).log() * arb(exponent)).exp()
    mantissa, binary = power.mid().man_exp()
    above = fmpq(mantissa) * fmpq(2) ** int(binary)
    return fraction(above + 1), arb(above)


def _log_shrink(order: Fraction) -> arb:
    return (-1 / ball(order)).log1p()


def _least(bound: Callable[[fmpq], arb]) -> arb:
    """Return the least value found of a function that falls and then rises."""
    lower, upper = fmpq(LEAST_EXPONENT), fmpq(GREATEST_EXPONENT)
    best = bound(upper).min(bound(lower))
    for _ in range(ROUNDS):
        third = (upper - lower) / 3
        left, right = bound(lower + third), bound(upper - third)
        best = best.min(left).min(right)
        if left < right:
            upper -= third
        else:
            lower += third
    return best.upper()
