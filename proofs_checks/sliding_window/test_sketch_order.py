"""Section 3 of `sliding-window`: the Loewner order of second moments, and of their sketches."""

from __future__ import annotations

from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import sketch_order as module
from dpmatrix.spec.sliding_window.sketch_order import NestedStamps, RankedStream

lemma_1 = cite("sliding-window.lemma-1@00a8a846")

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


SIZE = 8
CROSSED = RankedStream(
    fmpq_mat([[1, 0], [0, 1]]),
    fmpq_mat(SIZE, 2, [int(i == j) for i in range(SIZE) for j in range(2)]),
    fmpq_mat(2, SIZE, [0, 1] + [0] * (2 * SIZE - 2)),
    1,
    2,
    rank=1,
    eta=fmpq(1, 2),
)
"""Phi has the first two columns of the identity, g_1 is (0, 1, 0, ...) and g_2 is 0."""


def crossed(floor, x, y) -> RankedStream:
    """Give g_1 = (x, y, 0, ...) and the floor sigma."""
    coins = [rational(x), rational(y), *[fmpq(0)] * (2 * SIZE - 2)]
    return attrs.evolve(CROSSED, floor=floor, coins=fmpq_mat(2, SIZE, coins))


def with_a_second_row(p: RankedStream) -> RankedStream:
    """Give g_2 a third entry, which the columns of Phi and g_1 do not have: no moment changes against the other."""
    coins = fmpq_mat(p.coins)
    coins[1, 2] = fmpq(1)
    return attrs.evolve(p, coins=coins)


@lemma_1.refutes(
    "sketches-in-order",
    grade="symbolic",
    region="72 points: r = 1, eta = 1/2, a_1 = e_1, sigma = 1/3, 1, 5, g_1 = (x, y, 0, ...), y != 0, g_2 = 0 or e_3",
)
def test_adjacent_sketches_are_not_comparable(statement) -> None:
    """The older sketch is A~ + g'a, and its moment less that of A~ is u'a + a'u + |g|^2 a'a, with u = gA~.

    Where u is not a multiple of a this is indefinite, and a Gaussian g that A~ knows nothing of makes it so almost
    surely for d >= 2 and a != 0. Here u = sigma (x, y), and the determinant is -sigma^2 y^2.
    """
    sigma, x, y = sympy.symbols("sigma x y", real=True)
    base = sympy.Matrix(SIZE, 2, lambda i, j: int(i == j))
    coins = sympy.Matrix(1, SIZE, [x, y, *[0] * (SIZE - 2)])
    first = sympy.Matrix([[1, 0]])
    newer = sigma * base
    older = newer + coins.T * first
    change = (older.T * older - newer.T * newer).applyfunc(sympy.expand)
    assert change == sympy.Matrix([[2 * sigma * x + x**2 + y**2, sigma * y], [sigma * y, 0]])
    assert change.det() == -(sigma**2) * y**2
    values = []
    for floor, across, along in product((fmpq(1, 3), 1, 5), (-3, fmpq(-1, 2), 0, 2), (-2, 0, fmpq(1, 4), 3)):
        trace = 2 * floor * across + fmpq(across) ** 2 + fmpq(along) ** 2
        values.append((crossed(floor, across, along), min(fmpq(1), trace, -((fmpq(floor) * along) ** 2))))
        assert along == 0 or statement.at(values[-1][0]) is Truth.FALSE
        values.append((with_a_second_row(values[-1][0]), values[-1][1]))
        assert along == 0 or statement.at(values[-1][0]) is Truth.FALSE
    bind(statement, values)
    assert statement.at(crossed(1, 1, 0)) is Truth.TRUE, "u is a multiple of a"
    wide = attrs.evolve(crossed(1, 2, -1), eta=fmpq(49, 50), base=CROSSED.base)
    assert statement.applies(wide) is Truth.FALSE, "4r/eta is no integer"
    assert not statement.strict
    outside = {
        "window >= 1, an integer": attrs.evolve(CROSSED, window=0),
        "Phi is m x d and every g has length m": attrs.evolve(CROSSED, coins=fmpq_mat([[1]])),
        "Update-Approx spares the first and the newest checkpoint": attrs.evolve(CROSSED, deleted=((2, 2),)),
        "rank >= 1, an integer": attrs.evolve(CROSSED, rank=0),
        "eta > 0": attrs.evolve(CROSSED, eta=0),
        "eta < 1": attrs.evolve(CROSSED, eta=1),
        "Phi has 4r/eta rows": attrs.evolve(CROSSED, eta=fmpq(1, 3)),
    }
    slim = RankedStream(fmpq_mat([[1]]), fmpq_mat(5, 1, [1] * 5), fmpq_mat(1, 5, [1] * 5), 1, 1, rank=1, eta=fmpq(4, 5))
    for inside in (CROSSED, slim, attrs.evolve(CROSSED, window=1)):
        bind_hypotheses(statement, inside, outside)
    conditions = {condition.says: condition for condition in statement.given}
    assert conditions["eta > 0"].at(attrs.evolve(CROSSED, eta=0)) is Truth.FALSE
