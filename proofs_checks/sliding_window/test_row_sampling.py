"""Rows chosen by leverage scores in `sliding-window`, and rows that have left the window."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.row_sampling import NewRow, OnlineRow, SampledRow, SummedStreams

neighbours = cite("sliding-window.neighbours@41bd648b")

SMALL = Fraction(1, 50)


def number(value) -> fmpq_mat:
    """Return a 1 x 1 matrix."""
    return fmpq_mat([[rational(value)]])


def column(*values) -> fmpq_mat:
    """Return a matrix of one column."""
    return fmpq_mat([[rational(value)] for value in values])


NEW = NewRow(column(1), 1, number(1), Fraction(1, 3))
CORNER = NewRow(fmpq_mat([[1, 0], [0, 1], [0, 0]]), 2, fmpq_mat([[0, 1]]), Fraction(1, 3))


@neighbours.refutes(
    "leverage-scores", grade="derived", region="every g in (0, 1): the row g/2, and a new row 1; the plane likewise"
)
def test_a_new_row_changes_a_score_by_any_amount(statement) -> None:
    """Every g: the score of the row s falls from 1 to s^2/(s^2 + 1), by 1/(1 + s^2) >= 1 - s^2 > 1 - g at s = g/2."""

    def short(gap):
        return NewRow(column(rational(gap) / 2), 1, number(1), gap)

    statement.refute(short)
    s = sympy.symbols("s", positive=True)
    assert sympy.simplify(1 / (1 + s**2) - (1 - s**2) - s**4 / (1 + s**2)) == 0
    values = []
    for a, b, new, gap in product((Fraction(1, 3), 2), (0, 1, 5), (0, Fraction(1, 2), 1), (SMALL, Fraction(2, 3))):
        before, after = a**2 / Fraction(a**2 + b**2), a**2 / Fraction(a**2 + b**2 + new**2)
        values.append((NewRow(column(a, b), 1, number(new), gap), 1 - gap - (before - after)))
    bind(statement, values)
    assert statement.at(NEW) is Truth.TRUE, "1/2 is below 2/3"
    assert statement.at(attrs.evolve(NEW, gap=Fraction(51, 100))) is Truth.FALSE
    assert statement.at(CORNER) is Truth.TRUE
    assert statement.at(attrs.evolve(CORNER, gap=Fraction(51, 100))) is Truth.FALSE
    assert not statement.strict
    outside = {
        "place >= 1, an integer": attrs.evolve(NEW, place=0),
        "there is such a row": attrs.evolve(NEW, place=2),
        "A has full column rank": attrs.evolve(NEW, rows=column(0)),
        "the new row has norm at most 1": attrs.evolve(NEW, added=number(Fraction(51, 50))),
    }
    for inside in (NEW, CORNER):
        bind_hypotheses(statement, inside, outside)


KEPT = SampledRow(column(1, 3), 1, 4, 1)


@neighbours.refutes("sampled-moment", grade="derived", region="s = 4: every c, by the rows 1 and M = 2 (1 + c)")
def test_a_sampled_row_weighs_as_much_as_all(statement) -> None:
    """Every c: the score of the row 1 is 1/(1 + M^2), four times that is below 1, and 1/p = (1 + M^2)/4 > (1 + c)^2."""

    def long_other(constant):
        return attrs.evolve(KEPT, rows=column(1, 2 * (1 + rational(constant))), constant=constant)

    statement.refute(long_other)
    values = []
    for a, b, s, c in product((Fraction(1, 2), 1), (0, 1, 7), (1, 4, Fraction(21, 2)), (1, 9)):
        values.append((SampledRow(column(a, b), 1, s, c), c - max(Fraction(a) ** 2, Fraction(a * a + b * b) / s)))
    bind(statement, values)
    many = SampledRow(column(*[1] * 12), 5, 1, 12)
    assert statement.at(many) is Truth.TRUE, "twelve rows of norm 1: one that is kept weighs 12"
    assert statement.at(attrs.evolve(many, constant=11)) is Truth.FALSE
    assert statement.at(attrs.evolve(many, constant=11, oversampling=Fraction(6, 5))) is Truth.TRUE
    assert not statement.strict
    outside = {
        "place >= 1, an integer": attrs.evolve(KEPT, place=0),
        "there is such a row": attrs.evolve(KEPT, place=3),
        "A has full column rank": attrs.evolve(KEPT, rows=column(0, 0)),
        "the row has norm at most 1": attrs.evolve(KEPT, place=2),
        "oversampling >= 1": attrs.evolve(KEPT, oversampling=Fraction(49, 50)),
    }
    for inside in (KEPT, attrs.evolve(KEPT, oversampling=1), attrs.evolve(KEPT, rows=column(SMALL, 1))):
        bind_hypotheses(statement, inside, outside)


ONLINE = OnlineRow(column(2), number(2), number(0), 1, 1)


@neighbours.refutes("online-chances", grade="derived", region="s = 1: every c, by the earlier row x = 1/(2 (1 + c))")
def test_online_chances_are_not_lipschitz(statement) -> None:
    """Every c: behind the row x the row x is kept with chance 1/2 and the row 0 never, and c x < 1/2."""

    def steep(constant):
        x = 1 / (2 * (1 + rational(constant)))
        return OnlineRow(column(x), number(x), number(0), 1, constant)

    statement.refute(steep)
    values = []
    for e, a, b, s in product((Fraction(1, 2), 3), (0, 1, 4), (-1, 0, 2), (1, Fraction(5, 2))):
        one, two = (min(Fraction(1), s * x * x / Fraction(x * x + e * e)) for x in (a, b))
        values.append((OnlineRow(column(e), number(a), number(b), s, 2), 2 * abs(a - b) - abs(one - two)))
    bind(statement, values)
    assert statement.at(ONLINE) is Truth.TRUE
    assert statement.at(attrs.evolve(ONLINE, constant=Fraction(24, 100))) is Truth.FALSE, "1/2 over the distance 2"
    assert statement.at(attrs.evolve(ONLINE, constant=Fraction(26, 100))) is Truth.TRUE
    assert not statement.strict
    outside = {
        "the earlier rows have full column rank": attrs.evolve(ONLINE, earlier=column(0)),
        "oversampling >= 1": attrs.evolve(ONLINE, oversampling=Fraction(49, 50)),
    }
    for inside in (ONLINE, attrs.evolve(ONLINE, oversampling=Fraction(51, 50))):
        bind_hypotheses(statement, inside, outside)


SWAPPED = SummedStreams(fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[0, 1], [1, 0]]), 1)


@neighbours.refutes("expired-rows", grade="symbolic", region="W = 1: rows e_1, e_2 in both orders; 25 pairs of numbers")
def test_a_sum_forgets_the_order(statement) -> None:
    assert statement.at(SWAPPED) is Truth.FALSE
    values = [
        (SummedStreams(column(a, b), column(b, a), 1), -abs(a * a - b * b)) for a, b in product(range(5), repeat=2)
    ]
    bind(statement, values)
    for p, value in values:
        assert statement.at(p) is (Truth.TRUE if value == 0 else Truth.FALSE)
    assert statement.at(attrs.evolve(SWAPPED, window=2)) is Truth.TRUE, "nothing has expired"
    assert not statement.strict
    outside = {
        "window >= 1, an integer": attrs.evolve(SWAPPED, window=0),
        "A'A is the same for both streams, of one length": attrs.evolve(SWAPPED, other=fmpq_mat([[0, 1], [0, 1]])),
    }
    for inside in (SWAPPED, values[1][0]):
        bind_hypotheses(statement, inside, outside)
    longer = attrs.evolve(SWAPPED, other=fmpq_mat([[0, 1], [1, 0], [0, 0]]))
    assert statement.applies(longer) is Truth.FALSE
