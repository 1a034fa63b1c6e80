"""The printed proof of Theorem 7, step by step: (7) to (10) and what follows (section 4.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Defect, Statement, Step
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.common.conditions import at_least, below, equality, exceeds, positive, whole
from dpmatrix.spec.near_optimal.spheres import Cap, cap_measure
from dpmatrix.spec.wishart.ppca import (
    SETTING,
    PpcaPoint,
    eigenvalue_gap,
    failure_probability,
    repaired_records_margin,
)


@attrs.frozen
class ScorePoint:
    """An output u through its squared coordinates along v_1, v_2 and v_d, the eigenvalues there, and n, eps and rho."""

    records: int
    epsilon: Exact
    eigenvalues: tuple[Exact, Exact, Exact]
    weights: tuple[Exact, Exact, Exact]
    rho: Exact


def form(p: ScorePoint) -> fmpq:
    """``u'Au``."""
    return sum((rational(v) * rational(w) for v, w in zip(p.eigenvalues, p.weights, strict=True)), fmpq(0))


def score(p: ScorePoint) -> fmpq:
    """``q_F(u) = n u'Au``, as section 4.2 has it."""
    return p.records * form(p)


def rate(p: ScorePoint) -> fmpq:
    """``n eps/2``."""
    return p.records * rational(p.epsilon) / 2


def boundary(p: ScorePoint, other: int) -> fmpq:
    """``rho^2 lambda_1 + (1 - rho^2) lambda`` for another eigenvalue."""
    square_rho = rational(p.rho) * rational(p.rho)
    return square_rho * rational(p.eigenvalues[0]) + (1 - square_rho) * rational(p.eigenvalues[other])


def inequality_7_margin(p: ScorePoint) -> arb:
    """``(n eps/2)(rho^2 l1 + (1 - rho^2) l2) - q_F(u)``, as printed."""
    return arb(rate(p) * boundary(p, 1) - score(p))


def inequality_8_margin(p: ScorePoint) -> arb:
    """``q_F(u) - (n eps/2)(rho^2 l1 + (1 - rho^2) l_d)``, as printed."""
    return arb(score(p) - rate(p) * boundary(p, 2))


def outside_exponent_margin(p: ScorePoint) -> arb:
    """``(n eps/2)(rho^2 l1 + (1 - rho^2) l2) - u'Bu``, which (9) uses."""
    return arb(rate(p) * (boundary(p, 1) - form(p)))


def inside_exponent_margin(p: ScorePoint) -> arb:
    """``u'Bu - (n eps/2)(rho^2 l1 + (1 - rho^2) l_d)``, which (9) uses with sigma for rho."""
    return arb(rate(p) * (form(p) - boundary(p, 2)))


def order_margin(p: ScorePoint) -> arb:
    """The least of l1 - l2, l2 - l_d and l_d."""
    first, second, last = (rational(value) for value in p.eigenvalues)
    return arb(min(first - second, second - last, last))


def weights_margin(p: ScorePoint) -> arb:
    """The least squared coordinate."""
    return arb(min(rational(weight) for weight in p.weights))


def unit_margin(p: ScorePoint) -> arb:
    """The squared coordinates sum to 1."""
    return equality(arb(sum((rational(weight) for weight in p.weights), fmpq(0)) - 1), arb(0))


def outside_margin(p: ScorePoint) -> arb:
    """``rho^2 - <u, v_1>^2``."""
    return arb(rational(p.rho) * rational(p.rho) - rational(p.weights[0]))


def inside_margin(p: ScorePoint) -> arb:
    """``<u, v_1>^2 - rho^2``."""
    return -outside_margin(p)


@attrs.frozen
class RatioPoint(PpcaPoint):
    """A point of the theorem, and any sigma in [0, 1)."""

    sigma: Exact


def double_cap(dimension: int, height: Real) -> arb:
    """Uniform measure of {|<u, v_1>| >= height}."""
    return 2 * cap_measure(Cap(dimension, height))


