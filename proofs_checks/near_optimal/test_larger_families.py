"""Lemma 11 of `near-optimal`: there are larger families of lines."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp

import attrs
import mpmath
import sympy
from flint import fmpz_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.forms import Number
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.larger_families import TwoBases
from dpmatrix.spec.near_optimal.packing_number import Lines

lemma_11 = cite("near-optimal.lemma-11@f1955af1")

POINTS = [Lines(d, phi) for d in (2, 3, 6, 40) for phi in (Fraction(1, 20), Fraction(1, 3), Fraction(9, 10))]


@lemma_11.supports(
    "eightfold", grade="derived", region="every d >= 2 and phi: the docstring; evaluated at 12 points, one in the plane"
)
def test_largest_family_has_eight_times_as_many(statement) -> None:
    """A family that cannot grow covers the sphere with its double caps: 1/(2P) members, P = P(<U, u> >= phi).

    2P <= psi = (1-phi^2)^((d-1)/2) = 1/(8K): with x = 1 - phi^2 and a = (d-1)/2, 2P is the integral of
    v^(a-1) (1-v)^(-1/2) over [0, x] over B(a, 1/2). With v = x w it is x^a times a function of x that does not fall,
    as (1 - xw)^(-1/2) does not, and is 1 at x = 1.
    """
    x, w = sympy.symbols("x w", positive=True)
    slope = sympy.diff((1 - x * w) ** sympy.Rational(-1, 2), x)
    assert sympy.simplify(slope - w / 2 * (1 - x * w) ** sympy.Rational(-3, 2)) == 0
    v, a = sympy.symbols("v a", positive=True)
    weight = (v ** (a - 1) * (1 - v) ** sympy.Rational(-1, 2)).subs(v, x * w) * x
    assert sympy.simplify(weight - x**a * w ** (a - 1) * (1 - x * w) ** sympy.Rational(-1, 2)) == 0
    assert all(statement.at(p) is Truth.TRUE for p in POINTS)
    # In the plane the lines at multiples of pi/m, m = floor(pi/arccos(phi)), are such a family.
    for p in POINTS[:3]:
        angle = mpmath.acos(real(p.phi))
        lines = mpmath.floor(mpmath.pi / angle)
        assert lines >= 1 / mpmath.sin(angle)
        assert mpmath.cos(mpmath.pi / lines) <= real(p.phi) + mpmath.mpf(10) ** -12
    bounds = [(p, *shares(p)) for p in POINTS]
    for p, packing, covering in bounds:
        margin, count = statement.formula(p), (1 - real(p.phi) ** 2) ** (-mpmath.mpf(p.dimension - 1) / 2)
        for share in (packing, covering):
            assert abs(float(margin) + float(count * share) - 1) <= float(margin.rad()) + 1e-9
    inside = POINTS[4]
    outside = {
        "dimension >= 2, an integer": attrs.evolve(inside, dimension=1),
        "phi > 0": attrs.evolve(inside, phi=-1),
        "phi < 1": attrs.evolve(inside, phi=1),
    }
    bind_hypotheses(statement, inside, outside)
    assert not statement.strict


def cap(d: int, height) -> mpmath.mpf:
    """Half the share of both caps at a height, by the incomplete beta function."""
    return mpmath.betainc(mpmath.mpf(d - 1) / 2, mpmath.mpf(1) / 2, 0, 1 - height**2, regularized=True) / 2


def shares(p: Lines) -> tuple[mpmath.mpf, mpmath.mpf]:
    phi = real(p.phi)
    return 2 * cap(p.dimension, mpmath.sqrt((1 + phi) / 2)), 2 * cap(p.dimension, phi)


@lemma_11.controls("eightfold", grade="interval", region="the plane at phi = 1/20: 40 K instead of 8 K")
def test_forty_times_as_many_are_too_many(statement) -> None:
    """Two lines of the plane meet at an angle of nearly 90 degrees, and no three do."""
    assert statement.nudged(lambda margin: 1 - 5 * (1 - margin)).at(POINTS[0]) is Truth.FALSE


@lemma_11.refutes("fastest-growth", grade="derived", region="every C: 2 d lines at phi = 1/sqrt(d), d = 2^m > C")
def test_two_bases_are_more_than_any_multiple(statement) -> None:
    """With H H' = d 1 the columns of 1 and of H/sqrt(d) are two orthonormal bases; between them |<mu, nu>| = 1/sqrt(d).

    K = (1 - 1/d)^(-(d-1)/2)/8 <= sqrt(e)/8, as (1 + 1/(d-1))^(d-1) <= e. And sqrt(e) C/8 < 2 d for d > C.
    """
    two = fmpz_mat([[1, 1], [1, -1]])
    hadamard = two
    for _ in range(3):
        n = hadamard.nrows()
        hadamard = fmpz_mat(
            2 * n, 2 * n, [two[i // n, j // n] * hadamard[i % n, j % n] for i, j in product(range(2 * n), repeat=2)]
        )
        size = 2 * n
        unit = fmpz_mat(size, size, [int(i == j) * size for i, j in product(range(size), repeat=2)])
        assert hadamard * hadamard.transpose() == unit
        assert {abs(int(entry)) for entry in hadamard.entries()} == {1}
    d = sympy.symbols("d", positive=True)
    assert sympy.simplify(1 / (1 - 1 / d) - (1 + 1 / (d - 1))) == 0
    assert exp(0.5) / 8 < 2

    def many(constant: Number) -> TwoBases:
        doublings = 1
        while 2**doublings <= rational(constant):
            doublings += 1
        return TwoBases(doublings, constant)

    statement.refute(many)
    for m, c in ((1, 5), (2, 3), (6, 100)):
        assert statement.conclusion(TwoBases(m, c)) is Truth.FALSE
    assert statement.conclusion(TwoBases(2, 100)) is Truth.TRUE
    values = [TwoBases(m, Fraction(c, 3)) for m in (1, 2, 3, 4, 7) for c in (1, 2, 9, 40)]

    def formula(p: TwoBases) -> mpmath.mpf:
        d = 2**p.doublings
        return real(p.constant) * (1 - mpmath.mpf(1) / d) ** (-mpmath.mpf(d - 1) / 2) / 8 - 2 * d

    bind_formula(statement, values, formula)
    inside = TwoBases(2, 3)
    outside = {
        "doublings >= 1, an integer": attrs.evolve(inside, doublings=0),
        "constant > 0": attrs.evolve(inside, constant=-1),
    }
    bind_hypotheses(statement, inside, outside)
