"""Theorem 7 of `sliding-window`: (23)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window.constrained_choice import ConstrainedChoice
from proofs_checks.exact_matrices import line

theorem_7 = cite("sliding-window.theorem-7@c989c9b7")

LINES = (line(1, 0), line(0, 1), line(3, 4))


def choice(a, b, chosen, minimiser, gamma) -> ConstrainedChoice:
    return ConstrainedChoice(diagonal((a, b)), LINES, LINES[chosen], LINES[minimiser], gamma)


def cost(a, b, place) -> Fraction:
    """|A~(1 - X)|^2 for diag(a, b) and one of the lines."""
    return (Fraction(b * b), Fraction(a * a), Fraction(16 * a * a + 9 * b * b, 25))[place]


BEST = choice(2, 1, 0, 0, 1)


@theorem_7.supports("equation-23", grade="derived", region="every Pi, P and gamma: (21) at X = P~")
def test_equation_23_is_a_case_of_21(statement) -> None:
    """(21) says |A~(1 - P)| <= gamma |A~(1 - X)| for all X in Pi, and P~ is one of them."""
    values = []
    for a, b, p, x, gamma in product((1, 3), (2, 3), range(3), range(3), (1, Fraction(7, 5))):
        point = choice(a, b, p, x, gamma)
        values.append((point, gamma**2 * cost(a, b, x) - cost(a, b, p)))
        if statement.applies(point) is Truth.TRUE:
            assert statement.at(point) is Truth.TRUE
    bind(statement, values)
    assert statement.at(BEST) is Truth.TRUE
    apart = attrs.evolve(BEST, minimiser=identity(2))
    worse = choice(2, 1, 1, 0, Fraction(19, 10))
    outside = {"gamma >= 1": attrs.evolve(BEST, gamma=Fraction(49, 50)), "P~ is in Pi": apart, "(21)": worse}
    for inside in (BEST, choice(2, 1, 1, 0, 2), choice(1, 1, 2, 1, Fraction(51, 50))):
        bind_hypotheses(statement, inside, outside)
    assert statement.conclusion(apart) is Truth.FALSE, "the cost of I is 0"
    assert statement.conclusion(worse) is Truth.FALSE
    assert not statement.strict
