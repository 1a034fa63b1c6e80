"""Procedure 4.1 of `compression` on a database far from its reference."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.far_data import OppositeColumns

procedure_4_1 = cite("compression.procedure-4-1@c8649e1d")

NEAR_ONE = Fraction(9, 10)
POINTS = [
    OppositeColumns(n, 2, m, delta, centre=centre)
    for n, m in ((5, 80), (40, 200), (1000, 900))
    for delta, centre in product((0, Fraction(1, 10), Fraction(3, 5)), (0, Fraction(1, 3), NEAR_ONE))
]


def chance(p: OppositeColumns) -> mpmath.mpf:
    """C^2 = 2 (C_1 + C_2), with C_1 = 4 e/sqrt(6 pi) and C_2 = e sqrt(8)."""
    constant = 2 * (4 * mpmath.e / mpmath.sqrt(6 * mpmath.pi) + mpmath.sqrt(8) * mpmath.e)
    radius = mpmath.sqrt(constant * mpmath.log(2 * p.records * p.columns) / p.rows) + real(p.delta_max)
    room = p.rows * (radius - real(p.centre)) / 2
    if room <= 0:
        return mpmath.mpf(0)
    return mpmath.gammainc(mpmath.mpf(p.rows) / 2, 0, room, regularized=True)


@procedure_4_1.refutes(
    "polynomial-time", grade="derived", region="opposite columns, a reference of correlation 0.9, m large enough"
)
def test_opposite_columns_are_never_kept(statement) -> None:
    """Phi X has the columns y and -y, so that entry (1, 2) of X'X/m is -|y|^2/m <= 0, and |y|^2 is chi^2 of m degrees.

    It is within r of s > r with probability 0.
    """
    y, s = sympy.symbols("y s", positive=True)
    assert sympy.simplify(abs(-(y**2) - s) - (y**2 + s)) == 0
    far = [p for p in POINTS if chance(p) == 0]
    assert len(far) >= 2
    assert all(statement.at(p) is Truth.FALSE for p in far)
    near = [p for p in POINTS if p.records == 5 and chance(p) > mpmath.mpf("0.0002")]
    assert len(near) == 7
    assert all(statement.at(p) is Truth.TRUE for p in near)
    bind_formula(statement, [attrs.evolve(p, records=n) for p in POINTS[:9] for n in (3, 4, 5)], chance)
    inside = near[0]
    outside = {
        "records >= 1, an integer": attrs.evolve(inside, records=0),
        "columns >= 2, an integer": attrs.evolve(inside, columns=1),
        "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(inside, rows=2),
        "delta_max >= 0": attrs.evolve(inside, delta_max=-1),
        "centre >= 0": attrs.evolve(inside, centre=-1),
        "centre <= 1": attrs.evolve(inside, centre=2),
    }
    bind_hypotheses(statement, inside, outside)
    assert statement.strict
