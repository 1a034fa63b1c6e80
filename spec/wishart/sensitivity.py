"""Sensitivity of the second-moment matrix under replacement of one record (supplement A and the proof of Theorem 4).

Two records v and w of norm at most 1 enter every statement through three numbers: |v|^2, |w|^2 and <v, w>.
"""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Real, ball, nonnegative_root, square
from dpmatrix.spec.common.conditions import at_least, at_most


@attrs.frozen
class RecordPair:
    """A record v and the record w that replaces it.

    Parameters
    ----------
    v_squared, w_squared
        Squared Euclidean norms, in [0, 1].
    inner
        The inner product <v, w>.
    """

    v_squared: Real
    w_squared: Real
    inner: Real


def cauchy_schwarz_margin(p: RecordPair) -> arb:
    """``|v|^2 |w|^2 - <v, w>^2``."""
    return ball(p.v_squared) * ball(p.w_squared) - square(ball(p.inner))


PAIR = (
    at_least("v_squared", 0),
    at_least("w_squared", 0),
    Condition("<v, w>^2 <= |v|^2 |w|^2", cauchy_schwarz_margin),
)
"""The three numbers are those of two vectors."""
NORMS = (at_most("v_squared", 1), at_most("w_squared", 1))
UNIT_BALL = (*PAIR, *NORMS)


def nuclear_norm(p: RecordPair) -> arb:
    """Nuclear norm of vv' - ww': the difference of ((a - b) ± sqrt((a + b)^2 - 4 <v, w>^2))/2, a = |v|^2, b = |w|^2."""
    return nonnegative_root(square(ball(p.v_squared) + ball(p.w_squared)) - 4 * square(ball(p.inner)))


def largest_square(p: RecordPair) -> arb:
    """``max(|v|^2, |w|^2)``."""
    return ball(p.v_squared).max(ball(p.w_squared))


def nuclear_norm_margin(p: RecordPair) -> arb:
    """3 minus the nuclear norm."""
    return 3 - nuclear_norm(p)


def singular_value_sum_margin(p: RecordPair) -> arb:
    """sigma_1(vv') + sigma_1(ww') + max{...} minus the nuclear norm; sigma_2 of a rank-one matrix is 0."""
    return ball(p.v_squared) + ball(p.w_squared) + largest_square(p) - nuclear_norm(p)


def three_largest_margin(p: RecordPair) -> arb:
    """3 max sigma_1 minus the sum before it."""
    return 3 * largest_square(p) - (ball(p.v_squared) + ball(p.w_squared) + largest_square(p))


def largest_at_most_one_margin(p: RecordPair) -> arb:
    """``3 - 3 max |v|^2``."""
    return 3 - 3 * largest_square(p)


NUCLEAR_NORM_BOUND = Claim(
    id="wishart.nuclear-norm-bound",
    kind=Kind.LEMMA,
    source=Locator("wishart", "proof of Theorem 4", "n ||Delta||_* <= 3 for Delta = (vv' - ww')/n, |v|, |w| <= 1"),
    statement=Statement(
        "the nuclear norm of vv' - ww' is at most 3 when |v| <= 1 and |w| <= 1",
        nuclear_norm_margin,
        given=UNIT_BALL,
    ),
    verdict=Verdict.HOLDS,
    because=(
        "The bound is true and loose: the nuclear norm is sqrt((|v|^2 + |w|^2)^2 - 4 <v, w>^2) <= 2, with equality "
        "for orthogonal unit records. The max in the printed step may be a min. With 2 in place of 3 the scale "
        "drops by a third."
    ),
    steps=(
        Step(
            "singular-values",
            Statement(
                (
                    "n ||Delta||_* <= sigma_1(vv') + sigma_1(ww') + max{sigma_1(vv') + sigma_2(ww'), sigma_2(vv') + "
                    "sigma_1(ww')}"
                ),
                singular_value_sum_margin,
                given=PAIR,
            ),
            defect=None,
        ),
        Step(
            "three-maxima",
            Statement("that sum is at most 3 max sigma_1(vv')", three_largest_margin),
            defect=None,
        ),
        Step("unit-ball", Statement("3 max |v|^2 <= 3", largest_at_most_one_margin, given=NORMS), defect=None),
    ),
)
