r"""Tails of the discrete Gaussian: certified sums of exp(-k^2 / 2v) over all integers k of at least a given one."""

from __future__ import annotations

from flint import arb, ctx, fmpq

LARGE_VARIANCE = 1 << 10
"""Variance above which sums near the centre are compared with their integrals instead of being added up."""


def total_mass(variance: fmpq) -> arb:
    """Enclose the sum over all integers, relative accuracy about that of the working precision.

    By Poisson's formula it is ``sqrt(2 pi v)`` times ``1 + 2 sum_j exp(-2 pi^2 v j^2)``; the formula that converges
    faster is used.
    """
    if variance < 1:
        return 1 + 2 * _theta(arb(1 / (2 * variance)))
    spread = arb(variance)
    return (2 * arb.pi() * spread).sqrt() * (1 + 2 * _theta(2 * arb.pi() * arb.pi() * spread))


def _theta(rate: arb) -> arb:
    """Enclose the sum over j >= 1 of exp(-rate j^2), for a rate above 1/2, with an accuracy relative to one.

    From j to j + 1 the terms fall by exp(-rate (2 j + 1)), which is below 1/2 where ``rate j > 1`` and falls itself, so
    that the rest is below the last term taken.
    """
    total, index = arb(0), 1
    # Not relative to the total: exp of a very negative number may be a ball around zero.
    negligible = arb(2) ** (-ctx.prec - 8)
    while True:
        term = (-rate * index * index).exp()
        total += term
        if rate * index > 1 and term < negligible:
            return total + term.union(arb(0))
        index += 1


def upper_sum(start: int, variance: fmpq) -> arb:
    """Enclose the sum over k >= start, for start >= 0; the ball shrinks relative to the value as precision grows.

    From ``start >= v`` on each term is below 1/e of the one before, so that few matter, and further out the
    Euler-Maclaurin series does not even begin to converge. Near the centre it reaches more than v bits.
    """
    if start >= variance or variance <= max(LARGE_VARIANCE, ctx.prec):
        return _added_up(start, variance)
    return _euler_maclaurin(start, variance)


def _added_up(start: int, variance: fmpq) -> arb:
    """Add the terms; the ratio of neighbours, exp(-(2 k + 1) / 2v), falls, so the rest is below a geometric series."""
    half_rate = arb(1 / (2 * variance))
    term = (-half_rate * start * start).exp()
    ratio, decay = (-half_rate * (2 * start + 1)).exp(), (-2 * half_rate).exp()
    if not term > 0:
        # Too small for a ball of this precision that excludes zero: all that is known is the geometric bound.
        return term.union(arb(0)) / (1 - ratio)
    total = term
    negligible = arb(2) ** (-ctx.prec - 8)
    while not (term < negligible * total * (1 - ratio)):
        term *= ratio
        ratio *= decay
        total += term
    rest = term * ratio / (1 - ratio)
    return total + rest.union(arb(0))


def _euler_maclaurin(start: int, variance: fmpq) -> arb:
    r"""Compare the sum with the integral of f(x) = exp(-x^2 / 2v).

    :math:`\sum_{k \ge a} f(k) = \int_a^\infty f + f(a)/2 - \sum_{j \le p} \frac{B_{2j}}{(2j)!} f^{(2j-1)}(a) + R`, with
    :math:`|R| \le \frac{2 \zeta(2p)}{(2\pi)^{2p}} \int_a^\infty |f^{(2p)}|`. In standard units ``f^(n)(x) = (-1)^n s^-n
    He_n(x/s) f(x)``, s^2 = v. The integral of |He_n(z)| exp(-z^2/2) over z >= y is at most that of the polynomial with
    all signs made positive, which the moments ``M_n = y^(n-1) exp(-y^2/2) + (n - 1) M_(n-2)`` give. Every p is valid.
    """
    deviation = arb(variance).sqrt()
    y = start / deviation
    height = (-y * y / 2).exp()
    moments = [(arb.pi() / 2).sqrt() * (y / arb(2).sqrt()).erfc(), height]
    value = deviation * moments[0] + height / 2
    odd_power = 1 / deviation
    before, polynomial = arb(1), y
    order = 1
    negligible = arb(2) ** (-ctx.prec)
    while True:
        # B_2j / (2j)! f^(2j-1)(a), with f^(2j-1) = -s^(1-2j) He_(2j-1)(y) f.
        value += arb(arb.bernoulli(2 * order)) / arb(2 * order).fac() * odd_power * polynomial * height
        while len(moments) <= 2 * order:
            n = len(moments)
            moments.append(y ** (n - 1) * height + (n - 1) * moments[n - 2])
        bound = 2 * arb(2 * order).zeta() / (2 * arb.pi() * deviation) ** (2 * order) * deviation
        rest = bound * _positive_hermite(2 * order, moments)
        if rest < negligible * value.abs_lower() or order > ctx.prec:
            return value + rest.union(-rest)
        odd_power /= arb(variance)
        for n in (2 * order - 1, 2 * order):
            before, polynomial = polynomial, y * polynomial - n * before
        order += 1


def _positive_hermite(degree: int, moments: list[arb]) -> arb:
    """Integrate He_degree with positive signs, from the moments: the coefficients are n! / (2^j j! (n - 2j)!)."""
    total, coefficient = arb(0), fmpq(1)
    for j in range(degree // 2 + 1):
        total += arb(coefficient) * moments[degree - 2 * j]
        coefficient *= fmpq((degree - 2 * j) * (degree - 2 * j - 1), 2 * (j + 1))
    return total
