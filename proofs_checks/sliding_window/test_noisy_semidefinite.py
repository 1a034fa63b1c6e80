"""Noise on a second moment that has to stay positive semidefinite in `sliding-window`."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.noisy_semidefinite import (
    NoisyDirection,
    ProjectedNoise,
    StaticRelease,
    WishartMean,
    least_probability,
    negative_probability,
)
from dpmatrix.tracing import bind_expression

theorem_4 = cite("sliding-window.theorem-4@96953597")

MILLIONTH = Fraction(1, 10**6)
HALF, SMALL, LARGE, TENTH = Fraction(1, 2), Fraction(1, 50), Fraction(49, 50), Fraction(1, 10)
D, EPSILON, DELTA, ETA, CONSTANT = sympy.symbols("dimension epsilon delta eta constant", positive=True)
FAR = sympy.sqrt(-2 * sympy.log(DELTA))
DEVIATION = (FAR + sympy.sqrt(FAR**2 + 2 * EPSILON)) / (2 * EPSILON)


@theorem_4.supports("gaussian-noise", grade="derived", region="every s and |A_W x|; exactly 1/2 where A_W x = 0")
def test_a_noisy_form_is_negative_half_the_time(statement) -> None:
    """Phi(-t) >= 1/2 - t/sqrt(2 pi) for t >= 0: the difference is 0 at t = 0, and its derivative is not negative."""
    t = sympy.symbols("t", nonnegative=True)
    density = sympy.exp(-(t**2) / 2) / sympy.sqrt(2 * sympy.pi)
    gap = sympy.erfc(t / sympy.sqrt(2)) / 2 - (sympy.Rational(1, 2) - t / sympy.sqrt(2 * sympy.pi))
    assert gap.subs(t, 0) == 0
    assert sympy.simplify(sympy.diff(gap, t) - (density.subs(t, 0) - density)) == 0, "the density is largest at 0"
    values = []
    with mpmath.workdps(60):
        for length, s in product((SMALL, HALF, 1, 2, 5), (SMALL, HALF, 1, 3)):
            far = real(length) ** 2 / real(s)
            gap = mpmath.ncdf(-far) - (mpmath.mpf(1) / 2 - far / mpmath.sqrt(2 * mpmath.pi))
            values.append((NoisyDirection(length, s), mpmath.nstr(gap, 50)))
    bind(statement, values)
    assert all(statement.at(p) is Truth.TRUE for p, _ in values)
    for s in (SMALL, 1, 50):
        assert negative_probability(NoisyDirection(0, s)) == arb(1) / 2 == least_probability(NoisyDirection(0, s))
        assert statement.at(NoisyDirection(0, s)) is Truth.TRUE
    assert not statement.strict
    inside = NoisyDirection(1, 1)
    for point in (inside, NoisyDirection(0, SMALL)):
        bind_hypotheses(statement, point, {"deviation > 0": attrs.evolve(inside, deviation=0)})


@theorem_4.controls("gaussian-noise", grade="interval", region="nine tenths of the slope at 1/3; no noise but -1")
def test_a_flatter_bound_of_the_negative_form_is_noticed(statement) -> None:
    def flatter(p):
        rest = arb(1) / 2 - least_probability(p)
        return negative_probability(p) - (arb(1) / 2 - 9 * rest / 10)

    near = NoisyDirection(Fraction(1, 3), 1)
    assert statement.at(near) is Truth.TRUE
    assert statement.nudged(margin=flatter).at(near) is Truth.FALSE
    assert statement.without("deviation > 0").at(NoisyDirection(1, -1)) is Truth.FALSE


def room(p: ProjectedNoise) -> mpmath.mpf:
    """Compute 1/2 minus the bound in another library."""
    share = real(p.constant)
    column = (share * mpmath.exp(1 - share)) ** (real(p.dimension - 1) / 2) if share < 1 else mpmath.mpf(1)
    return real(HALF) - column - mpmath.ncdf(-2 / mpmath.sqrt(3))


@theorem_4.supports("projected-noise", grade="derived", region="every d >= 3, c = 1/10; worst at d = 3")
def test_the_positive_part_of_noise_grows(statement) -> None:
    """With b the entries beside N_11 and v = b/|b|, u = (e_1, v)/sqrt(2) has u'Nu = (N_11 + 2|b| + v'N_2v)/2.

    N_2, the block beside b, is independent of it, and v'N_2v is normal of variance 2 - sum v_i^4 <= 2. If the positive
    part has norm at most C, u'Nu <= C. Then |b| <= C + 1 = sqrt(c (d-1)), which Chernoff's bound for chi^2_(d-1) makes
    rare, or N_11 + v'N_2v <= -2, of probability Phi(-2/sqrt(3)) at most. The first bound falls as d grows, as c e^(1-c)
    is below 1.
    """
    names = sympy.symbols("n11 b1 b2 m11 m12 m22")
    n11, b1, b2, m11, m12, m22 = names
    length = sympy.symbols("length", positive=True)
    noise = sympy.Matrix([[n11, b1, b2], [b1, m11, m12], [b2, m12, m22]])
    inner = sympy.Matrix([b1, b2]) / length
    vector = sympy.Matrix([1, *inner]) / sympy.sqrt(2)
    block = (inner.T * noise[1:, 1:] * inner)[0]
    form = (vector.T * noise * vector)[0] - (n11 + 2 * (b1**2 + b2**2) / length + block) / 2
    assert sympy.expand(form) == 0, "2 |b|^2/|b| = 2 |b|"
    coefficients = [sympy.diff(sympy.expand(block), entry) for entry in (m11, m12, m22)]
    squares = sympy.expand(sum(each**2 for each in coefficients) * length**4)
    assert squares == sympy.expand(2 * (b1**2 + b2**2) ** 2 - b1**4 - b2**4)
    assert (arb(9) / 10).exp() / 10 < arb(1) / 4, "c e^(1-c) at c = 1/10"
    with mpmath.workdps(60):
        points = [ProjectedNoise(d, TENTH) for d in (*range(3, 23), 30, 200)]
        shares = (HALF, Fraction(19, 20), 1, Fraction(21, 20), 2)
        others = [ProjectedNoise(d, share) for d, share in product((3, 10), shares)]
        bind(statement, [(p, mpmath.nstr(room(p), 50)) for p in (*points, *others)])
    assert all(statement.at(p) is Truth.TRUE for p in points)
    margins = [statement.margin(p) for p in points]
    assert all(first < second for first, second in pairwise(margins)), "more dimensions leave more room"
    assert not statement.strict
    outside = {"dimension >= 3, an integer": ProjectedNoise(2, TENTH)}
    for inside in (ProjectedNoise(3, TENTH), ProjectedNoise(50, TENTH)):
        bind_hypotheses(statement, inside, outside)
    assert [one.exhibited for one in statement.exists] == [rational(TENTH)]


@theorem_4.controls("projected-noise", grade="interval", region="c = 9/10 at d = 3; d = 2 at c = 1/10")
def test_a_larger_norm_of_projected_noise_is_noticed(statement) -> None:
    larger = Fraction(9, 10)
    assert statement.exhibits(constant=larger).at(ProjectedNoise(3, larger)) is Truth.FALSE
    assert statement.without("dimension >= 3, an integer").at(ProjectedNoise(2, TENTH)) is Truth.FALSE


GUARANTEE = {
    "dimension >= 1, an integer": {"dimension": 0},
    "epsilon > 0": {"epsilon": 0},
    "delta > 0": {"delta": 0},
}
WISHART = WishartMean(3, 1, HALF)


@theorem_4.supports("semidefinite-noise", grade="derived", region="every d, eps and delta < 1")
def test_the_mean_of_wishart_noise_is_linear_in_the_dimension(statement) -> None:
    """The noise is a sum of tau matrices g'g, g of d independent standard normal entries; each has the mean 1.

    Tau - d = 14 log(4/delta)/eps^2, which is positive for delta < 1.
    """
    x = sympy.symbols("x", real=True)
    density = sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi)
    moments = [sympy.integrate(x**k * density, (x, -sympy.oo, sympy.oo)) for k in (0, 1, 2)]
    assert moments == [1, 0, 1], "E g_i g_j is 1 for i = j and 0 otherwise"
    bind_expression(statement, 14 * sympy.log(4 / DELTA) / EPSILON**2, points=[WISHART])
    for d, epsilon, delta in product((1, 3, 40), (SMALL, 1, 20), (MILLIONTH, HALF, LARGE)):
        assert statement.at(WishartMean(d, epsilon, delta)) is Truth.TRUE
    assert not statement.strict
    outside = GUARANTEE | {"delta < 1": {"delta": 1}}
    for inside in (WISHART, WishartMean(1, SMALL, LARGE)):
        bind_hypotheses(statement, inside, {says: attrs.evolve(WISHART, **each) for says, each in outside.items()})


@theorem_4.controls("semidefinite-noise", grade="interval", region="the mean 9 tau/10 at d = 40, eps = 20; delta = 5")
def test_a_smaller_mean_of_wishart_noise_is_noticed(statement) -> None:
    wide = WishartMean(40, 20, HALF)
    assert statement.at(wide) is Truth.TRUE
    smaller = statement.nudged(margin=lambda p: 9 * (statement.formula(p) + p.dimension) / 10 - p.dimension)
    assert smaller.at(wide) is Truth.FALSE
    assert statement.without("delta < 1").at(attrs.evolve(WISHART, delta=5)) is Truth.FALSE


STATIC = StaticRelease(1, 1, HALF, LARGE, 26)


@theorem_4.supports(
    "static-release", grade="derived", region="every d, eta < 1, eps <= 1 and delta <= 1/2, c = 26; worst at its corner"
)
def test_a_static_release_is_a_spectral_approximation(statement) -> None:
    """2 zeta = 8 s sqrt(d log 9 + log d) <= 8 s d sqrt(log 9), as log d <= d - 1 <= (d^2 - d) log 9.

    With L = log(1/delta) and eps <= 1, s eps <= (sqrt(2L) + sqrt(2L + 2))/2, and that over L falls as L grows: at L =
    log 2 the quotient is 2.177 and 8 sqrt(log 9) times it is 25.82. 1/eps and 1 are at most 1/eps^2 and 1/eta.
    """
    level = arb(2).log()
    quotient = ((2 * level).sqrt() + (2 * level + 2).sqrt()) / (2 * level)
    assert abs(quotient - arb("2.177")) < arb("0.0005")
    assert arb("25.8") < 8 * arb(9).log().sqrt() * quotient < arb("25.82")
    depth = sympy.symbols("L", positive=True)
    fall = sympy.diff((sympy.sqrt(2 * depth) + sympy.sqrt(2 * depth + 2)) / (2 * depth), depth)
    rest = sympy.simplify(fall * 4 * depth**2 + sympy.sqrt(2 * depth) + (2 * depth + 4) / sympy.sqrt(2 * depth + 2))
    assert rest == 0, "the derivative is negative"
    claimed = CONSTANT * D * -sympy.log(DELTA) / (EPSILON**2 * ETA)
    bind_expression(statement, claimed - 8 * DEVIATION * sympy.sqrt(D * sympy.log(9) + sympy.log(D)), points=[STATIC])
    for d, epsilon, delta, eta in product((1, 2, 40), (SMALL, HALF, 1), (MILLIONTH, SMALL, HALF), (SMALL, HALF, LARGE)):
        assert statement.at(StaticRelease(d, epsilon, delta, eta, 26)) is Truth.TRUE
    assert not statement.strict
    outside = GUARANTEE | {
        "epsilon <= 1": {"epsilon": Fraction(51, 50)},
        "delta <= 1/2": {"delta": Fraction(51, 100)},
        "eta > 0": {"eta": 0},
        "eta < 1": {"eta": 1},
    }
    for inside in (STATIC, StaticRelease(1, SMALL, SMALL, SMALL, 26)):
        bind_hypotheses(statement, inside, {says: attrs.evolve(STATIC, **each) for says, each in outside.items()})
    assert [one.exhibited for one in statement.exists] == [26]


@theorem_4.controls("static-release", grade="interval", region="c = 25 at eta = 999/1000; eps = 2 or delta = 9/10")
def test_smaller_constants_of_the_release_are_noticed(statement) -> None:
    corner = attrs.evolve(STATIC, eta=Fraction(999, 1000))
    assert statement.at(corner) is Truth.TRUE
    assert statement.exhibits(constant=25).at(attrs.evolve(corner, constant=25)) is Truth.FALSE
    assert statement.without("epsilon <= 1").at(attrs.evolve(STATIC, epsilon=2)) is Truth.FALSE
    assert statement.without("delta <= 1/2").at(attrs.evolve(STATIC, delta=Fraction(9, 10))) is Truth.FALSE
