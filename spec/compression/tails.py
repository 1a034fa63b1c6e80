"""Exact tails of inner products under a Gaussian projection, and the document's constants C_1, C_2 and C.

For unit vectors x, y with <x, y> = r and m rows, m times the inner product (n/m) <Phi x, Phi y> has the law of
(1 + r) G - (1 - r) G', with G and G' independent of law Gamma(m/2): polarisation, <u, v> = (|u + v|^2 - |u - v|^2)/4.
"""

from __future__ import annotations

from flint import arb, fmpq

from dpmatrix.privacy.profiles.incomplete_gamma import lower_tail, upper_tail


def first_constant() -> arb:
    """``C_1 = 4 e / sqrt(6 pi)``, about 2.5044."""
    return 4 * arb(1).exp() / (6 * arb.pi()).sqrt()


def second_constant() -> arb:
    """``C_2 = e sqrt(8)``, about 7.6885: the number that is printed; the formula that is printed is sqrt(8 e)."""
    return arb(1).exp() * arb(8).sqrt()


def squared_constant() -> arb:
    """``C^2 = 2 (C_1 + C_2)`` of Procedure 4.1."""
    return 2 * (first_constant() + second_constant())


def diagonal_tail(rows: int, tau: arb) -> arb:
    """Pr(|chi^2_m / m - 1| >= tau): both tails of a diagonal entry."""
    half = arb(rows) / 2
    above = upper_tail(half * (1 + tau), half)
    return above + lower_tail(half * (1 - tau), half) if tau < 1 else above


def _above(half_rows: int, first: fmpq, second: fmpq, point: arb) -> arb:
    """Pr(a G - b G' > x) for a + b = 2, a, b > 0 and G, G' of law Gamma(k), k an integer."""
    if point < 0:
        return 1 - _above(half_rows, second, first, -point)
    if not point >= 0:  # a ball around 0; the probability decreases
        ends = arb(point.upper()), arb(point.lower())
        return _above(half_rows, first, second, ends[0]).union(_above(half_rows, first, second, ends[1]))
    ratio = point / arb(first)
    partial, term, sums = arb(0), arb(1), []
    for index in range(half_rows):
        partial += term
        sums.append(partial)
        term *= ratio / (index + 1)
    total, weight = arb(0), arb(1)
    for index in range(half_rows):
        total += weight * sums[half_rows - 1 - index]
        weight *= arb(second / 2) * (half_rows + index) / (index + 1)
    return (-ratio).exp() * arb(first / 2) ** half_rows * total


def inner_product_tail(rows: int, tau: arb, inner: fmpq) -> arb:
    """Pr(|(n/m) <Phi x, Phi y> - r| >= tau) for unit vectors: exact for even m and for r = 1 or -1, else [0, 1]."""
    if abs(inner) == 1:
        return diagonal_tail(rows, tau)
    if rows % 2 == 1:
        return arb(0).union(arb(1))
    first, second, half = 1 + inner, 1 - inner, rows // 2
    above = _above(half, first, second, rows * (arb(inner) + tau))
    below = _above(half, second, first, rows * (tau - arb(inner)))
    return above + below
