"""Figure 2 of `near-optimal`: stationary laws of chains."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import chain_laws
from dpmatrix.spec.near_optimal.chain_laws import Table, TwoStates, redrawn
from proofs_checks.near_optimal.conditions import bind_condition

figure_2 = cite("near-optimal.figure-2@11916ec4")

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
TABLES = [
    Table(tuple(tuple(Fraction(1 + (i * a + j * b) % 5, 40) for j in range(columns)) for i in range(rows)))
    for rows, columns in product((1, 2, 3), (1, 2, 4))
    for a, b in ((1, 2), (2, 3), (3, 1))
]
TABLE = "a table of positive chances"


@figure_2.supports(
    "stationary-law-of-gibbs",
    grade="derived",
    region="every law of two parts: the docstring; 27 tables of up to 3 by 4 chances, exactly",
)
def test_a_part_drawn_given_the_rest_keeps_the_law(statement) -> None:
    """What leads to (i, j) is sum_k p(k, j) p(i, j)/c(j), c(j) = sum_k p(k, j): p(i, j) again, whatever p is.

    For a density the sums are integrals. The parts may themselves consist of many, such as all other columns.
    """
    p = sympy.symbols("p:3", positive=True)
    assert sympy.simplify(sum(value * p[0] / sum(p) for value in p) - p[0]) == 0
    bind(statement, [(table, Fraction(0)) for table in TABLES])
    assert all(statement.at(table) is Truth.TRUE for table in TABLES)
    uneven = Table(((HALF, THIRD), (THIRD,)))
    bind_hypotheses(statement, TABLES[-1], {TABLE: Table(((HALF, Fraction(0)),))})
    least = [(table, min(value for row in table.chances for value in row)) for table in TABLES]
    bind_condition(statement, TABLE, [*least, (uneven, -1), (Table(((),)), -1), (Table(()), -1)], strict=True)
    assert not statement.strict


@figure_2.controls(
    "stationary-law-of-gibbs",
    grade="symbolic",
    region="28 tables: drawn from its law without the rest, the error exactly",
)
def test_drawn_without_the_rest_the_law_changes(statement) -> None:
    table = Table(((HALF, Fraction(1, 10)), (Fraction(1, 10), Fraction(3, 10))))
    assert redrawn(table) == [[fmpq(1, 2), fmpq(1, 10)], [fmpq(1, 10), fmpq(3, 10)]]
    assert without_the_rest(table) == [[Fraction(9, 25), Fraction(6, 25)], [Fraction(6, 25), Fraction(4, 25)]]

    def independent(p: Table) -> list[list[fmpq]]:
        return [[fmpq(value.numerator, value.denominator) for value in row] for row in without_the_rest(p)]

    changed = redefined(statement, chain_laws, "redrawn", independent)
    assert changed.at(table) is Truth.FALSE
    places = [(p, [(i, j) for i, row in enumerate(p.chances) for j in range(len(row))]) for p in TABLES]
    errors = [(p, max(abs(p.chances[i][j] - without_the_rest(p)[i][j]) for i, j in found)) for p, found in places]
    bind(changed, [(p, -error) for p, error in errors])


def without_the_rest(p: Table) -> list[list[Fraction]]:
    """Products of the chances of the two parts."""
    rows, columns = [sum(row) for row in p.chances], [sum(column) for column in zip(*p.chances, strict=True)]
    return [[row * column / sum(rows) for column in columns] for row in rows]


CHAINS = [
    TwoStates(a, b, start, steps)
    for a, b, start, steps in product(
        (THIRD, Fraction(1, 2), 1), (HALF, Fraction(3, 4)), (0, Fraction(1, 5)), (0, 1, 4)
    )
]
AFRESH = TwoStates(THIRD, Fraction(2, 3), 1, 1)


@figure_2.supports(
    "only-in-the-limit",
    grade="derived",
    region="every chain of two states: the docstring, one step with symbols; 24 chains and steps, exactly",
)
@figure_2.controls("only-in-the-limit", grade="symbolic", region="two states, drawn afresh in every step")
def test_a_chain_with_memory_has_its_law_in_the_limit_only(statement) -> None:
    """A step multiplies the distance from the stationary chance by 1 - leave - back, which is not 0: nor is a power.

    It is below 1 in absolute value unless both states are left for certain, so that the law is had in the limit.
    """
    leave, back, chance = sympy.symbols("leave back chance", positive=True)
    law = back / (leave + back)
    after = chance * (1 - leave) + (1 - chance) * back
    assert sympy.simplify(after - law - (1 - leave - back) * (chance - law)) == 0

    def far(p: TwoStates) -> Fraction:
        return abs(p.start - Fraction(p.back) / (p.leave + p.back))

    independent = "leave + back is not 1"
    bind(statement, [(p, far(p) * abs(1 - p.leave - p.back) ** p.steps) for p in CHAINS])
    bind_condition(statement, "the start is not stationary", [(p, far(p)) for p in CHAINS], strict=True)
    bind_condition(statement, independent, [(p, abs(1 - p.leave - p.back)) for p in CHAINS], strict=True)
    held = [p for p in CHAINS if statement.applies(p) is Truth.TRUE]
    assert len(held) >= 15
    assert all(statement.at(p) is Truth.TRUE for p in held)
    inside = TwoStates(Fraction(1, 20), Fraction(1, 20), 1, 0)
    outside = {
        "leave > 0": attrs.evolve(inside, leave=0),
        "leave <= 1": attrs.evolve(inside, leave=Fraction(21, 20)),
        "back > 0": attrs.evolve(inside, back=0),
        "back <= 1": attrs.evolve(inside, back=Fraction(21, 20)),
        "steps >= 0, an integer": attrs.evolve(inside, steps=-1),
        "the start is not stationary": attrs.evolve(inside, start=HALF),
        independent: attrs.evolve(inside, back=Fraction(19, 20), steps=1),
    }
    bind_hypotheses(statement, inside, outside)
    for says in ("the start is not stationary", independent):
        assert statement.without(says).at(outside[says]) is Truth.FALSE
    for steps in (1, 2, 7):
        afresh = attrs.evolve(AFRESH, steps=steps)
        assert statement.applies(afresh) is Truth.FALSE
        assert statement.without(independent).at(afresh) is Truth.FALSE
        assert statement.at(attrs.evolve(AFRESH, back=HALF, steps=steps)) is Truth.TRUE
    assert statement.without(independent).at(attrs.evolve(AFRESH, steps=0)) is Truth.TRUE
    assert statement.at(attrs.evolve(inside, leave=1, back=1, steps=4)) is Truth.TRUE, "it changes from state to state"
    assert statement.strict
