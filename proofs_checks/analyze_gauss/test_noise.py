"""The spectral norm of symmetric Gaussian noise: nets of the sphere."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.noise import NORM_CONSTANT, Ensemble, exceeding_probability, norm_probability

noise_norm = cite("analyze-gauss.noise-norm@983fe793")


def bind_ends(statement) -> None:
    """Compare both ends of the enclosure with one entry and with the concentration of the largest eigenvalue."""
    with mpmath.workdps(60), precision(200):
        for order, constant in product((1, 2, 5), (Fraction(1, 2), 2, 3, 7)):
            level = mpmath.sqrt(order) * constant
            low = mpmath.erfc(level / mpmath.sqrt(2))
            above = level - 2 * mpmath.sqrt(order)
            most = min(mpmath.mpf(1), 2 * mpmath.exp(-(above**2) / 4)) if above > 0 else mpmath.mpf(1)
            high = low if order == 1 else most
            margin = statement.formula(Ensemble(order, constant))
            for end, value in ((margin.upper(), low), (margin.lower(), high)):
                expected = arb(mpmath.nstr(mpmath.exp(-mpmath.mpf(4 * order) / 5) - value, 55))
                assert abs(end - expected) < arb(2) ** -20 * arb(mpmath.nstr(high, 30)), (order, constant)


@noise_norm.supports(
    grade="derived",
    region="C = 7, every n by the docstring's derivation; the variance with symbolic entries for n <= 4, the tail for "
    "every x; the law itself at n = 1, ..., 1000, enclosed by another argument",
)
def test_noise_norm(statement) -> None:
    """Derivation, for every n, with Delta = 1.

    (1) A maximal set of unit vectors at mutual distance above 1/4 has at most 9^n points: the balls of radius 1/8 about
    them are disjoint and lie in the ball of radius 9/8. (2) Each unit v has a point x of it within 1/4, and for the v
    with |v'Ev| = ||E||_2, |x'Ex - v'Ev| = |(x - v)'Ex + v'E(x - v)| <= ||E||_2 / 2, so ||E||_2 <= 2 max |x'Ex|.
    (3) x'Ex = sum x_i^2 E_ii + 2 sum_{i<j} x_i x_j E_ij has variance sum x_i^4 + 4 sum_{i<j} x_i^2 x_j^2 =
    2 - sum x_i^4 <= 2. (4) Pr(|N(0, 1)| >= z) <= exp(-z^2/2): the difference is 0 at z = 0 and at infinity, and its
    derivative (sqrt(2/pi) - z) exp(-z^2/2) changes sign once, from plus to minus. (5) The union over the net at
    |x'Ex| >= u/2, which is u/(2 sqrt 2) deviations, is 9^n exp(-u^2/16). (6) At u = 7 sqrt(n) this is
    exp(-(49/16 - log 9) n), and 49/16 - log 9 > 4/5.
    """
    for order in (1, 2, 3, 4):
        x = sympy.symbols(f"x:{order}")
        variance = sum(a**4 for a in x) + 4 * sum(x[i] ** 2 * x[j] ** 2 for i in range(order) for j in range(i))
        total = sum(a**2 for a in x)
        assert sympy.expand(variance - (2 * total**2 - sum(a**4 for a in x))) == 0, "(3)"
    z, u = sympy.symbols("z u", positive=True)
    gap = sympy.exp(-(z**2) / 2) - sympy.erfc(z / sympy.sqrt(2))
    slope = (sympy.sqrt(2 / sympy.pi) - z) * sympy.exp(-(z**2) / 2)
    assert sympy.simplify(sympy.diff(gap, z) - slope) == 0, "(4)"
    assert gap.subs(z, 0) == 0
    assert sympy.limit(gap, z, sympy.oo) == 0
    assert sympy.simplify((u / (2 * sympy.sqrt(2))) ** 2 / 2 - u**2 / 16) == 0, "(5)"
    assert arb(49) / 16 - arb(9).log() > arb(4) / 5, "(6)"
    for order in (*range(1, 41), 1000):
        point = Ensemble(order, NORM_CONSTANT)
        assert statement.at(point) is Truth.TRUE
        net = arb(9) ** order * (-arb(49 * order) / 16).exp()
        assert exceeding_probability(point).lower() <= net.upper(), "the two arguments agree"
    bind_ends(statement)
    bind_hypotheses(statement, Ensemble(1, NORM_CONSTANT), {"order >= 1, an integer": Ensemble(0, NORM_CONSTANT)})


def probability_in_the_plane(level: float) -> float:
    """Pr(||E||_2 >= u) for n = 2: half the trace is N(0, 1/2) and half the gap r has r^2 = x^2 + b^2, x ~ N(0, 1/2).

    Both eigenvalues are within u when |half trace| + r < u; r has the density below, from the angle of (x, b).
    """

    def density(r: float) -> float:
        return 2 * math.sqrt(2) / 2 * r * math.exp(-3 * r * r / 4) * float(mpmath.besseli(0, r * r / 4))

    inside = mpmath.quad(lambda r: density(float(r)) * mpmath.erf(level - r), [0, level / 2, level])
    return 1 - float(inside)


def test_the_enclosure_holds_the_probability() -> None:
    """Exactly for n = 1, by quadrature for n = 2."""
    assert abs(probability_in_the_plane(0.0) - 1) < 1e-12
    for level in (0.5, 2.0, 4.0, 6.0):
        found, enclosed = probability_in_the_plane(level), norm_probability(2, Fraction(level))
        assert enclosed.lower() - 1e-9 <= found <= enclosed.upper() + 1e-9
    assert norm_probability(1, 3).overlaps(arb(str(mpmath.erfc(3 / mpmath.sqrt(2)))) + arb(0, 1e-12))


@noise_norm.controls(grade="interval", region="n = 1: C = 1/2; exp(-30 n) in place of exp(-4n/5)")
def test_neither_a_small_constant_nor_a_smaller_probability_will_do(statement) -> None:
    """At n = 1 the probability is erfc(C / sqrt(2)), 0.62 for C = 1/2 and 2.6e-12 for C = 7."""
    half = Ensemble(1, Fraction(1, 2))
    assert statement.at(Ensemble(1, NORM_CONSTANT)) is Truth.TRUE
    assert statement.exhibits(constant=Fraction(1, 2)).at(half) is Truth.FALSE
    assert abs(exceeding_probability(half) - arb("0.62")) < arb("0.005")
    assert abs(exceeding_probability(Ensemble(1, NORM_CONSTANT)) - arb("2.6e-12")) < arb("5e-14")
    fast = statement.nudged(margin=lambda p: (-arb(30 * p.order)).exp() - exceeding_probability(p))
    assert fast.at(Ensemble(1, NORM_CONSTANT)) is Truth.FALSE
