"""Theorem 10: no private mechanism approximates every matrix better than by d / epsilon (supplement C)."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.conditions import exceeds, positive, whole
from dpmatrix.spec.wishart.lower_bound_proof import PROOF


@attrs.frozen
class ConstantOutput:
    """A mechanism that ignores the data, on one data set; both matrices are diagonal in one basis.

    Parameters
    ----------
    data
        Eigenvalues of A, decreasing.
    output
        Diagonal of the matrix that is always published, at most k entries not zero.
    rank, epsilon
        k and the stated epsilon; a constant output keeps every guarantee.
    constant
        The constant that Omega hides.
    """

    data: tuple[Real, ...]
    output: tuple[Real, ...]
    rank: int
    epsilon: Real
    constant: Real


def constant_error(p: ConstantOutput) -> arb:
    """``||A - A^_k||_2``."""
    error = arb(0)
    for value, published in zip(p.data, p.output, strict=True):
        error = error.max(abs(ball(value) - ball(published)))
    return error


def printed_bound(p: ConstantOutput) -> arb:
    """``lambda_(k+1) + c d / epsilon``."""
    following = [*p.data, 0][p.rank]
    return ball(following) + ball(p.constant) * len(p.data) / ball(p.epsilon)


def printed_direction_margin(p: ConstantOutput) -> arb:
    """``lambda_(k+1) + c d / epsilon - ||A - A^_k||_2``."""
    return printed_bound(p) - constant_error(p)


def spectrum_margin(p: ConstantOutput) -> arb:
    """Smallest of the differences of consecutive eigenvalues of A and of the last one."""
    values = [ball(value) for value in (*p.data, 0)]
    least = arb("inf")
    for high, low in pairwise(values):
        least = least.min(high - low)
    return least


def output_rank_margin(p: ConstantOutput) -> arb:
    """Rank k minus the number of entries that are not zero."""
    return arb(p.rank - sum(not ball(value).is_zero() for value in p.output))


def output_dimension_margin(p: ConstantOutput) -> arb:
    """``d - k``."""
    return arb(len(p.data) - p.rank)


CONSTANT_OUTPUT = (
    exceeds("A is positive semidefinite, its eigenvalues decrease", spectrum_margin, strict=False),
    exceeds("the output has rank at most k", output_rank_margin, strict=False),
    whole("rank", 1),
    exceeds("k <= d", output_dimension_margin, strict=False),
    positive("epsilon"),
    positive("constant"),
)


@attrs.frozen
class PackingBound:
    """Data sets of n records: gamma copies of a unit vector u_i and zeros, one for each line of a packing."""

    dimension: int
    rank: int
    records: int
    gamma: int
    epsilon: Real


def packing_radius(p: PackingBound) -> arb:
    """``delta = 2 (log 2 / 128) d / (gamma epsilon)``: twice the error (log 2 / 128) d / epsilon, in units of gamma."""
    return 2 * (arb(2).log() / 128) * p.dimension / (p.gamma * ball(p.epsilon))


def packed_mass_margin(p: PackingBound) -> arb:
    """Log of the mass that disjoint balls would hold if every error were below (log 2 / 128) d / epsilon.

    ``(1/2)(d - 1) log(1 / delta) - gamma epsilon - log 2`` with delta = `packing_radius`.
    """
    packed = fmpq(1, 2) * (p.dimension - 1) * (1 / packing_radius(p)).log()
    return packed - p.gamma * ball(p.epsilon) - arb(2).log()


def upper_privacy_margin(p: PackingBound) -> arb:
    """``(2 d - 3) log 2 - gamma epsilon``."""
    return (2 * p.dimension - 3) * arb(2).log() - p.gamma * ball(p.epsilon)


def lower_privacy_margin(p: PackingBound) -> arb:
    """``gamma epsilon - (2 d - 3) log 2 / 2``."""
    return p.gamma * ball(p.epsilon) - (2 * p.dimension - 3) * arb(2).log() / 2


def records_margin(p: PackingBound) -> arb:
    """``n - gamma``."""
    return arb(p.records - p.gamma)


def bound_rank_margin(p: PackingBound) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.rank)


THEOREM_10 = Claim(
    id="wishart.theorem-10",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "wishart", "Theorem 10", "||A - A^_k||_2 <= lambda_(k+1) + Omega(d / epsilon), any eps-DP mechanism"
    ),
    statement=Statement(
        "for some c, every epsilon-private mechanism and every A = XX', ||A - A^_k||_2 <= lambda_(k+1) + c d / epsilon",
        printed_direction_margin,
        given=CONSTANT_OUTPUT,
        exists=(Chosen("constant"),),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.CONCLUSION,
    headline=(
        "The inequality points the wrong way: the mechanism that always publishes 0 is private and errs by lambda_1; "
        "for the worst data set >= is true."
    ),
    because=(
        "The inequality points the wrong way: the mechanism that always publishes 0 keeps every guarantee and errs by "
        "lambda_1(A) = n. Turned around it fails for the data whose matrix happens to be the published constant. "
        "What is true is a bound for the worst data set. Take gamma copies of a unit vector, over a packing of "
        "lines by Lemma 5: were every error small, disjoint balls would hold more than all the mass. One-dimensional "
        "data make it hold for every k, without the loss of d to d - k in the printed proof."
    ),
    reading=(
        "A mechanism is epsilon-private under replacement of a record of norm at most 1; Omega hides some c > 0. A "
        "gamma as in the repair exists as soon as epsilon <= (2 d - 3) log 2 and n >= (2 d - 3) log 2 / epsilon. The "
        "repair is executed as its last line, the log of a mass that smaller errors would put into disjoint balls, "
        "which depends on d and gamma epsilon alone; that a private mechanism has this mass is proved in writing."
    ),
    repair=Repair(
        ">= for the expected error on the worst of the data sets, with enough records",
        Statement(
            "for d >= 2, k <= d, an integer gamma <= n and (2 d - 3) log 2 / 2 <= gamma epsilon <= (2 d - 3) log 2, "
            "every epsilon-private mechanism has a data set of n records of norm at most 1 with lambda_(k+1) = 0 and "
            "E ||A - A^_k||_2 >= lambda_(k+1) + (log 2 / 128) d / epsilon",
            packed_mass_margin,
            given=(
                whole("dimension", 2),
                whole("rank", 1),
                exceeds("k <= d", bound_rank_margin, strict=False),
                whole("gamma", 1),
                exceeds("gamma <= n", records_margin, strict=False),
                positive("epsilon"),
                exceeds("gamma epsilon <= (2 d - 3) log 2", upper_privacy_margin, strict=False),
                exceeds("gamma epsilon >= (2 d - 3) log 2 / 2", lower_privacy_margin, strict=False),
            ),
        ),
    ),
    steps=(*PROOF,),
    uses=("wishart.lemma-5+repair",),
)
