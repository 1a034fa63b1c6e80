"""SULQ of `near-optimal`: noise of its own on every entry leaves no symmetric matrix."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import noisy_symmetry as module
from dpmatrix.spec.near_optimal.noisy_symmetry import NearSymmetry, NoisyMatrix, turned

sulq = cite("near-optimal.sulq@b7bd26d6")

NEAR = [
    NearSymmetry(d, b, t)
    for d, b, t in product((1, 2, 3, 5), (Fraction(1, 3), 2), (Fraction(1, 100), Fraction(1, 2), 3))
]
INSIDE = NEAR[6]


@sulq.supports(
    "never-symmetric", grade="derived", region="every d >= 2, deviation and t: the docstring; bound at 24 points"
)
def test_noise_on_every_entry_breaks_the_symmetry(statement) -> None:
    """N_ij - N_ji has variance 2 beta^2, so that it is within t of 0 with probability erf(t/(2 beta)).

    That is at most (2/sqrt(pi)) t/(2 beta), as erf'(x) = (2/sqrt(pi)) exp(-x^2). There is at least one such pair, and
    further ones only lessen the probability. As t goes to 0 so does the bound.
    """
    x, b = sympy.symbols("x b", positive=True)
    assert sympy.simplify(sympy.diff(sympy.erf(x), x) - 2 / sympy.sqrt(sympy.pi) * sympy.exp(-(x**2))) == 0
    density = sympy.exp(-(x**2) / (4 * b**2)) / (2 * b * sympy.sqrt(sympy.pi))
    assert sympy.simplify(sympy.integrate(density, (x, -x, x)) - sympy.erf(x / (2 * b))) == 0

    def formula(p: NearSymmetry) -> mpmath.mpf:
        b, t, pairs = real(p.deviation), real(p.distance), p.dimension * (p.dimension - 1) // 2
        return t / (b * mpmath.sqrt(mpmath.pi)) - mpmath.erf(t / (2 * b)) ** pairs

    bind_formula(statement, NEAR, formula)
    assert all(statement.at(p) is Truth.TRUE for p in NEAR if p.dimension > 1)
    outside = {
        "dimension >= 2, an integer": attrs.evolve(INSIDE, dimension=1),
        "deviation > 0": attrs.evolve(INSIDE, deviation=0),
        "distance > 0": attrs.evolve(INSIDE, distance=0),
    }
    bind_hypotheses(statement, INSIDE, outside)
    line = attrs.evolve(INSIDE, dimension=1)
    assert statement.without("dimension >= 2, an integer").at(line) is Truth.FALSE, "a number is symmetric"
    assert statement.law is not None
    assert not statement.strict


@sulq.controls("never-symmetric", grade="interval", region="d = 2, a bound that is half as large")
def test_half_of_the_bound_is_too_little(statement) -> None:
    low = NearSymmetry(2, 1, Fraction(1, 100))
    half = statement.nudged(margin=lambda p: statement.law.bound(p) / 2 - statement.law.quantity(p))
    assert half.at(low) is Truth.FALSE


MATRICES = [
    NoisyMatrix(
        fmpq_mat([[fmpq(a, 3) if i == j else fmpq(b, 4 if i < j else 5) for j in range(d)] for i in range(d)]), s
    )
    for d, a, b, s in product((2, 3), (0, 1, 3), (0, -1), (Fraction(1, 7), 1))
]


def box_chance(p: NoisyMatrix) -> mpmath.mpf:
    d, s = p.matrix.nrows(), real(p.deviation)
    radius, total = mpmath.mpf(1) / (4 * d), mpmath.mpf(1)
    for i, j in product(range(d), repeat=2):
        goal = mpmath.mpf({(0, 1): -1, (1, 0): 1}.get((i, j), 0))
        shift = goal - mpmath.mpf(int(p.matrix[i, j].p)) / int(p.matrix[i, j].q)
        total *= mpmath.ncdf((shift + radius) / s) - mpmath.ncdf((shift - radius) / s)
    return total


@sulq.supports(
    "leading-eigenvalue-not-real",
    grade="derived",
    region="every A of order 2 or more and every deviation: the docstring; bound at 24 points",
)
def test_leading_eigenvalues_may_be_complex(statement) -> None:
    """A matrix E with all |E_ij| < 1/(4d) has |E|_2 <= |E|_F < 1/4.

    Q is normal, so that every eigenvalue of Q + tE, 0 <= t <= 1, is within t/4 of one of Q. The discs of radius 1/4
    around i, -i and 0 are disjoint, and eigenvalues move continuously with t: each disc keeps as many as it had. Those
    near i and -i have an imaginary part of 3/4 at least, and the others a modulus below 1/4. Every such box of noise
    has a positive probability.
    """
    with pytest.raises(ValueError, match="takes a plane"):
        turned(1)
    z = sympy.symbols("z")
    for d in (2, 3, 5):
        q = sympy.Matrix(d, d, [sympy.Rational(int(entry.p), int(entry.q)) for entry in turned(d).entries()])
        assert q * q.T == q.T * q
        assert sympy.expand(q.charpoly(z).as_expr() - (z**2 + 1) * z ** (d - 2)) == 0
        for signs in ((1, 1, -1), (-1, 1, 1), (1, -1, -1)):
            shifts = np.array([[signs[(i + 2 * j) % 3] / (4.01 * d) for j in range(d)] for i in range(d)])
            values = np.linalg.eigvals(np.array(q, dtype=float) + shifts)
            order = np.argsort(-np.abs(values))
            assert np.all(np.abs(values[order[:2]].imag) >= 0.75)
            assert np.all(np.abs(values[order[2:]]) < 0.25)
    bind_formula(statement, MATRICES, box_chance)
    assert all(statement.at(p) is Truth.TRUE for p in MATRICES)
    bind_hypotheses(statement, MATRICES[0], {"deviation > 0": attrs.evolve(MATRICES[0], deviation=0)})
    assert statement.strict


@sulq.controls("leading-eigenvalue-not-real", grade="symbolic", region="no noise: the zero matrix of order 2")
def test_without_noise_the_box_is_never_reached(statement) -> None:
    """A symmetric A is not within 1/8 of the quarter turn, whose off-diagonal entries differ by 2."""

    def without_noise(shift: fmpq, radius: fmpq, _: arb) -> arb:
        return arb(int(abs(shift) < radius))

    assert MATRICES[0].matrix == fmpq_mat(2, 2)
    assert redefined(statement, module, "entry_chance", without_noise).at(MATRICES[0]) is Truth.FALSE
