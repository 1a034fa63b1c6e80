"""The two families of databases in the proof of Theorem 8, with whole numbers of points (section 4.3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality, positive, whole
from dpmatrix.spec.near_optimal.nearby import Vector, inner


@attrs.frozen
class Copies:
    """Equal points ``sqrt(scale) direction``.

    Parameters
    ----------
    number
        How many of them the database holds.
    scale
        The square of their length, for a direction of norm 1.
    direction
        Rational coordinates.
    """

    number: int
    scale: Exact
    direction: Vector


def second_moment(points: tuple[Copies, ...]) -> fmpq_mat:
    """``A = (1/n) sum x x'``, exactly."""
    size = len(points[0].direction)
    records = sum(copies.number for copies in points)
    total = fmpq_mat(size, size, [0] * size * size)
    for copies in points:
        column = fmpq_mat(size, 1, [rational(value) for value in copies.direction])
        total += column * column.transpose() * (copies.number * rational(copies.scale) / records)
    return total


@attrs.frozen
class FirstFamily:
    """One database of the first family, beta = moved/n at most the gap Delta.

    Parameters
    ----------
    records, moved
        n, and the number n beta of points in which two databases differ.
    gap, side
        Delta, and sqrt(Delta^2 - beta^2); both rational.
    w
        Unit vector of R^(d-1).
    """

    records: int
    moved: int
    gap: Exact
    side: Exact
    w: Vector


def beta(p: FirstFamily) -> fmpq:
    """``n beta/n``."""
    return fmpq(p.moved, p.records)


def long_side(p: FirstFamily) -> fmpq:
    """``m = sqrt(Delta^2 - beta^2)/(1 - beta)`` of (16)."""
    return rational(p.side) / (1 - beta(p))


def last_vector(p: FirstFamily) -> Vector:
    """``y = e_d``."""
    return (*(0 for _ in p.w), 1)


def embedded(p: FirstFamily) -> Vector:
    """``w`` in R^d."""
    return (*p.w, 0)


def first_database(p: FirstFamily) -> tuple[Copies, ...]:
    """``n (1 - beta)`` copies of ``sqrt(m) y`` and ``n beta`` copies of ``y/sqrt(2) + w/sqrt(2)``."""
    return (
        Copies(p.records - p.moved, long_side(p), last_vector(p)),
        Copies(p.moved, fmpq(1, 2), (*p.w, 1)),
    )


def entries(p: FirstFamily) -> tuple[fmpq, fmpq, fmpq]:
    """``a = (1 - beta) m + beta/2``, ``b = beta/2``, ``c = beta/2``."""
    half = beta(p) / 2
    return (1 - beta(p)) * long_side(p) + half, half, half


def top_eigenvalue(p: FirstFamily) -> fmpq:
    """``lambda = (a + c)/2 + Delta/2`` of (15)."""
    a, _, c = entries(p)
    return (a + c) / 2 + rational(p.gap) / 2


@attrs.frozen
class SecondFamily:
    """One database of the second family, beta = moved/n at least the gap Delta: points along w, and zeros."""

    records: int
    moved: int
    gap: Exact
    w: Vector


def printed_second_database(p: SecondFamily) -> tuple[Copies, ...]:
    """``n (1 - beta)`` zeros and ``n beta`` copies of ``(Delta/beta) w``."""
    ratio = rational(p.gap) * p.records / p.moved
    return (Copies(p.records - p.moved, 0, p.w), Copies(p.moved, ratio * ratio, p.w))


def second_database(p: SecondFamily) -> tuple[Copies, ...]:
    """``min(n beta, n)`` copies of ``sqrt(Delta/min(beta, 1)) w``, and zeros."""
    number = min(p.moved, p.records)
    return (Copies(p.records - number, 0, p.w), Copies(number, rational(p.gap) * p.records / number, p.w))


def first_beta_margin(p: FirstFamily) -> arb:
    """``Delta - beta``."""
    return arb(rational(p.gap) - beta(p))


def side_margin(p: FirstFamily) -> arb:
    """``side^2 + beta^2 = Delta^2``."""
    return equality(arb(rational(p.side) ** 2 + beta(p) ** 2 - rational(p.gap) ** 2), arb(0))


def nonnegative_side_margin(p: FirstFamily) -> arb:
    """The side."""
    return arb(rational(p.side))


def half_margin(p: FirstFamily | SecondFamily) -> arb:
    """``1/2 - Delta``."""
    return arb(fmpq(1, 2) - rational(p.gap))


def unit_margin(p: FirstFamily | SecondFamily) -> arb:
    """``|w| = 1``."""
    return equality(arb(inner(p.w, p.w) - 1), arb(0))


def second_beta_margin(p: SecondFamily) -> arb:
    """``beta - Delta``."""
    return arb(fmpq(p.moved, p.records) - rational(p.gap))


SHARED = (
    whole("records", 1),
    whole("moved", 1),
    positive("gap"),
    Condition("Delta <= 1/2", half_margin, of="gap"),
    Condition("|w| = 1", unit_margin),
)
FIRST = (
    *SHARED,
    Condition("beta <= Delta", first_beta_margin),
    Condition("side^2 = Delta^2 - beta^2", side_margin),
    Condition("side >= 0", nonnegative_side_margin, of="side"),
)
SECOND = (*SHARED, Condition("beta > Delta", second_beta_margin, strict=True))
