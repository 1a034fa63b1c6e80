"""Where documents state the Wishart law and its degrees of freedom, and whether they agree."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Real, ball
from dpmatrix.spec.conditions import below, equality, exceeds, positive, whole
from dpmatrix.spec.sliding_window.quoted_mechanisms import wishart_degrees
from dpmatrix.spec.wishart.laws import multivariate_gamma_log


@attrs.frozen
class WishartDensityPoint:
    """A positive definite W, through its trace and determinant, and the law W_d(m, cI)."""

    dimension: int
    degrees_of_freedom: Real
    scale: Real
    trace: Real
    determinant: Real


def _shared_log_density(p: WishartDensityPoint) -> arb:
    """What both documents print alike: |W|^((m-d-1)/2) / (|C|^(m/2) Gamma_d(m/2)), as a logarithm."""
    m, d = ball(p.degrees_of_freedom), p.dimension
    power = (m - d - 1) / 2 * ball(p.determinant).log()
    return power - m / 2 * d * ball(p.scale).log() - multivariate_gamma_log(d, m / 2)


def first_log_density(p: WishartDensityPoint) -> arb:
    """Log density of `wishart.definition-2`: 2^(md/2) below, exp(-tr(C^-1 W)/2) above."""
    m = ball(p.degrees_of_freedom)
    return _shared_log_density(p) - m * p.dimension / 2 * arb(2).log() - ball(p.trace) / (2 * ball(p.scale))


def second_log_density(p: WishartDensityPoint) -> arb:
    """Log density as section 2 of `sliding-window` prints it: 2^(md) below, exp(+tr(C^-1 R)/2) above."""
    m = ball(p.degrees_of_freedom)
    return _shared_log_density(p) - m * p.dimension * arb(2).log() + ball(p.trace) / (2 * ball(p.scale))


def mended_log_density(p: WishartDensityPoint) -> arb:
    """The second document's density with 2^(md/2) and a negative exponent."""
    return (
        second_log_density(p)
        + ball(p.degrees_of_freedom) * p.dimension / 2 * arb(2).log()
        - ball(p.trace) / ball(p.scale)
    )


def same_density_margin(p: WishartDensityPoint) -> arb:
    """Minus the distance between the two printed log densities."""
    return equality(first_log_density(p), second_log_density(p))


def mended_density_margin(p: WishartDensityPoint) -> arb:
    """Minus the distance between the first log density and the mended second one."""
    return equality(first_log_density(p), mended_log_density(p))


def density_degrees_margin(p: WishartDensityPoint) -> arb:
    """``m - (d - 1)``."""
    return ball(p.degrees_of_freedom) - (p.dimension - 1)


DENSITY_HYPOTHESES = (
    whole("dimension", 1),
    exceeds("m > d - 1", density_degrees_margin),
    positive("scale"),
    positive("trace"),
    positive("determinant"),
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
        "slips mended the densities are the same, and `wishart.definition-2` shows that it has integral 1."
    ),
    repair=Repair(
        "in sliding-window: a negative exponent, and 2^(md/2)",
        Statement("the mended density is that of wishart", mended_density_margin, given=DENSITY_HYPOTHESES),
    ),
    uses=("wishart.definition-2",),
)


@attrs.frozen
class DegreesPoint:
    """Dimension and promise of the Wishart mechanism."""

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
