"""`near-optimal.figure-2`: the mean of the states of a Gibbs chain."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, product
from math import comb, isqrt

import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import fraction
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import gibbs_traces
from dpmatrix.spec.near_optimal.gibbs_traces import Antipodes, FlippedStates, StuckChain, exponent_of
from proofs_checks.near_optimal.conditions import bind_condition

figure_2 = cite("near-optimal.figure-2@11916ec4")

STEPS = 20_000
FIFTHS = ((Fraction(3, 5), Fraction(4, 5)), (Fraction(-4, 5), Fraction(3, 5)), (Fraction(1), Fraction(0)))
THIRDS = ((Fraction(1, 3), Fraction(2, 3), Fraction(-2, 3)), (Fraction(2, 3), Fraction(2, 3), Fraction(1, 3)))


def passing(columns: int) -> Fraction:
    """Count sequences of signs: sums 2 s and 2 t with s^2 (+ t^2) < 10,000 for each column."""
    half, limit = STEPS // 2, 10_000 * columns
    ways = [comb(STEPS, half)]  # of the sum 2 s, and of -2 s
    for s in range(142):
        ways.append(ways[-1] * (half - s) // (half + s + 1))
    within = list(accumulate((2 * count for count in ways[1:]), initial=ways[0]))  # of a sum from -2 s to 2 s
    if columns == 1:
        return Fraction(within[isqrt(limit - 1)], 2**STEPS)
    most = [isqrt(limit - 1 - s * s) for s in range(142)]
    total = sum((1 if s == 0 else 2) * ways[s] * within[t] for s, t in enumerate(most))
    return Fraction(total, 4**STEPS)


@figure_2.refutes(grade="interval", region="k = 1, 2, 4: the law of the sums of signs, against a count for k = 1 and 2")
def test_a_frozen_chain_passes_the_diagnosis(statement):
    """Column r of X(t) is s_r(t) v_r with fair independent signs, so k T^2 F^2 is a sum of k squared sums of signs."""
    for columns in (1, 2):
        exact = passing(columns)
        margin = statement.margin(StuckChain(columns))
        expected = Fraction(1, 2) - exact
        assert abs(margin - arb(fmpq(expected.numerator, expected.denominator))) < arb("1e-9")
        assert statement.at(StuckChain(columns)) is Truth.FALSE
    assert statement.margin(StuckChain(4)) < arb("-0.4")
    most, four = Fraction(200, STEPS), arb(1) / 2 - statement.margin(StuckChain(4))
    figure_2.tells("has F({}) < {} with probability {} for k = 1 and {} for k = 4", STEPS, most, passing(1), four)
    bind_hypotheses(statement, StuckChain(4), {"columns >= 1, an integer": StuckChain(0)})


def paths() -> list[FlippedStates]:
    two = [FlippedStates(choice) for steps in (1, 2, 3) for choice in product(FIFTHS, repeat=steps)]
    return two + [FlippedStates(choice) for steps in (1, 2, 3) for choice in product(THIRDS, repeat=steps)]


def square_sum(p: FlippedStates) -> Fraction:
    return sum(value**2 for state in p.states for value in state)


OUTSIDE = {
    "T >= 1 states of one length": FlippedStates((FIFTHS[0], THIRDS[0])),
    "each state has norm 1": FlippedStates((FIFTHS[0], (Fraction(1), Fraction(1, 9)))),
}


@figure_2.supports_repair(
    grade="derived",
    region="every chain with fresh signs, by the derivation in the docstring; signs enumerated for up to three steps",
)
def test_mean_square_of_a_chain_with_fresh_signs(statement):
    """In E (s_1 x_1 + ... + s_T x_T)^2 the products of different s vanish, and x_1^2 + ... + x_T^2 is left.

    Summed over the coordinates of unit vectors that is T, and F^2 is its T^2-th part. Hoff's sampler draws a column as
    N E y, the signs of y uniform and independent of N, E, |y| and the past: given the past the column has mean 0, so
    that products of states at different times vanish in the mean as they do here, whatever the start, and for k columns
    E |X(1) + ... + X(T)|_F^2 = k T. `audit` measures it.
    """
    x, y, z = sympy.symbols("x y z")
    total = sum((a * x + b * y + c * z) ** 2 for a, b, c in product((-1, 1), repeat=3))
    assert sympy.expand(total / 8 - (x**2 + y**2 + z**2)) == 0
    long, short = STEPS, STEPS // 2
    roots = [sympy.sqrt(sympy.Rational(1, steps)) for steps in (long, short)]
    figure_2.tells("{} squared at T = {}, and F({}) has a root mean square of {}:", roots[0], long, short, roots[1])
    bind(statement, [(p, Fraction(0)) for p in paths()])
    assert all(statement.at(p) is Truth.TRUE for p in paths())
    longer = [FlippedStates(tuple(tuple(k * x for x in state) for state in p.states)) for p in paths() for k in (2, 3)]
    bind(statement, [(p, -abs(square_sum(p) / len(p.states) ** 2 - Fraction(1, len(p.states)))) for p in longer])
    bind_hypotheses(statement, paths()[5], OUTSIDE)
    shape, unit = (given.says for given in statement.given)
    nothing = FlippedStates(())
    bind_condition(statement, shape, [(nothing, -1), (OUTSIDE[shape], -1), *((p, 0) for p in paths())])
    bind_condition(statement, unit, [(nothing, -1), (OUTSIDE[unit], -Fraction(1, 81)), *((p, 0) for p in paths())])
    assert not statement.strict


@figure_2.controls("+repair", grade="symbolic", region="one state that is twice as long; a chain that keeps its signs")
def test_other_chains_have_another_mean_square(statement):
    """Without fresh signs the square of the mean of T equal states is 1, not 1/T."""
    doubled = FlippedStates(((Fraction(2), Fraction(0)), FIFTHS[0]))
    assert statement.without("each state has norm 1").at(doubled) is Truth.FALSE

    def kept(p):
        sums = [sum(coordinate) for coordinate in zip(*p.states, strict=True)]
        gap = Fraction(sum(value**2 for value in sums), len(p.states) ** 2) - Fraction(1, len(p.states))
        return -abs(arb(fmpq(gap.numerator, gap.denominator)))

    assert statement.nudged(margin=kept).at(FlippedStates((FIFTHS[0], FIFTHS[0]))) is Truth.FALSE


POINTS = [
    Antipodes((Fraction(3), Fraction(b, 7)), ((Fraction(a, 5), Fraction(1, 3)), (Fraction(2), Fraction(a * b))))
    for a in range(1, 6)
    for b in range(1, 6)
]


@figure_2.supports(
    "mean-zero", grade="derived", region="every B and V: (-x)^2 = x^2 entry by entry; bound at 25 points"
)
def test_antipodes_have_the_same_density(statement):
    """``(-x)^2 = x^2`` entry by entry; B is diagonal in its eigenvectors."""
    x = sympy.symbols("x", real=True)
    assert sympy.expand((-x) ** 2 - x**2) == 0
    bind(statement, [(p, Fraction(0)) for p in POINTS])
    assert all(statement.at(p) is Truth.TRUE for p in POINTS)
    for p in POINTS:
        expected = sum(b * sum(x**2 for x in row) for b, row in zip(p.exponents, p.rows, strict=True))
        assert fraction(exponent_of(p, 1)) == fraction(exponent_of(p, -1)) == expected


@figure_2.controls("mean-zero", grade="symbolic", region="the density exp(tr B'V), linear in V")
def test_a_linear_density_tells_antipodes_apart(statement):
    """The exponents of V and -V differ by twice the linear form."""

    def linear(p, sign):
        value = sum((b * sign * x for b, row in zip(p.exponents, p.rows, strict=True) for x in row), Fraction(0))
        return fmpq(value.numerator, value.denominator)

    other = redefined(statement, gibbs_traces, "exponent_of", linear)
    sums = [(p, sum(b * sum(row) for b, row in zip(p.exponents, p.rows, strict=True))) for p in POINTS]
    bind(other, [(p, -2 * abs(value)) for p, value in sums])
    assert other.at(POINTS[0]) is Truth.FALSE
