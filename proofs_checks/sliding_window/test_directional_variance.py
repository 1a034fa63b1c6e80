"""Theorem 15 of `sliding-window`: answers that no private algorithm can give, and those that one can."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.exact import precision, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import directional_variance, dyadic_release
from dpmatrix.spec.sliding_window.directional_variance import NeighbouringAnswers, OneRelease, Plane
from dpmatrix.spec.sliding_window.distinguishing import noise_degrees
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.dyadic_noise import half_the_noise
from proofs_checks.sliding_window.guarantees import CHANGES, DELTA, EPSILON, FAR_CONFUSION, check_far_delta, far_delta
from proofs_checks.sliding_window.one_row_outputs import whole_above
from proofs_checks.sliding_window.wishart_directions import (
    CHAIN,
    EQUAL,
    SOUND,
    e1,
    e2,
    eta,
    k1,
    k2,
    n1,
    n2,
    w,
)

theorem_15 = cite("sliding-window.theorem-15@74ee425d")

MILLIONTH, HALF = Fraction(1, 10**6), Fraction(1, 2)
LONG = NeighbouringAnswers(1, 1, MILLIONTH, Fraction(1, 16), 180, 1, 1, 12)


def printed_degrees(p):
    return p.dimension + 14 * mpmath.log(4 / real(p.delta)) / real(p.epsilon) ** 2


def farthest(p: NeighbouringAnswers) -> NeighbouringAnswers:
    """Take the row M = g (1 - eta)/eta."""
    return attrs.evolve(p, row=p.changes * (1 - Fraction(p.eta)) / Fraction(p.eta))


@theorem_15.refutes(
    grade="derived",
    region="d = eps = 1: every algorithm, eta, c_1 and c_3, by g changes of one row and delta = 8^-(g/2 + 1)",
)
def test_no_private_algorithm_is_right_for_long_rows(statement) -> None:
    """S, the answers right for M e_1 alone: Pr[C in S | M] >= 1 - beta, and Pr[C in S | M+g] <= beta, as S is wrong.

    (M+g)^2 - M^2/(1-eta) is g^2/eta at M = g (1-eta)/eta, and nowhere more: S is all that is right for M once g^2/eta >
    C tau log tau, C = c_1 + c_3. By the guarantee for groups 1 - beta <= e^(g eps) beta + delta (e^(g eps) - 1)/(e^eps
    - 1).

    Every eta and C, with d = eps = 1 and g even: delta = 2^-(3g/2 + 3) is below e^-g/8, so that the last term is below
    1/13. tau = 1 + 14 log(2) (5 + 3g/2) < 40 g, and g^2 > eta C tau log tau follows from g >= K (4 + log g) where K >=
    40 eta C. For an integer K < 2^b that is so for g = 2 K (4 + b): log g <= log 2 + b log 2 + (4 + b)/e, so 4 + log g
    < 8 + 2b.
    """
    m, g, e = sympy.symbols("M g eta", positive=True)
    apart = (m + g) ** 2 - m**2 / (1 - e)
    assert sympy.simplify(g**2 / e - apart - e / (1 - e) * (m - g * (1 - e) / e) ** 2) == 0
    check_far_delta(1)
    assert sympy.log(40) < 4
    assert 4 + sympy.log(2) + 4 / sympy.E < 8
    assert sympy.log(2) + 1 / sympy.E < 2

    def far(bend, lower, upper):
        size = whole_above(40 * rational(bend) * (rational(lower) + rational(upper)))
        changes = 2 * size * (4 + size.bit_length())
        point = NeighbouringAnswers(1, 1, far_delta(changes), bend, 0, lower, upper, changes)
        return farthest(point)

    for bend in (Fraction(1, 10**4), Fraction(1, 20), Fraction(1, 2), Fraction(99, 100)):
        statement.refute(lambda lower, upper, bend=bend: far(bend, lower, upper))
    assert statement.at(LONG) is Truth.FALSE
    assert statement.at(attrs.evolve(LONG, failure=Fraction(11, 2 * 10**6))) is Truth.FALSE
    allowed = mpmath.mpf(1) - mpmath.mpf(10) ** -6 * (mpmath.e**12 - 1) / (mpmath.e - 1)
    theorem_15.tells("any beta up to {}. With", allowed / (1 + mpmath.e**12))
    assert statement.at(attrs.evolve(LONG, failure=Fraction(6, 10**6))) is Truth.TRUE, "so rare an error may be private"
    assert statement.at(attrs.evolve(LONG, row=90)) is Truth.TRUE, "shorter rows overlap"
    assert statement.at(attrs.evolve(LONG, row=1800)) is Truth.TRUE, "and so do longer ones"
    assert statement.at(attrs.evolve(LONG, changes=11, row=165)) is Truth.TRUE
    with mpmath.workdps(30):
        spread = printed_degrees(LONG) * mpmath.log(printed_degrees(LONG))
    theorem_15.tells("1/eta = {} on for c_1 = c_3 = 1, and", 100 * mpmath.ceil(2 * spread / 100))
    theorem_15.tells("1/eta = {} on for c_1 = c_3 = 6.", 100 * mpmath.ceil(12 * spread / 100))
    for constant, size in ((1, 2300), (6, 13800)):
        one = attrs.evolve(LONG, lower=constant, upper=constant, changes=1, row=size - 1, eta=Fraction(1, size))
        assert statement.at(one) is Truth.FALSE
        assert statement.at(attrs.evolve(one, failure=Fraction(1, 4))) is Truth.FALSE
        assert statement.at(attrs.evolve(one, failure=Fraction(27, 100))) is Truth.TRUE, "1/(1 + e) = 0.2689"
        coarse = Fraction(1, size - 100)
        assert statement.at(attrs.evolve(one, row=size - 101, eta=coarse)) is Truth.TRUE
    halves = [farthest(NeighbouringAnswers(1, 1, arb(-g).exp() / 8, HALF, 0, 1, 1, g)) for g in (105, 106, 107, 108)]
    first = min(p.changes for p in halves if statement.conclusion(p) is Truth.FALSE)
    theorem_15.tells("eta = 1/2 at g = {} for c_1", first)
    for d, epsilon, constant in product((1, 3), (HALF, 1, 4), (1, 6, 100)):
        point = attrs.evolve(LONG, dimension=d, epsilon=epsilon, lower=constant, upper=constant, changes=1)
        with mpmath.workdps(30):
            size = int(mpmath.ceil(2 * constant * printed_degrees(point) * mpmath.log(printed_degrees(point))))
        assert statement.at(attrs.evolve(point, row=size - 1, eta=Fraction(1, size))) is Truth.FALSE
        assert statement.at(attrs.evolve(point, row=size - 2, eta=Fraction(1, size - 1))) is Truth.TRUE
    dimension, bend, row, low, high = sympy.symbols("dimension eta row lower upper")
    tau = dimension + 14 * sympy.log(4 / DELTA) / EPSILON**2
    extra = tau * sympy.log(tau)
    bind_expression(
        statement, sympy.Max(row**2 / (1 - bend) + high * extra - ((row + CHANGES) ** 2 - low * extra), FAR_CONFUSION)
    )
    assert not statement.strict
    assert LONG.failure == 0, "the theorem's bounds always hold"
    assert NeighbouringAnswers(1, 1, MILLIONTH, HALF, 0, 1, 1).changes == 1, "neighbours, unless more changes are named"
    outside = {
        "dimension >= 1, an integer": attrs.evolve(LONG, dimension=0),
        "epsilon > 0": attrs.evolve(LONG, epsilon=0),
        "delta > 0": attrs.evolve(LONG, delta=0),
        "delta < 1": attrs.evolve(LONG, delta=1),
        "eta > 0": attrs.evolve(LONG, eta=0),
        "eta < 1": attrs.evolve(LONG, eta=1),
        "row >= 0": attrs.evolve(LONG, row=Fraction(-1, 50)),
        "changes >= 1, an integer": attrs.evolve(LONG, changes=0),
        "failure >= 0": attrs.evolve(LONG, failure=Fraction(-1, 50)),
    }
    for inside in (LONG, attrs.evolve(LONG, row=0, epsilon=Fraction(1, 50), eta=Fraction(49, 50), lower=MILLIONTH)):
        bind_hypotheses(statement, inside, outside)
    bind_hypotheses(statement, attrs.evolve(LONG, delta=Fraction(49, 50), upper=MILLIONTH), outside)


RELEASES = [
    OneRelease(d, epsilon, delta, power)
    for d, epsilon, delta, power in product(
        (1, 2, 3, 8), (Fraction(1, 10), 1, 30), (Fraction(1, 2), MILLIONTH), (0, 1, 3)
    )
]


def release(p: OneRelease):
    """Delta minus the exact profile of one Gaussian sum; d^-k; and the bound on the error minus that on the norm."""
    far, e = mpmath.sqrt(-2 * mpmath.log(real(p.delta))), real(p.epsilon)
    scale = (far + mpmath.sqrt(far**2 + 2 * e)) / (2 * e)
    least = mpmath.ncdf(1 / (2 * scale) - e * scale) - mpmath.exp(e) * mpmath.ncdf(-1 / (2 * scale) - e * scale)
    tau = printed_degrees(p)
    norm = 4 * scale * mpmath.sqrt(p.dimension * mpmath.log(9) + p.power * mpmath.log(p.dimension))
    allowed = mpmath.mpf(p.dimension) ** -p.power
    return real(p.delta) - least, allowed, (6 + 6 * p.power) * tau * mpmath.log(tau) - norm


@theorem_15.supports_repair(
    grade="derived", region="every d, eps, delta, k: derivation in the docstring, its algebra checked"
)
def test_one_gaussian_release_answers_every_direction(statement) -> None:
    """Privacy of one Gaussian sum, the norm of its noise by a net, and the size of that norm against tau.

    Privacy. A row a of norm at most 1 against zero moves the triangle of the sum by at most |a|^2 <= 1 in Euclidean
    norm, so the profile is Phi(1/(2s) - eps s) - e^eps Phi(-1/(2s) - eps s) <= Phi(-z) <= exp(-z^2/2) = delta, as s is
    the root of eps s - 1/(2s) = z.

    Norm. Let N be symmetric, its triangle independent N(0, s^2), and x a unit vector: x'Nx has variance s^2 (2 - sum
    x_i^4) <= 2 s^2, and a centred normal variate of standard deviation v exceeds u in absolute value with probability
    at most exp(-u^2/(2 v^2)), since exp(-y^2) - erfc(y) rises from 0 and then falls to 0. The sphere has a 1/4-net of
    at most 9^d points, and |N| <= 2 max |x'Nx| over it: for the maximiser y of |y'Ny| and the nearest x of the net
    |y'Ny - x'Nx| <= 2 |y - x| |N| <= |N|/2. So |N| <= 4 s sqrt(d log 9 + k log d) but for probability d^-k.

    Size, for d >= 2; for d = 1 d^-k is 1. With g = 14 log(4/delta)/eps^2, z^2 = 2 log(1/delta) <= g eps^2/7 and
    1/eps^2 <= g/(14 log 4), so s <= z/eps
    + 1/sqrt(2 eps) <= sqrt(g/7) + (g/(56 log 4))^(1/4). By sqrt(g d) <= tau/2, g d^2 <= 4 tau^3/27 and tau >= 1, s
    sqrt(d) <= a tau with a = 1/(2 sqrt 7) + (4/(27 * 56 log 4))^(1/4), and log d <= d: the norm is at most 4 a sqrt(log
    9 + k) tau, below (6 + 6k) tau log 2, and log tau > log 2 because tau > 2.
    """
    x = sympy.symbols("x1:5", real=True)
    off = sum(x[i] ** 2 * x[j] ** 2 for i in range(4) for j in range(i))
    variance = sum(v**4 for v in x) + 4 * off
    assert sympy.expand(2 * sum(v**2 for v in x) ** 2 - sum(v**4 for v in x) - variance) == 0
    row_change = sum(v**4 for v in x) + off
    assert sympy.expand(sum(v**2 for v in x) ** 2 - row_change - off) == 0, "the triangle of aa' has norm at most |a|^2"
    y = sympy.symbols("y", positive=True)
    slope = sympy.diff(sympy.exp(-(y**2)) - sympy.erfc(y), y)
    assert sympy.simplify(slope - 2 * sympy.exp(-(y**2)) * (1 / sympy.sqrt(sympy.pi) - y)) == 0
    z, e, g, d = sympy.symbols("z e g d", positive=True)
    root = (z + sympy.sqrt(z**2 + 2 * e)) / (2 * e)
    assert sympy.simplify(e * root - 1 / (2 * root) - z) == 0
    assert sympy.expand((z + sympy.sqrt(2 * e)) ** 2 - (z**2 + 2 * e)) == 2 * sympy.sqrt(2) * sympy.sqrt(e) * z
    assert sympy.simplify((z + (z + sympy.sqrt(2 * e))) / (2 * e) - (z / e + 1 / sympy.sqrt(2 * e))) == 0
    assert sympy.factor((g + d) ** 2 - 4 * g * d) == (d - g) ** 2
    assert sympy.expand(4 * (g + d) ** 3 - 27 * g * d**2 - (d - 2 * g) ** 2 * (4 * d + g)) == 0
    factor = 1 / (2 * arb(7).sqrt()) + (4 / (27 * 56 * arb(4).log())) ** arb("0.25")
    # (6 + 6k)^2 log(2)^2 - 16 a^2 (log 9 + k) has non-negative coefficients in k
    assert 36 * arb(2).log() ** 2 - 16 * factor**2 * arb(9).log() > 0
    assert 72 * arb(2).log() ** 2 - 16 * factor**2 > 0
    with mpmath.workdps(60):
        # the probability is far below 10^-40 at all these points
        bind(statement, ((p, min(release(p)[:2])) for p in RELEASES))
        assert all(release(p)[2] > 0 or p.dimension == 1 for p in RELEASES)
        with precision(256):
            for p in RELEASES:
                spare = directional_variance.error_bound(p) - directional_variance.noise_bound(p)
                same = abs(spare - arb(mpmath.nstr(release(p)[2], 55))) < arb(10) ** -40 * (1 + abs(spare))
                assert same, "what the docstring compares: the stated error and the norm"
        near = redefined(statement, directional_variance, "error_bound", lambda p: arb(p.power + 1) / 64)
        line = [OneRelease(1, e, Fraction(1, 2), k) for e, k in product(range(1, 12), (0, 2))]
        bind(near, ((p, min(release(p)[0], line_spare(p))) for p in line))
        assert any(line_spare(p) < release(p)[0] for p in line), "here the probability decides"
    assert all(statement.at(p) is Truth.TRUE for p in RELEASES)
    assert not statement.strict
    inside = OneRelease(3, 1, MILLIONTH, 0)
    outside = {
        "dimension >= 1, an integer": attrs.evolve(inside, dimension=0),
        "epsilon > 0": attrs.evolve(inside, epsilon=0),
        "delta > 0": attrs.evolve(inside, delta=0),
        "delta < 1": attrs.evolve(inside, delta=1),
        "power >= 0, an integer": attrs.evolve(inside, power=-1),
    }
    for point in (inside, OneRelease(3, Fraction(1, 50), Fraction(49, 50), 0)):
        bind_hypotheses(statement, point, outside)


def line_spare(p: OneRelease):
    """1 minus Pr(|N(0, s^2)| > (k + 1)/64)."""
    far, e = mpmath.sqrt(-2 * mpmath.log(real(p.delta))), real(p.epsilon)
    scale = (far + mpmath.sqrt(far**2 + 2 * e)) / (2 * e)
    return 1 - mpmath.erfc((p.power + 1) / scale / 64 / mpmath.sqrt(2))


@theorem_15.controls(
    "+repair", grade="interval", region="half the noise; an error of two standard deviations; one of log tau"
)
def test_smaller_errors_and_less_noise_are_noticed(statement) -> None:
    inside = OneRelease(3, 1, MILLIONTH, 1)
    assert statement.at(inside) is Truth.TRUE

    def two_deviations(p: OneRelease):
        return 2 * dyadic_release.deviation(DyadicRelease(0, 0, p.epsilon, p.delta))

    def rough(p: OneRelease):
        return noise_degrees(p.dimension, p.epsilon, p.delta).log()

    def half(p: OneRelease):
        return half_the_noise(DyadicRelease(0, 0, p.epsilon, p.delta))

    for smaller in (two_deviations, rough):
        weaker = redefined(statement, directional_variance, "error_bound", smaller)
        assert weaker.at(attrs.evolve(inside, power=3)) is Truth.FALSE
    assert statement.nudged(margin=half).at(inside) is Truth.FALSE


UPDATE = "(1 - eta) u'K~(1)u <= u'K~(2)u"


@theorem_15.supports("from-41", grade="derived", region="any one direction: identities in its eight numbers")
def test_the_bounds_follow_from_41(statement) -> None:
    """The left bound is (35) plus (37) for K(1); the right one (35), (36) and (37) for K(2) over 1 - eta, plus c_1."""
    left, right = n1 - w + e1, w / (1 - eta) + e1 + e2 / (1 - eta) - n1
    sandwich, update, high2, low1 = w - k2, n2 - (1 - eta) * n1, e2 - (n2 - k2), e1 - (k1 - n1)
    assert sympy.simplify(left - ((k1 - w) + low1)) == 0
    assert sympy.simplify(right - ((sandwich + high2 + update) / (1 - eta) + e1)) == 0
    fields = {"noisy_first": n1, "window": w, "error": e1, "other_error": e2}
    bind_expression(statement, sympy.Min(left, right), fields=fields, points=(SOUND, EQUAL))
    assert statement.at(SOUND) is Truth.TRUE
    assert not statement.strict
    for inside in (SOUND, EQUAL):
        bind_hypotheses(statement, inside, CHAIN)
    assert statement.applies(attrs.evolve(SOUND, eta=Fraction(1, 5))) is Truth.FALSE
    assert statement.without(UPDATE).at(CHAIN[UPDATE]) is Truth.FALSE


@theorem_15.supports("inner-product", grade="derived", region="every unit vector: 1 = 1")
def test_a_unit_vector_has_inner_product_one(statement) -> None:
    """|x|^2 = |x| for |x| = 1, and only for 0 and 1: elsewhere the stated equation is off by |x| (1 - |x|)."""
    size = sympy.symbols("size", positive=True)
    assert sympy.solve(size**2 - size, size) == [1]
    plane = Plane(Fraction(3, 5), Fraction(4, 5))
    assert statement.at(plane) is Truth.TRUE
    free = statement.without("|x| = 1")
    bind(free, [(Plane(a, 1), -(a**4 + a**2)) for a in range(1, 21)])
    assert free.at(Plane(1, 1)) is Truth.FALSE, "4 for 2"
    squared = sympy.Symbol("first") ** 2 + sympy.Symbol("second") ** 2
    bind_expression(statement, -sympy.Abs(squared**2 - squared), points=[plane])
    assert not statement.strict
    bind_hypotheses(statement, plane, {"|x| = 1": Plane(1, Fraction(1, 5))})
    assert statement.applies(Plane(Fraction(1, 5), Fraction(4, 5))) is Truth.FALSE
