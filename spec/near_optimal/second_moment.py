"""The second-moment matrix of some records: its norm, and PCA as an optimization problem (sections 2 and 3.3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import positive
from dpmatrix.spec.near_optimal.nearby import Vector


@attrs.frozen
class Records:
    """Some records, and a vector v of the same length."""

    records: tuple[Vector, ...]
    v: Vector


@attrs.frozen
class Modulus(Records):
    """The same, with a second vector u and a modulus m of strong convexity."""

    u: Vector
    modulus: Exact


def moment(p: Records) -> fmpq_mat:
    """``A = XX'/n``, with the records in the columns of X."""
    rows = fmpq_mat([[rational(entry) for entry in record] for record in p.records])
    return rows.transpose() * rows / fmpq(len(p.records))


def energy(p: Records, x: list[fmpq]) -> fmpq:
    """``x'Ax``."""
    column = fmpq_mat(len(x), 1, x)
    return (column.transpose() * moment(p) * column)[0, 0]


def norm_margin(p: Records) -> arb:
    """The smaller of ``v'Av`` and ``1 - |A|_F^2``."""
    squares = sum((entry * entry for entry in moment(p).entries()), fmpq(0))
    return arb(min(energy(p, [rational(entry) for entry in p.v]), 1 - squares))


def convexity_margin(p: Modulus) -> arb:
    """``f((u+v)/2) - (f(u) + f(v))/2 + (m/8) |u-v|^2`` for f(v) = -v'Av: not negative, f lacks the modulus m."""
    u, v = ([rational(entry) for entry in vector] for vector in (p.u, p.v))
    middle = [(a + b) / 2 for a, b in zip(u, v, strict=True)]
    apart = sum(((a - b) * (a - b) for a, b in zip(u, v, strict=True)), fmpq(0))
    above = (energy(p, u) + energy(p, v)) / 2 - energy(p, middle)
    return arb(above + rational(p.modulus) / 8 * apart)


def length_margin(p: Records) -> arb:
    """0 when there are records, as long as v, -1 when there are not."""
    return arb(int({len(record) for record in p.records} == {len(p.v)} and len(p.v) > 0) - 1)


def ball_margin(p: Records) -> arb:
    """The least ``1 - |x_i|^2``."""
    return arb(min(1 - sum((rational(entry) ** 2 for entry in record), fmpq(0)) for record in p.records))


def distinct_margin(p: Modulus) -> arb:
    """The largest difference of two entries of u and v."""
    return arb(max(abs(rational(a) - rational(b)) for a, b in zip(p.u, p.v, strict=True)))


def same_length_margin(p: Modulus) -> arb:
    """Minus the difference of the lengths of u and v."""
    return -arb(abs(len(p.u) - len(p.v)))


SHAPE = Condition("records as long as v", length_margin)

MOMENT_STEP = Step(
    "norm-of-a",
    Statement(
        "v'Av >= 0 and |A|_F <= 1 for records of norm at most 1",
        norm_margin,
        given=(SHAPE, Condition("|x_i| <= 1", ball_margin)),
    ),
    defect=None,
)
CONVEXITY_STEP = Step(
    "not-strongly-convex",
    Statement(
        "-v'Av, which PCA minimizes, is strongly convex with no modulus m > 0, between no two points",
        convexity_margin,
        given=(
            SHAPE,
            Condition("u is as long as v", same_length_margin),
            Condition("u differs from v", distinct_margin, strict=True),
            positive("modulus"),
        ),
        strict=True,
    ),
    defect=None,
    note="It is concave. Objective perturbation asks for strong convexity; the gradient is bounded on the unit ball.",
)
