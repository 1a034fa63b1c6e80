"""Sizes that section 3 states beside its theorems: epochs, shapes of outputs, space, and the time of an update."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import below, equality, exceeds, positive, whole
from dpmatrix.spec.sliding_window.sketch_size import WHOLE_SIZE, sketch_size


@attrs.frozen
class Epochs:
    """The present time T and the size W of the window."""

    time: int
    window: int


def epochs_margin(p: Epochs) -> arb:
    """Minus the distance of W from ``2W - T``, the number of epochs from T - W + 1 to W."""
    return equality(arb(2 * p.window - p.time), arb(p.window))


def passed_margin(p: Epochs) -> arb:
    """``T - W``."""
    return arb(p.time - p.window)


@attrs.frozen
class SketchShape:
    """The dimension d, and r and eta, from which a sketch has 4r/eta rows."""

    dimension: int
    rank: int
    eta: Exact


def square_output_margin(p: SketchShape) -> arb:
    """Minus the distance of the number of rows, 4r/eta, from d."""
    return equality(ball(sketch_size(p)), arb(p.dimension))


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
    """``c (d / eta) log W - (d / eta^2) log W``: the space without privacy against that of Theorem 3, for r = 1."""
    without = ball(p.constant) * p.dimension / ball(p.eta) * arb(p.window).log()
    return without - p.dimension / square(ball(p.eta)) * arb(p.window).log()


STORAGE = (whole("window", 2), whole("dimension", 1), whole("rank", 1), positive("eta"), below("eta", 1))


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


EPOCHS = Step(
    "epochs",
    Statement(
        "the epochs from T - W + 1 to W are those of the window: W of them",
        epochs_margin,
        given=(whole("time", 1), whole("window", 1), exceeds("T >= W", passed_margin, strict=False)),
    ),
    sound=False,
    note="To T. For T = W it is the same; from T = 2W on no epoch is left.",
)
OUTPUT_SHAPE = Step(
    "output-shape",
    Statement(
        "the output is a d x d matrix: 4r/eta = d",
        square_output_margin,
        given=(whole("dimension", 1), whole("rank", 1), positive("eta"), below("eta", 1), WHOLE_SIZE),
    ),
    sound=False,
    note="A~ has 4r/eta rows and d columns; only A~'A~ is d x d.",
)
CHECKPOINT_SPACE = Step(
    "space",
    Statement(
        "there is a constant c with which (r/eta) log W checkpoints of 4r/eta rows take at most c (r d/eta) log W "
        "numbers",
        product_margin,
        given=STORAGE,
        exists=(Chosen("constant"),),
    ),
    sound=False,
    note="The product is 4 (r^2 d/eta^2) log W, as the lemma itself says.",
)
CONSTANT_RANK = Step(
    "constant-rank",
    Statement(
        "there is a constant c with which, for rank 1, the (d/eta^2) log W of Theorem 3 is at most c (d/eta) log W, "
        "the space that is quoted for an algorithm without privacy",
        price_margin,
        given=(whole("window", 2), whole("dimension", 1), positive("eta"), below("eta", 1)),
        exists=(Chosen("constant"),),
    ),
    sound=False,
    note="A factor 1/eta is paid, by the stated bounds.",
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
    sound=False,
    note="All W of them are kept, as for item 3, and each is compared by Algorithm 1; every polynomial in d and log W "
    "is below one of these powers.",
)
