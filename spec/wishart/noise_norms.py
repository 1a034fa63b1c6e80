"""Bounds of the expected spectral norms of the noises that Theorem 5 and Table 1 compare (section 4)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.exact import square


@attrs.frozen
class Between:
    """A proved lower and a proved upper bound of one number."""

    low: arb
    high: arb


def laplace_norm(dimension: int, scale: arb) -> Between:
    """Bound E ||L||_2 for symmetric Laplace noise of scale b: between sqrt(d) b and 15 sqrt(d) b."""
    unit = arb(dimension).sqrt() * scale
    return Between(unit, 15 * unit)


def wishart_norm(dimension: int, scale: arb) -> Between:
    """Bound E ||W||_2, W ~ W_d(d + 1, cI): between 2 d c and ((sqrt(d) + sqrt(d + 1))^2 + 1) c."""
    root = arb(dimension).sqrt() + arb(dimension + 1).sqrt()
    return Between(2 * dimension * scale, (square(root) + 1) * scale)


def difference_norm(dimension: int, scale: arb) -> Between:
    """Bound E ||W_1 - W_2||_2, W_i ~ W_d(d + 1, cI): from sqrt(2) d c to ((sqrt(d) + sqrt(d + 1) + 1/2)^2 + 1) c."""
    root = arb(dimension).sqrt() + arb(dimension + 1).sqrt() + arb(1) / 2
    return Between(arb(2).sqrt() * dimension * scale, (square(root) + 1) * scale)


def gaussian_norm(dimension: int, deviation: arb) -> Between:
    """Bound E ||G||_2, symmetric Gaussian noise: between sqrt(2 d / pi) s and (2 sqrt(d) + 2 / sqrt(pi)) s."""
    high = (2 * arb(dimension).sqrt() + 2 / arb.pi().sqrt()) * deviation
    return Between((2 * dimension / arb.pi()).sqrt() * deviation, high)
