"""Where documents state the Wishart law and its degrees of freedom, and whether they agree."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.conditions import below, equality, exceeds, positive, whole
from dpmatrix.spec.sliding_window.quoted_mechanisms import wishart_degrees
from dpmatrix.spec.wishart.laws import multivariate_gamma_log


@attrs.frozen
class WishartDensityPoint:
    """A positive definite W = TT', by its lower triangular T with a positive diagonal, and the law W_d(m, cI)."""

    factor: fmpq_mat
    degrees_of_freedom: Real
    scale: Real


def _order(p: WishartDensityPoint) -> int:
    return int(p.factor.nrows())


def _trace(p: WishartDensityPoint) -> arb:
    """``tr W``."""
    return arb(sum((entry * entry for entry in p.factor.entries()), fmpq(0)))


def _shared_log_density(p: WishartDensityPoint) -> arb:
    """What both documents print alike: |W|^((m-d-1)/2) / (|C|^(m/2) Gamma_d(m/2)), as a logarithm."""
    m, d = ball(p.degrees_of_freedom), _order(p)
    power = (m - d - 1) / 2 * arb((p.factor * p.factor.transpose()).det()).log()
    return power - m / 2 * d * ball(p.scale).log() - multivariate_gamma_log(d, m / 2)


def first_log_density(p: WishartDensityPoint) -> arb:
    """Log density of `wishart.definition-2`: 2^(md/2) below, exp(-tr(C^-1 W)/2) above."""
    m = ball(p.degrees_of_freedom)
    return _shared_log_density(p) - m * _order(p) / 2 * arb(2).log() - _trace(p) / (2 * ball(p.scale))


def second_log_density(p: WishartDensityPoint) -> arb:
    """Log density as section 2 of `sliding-window` prints it: 2^(md) below, exp(+tr(C^-1 R)/2) above."""
    m = ball(p.degrees_of_freedom)
    return _shared_log_density(p) - m * _order(p) * arb(2).log() + _trace(p) / (2 * ball(p.scale))


def bartlett_log_density(p: WishartDensityPoint) -> arb:
    """Log density of W = TT' when the t_ij / sqrt(c) are independent: chi with m - i + 1 degrees on, normal below.

    The map from T to W has the Jacobian ``2^d prod t_ii^(d-i+1)``.
    """
    m, c, d, total = ball(p.degrees_of_freedom), ball(p.scale), _order(p), arb(0)
    for i in range(d):
        shape, square = (m - i) / 2, arb(p.factor[i, i] ** 2) / c
        # t = t_ii has the density 2 t/c times that of chi square at t^2/c; below the diagonal stand i normal variates
        total += (shape - 1) * (square / 2).log() - square / 2 - shape.lgamma() + (arb(p.factor[i, i]) / c).log()
        for j in range(i):
            total -= arb(p.factor[i, j] ** 2) / (2 * c) + (2 * arb.pi() * c).log() / 2
        total -= (2 * arb(p.factor[i, i]) ** (d - i)).log()
    return total


def same_density_margin(p: WishartDensityPoint) -> arb:
    """Minus the distance between the two printed log densities."""
    return equality(first_log_density(p), second_log_density(p))


def mended_density_margin(p: WishartDensityPoint) -> arb:
    """Minus the distance between the log density with both slips mended, which is the first one, and Bartlett's."""
    return equality(first_log_density(p), bartlett_log_density(p))


def density_degrees_margin(p: WishartDensityPoint) -> arb:
    """``m - (d - 1)``."""
    return ball(p.degrees_of_freedom) - (_order(p) - 1)


def triangular_margin(p: WishartDensityPoint) -> arb:
    """Least diagonal entry of T; where T is not square and lower triangular, minus what is too much of it."""
    order, columns = _order(p), p.factor.ncols()
    above = sum((abs(p.factor[i, j]) for i in range(order) for j in range(i + 1, columns)), fmpq(0))
    wrong = abs(columns - order) + above
    return -arb(wrong) if wrong else arb(min(p.factor[i, i] for i in range(order)))


