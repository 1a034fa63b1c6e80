"""The symmetric matrix of two rows, (11): its characteristic polynomial and eigenvectors (section 4.3)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality, positive


@attrs.frozen
class Block:
    """The matrix [[a, b], [b, c]] of (11), and a number lambda."""

    a: Exact
    b: Exact
    c: Exact
    value: Exact


def block_entries(p: Block) -> tuple[fmpq, fmpq, fmpq, fmpq]:
    """``a``, ``b``, ``c``, ``lambda``."""
    return rational(p.a), rational(p.b), rational(p.c), rational(p.value)


def characteristic(p: Block) -> fmpq:
    """``lambda^2 - (a+c) lambda + (a c - b^2)``."""
    a, b, c, value = block_entries(p)
    return value * value - (a + c) * value + (a * c - b * b)


def characteristic_margin(p: Block) -> arb:
    """``det(A - lambda I)`` is the printed polynomial."""
    a, b, c, value = block_entries(p)
    return equality(arb(fmpq_mat(2, 2, [a - value, b, b, c - value]).det() - characteristic(p)), arb(0))


def discriminant(p: Block) -> fmpq:
    """``(a-c)^2 + 4 b^2``."""
    a, b, c, _ = block_entries(p)
    return (a - c) ** 2 + 4 * b * b


def discriminant_margin(p: Block) -> arb:
    """``(a+c)^2 - 4 (a c - b^2) = (a-c)^2 + 4 b^2``."""
    a, b, c, _ = block_entries(p)
    return equality(arb((a + c) ** 2 - 4 * (a * c - b * b) - discriminant(p)), arb(0))


def direction_margin(p: Block) -> arb:
    """``A x = lambda x`` at ``x = (b, -(a - lambda))``."""
    a, b, c, value = block_entries(p)
    first, second = b, -(a - value)
    errors = (a * first + b * second - value * first, b * first + c * second - value * second)
    return -arb(max(abs(error) for error in errors))


def root_margin(p: Block) -> arb:
    """``lambda`` is a root of the characteristic polynomial."""
    return equality(arb(characteristic(p)), arb(0))


BLOCK_STEPS = (
    Step("characteristic", Statement("det(A - l I) = l^2 - (a+c) l + (a c - b^2)", characteristic_margin), defect=None),
    Step("discriminant", Statement("(a+c)^2 - 4 (a c - b^2) = (a-c)^2 + 4 b^2", discriminant_margin), defect=None),
    Step(
        "direction",
        Statement(
            "(b, -(a - l)) is an eigenvector for the eigenvalue l",
            direction_margin,
            given=(positive("b"), Condition("l is an eigenvalue", root_margin)),
        ),
        defect=None,
    ),
)
