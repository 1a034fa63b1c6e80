"""What a sketch of `sliding-window` says of one direction, in every dimension."""

from __future__ import annotations

from itertools import product

import attrs
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import queried_sketch as module
from dpmatrix.spec.sliding_window.queried_sketch import QueriedSketch
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream

theorem_5 = cite("sliding-window.theorem-5@cffb2333")


def unit(width: int) -> fmpq_mat:
    """(3/5, 4/5, 0, ...), or 1."""
    entries = [fmpq(1)] if width == 1 else [fmpq(3, 5), fmpq(4, 5), *[fmpq(0)] * (width - 2)]
    return fmpq_mat(width, 1, entries)


def queried(size: int, width: int, total: int, stamp: int) -> QueriedSketch:
    """Rows, Phi and variates of small rationals."""
    rows = fmpq_mat(total, width, [fmpq(i * i % 7 - 3, 2) for i in range(total * width)])
    base = fmpq_mat(size, width, [fmpq(i % 5 - 2, 3) for i in range(size * width)])
    coins = fmpq_mat(total, size, [i * i % 11 - 5 for i in range(total * size)])
    return QueriedSketch(SketchedStream(rows, base, coins, fmpq(7, 2), total), stamp, unit(width))


ASKED = queried(4, 3, 5, 2)
SHAPES = "Phi, every g and x have the lengths that they should"


@theorem_5.supports("dimension-free", grade="derived", region="every m, d, stream and unit x, at a fixed t_1")
def test_one_direction_is_free_of_the_dimension(statement) -> None:
    """A~ = sigma Phi + sum g_t'a_t from t_1 on, so A~x = Phi (sigma x) + sum g_t'(a_t x).

    Columns of Phi and the g' are independent with one Gaussian law, and a sum of such vectors with coefficients w has
    the law of |w| g: |A~x|^2 has that of (sigma^2 + |Ax|^2)|g|^2, for |x| = 1. M and sigma are those of r and eta.
    """
    points = [
        queried(size, width, total, stamp)
        for size, width, (total, stamp) in product((1, 4, 9), (1, 2, 6), ((1, 1), (3, 1), (5, 4)))
    ]
    bind(statement, ((p, 0) for p in points))
    assert all(statement.at(p) is Truth.TRUE for p in (*points, ASKED))
    assert not statement.strict
    outside = {
        SHAPES: attrs.evolve(ASKED, query=unit(2)),
        "stamp >= 1, an integer": attrs.evolve(ASKED, stamp=0),
        "|x| = 1": attrs.evolve(ASKED, query=unit(3) * fmpq(51, 50)),
    }
    for inside in (ASKED, queried(1, 1, 1, 1), attrs.evolve(ASKED, query=-unit(3))):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(attrs.evolve(ASKED, query=unit(3) * fmpq(49, 50))) is Truth.FALSE
    assert statement.applies(attrs.evolve(ASKED, run=attrs.evolve(ASKED.run, base=fmpq_mat([[1]])))) is Truth.FALSE


@theorem_5.controls("dimension-free", grade="symbolic", region="a longer x; sigma for sigma x; the rows of all times")
def test_other_coefficients_are_noticed(statement) -> None:
    loose, twice = statement.without("|x| = 1"), attrs.evolve(ASKED, query=2 * unit(3))
    assert loose.at(twice) is Truth.FALSE
    assert loose.margin(twice) == -3 * fmpq(7, 2) ** 2, "(2 sigma)^2 for sigma^2"
    found = module.coefficients
    plain = attrs.evolve(ASKED, run=attrs.evolve(ASKED.run, floor=1))
    flat = redefined(statement, module, "coefficients", lambda p: found(attrs.evolve(p, run=plain.run)))
    assert flat.at(ASKED) is Truth.FALSE
    between = module.between
    older = redefined(statement, module, "between", lambda rows, _, last: between(rows, 1, last))
    assert older.at(ASKED) is Truth.FALSE
