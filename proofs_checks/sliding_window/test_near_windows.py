"""Theorem 6 of `sliding-window`: windows that few changes take into each other have an answer in common."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.near_windows import NearWindows
from proofs_checks.exact_matrices import conjugated, diagonal, line, rotation

theorem_6 = cite("sliding-window.theorem-6@0da31879")

HALF, LARGE = Fraction(1, 2), Fraction(98, 100)
FIVE_HALVES = Fraction(5, 2)


def turned(length, end, changes, **fields) -> NearWindows:
    """Take the rows (M, -g/2) and (M, g/2), or others, and the lines along them."""
    first, second = fmpq_mat([[length, -end]]), fmpq_mat([[length, end]])
    return NearWindows(
        first,
        second,
        line(*(first * 2).entries()),
        line(*(second * 2).entries()),
        changes,
        **{"epsilon": 1, "delta": HALF, "failure": LARGE, "constant": FIVE_HALVES} | fields,
    )


SPANS = turned(10**3, fmpq(1, 2), 1)
PAPER = turned(10**3, 5, 10, delta=Fraction(1, 10**6))
FREE = attrs.evolve(SPANS, chosen=line(1, 0), other=line(1, 0), second=fmpq_mat([[50, 0]]), first=fmpq_mat([[50, 1]]))
OUTSIDE = {
    "P and X are projections of rank k": NearWindows(
        fmpq_mat([[50, fmpq(1, 2)]]),
        fmpq_mat([[50, 0]]),
        line(0, 1),
        identity(2) - diagonal((0, 100)),
        1,
        1,
        HALF,
        LARGE,
        FIVE_HALVES,
    ),
    "|A - A'|_F <= g": turned(10**3, 5, 1),
    "g <= max(1, log(1/delta)/eps)": turned(10**3, 5, 10),
    "|A(1-P)|_F <= |A(1-X)|_F": attrs.evolve(SPANS, chosen=line(0, 1)),
    "epsilon > 0": attrs.evolve(SPANS, epsilon=0),
    "epsilon <= 1": attrs.evolve(SPANS, epsilon=5),
    "delta > 0": attrs.evolve(SPANS, delta=0),
    "delta <= 1/2": attrs.evolve(SPANS, delta=Fraction(9, 10)),
    "failure > 0": attrs.evolve(SPANS, failure=0),
    "failure < 1": attrs.evolve(SPANS, failure=Fraction(5, 2)),
}


def shared(p: NearWindows):
    """|A'(1 - X)| + c log(1/delta)/eps sqrt(d log d (k + log(1/beta))) - |A'(1 - P)|, from the entries."""
    costs = []
    for projection in (p.other, p.chosen):
        rest = p.second - p.second * projection
        costs.append(mpmath.sqrt(sum((real(entry) ** 2 for entry in rest.entries()), mpmath.mpf(0))))
    d, rank = p.second.ncols(), p.chosen.rank()
    extra = real(p.constant) * -mpmath.log(real(p.delta)) / real(p.epsilon)
    extra *= mpmath.sqrt(d * mpmath.log(d) * (rank - mpmath.log(real(p.failure))))
    return costs[0] + extra - costs[1]


@theorem_6.supports(
    "two-windows", grade="derived", region="every A, A', P, X and beta, eps <= 1, delta <= 1/2: the triangle inequality"
)
def test_near_windows_have_an_answer_in_common(statement) -> None:
    """|A'(1-P)| <= |A(1-P)| + |(A-A')(1-P)| <= |A(1-X)| + g <= |A'(1-X)| + 2g, as 1 - P and 1 - X are contractions.

    For k = 0 and for k = d both sides are equal. Otherwise d >= 2 and k >= 1, so that the additive term is at least 5/2
    sqrt(2 log 2) log(1/delta)/eps. That exceeds 2g for g <= log(1/delta)/eps, as 5/2 sqrt(2 log 2) > 2, and for g <= 1,
    as log(1/delta)/eps >= log 2.
    """
    least = sympy.Rational(5, 2) * sympy.sqrt(2 * sympy.log(2))
    assert least > 2
    assert least * sympy.log(2) > 2
    draws = random.Random(6)
    values = []
    with mpmath.workdps(60):
        for order, rows, failure in product((2, 3), (1, 3), (Fraction(1, 50), LARGE)):
            first = fmpq_mat(rows, order, [fmpq(draws.randint(-9, 9), 4) for _ in range(rows * order)])
            step = fmpq_mat(rows, order, [fmpq(draws.randint(-9, 9), 40) for _ in range(rows * order)])
            kept = [1] * (order - 1) + [0]
            some, other = (conjugated(kept, rotation(draws, order, 7)) for _ in range(2))
            p = NearWindows(first, first + step, some, other, 1, 1, HALF, failure, Fraction(1, 7))
            values += [(each, shared(each)) for each in (p, attrs.evolve(p, chosen=other, other=some, epsilon=HALF))]
        for p in (SPANS, PAPER, attrs.evolve(PAPER, constant=HALF), *list(OUTSIDE.values())[:4]):
            values.append((p, shared(p)))
        assert any(value < 0 for _, value in values)
        bind(statement, values)
    bests = [attrs.evolve(SPANS, first=fmpq_mat([[1, 0], [0, 1]]), second=fmpq_mat([[1, 0], [0, x]])) for x in (1, 2)]
    for p in (SPANS, PAPER, FREE, *bests, attrs.evolve(SPANS, chosen=identity(2), other=identity(2))):
        assert statement.at(p) is Truth.TRUE
    assert [one.exhibited for one in statement.exists] == [rational(FIVE_HALVES)]
    assert not statement.strict
    for inside in (SPANS, FREE, attrs.evolve(SPANS, epsilon=Fraction(1, 50)), attrs.evolve(PAPER, changes=13)):
        bind_hypotheses(statement, inside, OUTSIDE)
    for says in ("P and X are projections of rank k", "|A(1-P)|_F <= |A(1-X)|_F", "|A - A'|_F <= g"):
        assert statement.without(says).at(OUTSIDE[says]) is Truth.FALSE
    for says in ("g <= max(1, log(1/delta)/eps)", "epsilon <= 1", "delta <= 1/2", "failure < 1"):
        assert statement.without(says).at(OUTSIDE[says]) is Truth.FALSE
    assert statement.applies(attrs.evolve(PAPER, changes=14)) is Truth.FALSE, "log(10^6) = 13.8"
    assert statement.applies(turned(10**3, 6, 10, delta=Fraction(1, 10**6))) is Truth.FALSE, "A - A' has norm 12"
    taller = fmpq_mat([[1000, fmpq(1, 2)], [0, 0]])
    for fields in ({"changes": Fraction(21, 20)}, {"failure": 1}, {"other": identity(2)}, {"second": taller}):
        assert statement.applies(attrs.evolve(SPANS, **fields)) is Truth.FALSE


@theorem_6.controls("two-windows", grade="interval", region="c = 1 for c = 5/2; no term for beta; three changes")
def test_a_smaller_additive_term_is_not_enough(statement) -> None:
    assert statement.at(SPANS) is Truth.TRUE
    assert statement.exhibits(constant=1).at(attrs.evolve(SPANS, constant=1)) is Truth.FALSE
    three = turned(10**3, fmpq(3, 2), 3)
    assert statement.applies(three) is Truth.FALSE
    assert statement.without("g <= max(1, log(1/delta)/eps)").at(three) is Truth.FALSE
