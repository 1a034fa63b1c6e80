"""Formulas that several items of evidence on `near-optimal` share: of mpmath at its working precision, and of sympy."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath
import sympy

from dpmatrix.claims.formulas import real


def cap(dimension: int, height: mpmath.mpf) -> mpmath.mpf:
    """Give the share of the sphere in which the inner product with a unit vector exceeds a height in [0, 1]."""
    if dimension == 1:
        return mpmath.mpf(1) / 2
    half = mpmath.mpf(1) / 2
    return mpmath.betainc((dimension - 1) * half, half, 0, 1 - height**2, regularized=True) / 2


def beta(p) -> mpmath.mpf:
    """Give the scale of the noise of (5)."""
    d, n, epsilon, delta = p.dimension, p.records, real(p.epsilon), real(p.delta)
    log = mpmath.log((d * d + d) / (delta * 2 * mpmath.sqrt(2 * mpmath.pi)))
    return (d + 1) / (n * epsilon) * mpmath.sqrt(2 * log) + 1 / (n * mpmath.sqrt(epsilon))


def beta_expression(d: sympy.Expr, n: sympy.Expr, epsilon: sympy.Expr, delta: sympy.Expr) -> sympy.Expr:
    """Give the scale of the noise of (5) in symbols."""
    log = sympy.log((d**2 + d) / (delta * 2 * sympy.sqrt(2 * sympy.pi)))
    return ((d + 1) / epsilon * sympy.sqrt(2 * log) + 1 / sympy.sqrt(epsilon)) / n


def dot(x: Sequence, y: Sequence) -> Fraction:
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, y, strict=True)), Fraction(0))


def printed_complement(dimension: int) -> mpmath.mpf:
    """Give what Theorem 8 prints for 1 - phi."""
    return mpmath.exp(-2 * (mpmath.log(8) + mpmath.log(1 + mpmath.exp(dimension))) / (dimension - 2))
