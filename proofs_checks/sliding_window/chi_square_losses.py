"""Largest P(E) - e^eps Q(E), either way, between chi-square laws: closed forms in mpmath, at its working precision."""

from __future__ import annotations

import mpmath

from dpmatrix.claims.formulas import real
from dpmatrix.exact import Exact


def shifted_losses(degrees: Exact, shift: Exact, epsilon: Exact) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Compare chi-square with k degrees, moved by x > 0, with itself, and then the other way round.

    The likelihood ratio of moved against unmoved at t is (1 - x/t)^(k/2 - 1) e^(x/2) for t > x, increasing in t for k >
    2: the best events are t > a, and t < b for the other direction. For k < 2 it falls to e^(x/2): the best events are
    x < t < a, and t < x. Below, all lengths are halved.
    """
    shape, x, e = real(degrees) / 2, real(shift) / 2, real(epsilon)

    def above(z: mpmath.mpf) -> mpmath.mpf:
        return mpmath.gammainc(shape, z, mpmath.inf, regularized=True) if z > 0 else mpmath.mpf(1)

    present = mpmath.mpf(0)
    if shape <= 1:
        present = max(present, 1 - mpmath.exp(e) * above(x))
        if shape < 1 and e > x:
            a = x / (1 - mpmath.exp((x - e) / (1 - shape)))
            present = 1 - above(a - x) - mpmath.exp(e) * (above(x) - above(a))
        return present, 1 - above(x)
    if x > e:  # (shape - 1) log(1 - x/t) + x > e for large t
        a = x / (1 - mpmath.exp((e - x) / (shape - 1)))
        present = above(a - x) - mpmath.exp(e) * above(a)
    b = x / (1 - mpmath.exp((-e - x) / (shape - 1)))
    absent = (1 - above(b)) - mpmath.exp(e) * (1 - above(b - x))
    return present, absent


def shifted_delta(degrees: Exact, shift: Exact, epsilon: Exact) -> mpmath.mpf:
    """Return the larger of `shifted_losses`."""
    return max(shifted_losses(degrees, shift, epsilon))


def turned_delta(rows: Exact, kappa: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    """Compare normal laws at the distance kappa sqrt(s), on average over a chi-square s with so many degrees."""
    e, half = mpmath.mpf(epsilon), real(rows) / 2
    if kappa == 0:
        return mpmath.mpf(0)

    def part(s: mpmath.mpf) -> mpmath.mpf:
        x = kappa * mpmath.sqrt(s)
        density = mpmath.exp((half - 1) * mpmath.log(s / 2) - s / 2 - mpmath.loggamma(half)) / 2
        return density * (mpmath.ncdf(x / 2 - e / x) - mpmath.exp(e) * mpmath.ncdf(-x / 2 - e / x))

    middle, width = 2 * half, 2 * mpmath.sqrt(half)
    ends = [middle + count * width for count in (-12, -4, 0, 4, 16, 48, 128)]
    return mpmath.quad(part, [mpmath.mpf(1) / 10**6, *(end for end in ends if end > 1)])


def scaled_delta(rows: Exact, inflation: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    """Compare Gamma(r/2) and (1 + l) Gamma(r/2): the best events are half-lines."""
    e, l, half = mpmath.mpf(epsilon), mpmath.mpf(inflation), real(rows) / 2

    def above(t: mpmath.mpf) -> mpmath.mpf:
        return mpmath.gammainc(half, t, mpmath.inf, regularized=True)

    cut = (half * mpmath.log1p(l) + e) / l
    wide = above(cut) - mpmath.exp(e) * above(cut * (1 + l))
    cut = (half * mpmath.log1p(l) - e) / l
    narrow = mpmath.mpf(0)
    if cut > 0:
        narrow = (1 - above(cut * (1 + l))) - mpmath.exp(e) * (1 - above(cut))
    return max(wide, narrow)
