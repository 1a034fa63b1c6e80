"""Lemma 11 of `near-optimal`: there are larger families of lines."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp

import attrs
import mpmath
import sympy
from flint import arb, fmpz_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.forms import Number
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.larger_families import Growth, growth_constant
from dpmatrix.spec.near_optimal.packing_number import Lines

lemma_11 = cite("near-optimal.lemma-11@223f4a74")

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
        "phi > 0": attrs.evolve(inside, phi=0),
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
    """Two lines of the plane meet at nearly a right angle, and no three do."""
    assert statement.nudged(lambda margin: 1 - 5 * (1 - margin)).at(POINTS[0]) is Truth.FALSE


GROWTHS = [Growth(p.dimension, p.phi, growth_constant(p.phi)) for p in POINTS]
TWO_OR_MORE = "dimension >= 2, an integer"


def volume(p: Lines) -> mpmath.mpf:
    """Log of the bound by volume on the number of lines."""
    return p.dimension * mpmath.log(1 + mpmath.sqrt(2 / (1 - real(p.phi)))) - mpmath.log(2)


def allowed(p: Growth) -> mpmath.mpf:
    return -real(p.constant) * (p.dimension - 1) * mpmath.log(1 - real(p.phi) ** 2) / 2


@lemma_11.supports("fastest-growth", grade="derived", region="every d >= 2 and phi: the docstring; bound at 12 points")
def test_no_family_grows_faster_at_a_fixed_angle(statement) -> None:
    """Vectors of the family and their negatives are rho = sqrt(2 (1-phi)) or more apart: |x - y|^2 = 2 - 2 <x, y>.

    So 2 M balls of radius rho/2 are disjoint in the ball of radius 1 + rho/2, and M <= q^d/2, q = 1 + 2/rho. With C =
    2 log q/L, L = log(1/sqrt(1-phi^2)), C (d-1) L - d log q + log 2 = (d-2) log q + log 2 > 0.
    """
    d, q, each = sympy.symbols("d q L", positive=True)
    chosen = 2 * sympy.log(q) / each
    gap = chosen * (d - 1) * each - d * sympy.log(q) + sympy.log(2)
    assert sympy.simplify(gap - (d - 2) * sympy.log(q) - sympy.log(2)) == 0
    assert all(statement.at(p) is Truth.TRUE for p in GROWTHS)
    for p in GROWTHS:
        found = -4 * (volume(p) + mpmath.log(2)) / p.dimension / mpmath.log(1 - real(p.phi) ** 2)
        assert abs(float(p.constant) / float(found) - 1) < 1e-12, "C is 2 log q/L"
        packing, covering = shares(p)
        assert -mpmath.log(packing) <= volume(p), "caps of half the angle give no more"
        assert -mpmath.log(covering) <= volume(p)
    others = [attrs.evolve(p, constant=c) for p in GROWTHS for c in (Fraction(1, 3), 5)]
    bind_formula(statement, others, lambda p: allowed(p) - volume(p))
    inside = GROWTHS[4]
    outside = {
        TWO_OR_MORE: attrs.evolve(inside, dimension=1),
        "phi > 0": attrs.evolve(inside, phi=0),
        "phi < 1": attrs.evolve(inside, phi=1),
    }
    bind_hypotheses(statement, inside, outside)
    assert not statement.strict


@lemma_11.controls("fastest-growth", grade="interval", region="half of C; d = 1; C = 4 for every phi at d = 16")
def test_the_constant_depends_on_the_angle(statement) -> None:
    """With H H' = d 1 the columns of 1 and of H/sqrt(d) are two orthonormal bases; between them |<mu, nu>| = 1/sqrt(d).

    There K = (1 - 1/d)^(-(d-1)/2)/8 <= sqrt(e)/8, as (1 + 1/(d-1))^(d-1) <= e, and exp(C (d-1) L) <= exp(C/2) < 2 d.
    """
    third = Fraction(1, 3)

    def half(phi: Number) -> arb:
        return growth_constant(phi) / 2

    def four(phi: Number) -> int:
        return 4

    assert statement.exhibits(constant=half).at(Growth(2, third, half(third))) is Truth.FALSE
    assert statement.without(TWO_OR_MORE).at(Growth(1, third, growth_constant(third))) is Truth.FALSE
    hadamard = fmpz_mat([[1, 1], [1, -1]])
    two = hadamard
    for _ in range(3):
        n = hadamard.nrows()
        size = 2 * n
        hadamard = fmpz_mat(
            size, size, [int(two[i // n, j // n] * hadamard[i % n, j % n]) for i, j in product(range(size), repeat=2)]
        )
    unit = fmpz_mat(size, size, [int(i == j) * size for i, j in product(range(size), repeat=2)])
    assert size == 16
    assert hadamard * hadamard.transpose() == unit
    assert {abs(int(entry)) for entry in hadamard.entries()} == {1}
    d = sympy.symbols("d", positive=True)
    assert sympy.simplify(1 / (1 - 1 / d) - (1 + 1 / (d - 1))) == 0
    bases = Growth(size, Fraction(1, 4), 4)
    assert mpmath.exp(allowed(bases)) < exp(2) < 2 * size
    assert statement.exhibits(constant=four).at(bases) is Truth.FALSE
