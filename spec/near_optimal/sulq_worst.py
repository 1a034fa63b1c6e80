"""What MOD-SULQ loses, 1 - E|<v^, mu>|, on the worst n copies of a unit vector mu: bounds from both sides."""

from __future__ import annotations

from flint import arb, fmpq

from dpmatrix.exact import square
from dpmatrix.spec.near_optimal.noise import ModSulq, printed_deviation
from dpmatrix.spec.near_optimal.sulq_bound import threshold

RATE = fmpq(1, 10)
"""Where Fano's inequality is applied: to lines with ``1 - phi^2 = exp(-2 RATE)``."""


def axis_correlation(p: ModSulq) -> arb:
    """``1/sqrt(d) + erf(1/(2 sqrt(2) beta))``: on copies of some e_i the correlation is at most that.

    Copies of e_i shift one entry of the noise by 1, so their output differs from that of noise alone by the second
    term in total variation; for noise alone ``sum_i E|<v^, e_i>| <= sqrt(d)``, and the least of the d terms counts.
    """
    return 1 / arb(p.dimension).sqrt() + (1 / (arb(8).sqrt() * printed_deviation(p))).erf()


def fano_loss(p: ModSulq) -> arb:
    """``((1-phi)/4) bracket^2`` of (21) at ``1 - phi^2 = exp(-2 RATE)``, where the bracket is positive; else 0."""
    share, log_count = (-2 * arb(RATE)).exp(), (p.dimension - 1) * RATE - arb(8).log()
    part = 1 - threshold(p) / log_count if log_count > 0 else arb(0)
    return (1 - (1 - share).sqrt()) / 4 * square(part) if part > 0 else arb(0)


def least_loss(p: ModSulq) -> arb:
    """Return the larger of the two lower bounds, which is 0 for d = 1."""
    return (1 - axis_correlation(p)).max(fano_loss(p))


def most_loss(p: ModSulq) -> arb:
    """``2 d^2 beta^2``, and 0 for d = 1.

    The noise N has ``E|N|_F^2 = d^2 beta^2``. As v^ is a top eigenvector of mu mu' + N, ``1 - <v^, mu>^2 <=
    <N, v^v^' - mu mu'> <= |N|_F (2 (1 - <v^, mu>^2))^(1/2)``, so that ``1 - |<v^, mu>| <= 2 |N|_F^2``.
    """
    return arb(0) if p.dimension == 1 else 2 * square(p.dimension * printed_deviation(p))


def random_correlation(dimension: int) -> arb:
    """Mean modulus of a coordinate of a uniform unit vector: ``Gamma(d/2)/(sqrt(pi) Gamma((d+1)/2))``."""
    return arb(fmpq(dimension, 2)).gamma() / (arb.pi().sqrt() * arb(fmpq(dimension + 1, 2)).gamma())
