"""Where documents state the same thing, and whether they agree."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Real, ball
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import printed_deviation
from dpmatrix.spec.conditions import below, equality, exceeds, positive, whole
from dpmatrix.spec.near_optimal.noise import noise_times_records
from dpmatrix.spec.sliding_window.quoted_mechanisms import wishart_degrees
from dpmatrix.spec.wishart.laws import multivariate_gamma_log
from dpmatrix.spec.wishart.ppca import SETTING, PpcaPoint, quoted_sample_size, repaired_sample_size


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
class GaussianScales:
    """Dimension, and the promise, of Gaussian noise on the upper triangle of the second-moment matrix with n = 1."""

    dimension: int
    epsilon: Real
    delta: Real


def first_scale(p: GaussianScales) -> arb:
    """Scale c s_2 / epsilon with c^2 = 2 ln(1.25/delta) of `wishart.theorem-2` and the exact s_2 = sqrt(2)."""
    return arb(2).sqrt() * (2 * (ball(fmpq(5, 4)) / ball(p.delta)).log()).sqrt() / ball(p.epsilon)


def second_scale(p: GaussianScales) -> arb:
    """Scale beta of (5) in `near-optimal`, for n = 1."""
    return noise_times_records(p.dimension, p.epsilon, p.delta)


def same_scale_margin(p: GaussianScales) -> arb:
    """Minus the distance between the two scales."""
    return equality(first_scale(p), second_scale(p))


def second_covers_first_margin(p: GaussianScales) -> arb:
    """``beta`` minus the scale that the constant of `wishart` asks for."""
    return second_scale(p) - first_scale(p)


def third_scale(p: GaussianScales) -> arb:
    """``sqrt(2) Delta``: the Delta of `analyze-gauss`, times the sensitivity of a replaced row."""
    return arb(2).sqrt() * printed_deviation(p.epsilon, p.delta)


def third_covers_first_margin(p: GaussianScales) -> arb:
    """``sqrt(2) Delta`` minus the scale that the constant of `wishart` asks for."""
    return third_scale(p) - first_scale(p)


def second_covers_third_margin(p: GaussianScales) -> arb:
    """``beta - sqrt(2) Delta``."""
    return second_scale(p) - third_scale(p)


def printed_third_covers_first_margin(p: GaussianScales) -> arb:
    """``Delta`` as printed, minus the scale that the constant of `wishart` asks for."""
    return printed_deviation(p.epsilon, p.delta) - first_scale(p)


SCALE_HYPOTHESES = (positive("epsilon"), positive("delta"), below("delta", 1), whole("dimension", 2))

GAUSSIAN_CONSTANT = Claim(
    id="cross.gaussian-constant",
    kind=Kind.CROSS,
    source=Locator(
        "cross",
        "wishart Theorem 2; near-optimal (5); analyze-gauss Algorithm 1",
        "c^2 > 2 ln(1.25/delta) against beta with (d+1) and log((d^2+d)/(2 sqrt(2 pi) delta)); Delta(eps, delta)",
    ),
    statement=Statement(
        "the documents ask for one scale of Gaussian noise on the second-moment matrix",
        same_scale_margin,
        given=SCALE_HYPOTHESES,
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    because=(
        "They do not: near-optimal pays for all entries one by one, a factor of about (d+1)/sqrt(2) more. From d = 2 "
        "on its scale covers what the constant of wishart asks for; that one is shown to suffice for epsilon <= 1 and "
        "to fail at epsilon = 10. The Delta of analyze-gauss, which is for a row that is added, falls short of it for "
        "small delta; times sqrt(2), for a replaced row, it lies between the two for every epsilon and delta."
    ),
    reading="n = 1, replace-one, s_2 = sqrt(2); the privacy of (5) itself is judged as near-optimal.theorem-5.",
    repair=Repair(
        "an inequality in place of the equation",
        Statement(
            "the scale of near-optimal is at least that of wishart, for d >= 2",
            second_covers_first_margin,
            given=SCALE_HYPOTHESES,
        ),
    ),
    steps=(
        Step(
            "slides-for-a-replaced-row",
            Statement(
                "sqrt(2) Delta of analyze-gauss is at least the scale of wishart",
                third_covers_first_margin,
                given=SCALE_HYPOTHESES,
            ),
            sound=True,
        ),
        Step(
            "slides-below-near-optimal",
            Statement(
                "the scale of near-optimal is at least sqrt(2) Delta",
                second_covers_third_margin,
                given=SCALE_HYPOTHESES,
            ),
            sound=True,
        ),
        Step(
            "slides-as-printed",
            Statement(
                "Delta as printed is at least the scale of wishart",
                printed_third_covers_first_margin,
                given=SCALE_HYPOTHESES,
            ),
            sound=False,
            note="it is for a row that is added, of sensitivity 1; c is for sensitivity sqrt(2)",
        ),
    ),
    uses=("wishart.theorem-2+repair", "wishart.definition-5+repair"),
)


def same_size_margin(p: PpcaPoint) -> arb:
    """Minus the distance between the sample sizes of PPCA in `wishart.theorem-8` and in `near-optimal.theorem-7`."""
    return equality(quoted_sample_size(p), repaired_sample_size(p))


def between_margin(p: PpcaPoint) -> arb:
    """The smaller of the sample size of near-optimal minus twice that of wishart, and four times that one minus it."""
    quoted, original = quoted_sample_size(p), repaired_sample_size(p)
    return (original - 2 * quoted).min(4 * quoted - original)


PPCA_SAMPLE_COMPLEXITY = Claim(
    id="cross.ppca-sample-complexity",
    kind=Kind.CROSS,
    source=Locator(
        "cross",
        "wishart Theorem 8; near-optimal Theorem 7",
        "log(1/eta)/d + log(4 l1/((1-rho^2) Delta)) against 4 log(1/eta)/d + 2 log(8 l1/((1-rho^2) Delta)), both times "
        "d/(eps Delta (1-rho))",
    ),
    statement=Statement(
        "wishart quotes the sample size of PPCA that near-optimal states", same_size_margin, given=SETTING
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    because=(
        "The quoted size is smaller, by a factor between 2 and 4, and does not suffice (`wishart.theorem-8`); that of "
        "near-optimal does. With a = log(1/eta)/d >= 0 and x = l1/((1-rho^2) Delta) >= 1 the difference to twice the "
        "quoted bracket is 2 a + 2 log 2, and from four times it 2 log(2 x)."
    ),
    repair=Repair(
        "between two and four times what wishart quotes",
        Statement(
            "the sample size of near-optimal lies between 2 and 4 times the one that wishart quotes",
            between_margin,
            given=SETTING,
        ),
    ),
    uses=("near-optimal.theorem-7", "wishart.theorem-8+repair"),
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
