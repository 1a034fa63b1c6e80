"""Section 3 of `sliding-window`: the Loewner order of second moments, and of their sketches."""

from __future__ import annotations

from itertools import product

import attrs
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import sketch_order as module
from dpmatrix.spec.sliding_window.sketch_order import NestedStamps
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream

lemma_1 = cite("sliding-window.lemma-1@f88d96fe")

PLANE = NestedStamps(fmpq_mat([[1, 2], [0, 3], [2, -1], [4, 4]]), 2, 3)
LINE = NestedStamps(fmpq_mat([[2], [0], [3]]), 1, 1)


@lemma_1.supports("nested-moments", grade="derived", region="every stream and stamps: a sum of a_s'a_s")
def test_nested_moments_are_in_order(statement) -> None:
    """K(i) - K(j) is the sum of a_s'a_s over t_i <= s < t_j, and u'a'au = (a u)^2. In the line it is bound."""
    values = [
        (NestedStamps(fmpq_mat([[fmpq(e, 2)] for e in rows]), one, two), sum(e**2 for e in rows[one - 1 : two - 1]))
        for rows in ((1, 2, 3, 0), (0, 0, 5, 7), (4, 1, 0, 2))
        for one, two in product(range(1, 5), repeat=2)
        if one <= two
    ]
    bind(statement, ((p, min(fmpq(1), fmpq(total, 4))) for p, total in values))
    assert all(statement.at(p) is Truth.TRUE for p, _ in (*values, (PLANE, 0), (LINE, 0)))
    assert not statement.strict
    outside = {
        "earlier >= 1, an integer": attrs.evolve(PLANE, earlier=0),
        "later >= 1, an integer": attrs.evolve(PLANE, later=0),
        "t_i <= t_j": attrs.evolve(PLANE, earlier=4),
    }
    for inside in (PLANE, LINE):
        bind_hypotheses(statement, inside, outside)


@lemma_1.controls("nested-moments", grade="symbolic", region="stamps in the other order; rows from the first on")
def test_the_order_of_stamps_matters(statement) -> None:
    assert statement.without("t_i <= t_j").at(attrs.evolve(PLANE, earlier=4)) is Truth.FALSE
    between = module.between
    backwards = redefined(statement, module, "between", lambda rows, first, _: between(rows, 1, first))
    assert backwards.at(PLANE) is Truth.FALSE


CANCELLED = SketchedStream(fmpq_mat([[1], [1]]), fmpq_mat([[1]]), fmpq_mat([[-1], [1]]), 1, 2)
"""Sketches 1 + 1 of the newest row, and 1 - 1 + 1 of both."""


@lemma_1.refutes("sketches-in-order", grade="symbolic", region="d = m = 1, rows 1, 1: every g_1 between -4 and 0")
def test_sketches_need_no_order(statement) -> None:
    """The sketches are 1 + g_2 and 1 + g_1 + g_2; at g_2 = 1 the order asks for 4 <= (2 + g_1)^2."""
    values = [
        (attrs.evolve(CANCELLED, coins=fmpq_mat([[fmpq(k, 4)], [1]])), (2 + fmpq(k, 4)) ** 2 - 4) for k in range(-20, 9)
    ]
    bind(statement, ((p, min(fmpq(1), slack)) for p, slack in values))
    for p, slack in values:
        assert statement.at(p) is (Truth.TRUE if slack >= 0 else Truth.FALSE)
    wide = SketchedStream(fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[-1, 0], [0, 1]]), 1, 2)
    assert statement.at(wide) is Truth.FALSE
    assert not statement.strict
    outside = {
        "window >= 1, an integer": attrs.evolve(CANCELLED, window=0),
        "Phi is m x d and every g has length m": attrs.evolve(CANCELLED, coins=fmpq_mat([[1]])),
        "Update-Approx spares the first and the newest checkpoint": attrs.evolve(CANCELLED, deleted=((2, 2),)),
    }
    for inside in (CANCELLED, wide, attrs.evolve(CANCELLED, window=1)):
        bind_hypotheses(statement, inside, outside)
