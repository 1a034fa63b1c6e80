"""Sizes that section 3 of `sliding-window` states: shapes, space, and the time of an update."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import stated_sizes as module
from dpmatrix.spec.sliding_window.repeated_rows import RepeatedRows, kept_checkpoints
from dpmatrix.spec.sliding_window.sketch_order import RankedStream
from dpmatrix.spec.sliding_window.stated_sizes import LongStream, Storage
from dpmatrix.tracing import bind_expression

lemma_2 = cite("sliding-window.lemma-2@ef53d955")
lemma_3 = cite("sliding-window.lemma-3@1910e44e")
lemma_4 = cite("sliding-window.lemma-4@77452a81")
theorem_3 = cite("sliding-window.theorem-3@2f1295b8")
theorem_4 = cite("sliding-window.theorem-4@96953597")

SMALL, FIFTH, HALF, LARGE = Fraction(1, 50), Fraction(1, 5), Fraction(1, 2), Fraction(49, 50)


def shaped(size: int, width: int, total: int, rank: int, deleted: tuple[tuple[int, int], ...] = ()) -> RankedStream:
    """Give a stream of integers, and eta = 4r/m for sketches of m rows."""
    rows = fmpq_mat(total, width, [(i * i + 1) % 5 for i in range(total * width)])
    base = fmpq_mat(size, width, [i % 7 - 3 for i in range(size * width)])
    coins = fmpq_mat(total, size, [i % 5 - 1 for i in range(total * size)])
    return RankedStream(rows, base, coins, fmpq(3, 2), 3, deleted, rank=rank, eta=fmpq(4 * rank, size))


SHAPED = shaped(13, 3, 4, 2)


@lemma_3.supports("output-shape", grade="derived", region="every run: sums of (Phi g')(sigma I; a) and of g'a")
def test_the_outputs_have_the_rows_of_a_sketch(statement) -> None:
    """A stored matrix begins as the m x (d + 1) matrix (Phi g') times (sigma I; a), and (m x 1)(1 x d) are added."""
    values = [
        shaped(size, width, total, rank, deleted)
        for size, rank in ((5, 1), (8, 1), (9, 2), (40, 3))
        for width, total in ((1, 1), (2, 3), (8, 4))
        for deleted in ((), ((3, 2),)[: total // 3])
    ]
    bind(statement, ((p, 0) for p in values))
    assert all(statement.at(p) is Truth.TRUE for p in values)
    assert not statement.strict
    outside = {
        "window >= 1, an integer": attrs.evolve(SHAPED, window=0),
        "Phi is m x d and every g has length m": attrs.evolve(SHAPED, coins=fmpq_mat([[1]])),
        "Update-Approx spares the first and the newest checkpoint": attrs.evolve(SHAPED, deleted=((1, 1),)),
        "rank >= 1, an integer": attrs.evolve(SHAPED, rank=0),
        "eta > 0": attrs.evolve(SHAPED, eta=-1),
        "eta < 1": attrs.evolve(SHAPED, eta=1),
        "Phi has 4r/eta rows": attrs.evolve(SHAPED, rank=1),
    }
    for inside in (SHAPED, shaped(5, 5, 2, 1), shaped(400, 1, 1, 1)):
        bind_hypotheses(statement, inside, outside)


@lemma_3.controls("output-shape", grade="symbolic", region="other sketches; AA' for A'A; the output's transpose")
def test_other_shapes_are_noticed(statement) -> None:
    loose, other = statement.without("Phi has 4r/eta rows"), attrs.evolve(SHAPED, rank=1)
    assert loose.at(other) is Truth.FALSE
    assert loose.margin(other) == -4 * (13 - fmpq(13, 2)), "four outputs of 13 rows"
    assert redefined(statement, module, "gram", lambda a: a * a.transpose()).at(SHAPED) is Truth.FALSE
    found = module.outputs
    turned = redefined(statement, module, "outputs", lambda p: [one.transpose() for one in found(p)])
    assert turned.at(SHAPED) is Truth.FALSE
    assert turned.margin(SHAPED) == -4 * 4 * (13 - 3), "four outputs, 3 x 13 and 13 x 13"


STORED = Storage(2, 1, 1, SMALL, 50)
STORED_OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(STORED, window=1),
    "dimension >= 1, an integer": attrs.evolve(STORED, dimension=0),
    "rank >= 1, an integer": attrs.evolve(STORED, rank=0, constant=1),
    "eta > 0": attrs.evolve(STORED, eta=0, constant=1),
}
WINDOW, DIMENSION, RANK, ETA, CONSTANT = sympy.symbols("window dimension rank eta constant")


def many(constant) -> Storage:
    """Give eta = 1/5 and r = 1 + c, rounded up."""
    return Storage(2, 1, 1 + int(rational(constant).ceil()), FIFTH, constant)


@lemma_4.refutes("space", grade="derived", region="every c: eta = 1/5 and r = 1 + c rounded up, where 4r/eta > c")
def test_checkpoints_times_sketches(statement) -> None:
    """Every c: the product over (r d/eta) log W is 4r/eta = 20 r > c."""
    statement.refute(many)
    bind_expression(statement, (CONSTANT - 4 * RANK / ETA) * RANK * DIMENSION / ETA * sympy.log(WINDOW))
    assert statement.at(Storage(100, 50, 3, FIFTH, 59)) is Truth.FALSE
    assert statement.at(Storage(100, 50, 3, FIFTH, 61)) is Truth.TRUE
    assert not statement.strict
    outside = STORED_OUTSIDE | {"eta < 1/4": attrs.evolve(STORED, eta=Fraction(1, 4))}
    for inside in (STORED, Storage(9, 5, 2, Fraction(6, 25), 1)):
        bind_hypotheses(statement, inside, outside)


@theorem_4.supports("constant-rank", grade="derived", region="every r and eta: c = r/eta, and no smaller one")
def test_space_for_a_constant_rank_and_eta(statement) -> None:
    """The quotient of both spaces is r/eta, whatever d and W are."""
    formula = (CONSTANT - RANK / ETA) * RANK * DIMENSION / ETA * sympy.log(WINDOW)
    points = [Storage(2, 1, 1, HALF, 2), Storage(1000, 7, 3, FIFTH, 15), Storage(10**9, 50, 2, LARGE, 2 / LARGE)]
    bind_expression(statement, formula, points=[STORED, *points])
    assert all(statement.at(p) is Truth.TRUE for p in points)
    assert not statement.strict
    assert [one.after for one in statement.exists] == [("rank", "eta")]
    outside = STORED_OUTSIDE | {"eta < 1": attrs.evolve(STORED, eta=1)}
    for inside in (STORED, Storage(9, 5, 2, LARGE, 2 / LARGE)):
        bind_hypotheses(statement, inside, outside)


@theorem_4.controls("constant-rank", grade="interval", region="half of r/eta; one c for every eta, for every r")
def test_the_price_depends_on_rank_and_eta(statement) -> None:
    """At r = 3 and eta = 1/5 the quotient is 15."""
    point = Storage(100, 50, 3, FIFTH, 15)
    assert statement.exhibits(constant=15).at(point) is Truth.TRUE
    assert statement.exhibits(constant=15).at(attrs.evolve(point, rank=4)) is Truth.FALSE
    assert statement.exhibits(constant=15).at(attrs.evolve(point, eta=Fraction(1, 6))) is Truth.FALSE
    half = statement.exhibits(constant=lambda rank, eta: module.price(rank, eta) / 2)
    assert half.at(attrs.evolve(point, constant=Fraction(15, 2))) is Truth.FALSE


LONG = LongStream(100, 21, 1, Fraction(1, 5), 1)


@theorem_3.refutes(
    "item-4", grade="derived", region="r = 1, eta = 1/5, d = 21: every c, by W = 2^h, h = 100 (1 + c)^2 rounded up"
)
def test_an_update_passes_through_every_row(statement) -> None:
    """Every c: with s = 1 + c, log W >= 69 s^2, and c log(c (21 + log W)) is less.

    H is at most 100 s^2 + 1, so 21 + log W <= 22 + 70 s^2 <= 92 s^2, and c log(92 c s^2) <= s (log 92 + 3 log s) <= s
    (5 + 3 s) <= 8 s^2, as log s <= s. Where the inner logarithm is negative there is nothing to show.
    """

    def grown(constant):
        size = 100 * (1 + rational(constant)) ** 2
        return attrs.evolve(LONG, doublings=int(size.ceil()), constant=constant)

    statement.refute(grown)
    assert kept_checkpoints(RepeatedRows(2**10, LONG.dimension, LONG.rank, LONG.eta, 1)) == 2**10, "as for item 3"
    doublings = sympy.symbols("doublings")
    logarithm = doublings * sympy.log(2)
    formula = CONSTANT * sympy.log(CONSTANT * (DIMENSION + logarithm)) - logarithm
    bind_expression(statement, formula, points=[LONG])
    assert statement.at(LONG) is Truth.FALSE
    assert statement.at(attrs.evolve(LONG, doublings=4)) is Truth.TRUE, "log 23 exceeds log 16"
    assert not statement.strict
    outside = {
        "doublings >= 1, an integer": attrs.evolve(LONG, doublings=0),
        "dimension >= 1, an integer": attrs.evolve(LONG, dimension=0),
        "rank >= 1, an integer": attrs.evolve(LONG, rank=0),
        "eta > 0": attrs.evolve(LONG, eta=0),
        "eta < 1/4": attrs.evolve(LONG, eta=Fraction(1, 4)),
        "d > 4r/eta": attrs.evolve(LONG, dimension=20),
        "constant > 0": attrs.evolve(LONG, constant=0),
    }
    near = LongStream(1, 17, 1, Fraction(6, 25), SMALL)
    for inside in (LONG, near, LongStream(1, 201, 1, SMALL, 1)):
        bind_hypotheses(statement, inside, outside)
