"""Noise on a second moment that has to stay positive semidefinite in `sliding-window`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.noisy_semidefinite import NoisySquare, ProjectedNoise, ShiftedRelease, StaticRelease
from dpmatrix.tracing import bind_expression

theorem_4 = cite("sliding-window.theorem-4@931f666c")

MILLIONTH = Fraction(1, 10**6)
HALF, SMALL, LARGE = Fraction(1, 2), Fraction(1, 50), Fraction(49, 50)
D, EPSILON, DELTA, POWER, ETA, CONSTANT = sympy.symbols("dimension epsilon delta power eta constant", positive=True)
FAR = sympy.sqrt(-2 * sympy.log(DELTA))
DEVIATION = (FAR + sympy.sqrt(FAR**2 + 2 * EPSILON)) / (2 * EPSILON)


@theorem_4.refutes("gaussian-noise", grade="derived", region="s = 1: every c, by the row 1 + 1/c; 1/2 for the row 0")
def test_a_noisy_second_moment_may_be_semidefinite(statement) -> None:
    """Every c: Phi(-x) < 1/x for x > 0, as Phi(-x) <= exp(-x^2/2)/2 and x < exp(x^2/2); x = (1 + 1/c)^2 > 1/c."""
    statement.refute(lambda constant: NoisySquare(1 + 1 / rational(constant), 1, constant))
    values = []
    with mpmath.workdps(60):
        for row, s, c in product((0, HALF, 1, 2), (HALF, 1, 3), (SMALL, HALF)):
            tail = mpmath.ncdf(-(real(row) ** 2) / real(s)) - real(c)
            values.append((NoisySquare(row, s, c), mpmath.nstr(tail, 50)))
    bind(statement, values)
    assert statement.at(NoisySquare(0, 1, LARGE / 2)) is Truth.TRUE, "half of all noises are negative"
    assert statement.at(NoisySquare(0, 1, Fraction(51, 100))) is Truth.FALSE
    assert statement.at(NoisySquare(1, 1, Fraction(15, 100))) is Truth.TRUE, "Phi(-1) = 0.1587"
    assert statement.at(NoisySquare(1, 1, Fraction(16, 100))) is Truth.FALSE
    inside = NoisySquare(1, 1, HALF)
    outside = {"row >= 0": attrs.evolve(inside, row=-SMALL), "deviation > 0": attrs.evolve(inside, deviation=0)}
    for point in (inside, NoisySquare(0, SMALL, 1)):
        bind_hypotheses(statement, point, outside)


def room(p: ProjectedNoise) -> mpmath.mpf:
    """Compute the bound in another library, minus 1/2."""
    share = (real(p.constant) + 1) ** 2 / (p.dimension - 1)
    column = (share * mpmath.exp(1 - share)) ** (real(p.dimension - 1) / 2) if share < 1 else mpmath.mpf(1)
    return column + mpmath.ncdf(-2 / mpmath.sqrt(3)) - real(HALF)


@theorem_4.refutes("projected-noise", grade="derived", region="every c, by d = 1 + 10 (1 + c)^2 or more")
def test_the_positive_part_of_noise_grows(statement) -> None:
    """With b the entries beside N_11 and v = b/|b|, u = (e_1, v)/sqrt(2) has u'Nu = (N_11 + 2|b| + v'N_2v)/2.

    N_2, the block beside b, is independent of it, and v'N_2v is normal of variance 2 - sum v_i^4 <= 2. If the positive
    part has norm at most c, u'Nu <= c. Then |b| <= c + 1, which Chernoff's bound for chi^2_(d-1) makes rare, or N_11 +
    v'N_2v <= -2, of probability Phi(-2/sqrt(3)) at most; together less than 1/2 for d = 1 + 10 (1 + c)^2.
    """
    statement.refute(lambda constant: ProjectedNoise(1 + 10 * int(((1 + rational(constant)) ** 2).ceil()), constant))
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
    with mpmath.workdps(60):
        points = [ProjectedNoise(d, c) for d, c in product((2, 4, 9, 30, 200), (SMALL, HALF, 1, 4, 10))]
        bind(statement, [(p, mpmath.nstr(room(p), 50)) for p in points])
    assert statement.at(ProjectedNoise(200, 4)) is Truth.FALSE
    assert statement.at(ProjectedNoise(2, 4)) is Truth.UNDECIDED, "a bound above 1/2 tells nothing"
    assert not statement.strict
    outside = {"dimension >= 2, an integer": ProjectedNoise(1, 1)}
    for inside in (ProjectedNoise(2, 1), ProjectedNoise(50, SMALL)):
        bind_hypotheses(statement, inside, outside)


SHIFTED = ShiftedRelease(1, 1, MILLIONTH, 1, 1)
GUARANTEE = {
    "dimension >= 1, an integer": {"dimension": 0},
    "epsilon > 0": {"epsilon": 0},
    "delta > 0": {"delta": 0},
}


@theorem_4.refutes(
    "semidefinite-noise",
    grade="derived",
    region="eps = 1, delta = 10^-6, k = 1: every c, by d = 1 + 6000/c^2 rounded up",
)
def test_semidefinite_noise_may_cost_a_root(statement) -> None:
    """Every c: s < 5.4 and log d <= d, so 2 zeta <= 8 s sqrt(d (log 9 + 1)) < 77.3 sqrt(d), and c d is more.

    C sqrt(d) > 77.4 for d > 6000/c^2. N + zeta has eigenvalues from 0 to 2 zeta where |N| <= zeta.
    """
    statement.refute(
        lambda constant: attrs.evolve(
            SHIFTED, constant=constant, dimension=1 + int((6000 / rational(constant) ** 2).ceil())
        )
    )
    far = (2 * arb(10**6).log()).sqrt()
    assert (far + (far**2 + 2).sqrt()) / 2 < arb(27) / 5
    assert 8 * arb(27) / 5 * (arb(9).log() + 1).sqrt() < arb("77.3")
    assert arb(6000).sqrt() > arb("77.4")
    bound = 8 * DEVIATION * sympy.sqrt(D * sympy.log(9) + POWER * sympy.log(D))
    bind_expression(statement, bound - CONSTANT * D, points=[SHIFTED])
    assert statement.at(attrs.evolve(SHIFTED, constant=60)) is Truth.TRUE, "63.4 at d = 1"
    assert statement.at(attrs.evolve(SHIFTED, constant=65)) is Truth.FALSE
    assert not statement.strict
    outside = GUARANTEE | {"delta < 1": {"delta": 1}, "power >= 0, an integer": {"power": -1}}
    for inside in (SHIFTED, ShiftedRelease(1, SMALL, LARGE, 0, 1)):
        bind_hypotheses(statement, inside, {says: attrs.evolve(SHIFTED, **each) for says, each in outside.items()})


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


@theorem_4.controls("static-release", grade="interval", region="c = 25 at eta = 999/1000; eps = 2 or delta = 9/10")
def test_smaller_constants_of_the_release_are_noticed(statement) -> None:
    corner = attrs.evolve(STATIC, eta=Fraction(999, 1000))
    assert statement.at(corner) is Truth.TRUE
    assert statement.exhibits(constant=25).at(attrs.evolve(corner, constant=25)) is Truth.FALSE
    assert statement.without("epsilon <= 1").at(attrs.evolve(STATIC, epsilon=2)) is Truth.FALSE
    assert statement.without("delta <= 1/2").at(attrs.evolve(STATIC, delta=Fraction(9, 10))) is Truth.FALSE
