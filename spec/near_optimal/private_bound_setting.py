"""The choice of phi in Theorem 8, and what the proof says of it (section 4.3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Defect, Statement, Step
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import below, equality, exceeds, positive, whole
from dpmatrix.spec.near_optimal.packing_number import Lines, polynomial_count


def printed_complement(dimension: int) -> arb:
    """``exp(-2 (ln 8 + ln(1 + exp(d)))/(d-2))``, printed as 1 - phi."""
    return (-2 * (arb(8).log() + (1 + arb(dimension).exp()).log()) / (dimension - 2)).exp()


@attrs.frozen
class Dimension:
    """The dimension d."""

    dimension: int


def printed_count(p: Dimension) -> arb:
    """``K = (1-phi)^(-(d-2)/2)/8``."""
    return printed_complement(p.dimension) ** fmpq(2 - p.dimension, 2) / 8


def packing_margin(p: Dimension) -> arb:
    """Log of the number of lines of R^(d-1) at phi that Delsarte's bound allows, minus log K; their sign is known."""
    lines = Lines(p.dimension - 1, 1 - printed_complement(p.dimension))
    return polynomial_count(lines).log() - printed_count(p).log()


def choice_margin(p: Dimension) -> arb:
    """``ln(K - 1) = d``."""
    return equality((printed_count(p) - 1).log(), arb(p.dimension))


def from_3_margin(p: Dimension) -> arb:
    """``1 - phi - 3.5e-5``."""
    return printed_complement(p.dimension) - fmpq(35, 10**6)


def from_100_margin(p: Dimension) -> arb:
    """``1 - phi - 0.12``."""
    return printed_complement(p.dimension) - fmpq(12, 100)


def sphere_range_margin(p: Dimension) -> arb:
    """``(2 pi d)^(-1/2) - (2 pi (d-1))^(-1/2)``: the printed range of phi lies in that of the sphere of R^(d-1)."""
    return 1 / (2 * arb.pi() * p.dimension).sqrt() - 1 / (2 * arb.pi() * (p.dimension - 1)).sqrt()


@attrs.frozen
class Share:
    """Dimension d, records n and epsilon; the share beta of the points is d/(n eps)."""

    dimension: int
    records: int
    epsilon: Exact


def whole_number_margin(p: Share) -> arb:
    """Minus the distance of ``n beta = d/eps`` from an integer."""
    number = p.dimension / rational(p.epsilon)
    return arb(-abs(number - (number + fmpq(1, 2)).floor()))


def changed_points_margin(p: Share) -> arb:
    """``n beta = ln(K-1)/(n eps)`` with ln(K-1) = d."""
    number = p.dimension / rational(p.epsilon)
    return equality(arb(number - number / p.records), arb(0))


def number_of_zeros_margin(p: Share) -> arb:
    """``n (1 - beta)``, the number of zeros of the second family."""
    return arb(p.records - p.dimension / rational(p.epsilon))


@attrs.frozen
class GapShare(Share):
    """With the eigengap Delta."""

    gap: Exact


def more_records_margin(p: GapShare) -> arb:
    """``n - d/(eps Delta)``."""
    return arb(p.records - p.dimension / (rational(p.epsilon) * rational(p.gap)))


def beta_margin(p: GapShare) -> arb:
    """``Delta - d/(n eps)``."""
    return arb(rational(p.gap) - p.dimension / (p.records * rational(p.epsilon)))


@attrs.frozen
class Solved(GapShare):
    """With rho and the number 1 - phi."""

    rho: Real
    complement: Real


def solved_margin(p: Solved) -> arb:
    """``n - (d/(eps Delta)) sqrt((1-phi)/(80 (1-rho)))``."""
    return (
        p.records
        - p.dimension / (ball(p.epsilon) * ball(p.gap)) * (ball(p.complement) / (80 * (1 - ball(p.rho)))).sqrt()
    )


def loss_margin(p: Solved) -> arb:
    """``1 - rho - ((1-phi)/80) d^2/(n eps Delta)^2``."""
    ratio = p.dimension / (p.records * ball(p.epsilon) * ball(p.gap))
    return 1 - ball(p.rho) - ball(p.complement) / 80 * ratio * ratio


AT_LEAST_3 = (whole("dimension", 3),)
SHARE = (*AT_LEAST_3, whole("records", 1), positive("epsilon"))

CHOICE_STEPS = (
    Step(
        "range-of-phi",
        Statement("phi > (2 pi d)^(-1/2) is in the range of Lemma 11 for S^(d-2)", sphere_range_margin, AT_LEAST_3),
        defect=Defect.SLIP,
        note="The range is that of dimension d - 1; no harm, as phi exceeds 0.86.",
    ),
    Step(
        "packing",
        Statement("S^(d-2) has (1-phi)^(-(d-2)/2)/8 unit vectors with |<w_i, w_j>| <= phi", packing_margin, AT_LEAST_3),
        defect=Defect.PROOF,
        note="Lemma 11 gives 1 - phi^2 for 1 - phi. At d = 500 there are fewer than exp(497) such lines, not exp(500).",
    ),
    Step(
        "choice-of-phi",
        Statement("ln(K-1) = d for 1 - phi = exp(-2 (ln 8 + ln(1 + exp(d)))/(d-2))", choice_margin, AT_LEAST_3),
        defect=None,
        note="exp(d) is no integer; K >= 1 + exp(d) lines serve.",
    ),
    Step("bound-for-d-at-least-3", Statement("1 - phi > 3.5e-5", from_3_margin, AT_LEAST_3, strict=True), defect=None),
    Step(
        "bound-for-d-at-least-100",
        Statement("1 - phi > 0.12 for d >= 100", from_100_margin, given=(whole("dimension", 100),), strict=True),
        defect=None,
        note="Printed for d = 100. It increases with d, to exp(-2).",
    ),
    Step(
        "more-records",
        Statement(
            "beta <= Delta gives n > d/(eps Delta)",
            more_records_margin,
            given=(*SHARE, positive("gap"), exceeds("beta <= Delta", beta_margin, strict=False)),
            strict=True,
        ),
        defect=Defect.SLIP,
        note="At least d/(eps Delta).",
    ),
    Step(
        "whole-number",
        Statement("n beta = d/eps is a number of points", whole_number_margin, given=SHARE),
        defect=Defect.FORMULA,
        note="Take floor(d/eps) points; for eps > d there is none.",
    ),
    Step(
        "number-of-changed-points",
        Statement("n beta = ln(K-1)/(n eps)", changed_points_margin, given=SHARE),
        defect=Defect.SLIP,
        note="ln(K-1)/eps, as the second family has it.",
    ),
    Step(
        "number-of-zeros",
        Statement("the second family has n (1-beta) zeros", number_of_zeros_margin, given=SHARE),
        defect=Defect.PROOF,
        note="Negative for n < d/eps; there n copies of sqrt(Delta) w serve.",
    ),
    Step(
        "solved-for-n",
        Statement(
            "1 - rho > ((1-phi)/80) d^2/(n eps Delta)^2 gives n > (d/(eps Delta)) sqrt((1-phi)/(80 (1-rho)))",
            solved_margin,
            given=(
                *SHARE,
                positive("gap"),
                positive("complement"),
                below("rho", 1),
                exceeds("1 - rho > ((1-phi)/80) d^2/(n eps Delta)^2", loss_margin),
            ),
            strict=True,
        ),
        defect=None,
    ),
)
