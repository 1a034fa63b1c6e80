"""Lemma 2 and Corollary 1 of `sliding-window`: the law of the printed output."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
from flint import arb, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.one_row_output import OneRowOutput
from proofs_checks.sliding_window.one_row_outputs import (
    BLIND,
    ONE_ROW_OUTSIDE,
    by_hand,
    lemma_2_ends,
    small_outputs,
)

lemma_2 = cite("sliding-window.lemma-2@5f356f81")
corollary_1 = cite("sliding-window.corollary-1@c73714eb")

HALF = Fraction(1, 2)
TENTH = Fraction(1, 10)


@lemma_2.refutes(grade="derived", region="r = 1, eta = 1/4, d = 17: every c, with probability one")
def test_some_direction_is_not_seen(statement) -> None:
    """Here m rows in d > m dimensions leave a direction u with A~u = 0, where the lower bound is positive.

    So for every c the bounds hold with probability zero at m = 16, d = 17. Exact matrices show it for one draw.
    """
    statement.refute(lambda constant: attrs.evolve(BLIND, constant=constant))
    base = fmpq_mat([[*(int(i == j) for j in range(16)), i - 7] for i in range(16)])
    unseen = fmpq_mat([[7 - i] for i in range(16)] + [[1]])
    assert (base * unseen).rank() == 0, "Phi = (I, v) and u = (-v, 1)"
    assert statement.conclusion(attrs.evolve(BLIND, dimension=1, constant=300)) is Truth.FALSE, "d = 1: (9) is rare"
    for dimension in (2, 16):
        quantity = statement.law.quantity(attrs.evolve(BLIND, dimension=dimension, constant=32))
        assert arb(1) / 50 < quantity.upper() < arb(1) / 2, "at most that of one direction"
        assert quantity.contains(0)
        assert not quantity.contains(-arb(1) / 20)
    with mpmath.workdps(60):
        bind(statement, ((p, by_hand(p, *lemma_2_ends(p, 1)) - 1 + real(p.failure)) for p in small_outputs()))
    assert not statement.strict
    outside = ONE_ROW_OUTSIDE | {
        "failure > 0": attrs.evolve(BLIND, failure=0),
        "failure < 1": attrs.evolve(BLIND, failure=1),
    }
    for inside in (BLIND, attrs.evolve(BLIND, row=3)):
        bind_hypotheses(statement, inside, outside)


NEAR_ZERO = [OneRowOutput(1, HALF, 1, 1, Fraction(1, 50), 1, Fraction(each, 100), TENTH) for each in (24, 25, 26, 27)]
"""Where M^2 = 1 and c log(1/delta) differ by less than a tenth: the lower end is just above zero, or just below."""


@corollary_1.refutes(grade="derived", region="the row 1, d = 1, eps = 1/(1000 max(1, c)): every c")
def test_epsilon_must_be_squared(statement) -> None:
    """For the row 1 S = (sigma^2 + 1) chi^2_m/m, and the upper bound is (1 + eta)(1 + c r log(1/delta)/eps).

    At eps = 1/(1000 C), C = max(1, c), sigma^2 is at least 256 r log(4/delta) 10^6 C^2 and the bound at eta = 1/4 at
    most (5/4 + 1250 r log(1/delta)) C^2, so that S would have to be below 1/200 of its mean, for every c alike.
    """
    line = attrs.evolve(BLIND, dimension=1, failure=TENTH)
    statement.refute(
        lambda constant: attrs.evolve(
            line, constant=constant, epsilon=1 / (1000 * max(rational(1), rational(constant)))
        )
    )
    assert statement.conclusion(attrs.evolve(line, constant=10**6)) is Truth.TRUE, "eps = 1 and a large c"

    def expected(p):
        log = -mpmath.log(real(p.delta))
        extra = real(p.constant) * p.rank * log / real(p.epsilon) ** 2
        window, e = real(p.row) ** 2, real(p.eta)
        return by_hand(p, (1 - e) * (window - extra), (1 + e) * (window + extra * real(p.epsilon))) - mpmath.mpf(9) / 10

    with mpmath.workdps(60):
        bind(statement, ((p, expected(p)) for p in (*small_outputs(), *NEAR_ZERO)))
    assert not statement.strict
    bind_hypotheses(statement, BLIND, ONE_ROW_OUTSIDE | {"eta < 3/8": attrs.evolve(BLIND, eta=Fraction(3, 8))})
    assert statement.applies(attrs.evolve(BLIND, eta=Fraction(4, 11))) is Truth.TRUE, "4/11 < 3/8"
    assert statement.applies(attrs.evolve(BLIND, eta=Fraction(4, 10))) is Truth.FALSE
