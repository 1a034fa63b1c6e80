"""What a sketch reveals of a long row that turns: the exact divergence of the sketches of two rows of one length.

The rows are a = (M, 1/2) and (M, -1/2), at distance 1. A sketch of m rows is m independent rows with the law N(0,
(sigma^2 1 + a'a)/m). Its first column u has one law for both, and given u the second one is normal, of mean +-M u/(2
(sigma^2 + M^2)) and variance sigma^2 (sigma^2 + M^2 + 1/4)/(m (sigma^2 + M^2)) in each entry. So with the chi variate
X = |u| sqrt(m/(sigma^2 + M^2)), of m degrees, the two laws are normal ones at the distance kappa X, where kappa =
M/(sigma sqrt(sigma^2 + M^2 + 1/4)).
"""

from __future__ import annotations

from flint import acb, arb

from dpmatrix.exact import Real, ball

FAR = 30
"""X is beyond its mean by so much with probability exp(-FAR^2/2) at most, being Lipschitz in a normal vector."""

DEEP = 40
"""Distances of epsilon/DEEP and less are not integrated: the divergence is at most what it is there."""


def normal_divergence(distance: acb, epsilon: arb) -> acb:
    """Hockey-stick divergence of two standard normal laws: ``Phi(x/2 - eps/x) - e^eps Phi(-x/2 - eps/x)``."""
    cut, root = epsilon / distance, arb(2).sqrt()
    return (((cut - distance / 2) / root).erfc() - epsilon.exp() * ((cut + distance / 2) / root).erfc()) / 2


def turned_divergence(size: int, squared_floor: arb, row: Real, epsilon: Real) -> arb:
    """Divergence at epsilon of the sketches of (M, 1/2) and (M, -1/2), of so many rows: the mean over X, enclosed."""
    length, at = ball(row), ball(epsilon)
    if length == 0:
        return arb(0)  # two rows of opposite sign have one second moment
    kappa = length / (squared_floor * (squared_floor + length * length + arb(1) / 4)).sqrt()
    middle = arb(size - 1).sqrt()  # the mean of X is between it and sqrt(m) <= it + 1
    start, end = (at / (DEEP * kappa)).max(middle - FAR).lower(), (middle + 2 + FAR).upper()
    missed = arb(0).union(2 * (-(arb(FAR) ** 2) / 2).exp() + normal_divergence(acb(at / DEEP), at).real)
    if not start < end:
        return missed
    scale = (1 - arb(size) / 2) * arb(2).log() - (arb(size) / 2).lgamma()

    def integrand(x: acb, analytic: bool) -> acb:
        density = ((size - 1) * x.log(analytic=analytic) - x * x / 2 + scale).exp()
        return density * normal_divergence(kappa * x, at)

    found = acb.integral(integrand, start, end).real + missed
    return found.intersection(arb(0).union(arb(1)))
