"""What the exact spectral histogram property asks of a private algorithm in `sliding-window`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.exact_outputs import ChangedRun, ExactOutputs, StatedErrors
from dpmatrix.tracing import bind_expression

theorem_14 = cite("sliding-window.theorem-14@d54bf8ff")

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


def run(length, short, constant) -> ChangedRun:
    """Return the rows M, y, M, 0, 0 with W = 4 and eta = 1/2; y is the row that may be replaced."""
    rows = fmpq_mat([[rational(each)] for each in (length, short, length, 0, 0)])
    return ChangedRun(rows, 2, 4, HALF, constant)


JUMP = run(3, 1, 1)


@theorem_14.refutes("sensitivity", grade="derived", region="eta = 1/2, W = 4, T = 5: every c, by M = 1 + c")
def test_one_row_moves_the_first_checkpoint(statement) -> None:
    """Every c: K_1 is 2 M^2 without the row 1, and M^2 + 1 with it: they differ by M^2 - 1 = 2c + c^2 > c.

    At T = 4 the sums are 2M^2 + y^2, M^2 + y^2, M^2 and 0. For y = 0 half of the first is M^2, so that the second
    checkpoint goes and the first one stays; for y > 0 the second stays, and the first one expires at T = 5.
    """
    statement.refute(lambda constant: run(1 + rational(constant), 1, constant))
    values = [(run(m, y, c), c - (m * m - y * y)) for m, y, c in product((2, 3, 10), (SMALL, HALF, 1), (1, 50))]
    values += [(attrs.evolve(run(m, y, c), place=5), c) for m, y, c in product((2, 3), (0, 1), (1, 50))]
    bind(statement, values)
    assert statement.at(JUMP) is Truth.FALSE
    assert statement.at(attrs.evolve(JUMP, constant=Fraction(81, 10))) is Truth.TRUE
    assert statement.at(attrs.evolve(JUMP, window=5, constant=2)) is Truth.TRUE, "K_1 is the sum of all rows"
    wide = fmpq_mat([[3, 0], [1, 0], [3, 0], [0, 0], [0, 0]])
    assert statement.at(attrs.evolve(JUMP, rows=wide)) is Truth.FALSE
    assert not statement.strict
    outside = {
        "window >= 1, an integer": attrs.evolve(JUMP, window=0),
        "eta > 0": attrs.evolve(JUMP, eta=0),
        "eta < 1": attrs.evolve(JUMP, eta=1),
        "the row has norm at most 1": attrs.evolve(JUMP, place=1),
    }
    for inside in (JUMP, attrs.evolve(JUMP, window=1, eta=SMALL), attrs.evolve(JUMP, eta=LARGE)):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(attrs.evolve(JUMP, place=6)) is Truth.FALSE
    assert statement.applies(attrs.evolve(JUMP, place=0)) is Truth.FALSE


BASE = StatedErrors(1, 1, 20, 1)


@theorem_14.refutes(
    "stated-errors", grade="derived", region="d = eps = 1: every c, by delta = 2^-g, g = (730 (1 + c))^2 or more"
)
def test_the_exact_property_need_not_cost_accuracy(statement) -> None:
    """Every c: tau <= 31 g and log tau <= 2 sqrt(31 g), so c tau log tau < 350 c g^(3/2) and 0.48 g^2 is more.

    For g >= 1 tau = 1 + 14 (g + 2) log 2 < 1 + 9.8 (g + 2) <= 31 g, and sqrt(g) >= 730 (1 + c) > 350 c/0.48.
    """

    def rare(constant):
        return attrs.evolve(BASE, constant=constant, halvings=int(((730 * (1 + rational(constant))) ** 2).ceil()))

    statement.refute(rare)
    assert 14 * arb(2).log() < fmpq(98, 10)
    assert 62 * arb(31).sqrt() < 350
    assert arb(2).log() ** 2 > fmpq(48, 100)
    d, epsilon, halvings, constant = sympy.symbols("dimension epsilon halvings constant")
    tau = d + 14 * (halvings + 2) * sympy.log(2) / epsilon**2
    formula = constant * tau * sympy.log(tau) - d * (halvings * sympy.log(2)) ** 2 / epsilon**2
    bind_expression(statement, formula, points=[BASE])
    assert statement.at(BASE) is Truth.TRUE, "1151 against 192"
    assert statement.at(attrs.evolve(BASE, constant=Fraction(16, 100))) is Truth.FALSE
    assert statement.at(attrs.evolve(BASE, constant=Fraction(18, 100))) is Truth.TRUE
    assert statement.at(attrs.evolve(BASE, halvings=300)) is Truth.FALSE
    assert not statement.strict
    outside = {
        "dimension >= 1, an integer": attrs.evolve(BASE, dimension=0),
        "epsilon > 0": attrs.evolve(BASE, epsilon=0),
        "halvings >= 1, an integer": attrs.evolve(BASE, halvings=0),
    }
    for inside in (BASE, StatedErrors(1, SMALL, 1, 1)):
        bind_hypotheses(statement, inside, outside)
