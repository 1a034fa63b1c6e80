"""Theorem 5 of `near-optimal`: noise that suffices for every epsilon, n and d."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.noise import ModSulq, printed_deviation
from dpmatrix.tracing import bind_expression
from proofs_checks.gaussian_profiles import divergence
from proofs_checks.near_optimal.formulas import beta_expression

theorem_5 = cite("near-optimal.theorem-5@6333ff94")

INSIDE = ModSulq(1, 1, 1, Fraction(1, 3))
OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(INSIDE, dimension=0),
    "records >= 1, an integer": attrs.evolve(INSIDE, records=0),
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=0),
    "delta > 0": attrs.evolve(INSIDE, delta=0),
    "delta < 1": attrs.evolve(INSIDE, delta=1),
}
REAL = "delta <= (d^2 + d)/(2 sqrt(2 pi))"
POINTS = [
    ModSulq(d, n, epsilon, delta)
    for d, n in ((1, 1), (1, 7), (2, 1), (2, 5), (3, 2), (4, 1))
    for epsilon, delta in product((Fraction(1, 10), 1, 6), (Fraction(1, 20), Fraction(1, 3)))
]


def printed_logarithm(p: ModSulq) -> mpmath.mpf:
    delta = real(p.delta)
    return mpmath.log((p.dimension**2 + p.dimension) / (delta * 2 * mpmath.sqrt(2 * mpmath.pi)))


def guaranteed(p: ModSulq) -> mpmath.mpf:
    """Compute delta - Phi(mu/2 - eps/mu) + exp(eps) Phi(-mu/2 - eps/mu), mu = l2 sensitivity/beta, beta of (5)."""
    epsilon, delta = map(real, (p.epsilon, p.delta))
    d, n = p.dimension, p.records
    beta = (d + 1) / (n * epsilon) * mpmath.sqrt(2 * printed_logarithm(p)) + 1 / (n * mpmath.sqrt(epsilon))
    mu = (mpmath.sqrt(2) if d > 1 else mpmath.mpf(1)) / n / beta
    return delta - mpmath.ncdf(mu / 2 - epsilon / mu) + mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@theorem_5.supports(
    grade="derived",
    region="every d, n, epsilon > 0 and delta <= (d^2+d)/(2 sqrt(2 pi)) below 1: derivation in the docstring, its "
    "identities and constants machine-checked",
)
def test_printed_noise_suffices_wherever_it_is_real(statement) -> None:
    """Derivation. b = n beta = (d+1)s/eps + 1/sqrt(eps), s >= 0, delta = N exp(-s^2/2)/sqrt(2 pi), N = (d^2+d)/2.

    mu = c/b with c = sqrt(2), or 1 for d = 1, and x = eps/mu - mu/2. The profile Phi(-x) - exp(eps) Phi(-x - mu) is at
    most Q(x) = Phi(-x) (1). Its derivative in mu is phi(x) (2), it vanishes at mu = 0, and x decreases in mu (3); so
    where x >= 0 it is also at most mu phi(x) (4). From b >= 1/sqrt(eps), mu/2 <= c sqrt(eps)/2, whence x >= (d+1)s/c
    + sqrt(eps) (1/c - c/2) (5), which is (d+1)s/sqrt(2) for d >= 2 and 2s + sqrt(eps)/2 for d = 1. Q(x) <=
    exp(-x^2/2)/2 for x >= 0: the difference vanishes at 0 and at infinity and rises before it falls (6).

    d >= 2: x^2/2 >= (d+1)^2 s^2/4 >= s^2/2, so the profile is at most exp(-s^2/2)/2 <= 3 exp(-s^2/2)/sqrt(2 pi) <=
    delta (7). d = 1, eps <= 1: mu <= sqrt(eps) <= 1, so by (4) the profile is at most exp(-2s^2)/sqrt(2 pi) <= delta.
    d = 1, eps >= 1: Q(a + t) <= Q(a) exp(-a t - t^2/2) for a, t >= 0 (8); with a = 1/2, t = 2s the profile is at most
    Q(1/2) exp(-2 s^2), and Q(1/2) < 1/sqrt(2 pi) (9). For d >= 2 and delta < 1, s > 0 since 3/sqrt(2 pi) > 1 (10).
    """
    mu, eps, x, u, t, s, d, b, c = sympy.symbols("mu epsilon x u t s d b c", positive=True)

    def phi(z):
        return sympy.exp(-(z**2) / 2) / sympy.sqrt(2 * sympy.pi)

    def cdf(z):
        return sympy.erfc(-z / sympy.sqrt(2)) / 2

    theorem_5.tells("delta <= {} at d = 1", ((d**2 + d) / (2 * sympy.sqrt(2 * sympy.pi))).subs(d, 1))
    at = eps / mu - mu / 2
    profile = cdf(-at) - sympy.exp(eps) * cdf(-at - mu)
    assert sympy.simplify(profile - (cdf(mu / 2 - eps / mu) - sympy.exp(eps) * cdf(-mu / 2 - eps / mu))) == 0, "(1)"
    assert sympy.simplify(sympy.diff(profile, mu) - phi(at)) == 0, "(2)"
    assert sympy.limit(profile.subs(eps, 1), mu, 0, "+") == 0
    assert sympy.expand(sympy.diff(at, mu) + eps / mu**2 + sympy.Rational(1, 2)) == 0, "(3)"
    noise = (d + 1) * s / eps + 1 / sympy.sqrt(eps)
    least = (d + 1) * s / c + sympy.sqrt(eps) * (1 / c - c / 2)
    excess = (eps * b / c - c / (2 * b)).subs(b, noise) - least
    assert sympy.simplify(excess - c / 2 * (sympy.sqrt(eps) - 1 / noise)) == 0, "(5): b >= 1/sqrt(eps)"
    assert sympy.simplify(least.subs(c, sympy.sqrt(2)) - (d + 1) * s / sympy.sqrt(2)) == 0
    assert sympy.simplify(least.subs({c: 1, d: 1}) - (2 * s + sympy.sqrt(eps) / 2)) == 0
    half_gauss = sympy.exp(-(x**2) / 2) / 2
    slope = sympy.simplify(sympy.diff(half_gauss - cdf(-x), x) / sympy.exp(-(x**2) / 2))
    assert sympy.simplify(slope - (1 / sympy.sqrt(2 * sympy.pi) - x / 2)) == 0, "(6): positive, then negative"
    assert (half_gauss - cdf(-x)).subs(x, 0) == 0
    assert sympy.limit(half_gauss - cdf(-x), x, sympy.oo) == 0
    assert sympy.Rational(9, 4) >= sympy.Rational(1, 2)
    assert arb(1) / 2 < 3 / (2 * arb.pi()).sqrt(), "(7), and (10) as the right side exceeds 1"
    assert 3 / (2 * arb.pi()).sqrt() > 1
    assert sympy.simplify(phi(u + t) / (phi(u) * sympy.exp(-u * t - t**2 / 2))) == 1, "(8): integrate over u >= a"
    assert (arb(1) / 8).sqrt().erfc() / 2 < 1 / (2 * arb.pi()).sqrt(), "(9)"
    bind_formula(statement, POINTS, guaranteed)
    dimension, n, delta = sympy.symbols("dimension records delta", positive=True)
    one = sympy.Piecewise((sympy.sqrt(2), dimension > 1), (1, True))
    mean = one / n / beta_expression(dimension, n, eps, delta)
    bind_expression(statement, delta - divergence(eps, mean))
    edge = arb(2) / (2 * (2 * arb.pi()).sqrt())
    outside = OUTSIDE | {REAL: attrs.evolve(INSIDE, delta=Fraction(2, 5))}
    bind_hypotheses(statement, INSIDE, outside)
    assert statement.applies(attrs.evolve(INSIDE, delta=(edge - arb(2) ** -40).mid())) is Truth.TRUE
    assert statement.applies(attrs.evolve(INSIDE, delta=Fraction(1, 2))) is Truth.FALSE, "(5) has no value"
    assert statement.applies(ModSulq(2, 1, 1, Fraction(999, 1000))) is Truth.TRUE
    condition = next(given for given in statement.given if given.says == REAL)
    bind_formula(Statement(REAL, condition.margin), POINTS, printed_logarithm)
    assert not condition.strict
    for point in POINTS:
        assert statement.at(point) is Truth.TRUE
    assert not statement.strict


@theorem_5.controls(grade="interval", region="d = 2, epsilon = 1/10, delta = 1/100, a tenth of the noise")
def test_a_tenth_of_the_printed_noise_is_too_little(statement) -> None:
    """The minimal noise is about a seventh of (5) there."""
    point = ModSulq(2, 1, Fraction(1, 10), Fraction(1, 100))

    def scaled(factor: Fraction):
        def margin(p: ModSulq) -> arb:
            noise = printed_deviation(p) * ball(factor)
            return ball(p.delta) - GaussianProfile(arb(2).sqrt() / p.records, noise).delta(p.epsilon)

        return statement.nudged(margin=margin)

    assert scaled(Fraction(1, 5)).at(point) is Truth.TRUE
    assert scaled(Fraction(1, 10)).at(point) is Truth.FALSE
