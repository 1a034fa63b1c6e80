"""Mechanisms on two and three databases with rational laws, and their margins computed without the specification."""

from __future__ import annotations

from itertools import product

from flint import arb, fmpq

from dpmatrix.spec.compression.restricted_neighbours import FiniteMechanism

HALF, ONE, NIL = fmpq(1, 2), fmpq(1), fmpq(0)
LAWS = [(ONE, NIL), (NIL, ONE), (HALF, HALF), (fmpq(1, 3), fmpq(2, 3)), (fmpq(3, 4), fmpq(1, 4))]
SHORT = (HALF, fmpq(1, 3))
EVERY_TABLE = "every table: the docstring's argument; those of 108 tables that meet the hypotheses exactly"


def pair(first, second, *, factor=ONE, rows=1, distance=NIL, constraint=NIL, chosen=(True, True)) -> FiniteMechanism:
    """Build two databases with the given laws."""
    return FiniteMechanism(
        (first, second), ((0, rows), (rows, 0)), ((NIL, distance), (distance, NIL)), chosen, factor, constraint
    )


def tables() -> list[FiniteMechanism]:
    """Three databases in a row: neighbours 0-1 and 1-2 at distances 1/4 and 1/2, and 0-2 two rows apart."""
    rows = ((0, 1, 2), (1, 0, 1), (2, 1, 0))
    distances = ((NIL, fmpq(1, 4), fmpq(3, 4)), (fmpq(1, 4), NIL, HALF), (fmpq(3, 4), HALF, NIL))
    return [
        FiniteMechanism((a, b, c), rows, distances, chosen, factor, constraint)
        for (a, b, c), factor, constraint, chosen in product(
            [(LAWS[2], LAWS[3], LAWS[4]), (LAWS[2], LAWS[2], LAWS[0]), (LAWS[4], LAWS[3], LAWS[1]), (LAWS[1],) * 3],
            (fmpq(1), fmpq(2), fmpq(3)),
            (fmpq(1, 4), HALF, fmpq(3, 4)),
            ((True, True, True), (True, False, True), (False, True, True)),
        )
    ]


def least(p: FiniteMechanism, wanted, factor) -> arb:
    """Least of E q - p over the wanted pairs, computed without the specification."""
    found = arb("inf")
    for i, first in enumerate(p.kernel):
        for j, second in enumerate(p.kernel):
            if i == j or not wanted(i, j):
                continue
            for a, b in zip(first, second, strict=True):
                found = found.min(arb(factor * b - a))
    return found


def worst_event(p: FiniteMechanism, wanted) -> arb:
    """Minus the largest excess of an event over the wanted pairs: positive excesses add up, else the largest counts."""
    found = arb("inf")
    for i, first in enumerate(p.kernel):
        for j, second in enumerate(p.kernel):
            if i != j and wanted(i, j):
                excess = [a - p.exponential * b for a, b in zip(first, second, strict=True)]
                total = sum((value for value in excess if value > 0), fmpq(0))
                found = found.min(-arb(total if total > 0 else max(excess)))
    return found


def assert_margin(statement, formula) -> None:
    """Compare the margin with a formula on every table, also where it is infinite, and evaluate the statement."""
    different = set()
    for p in tables():
        expected = formula(p)
        statement.conclusion(p)
        different.add(str(expected))
        same = abs(statement.margin(p) - expected) < arb(2) ** -40
        assert same if expected.is_finite() else statement.margin(p) == expected, p
    assert len(different) >= 4


def neighbours(p):
    return lambda i, j: p.rows_changed[i][j] == 1 and p.distances[i][j] <= p.constraint


IDENTITY = pair((ONE, NIL), (NIL, ONE), distance=ONE, constraint=HALF)
