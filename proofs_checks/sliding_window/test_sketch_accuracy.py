"""Lemma 2 and Corollary 1 of `sliding-window`: the law of the printed output."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import mpmath
from flint import arb, fmpq, fmpq_mat
from scipy.special import betainc

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
    ridge,
    small_outputs,
    whole_above,
)

lemma_2 = cite("sliding-window.lemma-2@ef53d955")
corollary_1 = cite("sliding-window.corollary-1@5fc59cfb")

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


def check_shortest_direction() -> None:
    """Check the shortest w for three draws of two rows in four dimensions: A~(e_1 + w) = 0, |w|^2 = f'(B B')^-1 f."""
    for shift in (1, 2, 5):
        others = fmpq_mat(2, 3, [fmpq((7 * i + shift) % 5 - 2) for i in range(6)])
        first = fmpq_mat(2, 1, [3, shift])
        inverse = (others * others.transpose()).inv()
        w = -others.transpose() * inverse * first
        assert first + others * w == fmpq_mat(2, 1)
        assert (w.transpose() * w) == first.transpose() * inverse * first
        # any other one differs by a vector that the rows of B do not see, which is orthogonal to w
        unseen = fmpq_mat(3, 1, [1, -2, 3]) - others.transpose() * inverse * others * fmpq_mat(3, 1, [1, -2, 3])
        assert others * unseen == fmpq_mat(2, 1)
        assert (unseen.transpose() * w)[0, 0] == 0


def lost_by_hand(p: OneRowOutput) -> float:
    """Pr(chi^2_m <= t chi^2_(d-m)), t = (M^2/extra - 1)/(1 + M^2/sigma^2), as that of a Beta variable."""
    size, window = int(4 * p.rank / p.eta), float(p.row) ** 2
    extra = float(p.constant) * p.rank * -math.log(p.delta) / float(p.epsilon) ** 2
    most = (window / extra - 1) / (1 + window / float(ridge(p)))
    return betainc(size / 2, (p.dimension - size) / 2, most / (1 + most))


@corollary_1.refutes(
    grade="derived",
    region="the row 1, d = 1, eps = 1/(1000 max(1, c)): every c; eps = r = 1, eta = 1/4, delta = 10^-6, M = 1000 s, "
    "d = 16 (1 + s), s = ceil(c): every c",
)
def test_both_bounds_of_corollary_1_fail(statement) -> None:
    """For the row 1 S = (sigma^2 + 1) chi^2_m/m, and the upper bound is (1 + eta)(1 + c r log(1/delta)/eps).

    At eps = 1/(1000 C), C = max(1, c), sigma^2 is at least 256 r log(4/delta) 10^6 C^2 and the bound at eta = 1/4 at
    most (5/4 + 1250 r log(1/delta)) C^2, so that S would have to be below 1/200 of its mean, for every c alike.

    For M e_1 and d > m let f be the first column of A~ and B the others, sigma/sqrt(m) times m x (d - 1) independent
    normal variates. B has rank m; w = -B'(BB')^-1 f is the shortest with f + Bw = 0. f'(BB')^-1 f = |f|^2/(sigma^2/m
    chi^2_(d-m)) for independent f, as 1/v'S^-1v of a Wishart S of n degrees has the law chi^2_(n-m+1)/|v|^2, and m|f|^2
    = (sigma^2 + M^2) chi^2_m. With u = e_1 + w A~u = 0, and the lower bound is positive if M^2 > extra (1 + |w|^2). In
    the family sigma^2/extra > 400/c, and chi^2_16/chi^2_(16 s) would have to exceed 300/c.
    """
    check_shortest_direction()

    def wide(constant):
        size = whole_above(constant)
        return attrs.evolve(BLIND, constant=constant, row=1000 * size, dimension=16 * (1 + size))

    statement.refute(wide)
    seen = attrs.evolve(BLIND, constant=100, row=10**5, dimension=32)
    assert statement.at(seen) is Truth.FALSE
    corollary_1.tells("has the probability {} for c = 100 and d = 32, and", 1 - statement.law.quantity(seen).upper())
    alone = attrs.evolve(seen, dimension=1)
    corollary_1.tells("is outside of 1 +- eta with probability {}, for every c", 1 - statement.law.quantity(alone))
    assert statement.at(alone) is Truth.FALSE
    assert statement.at(attrs.evolve(seen, constant=1000, dimension=160)) is Truth.FALSE
    for constant, dimension, row in (
        (100, 32, 10**5),
        (10**4, 32, 10**5),
        (300, 24, 1000),
        (1000, 18, 500),
        (20, 17, 60),
        (1000, 166, 166),
        (1000, 616, 126),
    ):
        p = attrs.evolve(BLIND, constant=constant, dimension=dimension, row=row)
        first = statement.law.quantity(attrs.evolve(p, dimension=1))
        most = min(float(first), 1 - lost_by_hand(p))
        assert abs(float(statement.law.quantity(p).upper()) - most) < 1e-6
    less = {"row": 115, "constant": 1000, "dimension": 316}
    for short in (attrs.evolve(seen, **each) for each in ({"row": 30}, {"row": 60, "constant": 3000}, less)):
        first = statement.law.quantity(attrs.evolve(short, dimension=1))
        assert abs(float(statement.law.quantity(short).upper() - first)) < 1e-6, "M^2 is below the error: none is lost"
        assert not statement.law.quantity(short).contains(-arb(1) / 20)
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
    for inside in (BLIND, attrs.evolve(BLIND, row=0)):
        bind_hypotheses(statement, inside, ONE_ROW_OUTSIDE | {"eta < 3/8": attrs.evolve(BLIND, eta=Fraction(3, 8))})
    assert statement.applies(attrs.evolve(BLIND, eta=Fraction(4, 11))) is Truth.TRUE, "4/11 < 3/8"
    assert statement.applies(attrs.evolve(BLIND, eta=Fraction(4, 10))) is Truth.FALSE
