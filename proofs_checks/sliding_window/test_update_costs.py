"""The space of the naive algorithm of `sliding-window`, and where the time of an update goes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import update_costs as module
from dpmatrix.spec.sliding_window.update_costs import NaiveStore, UpdateRound

theorem_3 = cite("sliding-window.theorem-3@2f1295b8")

STORE = NaiveStore(5, 3, 1, 1)


@theorem_3.supports("naive-space", grade="derived", region="every W, T and d, c = 1: d (d+1)/2 <= d^2 for d >= 1")
def test_space_of_the_naive_algorithm(statement) -> None:
    """C = 1: d^2 - d(d+1)/2 = d(d-1)/2, w times."""
    d = sympy.symbols("d")
    assert sympy.expand(d**2 - d * (d + 1) / 2 - d * (d - 1) / 2) == 0
    stores = [NaiveStore(w, t, d, 1) for w, t, d in product((1, 4, 9), (1, 4, 7), (1, 2, 5))]
    bind(statement, ((p, min(p.window, p.time) * p.dimension * (p.dimension - 1) // 2) for p in stores))
    assert all(statement.at(p) is Truth.TRUE for p in stores)
    assert [one.exhibited for one in statement.exists] == [STORE.constant] == [1]
    assert not statement.strict
    outside = {
        "window >= 1, an integer": attrs.evolve(STORE, window=0),
        "time >= 1, an integer": attrs.evolve(STORE, time=0),
        "dimension >= 1, an integer": attrs.evolve(STORE, dimension=0),
    }
    for inside in (STORE, NaiveStore(1, 1, 1, 1)):
        bind_hypotheses(statement, inside, outside)


@theorem_3.controls(
    "naive-space", grade="symbolic", region="c = 9/10 at d = 1; all W matrices before the window is full"
)
def test_fewer_numbers_are_noticed(statement) -> None:
    less = Fraction(9, 10)
    assert statement.exhibits(constant=less).at(attrs.evolve(STORE, constant=less)) is Truth.FALSE

    def every_window(p: NaiveStore) -> arb:
        return arb(min(p.window, p.time) * p.dimension**2 - p.window * p.dimension * (p.dimension + 1) // 2)

    assert statement.nudged(margin=every_window).at(STORE) is Truth.FALSE


ROUND = UpdateRound(3, 1, 100, 3)


@theorem_3.supports("testing-cost", grade="derived", region="every l, i <= l - 2, m and d >= 3: d (d+1)/2 >= 2d")
def test_tests_cost_more_than_moves(statement) -> None:
    """(l-1-i) m d (d+1)/2 >= 2 (l-1-i) m d >= (l-i) m d, as l - i >= 2; the elimination is beyond that.

    The elimination of a symmetric matrix takes j (j+1)/2 multiplications where j rows are left, d (d^2-1)/6 in all.
    """
    d, j = sympy.symbols("d j", integer=True, positive=True)
    assert sympy.expand(sympy.summation(j * (j + 1) / 2, (j, 1, d - 1)) - d * (d**2 - 1) / 6) == 0
    rounds = [UpdateRound(i + gap, i, m, d) for gap, i, m, d in product((2, 3, 10), (1, 5), (1, 8, 100), (3, 4, 20))]
    values = []
    for p in rounds:
        left, m, d = p.count - p.place, p.rows, p.dimension
        tests = (left - 1) * (Fraction(m * d * (d + 1), 2) + Fraction(d**3 - d, 6))
        values.append((p, tests - left * m * d))
    bind(statement, values)
    assert all(statement.at(p) is Truth.TRUE for p in (*rounds, ROUND))
    assert statement.margin(ROUND) == 4, "604 against 600"
    assert statement.strict
    outside = {
        "place >= 1, an integer": attrs.evolve(ROUND, place=0),
        "i <= l - 2": attrs.evolve(ROUND, place=2),
        "rows >= 1, an integer": attrs.evolve(ROUND, rows=0),
        "dimension >= 3, an integer": attrs.evolve(ROUND, dimension=2),
    }
    for inside in (ROUND, UpdateRound(3, 1, 1, 3)):
        bind_hypotheses(statement, inside, outside)


@theorem_3.controls("testing-cost", grade="symbolic", region="d = 2; one tenth more to move; the last round")
def test_cheaper_tests_are_noticed(statement) -> None:
    assert statement.without("dimension >= 3, an integer").at(attrs.evolve(ROUND, dimension=2)) is Truth.FALSE
    assert statement.without("i <= l - 2").at(attrs.evolve(ROUND, place=2)) is Truth.FALSE, "nothing is tested"
    moved = module.moving_cost
    longer = redefined(statement, module, "moving_cost", lambda p: moved(p) * 11 // 10)
    assert longer.at(ROUND) is Truth.FALSE
