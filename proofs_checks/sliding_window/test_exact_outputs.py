"""What the exact spectral histogram property asks of a private algorithm in `sliding-window`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import exact_outputs
from dpmatrix.spec.sliding_window.exact_outputs import (
    ExactOutputs,
    ShortRow,
    StatedErrors,
    first_moment,
    stream,
    window_moment,
)
from dpmatrix.tracing import bind_expression

theorem_14 = cite("sliding-window.theorem-14@763b3875")

SMALL, LARGE, HALF = Fraction(1, 50), Fraction(49, 50), Fraction(1, 2)
COIN = ExactOutputs((fmpq(3, 4), fmpq(1, 4)), (fmpq(1, 4), fmpq(3, 4)), 3, (fmpq(0), fmpq(1)), 0, HALF)
"""Randomised response with e^eps = 3."""
TABLE = ((4, 0, 0, 0), (1, 1, 1, 1), (0, 3, 1, 0), (2, 0, 1, 1), (0, 0, 0, 4), (1, 2, 0, 1))


def private_laws() -> list[ExactOutputs]:
    """Laws over the outputs 0, 1, 2 and 5/2, each pair with the least delta that it keeps."""
    found = []
    for first, second, exponential in product(TABLE, TABLE, (1, 3)):
        gaps = [Fraction(a - exponential * b, 4) for a, b in zip(first, second, strict=True)]
        laws = (tuple(fmpq(mass, 4) for mass in law) for law in (first, second))
        delta = sum((gap for gap in gaps if gap > 0), Fraction(0))
        found.append(ExactOutputs(*laws, exponential, (fmpq(0), fmpq(1), fmpq(2), fmpq(5, 2)), delta, HALF))
    return found


@theorem_14.supports(
    "exact-outputs", grade="derived", region="every law with finitely many outputs, eta < 1, eps and delta; 72 laws"
)
def test_no_private_output_has_the_exact_property(statement) -> None:
    """S, the outputs right for (0): P(S) = 1 - beta_0, and Q(S) <= beta_1, as an output of S is wrong for (1).

    For eta < 1 (1 - eta) K <= 0 <= K means K = 0, and 1 <= K excludes it. By the guarantee P(S) <= E Q(S) + delta.
    """
    values = []
    for p in private_laws():
        right = Fraction(int(p.first[0].p), int(p.first[0].q))
        wrong = 1 - sum(Fraction(int(mass.p), int(mass.q)) for mass in p.second[1:3])
        values.append((p, p.exponential * wrong + p.delta - right))
    bind(statement, [*values, (COIN, 0)])
    assert all(statement.at(p) is Truth.TRUE for p, _ in (*values, (COIN, 0)))
    assert not statement.strict
    told = attrs.evolve(COIN, first=(fmpq(1), fmpq(0)), second=(fmpq(0), fmpq(1)), delta=HALF)
    outside = {
        "both are probability laws": attrs.evolve(told, second=(fmpq(1, 3), fmpq(1)), delta=0),
        "exponential >= 1": attrs.evolve(COIN, exponential=0, delta=1),
        "eta < 1": attrs.evolve(COIN, eta=1),
        "P(S) <= E Q(S) + delta for every S": told,
    }
    for inside in (COIN, attrs.evolve(COIN, exponential=1, delta=HALF), attrs.evolve(COIN, eta=LARGE, delta=SMALL)):
        bind_hypotheses(statement, inside, outside)


@theorem_14.controls(
    "exact-outputs", grade="symbolic", region="no guarantee; eta = 1; nine tenths of e^eps or of delta"
)
def test_outputs_that_tell_too_much_are_noticed(statement) -> None:
    told = attrs.evolve(COIN, first=(fmpq(1), fmpq(0)), second=(fmpq(0), fmpq(1)))
    assert statement.without("P(S) <= E Q(S) + delta for every S").at(told) is Truth.FALSE
    one = ExactOutputs((fmpq(0), fmpq(1)), (fmpq(0), fmpq(1)), 1, (fmpq(0), fmpq(1)), 0, 1)
    assert statement.without("eta < 1").at(one) is Truth.FALSE, "K = 1 is right for both"
    smaller = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, exponential=fmpq(27, 10))))
    assert smaller.at(COIN) is Truth.FALSE
    spent = attrs.evolve(COIN, second=(fmpq(1, 2), fmpq(1, 2)), exponential=1, delta=Fraction(1, 4))
    assert statement.at(spent) is Truth.TRUE
    assert statement.margin(spent) == 0
    less = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, delta=Fraction(9, 40))))
    assert less.at(spent) is Truth.FALSE


JUMP = ShortRow(3, 1)


@theorem_14.supports("sensitivity", grade="derived", region="eta = 1/2, W = 4, T = 5: every M and 0 < y <= 1")
def test_one_row_moves_the_first_checkpoint(statement) -> None:
    """K_1 is 2 M^2 without the row y, and M^2 + y^2 with it; A_W'A_W is M^2 + y^2, and M^2 without it.

    At T = 4 the sums are 2M^2 + y^2, M^2 + y^2, M^2 and 0. For y = 0 half of the first is M^2, so that the second
    checkpoint goes and the first one stays; for y > 0 the second stays, and the first one expires at T = 5.
    """
    pairs = list(product((0, SMALL, HALF, 1, 2, 3, 10, 1000), (SMALL, HALF, LARGE, 1)))
    values = [(ShortRow(m, y), min(abs(Fraction(m * m - y * y)) - (m * m - 1), 1 - Fraction(y * y))) for m, y in pairs]
    bind(statement, values)
    assert all(statement.at(p) is Truth.TRUE for p, _ in values)
    for m, y in pairs:
        whole, other = (stream(rational(m), rational(each)) for each in (y, 0))
        assert first_moment(whole) == rational(m * m + y * y)
        assert first_moment(other) == rational(2 * m * m)
        assert window_moment(whole) == rational(m * m + y * y)
        assert window_moment(other) == rational(m * m)
    still = redefined(statement, exact_outputs, "window_moment", lambda _: fmpq(0))
    bind(still, [(p, min(abs(Fraction(p.length**2 - p.short**2)) - (p.length**2 - 1), 1)) for p, _ in values])
    assert not statement.strict
    outside = {"short > 0": attrs.evolve(JUMP, short=0), "short <= 1": attrs.evolve(JUMP, short=1 + SMALL)}
    for inside in (JUMP, ShortRow(10, SMALL)):
        bind_hypotheses(statement, inside, outside)


@theorem_14.controls("sensitivity", grade="symbolic", region="M = 3: y = 0, y = 2; one less than the change of A_W'A_W")
def test_a_row_that_moves_no_checkpoint_is_noticed(statement) -> None:
    assert statement.without("short > 0").at(attrs.evolve(JUMP, short=0)) is Truth.FALSE, "K_1 does not change"
    assert statement.without("short <= 1").at(attrs.evolve(JUMP, short=2)) is Truth.FALSE, "A_W'A_W changes by 4"
    assert statement.at(JUMP) is Truth.TRUE
    assert statement.margin(JUMP) == 0
    assert statement.nudged(lambda margin: margin - arb(1) / 50).at(JUMP) is Truth.FALSE


BASE = StatedErrors(30, 1, 1, 10)


@theorem_14.supports("stated-errors", grade="derived", region="every d, r, eps and delta = 2^-g with d log d so large")
def test_the_exact_property_costs_accuracy_in_high_dimension(statement) -> None:
    """Tau > d >= 1, so that tau log tau > d log d, which is at least the error of Theorem 3."""
    d, rank, epsilon, halvings = sympy.symbols("dimension rank epsilon halvings", positive=True)
    tau = d + 14 * (halvings + 2) * sympy.log(2) / epsilon**2
    formula = tau * sympy.log(tau) - rank * (halvings * sympy.log(2)) ** 2 / epsilon**2
    bind_expression(statement, formula, points=[BASE])
    x = sympy.symbols("x", positive=True)
    assert sympy.simplify(sympy.diff(x * sympy.log(x), x) - (sympy.log(x) + 1)) == 0, "it grows for x >= 1"
    for r, epsilon_, g in product((1, 3), (HALF, 1, 5), (1, 10, 40)):
        p = StatedErrors(10**5, r, epsilon_, g)
        assert statement.at(p) is Truth.TRUE
    assert statement.at(BASE) is Truth.TRUE
    assert statement.strict
    outside = {
        "dimension >= 1, an integer": attrs.evolve(BASE, dimension=0),
        "rank >= 1, an integer": attrs.evolve(BASE, rank=0),
        "epsilon > 0": attrs.evolve(BASE, epsilon=0),
        "halvings >= 1, an integer": attrs.evolve(BASE, halvings=0),
        "d log d >= r log(1/delta)^2/epsilon^2": attrs.evolve(BASE, dimension=2),
    }
    for inside in (BASE, StatedErrors(10**5, 1, HALF, 1)):
        bind_hypotheses(statement, inside, outside)


@theorem_14.controls(
    "stated-errors", grade="interval", region="r = d = 1 and delta = 2^-300; Theorem 3's error doubled"
)
def test_a_rank_as_large_as_the_dimension_is_noticed(statement) -> None:
    free = statement.without("d log d >= r log(1/delta)^2/epsilon^2")
    assert free.at(StatedErrors(1, 1, 1, 300)) is Truth.FALSE, "at r = d Theorem 3's may be the larger one"
    edge = StatedErrors(10**4, 1, 20, 8700)
    assert statement.at(edge) is Truth.TRUE
    doubled = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, rank=2 * p.rank)))
    assert doubled.at(edge) is Truth.FALSE
