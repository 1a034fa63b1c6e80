"""Theorem 6 of `sliding-window`, line 9 as printed: the first sketch is never updated, and its components are drawn."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.algorithms import algorithm_2
from dpmatrix.spec.sliding_window.blind_output import BlindOutput, chance_of_bound
from dpmatrix.spec.sliding_window.combined_costs import stated_error
from dpmatrix.spec.sliding_window.sketched_stream import PRINTED_RUN, SketchedStream
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.one_row_outputs import whole_above

theorem_6 = cite("sliding-window.theorem-6@0da31879")

MILLIONTH = Fraction(1, 10**6)
BLIND = BlindOutput(896, Fraction(1, 8), 1, MILLIONTH, Fraction(1, 10), 1)


def blind_runs(draws: random.Random):
    """Give streams of a row 0 and then rows e_1, T = W, with deletions that Update-Approx could make."""
    for repeats in (1, 2, 5, 9):
        total = repeats + 1
        rows = fmpq_mat([[0, 0], *[[1, 0]] * repeats])
        for _ in range(5):
            base = fmpq_mat(3, 2, [fmpq(draws.randint(-9, 9), 4) for _ in range(6)])
            coins = fmpq_mat(total, 3, [fmpq(draws.randint(-9, 9), 4) for _ in range(3 * total)])
            gone = tuple(
                (time, stamp) for time in range(3, total + 1) for stamp in range(2, time) if draws.random() < 0.3
            )
            yield SketchedStream(rows=rows, base=base, coins=coins, floor=2, window=total, deleted=gone)


@theorem_6.refutes(
    "accuracy-as-printed",
    grade="derived",
    region="d = 2, k = 1, eps = 1, delta = 10^-6, beta = 1/10, each eta: every c, by (33 c)^2 rows e_1 after a row 0",
)
def test_the_printed_output_holds_no_row(statement) -> None:
    """Rows 0, e_1, ..., e_1 with T = W: the second stamp is 2 or later, never below t - W + 1 for t <= T.

    So line 3 deletes nothing, Update-Approx never deletes the first checkpoint, and the loop from 2 never updates it:
    it is (Phi g')(sigma I; 0) = sigma Phi at T. The law of Phi R is that of Phi for a rotation R, so the first right
    singular vector of Phi is uniform on the circle (the singular values differ almost surely). The window is n times
    e_1: a line at an angle t to e_1 costs sqrt(n) |sin t|, and that of e_1 costs 0. |sin t| <= x has probability (2/pi)
    asin(x) <= x, as asin is convex on [0, 1] and pi/2 at 1.

    Every c: kappa < 29.6 c at eps = 1, delta = 10^-6, beta = 1/10, so kappa/sqrt(n) < 9/10 for n = (33 c)^2 and more.
    """
    for run in blind_runs(random.Random(9)):
        assert all(condition.at(run) is Truth.TRUE for condition in PRINTED_RUN)
        assert algorithm_2(run) == rational(run.floor) * run.base
    x = sympy.symbols("x", positive=True)
    assert sympy.simplify(sympy.diff(sympy.asin(x), x, 2) - x / (1 - x**2) ** sympy.Rational(3, 2)) == 0
    assert sympy.asin(1) == sympy.pi / 2

    def family(bend, constant):
        return attrs.evolve(BLIND, eta=bend, constant=constant, repeats=whole_above((33 * rational(constant)) ** 2))

    for bend in (Fraction(1, 100), Fraction(1, 8), Fraction(49, 100)):
        statement.refute(lambda constant, bend=bend: family(bend, constant))
    assert stated_error(BLIND, 2) < arb("29.6")
    assert Fraction("29.6") / 33 < Fraction(9, 10)
    assert statement.at(BLIND) is Truth.FALSE
    assert -0.001 < statement.margin(BLIND) < 0, "0.8995 for 9/10"
    bound, chance = stated_error(BLIND, 2), chance_of_bound(BLIND)
    theorem_6.tells("the bound, {}, is met with probability {}.", bound, chance)
    assert statement.at(attrs.evolve(BLIND, repeats=890)) is Truth.TRUE
    assert statement.at(attrs.evolve(BLIND, repeats=800)) is Truth.TRUE, "kappa^2 = 874: any line will do"
    eps, delta, beta, constant, repeats = sympy.symbols("epsilon delta failure constant repeats")
    kappa = constant * sympy.log(1 / delta) / eps * sympy.sqrt(2 * sympy.log(2) * (1 - sympy.log(beta)))
    share = sympy.Min(kappa / sympy.sqrt(repeats), 1)
    bind_expression(statement, 2 * sympy.asin(share) / sympy.pi - (1 - beta))
    assert not statement.strict
    outside = {
        "repeats >= 1, an integer": attrs.evolve(BLIND, repeats=0),
        "eta > 0": attrs.evolve(BLIND, eta=0),
        "eta < 1/2": attrs.evolve(BLIND, eta=Fraction(1, 2)),
        "epsilon > 0": attrs.evolve(BLIND, epsilon=0),
        "delta > 0": attrs.evolve(BLIND, delta=0),
        "delta < 1": attrs.evolve(BLIND, delta=1),
        "failure > 0": attrs.evolve(BLIND, failure=0),
        "failure < 1": attrs.evolve(BLIND, failure=1),
    }
    for inside in (BLIND, attrs.evolve(BLIND, repeats=1, eta=Fraction(1, 50), failure=Fraction(49, 50))):
        bind_hypotheses(statement, inside, outside)
    bind_hypotheses(statement, attrs.evolve(BLIND, epsilon=Fraction(1, 50), delta=Fraction(49, 50)), outside)
