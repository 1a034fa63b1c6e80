"""Theorem 17 of `sliding-window`, item 2: no private algorithm has an error without a factor for rows of any length."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.one_row_windows import NeighbouringTrees, additive_unit
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.guarantees import CONFUSION, DELTA, EPSILON
from proofs_checks.sliding_window.one_row_outputs import whole_above

theorem_17 = cite("sliding-window.theorem-17@96889bd7")

MILLIONTH = Fraction(1, 10**6)
ROWS = NeighbouringTrees(1, 1, MILLIONTH, 2, 530, 1, 1, Fraction(1, 4))


@theorem_17.refutes(
    "item-2-privately",
    grade="derived",
    region="eps = 1, delta = 10^-6, d = 1 and 2, W = 2 and 1000, beta up to 1/4: every c and C by a long row",
)
def test_no_private_algorithm_errs_so_little(statement) -> None:
    """Right answers for M end at M^2 + C tau log tau, and those for M + 1 begin at M^2 + 2M + 1 - c tau log tau.

    So none is right for both once 2M + 1 > (c + C) tau log tau; being right for M alone is then an event of probability
    1 - beta for M and at most beta for M + 1, and 1/4 < (1 - delta)/(1 + e).
    """

    def family(point, lower, upper):
        allowed = (rational(lower) + rational(upper)) * whole_above(additive_unit(point).upper().fmpq() / 2)
        return attrs.evolve(point, lower=lower, upper=upper, row=allowed)

    for d, window, failure in product((1, 2), (2, 1000), (0, Fraction(1, 4))):
        point = attrs.evolve(ROWS, dimension=d, window=window, failure=failure)
        statement.refute(lambda lower, upper, point=point: family(point, lower, upper))
    assert statement.at(ROWS) is Truth.FALSE
    assert statement.at(attrs.evolve(ROWS, failure=Fraction(27, 100))) is Truth.TRUE, "1/(1 + e) = 0.2689"
    assert 0 < -statement.margin(attrs.evolve(ROWS, failure=0, epsilon=1)) < 1
    for row in (0, 500, 528):
        assert statement.at(attrs.evolve(ROWS, row=row)) is Truth.TRUE
    least = next(m for m in range(500, 600) if statement.conclusion(attrs.evolve(ROWS, row=m)) is Truth.FALSE)
    theorem_17.tells("from M = {} on for W = {}", least, ROWS.window)
    dimension, window, row, lower, upper = sympy.symbols("dimension window row lower upper")
    tau = (dimension + 14 * sympy.log(1 / DELTA) / EPSILON**2) * sympy.log(window) ** sympy.Rational(3, 2)
    shared = (lower + upper) * tau * sympy.log(tau) - 2 * row - 1
    bind_expression(statement, sympy.Max(shared, CONFUSION))
    assert not statement.strict
    outside = {
        "dimension >= 1, an integer": attrs.evolve(ROWS, dimension=0),
        "epsilon > 0": attrs.evolve(ROWS, epsilon=0),
        "delta > 0": attrs.evolve(ROWS, delta=0),
        "delta < 1": attrs.evolve(ROWS, delta=1),
        "window >= 2, an integer": attrs.evolve(ROWS, window=1),
        "row >= 0": attrs.evolve(ROWS, row=-1),
        "failure >= 0": attrs.evolve(ROWS, failure=-1),
    }
    for inside in (ROWS, attrs.evolve(ROWS, row=0, failure=0), attrs.evolve(ROWS, epsilon=Fraction(1, 50))):
        bind_hypotheses(statement, inside, outside)
    bind_hypotheses(statement, attrs.evolve(ROWS, delta=Fraction(49, 50)), outside)
