"""Theorem 19 of `sliding-window`, against the window stored as it is, and the conjectures."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec import load
from dpmatrix.spec.sliding_window.space import KeptSpace, LongWindow, SpacePoint
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.one_row_outputs import whole_above

theorem_19 = cite("sliding-window.theorem-19@9132f892")
conjecture_1 = cite("sliding-window.conjecture-1@4cb866d5")
conjecture_2 = cite("sliding-window.conjecture-2@9115fdde")

HALF = Fraction(1, 2)
SPACE = SpacePoint(8, 1, 1, 1, Fraction(1, 2), Fraction(1, 9))
SPACE_OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(SPACE, window=1),
    "columns >= 1, an integer": attrs.evolve(SPACE, columns=0),
    "rank >= 1, an integer": attrs.evolve(SPACE, rank=0),
    "entry_bits >= 1, an integer": attrs.evolve(SPACE, entry_bits=0),
    "eta > 0": attrs.evolve(SPACE, eta=0),
    "k <= d": attrs.evolve(SPACE, rank=SPACE.columns + 1),
}


W, D, K, B, ETA, C, KEPT = sympy.symbols("window columns rank entry_bits eta constant kept_bits")
BITS = C * sympy.log(W) / sympy.log(2)
SPECTRAL, PRINCIPAL = BITS * D**2 / ETA, BITS * D * K / ETA**2


SHORT = LongWindow(2, 1, 1, 1, HALF, 1)


@theorem_19.refutes(
    grade="derived", region="64 bits and 1 bit, d = 100, k = 5 and d = k = 1, each eta: every c, by h > d b eta/(c k)"
)
def test_storing_the_window_is_cheaper_than_the_bound(statement) -> None:
    """A row of the window takes d b bits, and the bound c k h/eta for each row: more from h > d b eta/(c k) on."""

    def family(columns, rank, bits, bend, constant):
        height = whole_above(columns * bits * rational(bend) / (rational(constant) * rank)) + 1
        return LongWindow(height, columns, rank, bits, bend, constant)

    for sizes in ((100, 5, 64, HALF), (1, 1, 1, HALF), (1, 1, 1, Fraction(1, 10**6)), (2, 1, 3, Fraction(99, 100))):
        statement.refute(lambda constant, sizes=sizes: family(*sizes, constant))
    assert statement.at(SHORT) is Truth.FALSE
    asked = 2**SHORT.height * (1 - statement.margin(SHORT))
    theorem_19.tells("4 rows takes 4 bits, and the bound asks for {}.", asked)
    for constant in (Fraction(1, 4), Fraction(1, 10**9)):
        assert statement.at(attrs.evolve(SHORT, constant=constant)) is Truth.TRUE
    assert statement.at(LongWindow(10, 100, 5, 64, Fraction(1, 100), 1)) is Truth.TRUE
    height = sympy.Symbol("height")
    bind_expression(statement, D * B - C * K * height / ETA)
    outside = {
        "height >= 1, an integer": attrs.evolve(SHORT, height=0),
        "columns >= 1, an integer": attrs.evolve(SHORT, columns=0),
        "rank >= 1, an integer": attrs.evolve(SHORT, rank=0),
        "entry_bits >= 1, an integer": attrs.evolve(SHORT, entry_bits=0),
        "eta > 0": attrs.evolve(SHORT, eta=0),
        "k <= d": attrs.evolve(SHORT, rank=2),
    }
    for inside in (SHORT, LongWindow(1, 2, 2, 1, Fraction(1, 50), Fraction(1, 50)), LongWindow(9, 2, 2, 2, 50, 50)):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict


def test_the_bound_fails_for_its_logarithm_and_for_its_factor_one_over_eta() -> None:
    statement = load()["sliding-window.theorem-19"].statement
    assert statement.at(SHORT) is Truth.FALSE
    for changes in ({"eta": 2}, {"height": 0}):
        coarse = statement.nudged(margin=lambda p, changes=changes: statement.formula(attrs.evolve(p, **changes)))
        assert coarse.at(SHORT) is Truth.TRUE


@conjecture_1.controls(grade="interval", region="W = 1000, d = 100, 64 bits, c = 1; ten blocks at W = 2^30")
def test_the_regime_of_the_first_conjecture(statement) -> None:
    """Without its regime the window stored as it is, a constant output or fixed blocks would refute it.

    Ten blocks of z/4 rows, z = eta zeta/4, and zeta - z/2 plus the noisy sums of those inside the window are within the
    bounds for rows of norm at most 1 where zeta is half of what a constant needs; ten sums take 450 bits.
    """
    says = "zeta <= sqrt(W)"
    check_regime(statement, "W d b >= c d^2 log2(W)/eta", SPECTRAL)
    (small,) = (condition for condition in statement.given if condition.says == says)
    assert small.at(attrs.evolve(WIDE, window=1024, additive=32)) is Truth.TRUE
    for c in (10, 1, Fraction(1, 10), Fraction(1, 1000)):
        eta = Fraction(c) / 40
        blocks = KeptSpace(2**30, 1, 1, 64, eta, c, 450, 2**29 * (4 / eta - 1))
        check_left_out(statement, says, blocks)
    check_left_out(statement, says, attrs.evolve(WIDE, kept_bits=0, additive=39_001))
    check_outside(statement, SPACE_OUTSIDE | {says: attrs.evolve(WIDE, additive=32)})


@conjecture_2.controls(grade="interval", region="W = 1000, d = 100, 64 bits, c = 1; k = d; 18 blocks at W = 2^40")
def test_the_regime_of_the_second_conjecture(statement) -> None:
    """I keeps nothing for k = d; 18 blocks of zeta^2/4 rows, of 3 numbers each, are enough for a large zeta.

    They are two more than fill the window.
    """
    says = "W >= (zeta/eta)^4"
    check_regime(statement, "W d b >= c d k log2(W)/eta^2", PRINCIPAL)
    (long,) = (condition for condition in statement.given if condition.says == says)
    assert long.at(attrs.evolve(WIDE, window=16, eta=HALF, additive=1)) is Truth.TRUE
    for c in (1, Fraction(1, 1000)):
        check_left_out(statement, "k < d", KeptSpace(10**6, 10, 10, 64, Fraction(1, 10), c, 0, 0))
    assert (18 - 2) * (2**19) ** 2 == 4 * 2**40
    check_left_out(statement, says, KeptSpace(2**40, 2, 1, 64, Fraction(1, 20), 1, 2848, 2**19))
    check_left_out(statement, says, attrs.evolve(WIDE, kept_bits=0, additive=32))
    narrow = {name: point for name, point in SPACE_OUTSIDE.items() if name != "k <= d"}
    even = attrs.evolve(SPACE, rank=SPACE.columns)
    check_outside(statement, narrow | {"k < d": even, says: attrs.evolve(WIDE, additive=Fraction(57, 100))})


WIDE = KeptSpace(1000, 100, 1, 64, Fraction(1, 10), 1, 1000 * 100 * 64, 0)


def check_left_out(statement, says, point) -> None:
    """Check that a point is outside for one hypothesis alone, and false without it."""
    assert statement.applies(point) is Truth.FALSE
    assert statement.without(says).at(point) is Truth.FALSE


def check_regime(statement, stored, claimed) -> None:
    check_left_out(statement, stored, attrs.evolve(WIDE, eta=Fraction(1, 10**6)))
    assert statement.at(WIDE) is Truth.TRUE
    bind_expression(statement, KEPT - claimed)
    assert not statement.strict


def check_outside(statement, outside) -> None:
    (stored,) = (condition.says for condition in statement.given if condition.says.startswith("W d b"))
    points = {
        name: point if isinstance(point, KeptSpace) else KeptSpace(*attrs.astuple(point), 1, 0)
        for name, point in outside.items()
    }
    points |= {
        stored: attrs.evolve(WIDE, eta=Fraction(1, 10**6)),
        "kept_bits >= 0, an integer": attrs.evolve(WIDE, kept_bits=-1),
        "additive >= 0": attrs.evolve(WIDE, additive=-1),
        "eta < 1": attrs.evolve(WIDE, eta=1),
    }
    for inside in (WIDE, KeptSpace(2, 2, 1, 1, HALF, Fraction(1, 9), 0, 0)):
        bind_hypotheses(statement, inside, points)
