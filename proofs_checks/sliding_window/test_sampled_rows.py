"""Appendix A of `sliding-window`: a sample of rows by their leverage scores tells about other rows."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.sampled_rows import SampledRow

definition_1 = cite("sliding-window.definition-1@e54f71e9")

SMALL, LARGE, HALF = Fraction(1, 50), Fraction(49, 50), Fraction(1, 2)
SHORT = SampledRow(Fraction(1, 10), 3, 1, HALF)


@definition_1.supports(
    "sampled-rows",
    grade="derived",
    region="every C >= 1, eps and delta: with 0 before it the row y is always kept, with 1 before it it is often not",
)
def test_a_sample_of_rows_is_not_private(statement) -> None:
    """With the row 0 before it y has the score y^2/y^2 = 1, and is dropped with probability 0.

    With 1 before it the score is y^2/(1 + y^2) <= y^2, so it is dropped with probability 1 - C y^2 >= delta at least.
    The rows 0 and 1 differ by norm 1.
    """
    y, c, delta = sympy.symbols("y c delta", positive=True)
    slack = 1 - c * y**2 / (1 + y**2) - (1 - c * y**2)
    assert sympy.simplify(slack - c * y**4 / (1 + y**2)) == 0
    assert sympy.simplify((1 - c * y**2).subs(y, sympy.sqrt((1 - delta) / c)) - delta) == 0
    values = []
    with mpmath.workdps(60):
        for row, many, epsilon in product((HALF, Fraction(1, 3), 2), (SMALL, HALF, 1, 3, 9), (0, SMALL, 1)):
            kept = min(Fraction(1), many * Fraction(row) ** 2 / (1 + Fraction(row) ** 2))
            gap = real(1 - kept) - mpmath.exp(real(epsilon)) * real(1 - min(1, many))
            margin = max(mpmath.mpf(0), gap) - mpmath.mpf(1) / 3
            values.append((SampledRow(row, many, epsilon, Fraction(1, 3)), mpmath.nstr(margin, 50)))
    bind(statement, values)
    for many, epsilon, delta in product((1, 2, 100), (0, 1, 50), (SMALL, HALF, LARGE)):
        root = Fraction(1, 100) if delta == LARGE else Fraction(1, 10) / many
        assert statement.at(SampledRow(root, many, epsilon, delta)) is Truth.TRUE
    long = attrs.evolve(SHORT, row=1)
    outside = {
        "row > 0": attrs.evolve(SHORT, row=0),
        "oversampling >= 1": attrs.evolve(SHORT, oversampling=LARGE),
        "epsilon >= 0": attrs.evolve(SHORT, epsilon=-SMALL),
        "delta > 0": attrs.evolve(SHORT, delta=0),
        "delta < 1": attrs.evolve(SHORT, delta=1),
        "y^2 <= (1 - delta)/C": long,
    }
    for inside in (SHORT, SampledRow(SMALL, 1, 0, SMALL), SampledRow(SMALL, 9, 50, LARGE)):
        bind_hypotheses(statement, inside, outside)
    assert statement.conclusion(long) is Truth.FALSE, "three times 1/2 is more than 1: it is kept"
    assert statement.applies(SampledRow(HALF, 1, 1, Fraction(19, 25))) is Truth.FALSE
    assert statement.applies(SampledRow(HALF, 1, 1, Fraction(3, 4))) is Truth.TRUE, "equality"
    assert not statement.strict