DENSITY_HYPOTHESES = (
    exceeds("T is lower triangular with a positive diagonal", triangular_margin),
    exceeds("m > d - 1", density_degrees_margin),
    positive("scale"),
)

WISHART_DENSITY = Claim(
    id="cross.wishart-density",
    kind=Kind.CROSS,
    source=Locator(
        "cross",
        "wishart Definition 2; sliding-window section 2",
        "exp(-tr(C^-1 W)/2) / 2^(md/2) ... against exp(Tr(C^-1 R)/2) / 2^(md) ...",
    ),
    statement=Statement("the two documents print one Wishart density", same_density_margin, given=DENSITY_HYPOTHESES),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    because=(
        "The document sliding-window prints exp(+tr/2), which is not integrable, and 2^(md) for 2^(md/2). With both "
        "slips mended it is that of wishart, the law of TT' for Bartlett's triangular T: independent chi variates on "
        "the diagonal, normal ones below. `wishart.definition-2` shows that it has integral 1."
    ),
    repair=Repair(
        "in sliding-window: a negative exponent, and 2^(md/2)",
        Statement(
            "the mended density, that of wishart, is the law of TT' with Bartlett's T",
            mended_density_margin,
            given=DENSITY_HYPOTHESES,
        ),
    ),
    uses=("wishart.definition-2",),
)


@attrs.frozen
class DegreesPoint:
    """Dimension and guarantee of the Wishart mechanism."""

    dimension: int
    epsilon: Real
    delta: Real


def algorithm_7_degrees(p: DegreesPoint) -> arb:
    """``d + 14 log(1/delta) / epsilon^2``; Algorithm 7 rounds it down."""
    return p.dimension + 14 * (1 / ball(p.delta)).log() / ball(p.epsilon) ** 2


def accuracy_degrees(p: DegreesPoint) -> arb:
    """``d + 14 log(4/delta) / epsilon^2`` of Theorems 14 to 16."""
    return p.dimension + 14 * (4 / ball(p.delta)).log() / ball(p.epsilon) ** 2


def same_degrees_margin(p: DegreesPoint) -> arb:
    """Minus the largest distance of the other two from Theorem 11's tau."""
    theorem = wishart_degrees(p.dimension, p.epsilon, p.delta)
    return equality(theorem, algorithm_7_degrees(p)).min(equality(theorem, accuracy_degrees(p)))


def theorem_covers_margin(p: DegreesPoint) -> arb:
    """Theorem 11's tau minus the larger of the other two."""
    return wishart_degrees(p.dimension, p.epsilon, p.delta) - algorithm_7_degrees(p).max(accuracy_degrees(p))


DEGREES_HYPOTHESES = (whole("dimension", 1), positive("epsilon"), positive("delta"), below("delta", 1))

WISHART_DEGREES_OF_FREEDOM = Claim(
    id="cross.wishart-degrees-of-freedom",
    kind=Kind.CROSS,
    source=Locator(
        "cross",
        "sliding-window Theorem 11; Algorithm 7; Theorems 14, 15, 16",
        "tau >= d + 28 ln(4/delta)/eps^2 against floor(d + 14 log(1/delta)/eps^2) and d + 14 log(4/delta)/eps^2",
    ),
    statement=Statement(
        "the document asks for one number of degrees of freedom", same_degrees_margin, given=DEGREES_HYPOTHESES
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    because=(
        "Three numbers stand in one document, and the privacy proof of Algorithm 7 cites Theorem 11 'by the choice of "
        "tau' although its tau is less than half of what the theorem asks for beyond d: the source has (14/eps^2) 2 "
        "log(4/delta), and the 2 was lost. Theorem 11's tau covers the others."
    ),
    repair=Repair(
        "d + 28 ln(4/delta)/epsilon^2 everywhere",
        Statement("the tau of Theorem 11 is at least the two others", theorem_covers_margin, given=DEGREES_HYPOTHESES),
    ),
    uses=("sliding-window.theorem-11+repair",),
)
