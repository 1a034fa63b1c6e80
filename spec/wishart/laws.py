"""Definitions 1 and 2: the two laws of noise, Laplace and Wishart (section 2)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Real, ball
from dpmatrix.spec.conditions import equality, exceeds, positive, whole


@attrs.frozen
class LaplaceDensityPoint:
    """A point z of the real line, and the location and scale of a Laplace law."""

    z: Real
    location: Real
    scale: Real


def laplace_density(p: LaplaceDensityPoint) -> arb:
    """``exp(-|z - mu| / b) / (2b)``."""
    scale = ball(p.scale)
    return (-abs(ball(p.z) - ball(p.location)) / scale).exp() / (2 * scale)


DEFINITION_1 = Claim(
    id="wishart.definition-1",
    kind=Kind.DEFINITION,
    source=Locator("wishart", "Definition 1", "p(z) = exp(-|z - mu| / b) / (2b)"),
    statement=Statement("p is a probability density: nowhere negative, with integral 1", laplace_density),
    verdict=Verdict.ILL_POSED,
    because="No domain is given for b. At b = -1 the formula is negative everywhere and not integrable.",
    repair=Repair(
        "b > 0",
        Statement("for b > 0, p is a probability density", laplace_density, given=(positive("scale"),), strict=True),
    ),
)


@attrs.frozen
class WishartNormaliser:
    """Parameters of W_d(m, cI); with C = cI nothing is lost, as W -> C^(1/2) W C^(1/2) changes variables."""

    dimension: int
    degrees_of_freedom: Real
    scale: Real


def multivariate_gamma_log(dimension: int, a: arb) -> arb:
    """Log of Gamma_d(a) = pi^(d(d-1)/4) prod Gamma(a - (i-1)/2); the document does not define it."""
    total = arb.pi().log() * dimension * (dimension - 1) / 4
    for i in range(dimension):
        total += (a - arb(i) / 2).lgamma()
    return total


def printed_log_normaliser(p: WishartNormaliser) -> arb:
    """Log of 2^(md/2) |C|^(m/2) Gamma_d(m/2)."""
    m, d = ball(p.degrees_of_freedom), p.dimension
    return m * d / 2 * arb(2).log() + m / 2 * d * ball(p.scale).log() + multivariate_gamma_log(d, m / 2)


def cholesky_log_mass(p: WishartNormaliser) -> arb:
    """Log of the integral of |W|^((m-d-1)/2) exp(-tr(W)/(2c)), by W = LL' with Jacobian 2^d prod l_ii^(d-i+1)."""
    m, d, variance = ball(p.degrees_of_freedom), p.dimension, ball(p.scale)
    below_diagonal = (2 * arb.pi() * variance).log() * d * (d - 1) / 4
    total = below_diagonal + d * arb(2).log()
    for i in range(1, d + 1):
        half = (m - i + 1) / 2
        total += (half - 1) * arb(2).log() + half * variance.log() + half.lgamma()
    return total


def wishart_mass_margin(p: WishartNormaliser) -> arb:
    """The printed normaliser is the integral of the printed kernel."""
    return equality(printed_log_normaliser(p), cholesky_log_mass(p))


def degrees_margin(p: WishartNormaliser) -> arb:
    """``m - (d - 1)``."""
    return ball(p.degrees_of_freedom) - (p.dimension - 1)


DEFINITION_2 = Claim(
    id="wishart.definition-2",
    kind=Kind.DEFINITION,
    source=Locator(
        "wishart",
        "Definition 2",
        "p(W) = |W|^((m-d-1)/2) exp(-tr(C^-1 W)/2) / (2^(md/2) |C|^(m/2) Gamma_d(m/2)), m > d - 1, C positive definite",
    ),
    statement=Statement(
        "the density on positive definite matrices has integral 1",
        wishart_mass_margin,
        given=(whole("dimension", 1), exceeds("m > d - 1", degrees_margin), positive("scale")),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "The normaliser is the integral of the kernel for every d and real m > d - 1. Two things go unsaid: Gamma_d is "
        "the multivariate gamma function, and the density is 0 off the positive definite cone. The proof of Theorem 4 "
        "forgets the second."
    ),
    reading=(
        "Gamma_d is the multivariate gamma function; the density vanishes off the cone of positive definite matrices."
    ),
)
