"""`near-optimal.figure-2`: the mean of the states of a Gibbs chain."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.gibbs_traces import Antipodes, Chain

figure_2 = cite("near-optimal.figure-2@13afb448")


def test_four_columns_of_signs_have_mean_square_one_over_t():
    """All sign sequences of two columns of a frozen plane over up to four steps, and of one column over up to seven."""
    for count, most in ((1, 7), (2, 4)):
        for steps in range(1, most + 1):
            total = Fraction(0)
            for signs in product((-1, 1), repeat=count * steps):
                sums = [sum(signs[column::count]) for column in range(count)]
                # The columns are orthonormal, so the squared norm of the sum is that of its coordinates.
                total += Fraction(sum(value**2 for value in sums), count * steps**2)
            assert total / 2 ** (count * steps) == Fraction(1, steps)


@figure_2.refutes(
    grade="derived", region="k = 1, 4, 11, every k: the docstring, 20,000 steps; signs enumerated for short chains"
)
def test_a_frozen_chain_passes_the_diagnosis(statement):
    """Column r of X(t) is s_r(t) v_r with fair independent signs: E F^2 = (1 / (k T^2)) sum over r and t of 1."""
    test_four_columns_of_signs_have_mean_square_one_over_t()
    bind(statement, [(Chain(k), Fraction(1, 20_000) - Fraction(1, 100) ** 2) for k in range(1, 26)])
    assert all(statement.at(Chain(k)) is Truth.FALSE for k in (1, 4, 11))
    bind_hypotheses(statement, Chain(4), {"columns >= 1, an integer": Chain(0)})


@figure_2.supports_repair(
    grade="derived",
    region="every chain with fresh signs, by the derivation in the docstring; signs enumerated for short ones",
)
@figure_2.controls("+repair", grade="symbolic", region="half of the steps")
def test_mean_square_of_a_chain_with_fresh_signs(statement):
    """Hoff's sampler draws a column as N E y, the signs of y uniform and independent of N, E, |y| and the past.

    So the column has mean 0 given the past, and for s < t the product of the column at t with that at s has mean 0:
    E |X(1) + ... + X(T)|_F^2 = sum over t of E |X(t)|_F^2 = k T, whatever the start. `audit` measures it.
    """
    test_four_columns_of_signs_have_mean_square_one_over_t()
    expected = Fraction(1, 2) - Fraction(1, 20_000) / Fraction(1, 100) ** 2
    assert expected == 0
    bind(statement, [(Chain(k), expected) for k in range(1, 26)])
    assert all(statement.at(Chain(k)) is Truth.TRUE for k in (1, 4, 11))
    bind_hypotheses(statement, Chain(4), {"columns >= 1, an integer": Chain(0)})
    # Control: at 10,000 steps the bound is 1, a half more than 1/2.
    assert statement.nudged(lambda margin: margin - fmpq(1, 2)).at(Chain(4)) is Truth.FALSE


@figure_2.supports(
    "mean-zero", grade="derived", region="every B and V: (-x)^2 = x^2 entry by entry; bound at 25 points"
)
def test_antipodes_have_the_same_density(statement):
    """``(-x)^2 = x^2`` entry by entry; B is diagonal in its eigenvectors."""
    x = sympy.symbols("x", real=True)
    assert sympy.expand((-x) ** 2 - x**2) == 0
    points = [
        Antipodes((Fraction(3), Fraction(b, 7)), ((Fraction(a, 5), Fraction(1, 3)), (Fraction(2), Fraction(a * b))))
        for a in range(1, 6)
        for b in range(1, 6)
    ]
    bind(statement, [(p, Fraction(0)) for p in points])
    assert all(statement.at(p) is Truth.TRUE for p in points)
    assert statement.nudged(lambda margin: margin - 1).at(points[0]) is Truth.FALSE
