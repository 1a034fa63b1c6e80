"""Normal laws and the exact divergence of shifted ones in symbols: shared by the evidence, no evidence by itself."""

from __future__ import annotations

import sympy

FAR = 65536
"""From there on the tails are computed in another way, which does not underflow."""


def phi(x: sympy.Expr) -> sympy.Expr:
    """Give the standard normal density."""
    return sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi)


def cdf(x: sympy.Expr) -> sympy.Expr:
    """Give the standard normal distribution function."""
    return (1 + sympy.erf(x / sympy.sqrt(2))) / 2


def divergence(epsilon: sympy.Expr, mu: sympy.Expr) -> sympy.Expr:
    """Give Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 - epsilon/mu) as `GaussianProfile` computes it.

    Far out both tails are written with U(1/2, 1/2, t^2/2)/sqrt(pi) = exp(t^2/2) erfc(t/sqrt(2)), and one exponential.
    """
    low, high = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    near = (sympy.erfc(low / sympy.sqrt(2)) - sympy.exp(epsilon) * sympy.erfc(high / sympy.sqrt(2))) / 2
    half = sympy.Rational(1, 2)
    scaled = [sympy.Function("hypgeom_u")(half, half, t**2 / 2) / sympy.sqrt(sympy.pi) for t in (low, high)]
    far = sympy.exp(-(low**2) / 2) * (scaled[0] - scaled[1]) / 2
    return sympy.Piecewise((near, low < FAR), (far, True))
