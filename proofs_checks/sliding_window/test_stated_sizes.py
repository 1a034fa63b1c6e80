"""Sizes that section 3 of `sliding-window` states: epochs, shapes, space, and the time of an update."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.repeated_rows import RepeatedRows, kept_checkpoints
from dpmatrix.spec.sliding_window.stated_sizes import Epochs, LongStream, SketchShape, Storage
from dpmatrix.tracing import bind_expression

lemma_2 = cite("sliding-window.lemma-2@5f356f81")
lemma_3 = cite("sliding-window.lemma-3@e88c5054")
lemma_4 = cite("sliding-window.lemma-4@ccf94ec3")
theorem_3 = cite("sliding-window.theorem-3@a4c01091")
theorem_4 = cite("sliding-window.theorem-4@000fe757")

SMALL, LARGE = Fraction(1, 50), Fraction(49, 50)


@lemma_2.refutes("epochs", grade="symbolic", region="every T > W: 2W - T epochs")
def test_the_epochs_end_at_the_present(statement) -> None:
    time, window = sympy.symbols("time window")
    bind_expression(statement, -sympy.Abs(window - time), points=[Epochs(3, 3), Epochs(9, 2)])
    assert statement.at(Epochs(5, 4)) is Truth.FALSE
    assert statement.at(Epochs(9, 4)) is Truth.FALSE
    assert statement.at(Epochs(4, 4)) is Truth.TRUE
    assert not statement.strict
    outside = {
        "time >= 1, an integer": Epochs(0, 1),
        "window >= 1, an integer": Epochs(1, 0),
        "T >= W": Epochs(3, 4),
    }
    for inside in (Epochs(1, 1), Epochs(7, 3)):
        bind_hypotheses(statement, inside, outside)


@lemma_3.refutes("output-shape", grade="symbolic", region="every 4r/eta that is not d: 8 rows for d = 3")
def test_the_output_has_rows_of_a_sketch(statement) -> None:
    shape = SketchShape(3, 1, Fraction(1, 2))
    assert statement.at(shape) is Truth.FALSE
    assert statement.margin(shape) == -5
    assert statement.at(attrs.evolve(shape, dimension=9)) is Truth.FALSE
    assert statement.at(attrs.evolve(shape, dimension=8)) is Truth.TRUE
    assert statement.at(attrs.evolve(shape, dimension=24, rank=3)) is Truth.TRUE
    dimension, rank, eta = sympy.symbols("dimension rank eta")
    bind_expression(statement, -sympy.Abs(4 * rank / eta - dimension), points=[shape])
    assert not statement.strict
    outside = {
        "dimension >= 1, an integer": attrs.evolve(shape, dimension=0),
        "rank >= 1, an integer": attrs.evolve(shape, rank=0),
        "eta > 0": attrs.evolve(shape, eta=-1),
        "eta < 1": attrs.evolve(shape, eta=1),
        "4r/eta is an integer": attrs.evolve(shape, eta=Fraction(3, 7)),
    }
    for inside in (shape, SketchShape(1, 1, SMALL), SketchShape(1, 49, LARGE)):
        bind_hypotheses(statement, inside, outside)


STORED = Storage(2, 1, 1, SMALL, 1)
STORED_OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(STORED, window=1),
    "dimension >= 1, an integer": attrs.evolve(STORED, dimension=0),
    "eta > 0": attrs.evolve(STORED, eta=0),
    "eta < 1": attrs.evolve(STORED, eta=1),
}
WINDOW, DIMENSION, RANK, ETA, CONSTANT = sympy.symbols("window dimension rank eta constant")


def fine(constant) -> Storage:
    """Eta = 1/(1 + c), below 1 for every c."""
    return Storage(2, 1, 1, 1 / (1 + rational(constant)), constant)


@lemma_4.refutes("space", grade="derived", region="every c: eta = 1/(1 + c), where 4r/eta > c")
def test_checkpoints_times_sketches(statement) -> None:
    """Every c: the product over (r d/eta) log W is 4r/eta = 4 + 4c > c."""
    statement.refute(fine)
    bind_expression(statement, (CONSTANT - 4 * RANK / ETA) * RANK * DIMENSION / ETA * sympy.log(WINDOW))
    assert statement.at(Storage(100, 50, 3, Fraction(1, 2), 23)) is Truth.FALSE
    assert statement.at(Storage(100, 50, 3, Fraction(1, 2), 25)) is Truth.TRUE
    assert not statement.strict
    outside = STORED_OUTSIDE | {"rank >= 1, an integer": attrs.evolve(STORED, rank=0)}
    for inside in (STORED, Storage(9, 5, 2, LARGE, 1)):
        bind_hypotheses(statement, inside, outside)


@theorem_4.refutes("constant-rank", grade="derived", region="every c: eta = 1/(1 + c), where 1/eta > c")
def test_privacy_has_a_price_in_space(statement) -> None:
    """Every c: the quotient of both spaces is 1/eta = 1 + c > c."""
    statement.refute(fine)
    bind_expression(statement, (CONSTANT - 1 / ETA) * DIMENSION / ETA * sympy.log(WINDOW), points=[STORED])
    assert statement.at(Storage(100, 50, 1, Fraction(1, 2), Fraction(19, 10))) is Truth.FALSE
    assert statement.at(Storage(100, 50, 1, Fraction(1, 2), Fraction(21, 10))) is Truth.TRUE
    assert not statement.strict
    for inside in (STORED, Storage(9, 5, 2, LARGE, 1)):
        bind_hypotheses(statement, inside, STORED_OUTSIDE)


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
        "eta > 0": attrs.evolve(LONG, eta=-1),
        "eta < 1/4": attrs.evolve(LONG, eta=Fraction(1, 4)),
        "d > 4r/eta": attrs.evolve(LONG, dimension=20),
        "constant > 0": attrs.evolve(LONG, constant=0),
    }
    near = LongStream(1, 17, 1, Fraction(6, 25), SMALL)
    for inside in (LONG, near, LongStream(1, 201, 1, SMALL, 1)):
        bind_hypotheses(statement, inside, outside)
