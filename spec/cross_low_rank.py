"""Lower bounds for low-rank approximation in two documents: what each one is about, and where it holds."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import at_least, at_most, below, exceeds, positive, whole
from dpmatrix.spec.cross_adjacency import ChangedRow, replaced_in_the_ball, squared_distance
from dpmatrix.spec.cross_reconstruction import (
    block_margin,
    exponential_margin,
    gamma_margin,
    guess_margin,
    many_moves_margin,
    privacy_margin,
    projections_margin,
    signs_margin,
    small_delta_margin,
    span_margin,
    table_margin,
    worst_cost_margin,
)
from dpmatrix.spec.sliding_window.directional_variance import OneRelease, noise_bound
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease, deviation
from dpmatrix.spec.sliding_window.loewner import flag


@attrs.frozen
class PrivateError:
    """Dimension, rank and guarantee of a low-rank approximation, and the constant of a lower bound.

    Parameters
    ----------
    dimension, rank
        d and k.
    epsilon, delta
        The guarantee.
    constant
        c.
    """

    dimension: int
    rank: int
    epsilon: Exact
    delta: Exact
    constant: Exact


def second_bound(p: PrivateError) -> arb:
    """``c sqrt(k d)`` of `sliding-window`, Table 2, for |A - AP|_F beyond the least of rank k."""
    return ball(p.constant) * arb(p.rank * p.dimension).sqrt()


def release_noise(p: PrivateError) -> arb:
    """Norm, but for probability 1/d, of the Gaussian noise of one release of A'A for rows of norm at most 1."""
    return noise_bound(OneRelease(p.dimension, p.epsilon, p.delta, 1))


def second_in_the_first_setting(p: PrivateError) -> arb:
    """``sqrt(2 k |N|) - c sqrt(k d)``: what the top-k space of A'A + N costs beyond the least, against the bound."""
    return (2 * p.rank * release_noise(p)).sqrt() - second_bound(p)


def spectral_error(p: PrivateError) -> arb:
    """``C sqrt(d) / epsilon - 2 |N|``, as twice the norm bounds the spectral error of the rank k part of A'A + N."""
    return ball(p.constant) * arb(p.dimension).sqrt() / ball(p.epsilon) - 2 * release_noise(p)


def error_constant(delta: Exact) -> arb:
    """``4 (z + sqrt(z^2 + 2)) sqrt(log 9 + 1/2)``, z = sqrt(2 log(1/delta))."""
    level = 2 * (1 / ball(delta)).log()
    return 4 * (level.sqrt() + (level + 2).sqrt()) * (arb(9).log() + fmpq(1, 2)).sqrt()


def noisy_rows(p: PrivateError) -> arb:
    """``s sqrt(k d) - c sqrt(k d)``: k rows with Gaussian noise in every entry, root of the mean squared cost."""
    scale = deviation(DyadicRelease(0, 0, p.epsilon, p.delta))
    return scale * arb(p.rank * p.dimension).sqrt() - second_bound(p)


def proper_margin(p: PrivateError) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.rank)


def two_moves_margin(p: ChangedRow) -> arb:
    """1 minus the larger squared length of the moves from x to 0 and from 0 to y."""
    zero = (0,) * len(p.x)
    return arb(1 - max(squared_distance(ChangedRow(p.x, zero)), squared_distance(ChangedRow(zero, p.y))))


def replaced_margin(p: ChangedRow) -> arb:
    """0 when both rows lie in the unit ball."""
    return flag(replaced_in_the_ball(p))


SETTING = (
    whole("dimension", 2),
    whole("rank", 1),
    exceeds("k <= d", proper_margin, strict=False),
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
    positive("constant"),
)