def separation(p: RatioPoint) -> arb:
    """``exp(-(n eps/2)(sigma^2 l1 - (rho^2 l1 + (1 - rho^2) l2)))``."""
    first, second = ball(p.first), ball(p.second)
    rho, sigma = square(ball(p.rho)), square(ball(p.sigma))
    return (-p.records * ball(p.epsilon) / 2 * (sigma * first - (rho * first + (1 - rho) * second))).exp()


def inequality_9_bound(p: RatioPoint) -> arb:
    """The right side of (9)."""
    return separation(p) * (1 - double_cap(p.dimension, p.rho)) / double_cap(p.dimension, p.sigma)


def inequality_10_bound(p: RatioPoint) -> arb:
    """The right side of (10)."""
    return separation(p) * (arb(p.dimension - 1) / 2 * (2 / (1 - ball(p.sigma))).log()).exp()


def inequality_9_margin(p: RatioPoint) -> arb:
    """(9): its right side minus P(|<vhat, v_1>| < rho)."""
    return inequality_9_bound(p) - failure_probability(p)


def inequality_10_margin(p: RatioPoint) -> arb:
    """The right side of (10) minus that of (9)."""
    return inequality_10_bound(p) - inequality_9_bound(p)


def exactly(value: Real) -> fmpq:
    """Read a number of which an identity holds exactly, so no ball."""
    if isinstance(value, arb):
        raise InvalidParameterError("value", f"{value} is a ball", "pass an exact number")
    return rational(value)


def above_threshold(p: PpcaPoint) -> fmpq:
    """``(1 - rho^2)(1 - l2/l1)``."""
    rho = exactly(p.rho)
    return (1 - rho * rho) * (1 - rational(p.second) / rational(p.first))


def chosen_defect(p: PpcaPoint) -> fmpq:
    """``1 - sigma^2 = (1/2)(1 - rho^2)(1 - l2/l1)``."""
    return above_threshold(p) / 2


def threshold_margin(p: PpcaPoint) -> arb:
    """``1 - (rho^2 + (1 - rho^2) l2/l1) = (1 - rho^2)(1 - l2/l1)``."""
    rho, share = exactly(p.rho), rational(p.second) / rational(p.first)
    return equality(arb(1 - (rho * rho + (1 - rho * rho) * share) - above_threshold(p)), arb(0))


def exponent_at_sigma_margin(p: PpcaPoint) -> arb:
    """``sigma^2 l1 - (rho^2 l1 + (1 - rho^2) l2) = (1/2)(1 - rho^2)(l1 - l2)`` for the chosen sigma."""
    rho, first, second = exactly(p.rho), rational(p.first), rational(p.second)
    left = (1 - chosen_defect(p)) * first - (rho * rho * first + (1 - rho * rho) * second)
    return equality(arb(left - (1 - rho * rho) * (first - second) / 2), arb(0))


def logarithm(p: PpcaPoint) -> arb:
    """``log(8 l1/((1 - rho^2)(l1 - l2)))``."""
    return (8 * ball(p.first) / ((1 - square(ball(p.rho))) * eigenvalue_gap(p))).log()


def logarithm_margin(p: PpcaPoint) -> arb:
    """``log(8 l1/((1 - rho^2)(l1 - l2))) - log(2/(1 - sigma))`` for the chosen sigma."""
    return logarithm(p) - (2 / (1 - arb(1 - chosen_defect(p)).sqrt())).log()


def equal_logarithms_margin(p: PpcaPoint) -> arb:
    """``4/(1 - sigma^2) = 8 l1/((1 - rho^2)(l1 - l2))``."""
    rho, first, second = exactly(p.rho), rational(p.first), rational(p.second)
    return equality(arb(4 / chosen_defect(p) - 8 * first / ((1 - rho * rho) * (first - second))), arb(0))


def sufficient_margin(p: PpcaPoint) -> arb:
    """``(n eps/4)(1 - rho^2)(l1 - l2) - log(1/eta) - ((d-1)/2) log(8 l1/((1 - rho^2)(l1 - l2)))``."""
    left = p.records * ball(p.epsilon) / 4 * (1 - square(ball(p.rho))) * eigenvalue_gap(p)
    return left + ball(p.eta).log() - arb(p.dimension - 1) / 2 * logarithm(p)


