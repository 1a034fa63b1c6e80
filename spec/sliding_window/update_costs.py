"""Section 1.2: the space of the naive algorithm, and where the time of an update goes."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.conditions import exceeds, whole


@attrs.frozen
class NaiveStore:
    """W, T and d, and the constant of O()."""

    window: int
    time: int
    dimension: int
    constant: Exact


def naive_space_margin(p: NaiveStore) -> arb:
    """``c w d^2`` minus the numbers of w = min(W, T) symmetric d x d matrices, d(d+1)/2 each."""
    matrices = min(p.window, p.time)
    numbers = matrices * (p.dimension * (p.dimension + 1) // 2)
    return ball(p.constant) * matrices * p.dimension**2 - numbers


@attrs.frozen
class UpdateRound:
    """Round i of Algorithm 1 on l checkpoints, each a sketch of m rows and d columns.

    Parameters
    ----------
    count, place
        l and i.
    rows, dimension
        m and d.
    """

    count: int
    place: int
    rows: int
    dimension: int


def order_cost(rows: int, dimension: int) -> int:
    """Multiplications of one test: m d (d+1)/2 for the second moment of a sketch, d (d^2-1)/6 for the elimination."""
    return rows * (dimension * (dimension + 1) // 2) + dimension * (dimension**2 - 1) // 6


def testing_cost(p: UpdateRound) -> int:
    """Multiplications of the tests of all p with i < p <= l - 1."""
    return (p.count - 1 - p.place) * order_cost(p.rows, p.dimension)


def moving_cost(p: UpdateRound) -> int:
    """Numbers that the inner loop moves at most: l - i sketches of m d numbers."""
    return (p.count - p.place) * p.rows * p.dimension


def testing_margin(p: UpdateRound) -> arb:
    """`testing_cost` minus `moving_cost`."""
    return arb(testing_cost(p) - moving_cost(p))


def round_margin(p: UpdateRound) -> arb:
    """``l - 2 - i``."""
    return arb(p.count - 2 - p.place)


NAIVE_SPACE = Step(
    "naive-space",
    Statement(
        "there is a constant c with which w = min(W, T) symmetric d x d matrices take at most c w d^2 numbers",
        naive_space_margin,
        given=(whole("window", 1), whole("time", 1), whole("dimension", 1)),
        exists=(Chosen("constant", exhibited=1),),
    ),
    defect=None,
)
TESTING_COST = Step(
    "testing-cost",
    Statement(
        "in each round of Algorithm 1 on sketches of d >= 3 columns the tests of the order cost more multiplications "
        "than numbers are moved",
        testing_margin,
        given=(
            whole("place", 1),
            exceeds("i <= l - 2", round_margin, strict=False),
            whole("rows", 1),
            whole("dimension", 3),
        ),
        strict=True,
    ),
    defect=None,
    note="Each test forms a second moment and eliminates; m d^2/2 and d^3/6 multiplications.",
)
