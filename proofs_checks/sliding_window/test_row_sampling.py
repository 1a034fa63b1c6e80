"""Rows chosen by leverage scores in `sliding-window`, and rows that have left the window."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.row_sampling import MovedRow, OnlineRow, SampledRow, ShortRow

neighbours = cite("sliding-window.neighbours@3e2bb28e")

SMALL = Fraction(1, 50)
NUMBERS = (SMALL, Fraction(1, 3), 1, Fraction(5, 2), 40)


@neighbours.supports("leverage-scores", grade="derived", region="every g > 0: the row g/2, and a new row 1")
def test_a_new_row_changes_a_score_by_any_amount(statement) -> None:
    """The score of s = g/2 falls from 1 to s^2/(s^2 + 1), by 1/(1 + s^2) > 1 - 2s, for 2s^2 - s + 2 > 0."""
    s = sympy.symbols("s", positive=True)
    assert sympy.simplify((1 / (1 + s**2) - (1 - 2 * s)) * (1 + s**2) - s * (2 * s**2 - s + 2)) == 0
    assert sympy.discriminant(2 * s**2 - s + 2, s) < 0, "the second factor is positive"
    gaps = [Fraction(k, 10) for k in range(1, 26)]
    bind(statement, [(ShortRow(g), 4 / (4 + g**2) - 1 + g) for g in gaps])
    assert all(statement.at(ShortRow(g)) is Truth.TRUE for g in (SMALL, *gaps, 40))
    assert statement.strict
    for inside in (ShortRow(SMALL), ShortRow(1)):
        bind_hypotheses(statement, inside, {"gap > 0": ShortRow(0)})


@neighbours.controls("leverage-scores", grade="symbolic", region="g = -1; 1 - g/10 for 1 - g")
def test_a_larger_change_of_a_score_is_noticed(statement) -> None:
    assert statement.without("gap > 0").at(ShortRow(-1)) is Truth.FALSE
    more = statement.nudged(margin=lambda p: statement.formula(p) - ball(p.gap) * 9 / 10)
    assert more.at(ShortRow(1)) is Truth.FALSE, "4/5 is below 9/10"


@neighbours.supports("sampled-moment", grade="derived", region="every s > 0 and c: the rows 1 and s (1 + c)")
def test_a_sampled_row_weighs_as_much_as_all(statement) -> None:
    """1/p is the larger of 1 and 1/s + s (1 + c)^2 >= 2 |1 + c|: above c for c < 1, and for c > -1 as 2 + 2c > c."""
    s, c = sympy.symbols("s c", positive=True)
    square = (1 - s * (1 + c)) ** 2 / s
    assert sympy.simplify(1 / s + s * (1 + c) ** 2 - 2 * (1 + c) - square) == 0
    values = []
    for s, c in product(NUMBERS, (-3, -1, 0, Fraction(1, 2), 1, 9)):
        exact = max(Fraction(1), (1 + (Fraction(s) * (1 + c)) ** 2) / Fraction(s)) - c
        values.append((SampledRow(s, c), exact))
    bind(statement, values)
    assert all(statement.at(p) is Truth.TRUE for p, _ in values)
    assert statement.strict
    for inside in (SampledRow(1, 1), SampledRow(SMALL, 0)):
        for below in (-SMALL, 0):
            bind_hypotheses(statement, inside, {"oversampling > 0": attrs.evolve(inside, oversampling=below)})


@neighbours.controls("sampled-moment", grade="symbolic", region="s < 0; five c for c")
def test_a_larger_part_is_noticed(statement) -> None:
    assert statement.without("oversampling > 0").at(SampledRow(-1, 1)) is Truth.FALSE, "a negative chance"
    more = statement.nudged(margin=lambda p: statement.formula(p) - 4 * ball(p.constant))
    assert more.at(SampledRow(1, 1)) is Truth.FALSE, "1 + 4 is not above 5"
    assert more.at(SampledRow(1, 9)) is Truth.TRUE


@neighbours.supports("online-chances", grade="derived", region="every s >= 1 and c: the earlier row x = 1/(2 + c^2)")
def test_online_chances_are_not_lipschitz(statement) -> None:
    """Behind the row x the row x is kept with chance min(1, s/2) >= 1/2, the row 0 never, and c x < 1/2."""
    c = sympy.symbols("c", real=True)
    assert sympy.simplify(sympy.Rational(1, 2) - c / (2 + c**2) - ((c - 1) ** 2 + 1) / (2 * (2 + c**2))) == 0
    values = []
    for s, c in product((1, Fraction(3, 2), 2, Fraction(21, 2)), (-4, 0, SMALL, Fraction(1, 2), 1, 9, 100)):
        values.append((OnlineRow(s, c), min(Fraction(1), Fraction(s) / 2) - Fraction(c) / (2 + Fraction(c) ** 2)))
    bind(statement, values)
    assert all(statement.at(p) is Truth.TRUE for p, _ in values)
    assert statement.strict
    for inside in (OnlineRow(1, 1), OnlineRow(Fraction(51, 50), 9)):
        bind_hypotheses(statement, inside, {"oversampling >= 1": attrs.evolve(inside, oversampling=Fraction(49, 50))})


@neighbours.controls("online-chances", grade="symbolic", region="s = 1/2; the distance doubled")
def test_a_steeper_chance_is_noticed(statement) -> None:
    assert statement.without("oversampling >= 1").at(OnlineRow(Fraction(1, 2), 1)) is Truth.FALSE, "1/4 against 1/3"

    def doubled(p: OnlineRow):
        c = rational(p.constant)
        return statement.formula(p) - ball(c / (2 + c**2))

    assert statement.nudged(margin=doubled).at(OnlineRow(1, 1)) is Truth.FALSE, "1/2 against 2/3"
    assert statement.nudged(margin=doubled).at(OnlineRow(1, 9)) is Truth.TRUE


ROWS = [fmpq_mat([row]) for row in ([1, 0], [3, fmpq(-1, 2)], [fmpq(1, 50), 0, 0], [2], [-1, 1, 4])]


@neighbours.supports("expired-rows", grade="derived", region="every W >= 1 and b != 0: the norm of b'b is |b|^2")
def test_a_sum_forgets_the_order(statement) -> None:
    """Both sums are b'b. The rows 2, ..., W + 1 are zero in one stream, and have the moment b'b in the other."""
    x, y = sympy.symbols("x y", real=True)
    moment = sympy.Matrix([[x, y]]).T * sympy.Matrix([[x, y]])
    assert sympy.expand(sum(entry**2 for entry in moment) - (x**2 + y**2) ** 2) == 0
    values = [(MovedRow(row, w), sum(e * e for e in row.entries())) for row, w in product(ROWS, (1, 2, 3, 7))]
    bind(statement, values)
    assert all(statement.at(p) is Truth.TRUE for p, _ in values)
    assert statement.strict
    for inside in (MovedRow(ROWS[0], 1), MovedRow(ROWS[2], 3)):
        outside = {
            "window >= 1, an integer": attrs.evolve(inside, window=0),
            "b is not zero": attrs.evolve(inside, row=inside.row * 0),
        }
        bind_hypotheses(statement, inside, outside)


@neighbours.controls("expired-rows", grade="symbolic", region="no row; no window; twice the distance")
def test_equal_windows_are_noticed(statement) -> None:
    assert statement.without("b is not zero").at(MovedRow(fmpq_mat([[0, 0]]), 2)) is Truth.FALSE
    assert statement.without("window >= 1, an integer").at(MovedRow(ROWS[0], 0)) is Truth.FALSE
    farther = statement.nudged(lambda margin: margin - 2)
    assert farther.at(MovedRow(ROWS[0], 1)) is Truth.FALSE
