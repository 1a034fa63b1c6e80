"""Sizes that section 3 states beside its theorems: shapes of outputs, space, and the time of an update."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Defect, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.loewner import gram
from dpmatrix.spec.sliding_window.sketch_order import RANKED_RUN, RankedStream
from dpmatrix.spec.sliding_window.sketch_size import sketch_size
from dpmatrix.spec.sliding_window.sketched_stream import PRINTED, history


def outputs(p: RankedStream) -> list[fmpq_mat]:
    """Return the first matrix that the lines store, which Algorithm 2 returns, after each row."""
    return [held[0].sketch for held in history(p, PRINTED)]


def output_shape_margin(p: RankedStream) -> arb:
    """Minus the distances of numbers of rows and columns: of the outputs A~ from 4r/eta x d, of A~'A~ from d x d."""
    size, width = sketch_size(p), p.rows.ncols()
    away = fmpq(0)
    for output in outputs(p):
        moment = gram(output)
        away += abs(output.nrows() - size) + abs(output.ncols() - width)
        away += abs(moment.nrows() - width) + abs(moment.ncols() - width)
    return -arb(away)


@attrs.frozen
class Storage:
    """W, d, r and eta, and the constant of O()."""

    window: int
    dimension: int
    rank: int
    eta: Exact
    constant: Exact


def linear_space(p: Storage) -> arb:
    """``c (r d / eta) log W``."""
    return ball(p.constant) * p.rank * p.dimension / ball(p.eta) * arb(p.window).log()


def product_margin(p: Storage) -> arb:
    """``c (r d / eta) log W`` minus (r / eta) log W times the 4 r d / eta numbers of a sketch."""
    checkpoints = p.rank / ball(p.eta) * arb(p.window).log()
    return linear_space(p) - checkpoints * (4 * p.rank * p.dimension / ball(p.eta))


def price_margin(p: Storage) -> arb:
    """``c (r d / eta) log W - (r^2 d / eta^2) log W``: the space without privacy against that of Theorem 3."""
    difference = rational(p.constant) * p.rank / rational(p.eta) - p.rank**2 / rational(p.eta) ** 2
    return arb(difference * p.dimension) * arb(p.window).log()


def price(rank: int, eta: Exact) -> fmpq:
    """``r / eta``."""
    return rank / rational(eta)


SIZES = (whole("window", 2), whole("dimension", 1), whole("rank", 1), positive("eta"))


@attrs.frozen
class LongStream:
    """The stream of W = 2^h rows e_1 in d dimensions, seen at T = W, and a constant c.

    Parameters
    ----------
    doublings, dimension
        h and d.
    rank, eta
        r and eta; a sketch has 4r/eta rows.
    constant
        c.
    """

    doublings: int
    dimension: int
    rank: int
    eta: Exact
    constant: Exact


def logarithm(p: LongStream) -> arb:
    """``log W``."""
    return p.doublings * arb(2).log()


def update_margin(p: LongStream) -> arb:
    """Logarithm of ``(c (d + log W))^c``, minus that of the W matrices that an update passes through."""
    return ball(p.constant) * (ball(p.constant) * (p.dimension + logarithm(p))).log() - logarithm(p)


def wide_margin(p: LongStream) -> arb:
    """``d - 4r/eta``."""
    return arb(p.dimension - sketch_size(p))


OUTPUT_SHAPE = Step(
    "output-shape",
    Statement(
        "on every stream, and so on both, the outputs A~ are 4r/eta x d matrices, and A~'A~ is d x d",
        output_shape_margin,
        given=RANKED_RUN,
    ),
    defect=None,
    note="Printed as d x d matrices; nothing in the proof uses it.",
)
CHECKPOINT_SPACE = Step(
    "space",
    Statement(
        "there is a constant c with which (r/eta) log W checkpoints of 4r/eta rows take at most c (r d/eta) log W "
        "numbers",
        product_margin,
        given=(*SIZES, below("eta", rational(1) / 4)),
        exists=(Chosen("constant"),),
    ),
    defect=Defect.FORMULA,
    note="The product is 4 (r^2 d/eta^2) log W, as item 3 of Theorem 3 says; the lemma has (r^2 d/eta) log n log W.",
)
CONSTANT_RANK = Step(
    "constant-rank",
    Statement(
        "for a rank r = O(1) privacy has no price in space: for all r and eta there is a constant c, r/eta, with which "
        "the (r^2 d/eta^2) log W of Theorem 3 is at most c (r d/eta) log W, the space that is quoted for an algorithm "
        "without privacy",
        price_margin,
        given=(*SIZES, below("eta", 1)),
        exists=(Chosen("constant", after=("rank", "eta"), exhibited=price),),
    ),
    defect=None,
    note="By Theorem 3 a factor 1/eta is paid; by Table 1 none.",
)
UPDATE_TIME = Step(
    "item-4",
    Statement(
        "there is a constant c with which an update, at T = W after rows e_1, passes through at most (c (d + log W))^c "
        "stored matrices",
        update_margin,
        given=(
            whole("doublings", 1),
            whole("dimension", 1),
            whole("rank", 1),
            positive("eta"),
            below("eta", rational(1) / 4),
            exceeds("d > 4r/eta", wide_margin),
            positive("constant"),
        ),
        exists=(Chosen("constant"),),
    ),
    defect=Defect.CONCLUSION,
    note="All W of them are kept, as for item 3, and each is changed by line 10 of Algorithm 3 at every row; every "
    "polynomial in d and log W is below one of these powers.",
)
