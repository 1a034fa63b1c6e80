"""Definitions 1 and 2: the two laws of noise, Laplace and Wishart (section 2)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import attrs
from flint import acb, arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Statement, Verdict
from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.conditions import equality, exceeds, positive
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.wishart.gaussian_scatter import SCATTER_STEP


@attrs.frozen
class LaplaceDensityPoint:
    """A point z of the real line, and the location and scale of a Laplace law."""

    z: Real
    location: Real
    scale: Real


def _at_distance(distance: Any, scale: arb) -> Any:  # noqa: ANN401 - a ball, or a complex one to integrate over
    """``exp(-x / b) / (2b)`` at a distance x from mu."""
    return (-distance / scale).exp() / (2 * scale)


def laplace_density(p: LaplaceDensityPoint) -> arb:
    """``exp(-|z - mu| / b) / (2b)``."""
    density: arb = _at_distance(abs(ball(p.z) - ball(p.location)), ball(p.scale))
    return density


def total_mass(p: LaplaceDensityPoint) -> arb:
    """Integral of p over the line for b > 0: quadrature up to 40 b from mu; from x on it is ``2 b p(mu + x)``."""
    scale = ball(p.scale)
    reach = 40 * scale
    near = acb.integral(lambda x, _: _at_distance(x, scale), 0, reach).real
    return 2 * near + 2 * scale * laplace_density(attrs.evolve(p, z=ball(p.location) + reach))


def laplace_density_margin(p: LaplaceDensityPoint) -> arb:
    """The lesser of p(z) and minus the distance of the integral of p from 1."""
    return laplace_density(p).min(equality(total_mass(p), arb(1)))


DEFINITION_1 = Claim(
    id="wishart.definition-1",
    kind=Kind.DEFINITION,
    source=Locator("wishart", "Definition 1", "p(z) = exp(-|z - mu| / b) / (2b)"),
    statement=Statement(
        "p is a probability density: nowhere negative, with integral 1",
        laplace_density_margin,
        given=(positive("scale"),),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "Each side of mu holds half of the mass. That b > 0 goes unsaid: for b < 0 the formula is negative and not "
        "integrable, so that no random variable has it."
    ),
    reading="b > 0.",
)


@attrs.frozen
class WishartNormaliser:
    """Parameters of W_d(m, C): m, and C as a rational d x d matrix."""

    degrees_of_freedom: Real
    scale: fmpq_mat


def multivariate_gamma_log(dimension: int, a: arb) -> arb:
    """Log of Gamma_d(a) = pi^(d(d-1)/4) prod Gamma(a - (i-1)/2); the document does not define it."""
    total = arb.pi().log() * dimension * (dimension - 1) / 4
    for i in range(dimension):
        total += (a - arb(i) / 2).lgamma()
    return total


def printed_log_normaliser(p: WishartNormaliser) -> arb:
    """Log of 2^(md/2) |C|^(m/2) Gamma_d(m/2)."""
    m, d = ball(p.degrees_of_freedom), p.scale.nrows()
    return m * d / 2 * arb(2).log() + m / 2 * ball(p.scale.det()).log() + multivariate_gamma_log(d, m / 2)


def pivots(matrix: fmpq_mat) -> list[fmpq]:
    """Squares of the diagonal of the Cholesky factor: quotients of consecutive leading minors."""
    minors = [
        fmpq_mat(k, k, [matrix[i, j] for i in range(k) for j in range(k)]).det() for k in range(matrix.nrows() + 1)
    ]
    return [after / before if before else fmpq(0) for before, after in pairwise(minors)]


def cholesky_log_mass(p: WishartNormaliser) -> arb:
    """Log of the integral of |W|^((m-d-1)/2) exp(-tr(C^-1 W)/2), by two changes of variables.

    With C = TT', T lower triangular with diagonal t, W = TVT' has Jacobian prod t_i^(d+1), and with V = LL' the
    Jacobian is 2^d prod l_ii^(d-i+1). What is left is a product of integrals over the entries of L.
    """
    m, d = ball(p.degrees_of_freedom), p.scale.nrows()
    total = d * arb(2).log() + (2 * arb.pi()).log() * d * (d - 1) / 4
    for i, pivot in enumerate(pivots(p.scale), start=1):
        half = (m - i + 1) / 2
        total += (half - 1) * arb(2).log() + half.lgamma()
        total += ((m - d - 1) / 2 + fmpq(d + 1, 2)) * ball(pivot).log()
    return total


def wishart_mass_margin(p: WishartNormaliser) -> arb:
    """The printed normaliser is the integral of the printed kernel."""
    return equality(printed_log_normaliser(p), cholesky_log_mass(p))


def degrees_margin(p: WishartNormaliser) -> arb:
    """``m - (d - 1)``."""
    return ball(p.degrees_of_freedom) - (p.scale.nrows() - 1)


def symmetric_scale_margin(p: WishartNormaliser) -> arb:
    """Zero exactly when C is symmetric."""
    return disagreement(p.scale, p.scale.transpose())


def definite_scale_margin(p: WishartNormaliser) -> arb:
    """Least of the pivots of C: positive exactly when a symmetric C is positive definite."""
    return arb(min(pivots(p.scale)))


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
        given=(
            exceeds("C is symmetric", symmetric_scale_margin, strict=False),
            exceeds("C is positive definite", definite_scale_margin),
            exceeds("m > d - 1", degrees_margin),
        ),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "The normaliser is the integral of the kernel for every d, C and real m > d - 1. Two things go unsaid: Gamma_d "
        "is the multivariate gamma function, and the density is 0 off the positive definite cone. The proof of Theorem "
        "4 forgets the second."
    ),
    reading=(
        "Gamma_d is the multivariate gamma function; the density vanishes off the cone of positive definite matrices."
    ),
    steps=(SCATTER_STEP,),
)
