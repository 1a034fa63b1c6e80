"""The probability that all eigenvalues of a random symmetric matrix lie in an interval, in closed form.

The density of the ordered eigenvalues x_1 < ... < x_k is a constant times det[f_i(x_j)]. Its integral over an interval
is the Pfaffian of the numbers A_ij, the integral of f_i(x) f_j(y) - f_j(x) f_i(y) over x < y; for odd k these get one
more row, the integrals of the f_i (de Bruijn 1955). Both weights below have integrals that follow from incomplete gamma
functions by parts (Chiani 2017). A Pfaffian is the root of a determinant, and the constant is that of the whole range.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, arb_mat, ctx

from dpmatrix.exact import Real, ball
from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail

GUARD = 64
"""Bits that are added for each eigenvalue: determinants cancel."""


def _pfaffian(entry: Callable[[int, int], arb], total: Callable[[int], arb], order: int) -> arb:
    """Pfaffian of the A_ij with i > j, from 1, up to its sign."""
    size = order + order % 2
    table = [[arb(0)] * size for _ in range(size)]
    for i in range(1, size + 1):
        for j in range(1, i):
            value = entry(i, j) if i <= order else total(j)
            table[i - 1][j - 1], table[j - 1][i - 1] = value, -value
    determinant = arb_mat(table).det()
    return determinant.max(arb(0)).sqrt()  # the square of a real number


def _between_0_and_1(value: arb) -> arb:
    return value.max(arb(0)).min(arb(1))


def _gamma_between(shape: arb, low: arb, high: arb | None) -> arb:
    """Pr(low < Gamma(shape) < high); no upper end where that is None."""
    if high is None:  # and low is 0
        return arb(1)
    return lower_tail(high, shape) - (lower_tail(low, shape) if low > 0 else arb(0))


def _wishart_pfaffian(order: int, rows: int, low: arb, high: arb | None) -> arb:
    """Pfaffian for the eigenvalues of half a Wishart matrix, with f_i = x^(s_i - 1) e^-x / Gamma(s_i)."""
    shapes = [arb(rows - order - 1) / 2 + i for i in range(order + 1)]
    mass = [_gamma_between(shape, low, high) if i else arb(0) for i, shape in enumerate(shapes)]
    known: dict[tuple[int, int], arb] = {}

    def nested(i: int, j: int) -> arb:
        """Integrate f_i(x) f_j(y) over x < y, for i >= j: by parts from i - 1."""
        if i == j:
            return mass[i] * mass[i] / 2
        if (i, j) not in known:
            s, other = shapes[i - 1], shapes[j]
            both = (s + other).lgamma() - (s + 1).lgamma() - other.lgamma() - (s + other) * arb(2).log()
            twice = _gamma_between(s + other, 2 * low, None if high is None else 2 * high)
            edge = (s * low.log() - low - (s + 1).lgamma()).exp() if low > 0 else arb(0)
            known[i, j] = nested(i - 1, j) - both.exp() * twice + edge * mass[j]
        return known[i, j]

    return _pfaffian(lambda i, j: 2 * nested(i, j) - mass[i] * mass[j], lambda j: mass[j], order)


def wishart_within(order: int, rows: int, low: Real, high: Real) -> arb:
    """Probability that all eigenvalues of G'G lie between ``low`` >= 0 and ``high``, G with ``rows`` >= ``order`` rows.

    The entries of G are independent N(0, 1); the order is that of G'G.
    """
    bits = ctx.prec
    try:
        ctx.prec = bits + GUARD * order
        inside = _wishart_pfaffian(order, rows, ball(low) / 2, ball(high) / 2)
        return _between_0_and_1(inside / _wishart_pfaffian(order, rows, arb(0), None))
    finally:
        ctx.prec = bits


def _gaussian_pfaffian(order: int, end: arb | None) -> arb:
    """Pfaffian for f_i = x^(i-1) e^(-x^2/2) on (-end, end), or everywhere."""
    top = None if end is None else end * end / 2

    def mass(i: int, power: int = 1) -> arb:
        """Integral of |x|^(i-1) e^(-power x^2/2): no term of a Pfaffian has the total of an odd function."""
        half = arb(i) / 2
        share = arb(1) if top is None else lower_tail(power * top, half)
        return (arb(2) / power) ** half * half.gamma() * share

    def edge(i: int) -> arb:
        return arb(0) if end is None or top is None else end**i * (-top).exp()

    def nested(i: int, j: int) -> arb:
        """Integrate f_i(x) f_j(y) over x < y, for even i and odd j, by parts; a multiple of row i - 2 is left out."""
        return edge(i - 2) * mass(j) - mass(i + j - 2, 2)

    def entry(i: int, j: int) -> arb:
        if (i - j) % 2 == 0:
            return arb(0)
        even, odd = (i, j) if i % 2 == 0 else (j, i)
        # the mass of an odd function is 0
        return 2 * nested(even, odd) if even == i else -2 * nested(even, odd)

    return _pfaffian(entry, mass, order)


def gaussian_within(order: int, end: arb) -> arb:
    """Probability that all eigenvalues of a symmetric matrix lie in (-end, end).

    Its entries are independent, N(0, 1/2) above the diagonal and N(0, 1) on it, so that its law is invariant under
    rotations: the Gaussian orthogonal ensemble.
    """
    bits = ctx.prec
    try:
        ctx.prec = bits + GUARD * order
        return _between_0_and_1(_gaussian_pfaffian(order, end) / _gaussian_pfaffian(order, None))
    finally:
        ctx.prec = bits


def triangle_exceeds(order: int, deviation: arb, bound: Real) -> arb:
    """Enclose the probability that symmetric noise with N(0, deviation^2) on and above the diagonal has norm > bound.

    At least that of its first entry, and in one dimension just that. At most that of the noise plus as much again on
    the diagonal, which is invariant under rotations: more independent symmetric noise makes it less likely to stay in
    a convex symmetric set (Anderson 1955).
    """
    ratio = ball(bound) / (deviation * arb(2).sqrt())
    single = ratio.erfc()
    return single if order == 1 else single.union(1 - gaussian_within(order, ratio))
