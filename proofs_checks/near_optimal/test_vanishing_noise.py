"""Figure 5 of `near-optimal`: MOD-SULQ as epsilon grows."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.spec.near_optimal.vanishing_noise import NoisyTop
from proofs_checks.exact_matrices import diagonal, line
from proofs_checks.near_optimal.conditions import bind_condition

figure_5 = cite("near-optimal.figure-5@da3232ce")

HALF = Fraction(1, 2)
NOISES = [
    ModSulq(d, n, epsilon, delta)
    for d, n in ((1, 3), (2, 1), (10, 5000))
    for epsilon, delta in product((1, Fraction(3, 2), 7, 400), (Fraction(1, 20), Fraction(1, 3)))
]
REAL = "delta <= (d^2 + d)/(2 sqrt(2 pi))"


def beta(p: ModSulq, epsilon) -> mpmath.mpf:
    d, e = p.dimension, real(epsilon)
    root = mpmath.sqrt(2 * mpmath.log((d**2 + d) / (real(p.delta) * 2 * mpmath.sqrt(2 * mpmath.pi))))
    return ((d + 1) / e * root + 1 / mpmath.sqrt(e)) / p.records


@figure_5.supports(
    "noise-vanishes", grade="derived", region="every n, d, delta and epsilon >= 1: the docstring; bound at 24 points"
)
@figure_5.controls("noise-vanishes", grade="interval", region="epsilon below 1; 1/epsilon in place of 1/sqrt(epsilon)")
def test_noise_of_mod_sulq_vanishes(statement) -> None:
    """N beta(eps) = a/eps + 1/sqrt(eps) with an a >= 0 in which epsilon is not: a/eps <= a/sqrt(eps) for eps >= 1."""
    a, e = sympy.symbols("a e", positive=True)
    gap = (a + 1) / sympy.sqrt(e) - (a / e + 1 / sympy.sqrt(e))
    assert sympy.simplify(gap - a * (sympy.sqrt(e) - 1) / e) == 0
    bind_formula(statement, NOISES, lambda p: beta(p, 1) / mpmath.sqrt(real(p.epsilon)) - beta(p, p.epsilon))
    # At epsilon = 1 both sides are the same.
    assert all(statement.applies(p) is Truth.TRUE for p in NOISES)
    assert all(statement.at(p) is Truth.TRUE for p in NOISES if p.epsilon > 1)
    assert all(statement.is_equality(p) for p in NOISES if p.epsilon == 1)
    inside = NOISES[3]
    low = attrs.evolve(inside, epsilon=HALF)
    outside = {
        "dimension >= 1, an integer": attrs.evolve(inside, dimension=0),
        "records >= 1, an integer": attrs.evolve(inside, records=-1),
        "delta > 0": attrs.evolve(inside, delta=0),
        "delta < 1": attrs.evolve(inside, delta=1),
        "epsilon >= 1": low,
        REAL: ModSulq(1, 3, 2, Fraction(9, 10)),
    }
    bind_hypotheses(statement, inside, outside)
    assert statement.without("epsilon >= 1").at(low) is Truth.FALSE
    assert (
        statement.nudged(
            margin=lambda p: statement.formula(p) - statement.formula(attrs.evolve(p, epsilon=400)) * 1000
        ).at(inside)
        is Truth.FALSE
    )
    assert not statement.strict


AXES = (diagonal([1, 0, 0]), diagonal([0, 1, 0]), diagonal([1, 1, 0]), diagonal([0, 1, 1]))
LINES = (line(1, 1, 0), line(2, -1, 2), line(3, 0, 4))
A = diagonal([Fraction(3, 5), Fraction(3, 10), Fraction(1, 10)])
N = fmpq_mat([[-4, 1, 0], [1, 3, 2], [0, 2, 1]])
TOPS = [
    NoisyTop(A, N * fmpq(scale, 20), p, q)
    for scale in (1, 3, 8)
    for p, q in (*product((*AXES[:2], *LINES), LINES[:2]), (AXES[2], AXES[3]), (AXES[3], AXES[2]))
]
PROJECTIONS, BEST = "P and Q are orthogonal projections of one rank", "tr P(A + N) >= tr Q(A + N)"


def number(value) -> mpmath.mpf:
    return mpmath.mpf(int(value.p)) / int(value.q)


def entries(x: fmpq_mat):
    return [(i, j, number(x[i, j])) for i, j in product(range(x.nrows()), range(x.ncols()))]


def inner(x: fmpq_mat, y: fmpq_mat) -> mpmath.mpf:
    return mpmath.fsum(value * number(y[j, i]) for i, j, value in entries(x))


def exact(x: fmpq_mat, t: NoisyTop) -> Fraction:
    """``tr X(A + N)``, entry by entry."""
    values = ((x[i, j], t.matrix[j, i] + t.noise[j, i]) for i, j in product(range(3), repeat=2))
    return sum(Fraction(int(a.p), int(a.q)) * Fraction(int(b.p), int(b.q)) for a, b in values)


def trace_norm(t: NoisyTop) -> arb:
    return sum((arb(entry) ** 2 for entry in t.noise.entries()), arb(0)).sqrt()


@figure_5.supports(
    "little-noise-little-loss",
    grade="derived",
    region="every A, N and two projections of one rank: the docstring; 36 of them",
)
@figure_5.controls(
    "little-noise-little-loss", grade="interval", region="a choice that is not the best; less noise allowed"
)
def test_little_noise_costs_little(statement) -> None:
    """Tr (Q - P)A = tr (Q - P)(A + N) - tr (Q - P)N <= |Q - P|_F |N|_F, by Cauchy and Schwarz.

    And |Q - P|_F^2 = tr Q + tr P - 2 tr PQ <= 2k, as tr PQ = |PQ|_F^2 >= 0.
    """
    p, q = (sympy.Matrix(2, 2, sympy.symbols(f"{name}a {name}b {name}b {name}c", real=True)) for name in "pq")
    difference = ((q - p) * (q - p)).trace() - ((q * q).trace() + (p * p).trace() - 2 * (p * q).trace())
    assert sympy.expand(difference) == 0

    def formula(t: NoisyTop) -> mpmath.mpf:
        size = mpmath.sqrt(mpmath.fsum(value**2 for _, _, value in entries(t.noise)))
        rank = mpmath.fsum(number(t.chosen[i, i]) for i in range(3))
        return mpmath.sqrt(2 * rank) * size - inner(t.other, t.matrix) + inner(t.chosen, t.matrix)

    bind_formula(statement, TOPS, formula)
    held = [t for t in TOPS if statement.applies(t) is Truth.TRUE]
    assert len(held) >= 12
    assert all(statement.at(t) is Truth.TRUE for t in held)
    worse = NoisyTop(A, N * fmpq(1, 1000), AXES[1], AXES[0])
    # A + N has the diagonal 0.4, 0.45, 0.15, and no projection is diag(1, -0.9, 0) times 100.
    longer = NoisyTop(A, N * fmpq(1, 20), AXES[0], AXES[0] + diagonal([100, -90, 0]))
    bind_hypotheses(statement, held[0], {PROJECTIONS: longer, BEST: worse})
    for says, point in ((PROJECTIONS, longer), (BEST, worse)):
        assert statement.without(says).at(point) is Truth.FALSE
    bind_condition(statement, BEST, [(t, exact(t.chosen, t) - exact(t.other, t)) for t in TOPS])
    double = [(NoisyTop(A, N, p * fmpq(c), p), -abs(c * c - c) - abs(c - 1)) for p in AXES[:2] for c in range(-5, 6)]
    oblique = NoisyTop(A, N, fmpq_mat([[1, 1, 0], [0, 0, 0], [0, 0, 0]]), AXES[0])
    bind_condition(statement, PROJECTIONS, [*((t, Fraction(0)) for t in TOPS), *double, (oblique, -2)])
    assert not statement.strict
    less = statement.nudged(margin=lambda t: statement.formula(t) - trace_norm(t) * 2)
    assert any(less.at(t) is Truth.FALSE for t in held)
