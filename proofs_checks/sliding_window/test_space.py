"""Theorem 19 of `sliding-window`, against the window stored as it is, and the conjectures."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec import load
from dpmatrix.spec.sliding_window.space import KeptSpace, SpacePoint
from dpmatrix.tracing import bind_expression

theorem_19 = cite("sliding-window.theorem-19@84280235")
conjecture_1 = cite("sliding-window.conjecture-1@0a4f38fe")
conjecture_2 = cite("sliding-window.conjecture-2@e0a68ffd")

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
LOW_RANK, SPECTRAL, PRINCIPAL = BITS * W * K / ETA, BITS * D**2 / ETA, BITS * D * K / ETA**2


def check_space(statement, claimed) -> None:
    bind_expression(statement, W * D * B - claimed)
    for inside in (SpacePoint(2, 1, 1, 1, Fraction(1, 50), Fraction(1, 50)), SpacePoint(9, 2, 2, 2, 50, 50)):
        bind_hypotheses(statement, inside, SPACE_OUTSIDE)
    assert not statement.strict


def small_eta(share: fmpq):
    """Return the family W = 1000, d = 100, k = 5, 64 bits with eta = c times a share, 1/2 at most."""
    return lambda constant: SpacePoint(1000, 100, 5, 64, min(rational(constant) * share, fmpq(1, 2)), constant)


@theorem_19.refutes(
    grade="derived", region="W = 1000, d = 100, k = 5, 64 bits: every c, by eta = c/285, or 1/2 where that is larger"
)
def test_storing_the_window_is_cheaper_than_the_bound(statement) -> None:
    """Every c: the window takes 1000 * 6400 bits, and log2(1000) > 9.

    At eta = c/285 the bound exceeds 1000 * 45 * 285 > 1000 * 6400 bits; at eta = 1/2, where c > 142, it exceeds 1000 *
    90 c, which is more than that.
    """
    statement.refute(small_eta(fmpq(1, 285)))
    for constant in (Fraction(1), Fraction(1, 10**9)):
        assert statement.at(SpacePoint(1000, 100, 5, 64, constant / 100, constant)) is Truth.TRUE
    check_space(statement, LOW_RANK)


def test_the_bound_fails_for_its_factor_one_over_eta() -> None:
    statement = load()["sliding-window.theorem-19"].statement
    point = small_eta(fmpq(1, 285))(1)
    assert statement.at(point) is Truth.FALSE
    coarse = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, eta=1)))
    assert coarse.at(point) is Truth.TRUE


@conjecture_1.refutes("every-eta", grade="derived", region="W = 1000, d = 100, k = 5, 64 bits: every c, by small eta")
def test_the_first_conjecture_needs_a_regime(statement) -> None:
    """Every c: the bound exceeds 9 * 10^4 c/eta bits, which is more than 6.4 10^6 at eta = c/80, or 1/2 for c > 40."""
    statement.refute(small_eta(fmpq(1, 80)))
    check_space(statement, SPECTRAL)


@conjecture_2.refutes("every-eta", grade="derived", region="W = 1000, d = 100, k = 5, 64 bits: every c, by small eta")
def test_the_second_conjecture_needs_a_regime(statement) -> None:
    """Every c: the bound exceeds 4500 c/eta^2 bits, and the window takes 6.4 10^6.

    At eta = c/7500 that is 4500 * 7500^2/c, enough for c <= 3750; for larger c it is 18000 c at eta = 1/2.
    """
    statement.refute(small_eta(fmpq(1, 7500)))
    check_space(statement, PRINCIPAL)


@conjecture_1.controls(grade="interval", region="W = 1000, d = 100, 64 bits, c = 1")
def test_the_regime_of_the_first_conjecture(statement) -> None:
    """Without its regime the window stored as it is, or a constant output, would refute it."""
    check_regime(
        statement,
        "W d b >= c d^2 log2(W)/eta",
        {"W > zeta (eta/4)/(1 - eta/4)": (38_999, 39_001, 7 * 1024)},
        SPECTRAL,
    )


@conjecture_2.controls(grade="interval", region="W = 1000, d = 100, 64 bits, c = 1")
def test_the_regime_of_the_second_conjecture(statement) -> None:
    check_regime(
        statement,
        "W d b >= c d k log2(W)/eta^2",
        {"sqrt(W) > zeta": (31, 32, 32)},
        PRINCIPAL,
    )


def check_regime(statement, says, constant_output, claimed) -> None:
    stored = 1000 * 100 * 64
    fine = KeptSpace(1000, 100, 1, 64, Fraction(1, 10**6), 1, stored, 0)
    wide = attrs.evolve(fine, eta=Fraction(1, 10))
    assert statement.applies(fine) is Truth.FALSE
    assert statement.without(says).at(fine) is Truth.FALSE
    ((short, (enough, additive, equal)),) = constant_output.items()
    assert statement.applies(attrs.evolve(wide, additive=enough)) is Truth.TRUE
    (long,) = (condition for condition in statement.given if condition.says == short)
    assert long.at(attrs.evolve(wide, window=1024, eta=HALF, additive=equal)) is Truth.FALSE, "equality"
    empty = attrs.evolve(wide, kept_bits=0, additive=additive)
    assert statement.applies(empty) is Truth.FALSE
    assert statement.without(short).at(empty) is Truth.FALSE, "a constant keeps nothing"
    assert statement.applies(wide) is Truth.TRUE
    assert statement.at(wide) is Truth.TRUE
    bind_expression(statement, KEPT - claimed)
    assert not statement.strict
    outside = {name: KeptSpace(*attrs.astuple(point), 1, 0) for name, point in SPACE_OUTSIDE.items()}
    outside |= {says: fine, "kept_bits >= 0, an integer": attrs.evolve(wide, kept_bits=-1)}
    outside |= {short: empty, "additive >= 0": attrs.evolve(wide, additive=-1), "eta < 1": attrs.evolve(wide, eta=1)}
    bind_hypotheses(statement, wide, outside)
