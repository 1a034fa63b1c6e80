"""What private mechanisms lose at Theorem 8 of `near-optimal`, computed by mpmath: no evidence by itself."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import mpmath

from dpmatrix.claims.formulas import real
from proofs_checks.near_optimal.formulas import printed_complement


def quotient(p) -> Fraction:
    return p.dimension / Fraction(p.epsilon)


def mended_complement(p) -> mpmath.mpf:
    """Compute 1 - phi with exp(eps ceil(d/eps)) for exp(d)."""
    points = ceil(p.dimension / Fraction(p.epsilon))
    lines = 1 + mpmath.exp(real(points * Fraction(p.epsilon)))
    return (8 * lines) ** (-mpmath.mpf(2) / (p.dimension - 2))


def of_family(p, moved: int, squared: mpmath.mpf) -> mpmath.mpf:
    """Compute the loss on a family from the number of points and E."""
    scaled = p.records * Fraction(p.gap)
    loss = (1 - mpmath.sqrt(1 - squared)) / 8
    if moved > scaled:
        return loss
    root = mpmath.sqrt(real(scaled**2 - moved**2)) + real(scaled)
    return loss / (1 + (root / moved) ** 2) if moved else mpmath.mpf(0)


def of_rounded(p) -> mpmath.mpf:
    """Compute the larger loss on the families with floor(d/eps) points, or with phi mended."""
    first = of_family(p, floor(quotient(p)), printed_complement(p.dimension))
    return max(first, of_family(p, ceil(quotient(p)), mended_complement(p)))


def crowded(p) -> mpmath.mpf:
    """Compute the loss with ceil(d/eps) points and lines chosen from the same families."""
    moved, d = ceil(quotient(p)), p.dimension
    exponential, a = mpmath.exp(real(moved * Fraction(p.epsilon))), mpmath.mpf(d - 2) / 2
    lines = 1 + 20 * exponential
    found = [(d - 1, mpmath.mpf(1)), (lines, 1 - mpmath.sqrt(1 - (8 * lines) ** (-1 / a)))]
    for step in range(15, 23):
        apart = mpmath.mpf(5) ** step / 6**step
        cover = mpmath.betainc(a, mpmath.mpf(1) / 2, 0, 1 - (1 - apart) ** 2, regularized=True)
        found.append((1 / cover, apart))
    best = max((count - 1) / (exponential + count - 1) * apart / 4 for count, apart in found)
    # A loss of (1 - sqrt(1 - E))/8 is what `of_family` makes of E.
    return of_family(p, moved, 1 - (1 - 8 * best) ** 2)


def needed(p) -> mpmath.mpf:
    """Compute the largest loss on the families."""
    return max(of_rounded(p), crowded(p))


def enough(p) -> mpmath.mpf:
    """Compute the loss of a density e^eps on a double cap and 1 elsewhere."""
    height = 1 - mpmath.exp(-2 * real(p.epsilon) / (p.dimension + 1))
    a, half = mpmath.mpf(p.dimension - 1) / 2, mpmath.mpf(1) / 2
    share = mpmath.betainc(a, half, 0, 1 - height**2, regularized=True)
    mean = mpmath.gamma(a + half) / (mpmath.sqrt(mpmath.pi) * mpmath.gamma(a + 1))
    weight = mpmath.exp(real(p.epsilon))
    return 1 - (weight * mean * (1 - height**2) ** a + mean * (1 - (1 - height**2) ** a)) / (weight * share + 1 - share)


def margin(p) -> mpmath.mpf:
    allowed = real(1 - Fraction(p.rho))
    return needed(p) - allowed if needed(p) > allowed else enough(p) - allowed
