"""The sample sizes of Theorems 7 and 8 side by side: whether they are of one order (sections 4 and 5)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, Real, ball
from dpmatrix.spec.common.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.wishart.closeness_proof import records_for_closeness
from dpmatrix.spec.wishart.ppca import PpcaPoint, eigenvalue_gap, quoted_sample_size, unit_ball_margin


@attrs.frozen
class SampleSizes:
    """What both sample sizes depend on, and the constant K of a comparison.

    Parameters
    ----------
    dimension
        d >= 2.
    first, second
        The two largest eigenvalues of A, which have a gap.
    rho, eta
        Closeness asked for, and probability with which it may be missed.
    constant
        The constant that the comparison hides.
    """

    dimension: int
    first: Exact
    second: Exact
    rho: Real
    eta: Real
    constant: Real


def _exponential_mechanism(p: SampleSizes) -> PpcaPoint:
    """PPCA at epsilon = 1, of which both sample sizes are the same multiple."""
    return PpcaPoint(p.dimension, 1, 1, p.first, p.second, p.rho, p.eta)


def gap_margin(p: SampleSizes) -> arb:
    """``lambda_1 - lambda_2``."""
    return eigenvalue_gap(_exponential_mechanism(p))


def norms_margin(p: SampleSizes) -> arb:
    """``1 - lambda_1 - lambda_2``."""
    return unit_ball_margin(_exponential_mechanism(p))


def one_order_margin(p: SampleSizes) -> arb:
    """K log d times the sample size of Theorem 8 minus that of Theorem 7, both at epsilon = 1."""
    wishart = records_for_closeness(p.dimension, ball(p.eta), ball(p.rho), gap_margin(p))
    level = ball(p.constant) * arb(p.dimension).log()
    return level * quoted_sample_size(_exponential_mechanism(p)) - wishart


def moderate_margin(p: SampleSizes) -> arb:
    """``eta - 1/d``."""
    return ball(p.eta) - arb(1) / p.dimension


def constant_of(eta: Real) -> arb:
    """K(eta) = (3/(2 log 4)) (3/(2 log 2) + sqrt(6 (1 + a)/log 2) + 2 (1 + a)), a = log(1/eta)/log 2."""
    unit = arb(2).log()
    times = 1 - ball(eta).log() / unit
    return 3 * (3 / (2 * unit) + (6 * times / unit).sqrt() + 2 * times) / (2 * arb(4).log())


@attrs.frozen
class TwoDataSets:
    """Dimension d of two data sets of unit records: one of e_1 alone, one of 2d times e_1, 2d - 1 times e_2 and 0."""

    dimension: int


def relative_gap_inverse(first: int, second: int) -> arb:
    """``lambda_1 / (lambda_1 - lambda_2)`` of XX'/n for so many records e_1 and e_2; n divides out."""
    return arb(first) / (first - second)


def either_order_margin(p: TwoDataSets) -> arb:
    """By how much d exceeds the quotient of the first data set, and that of the second d: the smaller of both."""
    d = p.dimension
    return (d - relative_gap_inverse(1, 0)).min(relative_gap_inverse(2 * d, 2 * d - 1) - d)


SIZES = (
    whole("dimension", 2),
    at_least("second", 0),
    exceeds("lambda_1 > lambda_2", gap_margin),
    exceeds("lambda_1 + lambda_2 <= 1", norms_margin, strict=False),
    positive("rho"),
    below("rho", 1),
    positive("eta"),
    below("eta", 1),
    positive("constant"),
)

COMPARISON = (
    Step(
        "within-a-logarithm",
        Statement(
            "for every eta there is a K with which the sample size of Theorem 7 is at most K log d times that of "
            "Theorem 8",
            one_order_margin,
            given=SIZES,
            exists=(Chosen("constant", after=("eta",), exhibited=constant_of),),
        ),
        defect=None,
        note=(
            "K grows without bound as eta falls: theta = log(d/eta) has the factor d in Theorem 7, and log(1/eta) has "
            "none in Theorem 8."
        ),
    ),
    Step(
        "within-a-logarithm-for-moderate-eta",
        Statement(
            "for eta > 1/d it is at most 12 log d times as large",
            one_order_margin,
            given=(*SIZES, exceeds("eta > 1/d", moderate_margin)),
            exists=(Chosen("constant", exhibited=12),),
        ),
        defect=None,
        note="In this range one constant serves every eta.",
    ),
    Step(
        "gap-against-dimension",
        Statement(
            "which of d and lambda_1/(lambda_1 - lambda_2) is larger depends on the data: for every d >= 2 either "
            "order occurs",
            either_order_margin,
            given=(whole("dimension", 2),),
            strict=True,
        ),
        defect=None,
    ),
)
