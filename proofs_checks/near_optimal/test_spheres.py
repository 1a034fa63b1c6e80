"""Lemma 10 of `near-optimal`: how much of the sphere a cap covers."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind_hypotheses, certify, interval
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.spheres import Cap, cap_measure, lower_bound
from dpmatrix.tracing import bind_expression

lemma_10 = cite("near-optimal.lemma-10@220696c1")

CAPS = [Cap(d, Fraction(k, 20)) for d in (1, 2, 3, 4, 5, 9, 30) for k in (0, 1, 5, 9, 14, 19)]


def measure(p: Cap) -> mpmath.mpf:
    """Compute 1/2 less the share of (1 - t^2)^((d-3)/2) from 0 to c, as a hypergeometric function."""
    if p.dimension == 1:
        return mpmath.mpf(1) / 2
    c, half = real(p.c), mpmath.mpf(1) / 2
    share = c * mpmath.hyp2f1(half, mpmath.mpf(3 - p.dimension) / 2, 3 * half, c * c)
    return half - share / mpmath.beta(mpmath.mpf(p.dimension - 1) / 2, half)


def cap_gap(p: Cap) -> mpmath.mpf:
    c, d = real(p.c), p.dimension
    below = measure(p) - ((1 - c) / 2) ** (mpmath.mpf(d - 1) / 2) / 2
    return min(below, mpmath.exp(-d * c**2 / 2) - measure(p))


@lemma_10.supports(
    grade="derived",
    region="every d and 0 <= c < 1: derivation in the docstring, its identities machine-checked for symbolic d, its "
    "estimates for d <= 3 in balls",
)
def test_caps_lie_between_the_bounds(statement) -> None:
    """Derivation. P = F(1 - c^2)/2, F(x) the integral of u^(a-1) (1-u)^(-1/2)/B(a, 1/2) up to x, a = (d-1)/2.

    Below: d = 1 is 1/2 >= 1/2; d = 2 with c = cos t, t <= pi/2, is t/pi >= sin(t/2)/2, as sin(t/2) <= t/2 and pi < 4.
    d >= 3: (1-u)^(-1/2) >= 1 gives F(x) >= x^a/b_d, b_d = a B(a, 1/2) (1), and x^a >= (1-c)^a. b_3 = 2 (2), b_d b_{d+1}
    = pi d/2 (3) and b increases (it is the mean of (1-u)^(-1/2) under the density a u^(a-1), whose mass moves up with
    a), so b_d^2 <= pi d/2 <= 2^(d-1) for d >= 4 (4). Hence b_d <= 2^a and F/2 >= ((1-c)/2)^a/2.

    Above: d = 1 is 1/2 <= exp(-1/2). Let h(c) = exp(-d c^2/2) - P, h' = (1-c^2)^((d-3)/2)/B - d c exp(-d c^2/2) (5).
    The ratio of the two terms has the logarithmic derivative -(d c^4 - 4 c^2 + 1)/(c (1-c^2)) (6), not positive for d
    >= 4 as the discriminant 16 - 4d is not (7): h rises, then falls, so h >= min(h(0), h(1)) = min(1/2, exp(-d/2)) > 0.
    d = 2, 3: P = arccos(c)/pi, (1-c)/2 decrease. At c = 1/2 P = 1/3, 1/4, and exp(-d c^2/2) >= 1/2 for c <= 1/2;
    for 1/2 <= c <= 4/5, exp(-d 16/50) is at least 1/3 and 1/4; for c >= 4/5, P(4/5) < exp(-d/2) (8).
    """
    d, c, u, t = sympy.symbols("d c u t", positive=True)
    a = (d - 1) / 2
    B = sympy.gamma(a) * sympy.gamma(sympy.Rational(1, 2)) / sympy.gamma(a + sympy.Rational(1, 2))
    assert sympy.simplify(sympy.diff(u**a / (a * B), u) * B / u ** (a - 1)) == 1, "(1)"
    b = a * B
    assert sympy.simplify(b.subs(d, 3)) == 2, "(2)"
    assert sympy.gammasimp(b * b.subs(d, d + 1)) == sympy.pi * d / 2, "(3)"
    assert sympy.pi * 4 / 2 <= 8, "(4): d = 4; then d grows by less than a factor of 2"
    density = (1 - c**2) ** (a - 1) / c / B * 2 * c / 2
    assert sympy.simplify(density / ((1 - c**2) ** ((d - 3) / 2) / B)) == 1, "(5): u = 1 - c^2"
    ratio = (d - 3) / 2 * sympy.log(1 - c**2) + d * c**2 / 2 - sympy.log(c)
    slope = sympy.simplify(sympy.diff(ratio, c) + (d * c**4 - 4 * c**2 + 1) / (c * (1 - c**2)))
    assert slope == 0, "(6)"
    assert sympy.discriminant(d * t**2 - 4 * t + 1, t) == 16 - 4 * d, "(7)"
    third, quarter, far = arb(1) / 3, arb(1) / 4, arb(4) / 5
    for k, at_half, at_far in ((2, third, far.acos() / arb.pi()), (3, quarter, (1 - far) / 2)):
        assert (-arb(k) / 8).exp() > arb(1) / 2, "(8)"
        assert (-arb(16 * k) / 50).exp() > at_half
        assert at_far < (-arb(k) / 2).exp()
    assert abs((arb(1) / 2).acos() / arb.pi() - third) < arb(2) ** -40
    bind_formula(statement, CAPS, cap_gap)
    dimension, height = sympy.symbols("dimension c")
    share = sympy.betainc_regularized((dimension - 1) / 2, sympy.Rational(1, 2), 0, 1 - height**2) / 2
    measured = sympy.Piecewise((sympy.Rational(1, 2), sympy.Eq(dimension, 1)), (share, True))
    least, most = ((1 - height) / 2) ** ((dimension - 1) / 2) / 2, sympy.exp(-dimension * height**2 / 2)
    bind_expression(statement, sympy.Min(measured - least, most - measured))
    assert statement.at(Cap(7, Fraction(2, 5))) is Truth.TRUE
    bind_hypotheses(
        statement,
        Cap(1, 0),
        {"dimension >= 1, an integer": Cap(0, 0), "c >= 0": Cap(3, Fraction(-1, 20)), "c < 1": Cap(3, 1)},
    )
    assert not statement.strict, "the lower bound is attained for d = 1 and c = 0"
    assert statement.applies(Cap(3, Fraction(19, 20))) is Truth.TRUE
    box = certify(statement, Cap(5, interval(Fraction(1, 2), Fraction(9, 10))))
    assert box.answer is Truth.TRUE, "a second way, d = 5"


@lemma_10.controls(grade="interval", region="d = 3 and 10")
def test_sharper_bounds_on_caps_fail(statement) -> None:
    """Three times the lower bound is 3/4 at d = 3, c = 0, where a cap is half of the sphere; at d = 10, c = 4/5 a cap
    has 0.00156 of it, more than exp(-11/10 d c^2) = 0.00088, and less than exp(-d c^2/2).
    """  # noqa: D205
    half, narrow = Cap(3, 0), Cap(10, Fraction(4, 5))

    def triple(p: Cap) -> arb:
        return cap_measure(p) - 3 * lower_bound(p)

    def steep(p: Cap) -> arb:
        return (-fmpq(11, 10) * p.dimension * ball(p.c) ** 2).exp() - cap_measure(p)

    for value, shown in ((cap_measure(narrow), "0.00156"), (steep(narrow) + cap_measure(narrow), "0.00088")):
        assert abs(value - arb(shown)) < arb("0.000005")
    for point, margin in ((half, triple), (narrow, steep)):
        assert statement.at(point) is Truth.TRUE
        assert statement.nudged(margin=margin).at(point) is Truth.FALSE