def one_minus_rho_margin(p: PpcaPoint) -> arb:
    """``(1 - rho^2) - (1 - rho)``."""
    rho = exactly(p.rho)
    return arb((1 - rho * rho) - (1 - rho))


SCORE = (
    whole("records", 1),
    positive("epsilon"),
    Condition("l1 >= l2 >= l_d >= 0", order_margin),
    Condition("<u, v_i>^2 >= 0", weights_margin),
    Condition("|u| = 1", unit_margin),
    positive("rho"),
    below("rho", 1),
)
OUTSIDE = (*SCORE, Condition("|<u, v_1>| <= rho", outside_margin))
INSIDE = (*SCORE, Condition("|<u, v_1>| >= rho", inside_margin))
ANY_SIGMA = (*SETTING, at_least("sigma", 0), below("sigma", 1))
ENOUGH = exceeds("n above the sample size", repaired_records_margin)

PROOF_STEPS = (
    Step(
        "inequality-7",
        Statement("(7): q_F(u) <= (n eps/2)(rho^2 l1 + (1 - rho^2) l2) outside", inequality_7_margin, given=OUTSIDE),
        defect=Defect.SLIP,
        note="q_F is n u'Au here and has no factor eps/2; the exponent u'Bu is meant.",
    ),
    Step(
        "inequality-8",
        Statement("(8): q_F(u) >= (n eps/2)(rho^2 l1 + (1 - rho^2) l_d) inside", inequality_8_margin, given=INSIDE),
        defect=Defect.SLIP,
        note="As (7).",
    ),
    Step(
        "outside-exponent",
        Statement("u'Bu <= (n eps/2)(rho^2 l1 + (1 - rho^2) l2) outside", outside_exponent_margin, given=OUTSIDE),
        defect=None,
    ),
    Step(
        "inside-exponent",
        Statement("u'Bu >= (n eps/2)(rho^2 l1 + (1 - rho^2) l_d) inside", inside_exponent_margin, given=INSIDE),
        defect=None,
    ),
    Step(
        "inequality-9",
        Statement(
            "(9): P(outside) is at most the separation times the ratio of measures",
            inequality_9_margin,
            given=ANY_SIGMA,
        ),
        defect=None,
        note="'Fixing an 0 <= b < 1' means sigma, and 'm' in 1F1 is d; the normalisers cancel.",
    ),
    Step(
        "inequality-10",
        Statement("(10) follows from (9) by Lemma 10", inequality_10_margin, given=ANY_SIGMA),
        defect=None,
    ),
    Step(
        "threshold",
        Statement("1 - (rho^2 + (1 - rho^2) l2/l1) = (1 - rho^2)(1 - l2/l1)", threshold_margin, given=SETTING),
        defect=None,
    ),
    Step(
        "exponent-at-sigma",
        Statement(
            "sigma^2 l1 - (rho^2 l1 + (1 - rho^2) l2) = (1 - rho^2)(l1 - l2)/2", exponent_at_sigma_margin, given=SETTING
        ),
        defect=None,
    ),
    Step(
        "logarithm",
        Statement("log(2/(1 - sigma)) < log(4/(1 - sigma^2))", logarithm_margin, given=SETTING, strict=True),
        defect=None,
    ),
    Step(
        "equal-logarithms",
        Statement("4/(1 - sigma^2) = 8 l1/((1 - rho^2)(l1 - l2))", equal_logarithms_margin, given=SETTING),
        defect=None,
    ),
    Step(
        "one-minus-rho",
        Statement("1 - rho < 1 - rho^2", one_minus_rho_margin, given=SETTING, strict=True),
        defect=None,
        note="Needs 0 < rho < 1, which goes unsaid.",
    ),
    Step(
        "sufficient",
        Statement(
            "such an n makes (n eps/4)(1 - rho^2) Delta exceed log(1/eta) + ((d-1)/2) log(8 l1/((1 - rho^2) Delta))",
            sufficient_margin,
            given=(*SETTING, ENOUGH),
            strict=True,
        ),
        defect=None,
    ),
)
