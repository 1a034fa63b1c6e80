"""The printed proof of Theorem 5, first half: what one record changes, and the ratio of the densities."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality, positive, whole


@attrs.frozen
class RecordChange:
    """Record x is replaced by y, both of length d >= 1, in a data set of n records.

    Parameters
    ----------
    records
        Number of records n.
    x, y
        Coordinates.
    """

    records: int
    x: tuple[Exact, ...]
    y: tuple[Exact, ...]


def triangle(x: tuple[Exact, ...]) -> list[fmpq]:
    """``x_i x_j`` for 1 <= i <= j <= d."""
    return [rational(x[i]) * rational(x[j]) for i in range(len(x)) for j in range(i, len(x))]


def changes(p: RecordChange) -> list[fmpq]:
    """``x_i x_j - y_i y_j`` for 1 <= i <= j <= d."""
    return [a - b for a, b in zip(triangle(p.x), triangle(p.y), strict=True)]


def squared_norm(x: tuple[Exact, ...]) -> fmpq:
    """``|x|^2``."""
    return sum((rational(entry) * rational(entry) for entry in x), fmpq(0))


def squared_change(p: RecordChange) -> fmpq:
    """``sum_{i<=j} (x_i x_j - y_i y_j)^2``."""
    return sum((change * change for change in changes(p)), fmpq(0))


def absolute_change(p: RecordChange) -> fmpq:
    """``sum_{i<=j} |x_i x_j - y_i y_j|``."""
    return sum((abs(change) for change in changes(p)), fmpq(0))


def bound_19_margin(p: RecordChange) -> arb:
    """``2 - sum_{i<=j} (x_i x_j - y_i y_j)^2``."""
    return arb(2 - squared_change(p))


def last_term_margin(p: RecordChange) -> arb:
    """``2/n^2 - (1/n^2) sum_{i<=j} (y_i y_j - x_i x_j)^2``."""
    return arb((2 - squared_change(p)) / p.records**2)


def maximum_margin(p: RecordChange) -> arb:
    """``(1/2)(d^2 + d)(1/d) - sum_{i<=j} x_i x_j``."""
    d = len(p.x)
    return arb(fmpq(d**2 + d, 2 * d) - sum(triangle(p.x), fmpq(0)))


def l1_margin(p: RecordChange) -> arb:
    """``d + 1 - sum_{i<=j} |y_i y_j - x_i x_j|``."""
    return arb(len(p.x) + 1 - absolute_change(p))


def unit_margin(p: RecordChange) -> arb:
    """Minus the larger of ``||x|^2 - 1|`` and ``||y|^2 - 1|``."""
    return -arb(max(abs(squared_norm(p.x) - 1), abs(squared_norm(p.y) - 1)))


def unit_ball_margin(p: RecordChange) -> arb:
    """The smaller of ``1 - |x|^2`` and ``1 - |y|^2``."""
    return arb(1 - max(squared_norm(p.x), squared_norm(p.y)))


RECORDS = whole("records", 1)
UNIT = Condition("|x| = |y| = 1", unit_margin)
IN_UNIT_BALL = Condition("|x| <= 1 and |y| <= 1", unit_ball_margin)


@attrs.frozen
class Dimension:
    """Only a dimension d."""

    dimension: int


def unit_vector(dimension: int, place: int) -> tuple[int, ...]:
    """The elementary vector e_place."""
    return tuple(int(i == place) for i in range(1, dimension + 1))


def attained_margin(p: Dimension) -> arb:
    """The sum of (19) at x = e_1 and y = e_2 is 2."""
    pair = RecordChange(1, unit_vector(p.dimension, 1), unit_vector(p.dimension, 2))
    return equality(arb(squared_change(pair)), arb(2))


def linear_change_margin(p: Dimension) -> arb:
    """``(1 - 1/d) + (d(d+1)/2 - 1)/d - (d - 1)/2``: the l1 change from e_1 to the flat vector, minus (d-1)/2."""
    d = p.dimension
    return arb(fmpq(d - 1, d) + fmpq(d * (d + 1) - 2, 2 * d) - fmpq(d - 1, 2))


@attrs.frozen
class DensityEntry:
    """One entry of the log-ratio: A_ij = (rest + product)/n, the neighbour's (rest + replaced)/n, released H_ij."""

    records: int
    deviation: Exact
    released: Exact
    rest: Exact
    product: Exact
    replaced: Exact


def squares_of_the_noise(p: DensityEntry) -> fmpq:
    """``-(H-A)^2/(2 beta^2) + (H-A^)^2/(2 beta^2)``."""
    n, twice, h = fmpq(p.records), 2 * rational(p.deviation) * rational(p.deviation), rational(p.released)
    entry, other = (rational(p.rest) + rational(p.product)) / n, (rational(p.rest) + rational(p.replaced)) / n
    return -(h - entry) * (h - entry) / twice + (h - other) * (h - other) / twice


def expanded_ratio(p: DensityEntry) -> fmpq:
    """``((2/n)(H-A)(xx-yy) + (yy-xx)^2/n^2)/(2 beta^2)``."""
    n, twice, h = fmpq(p.records), 2 * rational(p.deviation) * rational(p.deviation), rational(p.released)
    entry, change = (rational(p.rest) + rational(p.product)) / n, rational(p.product) - rational(p.replaced)
    return (2 / n * (h - entry) * change + change * change / n**2) / twice


def density_ratio_margin(p: DensityEntry) -> arb:
    """The two printed forms of one entry of the log-ratio are equal."""
    return equality(arb(squares_of_the_noise(p) - expanded_ratio(p)), arb(0))


CHANGE_STEPS = (
    Step(
        "bound-19",
        Statement("(19): sum (x_i x_j - y_i y_j)^2 <= 2 for unit vectors", bound_19_margin, given=(UNIT,)),
        defect=None,
    ),
    Step(
        "attained",
        Statement("orthogonal elementary vectors attain (19)", attained_margin, given=(whole("dimension", 2),)),
        defect=None,
    ),
    Step(
        "density-ratio",
        Statement(
            "-(H-A)^2/(2 beta^2) + (H-A^)^2/(2 beta^2) = ((2/n)(H-A)(xx-yy) + (yy-xx)^2/n^2)/(2 beta^2) for each entry",
            density_ratio_margin,
            given=(RECORDS, positive("deviation")),
        ),
        defect=None,
    ),
    Step(
        "last-term",
        Statement(
            "(1/n^2) sum (y_i y_j - x_i x_j)^2 <= 2/n^2 for records", last_term_margin, given=(RECORDS, IN_UNIT_BALL)
        ),
        defect=None,
        note="(19) is stated for unit vectors and used for records of norm at most 1, where it is true as well.",
    ),
    Step(
        "maximum",
        Statement("max sum_{i<=j} a_i a_j <= (1/2)(d^2 + d)(1/d)", maximum_margin, given=(IN_UNIT_BALL,)),
        defect=None,
    ),
    Step(
        "l1-bound",
        Statement("sum_{i<=j} |y_i y_j - x_i x_j| <= d + 1", l1_margin, given=(IN_UNIT_BALL,)),
        defect=None,
        note="The exact maximum is sqrt((d+2)^2 + d^2 - (d mod 2))/2 for d >= 2, about d/sqrt(2).",
    ),
    Step(
        "l1-change-is-linear",
        Statement(
            "between e_1 and the flat vector the l1 change is linear in d: at least (d-1)/2",
            linear_change_margin,
            given=(whole("dimension", 1),),
        ),
        defect=None,
    ),
)
