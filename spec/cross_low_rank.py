"""Lower bounds for low-rank approximation in two documents: what each one is about, and where it holds."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Claim, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import at_least, at_most, below, exceeds, positive, whole
from dpmatrix.spec.cross_adjacency import ChangedRow, moved_by_one, replaced_in_the_ball
from dpmatrix.spec.cross_reconstruction import (
    exponential_margin,
    gamma_margin,
    guess_margin,
    privacy_margin,
    projections_margin,
    signs_margin,
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


def first_bound(p: PrivateError) -> arb:
    """``c d / epsilon`` of `wishart.theorem-10`, for the spectral norm of A - A^_k with A = XX'."""
    return ball(p.constant) * p.dimension / ball(p.epsilon)


def second_bound(p: PrivateError) -> arb:
    """``c sqrt(k d)`` of `sliding-window`, Table 2, for |A - AP|_F beyond the least of rank k."""
    return ball(p.constant) * arb(p.rank * p.dimension).sqrt()


def release_noise(p: PrivateError) -> arb:
    """Norm, but for probability 1/d, of the Gaussian noise of one release of A'A for rows of norm at most 1."""
    return noise_bound(OneRelease(p.dimension, p.epsilon, p.delta, 1))


def second_in_the_first_setting(p: PrivateError) -> arb:
    """``sqrt(2 k |N|) - c sqrt(k d)``: what the top-k space of A'A + N costs beyond the least, against the bound."""
    return (2 * p.rank * release_noise(p)).sqrt() - second_bound(p)


def first_with_a_delta(p: PrivateError) -> arb:
    """``2 |N| - c d / epsilon``: the spectral error of the best rank k part of A'A + N against the first bound."""
    return 2 * release_noise(p) - first_bound(p)


def noisy_rows(p: PrivateError) -> arb:
    """``s sqrt(k d) - c sqrt(k d)``: k rows with Gaussian noise in every entry, root of the mean squared cost."""
    scale = deviation(DyadicRelease(0, 0, p.epsilon, p.delta))
    return scale * arb(p.rank * p.dimension).sqrt() - second_bound(p)


def first_covers_second(p: PrivateError) -> arb:
    """``d / epsilon - c sqrt(k d)``."""
    return p.dimension / ball(p.epsilon) - second_bound(p)


def second_covers_first(p: PrivateError) -> arb:
    """``sqrt(k d) - c d / epsilon``."""
    return arb(p.rank * p.dimension).sqrt() - first_bound(p)


def proper_margin(p: PrivateError) -> arb:
    """``d - k``."""
    return arb(p.dimension - p.rank)


def two_moves_margin(p: ChangedRow) -> arb:
    """0 when x to 0 and 0 to y are each a move by at most 1."""
    zero = (0,) * len(p.x)
    return flag(moved_by_one(ChangedRow(p.x, zero)) and moved_by_one(ChangedRow(zero, p.y)))


def replaced_margin(p: ChangedRow) -> arb:
    """0 when both rows lie in the unit ball."""
    return flag(replaced_in_the_ball(p))


@attrs.frozen
class Window:
    """A window of W rows of length d, of norm at most 1."""

    rows: int
    dimension: int


def trivial_error_margin(p: Window) -> arb:
    """``sqrt(W) - (W + d)``: the largest cost of the answer 0 against the additive error of Theorem 19."""
    return arb(p.rows).sqrt() - (p.rows + p.dimension)


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
        "The bound sqrt(kd) fails for rows of norm at most 1, for large epsilon and for k near d; it needs rows of "
        "any length and epsilon of constant order."
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
        "larger one for eps < sqrt(d/k). The first needs delta = 0: the rank k part of A'A + N, N Gaussian, errs by "
        "2|N|, of the order sqrt(d log(1/delta))/eps. The second cannot be carried to rows of norm at most 1: there the"
        " top-k space of A'A + N costs at most sqrt(2k|N|) more, which grows like sqrt(k) d^(1/4). Nor does it hold for"
        " every epsilon: k rows with noise in every entry cost at most s sqrt(kd), and s -> 0. Nor for k near d: at k ="
        " d the projection I costs nothing and tells nothing. It is true for k <= d/2 and eps of constant order under "
        "the document's own neighbouring relation, where rows have any length: with m = d - k >= d/2, in (gamma I, B) "
        "the projection gives B away up to 20 cost^2 signs, and each sign may be known with probability (e^eps + "
        "delta)/(1 + e^eps) only. The least cost of these matrices is 0, so no factor 1 + eta helps. So the upper bound"
        " sqrt(kd)/eps of Table 2 is tight for k <= d/2 and eps of constant order, not for all eps = O(1)."
    ),
    repair=Repair(
        "neighbours that differ by 1 in one row of any length, and a factor that falls with epsilon",
        Statement(
            "for every (eps, delta)-private choice of a projection of rank k some k x (k + m) matrix of rank k has "
            "E|A - AP|_F^2 >= (1 - delta) k m / (20 (1 + e^eps))",
            worst_cost_margin,
            given=(
                whole("rank", 1),
                whole("columns", 1),
                exceeds("there is a law for each B", table_margin, strict=False),
                exceeds("outputs are projections of rank k", projections_margin, strict=False),
                exceeds("gamma >= sqrt(km)", gamma_margin, strict=False),
                exceeds("e^eps >= 1", exponential_margin, strict=False),
                at_least("delta", 0),
                at_most("delta", 1),
                exceeds("laws of neighbours are (eps, delta)-close", privacy_margin, strict=False),
            ),
        ),
    ),
    steps=(
        Step(
            "first-covers-second",
            Statement(
                "for some c, d/eps is at least c sqrt(kd)",
                first_covers_second,
                given=SETTING,
                exists=(Chosen("constant"),),
            ),
            sound=False,
            note="Not for eps > sqrt(d/k).",
        ),
        Step(
            "second-covers-first",
            Statement(
                "for some c, sqrt(kd) is at least c d/eps",
                second_covers_first,
                given=SETTING,
                exists=(Chosen("constant"),),
            ),
            sound=False,
            note="Not for eps < sqrt(d/k).",
        ),
        Step(
            "first-with-a-delta",
            Statement(
                "for every eps and delta there is a c such that one (eps, delta)-private release has spectral error at "
                "least c d/eps",
                first_with_a_delta,
                given=SETTING,
                exists=(Chosen("constant", after=("epsilon", "delta")),),
                one_sided=True,
            ),
            sound=False,
            note="It is of the order sqrt(d log(1/delta))/eps; so Table 2 does not contradict the first bound.",
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
            sound=False,
            note="No bound on epsilon is printed, nor differential privacy asked for.",
        ),
        Step(
            "two-moves",
            Statement(
                "a row replaced within the unit ball is two moves by at most 1",
                two_moves_margin,
                given=(exceeds("|x| <= 1 and |y| <= 1", replaced_margin, strict=False),),
            ),
            sound=True,
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
            sound=True,
            note="The linear reconstruction that the document cites, with a constant.",
        ),
        Step(
            "additive-error-of-theorem-19",
            Statement(
                "an additive error W + d is not trivial: some window of W rows of norm at most 1 costs more than that",
                trivial_error_margin,
                given=(whole("rows", 1), whole("dimension", 1)),
            ),
            sound=False,
            note="The answer 0 costs at most sqrt(W). Alice's rows in that proof are longer.",
        ),
    ),
    uses=("wishart.theorem-10+repair", "sliding-window.neighbours", "sliding-window.table-2+repair"),
)