LOW_RANK_LOWER_BOUNDS = Claim(
    id="cross.low-rank-lower-bounds",
    kind=Kind.CROSS,
    source=Locator(
        "cross",
        "wishart Theorem 10; sliding-window Table 2, section 1.2, appendix E",
        "lambda_(k+1) + Omega(d/eps) for eps-DP in the spectral norm; Omega(sqrt(kd)) for any private algorithm, not "
        "necessarily differentially private, in the Frobenius norm",
    ),
    statement=Statement(
        "for every epsilon and delta there is a c such that for all k <= d one private release for rows of norm at "
        "most 1 present or absent, the setting of the other document, has additive error at least c sqrt(kd)",
        second_in_the_first_setting,
        given=SETTING,
        exists=(Chosen("constant", after=("epsilon", "delta")),),
        one_sided=True,
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.HYPOTHESIS,
    headline=(
        "sqrt(kd) fails for rows of norm at most 1, for large epsilon and for k near d; for rows of any length, "
        "k <= d/2, eps <= 1 and delta <= eps/10 it holds, and so does sqrt(kd)/eps."
    ),
    reading=(
        "The first bound as repaired: expected ||A - A^_k||_2 with A = XX', not divided by n, for the worst data set. "
        "The second one is for |A - AP|_F, not squared, beyond (1 + eta) times the least. Omega hides a constant c, "
        "which may depend on epsilon and delta; the error enters by an upper bound, so that a margin below zero "
        "refutes, and k cancels. That the top-k space of A'A + N costs at most sqrt(2k|N|) more is the step "
        "cost-of-noise of sliding-window.table-2."
    ),
    because=(
        "The bounds speak of different errors, guarantees and neighbours, and neither implies the other: d/eps is the "
        "larger one for eps < sqrt(d/k). The second cannot be carried to rows of norm at most 1: there the top-k space "
        "of A'A + N costs at most sqrt(2k|N|) more, which grows like sqrt(k) d^(1/4). Nor does it hold for every "
        "epsilon, nor for k near d: at k = d the projection I costs nothing and tells nothing.\n\n"
        "It is true for k <= d/2 and eps = O(1) under the document's own neighbouring relation, where rows have any "
        "length. For small eps more is true: a sign may be worth t = floor(2/eps) moves of length 1, and then the "
        "cost is of the order sqrt(km)/eps for delta <= eps/10. The least cost of these matrices is 0, so no factor "
        "1 + eta helps. So the upper bound sqrt(kd)/eps of Table 2 is tight for k <= d/2, eps <= 1 and delta <= "
        "eps/10, but for logarithms."
    ),
    repair=Repair(
        "neighbours that differ by 1 in one row of any length, and k m times t^2 (1 - delta_t)/(20 (1 + e^(t eps))) in "
        "place of a constant c times k d",
        Statement(
            "for every t and every (eps, delta)-private choice of a projection of rank k some k x (k + m) matrix of "
            "rank k has E|A - AP|_F^2 >= t^2 (1 - delta_t) k m / (20 (1 + e^(t eps))), delta_t = delta (1 + e^eps + "
            "... + e^((t-1) eps))",
            worst_cost_margin,
            given=(
                whole("rank", 1),
                whole("columns", 1),
                whole("moves", 1),
                exceeds("there is a law for each B", table_margin, strict=False),
                exceeds("outputs are projections of rank k", projections_margin, strict=False),
                exceeds("gamma >= t sqrt(km)", block_margin, strict=False),
                exceeds("e^eps >= 1", exponential_margin, strict=False),
                at_least("delta", 0),
                at_most("delta", 1),
                exceeds("laws of neighbours are (eps, delta)-close", privacy_margin, strict=False),
            ),
        ),
    ),
    steps=(
        Step(
            "error-with-a-delta",
            Statement(
                "for every delta there is a C such that for eps <= 1 one (eps, delta)-private release has spectral "
                "error at most C sqrt(d)/eps",
                spectral_error,
                given=(whole("dimension", 2), positive("epsilon"), at_most("epsilon", 1), *SETTING[4:6]),
                exists=(Chosen("constant", after=("delta",), exhibited=error_constant),),
            ),
            defect=None,
            note=(
                "The rank k part of A'A + N, N Gaussian. So the first bound needs delta = 0, and Table 2 does not "
                "contradict it."
            ),
        ),
        Step(
            "second-for-every-epsilon",
            Statement(
                "for every delta there is a c such that k rows of length d with Gaussian noise that makes them "
                "(eps, delta)-private cost at least c sqrt(kd)",
                noisy_rows,
                given=SETTING,
                exists=(Chosen("constant", after=("delta",)),),
                one_sided=True,
            ),
            defect=Defect.REMARK,
            note=(
                "k rows with noise in every entry cost at most s sqrt(kd), and s -> 0 as epsilon grows. No bound on "
                "epsilon is printed, nor differential privacy asked for."
            ),
        ),
        Step(
            "two-moves",
            Statement(
                "a row replaced within the unit ball is two moves by at most 1",
                two_moves_margin,
                given=(exceeds("|x| <= 1 and |y| <= 1", replaced_margin, strict=False),),
            ),
            defect=None,
            note="So the first bound holds under the second document's relation with 2 eps for eps.",
        ),
        Step(
            "reconstruction",
            Statement(
                "the projection gives the signs of B away, but for 20 |A - AP|_F^2 of them",
                guess_margin,
                given=(
                    exceeds("entries of B are 1/2 or -1/2", signs_margin, strict=False),
                    exceeds("the span has k independent rows", span_margin, strict=False),
                    exceeds("gamma >= sqrt(km)", gamma_margin, strict=False),
                ),
            ),
            defect=None,
            note=(
                "The linear reconstruction that the document cites, with a constant. With m = d - k >= d/2, in (gamma "
                "I, B) the projection gives B away up to 20 cost^2 signs, and each sign may be known with probability "
                "(e^eps + delta)/(1 + e^eps) only."
            ),
        ),
        Step(
            "order-in-epsilon",
            Statement(
                "for eps <= 1 and delta <= eps/10 the bound of the repair at t = floor(2/eps) is at least k m/(150 "
                "eps^2)",
                many_moves_margin,
                given=(
                    positive("epsilon"),
                    at_most("epsilon", 1),
                    at_least("delta", 0),
                    exceeds("delta <= eps/10", small_delta_margin, strict=False),
                ),
            ),
            defect=None,
            note="Not printed: the printed lower bound has no eps. Moves of one row add up, as rows have any length.",
        ),
    ),
    uses=("wishart.theorem-10+repair", "sliding-window.neighbours", "sliding-window.table-2+repair"),
)
